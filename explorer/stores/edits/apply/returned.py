"""What really came back with an undo, counted against what went: before anybody says so."""

from collections.abc import Iterator, Sequence

from explorer.render.amounts import count, plural
from explorer.stores.edits.apply.batches import Step
from explorer.stores.edits.dialect import Dialect
from explorer.stores.edits.names import entry_name, worded
from explorer.stores.edits.undo_plan import UndoPlan
from explorer.stores.edits.write.connection import Changed
from explorer.stores.ours.trash import TrashFile
from explorer.stores.ours.trash_records import Entry

IN_PART = "Undone in part"


class Returned:
    """Follows the steps of an undo."""

    def __init__(self, plan: UndoPlan, trash: TrashFile, dialect: Dialect) -> None:
        self._plan = plan
        self._trash = trash
        self._dialect = dialect
        self._messages: dict[int, int] = {}
        self._ended: set[int] = set()
        self._failed: dict[int, Changed] = {}
        self.begun = False
        """Something of it is in the file."""

    def add(self, batch: Sequence[Step]) -> None:
        """These steps are in the file for good."""
        self.begun = True
        for step in batch:
            self._messages[step.job] = self._messages.get(step.job, 0) + step.messages
            if step.last:
                self._ended.add(step.job)

    def fail(self, job: int, error: Changed) -> None:
        self._failed[job] = error

    @property
    def trouble(self) -> Changed | None:
        """Why nothing of it could be taken back, if so."""
        first = next(iter(self._failed.values()), None)
        return self._failed.get(0, None if self.entries else first)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The sessions that are back."""
        return tuple(
            one
            for one in self._plan.entries
            if one.number in self._ended and one.number not in self._failed
        )

    @property
    def skipped(self) -> dict[str, int]:
        """How many are not, by reason."""
        found: dict[str, int] = {}
        for error in self._failed.values():
            reason = error.message.rstrip(".")
            found[reason] = found.get(reason, 0) + 1
        return found

    @property
    def words(self) -> str:
        """What to say instead of undone; empty where all messages are back."""
        return IN_PART if any(self._missing(one) for one in self.entries) else ""

    def notes(self) -> Iterator[str]:
        """What the trash has lost."""
        for one in worded(self._trash, self._dialect, filter(self._missing, self.entries)):
            back = count(one.messages - self._missing(one))
            yield (
                f"{entry_name(one)}: {back} of {plural(one.messages, 'message')} are back."
                " The trash has lost the others."
            )

    def _missing(self, entry: Entry) -> int:
        return max(entry.messages - self._messages.get(entry.number, 0), 0)
