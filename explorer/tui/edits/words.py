"""What only the app says about changes: dialogs, hints and toasts. Takes clean text."""

from collections.abc import Sequence
from typing import NamedTuple

from explorer.errors import sentence
from explorer.keys.keymap import Keymap
from explorer.model import Hidden
from explorer.render.clean import clean, clean_line
from explorer.render.figures import count, plural, size
from explorer.stores.edits.plans import EditPlan, Title
from explorer.stores.edits.undo_words import changed_words, under_new_name
from explorer.stores.edits.words import amount_words, owner_words
from explorer.stores.fates import Fates
from explorer.stores.ours.trash import RETENTION_DAYS
from explorer.stores.ours.trash_records import Entry, Receipt

NOTHING_ELSE = "Nothing else was changed."
ARCHIVE_INSTEAD = "Archive instead"


def waiting_for(places: Sequence[str]) -> str:
    """Which profiles have not said yet what a change would do."""
    return f"Waiting for {', '.join(clean_line(one, 40) for one in places)} …"


def with_undo(words: str, keymap: Keymap) -> str:
    """What was done, and the key that undoes it."""
    return f"{words} · {keymap.key('undo')} to undo"


def elsewhere_words(sessions: int) -> str:
    where = f"{plural(sessions, 'session')} in other tables of the file"
    return f"Not included: {where}. Repeat the command for them."


def agent_command_text(why: str, lines: Sequence[str], more: int) -> str:
    """Offers the agent's own command where only that can delete."""
    own = f"{why} The agent's own command can, but it keeps no trash: this cannot be undone."
    rest = [f"… and {count(more)} more like these"] if more > 0 else []
    return "\n".join((own, "", *lines, *rest))


def exit_words(program: str, code: int) -> str:
    return f"{program} exited with code {code}."


# Which sessions

NO_SESSION = "No session here to change."


def which_sessions(verb: str) -> str:
    return f"{verb}: which sessions?"


def selected_words(selected: int, unlisted: int, names: Sequence[str]) -> str:
    more = f" and {count(unlisted - len(names))} more" if unlisted > len(names) else ""
    also = ", ".join(f"“{name}”" for name in names) + more
    return f"{plural(selected, 'selected session')}, including {count(unlisted)} not listed: {also}"


def listed_words(number: int) -> str:
    return f"Only {plural(number, 'selected session')} in the list"


def cursor_words(name: str, profile: str = "") -> str:
    """`profile` where there are several."""
    where = f" in {profile}" if profile else ""
    return f"Only the session under the cursor: “{name}”{where}"


def parts_words(rows: int, sessions: int) -> tuple[str, str]:
    """(all parts of conversations, only their newest part)."""
    if rows == 1:
        return f"The whole conversation ({plural(sessions, 'part')})", "Only its newest part"
    all_parts = f"All parts of each conversation ({plural(sessions, 'session')})"
    return all_parts, "Only the newest part of each"


# Rename

NEW_TITLE = "Type a title"
WAITING_FOR_FILE = "Waiting for the file …"
STILL_LOCKED = "Still locked by another program.\nNot saved; your text is kept."
TITLE_IS_FREE = "No other session has this title"


def title_words(
    plan: EditPlan, title: Title, unchanged: bool, keymap: Keymap, now: float
) -> tuple[str, bool]:
    """(a word about a title that is being typed, whether it is wrong)."""
    owner = title.owner
    if title.trouble:
        return sentence(title.trouble).rstrip("."), True
    if owner is not None and not plan.changes:
        return (
            f"Already the title of another session: {clean_line(owner_words(owner, now))}.\n"
            f"{keymap.key('rename-next')}: use “{clean_line(title.next)}”"
            f" · {keymap.key('rename-go')}: go to that session",
            True,
        )
    if owner is not None:
        return owner.yields, False
    if unchanged:
        return "Unchanged" if title.text else "Untitled now", False
    if title.text is None:
        return "Enter removes the title", False
    length = f"{len(title.text)} of {title.limit} characters"
    return "\n".join((length, *plan.notes)), False


# Undo, history and trash

INTERRUPTED = "Interrupted"
FINISHED = "Done: the interrupted change is complete."
RESTORED = "Done: the interrupted change is undone."
EMPTY_TRASH = f"The trash is empty. Deleted sessions are kept here for {RETENTION_DAYS} days."
CHOOSE_ONE = "Move to one of its sessions to read it."
NOTHING_DELETED = "This change deleted no session: there is nothing to read."
PURGE, PURGE_VERB, PURGED = "Permanently delete", "Delete permanently", "Permanently deleted"
FOREVER = "This cannot be undone."
RESTORE_FIRST = "This change was interrupted. Restore or finish it first."


def file_gone(number: int) -> str:
    """Why a change with this number cannot be restored, and what to do."""
    return (
        f"Its state file is gone. Put it back to restore what was deleted. {under_new_name(number)}"
    )


