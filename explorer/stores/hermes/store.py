"""A Hermes `state.db`, of any schema: the store that joins the readers of this package.

Each reader is imported by the call that needs it: one headless command uses one or two of them,
and all together would cost it 8 ms of its start-up.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from explorer.cancel import CancelToken
from explorer.model import Message, Outline, Session, Sort, StoreInfo
from explorer.stores.base import Changes, Details, Edits, Handover, NamedSession, TooLong
from explorer.stores.candidates import Indexed, Needles, Stretch
from explorer.stores.catalog import Catalog, Mark, Unit
from explorer.stores.columns import Column, Columns
from explorer.stores.fates import Fates
from explorer.stores.hermes.sessions.rows import sessions
from explorer.stores.hermes.sessions.survey import survey
from explorer.stores.ours.notes import OurFiles
from explorer.stores.sqlite.read_only import ReadOnlyFile
from explorer.stores.sqlite.schema import Schema

T = TypeVar("T")


def is_hermes(schema: Schema) -> bool:
    """Whether these are the tables of Hermes: the core that every version has."""
    return schema.has("sessions", "id", "source", "started_at") and schema.has(
        "messages", "id", "session_id", "role", "content", "timestamp"
    )


class HermesStore:
    """Reads one file; between two calls at most an idle connection is kept, without a lock."""

    kind = "hermes"
    keeps_ends = True

    def __init__(self, file: ReadOnlyFile, keeps_pins: bool = False) -> None:
        self._file = file
        self.path: Path = file.path
        self.keeps_pins = keeps_pins

    def together(self, work: Callable[[], T], token: CancelToken | None = None) -> T:
        return self._file.together(work, token)

    def handover(self) -> Handover | str:
        from explorer.stores.hermes.home import handover

        return handover(self.path)

    def info(self, token: CancelToken | None = None) -> StoreInfo:
        from explorer.stores.hermes.info import info

        return self._file.read(lambda reader: info(reader, self.path), token)

    def first_page(
        self, limit: int, now: float, sort: Sort = Sort.ACTIVE, token: CancelToken | None = None
    ) -> list[Session]:
        from explorer.stores.hermes.sessions.first_page import first_page

        return self._file.read(lambda reader: first_page(reader, limit, now, sort), token)

    def pinned(
        self, noted: Collection[str], now: float, token: CancelToken | None = None
    ) -> list[Session]:
        from explorer.stores.hermes.sessions.first_page import pinned

        return self._file.read(lambda reader: pinned(reader, noted, now), token)

    def catalog(self, token: CancelToken | None = None) -> Catalog:
        return self._file.read(survey, token)

    def changes(self, since: Mark, token: CancelToken | None = None) -> Changes | None:
        from explorer.stores.hermes.sessions.changes import changes

        return self._file.read(lambda reader: changes(reader, since), token)

    def columns(
        self,
        asked: Collection[Column[object]],
        keys: Sequence[int] | None = None,
        token: CancelToken | None = None,
    ) -> Columns:
        from explorer.stores.hermes.sessions.columns import columns

        return self._file.read(lambda reader: columns(reader, asked, keys), token)

    def fates(
        self,
        catalog: Catalog,
        keys: Sequence[int] | None = None,
        before: float | None = None,
        token: CancelToken | None = None,
    ) -> Fates:
        from explorer.stores.hermes.upkeep.forecast import fates

        return fates(self._file, catalog, keys, before, token)

    def too_long(self, unit: Unit, token: CancelToken | None = None) -> TooLong | None:
        from explorer.stores.hermes.upkeep.resume_limit import too_long

        return too_long(self._file, unit, token)

    def keys_of(self, ids: Sequence[str], token: CancelToken | None = None) -> Mapping[str, int]:
        from explorer.stores.hermes.sessions.find import keys_of

        return self._file.read(lambda reader: keys_of(reader, ids), token)

    def edits(self, ours: OurFiles) -> Edits:
        from explorer.stores.edits.editor import Editor
        from explorer.stores.hermes.edits.dialect import HermesDialect

        return Editor(self.path, HermesDialect(self.path), self.sessions, ours)

    def set_of(self, key: int) -> int:
        return 0

    def sessions(
        self, units: Sequence[Unit], now: float, token: CancelToken | None = None
    ) -> list[Session]:
        return self._file.read(lambda reader: sessions(reader, units, now), token)

    def details(self, unit: Unit, token: CancelToken | None = None) -> Details:
        from explorer.stores.hermes.sessions.details import details

        return details(self._file, unit, token or CancelToken())

    def outlines(
        self, key: int, rewound: bool = False, token: CancelToken | None = None
    ) -> list[Outline]:
        from explorer.stores.hermes.messages.bodies import outlines

        return self._file.read(lambda reader: outlines(reader, key, rewound), token)

    def first_outlines(
        self, key: int, most: int, rewound: bool = False, token: CancelToken | None = None
    ) -> tuple[list[Outline], bool]:
        from explorer.stores.hermes.messages.bodies import first_outlines

        return self._file.read(lambda reader: first_outlines(reader, key, most, rewound), token)

    def system_prompt(self, key: int, token: CancelToken | None = None) -> str:
        from explorer.stores.hermes.messages.bodies import system_prompt

        return self._file.read(lambda reader: system_prompt(reader, key), token)

    def messages(
        self, key: int, ids: Sequence[int], token: CancelToken | None = None
    ) -> list[Message]:
        from explorer.stores.hermes.messages.bodies import messages

        return self._file.read(lambda reader: messages(reader, ids), token)

    def scattered(
        self, places: Sequence[tuple[int, int]], token: CancelToken | None = None
    ) -> Sequence[tuple[int, Message]]:
        from explorer.stores.hermes.messages.bodies import messages

        owner = {id_: key for key, id_ in places}
        found = self._file.read(lambda reader: messages(reader, list(owner)), token)
        return [(owner[message.id], message) for message in found]

    def around(
        self, key: int, ids: Sequence[int], rewound: bool = False, token: CancelToken | None = None
    ) -> Mapping[int, tuple[int | None, int | None]]:
        from explorer.stores.hermes.messages.bodies import around

        return self._file.read(lambda reader: around(reader, key, ids, rewound), token)

    def find(self, text: str, token: CancelToken | None = None) -> list[NamedSession]:
        from explorer.stores.hermes.sessions.find import find

        return self._file.read(lambda reader: find(reader, text), token)

    def lost_messages(self, id_: str, token: CancelToken | None = None) -> list[Message]:
        from explorer.stores.hermes.messages.bodies import lost

        return self._file.read(lambda reader: lost(reader, id_), token)

    def indexed(
        self,
        needles: Needles,
        limit: int,
        below: int | None = None,
        token: CancelToken | None = None,
    ) -> Indexed:
        from explorer.stores.hermes.search.candidates import indexed

        return self._file.read(lambda reader: indexed(reader, needles, limit, below), token)

    def ranked(
        self, needles: Needles, most: int, token: CancelToken | None = None
    ) -> Mapping[int, float]:
        from explorer.stores.hermes.search.candidates import ranked

        return self._file.read(lambda reader: ranked(reader, needles, most), token)

    def scanned(
        self, needles: Needles, below: int | None, token: CancelToken | None = None
    ) -> Stretch:
        from explorer.stores.hermes.search.candidates import scanned

        return self._file.read(lambda reader: scanned(reader, needles, below), token)
