"""Who may open a database, and what a start may load. Who may import whom is held by import-linter,
with `make lint`; its contracts are in pyproject.toml."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

from explorer.stores.sqlite.failures import read_only_address
from tests.factories import one_session

ROOT = Path(__file__).resolve().parents[1]

MAY_START_THE_APP = ("explorer/tui/*", "explorer/commands/open.py")
WITH_THE_FIRST_TEXT = {"markdown_it", "pygments"}
"""What is loaded by the thread that lays out a transcript, and not before."""
READS = ("explorer/stores/sqlite/read_only.py", "explorer/stores/sqlite/failures.py")
CREATES = ("explorer/stores/sqlite/new_file.py",)
OUR_OWN = ("explorer/stores/ours/own_file.py", "explorer/stores/deleted_session.py")
"""Files that only we write, and what opens them."""
EDITS = ("explorer/stores/edits/connection.py",)
"""The only module that writes to an agent's file."""
SERVERS = "explorer/stores/postgres/"
PLAIN_FILES = (
    "explorer/stores/discover.py",
    "explorer/stores/hermes/settings_file.py",
    "explorer/stores/kept_census.py",
    "explorer/stores/hermes/routes_file.py",
    "explorer/stores/edits/copy_to_trash.py",
    "explorer/stores/edits/refusals.py",
    "explorer/stores/sqlite/leases.py",
    "explorer/stores/sqlite/new_file.py",
    "explorer/stores/ours/privacy_key.py",
    "explorer/stores/ours/trash.py",
    "explorer/stores/hermes/transcript_files/hostile_files.py",
)
"""Who opens files that are no databases: transcripts and settings beside one, a lock and a key of
ours, what we counted, mount points, processes."""


def _sources() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted((ROOT / "explorer").rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


SOURCES = dict(_sources())


def _imports(tree: ast.Module) -> Iterator[str]:
    """The full name of everything imported, at the top or late."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (_full(node.module or "", alias.name) for alias in node.names)


def _full(module: str, name: str) -> str:
    """`from explorer.stores import cells` is about the module, `import Kind` about its home."""
    inner = ROOT / module.replace(".", "/") / name
    is_module = inner.is_dir() or inner.with_name(f"{name}.py").exists()
    return f"{module}.{name}" if is_module else module


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)


def _users(package: str) -> set[str]:
    """The files that import a package or anything in it."""
    return {
        file
        for file, tree in SOURCES.items()
        if any(name == package or name.startswith(f"{package}.") for name in _imports(tree))
    }


def test_the_sources_are_found() -> None:
    assert len(SOURCES) > 50
    assert "sqlite3" in set(_imports(SOURCES["explorer/stores/sqlite/read_only.py"]))


def test_the_app_is_started_from_one_place() -> None:
    assert [file for file in _users("explorer.tui") if not _matches(file, MAY_START_THE_APP)] == []


def test_a_class_name_means_one_thing() -> None:
    homes: dict[str, list[str]] = {}
    for file, tree in SOURCES.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(file)
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


def _connects(tree: ast.AST) -> bool:
    return "sqlite3.connect(" in ast.unparse(tree)


def test_nothing_of_one_system_alone_is_needed_to_start() -> None:
    alone = {"fcntl", "msvcrt", "pwd", "resource", "termios", "tty"}
    for file, tree in SOURCES.items():
        at_the_top = ast.Module([one for one in tree.body if _is_import(one)], [])
        assert alone.isdisjoint(_imports(at_the_top)), file


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def test_databases_are_opened_in_few_places() -> None:
    opening = {file for file, tree in SOURCES.items() if _connects(tree)}
    assert opening == {*READS, *CREATES, *OUR_OWN, *EDITS}
    # The function is never imported under another name.
    for tree in SOURCES.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module == "sqlite3":
                assert "connect" not in [alias.name for alias in node.names]


@pytest.mark.parametrize("file", READS)
def test_what_is_not_ours_is_opened_read_only(file: str) -> None:
    functions = [node for node in ast.walk(SOURCES[file]) if isinstance(node, ast.FunctionDef)]
    opening = [ast.unparse(function) for function in functions if _connects(function)]
    assert opening
    assert all("read_only_address(" in function for function in opening)


def test_a_read_only_address_says_so() -> None:
    assert read_only_address(Path("state.db")).endswith("/state.db?mode=ro")


def test_a_server_is_connected_to_in_one_place() -> None:
    assert _users("psycopg")
    assert [one for one in _users("psycopg") if not one.startswith(SERVERS)] == []
    connecting = {
        file
        for file, tree in SOURCES.items()
        if file.startswith(SERVERS) and "Session.connect(" in ast.unparse(tree)
    }
    assert connecting == {f"{SERVERS}session.py"}
    begins = ast.unparse(SOURCES[f"{SERVERS}connection.py"])
    assert begins.count("BEGIN") == begins.count("REPEATABLE READ, READ ONLY") == 1


def test_one_place_writes_what_is_not_ours() -> None:
    writing = {file for file, tree in SOURCES.items() if "_connected('rw')" in ast.unparse(tree)}
    assert writing == set(EDITS)
    (source,) = (ast.unparse(SOURCES[file]) for file in EDITS)
    assert "foreign_keys=ON" in source
    assert "wal_autocheckpoint=0" in source


def test_the_database_is_never_opened_as_a_plain_file() -> None:
    """Closing a plain handle would drop the locks that SQLite holds for this process."""
    for file, tree in SOURCES.items():
        if file.startswith("explorer/stores/") and file not in (*CREATES, *PLAIN_FILES):
            for node in ast.walk(tree):
                if isinstance(node, ast.Call):
                    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                    assert name not in ("open", "read_bytes", "read_text"), file


_LOADED = """
import json, sys
from explorer.cli import main
code = main(sys.argv[1:])
print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)
"""


@pytest.mark.parametrize("arguments", [["list"], ["show", "s"], ["search", "hello"], ["info"]])
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_headless_commands_load_nothing_heavy(
    arguments: list[str], form: list[str], tmp_path: Path
) -> None:
    path = one_session(tmp_path / "state.db", title="Greeting")
    done = subprocess.run(
        [sys.executable, "-c", _LOADED, *arguments, *form, "--db", str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    code, loaded = json.loads(done.stderr.splitlines()[-1])
    assert code == 0
    heavy = {"textual", "rich", "asyncio", "dataclasses", "platformdirs", "rapidfuzz", "yaml"}
    heavy |= {"random", "shutil", "subprocess", "explorer.arguments.examples", "psycopg"}
    if arguments == ["list"]:
        heavy |= {"unicodedata", "copy", "explorer.stores.hermes.search"}
    assert (heavy | WITH_THE_FIRST_TEXT) & set(loaded) == set()
    unwanted = ("explorer.tui", "explorer.stores.postgres")
    assert [name for name in loaded if name.startswith(unwanted)] == []


def test_the_app_starts_without_what_only_a_text_needs() -> None:
    code = "import json, sys, explorer.tui.app; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert (WITH_THE_FIRST_TEXT | {"psycopg"}) & set(json.loads(done.stdout)) == set()
