"""`info`: what this store is."""

import argparse
from pathlib import Path

from explorer.commands.output import BOLD, painted, write, write_json
from explorer.commands.shapes import info_shape
from explorer.commands.stores import chosen_store
from explorer.errors import ExitCode
from explorer.model import StoreInfo
from explorer.render.amounts import count, size
from explorer.render.clean import clean_line
from explorer.store.failures import DISAGREES, short_path


def show_info(options: argparse.Namespace) -> int:
    info = chosen_store(options).info()
    if options.json:
        write_json(info_shape(info))
    else:
        for name, value in _lines(info):
            write(painted(f"{name:<10}", BOLD) + " " + clean_line(value))
    return int(ExitCode.DONE)


def _lines(info: StoreInfo) -> list[tuple[str, str]]:
    version = "unknown" if info.schema_version is None else str(info.schema_version)
    kept = f"{size(info.bytes)}, and {size(info.wal_bytes)} in its log"
    lost = f", {count(info.orphans)} of a session that is gone" if info.orphans else ""
    tables = [
        name
        for name, there in (
            ("words", info.search.fts),
            ("trigrams", info.search.trigram),
            ("CJK", info.search.cjk),
        )
        if there
    ]
    covers = f" over {', '.join(info.search.covers)}" if info.search.covers else ""
    lines = [
        ("file", short_path(Path(info.path))),
        ("kind", f"{info.kind}, schema {version}, journal mode {info.journal_mode}"),
        ("size", kept if info.wal_bytes else size(info.bytes)),
        ("sessions", count(info.sessions)),
        ("messages", count(info.messages) + lost),
        ("search", (" and ".join(tables) + covers) if tables else "no search table: by scanning"),
    ]
    if not info.sound:
        lines.append(("damaged", DISAGREES))
    refused = sorted({reason for reason in info.edits.values() if reason})
    possible = [name for name, reason in info.edits.items() if reason is None]
    lines.append(("edits", ", ".join(possible) if possible else f"none: {'; '.join(refused)}"))
    return lines
