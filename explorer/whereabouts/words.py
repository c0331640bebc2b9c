"""What is said about a session that was found: why a list does not show it, and what to do."""

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from explorer.model import SAFE_ID, Hidden
from explorer.render.clean import clean_line
from explorer.render.figures import count, plural, short_day
from explorer.stores.hermes.store import STATE_FILE
from explorer.stores.server_path import on_server
from explorer.stores.sqlite.failures import short_path
from explorer.whereabouts.places import PROGRAM, SearchedFile, as_text
from explorer.whereabouts.sightings import Ended, Place, PlaceKind, Reason, Sighting, Unseen

LISTED = "Listed."
PROFILE = "profile"
SHOW_ALL, ADD_WORDS = "--limit 0 shows all", "add words to find them"
"""How to see sessions that are not shown, in a shell and in the app."""
MOST_ERROR = 600
"""Characters of why something was not searched, with what to do about it."""
MOST_PATH = 500
"""Characters of the path of a file without a command."""
MOST_NAMES = 12
"""Names of places that have nothing; of more there is the number."""
_CLASSES = {one.value: one.words for one in Hidden}
GO_TO, RESTORE, READ = "go to session", "open trash", "read"
"""What enter does with a hit."""
FIND_LOST = "Find lost session"
ONLY_COPIES, NOTHING_IN = "Only copies in", "Nothing in"
NOT_SEARCHED = "Not searched"
NOTHING_TO_OPEN = "No transcript to open"
NO_COMMAND = "There is no command for it that can be typed."
WITHOUT_FIELDS = "Fields such as source: are left out, since they may be what hides the session."


def place_words(place: Place) -> str:
    """What a place is called."""
    name = clean_line(place.name, 80)
    match place.kind:
        case PlaceKind.PROFILE:
            return f"{_noun(place)[0].upper()}{_noun(place)[1:]} {name}"
        case PlaceKind.CHATS:
            return f"Chats of {name}"
        case PlaceKind.TRASH:
            return f"Trash of {name}" if name else "Trash"
        case PlaceKind.FILES:
            return f"Files of {name}"
        case PlaceKind.SNAPSHOT:
            return f"Snapshot of {name}, {short_day(place.made)}"


def owner_words(found: Sighting) -> str:
    """Whose it is, where it belongs to another profile than its state file."""
    return clean_line(found.whose, 80) if found.of_another else ""


def without_sessions(ended: Iterable[Ended]) -> list[tuple[str, list[str]]]:
    """The places that were searched and told of no session, under headings; those of one kind
    together, since there may be many."""
    empty = [one for one in ended if one.searched and not one.found]
    headed = [
        (ONLY_COPIES, [one for one in empty if one.known]),
        (NOTHING_IN, [one for one in empty if not one.known]),
    ]
    return [(heading, _together(places)) for heading, places in headed if places]


def _together(ended: Iterable[Ended]) -> list[str]:
    alike: dict[tuple[str, str], list[Ended]] = {}
    for one in ended:
        match one.place.kind:
            case PlaceKind.PROFILE:
                of = _noun(one.place)
            case PlaceKind.SNAPSHOT:
                of = one.place.name
            case _:
                of = ""
        alike.setdefault((one.place.kind, of), []).append(one)
    lines = []
    for places in alike.values():
        known = sum(one.known for one in places)
        copies = f": {_copies(known)}" if known else ""
        lines.append(f"{_places_words([one.place for one in places])}{copies}")
    return lines


def _places_words(places: Sequence[Place]) -> str:
    """What several places of one kind are called, as in: 2 profiles: work, play."""
    if len(places) == 1:
        return place_words(places[0])
    names = ", ".join(clean_line(one.name, 80) for one in places[:MOST_NAMES])
    if len(places) > MOST_NAMES:
        names = f"{names} and {count(len(places) - MOST_NAMES)} more"
    match places[0].kind:
        case PlaceKind.PROFILE:
            return f"{plural(len(places), _noun(places[0]))}: {names}"
        case PlaceKind.CHATS:
            return f"Chats of {plural(len(places), 'profile')}: {names}"
        case PlaceKind.TRASH:
            return f"Trash of {plural(len(places), 'state file')}: {names}"
        case PlaceKind.FILES:
            return f"Files beside {plural(len(places), 'state file')}: {names}"
        case PlaceKind.SNAPSHOT:
            days = dict.fromkeys(short_day(one.made) for one in reversed(places))
            name = clean_line(places[0].name, 80)
            span = " to ".join(dict.fromkeys([next(iter(days)), next(reversed(days))]))
            return f"{plural(len(places), 'snapshot')} of {name}, {span}"


