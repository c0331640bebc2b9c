"""Opening the state file before Textual is imported.

The first page takes a few milliseconds and Textual a few hundred, so the rows are there when the
first frame is painted. In a thread, since a cold disk or a busy file must not keep that frame
waiting. No import of Textual here.
"""

import threading
import time
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, NamedTuple

from explorer.cancel import CancelToken
from explorer.errors import Cancelled, ExplorerError, Problem, StoreError
from explorer.model import Session, Sort
from explorer.render import veil
from explorer.settings import AUTO, COMFORTABLE, COMPACT, THEMES, Config
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.discover import FoundStore
from explorer.stores.newcomers import Newcomers
from explorer.stores.open_found import every_set, notes_on, open_found, take_in
from explorer.stores.ours.notes import Notes
from explorer.stores.sqlite.read_only import FileState

if TYPE_CHECKING:
    from explorer.browse.arrangement import Arranged

SHORT = 30
"""Below this many lines of the terminal a session takes one line, else two."""
SORT_CHOICE = "sort"
"""The name under which our notes keep the order of a list; a second word turns it round."""
REVERSED = "reversed"
THEME_CHOICE, DENSITY_CHOICE = "theme", "density"
"""The names under which our notes keep the looks, of all files together."""
SEARCHES_CHOICE = "searches"
"""The name under which our notes keep earlier searches, a line each."""
HELD = 1.0
"""Seconds after a try that failed for a lock within which the next one comes."""
HEAD_START = 0.06
"""Seconds to wait for the first page; a warm file needs a quarter of it."""


class Intent(StrEnum):
    """What enter does in the list."""

    READ = "read"
    PICK = "pick"
    PRINT = "print"


class Look(NamedTuple):
    """How the app looks at the start."""

    theme: str = ""
    """Empty where neither a setting nor an earlier choice says so: then the terminal decides."""
    density: str = AUTO
    """Lines that a row takes: one, two, or by the height of the terminal."""
    light: bool = False
    """The terminal's background is light."""


def look_of(config: Config, notes: Notes | None) -> Look:
    """What the settings say, else what was chosen last."""
    theme, density = config.theme, config.density
    if notes is not None and not (theme and density):
        try:
            theme = theme or notes.choice(THEME_CHOICE) or ""
            density = density or notes.choice(DENSITY_CHOICE) or AUTO
        except ExplorerError:
            # The file says so itself, where it keeps pins.
            pass
    known = density in (COMFORTABLE, COMPACT)
    return Look(theme if theme in THEMES else "", density if known else AUTO)


class Remembered(NamedTuple):
    """What our own notes say of a store."""

    pins: frozenset[str] = frozenset()
    sort: Sort = Sort.ACTIVE
    reverse: bool = False
    searches: tuple[str, ...] = ()
    """What was searched for, the newest last."""


class Survey(NamedTuple):
    """What there is in a store."""

    catalog: Catalog
    seconds: float
    """How long it took to find out."""

    @classmethod
    def of(cls, store: Store, token: CancelToken) -> "Survey":
        begun = time.monotonic()
        return cls(store.catalog(token), time.monotonic() - begun)


class Opened(NamedTuple):
    """A store and its first rows, in the order that is remembered for it."""

    store: Store
    rows: tuple[Session, ...]
    pinned: int = 0
    """How many of them, at the top, are pinned."""
    remembered: Remembered = Remembered()
    trouble: str = ""
    """Why our own notes could not be read, if so."""
    seen: FileState | None = None
    """The file as it was before the rows were read: what changes from then on is not in them."""
    survey: Survey | None = None
    arranged: "Arranged | None" = None
    """The whole list, where its order could not be told from less than that."""


