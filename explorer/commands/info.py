"""`info`: what each state file holds, and what its agent cleans up by itself."""

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from explorer.commands.output import BOLD, painted, write, write_json
from explorer.commands.shapes import info_shape, several_shape, store_shape
from explorer.commands.stores import chosen_store, warn_of
from explorer.commands.words import profiles_read
from explorer.errors import ExitCode, NoFileYet, StoreError
from explorer.model import SearchModes, StoreInfo
from explorer.render.clean import clean_line
from explorer.render.figures import count, iso_utc, size
from explorer.stores.base import OneStore, Store
from explorer.stores.catalog import Catalog
from explorer.stores.fates import NO_FATES, Deed, Fates, clean_up_line
from explorer.stores.hermes.store import profile_of
from explorer.stores.server_path import on_server
from explorer.stores.sqlite.failures import disagrees, short_path

_TABLES = {"fts": "words", "trigram": "trigrams"}
_READ_ALL = "every search reads all messages"
_NO_SESSIONS = Catalog((), (), (), {}, (), (), frozenset())


class StoreFacts(NamedTuple):
    """What is known of one file."""

    one: OneStore
    info: StoreInfo | None
    """None where it cannot be read."""
    fates: Fates = NO_FATES
    due: Counter[Deed] = Counter()


def show_info(options: argparse.Namespace, now: float) -> int:
    store = chosen_store(options)
    if store.places:
        return _show_several(store, options, now)
    info = store.info()
    fates, due = _clean_up(store, now)
    if options.json:
        (one,) = store.stores()
        found = _read_shape(one, info)
        clean_up = _clean_up_shape(fates, due)
        write_json(info_shape(info) | {"clean_up": clean_up, "stores": [found]})
    else:
        _write(_all_lines(info, fates, due, now))
    return ExitCode.DONE


def _show_several(store: Store, options: argparse.Namespace, now: float) -> int:
    found = [_facts(one, now) for one in store.stores()]
    infos = [facts.info for facts in found if facts.info is not None]
    unreadable = 0
    for name, path, _, error, *_ in (facts.one for facts in found):
        if error is None:
            continue
        unreadable += not isinstance(error, NoFileYet)
        warn_of(name, path, error, options)
    if options.json:
        shapes = [_facts_shape(facts) for facts in found]
        write_json(several_shape(infos) | {"clean_up": None, "stores": shapes})
        return ExitCode.DONE
    _write(
        [
            ("profiles", profiles_read(len(found), unreadable)),
            ("size", size(sum(info.bytes + info.wal_bytes for info in infos))),
            ("sessions", count(sum(info.sessions for info in infos))),
            ("messages", count(sum(info.messages for info in infos))),
        ]
    )
    for one, info, fates, due in found:
        write("")
        write(painted(clean_line(one.name, 60), BOLD))
        if info is not None:
            _write(_all_lines(info, fates, due, now), "  ")
        elif one.error is not None:
            why = f"{one.error.title}. {one.error.message}"
            place = "server" if on_server(one.path) else "file"
            _write([(place, short_path(one.path)), ("error", why)], "  ")
    return ExitCode.DONE


def _facts(one: OneStore, now: float) -> StoreFacts:
    if one.store is None or one.error is not None:
        return StoreFacts(one, None)
    try:
        return StoreFacts(one, one.store.info(), *_clean_up(one.store, now))
    except StoreError as error:
        return StoreFacts(one._replace(error=error), None)


def _facts_shape(facts: StoreFacts) -> dict[str, object]:
    one, info = facts.one, facts.info
    if info is None:
        return store_shape(one, None)
    own = info_shape(info) | {"clean_up": _clean_up_shape(facts.fates, facts.due)}
    return own | _read_shape(one, info)


def _read_shape(one: OneStore, info: StoreInfo) -> dict[str, object]:
    """A file or a set of tables that could be read."""
    found = store_shape(one._replace(sound=info.sound), info.sessions, info.messages)
    return found | {"bytes": info.bytes}


def _write(lines: Sequence[tuple[str, str]], indent: str = "") -> None:
    for name, value in lines:
        write(indent + painted(f"{name:<10}", BOLD) + " " + clean_line(value))


def _all_lines(
    info: StoreInfo, fates: Fates, due: Counter[Deed], now: float
) -> list[tuple[str, str]]:
    words = clean_up_line(fates, due, now)
    return [*_lines(info), *([("clean-up", words)] if words else [])]


