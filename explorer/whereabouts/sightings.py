"""What a search for a lost session tells: each place that it looks into, each session that it finds
there, and all that it did not look into.

Text in these values is as it was stored, never cleaned: callers do that before they show it.
"""

from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from explorer.errors import ExitCode
from explorer.model import whose
from explorer.stores.hermes.store import profile_of
from explorer.stores.ours.trash_records import Entry


class PlaceKind(StrEnum):
    """What kind of place a session may be in."""

    PROFILE = "profile"
    CHATS = "chats"
    TRASH = "trash"
    FILES = "files"
    SNAPSHOT = "snapshot"


class Place(NamedTuple):
    """One place that is looked into."""

    kind: PlaceKind
    name: str
    """Of the profile, or of the state file, that it belongs to."""
    path: Path
    """The state file, our trash, the folder of files, or the copy."""
    made: float | None = None
    """When a snapshot was made."""
    store: Path | None = None
    """The state file that it belongs to, if it is not that itself."""

    @property
    def state_file(self) -> Path:
        return self.store or self.path


class Reason(StrEnum):
    """Why a list does not show what was found; a class that is hidden stands for itself."""

    OTHER_PROFILE = "other_profile"
    FILTERED = "filtered"
    FOLDED = "folded"
    """It is an earlier part of its conversation."""
    REWOUND = "rewound"
    RENAMED = "renamed"
    """It had a title with the words, and has another one now."""
    NO_SESSION = "no_session"
    """Messages are left, but their session is gone."""
    DELETED = "trash"
    CLEARED = "cleared"
    """Only its messages were deleted."""
    SNAPSHOT = "snapshot"
    FILE = "file"
    GONE = "gone"
    """A chat leads to it, and no state file has it."""
    LOST = "lost"
    """A chat leads to it, and the state file of the chat is missing or cannot be read."""
    NOT_THE_WORDS = "not_the_words"
    """The state file has the session, but not with these words."""


class Sighting(NamedTuple):
    """A session that was found, in one place."""

    place: Place
    id: str
    title: str | None
    words: str
    """Its first words, where they are known; what it is called without a title."""
    last_active: float | None
    source: str
    reasons: tuple[str, ...]
    """Why it is not listed: classes of `Hidden`, and `Reason`s; none where it is listed."""
    field: str
    """Where the text is: `id`, `title`, `earlier title`, or a field of a message."""
    snippet: str
    marks: tuple[tuple[int, int], ...] = ()
    messages: int = 0
    """Messages with the text."""
    key: int | None = None
    """Of the session in its state file."""
    receipt: int | None = None
    """The change in the trash that restores it."""
    entry: int | None = None
    after: Entry | None = None
    """Of cleared messages: their session, where it was deleted later. It is restored first."""
    until: float | None = None
    """When the trash may let go of it."""
    path: Path | None = None
    """The file it is in, for one beside a state file."""
    shows: bool = False
    """Of such a file: it is read as the transcript of its session."""
    part: tuple[int, int] = (1, 1)
    """Which part of how many parts of its conversation."""
    names_profile: str | None = None
    """The profile that it belongs to by its own words; else it is that of the state file."""

    @property
    def owner(self) -> str | None:
        return self.names_profile or profile_of(self.place.state_file)

    @property
    def whose(self) -> str:
        """Which profile it is of, as lists say it."""
        return whose(self.owner, profile_of(self.place.state_file), self.place.name)

    @property
    def of_another(self) -> bool:
        """Whether it belongs to another profile than its state file."""
        return self.whose != self.place.name

    @property
    def called(self) -> str:
        return self.title or self.words or self.id


class Unseen(NamedTuple):
    """Something that was not looked into, and why."""

    path: Path
    what: str
    why: str


class Begun(NamedTuple):
    """A place is being looked into."""

    place: Place


class Ended(NamedTuple):
    """A place was looked into, or could not be."""

    place: Place
    found: int = 0
    """Sessions that were told."""
    more: int = 0
    """Sessions that were found and not told: there are too many."""
    known: int = 0
    """Copies of sessions that were told before."""
    error: str = ""
    """Why it could not be looked into."""
    fails: ExitCode = ExitCode.DONE
    """What a command exits with that finds nothing, where the user named this place."""

    @property
    def searched(self) -> bool:
        """Whether it was looked into, at least in part."""
        return not self.error or bool(self.found)


Told = Begun | Sighting | Unseen | Ended
