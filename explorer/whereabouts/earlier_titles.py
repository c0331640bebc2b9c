"""Titles that sessions had before they were renamed with Session Explorer: our trash keeps each
rename for its undo. What an agent itself renamed leaves no trace."""

from collections.abc import Mapping
from pathlib import Path

from explorer.cancel import CancelToken
from explorer.model import Action
from explorer.stores.ours.trash import TrashFile
from explorer.stores.sqlite.images import shown
from explorer.whereabouts.wanted import Wanted


def earlier_titles(
    trash: Path, state_file: Path, wanted: Wanted, token: CancelToken
) -> Mapping[str, str]:
    """By the id of each session of a state file that once had a title with what is looked for: the
    last such title."""
    file = TrashFile(trash, state_file)
    found: dict[str, str] = {}
    for receipt in file.receipts():
        if receipt.action != Action.RENAME:
            continue
        token.check()
        for change in file.changes(receipt.number):
            if "title" not in change.columns:
                continue
            at = change.columns.index("title")
            for title in map(shown, (change.new[at], change.old[at])):
                if wanted.in_title(title):
                    found.setdefault(shown(change.id), title)
    return found