def _noun(place: Place) -> str:
    """Of files, only one in a home of Hermes is that of a profile."""
    hermes = place.path.name == STATE_FILE
    return PROFILE if hermes or on_server(place.path) else "state file"


def reason_words(found: Sighting) -> str:
    """Why a list does not show it, in sentences."""
    return " ".join(_reasons(found)) or LISTED


def _reasons(found: Sighting) -> Iterator[str]:
    reasons = set(found.reasons)
    changed = Reason.NOT_THE_WORDS in reasons
    hidden = [_CLASSES[name] for name in _hidden_as(found)]
    if Reason.OTHER_PROFILE in reasons:
        noun, name = _noun(found.place), clean_line(found.place.name, 80)
        file = f"the file of {name}" if noun == PROFILE else f"the {noun} {name}"
        other = f"Belongs to {found.owner}, but is in {file}."
        yield other if found.of_another else f"In another {noun}: {name}."
    for name in hidden:
        yield "Archived." if name == Hidden.ARCHIVED.words else f"Hidden: {name} session."
    if Reason.FILTERED in reasons:
        yield "Filtered out of the list."
    if Reason.FOLDED in reasons:
        number, parts = found.part
        yield f"Folded: part {number} of {parts} of its conversation."
    if Reason.REWOUND in reasons:
        yield "Only in messages that were rewound."
    if Reason.RENAMED in reasons:
        yield "Renamed: only an earlier title has these words."
    if {Reason.NO_SESSION, Reason.CLEARED} <= reasons:
        yield "Only in the trash, to be read there in the app: the session itself is gone."
    elif Reason.NO_SESSION in reasons:
        yield "Only its messages are left; the session itself is gone."
    if Reason.DELETED in reasons:
        yield f"Deleted: in the trash until {short_day(found.until)}."
    if Reason.CLEARED in reasons:
        yield f"Messages cleared: in the trash until {short_day(found.until)}."
    if found.after is not None:
        yield "The session itself was deleted later: restore it first."
    if Reason.SNAPSHOT in reasons:
        yield f"Only in a snapshot from {short_day(found.place.made)}."
    if Reason.GONE in reasons:
        yield "A chat leads to it, but no state file has it: deleted, or in a file not found here."
    if Reason.LOST in reasons:
        yield "A chat leads to it, but its state file cannot be read. Its id may find a copy."
    if Reason.FILE in reasons:
        yield "Only in a text file beside the state file."
    if changed:
        yield "The state file has this session, but not these words."


def command_for(found: Sighting, file: SearchedFile, text: str) -> str:
    """What to type to get at it; empty where an id or a path cannot be typed as it is shown."""
    return next(filter(_can_be_typed, _commands(found, file, text)), "")


def _can_be_typed(line: str) -> bool:
    """A name may hold anything, also what would change how the command is shown."""
    return clean_line(line) == line


def _commands(found: Sighting, file: SearchedFile, text: str) -> Iterator[str]:
    """The best one first."""
    if Reason.GONE in found.reasons:
        yield file.command("chats", *as_text(found.id))
    elif Reason.LOST in found.reasons:
        yield file.command("where", *as_text(found.id))
    elif found.path is not None and found.shows and re.fullmatch(SAFE_ID, found.id):
        yield file.command("show", id_=found.id)
    elif found.path is not None:
        yield shlex.join(("less", str(found.path)))
    elif found.receipt is not None:
        changes = [found.after.receipt, found.receipt] if found.after else [found.receipt]
        lines = [file.command("trash", "restore", str(one), *as_text(found.id)) for one in changes]
        if Reason.NO_SESSION not in found.reasons:
            yield " && ".join(lines)
    elif found.place.kind is PlaceKind.SNAPSHOT:
        yield _from_copy(found)
    else:
        if found.id and Reason.NO_SESSION not in found.reasons:
            rewound = ("--all",) if Reason.REWOUND in found.reasons else ()
            yield file.command("show", *rewound, id_=found.id)
        if found.field != "id":
            yield file.command("search", "--all", "--", text)


