"""`where`: finds a session that no list shows, and says why, and how to get at it."""

import argparse
import os

from explorer.cancel import CancelToken
from explorer.commands.output import BOLD, CYAN, DIM, flush, note, painted, write, write_json
from explorer.commands.waiting import waiting_for, waiting_for_one
from explorer.errors import ExitCode, ExplorerError, UsageError
from explorer.render.clean import clean_line
from explorer.render.figures import ago, iso_utc
from explorer.settings import notes_path, trash_path
from explorer.stores.discover import FoundStore, current_folder
from explorer.stores.open_found import every_set
from explorer.whereabouts.lost_session import LostSession, OwnFiles
from explorer.whereabouts.places import located
from explorer.whereabouts.sightings import Begun, Ended, Sighting, Unseen
from explorer.whereabouts.wanted import Wanted
from explorer.whereabouts.words import (
    NOT_SEARCHED,
    SHOW_ALL,
    WITHOUT_FIELDS,
    advice,
    command_for,
    ended_words,
    owner_words,
    place_words,
    reason_words,
    summary,
    unseen_words,
    without_sessions,
)


def find_session(options: argparse.Namespace, now: float) -> int:
    wanted = Wanted.of(" ".join(options.text), now)
    ours = OwnFiles(notes_path(), trash_path())
    here = current_folder()
    listed, unfound = located(options.db, options.profile, os.environ, here)
    listed = _every_set(listed)
    most = options.limit
    search = LostSession(wanted, listed, ours, os.environ, here, now, most, unfound, waiting_for)
    found: list[Sighting] = []
    ended: list[Ended] = []
    unseen: list[Unseen] = []
    for told in search.look(CancelToken()):
        match told:
            case Sighting():
                if not options.json:
                    _write(told, search, first=not found or found[-1].place != told.place, now=now)
                found.append(told)
            case Ended():
                ended.append(told)
            case Unseen():
                unseen.append(told)
            case Begun():
                pass
    if options.json:
        write_json(
            {
                "query": wanted.text,
                "found": sum(one.found + one.more for one in ended),
                "sightings": [_sighting_shape(one, search) for one in found],
                "places": [_place_shape(one) for one in ended],
                "not_searched": [
                    {"path": str(one.path), "what": one.what, "why": one.why}
                    for one in (*_failed(ended), *unseen)
                ],
            }
        )
    else:
        _write_end(ended, unseen, wanted)
    return ExitCode.DONE if found else _not_found(ended)


def _not_found(ended: list[Ended]) -> ExitCode:
    """It may be in a place that the user named, and that could not be searched."""
    failed = (one.fails for one in ended if one.fails is not ExitCode.DONE)
    return next(failed, ExitCode.NO_SUCH_SESSION)


def _every_set(found: list[FoundStore]) -> list[FoundStore]:
    try:
        return every_set(found, waiting=waiting_for_one(found))
    except UsageError:
        raise
    except ExplorerError as error:
        note(f"{error.title}. {error.message}")
        # A database is told among the places that could not be searched.
        return found


def _write(found: Sighting, search: LostSession, first: bool, now: float) -> None:
    if first:
        write(painted(place_words(found.place), BOLD))
    file = search.state_file(found.place.path)
    active = ago(found.last_active, now) if found.last_active else ""
    facts = [found.id, owner_words(found), found.source, active]
    dim = painted(" · ".join(clean_line(one, 100) for one in facts if one), DIM)
    write(f"  {clean_line(found.called, 100)}  {dim}")
    if found.field != "id":
        write(f"    {clean_line(found.field)}: {clean_line(found.snippet)}")
    command = command_for(found, file, search.wanted.text)
    write(f"    {' '.join(filter(None, (reason_words(found), advice(found, file, command))))}")
    if command:
        write(f"    {painted(command, CYAN)}")
    write("")
    flush()


def _write_end(ended: list[Ended], unseen: list[Unseen], wanted: Wanted) -> None:
    searched = [one for one in ended if one.searched]
    failed = [one for one in ended if not one.searched]
    if any(one.found for one in searched):
        note("Searched:")
    for one in searched:
        if one.found:
            note(f"  {place_words(one.place)}: {ended_words(one, SHOW_ALL)}")
    for heading, lines in without_sessions(ended):
        note(f"{heading}:")
        for line in lines:
            note(f"  {line}")
    if unseen or failed:
        note(f"{NOT_SEARCHED}:")
        for one in failed:
            note(f"  {place_words(one.place)}: {ended_words(one)}")
        for other in unseen:
            note(f"  {unseen_words(other)}")
    if wanted.dropped:
        note(WITHOUT_FIELDS)
    number = sum(one.found + one.more for one in ended)
    note(summary(len(searched), number, wanted.text, len(failed) + len(unseen)))


def _failed(ended: list[Ended]) -> list[Unseen]:
    """The places that could not be looked into."""
    return [
        Unseen(one.place.path, place_words(one.place), one.error)
        for one in ended
        if not one.searched
    ]


def _sighting_shape(found: Sighting, search: LostSession) -> dict[str, object]:
    file = search.state_file(found.place.path)
    return {
        "place": found.place.kind.value,
        "profile": found.place.name,
        "owner": found.owner,
        "store": str(found.place.state_file),
        "path": str(found.path or found.place.path),
        "id": found.id,
        "title": found.title,
        "name": found.called,
        "source": found.source,
        "last_active": iso_utc(found.last_active),
        "reasons": [str(reason) for reason in found.reasons],
        "why": reason_words(found),
        "field": found.field,
        "snippet": found.snippet,
        "marks": found.marks,
        "messages": found.messages,
        "part": found.part[0],
        "parts": found.part[1],
        "receipt": found.receipt,
        "kept_until": iso_utc(found.until),
        "snapshot_at": iso_utc(found.place.made),
        "command": command_for(found, file, search.wanted.text),
    }


def _place_shape(ended: Ended) -> dict[str, object]:
    return {
        "place": ended.place.kind.value,
        "profile": ended.place.name,
        "path": str(ended.place.path),
        "sessions": ended.found,
        "more": ended.more,
        "copies": ended.known,
        "error": ended.error or None,
    }
