"""Why a state file cannot be read: from SQLite's error names to sentences with advice.

Only `os.stat` looks at the file besides SQLite: closing a plain handle on it would drop the locks
of this process.
"""

import os
import sqlite3
import stat
from pathlib import Path

from explorer.errors import Problem, ServerError, StoreError
from explorer.render.clean import clean_line

NEEDS_A_WRITABLE_FOLDER = {
    "SQLITE_CANTOPEN",
    "SQLITE_READONLY_DIRECTORY",
    "SQLITE_READONLY_CANTINIT",
    "SQLITE_READONLY",
}

MOST_TARGET = 200
"""Characters of where a link leads to."""
_BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")
_CHANGING = (
    "no such column",
    "no such table",
    "vtable constructor failed",
    "schema has changed",
)
"""What a reader sees of a migration, a dropped column or an index that is being rebuilt."""

ADVICE: dict[Problem, tuple[str, str]] = {
    Problem.MISSING: (
        "No such file",
        "There is no file at {path}.",
    ),
    Problem.NO_STATE_FILE: (
        "No state file here",
        "The folder {path} has no state.db and no power_loop_sessions.db. Open a file, or another"
        " folder, with --db PATH.",
    ),
    Problem.LOST: (
        "State file missing",
        "{path} is missing, but its folder has {detail}",
    ),
    Problem.BROKEN_LINK: (
        "Broken link",
        "{path} leads to {detail}, which is not there. Mount its disk, or correct the link. The"
        " sessions are listed again when it is back.",
    ),
    Problem.NO_PERMISSION: (
        "Permission denied",
        "You may not read {path}. Run as the user that runs the agent, or ask for read access to"
        " the file and its folder.",
    ),
    Problem.NOT_A_FILE: (
        "Not a regular file",
        "{path} is a folder, a device or a pipe. Nothing was changed. Move it away, or open another"
        " file with --db PATH.",
    ),
    Problem.NOT_A_DATABASE: (
        "Not a database",
        "{path} is not a SQLite file (bad header). Open the agent's state file, such as"
        " ~/.hermes/state.db, with --db PATH.",
    ),
    Problem.EMPTY: (
        "Empty file",
        "{path} is empty: the agent has not stored anything yet. Start a session with the agent,"
        " then try again.",
    ),
    Problem.ENCRYPTED: (
        "Encrypted, or not a database",
        "{path} is not a SQLite file (bad header). If it is encrypted, decrypt a copy and open"
        " that. If it comes from a backup, restore it again.",
    ),
    Problem.TRUNCATED: (
        "The file is truncated",
        "{path} is truncated (smaller than its header says), often by an interrupted copy or a full"
        " disk. Nothing was changed. Copy it again, or restore a backup.",
    ),
    Problem.CORRUPT: (
        "The file is damaged",
        "SQLite reports that {path} is malformed, so lists may be wrong or incomplete. Nothing was"
        " changed. Stop the agent, then run `hermes doctor` or `hermes sessions repair"
        " --check-only`. Never delete the -wal or -shm file next to it.",
    ),
    Problem.BUSY: (
        "The file is busy",
        "{path} is still locked by another program. Try again in a moment.",
    ),
    Problem.NOT_A_STORE: (
        "Not a state file",
        "{path} is a SQLite file, but it has no session tables of Hermes or power-loop. Open"
        " another file with --db PATH.",
    ),
    Problem.READ_ONLY_FOLDER: (
        "Cannot read the newest messages",
        "The folder of {path} is read-only. The newest messages are in the -wal file next to it,"
        " and SQLite reads that only in a writable folder. Copy both files together to a folder of"
        " your own, then open the copy.",
    ),
    Problem.UNRECOVERED: (
        "The agent must recover the file",
        "{path} was left in the middle of a write. Nothing was changed. Start the agent once so"
        " that it recovers the file, then try again.",
    ),
    Problem.UNREADABLE: (
        "Cannot read the file",
        "Reading {path} failed: {detail}. Nothing was changed. Check the disk.",
    ),
}

_DISAGREES = (
    "The session table and its indexes disagree, so lists and counts may be wrong. Nothing was"
    " changed. Stop the agent, then run `hermes{profile} sessions repair --check-only`."
)


def disagrees(profile: str | None = None) -> str:
    """About a damaged file that can still be read, and is of this profile if its place tells."""
    return _DISAGREES.format(profile=profile_option(profile))


def profile_option(profile: str | None) -> str:
    """What `hermes` needs on its command line to use the file of this profile."""
    if profile is None or profile == "default":
        return ""
    import shlex  # late: only advice is quoted for a shell, and every command imports this module

    return f" -p {shlex.quote(profile)}"


_OF_ANOTHER = (
    "There is a -wal file next to it. If you copied or restored the file, that log may belong to"
    " another file: copy or restore both together."
)


def store_error(problem: Problem, path: Path, detail: str = "") -> StoreError:
    title, message = ADVICE[problem]
    return StoreError(problem, title, message.format(path=short_path(path), detail=detail))


_NOT_OPENABLE = {
    Problem.NOT_A_DATABASE: "not a SQLite file (bad header)",
    Problem.NOT_A_STORE: "a SQLite file, but without session tables of Hermes or power-loop",
}
_BELOW_ITS_TITLE = {
    Problem.NOT_A_DATABASE: "The file has no SQLite header",
    Problem.NOT_A_STORE: "The file has no session tables of Hermes or power-loop",
}
"""The same where the title was said just before, and the file is named elsewhere."""
_PUT_BACK = "Restore it from a backup, or move it away."


