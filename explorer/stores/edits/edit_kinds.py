"""The kinds of edits, a row each: how each is called, and what holds for it everywhere."""

from typing import NamedTuple

from explorer.model import Action


class EditKind(NamedTuple):
    """What is to be known of an edit before it is planned."""

    action: Action
    verb: str
    """On the button that agrees to it."""
    past: str
    question: str = ""
    """How a question about some sessions begins, where not with the verb."""
    which: str = ""
    """What is to be done, where it is asked to which sessions; else the verb."""
    ruled_by: Action | None = None
    """The edit that it takes back: what speaks against that one speaks against it too."""
    whole: bool = False
    """Done to all parts of a conversation."""
    unlists: bool = False
    """What it is done to may leave the list."""
    takes_messages: bool = False
    """Messages go to the trash."""

    @property
    def done(self) -> str:
        """What was done, at the beginning of a sentence."""
        return self.past.capitalize()

    @property
    def rule(self) -> "EditKind":
        """The kind whose name the reasons against it go by."""
        return KINDS[self.ruled_by or self.action]


KINDS = {
    kind.action: kind
    for kind in (
        EditKind(Action.RENAME, "Rename", "renamed"),
        EditKind(Action.ARCHIVE, "Archive", "archived", whole=True, unlists=True),
        EditKind(
            Action.UNARCHIVE,
            "Unarchive",
            "unarchived",
            question="Take out of the archive:",
            ruled_by=Action.ARCHIVE,
            whole=True,
        ),
        EditKind(Action.PIN, "Pin", "pinned", whole=True),
        EditKind(Action.UNPIN, "Unpin", "unpinned", ruled_by=Action.PIN, whole=True),
        EditKind(Action.DELETE, "Delete", "deleted", unlists=True, takes_messages=True),
        EditKind(
            Action.CLEAR,
            "Clear",
            "cleared",
            question="Clear all messages of",
            which="Clear messages",
            takes_messages=True,
        ),
        EditKind(Action.END, "End", "ended"),
        EditKind(Action.REOPEN, "Reopen", "reopened"),
        EditKind(Action.PRUNE, "Prune", "pruned", unlists=True, takes_messages=True),
    )
}
RULES = tuple(kind.action.value for kind in KINDS.values() if kind.ruled_by is None)
"""The names by which a file says which edits it allows."""
