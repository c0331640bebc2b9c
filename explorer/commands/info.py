"""`info`: what a state file holds, and what its agent cleans up by itself."""

import argparse
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from explorer.commands.output import BOLD, painted, write, write_json
from explorer.commands.shapes import info_shape
from explorer.commands.stores import chosen_store
from explorer.errors import ExitCode
from explorer.model import SearchModes, StoreInfo
from explorer.render.clean import clean_line
from explorer.render.figures import count, iso_utc, size
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.fates import Deed, Fates, clean_up_line
from explorer.stores.sqlite.failures import DISAGREES, short_path

_TABLES = {"fts": "words", "trigram": "trigrams"}
_READ_ALL = "every search reads all messages"
_NO_SESSIONS = Catalog((), (), (), {}, (), (), frozenset())


def show_info(options: argparse.Namespace, now: float) -> int:
    store = chosen_store(options)
    info = store.info()
    fates, due = _clean_up(store, now)
    if options.json:
        write_json(info_shape(info) | {"clean_up": _clean_up_shape(fates, due)})
    else:
        lines = _lines(info)
        if words := clean_up_line(fates, due, now):
            lines.append(("clean-up", words))
        for name, value in lines:
            write(painted(f"{name:<10}", BOLD) + " " + clean_line(value))
    return ExitCode.DONE


def _lines(info: StoreInfo) -> list[tuple[str, str]]:
    version = "unknown" if info.schema_version is None else str(info.schema_version)
    kept = f"{size(info.bytes)}, plus {size(info.wal_bytes)} in the write-ahead log"
    lost = f", {count(info.orphans)} of them without a session" if info.orphans else ""
    lines = [
        ("file", short_path(Path(info.path))),
        ("kind", f"{info.kind}, schema {version}, journal mode {info.journal_mode}"),
        ("size", kept if info.wal_bytes else size(info.bytes)),
        ("sessions", count(info.sessions)),
        ("messages", count(info.messages) + lost),
        *_search_lines(info.search),
    ]
    if not info.sound:
        lines.append(("damaged", DISAGREES))
    refused = sorted({reason for reason in info.edits.values() if reason})
    possible = [name for name, reason in info.edits.items() if reason is None]
    lines.append(("changes", ", ".join(possible) if possible else f"none: {'; '.join(refused)}"))
    return lines


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