def _from_copy(found: Sighting) -> str:
    """What reads a session of a snapshot: not the snapshot itself, since SQLite would put files
    beside it. The copy has a folder of its own, so that nothing is overwritten and no log of
    another file is beside it; what was copied before is only read."""
    snapshot = found.place.path
    folder = f"recovered-{found.place.name.replace('/', '-')}-{snapshot.parent.name}"
    copy = f"{folder}/{STATE_FILE}"
    steps = (
        f"mkdir -p {shlex.quote(folder)}",
        f"test -e {shlex.quote(copy)} || {shlex.join(('cp', str(snapshot), copy))}",
        shlex.join((PROGRAM, "--db", folder, "show", *as_text(found.id))),
    )
    return "; ".join(steps)


def advice(found: Sighting, file: SearchedFile, command: str) -> str:
    """What to do besides the command, or where there is none."""
    if found.receipt is not None and not (on_server(file.path) or file.path.exists()):
        return state_file_gone(file.path)[1]
    hidden = ("--all",) if _hidden_as(found) or Reason.FOLDED in found.reasons else ()
    if _hidden_as(found) or (Reason.OTHER_PROFILE in found.reasons and found.of_another):
        return f"`{file.command('list', *hidden, '--limit', '0')}` lists it."
    if command or not {Reason.GONE, Reason.NO_SESSION}.isdisjoint(found.reasons):
        return ""
    if found.receipt is not None:
        whole = file.command("trash", "restore", str(found.receipt))
        return f"Its id cannot be typed. `{whole}` restores every session of that change."
    if found.path is not None:
        path = clean_line(str(found.path), MOST_PATH)
        return f"Open it in the app. Its name cannot be typed: {path}"
    return "Open it in the app. Its id cannot be typed."


def _hidden_as(found: Sighting) -> list[str]:
    """The classes for which it is hidden. What is only in a file is one where a list has it: not
    where the state file cannot be read, nor what was saved or exported."""
    passed = {Reason.FILTERED} if found.shows else {Reason.FILTERED, Reason.FILE}
    return [name for name in found.reasons if name in _CLASSES and name not in passed]


def state_file_gone(path: Path) -> tuple[str, str]:
    """Why something in the trash cannot be restored now."""
    where = clean_line(short_path(path), 200)
    return "Cannot restore it", f"Its state file {where} is gone: put it back first."


def lost_title(text: str, place: str, found: int, places: int, unsearched: int) -> str:
    """Above the hits; `place` is what is being searched."""
    state = f"{plural(found, 'session')} in {_looked_into(places, unsearched)}"
    return f"{FIND_LOST} · {f'searching {place} …' if place else state} · “{clean_line(text, 40)}”"


def ended_words(ended: Ended, see_more: str = "") -> str:
    """What came of a place, or why it could not be searched; `see_more` says how to see sessions
    that are not shown."""
    if ended.error and not ended.found:
        return clean_line(ended.error, MOST_ERROR)
    found = plural(ended.found + ended.more, "session") if ended.found else "nothing"
    return " · ".join([found, *besides(ended, see_more)])


def besides(ended: Ended, see_more: str) -> Iterator[str]:
    """What else there is in a place."""
    if ended.more:
        yield f"{count(ended.more)} more not shown ({see_more})"
    if ended.known:
        yield _copies(ended.known)
    if ended.error:
        yield clean_line(ended.error, MOST_ERROR)


def _copies(number: int) -> str:
    return f"{plural(number, 'copy', 'copies')} of sessions named above"


def unseen_words(unseen: Unseen) -> str:
    """Something that was not looked into, and why."""
    path = clean_line(short_path(unseen.path), 200)
    return f"{path}: {clean_line(unseen.what, 80)}, {clean_line(unseen.why, 300)}"


def summary(places: int, found: int, text: str, unsearched: int) -> str:
    """Below everything; so much of it is listed as `unsearched`."""
    looked = f"Searched {_looked_into(places, unsearched)}."
    if not found:
        return f"“{clean_line(text, 60)}” was not found {_nowhere(unsearched)}. {looked}"
    return f"{plural(found, 'session')} found. {looked}"


def not_found(unsearched: int) -> str:
    """In the place of hits, where there are none."""
    return f"Not found {_nowhere(unsearched)}. Try fewer words, or other ones."


def _nowhere(unsearched: int) -> str:
    return "in what could be searched" if unsearched else "anywhere"


def _looked_into(places: int, unsearched: int) -> str:
    missed = f", {count(unsearched)} not searched" if unsearched else ""
    return f"{plural(places, 'place')}{missed}"
