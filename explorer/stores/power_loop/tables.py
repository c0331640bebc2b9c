"""The tables of a power-loop file. There may be several sets of them: opening an old file with a
newer power-loop adds a set with a prefix beside the old one. All sets are listed."""

from typing import NamedTuple

from explorer.model import MessageState
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.leases import Ask, leases
from explorer.stores.sqlite.schema import Schema

AGENT = "power-loop"
"""It keeps no source: all its sessions come from programs that embed it."""
DROPPED = "dropped"
"""The state of a message that a repair of the history removed."""
SEQ = "CASE typeof(m.seq) WHEN 'integer' THEN m.seq ELSE -m.rowid END"
"""The number of a message in its session; where a damaged file has none, another that no message
of its session has."""
_BODY = (
    *("session_id", "role", "created_at", "content", "tool_calls_json", "tool_call_id", "name"),
    *("state", "meta_json"),
)
_SHIFT = 48


class Tables(NamedTuple):
    """One set of tables; its number keeps the keys of several sets apart."""

    number: int
    prefix: str
    """Empty for the oldest."""
    sets: int = 1
    """How many there are."""

    @property
    def sessions(self) -> str:
        return f'"{self.prefix}sessions"'

    @property
    def messages(self) -> str:
        return f'"{self.prefix}messages"'

    @property
    def of_session(self) -> str:
        return f"m.session_id = (SELECT s.session_id FROM {self.sessions} s WHERE s.rowid = ?)"

    def body(self, schema: Schema) -> str:
        """The columns of a message; what it is known by comes first."""
        return f"{SEQ}, {schema.pick(f'{self.prefix}messages', 'm', _BODY)}"

    def leases(self, ask: Ask, schema: Schema) -> dict[str, float]:
        """Until when its sessions are held by a process, by id."""
        return leases(ask, schema, f"{self.prefix}session_leases", "session_id")

    def key(self, row: int) -> int:
        return (self.number << _SHIFT) + row

    def row(self, key: int) -> int:
        return key - (self.number << _SHIFT)

    def owns(self, key: int) -> bool:
        # A damaged file may number its rows in any way: what fits nowhere is of the first set.
        number = key >> _SHIFT
        return self.number == (number if 0 < number < self.sets else 0)


def sets_of_tables(schema: Schema) -> tuple[Tables, ...]:
    """Every set of tables that power-loop could have made."""
    found = []
    for table in schema.tables:
        prefix = table.removesuffix("sessions")
        if (
            table.endswith("sessions")
            and schema.has(table, "session_id", "created_at", "kind")
            and schema.has(f"{prefix}messages", "session_id", "seq", "role", "content")
        ):
            found.append(prefix)
    return tuple(Tables(at, prefix, len(found)) for at, prefix in enumerate(sorted(found)))


def message_state(cell: object) -> MessageState:
    if cell == "compacted_out":
        return MessageState.COMPACTED
    return MessageState.REWOUND if cell == DROPPED else MessageState.LIVE


def title_in(about: object) -> str | None:
    """The title that a program put into the metadata."""
    return cells.text(cells.mapping(about).get("title")) or None if about else None
