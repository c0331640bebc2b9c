"""The values that cross layers and threads: sessions, messages and facts about a store.

All are frozen: named tuples, which cost a command a quarter of the start-up time that dataclasses
would. Text in them is as the agent stored it (decoded, never cleaned): callers pass it through
`render.clean` before they show it. Times are seconds since the epoch, or None.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

RUNNING_WITHIN = 600.0
"""A session that has not ended counts as running this many seconds after its newest message."""
SAFE_ID = r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}"
"""An id that is a plain name. Ids may hold anything; no other goes into a command or a path."""


class Kind(StrEnum):
    """How a session came to be."""

    ROOT = "root"
    BRANCH = "branch"
    SUBAGENT = "subagent"
    CONTINUATION = "continuation"


class State(StrEnum):
    """Whether an agent may still be writing the session."""

    RUNNING = "running"
    OPEN = "open"
    ENDED = "ended"


def state_of(
    *,
    last_active: float | None,
    ended: bool,
    held_until: float,
    now: float,
    within: float = RUNNING_WITHIN,
) -> State:
    """Whether an agent may be writing a session: a process that holds it until a time, as it claims
    (zero where none does), or the writer of its newest message, for so many seconds."""
    if held_until > now:
        return State.RUNNING
    if ended:
        return State.ENDED
    recent = last_active is not None and now - last_active < within
    return State.RUNNING if recent else State.OPEN


class Hidden(StrEnum):
    """The classes of rows that a list leaves out, and counts."""

    SUBAGENT = "subagent"
    CONTINUATION = "continuation"
    CRON = "cron"
    TOOL = "tool"
    KANBAN = "kanban"
    ONESHOT = "oneshot"
    HIDDEN = "hidden"
    """Marked so by the agent itself."""
    EMPTY = "empty"
    ARCHIVED = "archived"
    FILE = "file"
    """Only in a file beside the store, which is no row of it."""
    FILTERED = "filtered"

    @property
    def words(self) -> str:
        """What it is called beside a number of them."""
        return {Hidden.HIDDEN: "agent-hidden", Hidden.FILE: "file-only"}.get(self, self.value)


OWN_CLASSES = (
    *(Hidden.CRON, Hidden.SUBAGENT, Hidden.TOOL, Hidden.KANBAN, Hidden.ONESHOT),
    *(Hidden.HIDDEN, Hidden.EMPTY),
)
"""Those that a session belongs to by itself, not by what was done with it or asked for."""


class MessageState(StrEnum):
    """Whether a message is part of what the agent still sees."""

    LIVE = "live"
    COMPACTED = "compacted"
    REWOUND = "rewound"


class Sort(StrEnum):
    """The orders a list can have."""

    ACTIVE = "active"
    STARTED = "started"
    MESSAGES = "messages"
    COST = "cost"
    TITLE = "title"
    TOKENS = "tokens"
    SOURCE = "source"
    EXPIRING = "expiring"
    PROFILE = "profile"


class ListColumn(StrEnum):
    """What a list can show beside the title of a session."""

    MESSAGES = "messages"
    TOKENS = "tokens"
    COST = "cost"
    WORKSPACE = "workspace"
    MODEL = "model"
    TIME = "time"
    SOURCE = "source"
    PROFILE = "profile"
    CHAT = "chat"


def called(title: str | None, words: str) -> str:
    """What a session is called wherever it is named: its title, else its first words; empty where
    it has neither."""
    return title or words


IN_FILE = ", in "
"""Between a profile and the one whose file has its session."""


def owner_and_file(owner: str | None, profile: str | None, place: str) -> tuple[str, str]:
    """(the profile that a session belongs to, if that is not the `profile` of its file, else
    nothing; the name of its file among several, if there are)."""
    if not place or not owner or owner in (profile, place):
        return "", place
    return owner, place


def whose(owner: str | None, profile: str | None, place: str) -> str:
    """What a session is said to be of among several files; empty for a single file."""
    return IN_FILE.join(filter(None, owner_and_file(owner, profile, place)))


class Session(NamedTuple):
    """One row of a list: a session, or a whole conversation folded into one row."""

    key: int
    """Where the store finds it again, also when its id is not valid text."""
    id: str
    title: str | None
    source: str
    model: str | None
    started_at: float | None
    last_active: float | None
    ended_at: float | None
    end_reason: str | None
    message_count: int
    tool_call_count: int
    preview: str
    """The first words of the user that say something."""
    last_reply: str
    """The last words of the agent."""
    kind: Kind
    state: State
    parent_id: str | None
    root_id: str
    tip_id: str
    parts: int
    archived: bool
    profile: str | None = None
    """The profile of the agent whose file it is in."""
    workspace: str | None = None
    git_branch: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    """None where the agent did not know it: a stored zero need not mean free."""
    cost_status: str | None = None
    subagents: int = 0
    """Sessions that subagents of this one left."""
    spawned: str = ""
    """Of a subagent, where its agent keeps that: whether it is deleted with the session that
    started it, and how deep it is below the first one, in words."""
    broken_off: bool = False
    """It stopped in the middle: at a call that failed or got no answer, or at its length limit."""
    restored: bool = False
    """The agent hides this row since an upgrade took it for a subagent; we show it."""
    hidden: bool = False
    """The agent itself keeps it out of its lists."""
    pinned: bool = False
    """Pinned in the agent itself, in any of its parts."""
    unread: bool = False
    """The agent keeps track of what was read, and something came after that."""
    title_source: str | None = None
    """Who gave it its title, as the agent noted it."""
    owner: str | None = None
    """The profile that it belongs to: a gateway may write those of several into one file."""
    place: str = ""
    """The name of its file, where several are listed together."""
    origin: str = ""
    """Who talked to the agent and where, in words, if it came through a gateway."""
    file: str = ""
    """The name of the file beside the store that it exists only in: it is read, never changed."""

    @property
    def called(self) -> str:
        return called(self.title, self.preview)

    @property
    def name(self) -> str:
        """What it is called, or its id: never empty."""
        return self.called or self.id


class ToolCall(NamedTuple):
    """A call the agent made. `arguments` is decoded JSON where it decodes, else the text."""

    id: str | None
    name: str
    arguments: object
    asked_at: float | None = None
    """When it was made, if it was made alone: of calls made together, times tell nothing."""


class Thought(NamedTuple):
    """Reasoning that stands inside a text."""

    at: int
    """Where: before this character."""
    text: str


class Folded(NamedTuple):
    """What a summary stands for, as the agent noted it."""

    messages: int
    before: int | None = None
    """Tokens that they took."""
    after: int | None = None
    """Tokens that the summary takes."""


class Message(NamedTuple):
    """One stored message, decoded."""

    id: int
    session_id: str
    role: str
    timestamp: float | None
    text: str
    reasoning: str = ""
    """What was thought before the text."""
    opaque_reasoning: bool = False
    """There is reasoning that only the provider can read."""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    tool_name: str | None = None
    finish_reason: str | None = None
    state: MessageState = MessageState.LIVE
    repeats: int = 1
    """How many equal rows this one represents."""
    display: str | None = None
    """The agent's own word for how it is to be shown, if it has one."""
    notice: str = ""
    """The words of a row that is not part of the talk: a switch, a subagent that is done."""
    unseen: bool = False
    """For the model alone: no person is meant to see it."""
    summary: bool = False
    """Marked by the agent as the summary of what it compressed."""
    reactions: tuple[str, ...] = ()
    """The emoji that people put below it."""
    thoughts: tuple[Thought, ...] = ()
    """What was thought in the middle of the text, in its order."""
    file: str = ""
    """The name of the file that it was read from, where the state file does not hold it."""
    redacted: bool = False
    """That file is a copy from which the agent took out what looked secret."""
    folded: Folded | None = None
    """Of a summary: what it stands for, where the whole session was read."""
    awaits: tuple[str, ...] = ()
    """The tools whose results an interrupted session waits for, if it called them here."""

    @property
    def all_reasoning(self) -> str:
        """What was thought before the text and in it."""
        pieces = (self.reasoning, *(thought.text for thought in self.thoughts))
        return "\n\n".join(filter(None, pieces))