def before_words(why: str, before: str) -> str:
    return f"{why}\n\nThe change before it: {before}"


def restore_later(words: str) -> str:
    return f"{words}. History and trash can restore what it deleted."


def deleted_title(name: str) -> str:
    return f"In the trash · {name}"


def trash_title(bytes_held: int) -> str:
    return f"History and trash · {size(bytes_held)} · kept for {RETENTION_DAYS} days"


class PurgeWords(NamedTuple):
    """About deleting something permanently."""

    question: str
    text: str
    verb: str
    done: str


def purge_words(receipt: Receipt) -> PurgeWords:
    """Of a whole change; what was restored of it stays."""
    what, left = clean(changed_words(receipt)), receipt.sessions - receipt.back
    if not left:
        stays = "This stays, but can no longer be undone."
        if receipt.sessions:
            stays = "It was restored, and stays: only its copy in the trash goes."
        question = "Remove this change from the history?"
        return PurgeWords(question, f"{what}. {stays}", "Remove", "Removed from the history")
    sessions = plural(left, "session")
    whom = sessions if receipt.back or left == 1 else f"all {sessions} of this change"
    lines = [f"{what}: {size(receipt.bytes)} in the trash."]
    if receipt.back:
        was = "was restored, and stays" if receipt.back == 1 else "were restored, and stay"
        lines.append(f"{plural(receipt.back, 'session')} {was}.")
    text = "\n".join((*lines, FOREVER))
    return PurgeWords(f"{PURGE} {whom}?", text, PURGE_VERB, f"{PURGED} {sessions}")


def purge_entry_words(entry: Entry) -> PurgeWords:
    """Of one session of a change."""
    name = clean_line(entry.quoted, 80)
    name += f" in {clean_line(entry.place, 40)}" if entry.place else ""
    if entry.is_back:
        text = "It was restored, and stays: only its copy in the trash goes."
        done = f"Removed the copy of {name}"
        return PurgeWords(f"Remove the copy of {name}?", text, "Remove", done)
    text = f"{plural(entry.messages, 'message')}, {size(entry.bytes)} in the trash.\n{FOREVER}"
    return PurgeWords(f"{PURGE} {name}?", text, PURGE_VERB, f"{PURGED} {name}")


def more_words(number: int, receipt: int) -> str:
    return f"and {count(number)} more: session-explorer trash show {receipt}"


# Pins


def keep_question(sessions: int) -> str:
    return f"Keep {plural(sessions, 'expiring session')}?"


def keep_text(names: Sequence[str], number: int, due: int, fates: Fates) -> str:
    will = "deletes" if fates.certain else "may delete"
    what = [f"{_some(due, number)} at its next start"] if due else []
    what += [f"{_some(number - due, number)} within 7 days"] if due < number else []
    more = [f"and {count(number - len(names))} more"] if number > len(names) else []
    said = f"Hermes {will} {' and '.join(what)}. Pinned sessions are never deleted."
    return "\n".join([*names, *more, "", said])


def _some(number: int, of: int) -> str:
    return ("it" if of == 1 else "them") if number == of else f"{count(number)} of them"


def nothing_expires(fates: Fates) -> str:
    if fates.unknown:
        return clean(f"Cannot tell what Hermes will delete: {fates.unknown}.")
    return "Hermes will not delete any session in the next 7 days."


def keep_instead(refused: str | None, settings: str) -> str:
    """How to keep sessions where they cannot be pinned in Hermes."""
    why = refused or "This state file is too old for pins in Hermes."
    return clean(
        f"{why}\nSet sessions.auto_prune: false in {settings}, or export the sessions first with"
        " hermes sessions export."
    )


# Prune

CLASS_WORDS = {
    Hidden.CRON: "Cron sessions",
    Hidden.SUBAGENT: "Subagent sessions",
    Hidden.TOOL: "Tool sessions",
    Hidden.KANBAN: "Kanban sessions",
    Hidden.ONESHOT: "One-shot sessions",
    Hidden.HIDDEN: "Sessions hidden by the agent",
    Hidden.EMPTY: "Empty sessions",
}
LOADING = "Loading …"
KEPT_SIGN = "kept"
"""On a row that is not removed."""
STILL_APPLYING = "Still applying the rules. Try again in a moment."
CHECKING = "Checking subagents and branches …"
SPANS = "Type a time such as 12h, 90d, 8w, 6m or 1y"
ANY_TIME = "Any time"


def removed_words(conversations: int, sessions: int) -> str:
    return f"Will be removed: {amount_words(conversations, sessions)}"


def kept_words(kept: int) -> str:
    """How many of the listed sessions are not removed."""
    return f"{count(kept)} kept" if kept else ""


def query_words(notes: Sequence[str]) -> str:
    return clean_line(" · ".join(notes)) if notes else "Works as in the search bar"


def number_words(good: bool) -> str:
    return "A number" if good else "Type a number"
