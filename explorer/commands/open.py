"""Open the app: on the user's own state file, or on the demo when there is none."""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.browse.first_read import Intent, Look, Opening, Start, look_of
from explorer.commands.output import note, write
from explorer.demo import DemoHome, write_demo, write_demo_home
from explorer.errors import ExitCode, ExplorerError, UsageError
from explorer.keys.keymap import read_keymap
from explorer.left_open import keep
from explorer.resume import Command, give_way
from explorer.settings import (
    config_path,
    load_config,
    notes_path,
    trash_path,
    unreadable,
)
from explorer.stores.discover import (
    FoundStore,
    current_folder,
    left_of,
    locate,
    usual_places,
)
from explorer.stores.hermes.left_behind import LeftBehind
from explorer.stores.newcomers import Newcomers
from explorer.stores.ours.notes import Notes
from explorer.stores.sqlite.failures import short_path
from explorer.tui import GIVE_BACK
from explorer.tui.terminal_background import BackgroundQuestion, BeforeApp, light_by
from explorer.tui.words import DEMO_STATE, without_file

if TYPE_CHECKING:
    from explorer.tui.app import ExplorerApp


def open_app(options: argparse.Namespace, now: float) -> int:
    if getattr(options, "write", None):
        return _write_demo(options.write, now)
    _check_terminal()
    intent = Intent.PICK if options.pick else Intent.PRINT if options.print_id else Intent.READ
    config = load_config(config_path())
    _, wrong = read_keymap(config.keys)
    if wrong:
        raise unreadable(config_path(), wrong)
    with tempfile.TemporaryDirectory(prefix="session-explorer-") as folder:
        found: list[FoundStore] = []
        left = LeftBehind()
        looked: list[Path] = []
        where = options.db, options.profile, os.environ, current_folder()
        if options.command != "demo":
            found = locate(*where)
            if left := left_of(found):
                found = []
            looked = [] if found else usual_places(os.environ, current_folder())
        choices = Notes(notes_path())
        look = look_of(config, choices)
        if not found:
            if options.private:
                _hide_people(Path(folder))
            newcomers = Newcomers.of(*where, made=True) if looked else None
            opening = _demo(Path(folder), now, looked, left, newcomers)
        else:
            opening = Opening(
                found[0].path,
                now,
                notes=notes_path(),
                trash=trash_path(),
                density=look.density,
                found=found,
                newcomers=Newcomers.of(*where),
            )
        kept = choices if found else None
        start = Start(opening, time.time, config, intent, tuple(looked), look, kept, left.counts)
        code, chosen = _run(start, mouse=not options.no_mouse)
    if isinstance(chosen, Command):
        give_way(chosen)
    elif chosen is not None:
        write(chosen)
    return code


def _hide_people(folder: Path) -> None:
    """The privacy view of the demo, which leaves nothing behind."""
    # Late: only this view needs it.
    from explorer.stores.private.view import turn_on

    turn_on(folder / "ours")


def _run(start: Start, mouse: bool) -> tuple[int, Command | str | None]:
    """(exit code, what was chosen): a command to run instead, or an id to print."""
    with _background(start.look) as asked:
        # Late: 300 ms that other commands need not pay, and in which the file is being read.
        from explorer.tui.app import ExplorerApp

        start, before = _answered(start, asked)
        app = ExplorerApp(start, before)
        with _terminal_as_output(), _terminal_given_back(app):
            chosen = app.run(mouse=mouse)
    if app.crash is not None:
        if start.opening.notes is not None:
            # If our own file can be written: the crash matters more.
            with suppress(ExplorerError):
                keep(start.opening.notes, app.left_open)
        raise app.crash
    return app.return_code or ExitCode.DONE, chosen


@contextmanager
def _background(look: Look) -> Iterator[BackgroundQuestion | None]:
    """The question what the terminal's background is, where nothing else says which theme fits."""
    asked = None
    if not look.theme and light_by(os.environ) is None:
        asked = BackgroundQuestion.ask(sys.stdin.fileno(), sys.stderr.fileno(), os.environ)
    try:
        yield asked
    finally:
        if asked is not None:
            asked.give_back()


def _answered(start: Start, asked: BackgroundQuestion | None) -> tuple[Start, BeforeApp]:
    """(the start with the look that fits, what the terminal was before)."""
    light, before = light_by(os.environ), BeforeApp()
    if asked is not None:
        light, typed = asked.reply()
        before = BeforeApp(asked.attributes, typed, awaiting=light is None)
    return start._replace(look=start.look._replace(light=bool(light))), before


@contextmanager
def _terminal_given_back(app: "ExplorerApp") -> Iterator[None]:
    """Restore the terminal after a crash, whatever the app managed to restore itself."""
    before = _attributes()
    clean = False
    try:
        yield
        clean = app.crash is None
    finally:
        if not clean and before is not None:
            import termios

            with suppress(OSError, termios.error):
                os.write(sys.stderr.fileno(), GIVE_BACK)
                termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, before)


def _attributes() -> list[Any] | None:
    """The input settings of the terminal; None where there are none."""
    try:
        import termios

        return termios.tcgetattr(sys.stdin.fileno())
    except (ImportError, OSError, termios.error):
        return None


@contextmanager
def _terminal_as_output() -> Iterator[None]:
    """If standard output is a file or a pipe, the app draws on the terminal instead, and the output
    is back afterwards for what was chosen."""
    if sys.stdout.isatty():
        yield
        return
    sys.stdout.flush()
    kept = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        yield
    finally:
        os.dup2(kept, sys.stdout.fileno())
        os.close(kept)


def _demo(
    folder: Path,
    now: float,
    looked: Sequence[Path],
    left: LeftBehind,
    newcomers: Newcomers | None,
) -> Opening:
    """The demo; `looked` is where there was no state file, if it was not asked for, `left` what
    there is instead, and `newcomers` notices the first one."""
    home = DemoHome.at(folder)

    def prepare() -> None:
        write_demo_home(folder, now)

    why = without_file(short_path(looked[0]), left.first) if looked else DEMO_STATE
    ours = folder / "ours"
    notes, trash = ours / "explorer.db", ours / "trash.db"
    return Opening(
        home.default,
        now,
        demo=why,
        prepare=prepare,
        notes=notes,
        trash=trash,
        found=home.found,
        newcomers=newcomers,
    )


def _write_demo(path: str, now: float) -> int:
    """As one file; in a folder, with its profiles."""
    if path.endswith(os.sep) or os.path.isdir(path):
        bot = write_demo_home(Path(path), now).bot
        note(f"Wrote {path}. To open it: session-explorer --db {path} --db {bot}")
    else:
        write_demo(Path(path), now)
        note(f"Wrote {path}. To open it: session-explorer --db {path}")
    return ExitCode.DONE


def _check_terminal() -> None:
    if not sys.stdin.isatty() or not sys.stderr.isatty():
        raise UsageError(
            "No terminal",
            "The app needs one. In a script, use list, show, search or info.",
        )
    if os.environ.get("TERM", "dumb") in ("dumb", ""):
        raise UsageError(
            "This terminal cannot draw",
            "TERM is empty or dumb. Use another terminal, or list, show and search.",
        )
