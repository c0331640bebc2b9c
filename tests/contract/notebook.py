"""An invented agent that keeps its talks in two tables: all that a new kind of store takes.

`docs/adding-a-store.md` walks through this file.
"""

from collections.abc import Iterable, Sequence

from explorer.model import Kind, Message
from explorer.stores.catalog import Link
from explorer.stores.edits.dialect import (
    Dialect,
    SessionTables,
    Subject,
    TableShape,
    Values,
    sound_id,
)
from explorer.stores.edits.plans import Title
from explorer.stores.kinds import StoreKind
from explorer.stores.small_store import SessionRow, SmallStore
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.images import Rows, raw
from explorer.stores.sqlite.schema import Schema, batches, placeholders
from explorer.stores.table_reader import TableReader

TABLES = """
CREATE TABLE talk (name TEXT PRIMARY KEY, heading TEXT, begun REAL, shelved INTEGER DEFAULT 0,
                   helps TEXT REFERENCES talk);
CREATE TABLE line (number INTEGER PRIMARY KEY, talk TEXT NOT NULL REFERENCES talk, who TEXT,
                   said TEXT, at REAL);
"""


class NotebookStore(SmallStore):
    """What is read: who the sessions are, and what was said in one."""

    kind = "notebook"

    def survey(self, reader: TableReader) -> list[SessionRow]:
        return talks(reader.rows)

    def told(self, reader: TableReader, id_: str) -> list[Message]:
        sql = "SELECT l.number, l.who, l.at, l.said FROM line l WHERE l.talk = ? ORDER BY l.number"
        return [
            Message(number, id_, cells.words(who), cells.seconds(at), cells.words(said))
            for number, who, at, said in reader.rows(sql, (id_,))
        ]

    def dialect(self) -> Dialect:
        return NotebookDialect(self.path, "talk")


def talks(ask: Rows, test: str = "1", values: Sequence[object] = ()) -> list[SessionRow]:
    """The talks for which a test holds, as both halves of the store ask for them."""
    rows = ask(
        "SELECT t.rowid, t.name, t.heading, t.begun, t.shelved, t.helps, p.rowid,"
        " (SELECT max(l.at) FROM line l WHERE l.talk = t.name)"
        f" FROM talk t LEFT JOIN talk p ON p.name = t.helps WHERE {test}",
        values,
    )
    return [
        SessionRow(
            key=cells.amount(row),
            id=cells.words(name),
            title=cells.text(heading),
            started_at=cells.seconds(begun),
            newest=cells.seconds(newest),
            parent_id=cells.text(helps),
            link=Link(Kind.SUBAGENT, cells.integer(parent)) if helps is not None else None,
            archived=cells.flag(shelved, default=False),
        )
        for row, name, heading, begun, shelved, helps, parent, newest in rows
    ]


class NotebookDialect(Dialect):
    """What is edited: which tables there are, and what has no place in them."""

    lacks = dict.fromkeys(("end", "reopen"), "a notebook keeps no end of a talk")

    def over(self, ask: Rows, schema: Schema, table: str) -> SessionTables:
        shape = TableShape("talk", "name", "line", owner="talk", content="said", parent="helps")
        return NotebookTables(ask, schema, shape, self.key)


class NotebookTables(SessionTables):
    """How it is edited: a session as an edit sees it, and the cells that say what."""

    keeps_archive = True

    def subjects(self, column: str, values: Iterable[object]) -> list[Subject]:
        return [
            Subject(
                row=talk.key,
                id=talk.id,
                sound=sound_id("text", talk.id),
                title=talk.title,
                source="notebook",
                parent=talk.parent_id,
                last_active=talk.last_active,
                archived=talk.archived,
                kind="subagent" if talk.link else "root",
                along=talk.link is not None,
            )
            for few in batches(values)
            for talk in talks(self.ask, f"t.{column} IN ({placeholders(few)})", few)
        ]

    def title(self, subject: Subject, typed: str) -> Title:
        return Title(" ".join(typed.split()) or None)

    def titled(self, subject: Subject, title: str | None) -> Values:
        return {"heading": None if title is None else raw(title)}

    def archived(self, subject: Subject, on: bool, now: float) -> Values:
        return {"shelved": int(on)}


NOTEBOOK = StoreKind(
    recognised=lambda schema: schema.has("talk", "name") and schema.has("line", "talk", "said"),
    opened=lambda file, schema, notes: NotebookStore(file),
)
