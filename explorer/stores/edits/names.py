"""What a session is called where something happens to it: by its title, else by its first words, as
in the list."""

from collections.abc import Iterable

from explorer.stores.edits.dialect import Dialect, short_name
from explorer.stores.ours.trash import TrashFile
from explorer.stores.ours.trash_records import Entry
from explorer.stores.sqlite.images import named


def entry_name(entry: Entry) -> str:
    """What the list called a session that is in the trash; see `worded`."""
    return short_name(entry.title, entry.words, entry.session)


def worded(trash: TrashFile, dialect: Dialect, entries: Iterable[Entry]) -> list[Entry]:
    """Entries with the first words of those that have no title."""
    every = list(entries)
    untitled = [one.number for one in every if not one.title]
    words = {
        number: dialect.first_words([named(pack.columns, row) for row in pack.rows])
        for number, pack in trash.beginnings(untitled)
    }
    return [one._replace(words=words.get(one.number, "")) for one in every]
