"""`info`: what this store is, and what its agent is going to clean up by itself."""

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
from explorer.render.figures import count, exact, iso_utc, plural, size
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.fates import AGENT, NOT_SET, Deed, Fates
from explorer.stores.sqlite.failures import DISAGREES, short_path

_TABLES = {"fts": "words", "trigram": "trigrams"}
_DONE = {Deed.DELETE: "deleted", Deed.ARCHIVE: "archived", Deed.END: "marked as ended"}
_NOBODY = Catalog((), (), (), {}, (), (), frozenset())


def show_info(options: argparse.Namespace, now: float) -> int:
    store = chosen_store(options)
    info = store.info()
    fates, due = _clean_up(store, now)
    if options.json:
        write_json(info_shape(info) | {"clean_up": _clean_up_shape(fates, due)})
    else:
        lines = _lines(info)
        if words := _clean_up_words(fates, due, now):
            lines.append(("clean-up", words))
        for name, value in lines:
            write(painted(f"{name:<10}", BOLD) + " " + clean_line(value))
    return ExitCode.DONE


def _lines(info: StoreInfo) -> list[tuple[str, str]]:
    version = "unknown" if info.schema_version is None else str(info.schema_version)
    kept = f"{size(info.bytes)}, and {size(info.wal_bytes)} in its log"
    lost = f", {count(info.orphans)} of a session that is gone" if info.orphans else ""
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
    lines.append(("edits", ", ".join(possible) if possible else f"none: {'; '.join(refused)}"))
    return lines


def _search_lines(search: SearchModes) -> list[tuple[str, str]]:
    held = {"words": search.covers} if search.fts else {}
    held |= {"trigrams": search.trigram_covers} if search.trigram else {}
    tables = [
        f"{name} over {', '.join(columns)}" for name, columns in _together(held, "and").items()
    ]
    tables += ["CJK"] if search.cjk else []
    if not tables:
        return [("search", "no search table: a search reads every message")]
    gaps = {name: search.leaves_out.get(key, ()) for key, name in _TABLES.items() if name in held}
    lines = [
        f"not in {name}: {', '.join(out)}" for name, out in _together(gaps, "or").items() if out
    ]
    lines += ["What a table does not hold is found by reading every message."] if lines else []
    lines += [f"{why}: a search reads every message" for why in search.trouble]
    return [("search", "; ".join(tables)), *(("", line) for line in (*lines, *search.notes))]


def _together(told: Mapping[str, tuple[str, ...]], joined: str) -> Mapping[str, tuple[str, ...]]:
    """What is said of both tables once, where it is the same."""
    same = len(set(told.values())) == 1
    return {f" {joined} ".join(told): next(iter(told.values()))} if same else told


def _clean_up(store: Store, now: float) -> tuple[Fates, Counter[Deed]]:
    """(what the agent cleans up by itself, how many conversations each deed is done to at its next
    start)."""
    # The settings first: where they leave nothing to do, no session need be looked at.
    fates = store.fates(_NOBODY, ())
    if not fates.acts:
        return fates, Counter()
    catalog = store.catalog()
    fates = store.fates(catalog, before=now)
    conversations = {catalog.chain(key) for key in (*fates.deletes, *fates.archives, *fates.ends)}
    fated = (fates.of(parts, now) for parts in conversations)
    return fates, Counter(fate.deed for fate in fated if fate is not None and fate.is_due(now))


def _clean_up_shape(fates: Fates, due: Counter[Deed]) -> dict[str, object] | None:
    """As JSON; null where the agent does nothing of the kind."""
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


def _clean_up_words(fates: Fates, due: Counter[Deed], now: float) -> str:
    """In a line; empty where there is nothing to say."""
    if fates.unknown:
        return f"not known: {fates.unknown}"
    if not fates.path:
        return ""
    where = f" ({short_path(Path(fates.path))})"
    if not fates.acts:
        return f"{AGENT} deletes and archives nothing by itself{where}"
    done = []
    for deed in Deed:
        may = "" if fates.certain or deed is Deed.ARCHIVE else "may be "
        done += [f"{plural(due[deed], 'session')} {may}{_DONE[deed]}"] if due[deed] else []
    said = [_rule(fates) + where, f"at its next start: {', '.join(done) or 'nothing'}"]
    if fates.next_run is not None and fates.next_run > now:
        said.append(f"deletes again after {exact(fates.next_run)}")
    return " · ".join(said)


def _rule(fates: Fates) -> str:
    idle = f"archives sessions after {fates.idle:g} days without activity"
    if fates.next_run is None:
        return f"{AGENT} {idle}"
    days = f"{fates.retention:g} days"
    since = f"{days} after their start" if fates.by_start else f"after {days} without activity"
    rule = f"{AGENT} {'deletes' if fates.certain else 'may delete'} ended sessions {since}"
    if fates.settings["auto_archive"].value is True and fates.pins:
        rule += f", {idle}"
    return rule if fates.certain else f"{rule}; {NOT_SET}"
