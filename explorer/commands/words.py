"""What the commands say in sentences of several parts: counts, hidden sessions, empty results."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.errors import StoreError, closest
from explorer.model import Hidden, Hit, Provenance, Session, whose
from explorer.render.clean import clean_line
from explorer.render.figures import ago, count, listed, plural
from explorer.stores.sqlite.failures import disagrees, short_path

if TYPE_CHECKING:
    # A list need not load the trash: 2 ms.
    from explorer.stores.base import OneStore
    from explorer.stores.ours.trash_records import Entry, Receipt

MOST_NAMED = 4
"""Changes that are named; of more there is only the number."""
ONLY_AT_A_TERMINAL = "Run this in a terminal to answer: --yes does not. Nothing was changed."
_INCLUDED = "(--all includes them)"


def only_in_file(provenance: Provenance) -> str:
    """Below a session that the state file does not have."""
    names = clean_line(", ".join(provenance.files), 200)
    return f"This session is only in {names}, not in the state file. It cannot be changed."


def not_to_resume(provenance: Provenance) -> str:
    """Why a session that the state file does not have cannot be resumed."""
    names = clean_line(", ".join(provenance.files), 200)
    only = f"This session is only in {names}, not in the state file, so the agent does not know it."
    return f"{only} `show` prints it."


def list_summary(shown: int, matching: int, hidden: Mapping[Hidden, int], profiles: int = 0) -> str:
    """Below a list: how many of how many, in how many profiles, and what is not listed."""
    classes = dict(hidden)
    filtered, folded = classes.pop(Hidden.FILTERED, 0), classes.pop(Hidden.CONTINUATION, 0)
    nothing = "No session matches" if filtered else "No sessions"
    parts = [_some(shown, matching, "session") if matching else nothing]
    if profiles:
        parts.append(plural(profiles, "profile"))
    if filtered:
        parts.append(f"{count(filtered)} filtered out")
    if classes:
        parts.append(f"hidden: {_numbers(classes)}")
    if folded:
        parts.append(f"{plural(folded, 'earlier part')} folded into conversations")
    if classes or folded:
        parts[-1] = f"{parts[-1]} {_INCLUDED}"
    return " · ".join(parts)


def files_summary(shown: int, number: int, unreadable: int) -> str:
    """Below a list with those that exist only as files: how many are listed, and how many files
    hold none."""
    parts = []
    if number == shown and number:
        parts.append(f"{plural(number, 'session')} only in files, listed last")
    elif number:
        listed = f"the last {count(shown)} of this list" if shown else "none of them listed"
        parts.append(f"{plural(number, 'session')} only in files, {listed} (--limit 0 lists all)")
    if unreadable:
        parts.append(f"{plural(unreadable, 'transcript file')} empty or unreadable, not listed")
    return " · ".join(parts)


def unknown_name(kind: str, name: str, known: Sequence[str]) -> str:
    """No session has this source or profile: the closest ones, else all."""
    close = closest(name, known)
    names = ", ".join(clean_line(one, 30) for one in close or sorted(known))
    where = " in this file" if kind == "source" else ""
    return f"No {kind} {name!r}{where}. {'Closest' if close else f'{kind.title()}s'}: {names}."


def unknown_source(name: str, known: Sequence[str]) -> str:
    return unknown_name("source", name, known)


def file_words(one: Session | Hit) -> str:
    """Which of several profiles a session is of; empty where only one file is listed."""
    return whose(one.owner, one.profile, one.place)


def several_entries(text: str, change: int, entries: Sequence["Entry"]) -> str:
    """Which sessions of a change may be meant."""
    shown = ", ".join(clean_line(one.full_id, 60) for one in entries[:MOST_NAMED])
    more = " …" if len(entries) > MOST_NAMED else "."
    return f"{text!r} matches several sessions of change {change}. Use one of: {shown}{more}"


def no_entry(text: str, change: int, entries: Sequence["Entry"]) -> str:
    """That no session of a change is meant, and the closest ones by id or title."""
    names = [name for one in entries for name in (one.session, one.title) if name]
    close = closest(text, names)
    shown = ", ".join(clean_line(name, 60) for name in close)
    see = f"Closest: {shown}." if close else f"`session-explorer trash show {change}` lists them."
    return f"{text!r} is not a session of change {change}. {see}"


def part_of(at: int, parts: int) -> str:
    """Below a session that is a part of a conversation."""
    return f"Part {at} of {parts} of this conversation. --conversation prints all of them."


def not_shown(messages: int) -> str:
    """Below a session of which some messages are hidden."""
    hidden = plural(messages, "rewound or hidden message")
    return f"{hidden} not shown. --all prints {'it' if messages == 1 else 'them'}."


def resuming(session: Session, now: float) -> str:
    """Which session is the last one."""
    facts = f"{session.source}, {ago(session.last_active, now)}"
    return f"Last active session: “{clean_line(session.name, 60)}” ({clean_line(facts)})"


def search_summary(
    query: str, shown: int, total: int, notes: Iterable[str], hidden: Mapping[Hidden, int]
) -> str:
    """Below the hits: how many of how many, what was not understood, and hits not listed."""
    found = _some(shown, total, "hit") if total else f"No matches for “{clean_line(query, 60)}”"
    parts = [found, *map(clean_line, notes)]
    if hidden:
        only = f"{next(iter(hidden)).words} sessions"
        where = only if len(hidden) == 1 else f"sessions: {_numbers(hidden)}"
        hits = plural(sum(hidden.values()), "more hit" if total else "hit")
        parts.append(f"{hits} in hidden {where} {_INCLUDED}")
    return " · ".join(parts)


def _some(shown: int, total: int, noun: str) -> str:
    if shown == total:
        return plural(total, noun)
    return f"{count(shown)} of {plural(total, noun)} (--limit 0 lists all)"


def _numbers(classes: Mapping[Hidden, int]) -> str:
    return ", ".join(f"{count(number)} {name.words}" for name, number in classes.items())


def profiles_read(number: int, unreadable: int) -> str:
    """How many profiles there are, and how many of them say nothing."""
    return f"{count(number)}, {count(unreadable)} cannot be read" if unreadable else count(number)


def nothing_to_undo(profile: str, other: "Receipt | None") -> str:
    """In the profile that Hermes uses; `other` is the newest change of another one."""
    none = f"The profile {clean_line(profile, 60)} has no change that can be undone."
    if other is None:
        return none
    undo = f"`session-explorer undo {other.number}` undoes the newest change in {_left_in(other)}"
    return f"{none} {undo}: {other.words}."


def newer_elsewhere(newest: "Receipt", passed: int) -> str:
    """Which changes of other profiles an undo passes over: the newest, and how many there are."""
    places = _left_in(newest)
    more = f" and {plural(passed - 1, 'other change')}" if passed > 1 else ""
    said = f"Not undone: the newer change in {places}: {clean_line(newest.words, 200)}{more}."
    return f"{said} `session-explorer undo {newest.number}` undoes it."


def _left_in(change: "Receipt") -> str:
    """The profiles in which a change is not undone."""
    left = [one for one in change.parts or (change,) if one.state.value != "undone"]
    return listed([clean_line(one.place, 60) for one in left])


def what_is_purged(receipts: Sequence["Receipt"]) -> str:
    """What is deleted with these changes: sessions that are only in the trash, and the way back of
    the other changes."""
    sessions = sum(one.sessions - one.back for one in receipts)
    lost = len(_only_undo(receipts))
    parts = [plural(sessions, "session")] if sessions else []
    if lost:
        parts.append(f"the undo of {plural(lost, 'other change' if sessions else 'change')}")
    if parts:
        return " and ".join(parts)
    return f"the history of {plural(len(receipts), 'change')}" if receipts else "nothing"


def which_are_purged(entries: Sequence["Entry"]) -> str:
    """The same of some sessions of a change: of those that were restored, only the copy."""
    gone = [one for one in entries if not one.is_back]
    copies = len(entries) - len(gone)
    parts = [gone[0].quoted if len(gone) == 1 else plural(len(gone), "session")] if gone else []
    if copies:
        of = "the copy of" if copies == 1 else "the copies of"
        parts.append(f"{of} {plural(copies, 'restored session')}")
    return " and ".join(parts)


def lost_undo(receipts: Sequence["Receipt"]) -> Iterable[str]:
    """Which changes stay and can no longer be undone."""
    lost = _only_undo(receipts)
    if lost:
        named = "; ".join(clean_line(one.words, 100) for one in lost[:MOST_NAMED])
        more = f"; and {count(len(lost) - MOST_NAMED)} more" if len(lost) > MOST_NAMED else ""
        yield f"Can no longer be undone: {named}{more}."


def _only_undo(receipts: Sequence["Receipt"]) -> list["Receipt"]:
    return [one for one in receipts if not one.sessions and one.state.value != "undone"]


def undone_in(places: Sequence[str]) -> str:
    """In which profiles an undo acts that none was named for."""
    names = ", ".join(clean_line(one, 60) for one in places)
    return f"One change in {len(places)} profiles; it will be undone in all of them: {names}."


def part_left(place: str, undo: str) -> str:
    """That a change was undone in one profile, and not in another one; `undo` is the command for
    it."""
    also = f"This change was also made in {clean_line(place, 200)}, and is not undone there."
    return f"{also} `session-explorer {clean_line(undo)}` undoes it."


def same_file(before: Path, path: Path) -> tuple[str, str]:
    """(a question, what a yes does) about a state file that may be another one under a new name."""
    old, new = short_path(before), short_path(path)
    asked = f"{old} is gone. Is {new} the same file under a new name?"
    moved = f"the history, trash, pins and titles of {old} move to {new}"
    return asked, f"If it is, {moved}. This cannot be undone."


def to_say_same_file(before: Path, path: Path) -> str:
    """What to do instead of showing what a restore would do: that is known after the question."""
    restore = f"To restore into {short_path(path)} as the same file under a new name"
    return f"{short_path(before)} is gone. {restore}, run this without --dry-run; it asks first."


def another_file(before: Path, path: Path) -> str:
    """Why nothing of a file that is gone is restored into this one."""
    old, new = short_path(before), short_path(path)
    why = f"{old} is gone, and {new} is another file: one change was made in both."
    return f"{why} Put {old} back to undo the change."


def taken_over(before: Path, path: Path) -> str:
    whose = f"the history, trash, pins and titles of {short_path(before)}"
    return f"Moved to {short_path(path)}: {whose}."


def several_gone(number: int, files: Mapping[Path, int]) -> str:
    """That a change was made in several state files that are gone; the number that it has in each
    of them tells which is meant."""
    each = listed([f"{part} for {short_path(path)}" for path, part in files.items()])
    return f"Change {number} was made in several files that are gone. Use {each}."


def only_profile(*names: str) -> str:
    """Which of several profiles a command acts on that could reach far."""
    noun = "profile" if len(names) == 1 else "profiles"
    only = f"Only the {noun} {listed([clean_line(name, 60) for name in names])}."
    return f"{only} For others, add --profile NAME or --all-profiles."


def which_profile(names: Sequence[str]) -> str:
    """What to add to a command that could reach far, where no profile is the usual one."""
    shown = ", ".join(clean_line(name, 60) for name in names)
    return f"Nothing was done. Add --profile NAME ({shown}), or --all-profiles."


def which_gone(names: Sequence[str]) -> str:
    """The same where the state files of all of them are gone."""
    gone = f"The state files of {listed([clean_line(name, 60) for name in names])} are gone."
    return f"Nothing was done. {gone} Add --all-profiles to empty the trash of all of them."


def damaged_profile(one: "OneStore") -> str:
    """That what is listed of one of several profiles may be wrong."""
    profile = one.store.profile if one.store is not None else None
    return f"{clean_line(one.name, 60)}: The file is damaged. {disagrees(profile)}"


def kept_elsewhere(profile: str, places: Sequence[str], command: str) -> str:
    """Where the sessions of a profile without a file are, and what lists them."""
    files = "file" if len(places) == 1 else "files"
    names = listed([clean_line(name, 60) for name in places])
    return f"Sessions of {profile} are in the {files} of {names}: `{command}` lists them."


def unreadable_profile(name: str, error: StoreError) -> str:
    """Why one of several profiles is not listed."""
    return f"{clean_line(name, 60)}: {error.title}. {error.message}"
