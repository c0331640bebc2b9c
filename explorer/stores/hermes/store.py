"""A Hermes `state.db`, of any schema: the store that joins the readers of this package.

Each reader is imported by the call that needs it: one headless command uses one or two of them,
and all together would cost it 8 ms of its start-up.
"""

import math
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.cancel import CancelToken
from explorer.model import Message, Outline, Provenance, Session, Sort
from explorer.stores.base import (
    Changes,
    Details,
    Figures,
    FileSession,
    FileSessions,
    Handover,
    Indexed,
    NamedSession,
    Needles,
    Starting,
    Store,
    Stretch,
    TooLong,
)
from explorer.stores.catalog import Catalog, Unit
from explorer.stores.census import Census
from explorer.stores.columns import CHAT, Column, Columns, Unique
from explorer.stores.fates import Fates
from explorer.stores.hermes import messages
from explorer.stores.hermes.noted_origins import noted_origins, with_origins
from explorer.stores.hermes.sessions.rows import PROFILE_NAME as PROFILE_NAME
from explorer.stores.hermes.sessions.rows import sessions
from explorer.stores.hermes.sessions.survey import survey
from explorer.stores.sqlite.read_only import Reader, ReadOnlyFile
from explorer.stores.sqlite.schema import Schema

if TYPE_CHECKING:
    from explorer.stores.chats import ChatSession, Routes
    from explorer.stores.hermes.chats.routes import ChatFile
    from explorer.stores.hermes.edits.dialect import HermesDialect
    from explorer.stores.hermes.transcript_files.alone import LoneSessions
    from explorer.stores.hermes.transcript_files.beside import FilesBeside
    from explorer.stores.hermes.transcript_files.folder import FolderSession, TranscriptFolder

STATE_FILE = "state.db"
CONFIG_FILE = "config.yaml"
PROFILES = "profiles"
SIGNS = ("sessions", "logs", "memories", "SOUL.md", "auth.json", ".env")
"""What Hermes makes in its home: a state file beside none of these is a copy."""
LAST_IN_FILES = -(1 << 32)
"""The ids of messages in files are below it, and no others."""


def profile_of(path: Path) -> str | None:
    """The profile whose state file this is; None for a copy that lies elsewhere."""
    folder = path.absolute().parent
    if path.name != STATE_FILE:
        return None
    if folder.parent.name == PROFILES and re.fullmatch(PROFILE_NAME, folder.name):
        return folder.name
    signs = (CONFIG_FILE, PROFILES, *SIGNS)
    is_home = folder.name == ".hermes" or any(os.path.lexists(folder / name) for name in signs)
    return "default" if is_home else None


def root_above(folder: Path) -> Path:
    """The root of a profile's folder; any other folder is its own."""
    return folder.parent.parent if folder.parent.name == PROFILES else folder


def is_hermes(schema: Schema) -> bool:
    """Whether these are the tables of Hermes: the core that every version has."""
    return schema.has("sessions", "id", "source", "started_at") and schema.has(
        "messages", "id", "session_id", "role", "content", "timestamp"
    )