UNKNOWN = -1
"""A size that is not measured yet."""


class Outline(NamedTuple):
    """What is known of a message before its body is read."""

    id: int
    session_key: int
    role: str
    timestamp: float | None
    size: int
    """Bytes of its content, or `UNKNOWN`: an estimate of how tall it will be."""
    calls: bool = False
    """It calls tools."""
    tool_call_id: str | None = None
    state: MessageState = MessageState.LIVE
    repeats: int = 1
    """How many equal rows this one represents."""
    unsaid: bool = False
    """Not part of the talk: a notice, or for the model alone."""
    folded: Folded | None = None
    """It is the summary of other messages of its session."""
    awaits: tuple[str, ...] = ()
    """The tools that it called and whose results the agent still waits for: it was interrupted,
    and will take no other message before it has them."""


class Provenance(NamedTuple):
    """Where the messages of a transcript come from: the state file, and files beside it."""

    database_messages: int
    messages: int = 0
    """Those of files, which the state file lacks."""
    files: tuple[str, ...] = ()
    """The names of the files that were read, those with messages first."""
    bad_lines: int = 0
    """Places in them that cannot be read."""
    redacted: bool = False
    """Some of these messages are from a copy without what looked secret."""
    cut: bool = False
    """One of them is longer than is read."""

    @property
    def kind(self) -> str:
        if not self.messages:
            return "database"
        return "both" if self.database_messages else "file"

    @property
    def worth_saying(self) -> bool:
        """Whether there is more to say than that all is from the state file."""
        return bool(self.messages or self.bad_lines or self.cut)


