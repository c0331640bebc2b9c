"""Open the app: on the user's own state file, or on the demo when there is none."""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from explorer.errors import ExitCode, UsageError
from explorer.paths import locate
from explorer.tui.opening import Opening

WITHOUT_FILE = "demo: no state file found"


def open_app(options: argparse.Namespace, now: float) -> int:
    if getattr(options, "write", None):
        return _write_demo(Path(options.write), now)
    _check_terminal()
    with tempfile.TemporaryDirectory(prefix="session-explorer-") as folder:
        place = None
        if options.command != "demo":
            place = locate(options.db, options.profile, os.environ, Path.cwd())
        if place is None:
            opening = _demo(Path(folder), now, options.command == "demo")
        else:
            opening = Opening(place.path, now)
        return _run(opening, now, mouse=not options.no_mouse)


def _run(opening: Opening, now: float, mouse: bool) -> int:
    # Twice the default: results are painted as soon as they are there.
    os.environ.setdefault("TEXTUAL_FPS", "120")
    # Late: 300 ms that headless commands need not pay, and that the opening uses.
    from explorer.tui.app import ExplorerApp

    app = ExplorerApp(opening, now)
    app.run(mouse=mouse)
    return app.return_code or int(ExitCode.DONE)


def _demo(folder: Path, now: float, asked: bool) -> Opening:
    path = folder / "state.db"

    def prepare() -> None:
        from explorer.demo import write_demo

        write_demo(path, now)

    return Opening(path, now, demo="demo" if asked else WITHOUT_FILE, prepare=prepare)


def _write_demo(path: Path, now: float) -> int:
    from explorer.commands.output import note
    from explorer.demo import write_demo

    write_demo(path, now)
    note(f"Wrote {path}. Open it with: session-explorer --db {path}")
    return int(ExitCode.DONE)


def _check_terminal() -> None:
    if not sys.stdin.isatty() or not sys.stderr.isatty():
        raise UsageError(
            "No terminal",
            "The app needs one to draw on. In a script use list, show, search or info.",
        )
    if os.environ.get("TERM", "dumb") in ("dumb", ""):
        raise UsageError(
            "This terminal cannot draw",
            "TERM is dumb or empty. Use another terminal, or the commands list, show and search.",
        )