def to_put_back(error: StoreError, path: Path | None = None) -> StoreError:
    """The error of a file that is known to be an agent's: what to do is not to open another one.
    `path` where nothing else names the file."""
    what = _NOT_OPENABLE.get(error.problem)
    if what is None or isinstance(error, ServerError) or _PUT_BACK in error.message:
        return error
    named = "" if path is None else f"{short_path(path)} is {what}"
    return error.instead(f"{named or _BELOW_ITS_TITLE[error.problem]}. {_PUT_BACK}")


_OF_A_COPY = {
    Problem.EMPTY: "is empty (0 bytes)",
    Problem.TRUNCATED: "is truncated (smaller than its header says)",
    Problem.CORRUPT: "is malformed",
    Problem.ENCRYPTED: f"is {_NOT_OPENABLE[Problem.NOT_A_DATABASE]}",
    **{problem: f"is {what}" for problem, what in _NOT_OPENABLE.items()},
}


def of_a_copy(error: StoreError, path: Path) -> StoreError:
    """The error of a snapshot: no agent writes it, so that nothing but another copy helps."""
    what = _OF_A_COPY.get(error.problem)
    if what is None:
        return error
    return error.instead(f"{short_path(path)} {what}. Use another snapshot, or a backup.")


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
        link = broken_link(path)
        if link is not None:
            target = clean_line(os.readlink(link), MOST_TARGET)
            raise store_error(Problem.BROKEN_LINK, link, target) from None
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


def broken_link(path: Path) -> Path | None:
    """The link on the way to a file that leads nowhere, as to a disk that is not mounted."""
    return next((one for one in (path, *path.parents) if is_broken_link(one)), None)


def is_broken_link(path: Path | str) -> bool:
    return os.path.islink(path) and not os.path.exists(path)


def read_only_address(path: Path, immutable: bool = False) -> str:
    """The URI that opens a file that is not ours; the name may hold anything, also a `?`. An
    `immutable` one is read as a file that no process can write."""
    # Not Path.resolve, which takes three times as long.
    resolved = Path(os.path.realpath(path))
    check_beside(resolved)
    return resolved.as_uri() + "?mode=ro" + ("&immutable=1" if immutable else "")


def check_beside(path: Path) -> None:
    """Refuse a log or journal that is not a regular file: SQLite would wait forever for a pipe."""
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
    return f"{os.path.realpath(path)}-wal"


def size_of(name: str) -> int:
    """Bytes in a file; 0 where there is none."""
    try:
        return os.stat(name).st_size
    except OSError:
        return 0


def log_is_empty(path: Path) -> bool:
    """Whether no log or journal holds anything, so that the file alone is complete."""
    waiting = log_size(path) or size_of(f"{path.resolve()}-journal")
    return not waiting and os.access(path, os.R_OK)


def busy(error: sqlite3.Error) -> bool:
    return error_name(error).startswith(_BUSY)


def is_passing(error: sqlite3.Error) -> bool:
    """Whether waiting a little may help: a lock, a checkpoint, a migration under way."""
    name = error_name(error)
    passing = busy(error) or name == "SQLITE_SCHEMA" or name.startswith("SQLITE_IOERR")
    return passing or any(sign in str(error) for sign in _CHANGING)


def explain(
    error: sqlite3.Error | UnicodeDecodeError, path: Path, finished: bool = False
) -> StoreError:
    """The words for this error; an unknown one keeps SQLite's own. Where those quote a name that is
    not valid text, Python cannot decode them: the schema is damaged. A `finished` copy is not
    opened in a way that makes files beside it."""
    problem = _problem(error, path, finished)
    explained = store_error(problem, path, str(error))
    damaged = problem in (Problem.CORRUPT, Problem.TRUNCATED)
    return explained.also(_OF_ANOTHER) if damaged and log_size(path) else explained


def _problem(error: sqlite3.Error | UnicodeDecodeError, path: Path, finished: bool) -> Problem:
    if isinstance(error, UnicodeDecodeError):
        return Problem.CORRUPT
    name = error_name(error)
    if busy(error):
        return Problem.BUSY
    if name == "SQLITE_NOTADB":
        # An encrypted database still has whole pages; other files rarely do.
        pages, rest = divmod(os.stat(path).st_size, 512)
        return Problem.ENCRYPTED if pages and not rest else Problem.NOT_A_DATABASE
    if name.startswith("SQLITE_CORRUPT"):
        return Problem.TRUNCATED if not _header_reads(path, finished) else Problem.CORRUPT
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


def _header_reads(path: Path, finished: bool) -> bool:
    """Whether page one is consistent; in a truncated file it is not."""
    address = read_only_address(path, immutable=finished)
    connection = sqlite3.connect(address, uri=True, isolation_level=None)
    try:
        connection.execute("PRAGMA schema_version").close()
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return False
    finally:
        connection.close()
    return True


def error_name(error: sqlite3.Error) -> str:
    """SQLite's name for the error; empty where Python raised it."""
    return str(getattr(error, "sqlite_errorname", None) or "")
