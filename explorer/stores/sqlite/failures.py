"""Why a state file cannot be read: from SQLite's error names to sentences with advice.

Only `os.stat` looks at the file besides SQLite: closing a plain handle on it would drop the locks
of this process.
"""

import os
import sqlite3
import stat
from pathlib import Path

from explorer.errors import Problem, StoreError

NEEDS_A_WRITABLE_FOLDER = {
    "SQLITE_CANTOPEN",
    "SQLITE_READONLY_DIRECTORY",
    "SQLITE_READONLY_CANTINIT",
    "SQLITE_READONLY",
}

_BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")
_CHANGING = (
    "no such column",
    "no such table",
    "vtable constructor failed",
    "schema has changed",
)
"""What a migration, a dropped column or a rebuilt index looks like from beside it."""

_ADVICE: dict[Problem, tuple[str, str]] = {
    Problem.MISSING: (
        "No such file",
        "There is nothing at {path}. Check the path, or leave it out to open the agent's own"
        " state file.",
    ),
    Problem.NO_STATE_FILE: (
        "No state file here",
        "The folder {path} holds neither state.db nor power_loop_sessions.db. Name the file"
        " itself with --db, or another folder.",
    ),
    Problem.NO_PERMISSION: (
        "No permission",
        "{path} may not be read by this user. Run as the user the agent runs as, or ask for"
        " permission to read the file and its folder.",
    ),
    Problem.NOT_A_FILE: (
        "Not a file",
        "{path} is a folder, a device or a pipe, where an agent keeps a plain file. Move it away,"
        " or open another file with --db; nothing was changed.",
    ),
    Problem.NOT_A_DATABASE: (
        "Not a database",
        "{path} is not an SQLite file. The agent keeps its sessions in a file named state.db.",
    ),
    Problem.EMPTY: (
        "An empty file",
        "{path} has no content: the agent has not stored anything there yet. Talk to it once,"
        " then open the file again.",
    ),
    Problem.ENCRYPTED: (
        "Encrypted, or not a database",
        "{path} does not begin as an SQLite file does. If it is encrypted, decrypt a copy and"
        " open that; if it was restored from a backup, restore it again.",
    ),
    Problem.TRUNCATED: (
        "The file was cut short",
        "{path} is smaller than it says of itself, as after an interrupted copy or a full disk."
        " Copy it again, or restore it from a backup; nothing was changed.",
    ),
    Problem.CORRUPT: (
        "The file is damaged",
        "SQLite finds {path} malformed, so what is listed could be wrong or incomplete. Nothing"
        " was changed. Stop the agent and try `hermes doctor` or `hermes sessions repair"
        " --check-only`; never delete the -wal or -shm file beside it.",
    ),
    Problem.BUSY: (
        "The file is busy",
        "Another program has kept {path} locked for too long. Try again in a moment.",
    ),
    Problem.NOT_A_STORE: (
        "Not a session store",
        "{path} is an SQLite file, but it has no tables of sessions and messages that Hermes or"
        " power-loop would make.",
    ),
    Problem.READ_ONLY_FOLDER: (
        "Its newest messages cannot be reached",
        "The folder of {path} is read-only, and the -wal file beside it holds messages that"
        " SQLite can only read where it may write. Copy both files, together, to a folder of"
        " your own and open the copy.",
    ),
    Problem.UNRECOVERED: (
        "The agent must finish first",
        "{path} was left in the middle of a write. Start the agent once so that it can recover"
        " its own file, then open it again; nothing was changed.",
    ),
    Problem.UNREADABLE: (
        "The file cannot be read",
        "{path} gave an error: {detail}. Check the disk it lies on; nothing was changed.",
    ),
}

DISAGREES = (
    "The table of sessions and its indices hold different sessions, so lists and counts may be"
    " wrong. Nothing was changed. Stop the agent and run `hermes sessions repair --check-only`."
)
"""What is said of a damaged file that can still be read."""
_OF_ANOTHER = (
    "A -wal file lies beside it. If the file was copied or restored, that may be the log of another"
    " file: copy or restore both together."
)


def store_error(problem: Problem, path: Path, detail: str = "") -> StoreError:
    title, message = _ADVICE[problem]
    return StoreError(problem, title, message.format(path=short_path(path), detail=detail))


def short_path(path: Path) -> str:
    """The path as people write it, with ~ for their home."""
    home = os.path.expanduser("~")
    text = str(path)
    inside = home not in ("", "/", "~") and text.startswith(home + os.sep)
    return "~" + text[len(home) :] if inside else text