class Opening:
    """An attempt to open a file, under way or at its end."""

    def __init__(
        self,
        path: Path,
        now: float,
        demo: str = "",
        prepare: Callable[[], None] | None = None,
        notes: Path | None = None,
        trash: Path | None = None,
        because: str = "",
        density: str = AUTO,
        found: Sequence[FoundStore] = (),
        newcomers: Newcomers | None = None,
    ) -> None:
        """`demo` says why this is the demo, if it is; `prepare` makes the file first; `notes` is
        our own file about sessions, `trash` the one that keeps what is deleted, `because` says why
        it is this file, should there be none, and `density` how many lines a row takes. Where
        several files were `found`, `path` is the first of them; `newcomers` looks for those that
        are made later."""
        self.trash = trash
        self._density = density
        self._because = because
        self.path = path
        self.found = tuple(found) or (FoundStore(path, asked=True, because=because),)
        self.demo = demo
        self._newcomers = newcomers
        self._notes_path = notes
        self.notes = notes_on(self.found, notes) if notes else None
        self._now = now
        self._prepare = prepare
        self._token = CancelToken()
        self.opened: Opened | None = None
        """What came of it; None while it is under way, and where it failed."""
        self._error: Exception | None = None
        self._waited = -HELD
        self._thread = threading.Thread(target=self._run, name="opening", daemon=True)
        self._thread.start()
        # A head start: beside the import it would get the interpreter every 5 ms only.
        self._thread.join(HEAD_START)

    @property
    def notes_path(self) -> Path | None:
        """Our own file about sessions."""
        return self._notes_path

    def notes_of(self, path: Path) -> Notes | None:
        """Our notes about the sessions of one file."""
        return Notes(self._notes_path, path) if self._notes_path is not None else None

    @property
    def ended(self) -> bool:
        return self.opened is not None or self._error is not None

    @property
    def busy(self) -> bool:
        """Another program holds the file, and something is being tried again, also long after
        the first page."""
        return time.monotonic() - self._waited < HELD

    def wait(self) -> Opened:
        """What came of it, however long it takes: for a worker thread. `StoreError` where it cannot
        be opened."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        if self.opened is None:
            raise Cancelled
        return self.opened

    def cancel(self) -> None:
        """The caller no longer waits for it: quitting must not."""
        self._token.cancel()

    def look_for_more(self) -> Sequence[FoundStore]:
        """Files that were made since, which belong to these: for a worker thread."""
        return self._newcomers.look(self.found) if self._newcomers is not None else ()

    @property
    def roots(self) -> Sequence[Path]:
        """The folders of which every profile is opened."""
        return self._newcomers.roots if self._newcomers is not None else ()

    def take_in(self, found: Sequence[FoundStore]) -> bool:
        """Have these listed with the others, from the next time that all is read; False where a
        single file was opened, which has to be opened again with them."""
        ours = self._notes_path, self.trash
        several = self.opened is not None and take_in(
            self.opened.store, self.notes, found, self._wait, *ours
        )
        if several:
            self.found = (*self.found, *found)
        return several

    def again(self, now: float, more: Sequence[FoundStore] = ()) -> "Opening":
        """Another attempt, with more files if they are given."""
        return Opening(
            self.path,
            now,
            self.demo,
            notes=self._notes_path,
            trash=self.trash,
            because=self._because,
            density=self._density,
            found=(*self.found, *more),
            newcomers=self._newcomers,
        )

    def _run(self) -> None:
        while not self.ended:
            try:
                self.opened = self._first_page()
            except StoreError as error:
                # Who looks at a locked file wants to see it, however long the lock is held.
                if error.problem is Problem.BUSY:
                    self._wait()
                else:
                    self._error = error
            except Cancelled:
                return
            except ExplorerError as error:
                self._error = StoreError(Problem.UNREADABLE, error.title, error.message)
            except Exception as error:
                # A bug: raised in the waiting thread, which would otherwise wait for ever.
                self._error = error

    def _first_page(self) -> Opened:
        if self._prepare:
            prepare, self._prepare = self._prepare, None
            prepare()
        self._find_sets()
        ours = self._notes_path, self.trash
        store = open_found(self.found, self._token, self._wait, *ours, hurried=True)
        seen = store.look()
        remembered, trouble = _remembered(self.notes)
        newest_first = remembered.sort in (Sort.ACTIVE, Sort.STARTED) and not remembered.reverse
        read = self._newest if newest_first else self._arranged
        return read(store, remembered)._replace(trouble=trouble, seen=seen)

    def _find_sets(self) -> None:
        """Ask the servers among them what they have: each set of tables is one."""
        found = tuple(every_set(self.found, self._token, self._wait))
        if found != self.found:
            self.found, self.path = found, found[0].path
            self.notes = notes_on(found, self._notes_path) if self._notes_path else None

    def _newest(self, store: Store, remembered: Remembered) -> Opened:
        """A page of what is newest: milliseconds, however long the list is."""
        page = store.first_page(self._in_sight(), self._now, remembered.sort, self._token)
        first = store.pinned(remembered.pins, self._now, self._token)
        if remembered.sort is Sort.STARTED:
            first.sort(key=lambda row: row.started_at or 0.0, reverse=True)
        there = {row.key for row in first}
        rows = (*first, *(row for row in page if row.key not in there))
        return Opened(store, rows, len(first), remembered)

    def _arranged(self, store: Store, remembered: Remembered) -> Opened:
        """A page of any other order: all sessions must be looked at to know who is first."""
        # Late: beside the import of Textual, which most starts need not wait for.
        from explorer.browse.arrangement import Wish, arrange
        from explorer.browse.refresh import read_rows

        survey = Survey.of(store, self._token)
        wish = Wish(remembered.sort, remembered.reverse, pins=remembered.pins)
        made = arrange(store, survey.catalog, None, wish, self._now, self._token)
        page = made.order[: self._in_sight()]
        rows = read_rows(store, survey.catalog, page, {}, self._now, self._token)
        listed = tuple(rows[row] for row in page if row in rows)
        pinned = sum(row.key in made.pinned for row in listed)
        return Opened(store, listed, pinned, remembered, survey=survey, arranged=made)

    def _in_sight(self) -> int:
        """The rows that the first frame has room for."""
        lines = get_terminal_size().lines
        two = self._density == COMFORTABLE or (self._density == AUTO and lines >= SHORT)
        return max(lines // 2 + 1 if two else lines, 5)

    def _wait(self) -> None:
        self._waited = time.monotonic()


class Start(NamedTuple):
    """All that the app starts with."""

    opening: Opening
    clock: Callable[[], float]
    config: Config = Config()
    intent: Intent = Intent.READ
    looked: tuple[Path, ...] = ()
    """Where there was no state file, if that is why the demo is open."""
    look: Look = Look()
    choices: Notes | None = None
    """Keeps the looks that are chosen."""
    left: str = ""
    """What is there instead of the state file, in words."""


def _remembered(notes: Notes | None) -> tuple[Remembered, str]:
    """(what the notes say, why they cannot be read)."""
    if notes is None:
        return Remembered(), ""
    try:
        words = (notes.choice(SORT_CHOICE) or "").split()
        sort = next((sort for sort in Sort if sort.value in words), Sort.ACTIVE)
        # They may name anybody.
        kept = "" if veil.drawn() else notes.choice(SEARCHES_CHOICE)
        searches = (kept or "").splitlines()
        return Remembered(notes.pins(), sort, REVERSED in words, tuple(searches)), ""
    except ExplorerError as error:
        return Remembered(), error.message
