"""Why an edit is refused or given up, as far as several modules say it or it has parts."""

from explorer.render.figures import plural, size

CANNOT_CHANGE = "Cannot change this file"
CANNOT_UNDO = "Cannot undo"
CANNOT_WRITE = "Cannot write the state file"
FILE_CHANGED = "The file has changed"
SESSION_CHANGED = "The session has changed"
SESSION_GONE = "The session is gone"

NOTHING_CHANGED = "Nothing was changed."
NO_LONGER_THERE = "It is no longer in the file."
WRITTEN_TO = "Its agent has written to it."
STARTED_WRITING = "Its agent has started writing to it."
HARD_LINKED = "the file has several hard links, so its write-ahead log may be under another name"
NO_CHANGE_LEFT = "This file has no change that can be undone."
CONNECTION_LOST = "the connection to the server was lost"
NO_PROFILE_CHANGED = "No profile has a change that can be undone."
PARTLY_RESTORED = "It is partly restored; the next start of Session Explorer restores the rest."


def rows_words(found: int, expected: int) -> str:
    """A step that met other rows than were planned."""
    return f"Expected {plural(expected, 'row')}, found {found}. {NOTHING_CHANGED}"


def disk_words(error: Exception) -> str:
    return f"The disk is full or failing ({error}). The last step was rolled back."


def sqlite_words(error: Exception) -> str:
    return f"SQLite rejected a step: {error}."


def permission_words(shut: list[str]) -> str:
    return f"no permission to write {' and '.join(shut)}"


def network_words(kind: str) -> str:
    return f"the file is on a network disk ({kind}), where locks are unreliable"


def space_words(doing: str, needed: int, folder: object, free: int) -> str:
    return (
        f"{doing} needs about {size(needed)} of free space, and {folder} has {size(free)}."
        f" {NOTHING_CHANGED}"
    )


def nearly_full_words(folder: object, free: int) -> str:
    return (
        f"{folder} has {size(free)} left, and the write-ahead log grows until the agent next"
        " writes."
    )


def reached_words(done: int, half_done: bool) -> str:
    """How far an edit got before it failed."""
    if not done and not half_done:
        return NOTHING_CHANGED
    before = f"Done before that: {plural(done, 'session')}; you can undo it."
    rest = "The next start of Session Explorer asks what to do with the interrupted session."
    return " ".join([before] * bool(done) + [rest] * half_done)


def restored_words(done: int) -> str:
    """How far an undo got before it failed."""
    return f"Restored before that: {plural(done, 'session')}. Undo again restores the rest."


def no_such_change(number: int | None) -> str:
    return f"There is no change {number} here. `session-explorer trash list` lists all changes."


def already_undone(number: int | None) -> str:
    return f"Change {number} was undone before. {NOTHING_CHANGED}"


def column_words(table: str, column: str) -> str:
    return f"Its table {table} no longer has the column {column}."