class Hit(NamedTuple):
    """One place where a search matched."""

    session_key: int | None
    session_id: str
    message_id: int | None
    title: str | None
    source: str
    role: str
    timestamp: float | None
    field: str
    state: MessageState
    snippet: str
    marks: tuple[tuple[int, int], ...]
    context: tuple[tuple[str, str], ...] = ()
    """(role, text) of the message before and after."""
    store: str = ""
    """The path of its file."""
    profile: str | None = None
    """The profile of the agent whose file it is in."""
    owner: str | None = None
    """The profile that its session belongs to."""
    place: str = ""
    """The name of its file, where several are searched together."""
    origin: str = ""
    """Who talked to the agent and where, in words, if the session came through a gateway."""
    file: str = ""
    """The name of the file beside the store that the message is only in."""


class SearchModes(NamedTuple):
    """Which of the agent's search tables are there, and what they cover."""

    fts: bool
    trigram: bool
    cjk: bool
    covers: tuple[str, ...]
    """Columns that the table of words holds."""
    trigram_covers: tuple[str, ...] = ()
    leaves_out: Mapping[str, tuple[str, ...]] = {}
    """What a search looks at and a table does not hold, in words, by table."""
    trouble: tuple[str, ...] = ()
    """Why a table is not asked although it is there."""
    notes: tuple[str, ...] = ()


class StoreInfo(NamedTuple):
    """What a state file is."""

    path: str
    kind: str
    schema_version: int | None
    journal_mode: str
    sessions: int
    messages: int
    orphans: int
    """Messages whose session row is gone."""
    bytes: int
    wal_bytes: int
    search: SearchModes
    snapshot: bool
    """Read as a file that no process can write, because its folder is read-only."""
    edits: Mapping[str, str | None]
    """Each edit by name: None when possible, else why not."""
    sound: bool = True
    """Whether table and indexes agree on the number of sessions; else the file is damaged."""
    gaps: tuple[str, ...] = ()
    """What is not known of sessions because it may not be read, in sentences."""


class Action(StrEnum):
    """What can be done to sessions."""

    RENAME = "rename"
    ARCHIVE = "archive"
    UNARCHIVE = "unarchive"
    PIN = "pin"
    UNPIN = "unpin"
    END = "end"
    REOPEN = "reopen"
    CLEAR = "clear"
    DELETE = "delete"
    PRUNE = "prune"


class KeySetting(NamedTuple):
    """One line of `[keys]`."""

    action: str
    value: object
    line: int = 0


class Trouble(NamedTuple):
    """What is wrong with a line of the settings; line 0 is the whole file."""

    line: int
    words: str

    def __str__(self) -> str:
        return f", line {self.line}: {self.words}" if self.line else f": {self.words}"
