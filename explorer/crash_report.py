"""The report that a crash leaves behind: about our code, not about what is read.

It holds neither the message of an error nor any variable, since both may hold private text: only
the kind of error, the files and lines, and the versions.
"""

import linecache
import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from explorer import __version__

KEPT = 10
"""Reports that are kept, the newest."""
FRAMES = 60
"""Calls of an error that are named, the innermost."""
CHAIN = 5
"""Errors that led to one another."""


def write_report(error: BaseException, folder: Path, command: str, now: float) -> Path | None:
    """The report, private and complete; None where it cannot be written."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
    path = folder / f"crash-{stamp}-{os.getpid()}.txt"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with open(os.open(path, flags, 0o600), "w", encoding="utf-8", errors="replace") as file:
            file.write(report(error, command, now))
        for old in sorted(folder.glob("crash-*.txt"))[:-KEPT]:
            old.unlink()
    except OSError:
        return path if path.exists() else None
    return path


def report(error: BaseException, command: str, now: float) -> str:
    """What is known about a crash, without any stored text."""
    lines = [
        f"Session Explorer {__version__} crashed.",
        f"When: {time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(now))} UTC",
        f"Command: {command}",
        *_versions(),
        "",
    ]
    for one in _chain(error):
        lines += [*_calls(one.__traceback__), _kind(one), ""]
    return "\n".join(lines)


def _versions() -> Iterator[str]:
    import importlib.metadata
    import platform

    yield f"Python {platform.python_version()} on {platform.system()} {platform.release()}"
    # Only if it is loaded: a crash is no time to load it.
    yield f"SQLite {getattr(sys.modules.get('sqlite3'), 'sqlite_version', 'not loaded')}"
    for name in ("textual", "rich"):
        with suppress(importlib.metadata.PackageNotFoundError):
            yield f"{name} {importlib.metadata.version(name)}"
    yield f"TERM {os.environ.get('TERM', '')[:40]!r}"


def _chain(error: BaseException) -> list[BaseException]:
    """An error and those that led to it, the first one first."""
    chain: list[BaseException] = []
    here: BaseException | None = error
    while here is not None and len(chain) < CHAIN and here not in chain:
        chain.append(here)
        here = here.__cause__ or (None if here.__suppress_context__ else here.__context__)
    return chain[::-1]


def _kind(error: BaseException) -> str:
    kind = type(error)
    number = getattr(error, "errno", None)
    code = f" (errno {number})" if isinstance(number, int) else ""
    return f"{kind.__module__}.{kind.__qualname__}{code}"


def _calls(trace: TracebackType | None) -> list[str]:
    lines: list[str] = []
    while trace is not None:
        code = trace.tb_frame.f_code
        lines.append(f"  {_short(code.co_filename)}:{trace.tb_lineno} in {code.co_qualname}")
        source = linecache.getline(code.co_filename, trace.tb_lineno).strip()
        if source:
            lines.append(f"    {source}")
        trace = trace.tb_next
    return lines[-2 * FRAMES :]


def _short(name: str) -> str:
    """A file below the package or the library it is of, without the folders of a user."""
    for root in ("site-packages", "explorer", "lib"):
        _, found, rest = name.rpartition(f"{os.sep}{root}{os.sep}")
        if found:
            return rest if root == "site-packages" else f"{root}{os.sep}{rest}"
    return os.path.basename(name)
