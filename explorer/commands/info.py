"""`info`: what this store is."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from explorer.commands.clean_up import CleanUp
from explorer.commands.output import BOLD, painted, write, write_json
from explorer.commands.shapes import info_shape
from explorer.commands.stores import chosen_store
from explorer.errors import ExitCode
from explorer.model import SearchModes, StoreInfo
from explorer.render.amounts import count, size
from explorer.render.clean import clean_line
from explorer.stores.sqlite.failures import DISAGREES, short_path

_TABLES = {"fts": "words", "trigram": "trigrams"}


def show_info(options: argparse.Namespace, now: float) -> int:
    store = chosen_store(options)
    info, clean_up = store.info(), CleanUp(store, now)
    if options.json:
        write_json(info_shape(info) | {"clean_up": clean_up.shape()})
    else:
        lines = _lines(info)
        if words := clean_up.words():
            lines.append(("clean-up", words))
        for name, value in lines:
            write(painted(f"{name:<10}", BOLD) + " " + clean_line(value))
    return int(ExitCode.DONE)


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