def _lines(info: StoreInfo) -> list[tuple[str, str]]:
    version = "unknown" if info.schema_version is None else str(info.schema_version)
    kept = f"{size(info.bytes)}, plus {size(info.wal_bytes)} in the write-ahead log"
    journal = f", journal mode {info.journal_mode}" if info.journal_mode else ""
    lost = f", {count(info.orphans)} of them without a session" if info.orphans else ""
    lines = [
        ("file", short_path(Path(info.path))) if info.journal_mode else ("server", info.path),
        ("kind", f"{info.kind}, schema {version}{journal}"),
        ("size", kept if info.wal_bytes else size(info.bytes)),
        ("sessions", count(info.sessions)),
        ("messages", count(info.messages) + lost),
        *_search_lines(info.search),
    ]
    if not info.sound:
        lines.append(("damaged", disagrees(profile_of(Path(info.path)))))
    lines += [("not read" if at == 0 else "", gap) for at, gap in enumerate(info.gaps)]
    return [*lines, *_change_lines(info.edits)]


def _change_lines(edits: Mapping[str, str | None]) -> list[tuple[str, str]]:
    """What can be changed, and why the rest cannot be: of a file that cannot be written, nothing
    else is of interest."""
    refused: dict[str, list[str]] = {}
    for name, reason in edits.items():
        if reason:
            refused.setdefault(reason, []).append(name)
    possible = [name for name, reason in edits.items() if reason is None]
    if not possible:
        return [("changes", f"none: {'; '.join(sorted(refused))}")]
    why = [("", f"no {', '.join(names)}: {reason}") for reason, names in refused.items()]
    return [("changes", ", ".join(possible)), *why]


def _search_lines(search: SearchModes) -> list[tuple[str, str]]:
    held = {"words": search.covers} if search.fts else {}
    held |= {"trigrams": search.trigram_covers} if search.trigram else {}
    tables = [
        f"{name} over {', '.join(columns)}" for name, columns in _together(held, "and").items()
    ]
    tables += ["CJK"] if search.cjk else []
    if not tables:
        return [("search", f"no search table: {_READ_ALL}")]
    gaps = {name: search.leaves_out.get(key, ()) for key, name in _TABLES.items() if name in held}
    lines = [
        f"not covered by {name}: {', '.join(out)}"
        for name, out in _together(gaps, "or").items()
        if out
    ]
    lines += ["Text that is not covered is found by reading all messages."] if lines else []
    lines += [f"{why}: {_READ_ALL}" for why in search.trouble]
    return [("search", "; ".join(tables)), *(("", line) for line in (*lines, *search.notes))]


def _together(found: Mapping[str, tuple[str, ...]], joined: str) -> Mapping[str, tuple[str, ...]]:
    """One entry for both tables where theirs are equal."""
    same = len(set(found.values())) == 1
    return {f" {joined} ".join(found): next(iter(found.values()))} if same else found


def _clean_up(store: Store, now: float) -> tuple[Fates, Counter[Deed]]:
    """(what the agent cleans up by itself, how many conversations at its next start, by deed)"""
    # The settings first: if they turn clean-up off, no session has to be read.
    fates = store.fates(_NO_SESSIONS, ())
    if not fates.acts:
        return fates, Counter()
    catalog = store.catalog()
    fates = store.fates(catalog, before=now)
    conversations = {catalog.chain(key) for key in (*fates.deletes, *fates.archives, *fates.ends)}
    fated = (fates.of(parts, now) for parts in conversations)
    return fates, Counter(fate.deed for fate in fated if fate is not None and fate.is_due(now))


def _clean_up_shape(fates: Fates, due: Counter[Deed]) -> dict[str, object] | None:
    """As JSON; null where the agent never cleans up."""
    if not fates.path and not fates.unknown:
        return None
    return {
        "settings": {
            name: {"value": one.value, "given": one.given.value}
            for name, one in fates.settings.items()
        },
        "path": fates.path or None,
        "unknown": fates.unknown or None,
        "certain": fates.certain,
        "next_at": iso_utc(fates.next_run),
        "retention_days": None if fates.next_run is None else fates.retention,
        "next_start": {
            "deleted": due[Deed.DELETE],
            "archived": due[Deed.ARCHIVE],
            "ended": due[Deed.END],
        },
    }
