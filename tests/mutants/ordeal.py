"""What is done with each damaged file: `python -m tests.mutants.ordeal FIRST COUNT`.

List, info, show and search, then the edits, each with its undo. Wrong is: a traceback, no end, a
byte of the file that reading changed, an edit that was done and cannot be undone, or a cell that
is not as before after the undo. A process of its own, since what has no end can only be killed.
"""

import contextlib
import faulthandler
import gc
import hashlib
import io
import json
import os
import shutil
import sqlite3
import stat
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from explorer.cli import main as run_command
from explorer.errors import ExitCode
from explorer.stores.sqlite.images import RawText
from tests.mutants.making import Mutant, mutant

NO_END = 120.0
"""Seconds after which something is called endless: a hundred times what the slowest takes."""
EDITS = (
    ("rename", "ID", "Another title"),
    ("archive", "ID"),
    ("clear", "ID"),
    ("delete", "--conversation", "ID"),
)
CODES = frozenset(int(code) for code in ExitCode)


class Said(NamedTuple):
    """What came of a command."""

    code: int
    out: str
    error: str


class Ordeal:
    """All that is tried on one file, and what is wrong with it."""

    def __init__(self, found: Mutant) -> None:
        self._mutant = found
        self._path = found.path
        self.wrong: list[str] = []
        self.edits = 0

    def run(self) -> None:
        before = _content(self._path)
        ids = self._read()
        if _content(self._path) != before:
            self._blame("reading", "changed the file")
        for number, (edit, *arguments) in enumerate(EDITS if ids else ()):
            id_ = ids[number % len(ids)]
            self._edit(edit, *(id_ if word == "ID" else word for word in arguments))

    def _read(self) -> list[str]:
        """Run what only reads; the ids of the sessions that can be named."""
        self._command("info")
        self._command("list")
        listed = self._command("list", "--all", "--limit", "0", "--json")
        rows = json.loads(listed.out)["sessions"] if listed.code == 0 else []
        ids = [row["id"] for row in rows if row["id"] and not row["id"].startswith("-")]
        for id_ in ids[:2]:
            self._command("show", "--all", id_)
        self._command("search", "--all", "docker")
        self._command("search", "--all", "/h.llo/ source:cli")
        return ids

    def _edit(self, *words: str) -> None:
        before = dump(self._path)
        done = self._command(*words, "--yes", "--force", "--json")
        if done.code != 0 or json.loads(done.out or "{}").get("receipt") is None:
            if done.code == 0 and dump(self._path) != before:
                self._blame(words[0], "changed something without a receipt")
            return
        self.edits += 1
        undone = self._command("undo", "--yes")
        if undone.code != 0:
            self._blame(words[0], f"cannot be undone: {undone.error.strip()}")
        elif (after := dump(self._path)) != before:
            self._blame(words[0], f"is not undone: {_differences(before, after)}")

    def _command(self, *words: str) -> Said:
        out, error = io.StringIO(), io.StringIO()
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
                code = run_command([*words, "--db", str(self._path)])
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 1
        except Exception:
            self._blame(" ".join(words), f"traceback\n{traceback.format_exc()}")
            return Said(-1, "", "")
        if code not in CODES or (code != 0 and not (out.getvalue() + error.getvalue()).strip()):
            self._blame(" ".join(words), f"exit code {code} without a word")
        return Said(code, out.getvalue(), error.getvalue())

    def _blame(self, what: str, why: str) -> None:
        self.wrong.append(f"{self._mutant.what}: {what}: {why}")


Dump = dict[str, object]
Row = tuple[Any, ...]


def dump(path: Path) -> Dump:
    """Every row of every table that can be read, by its number; where one cannot, only that."""
    found: Dump = {}
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=0.1)) as db:
        db.text_factory = RawText
        try:
            tables = [
                row[0].decode()
                for row in db.execute(
                    "SELECT name FROM sqlite_master WHERE type = 'table'"
                    " AND name NOT LIKE '%fts%' AND name != 'sqlite_sequence'"
                ).fetchall()
            ]
        except (sqlite3.Error, UnicodeError, AttributeError):
            return found
        for name in tables:
            try:
                cursor = db.execute(f'SELECT rowid, * FROM "{name}" NOT INDEXED')
                names = [column[0] for column in cursor.description]
                rows = _without_lost_parents(names, cursor.fetchall())
                found[name] = sorted(rows, key=lambda row: row[0])
            except (sqlite3.Error, UnicodeError) as error:
                found[name] = type(error).__name__
    return found


def _without_lost_parents(names: list[str], rows: list[Row]) -> list[Row]:
    """A link to a session that is not there: SQLite does not take it back, and it leads nowhere."""
    own = [name for name in ("id", "session_id") if name in names]
    if "parent_session_id" not in names or not own:
        return rows
    at, id_at = names.index("parent_session_id"), names.index(own[0])
    ids = {row[id_at] for row in rows}
    return [row if row[at] in ids else (*row[:at], None, *row[at + 1 :]) for row in rows]


def _differences(before: Dump, after: Dump) -> str:
    told = []
    for name in before.keys() | after.keys():
        one, other = before.get(name), after.get(name)
        if one != other and isinstance(one, list) and isinstance(other, list):
            lost = [row for row in one if row not in other][:2]
            new = [row for row in other if row not in one][:2]
            cells = [
                (at, *map(repr, pair))
                for rows in zip(lost, new, strict=False)
                for at, pair in enumerate(zip(*rows, strict=False))
                if pair[0] != pair[1]
            ]
            told.append(f"{name}: {len(lost)} of {len(one)} rows, {cells!r:.600}")
        elif one != other:
            told.append(f"{name}: {one!r:.200} became {other!r:.200}")
    return "; ".join(told)


def _content(path: Path) -> list[str]:
    """The file and what lies beside it, but for what every reader of SQLite makes."""
    found = []
    for one in sorted(path.parent.iterdir()):
        kind = one.lstat()
        if not stat.S_ISREG(kind.st_mode):
            found.append(f"{one.name} {kind.st_mode}")
        elif not one.name.endswith("-shm") and kind.st_size:
            found.append(f"{one.name} {hashlib.sha256(one.read_bytes()).hexdigest()}")
    return found


@contextlib.contextmanager
def _room(folder: Path) -> Iterator[Path]:
    """An empty folder with a home beside it."""
    home, place = folder / "home", folder / "place"
    for one in (home, place):
        one.mkdir()
    os.environ["HOME"] = str(home)
    try:
        yield place
    finally:
        for one in (home, place):
            shutil.rmtree(one)


def main(first: int, count: int) -> int:
    for name in ("HERMES_HOME", "SESSION_EXPLORER_DB", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        os.environ.pop(name, None)
    wrong: list[str] = []
    edits = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, first + count):
            with _room(Path(folder)) as place:
                faulthandler.dump_traceback_later(NO_END, exit=True)
                print(f"at {number}", flush=True)
                found = Ordeal(mutant(number, place))
                found.run()
                faulthandler.cancel_dump_traceback_later()
                gc.enable()
            print(*found.wrong, sep="\n", end="\n" * bool(found.wrong), flush=True)
            wrong += found.wrong
            edits += found.edits
    print(f"{count} files, {edits} edits undone, {len(wrong)} wrong")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
