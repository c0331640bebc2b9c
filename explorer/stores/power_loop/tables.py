"""The tables of power-loop. There may be several sets of them in one place: opening an old file
with a newer power-loop adds a set with a prefix beside the old one. All sets are listed.

A set also knows which key a session has above the stores, and which row it is here: that is the
only place that does.
"""

from typing import Any, NamedTuple

from explorer.model import MessageState
from explorer.stores.power_loop.flavour import SQLITE, Flavour
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.leases import Ask, leases
from explorer.stores.sqlite.schema import quoted
from explorer.stores.table_reader import KnownTables

AGENT = "power-loop"
"""It keeps no source: all its sessions come from programs that embed it."""
DEFAULT_PREFIX = "pl_"
"""Of the names of tables, where the program that embeds it chooses none."""
DROPPED = "dropped"
"""The state of a message that a repair of the history removed."""
NOTE = "compact_note"
"""The name of the message that replaces those that were compressed."""
RUNNING_WITHIN = 120.0
"""Seconds after its newest message for which a session counts as running: programs that use no
leases leave no other sign."""
_BODY = (
    *("session_id", "role", "created_at", "content", "tool_calls_json", "tool_call_id", "name"),
    *("state", "meta_json"),
)
_SHIFT = 48


class Tables(NamedTuple):
    """One set of tables; its number keeps the keys of several sets apart.

    In a file the handle of a session is the number of its row. A database without such numbers
    overrides `key`, `handle` and `owns`, and gives the ids that it has read numbers of its own."""

    number: int
    prefix: str
    """Empty for the oldest."""
    sets: int = 1
    """How many there are."""
    flavour: Flavour = SQLITE
    space: str = ""
    """The part of the database that the tables are in, where it has several."""
    early: bool = False
    """Made by a release in which a program cannot choose a prefix."""
    marks: bool = True
    """Whether content with parts is marked as such. Early releases wrote it as JSON without a word
    about it."""

    def named(self, table: str) -> str:
        """What the schema calls a table."""
        return f"{self.space}.{self.prefix}{table}" if self.space else f"{self.prefix}{table}"

    def sql(self, table: str) -> str:
        """What SQL calls a table."""
        name = quoted(f"{self.prefix}{table}")
        return f"{quoted(self.space)}.{name}" if self.space else name

    @property
    def sessions(self) -> str:
        return self.sql("sessions")

    @property
    def messages(self) -> str:
        return self.sql("messages")

    @property
    def of_session(self) -> str:
        """The condition that messages are of the session with a handle."""
        row = f"SELECT s.session_id FROM {self.sessions} s WHERE {self.flavour.handle} = ?"
        return f"m.session_id = ({row})"

    @property
    def active(self) -> str:
        """When a session was last active."""
        return self.newest

    @property
    def lag(self) -> str:
        """For how many milliseconds a session has been active since its last message; empty where
        that is its last activity."""
        return ""

    @property
    def newest(self) -> str:
        """When the last message of a session was written. There is no index on times; numbers only
        grow, so it is the one with the highest."""
        return (
            f"(SELECT m.created_at FROM {self.messages} m WHERE m.session_id = s.session_id"
            " ORDER BY m.seq DESC LIMIT 1)"
        )

    def has(self, schema: KnownTables, table: str, *columns: str) -> bool:
        return schema.has(self.named(table), *columns)

    def pick(self, schema: KnownTables, table: str, alias: str, columns: tuple[str, ...]) -> str:
        return schema.pick(self.named(table), alias, columns)

    def body(self, schema: KnownTables) -> str:
        """The columns of a message; what it is known by comes first."""
        return f"{self.flavour.seq}, {self.pick(schema, 'messages', 'm', _BODY)}"

    def leases(self, ask: Ask, schema: KnownTables) -> dict[str, float]:
        """Until when its sessions are held by a process, by id."""
        if not self.has(schema, "session_leases", "session_id", "expires_at"):
            return {}
        named, sql = self.named("session_leases"), self.sql("session_leases")
        return leases(ask, schema, named, "session_id", sql)

    def key(self, handle: Any) -> int:
        """The key of the session with a handle."""
        number: int = handle
        return (self.number << _SHIFT) + number

    def handle(self, key: int) -> Any:
        """The handle of the session with a key, which may be gone."""
        return key - (self.number << _SHIFT)

    def owns(self, key: int) -> bool:
        # A damaged file may number its rows in any way: what fits nowhere is of the first set.
        number = key >> _SHIFT
        return self.number == (number if 0 < number < self.sets else 0)


def sets_of_tables(schema: KnownTables) -> tuple[Tables, ...]:
    """Every set of tables in a file that power-loop could have made."""
    found = []
    for table in schema.tables:
        prefix = table.removesuffix("sessions")
        if (
            table.endswith("sessions")
            and schema.has(table, "session_id", "created_at", "kind")
            and schema.has(f"{prefix}messages", "session_id", "seq", "role", "content")
        ):
            found.append(prefix)
    return tuple(
        Tables(
            at,
            prefix,
            len(found),
            early=not schema.has(f"{prefix}schema_migrations", "version"),
            marks=marks_parts(schema, prefix),
        )
        for at, prefix in enumerate(sorted(found))
    )


def marks_parts(schema: KnownTables, prefix: str) -> bool:
    """Whether a set of tables is of a release that marks content with parts, which is a little
    older than this column."""
    return schema.has(f"{prefix}usage_rounds", "cached_tokens")


def message_state(cell: object) -> MessageState:
    if cell == "compacted_out":
        return MessageState.COMPACTED
    return MessageState.REWOUND if cell == DROPPED else MessageState.LIVE


def title_in(about: object) -> str | None:
    """The title that a program put into the metadata."""
    return cells.text(cells.mapping(about).get("title")) or None if about else None
