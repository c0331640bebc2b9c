"""What callers may ask of the writing half of a store, whether it is one state file or several."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from explorer.cancel import CancelToken
from explorer.model import Action
from explorer.stores.edits.plans import AfterCrash, Done, EditPlan, Tell, UndoPlan
from explorer.stores.ours.trash import TrashFile
from explorer.stores.ours.trash_records import CellChange, Entry, Receipt


class Trash(Protocol):
    """What was changed and deleted, and is kept."""

    @property
    def by_place(self) -> Mapping[str, TrashFile]: ...

    def receipts(self) -> list[Receipt]: ...

    def receipt(self, number: int) -> Receipt | None: ...

    def entries(self, receipt: int) -> list[Entry]: ...

    def changes(self, receipt: int) -> list[CellChange]: ...

    def file_counts(self, receipt: int) -> dict[int, int]: ...

    def size(self) -> int: ...

    def purge(self, receipts: Iterable[int]) -> None: ...

    def expired(self, now: float) -> list[Receipt]: ...

    def alone(self) -> AbstractContextManager[None]: ...

    def check(self) -> None: ...


class Past(Protocol):
    """What was changed and deleted, to be looked at and deleted permanently."""

    @property
    def path(self) -> Path: ...

    @property
    def trash(self) -> Trash: ...

    def worded_entries(self, entries: Iterable[Entry]) -> list[Entry]: ...

    def purge(self, receipt: Receipt, entries: Collection[int]) -> None: ...

    def kept_from(self, entry: Entry) -> tuple[Path, TrashFile]: ...


class Edits(Past, Protocol):
    """Keys in, plans and receipts out; `editor.Editor` says what each of these does."""

    @property
    def planning(self) -> Sequence[str]: ...

    def plan(
        self,
        action: Action,
        keys: Sequence[int],
        *,
        title: str = "",
        force: bool = False,
        measured: bool = False,
        token: CancelToken | None = None,
    ) -> EditPlan: ...

    def worded(self, plan: EditPlan) -> EditPlan: ...

    def noted_pins(self) -> frozenset[str]: ...

    def apply(
        self,
        plan: EditPlan,
        token: CancelToken | None = None,
        progress: Tell | None = None,
        force: bool = False,
    ) -> Done: ...

    def undo_plan(
        self,
        receipt: int | None = None,
        entries: Collection[int] | None = None,
        token: CancelToken | None = None,
        measured: bool = False,
    ) -> UndoPlan: ...

    def undo(
        self, plan: UndoPlan, token: CancelToken | None = None, progress: Tell | None = None
    ) -> Done: ...

    def lost_changes(self, after: int) -> list[str]: ...

    def before(self, receipt: Receipt) -> Receipt | None: ...

    def after_crash(self) -> AfterCrash: ...

    def finish(
        self, receipt: Receipt, token: CancelToken | None = None, progress: Tell | None = None
    ) -> Done: ...

    def restore(
        self, receipt: Receipt, token: CancelToken | None = None, progress: Tell | None = None
    ) -> Done: ...

    def noted(self, done: Done) -> list[str]: ...