class HermesStore(Store):
    """Reads one file; between two calls at most an idle connection is kept, without a lock."""

    kind = "hermes"
    keeps_ends = True
    keeps_sources = True

    def __init__(self, file: ReadOnlyFile, keeps_pins: bool = False) -> None:
        super().__init__(file)
        self.keeps_pins = keeps_pins
        self._alone: LoneSessions | None = None
        self.profile = profile_of(self.path)

    @cached_property
    def _beside(self) -> "FilesBeside":
        from explorer.stores.hermes.transcript_files.beside import FilesBeside

        return FilesBeside(self._file)

    @cached_property
    def _folder(self) -> "TranscriptFolder":
        from explorer.stores.hermes.transcript_files.folder import TranscriptFolder

        return TranscriptFolder(self._file)

    def _in_folder(self, token: CancelToken | None) -> "Sequence[FolderSession]":
        """The sessions with files in the folder. It is asked about those that the state file does
        not have once they were found."""
        found = self._folder.sessions(token or CancelToken())
        if self._alone is None and any(one.is_alone for one in found):
            from explorer.stores.hermes.transcript_files.alone import LoneSessions

            self._alone = LoneSessions(self._beside, self._folder)
        return found

    def _file_id(self, key: int) -> str:
        """The id of a session that exists only as a file; empty for any other."""
        return self._folder.id_of(key) if self._alone else ""

    def handover(self) -> Handover | str:
        """Hermes opens only `state.db` in its home. The profile is always named, since a home may
        have a sticky one."""
        file = self.path.absolute()
        if file.name != STATE_FILE:
            return f"Hermes opens only files named {STATE_FILE}, and this one is {file.name}."
        folder = file.parent
        profile, root = "default", folder
        if folder.parent.name == PROFILES:
            profile, root = folder.name, folder.parent.parent
        if not re.fullmatch(PROFILE_NAME, profile):
            return f"Hermes cannot open this profile: “{folder.name}” is not a profile name."
        return Handover(
            program="hermes",
            arguments=("-p", "{profile}", "--resume={id}"),
            environment={"HERMES_HOME": str(root)},
            profile=profile,
            has_profiles=os.path.isdir(root / PROFILES) or os.path.exists(root / "active_profile"),
        )

    def _config(self) -> Path | str:
        """The settings that Hermes uses with this file, or why it does not open the file."""
        places = (self.path.absolute(), self.path.resolve())
        file = next((place for place in places if place.name == STATE_FILE), None)
        if file is None:
            return f"Hermes opens only files named {STATE_FILE}"
        if not any(os.path.lexists(file.parent / name) for name in (CONFIG_FILE, *SIGNS)):
            return f"no {CONFIG_FILE} beside it"
        return file.parent / CONFIG_FILE

    def figures(self, reader: Reader) -> Figures:
        from explorer.stores.hermes.info import figures

        return figures(reader, self.profile)

    def dialect(self) -> "HermesDialect":
        from explorer.stores.hermes.edits.dialect import HermesDialect

        return HermesDialect(self.path, self.profile)

    def first_page(
        self, limit: int, now: float, sort: Sort = Sort.ACTIVE, token: CancelToken | None = None
    ) -> list[Session]:
        from explorer.stores.hermes.sessions.first_page import first_page

        rows = self._file.read(lambda reader: first_page(reader, limit, now, sort), token)
        return self._of_profile(rows)

    def pinned(
        self, noted: Collection[str], now: float, token: CancelToken | None = None
    ) -> list[Session]:
        from explorer.stores.hermes.sessions.first_page import pinned

        return self._of_profile(self._file.read(lambda reader: pinned(reader, noted, now), token))

    def catalog(self, token: CancelToken | None = None) -> Catalog:
        return self._file.read(survey, token)

    def census(
        self, first: int, sources: Collection[str] = (), token: CancelToken | None = None
    ) -> Census:
        from explorer.stores.hermes.sessions.census import census

        found = self._file.read(lambda reader: census(reader, first, sources), token)
        return found or Census(self.catalog(token))

    def changes(self, since: object, token: CancelToken | None = None) -> Changes | None:
        from explorer.stores.hermes.sessions.first_page import changes

        return self._file.read(lambda reader: changes(reader, since), token)

    def columns(
        self,
        asked: Collection[Column[object]],
        keys: Sequence[int] | None = None,
        token: CancelToken | None = None,
    ) -> Columns:
        return self.columns_among(list, asked, keys, token)

    def columns_among(
        self,
        unique: Unique,
        asked: Collection[Column[object]],
        keys: Sequence[int] | None = None,
        token: CancelToken | None = None,
    ) -> Columns:
        from explorer.stores.hermes.sessions.columns import read_columns

        noted = noted_origins(self.path) if CHAT in asked else {}
        found = self._file.read(
            lambda reader: read_columns(reader, asked, keys, noted, unique), token
        )
        return found.joined(self._alone.columns(keys, unique)) if self._alone else found

    def fates(
        self,
        catalog: Catalog,
        keys: Sequence[int] | None = None,
        before: float | None = None,
        token: CancelToken | None = None,
    ) -> Fates:
        from explorer.stores.hermes.upkeep.forecast import fates

        return fates(self._file, self._config(), catalog, keys, before, token)

    def fates_stamp(self) -> object:
        from explorer.stores.hermes.settings_file import stamp

        config = self._config()
        return self.look(), config if isinstance(config, str) else stamp(config)

    def too_long(self, unit: Unit, token: CancelToken | None = None) -> TooLong | None:
        from explorer.stores.hermes.upkeep.forecast import too_long

        if self._file_id(unit.key):
            return None
        return too_long(self._file, self._config(), unit, token)

    def chats_stamp(self) -> object:
        from explorer.stores.hermes.routes_file import routes_stamp

        return self.look(), routes_stamp(self.path)

    def chat_routes(self, now: float, token: CancelToken | None = None) -> "Routes":
        from explorer.stores.hermes.chats.routes import read_routes

        return self._file.read(lambda reader: read_routes(reader, self._chat_file(), now), token)

    def chat_sessions(
        self, ids: Collection[str], token: CancelToken | None = None
    ) -> "Sequence[ChatSession]":
        from explorer.stores.hermes.chats.routes import read_sessions

        return self._file.read(lambda reader: read_sessions(reader, self._chat_file(), ids), token)

    def _chat_file(self) -> "ChatFile":
        from explorer.stores.hermes.chats.routes import ChatFile

        root = root_above(self.path.absolute().parent)
        home = os.path.realpath(root) if self.profile else str(self.path)
        return ChatFile(self.path, self.profile, home)

    def keys_of(self, ids: Sequence[str], token: CancelToken | None = None) -> Mapping[str, int]:
        from explorer.stores.hermes.sessions.columns import keys_of

        return self._file.read(lambda reader: keys_of(reader, ids), token)

    def sessions(
        self, units: Sequence[Unit], now: float, token: CancelToken | None = None
    ) -> list[Session]:
        alone = [unit.key for unit in units if self._file_id(unit.key)]
        stored = [unit for unit in units if not self._file_id(unit.key)] if alone else units
        rows = self._file.read(lambda reader: sessions(reader, stored, now), token)
        if not alone or self._alone is None:
            return self._of_profile(rows)
        rows += self._alone.rows(alone, token or CancelToken())
        known = {row.key: row for row in self._of_profile(rows)}
        return [known[unit.key] for unit in units if unit.key in known]

    def _of_profile(self, rows: Sequence[Session]) -> list[Session]:
        """Rows with the profile of the file, which owns those that name no other."""
        profile = self.profile
        rows = with_origins(rows, self.path)
        return [row._replace(profile=profile, owner=row.owner or profile) for row in rows]

    def details(self, unit: Unit, token: CancelToken | None = None) -> Details:
        from explorer.stores.hermes.sessions.details import details

        if self._alone and self._file_id(unit.key):
            return self._alone.details(unit.key, token or CancelToken())
        return details(self._file, unit, token or CancelToken())

    def outlines(
        self, key: int, rewound: bool = False, token: CancelToken | None = None
    ) -> list[Outline]:
        if id_ := self._file_id(key):
            return self._beside.outlined(key, id_, [], rewound, token or CancelToken())
        id_, found = self._file.read(
            lambda reader: (
                self._id_in_files(reader, key),
                messages.outlines(reader, key, rewound),
            ),
            token,
        )
        return self._beside.outlined(key, id_, found, rewound, token or CancelToken())

    def first_outlines(
        self, key: int, most: int, rewound: bool = False, token: CancelToken | None = None
    ) -> tuple[list[Outline], bool]:
        if self._file_id(key):
            return self.outlines(key, rewound, token), True
        id_, (found, whole) = self._file.read(
            lambda reader: (
                self._id_in_files(reader, key),
                messages.first_outlines(reader, key, most, rewound),
            ),
            token,
        )
        if whole:
            found = self._beside.outlined(key, id_, found, rewound, token or CancelToken())
        elif id_ and self._beside.files_of(id_):
            # What a file has may belong above all of it.
            return self.outlines(key, rewound, token), True
        return found, whole

    def _id_in_files(self, reader: Reader, key: int) -> str:
        """The id that files of a session are named by; empty where there can be none."""
        return messages.id_of(reader, key) if self._beside.has_folder() else ""

    def transcript_provenance(
        self, key: int, rewound: bool = False, token: CancelToken | None = None
    ) -> Provenance | None:
        if self._beside.provenance(key, rewound) is None:
            self.outlines(key, rewound, token)
        return self._beside.provenance(key, rewound)

    def system_prompt(self, key: int, token: CancelToken | None = None) -> str:
        return self._file.read(lambda reader: messages.system_prompt(reader, key), token)

    def messages(
        self, key: int, ids: Sequence[int], token: CancelToken | None = None
    ) -> list[Message]:
        in_files: dict[int, Message] = {}
        if min(ids, default=0) < 0:
            id_ = self._file_id(key) or self._file.read(
                lambda reader: messages.id_of(reader, key), token
            )
            in_files = self._beside.messages(key, id_, ids, token or CancelToken())
        rows = [id_ for id_ in ids if id_ not in in_files]
        found = self._file.read(lambda reader: messages.messages(reader, rows), token)
        if not in_files:
            return found
        known = {message.id: message for message in found} | in_files
        return [known[id_] for id_ in ids if id_ in known]

    def scattered(
        self, places: Sequence[tuple[int, int]], token: CancelToken | None = None
    ) -> Sequence[tuple[int, Message]]:
        owner = {id_: key for key, id_ in places if id_ > LAST_IN_FILES}
        found = self._file.read(lambda reader: messages.messages(reader, list(owner)), token)
        in_files: dict[int, list[int]] = {}
        for key, id_ in places:
            if id_ <= LAST_IN_FILES:
                in_files.setdefault(key, []).append(id_)
        told = [
            (key, message)
            for key, ids in in_files.items()
            for message in self.messages(key, ids, token)
        ]
        return [*((owner[message.id], message) for message in found), *told]

    def around(
        self, key: int, ids: Sequence[int], rewound: bool = False, token: CancelToken | None = None
    ) -> Mapping[int, tuple[int | None, int | None]]:
        if min(ids, default=0) > LAST_IN_FILES and not self._file_id(key):
            return self._file.read(lambda reader: messages.around(reader, key, ids, rewound), token)
        order = [None, *(one.id for one in self.outlines(key, rewound, token)), None]
        places = {id_: at for at, id_ in enumerate(order) if id_ is not None}
        known = [id_ for id_ in ids if id_ in places]
        return {id_: (order[places[id_] - 1], order[places[id_] + 1]) for id_ in known}

    def keys_starting(self, text: str, token: CancelToken | None = None) -> Starting:
        from explorer.stores.hermes.sessions.columns import keys_starting

        found = self._file.read(lambda reader: keys_starting(reader, text), token)
        alone = self._alone.starting(text) if self._alone else ()
        return found._replace(keys=[*found.keys, *alone]) if alone else found

    def find(self, text: str, token: CancelToken | None = None) -> list[NamedSession]:
        from explorer.stores.hermes.sessions.columns import find

        return self._file.read(lambda reader: find(reader, text), token)

    def file_sessions(self, token: CancelToken | None = None) -> FileSessions:
        ids = [one.id for one in self._in_folder(token) if one.is_alone]
        return FileSessions(ids, self._folder.empty(token or CancelToken()))

    def file_catalog(self, token: CancelToken | None = None) -> Catalog:
        self._in_folder(token)
        return self._folder.catalog(token or CancelToken())

    def file_session(self, id_: str, token: CancelToken | None = None) -> FileSession | None:
        from explorer.stores.hermes.transcript_files.alone import lone_session

        if self.keys_of([id_], token):
            return None
        if not self._beside.files_of(id_):
            return None
        held = self.lost_messages(id_, token)
        found = lone_session(self._beside, id_, held, token or CancelToken())
        if found is None:
            return None
        session, told, provenance = found
        return FileSession(self._of_profile([session])[0], told, provenance)

    def lost_messages(self, id_: str, token: CancelToken | None = None) -> list[Message]:
        return self._file.read(lambda reader: messages.lost(reader, id_), token)

    def indexed(
        self,
        needles: Needles,
        limit: int,
        below: object = None,
        token: CancelToken | None = None,
    ) -> Indexed:
        from explorer.stores.hermes.search import indexed

        return self._file.read(lambda reader: indexed(reader, needles, limit, below), token)

    def ranked(
        self, needles: Needles, most: int, token: CancelToken | None = None
    ) -> Mapping[int, float]:
        from explorer.stores.hermes.search import ranked

        return self._file.read(lambda reader: ranked(reader, needles, most), token)

    def scanned(self, needles: Needles, below: object, token: CancelToken | None = None) -> Stretch:
        from explorer.stores.hermes.search import scanned

        if not needles.files or not self._beside.has_folder():
            return self._file.read(lambda reader: scanned(reader, needles, below), token)
        # Late: where there is no folder, nobody needs it.
        from explorer.stores.hermes.transcript_files.search import BEFORE, FilePlace, scanned_files

        token = token or CancelToken()
        if isinstance(below, FilePlace):

            def outlined(key: int) -> list[Outline]:
                return self.outlines(key, needles.rewound, token)

            return scanned_files(self._beside, needles, below, outlined, token)
        found = self._file.read(lambda reader: scanned(reader, needles, below), token)
        if found.below is not None:
            return found._replace(done=found.done * BEFORE)
        place = FilePlace(self._in_folder(token))
        return found._replace(below=place, done=place.done) if place.sessions else found

    def newest_below(self, token: CancelToken | None = None) -> Callable[[object], float]:
        from explorer.stores.hermes.search import newest_below

        known = self._file.read(newest_below, token)
        # What only files hold comes behind all of it, in their order: it is not waited for.
        return lambda mark: -math.inf if isinstance(mark, tuple) else known(mark)