def check_file(path: Path) -> os.stat_result:
    """Refuse what SQLite would hang on, create or misread: pipes, folders, empty files."""
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        raise store_error(Problem.MISSING, path) from None
    except PermissionError:
        raise store_error(Problem.NO_PERMISSION, path) from None
    except (OSError, ValueError) as error:
        raise store_error(Problem.UNREADABLE, path, str(error)) from None
    if stat.S_ISDIR(found.st_mode):
        raise store_error(Problem.NO_STATE_FILE, path)
    if not stat.S_ISREG(found.st_mode):
        raise store_error(Problem.NOT_A_FILE, path)
    if found.st_size == 0 and not log_size(path):
        raise store_error(Problem.EMPTY, path)
    return found


def read_only_address(path: Path) -> str:
    """What SQLite is given to open a file that is not ours; any name will do, also one with `?`."""
    resolved = path.resolve()
    check_beside(resolved)
    return resolved.as_uri() + "?mode=ro"


def check_beside(path: Path) -> None:
    """Refuse a log or journal that is no file: SQLite would wait for ever for a pipe to answer."""
    for ending in ("-wal", "-journal", "-shm"):
        beside = f"{path}{ending}"
        try:
            found = os.stat(beside)
        except OSError:
            continue
        if not stat.S_ISREG(found.st_mode):
            raise store_error(Problem.NOT_A_FILE, Path(beside))


def log_size(path: Path) -> int:
    """Bytes in the write-ahead log beside the file."""
    return size_of(log_path(path))


def log_path(path: Path) -> str:
    """Where SQLite keeps the log: beside the file itself, not beside a link to it."""
    return f"{path.resolve()}-wal"


def size_of(name: str) -> int:
    """Bytes in a file; none where there is none."""
    try:
        return os.stat(name).st_size
    except OSError:
        return 0


def log_at_rest(path: Path) -> bool:
    """True when nothing waits in a log or journal, so that the file alone is the whole truth."""
    waiting = log_size(path) or size_of(f"{path.resolve()}-journal")
    return not waiting and os.access(path, os.R_OK)


def busy(error: sqlite3.Error) -> bool:
    return error_name(error).startswith(_BUSY)


def is_passing(error: sqlite3.Error) -> bool:
    """Whether waiting a little may help: a lock, a checkpoint, a migration under way."""
    name = error_name(error)
    passing = busy(error) or name == "SQLITE_SCHEMA" or name.startswith("SQLITE_IOERR")
    return passing or any(sign in str(error) for sign in _CHANGING)


def explain(error: sqlite3.Error | UnicodeDecodeError, path: Path) -> StoreError:
    """The one sentence for this error; what is not known is said in SQLite's own words. Where those
    quote a name that is no text, Python cannot even hold them: the schema is damaged."""
    problem = _problem(error, path)
    told = store_error(problem, path, str(error))
    damaged = problem in (Problem.CORRUPT, Problem.TRUNCATED)
    return told.also(_OF_ANOTHER) if damaged and log_size(path) else told


def _problem(error: sqlite3.Error | UnicodeDecodeError, path: Path) -> Problem:
    if isinstance(error, UnicodeDecodeError):
        return Problem.CORRUPT
    name = error_name(error)
    if busy(error):
        return Problem.BUSY
    if name == "SQLITE_NOTADB":
        # An encrypted database still is whole pages long; other files hardly ever are.
        pages, rest = divmod(os.stat(path).st_size, 512)
        return Problem.ENCRYPTED if pages and not rest else Problem.NOT_A_DATABASE
    if name.startswith("SQLITE_CORRUPT"):
        return Problem.TRUNCATED if not _header_reads(path) else Problem.CORRUPT
    if name == "SQLITE_IOERR_SHORT_READ":
        return Problem.TRUNCATED
    if name == "SQLITE_READONLY_ROLLBACK":
        return Problem.UNRECOVERED
    if name in NEEDS_A_WRITABLE_FOLDER:
        readable = os.access(path, os.R_OK)
        return Problem.READ_ONLY_FOLDER if readable and log_size(path) else Problem.NO_PERMISSION
    if name in ("SQLITE_PERM", "SQLITE_AUTH"):
        return Problem.NO_PERMISSION
    return Problem.UNREADABLE


def _header_reads(path: Path) -> bool:
    """Whether page one is consistent; SQLite refuses even that of a file that lost its end."""
    connection = sqlite3.connect(read_only_address(path), uri=True, isolation_level=None)
    try:
        connection.execute("PRAGMA schema_version").close()
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return False
    finally:
        connection.close()
    return True


def error_name(error: sqlite3.Error) -> str:
    """SQLite's name for the error, or nothing where Python raised it."""
    return str(getattr(error, "sqlite_errorname", None) or "")
