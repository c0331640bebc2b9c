"""`show`: one session, or its whole conversation, as text, Markdown or JSON."""

import argparse
from collections.abc import Sequence

from explorer.commands.output import BOLD, CYAN, DIM, note, painted, write, write_json
from explorer.commands.pager import paged
from explorer.commands.shapes import fate_shape, message_shape, provenance_shape, session_shape
from explorer.commands.stores import chosen_store, warn_unreadable, with_noted_pins
from explorer.commands.words import not_shown, only_in_file, part_of
from explorer.errors import ExitCode, NoSuchSession, SeveralSessions
from explorer.export import MARKDOWN, Format, message_lines, session_lines
from explorer.model import Message, Provenance
from explorer.stores.base import FileSession, Store
from explorer.stores.resolve import (
    conversation_provenance,
    left_out,
    read_conversation,
    resolve,
    without_repeats,
)


def show_session(options: argparse.Namespace, now: float) -> int:
    store = chosen_store(options)
    try:
        key = resolve(store, options.id).key
    except SeveralSessions:
        raise
    except NoSuchSession:
        if alone := store.file_session(options.id):
            _show_file(options, store, alone)
            return ExitCode.DONE
        lost = store.lost_messages(options.id)
        if not lost:
            raise
        _show_lost(options, lost)
        return ExitCode.DONE
    catalog = store.catalog()
    unit = catalog.folded(key) if options.conversation else catalog.single(key)
    found = store.sessions([unit], now)
    warn_unreadable(store, options)
    if not found:
        raise NoSuchSession("No such session", f"{options.id!r} was deleted just now.")
    session = found[0]
    messages = read_conversation(store, unit.parts, options.all)
    if options.json:
        told = list(messages)
        provenance = conversation_provenance(store, unit.parts, options.all)
        fate = fate_shape(store.fates(catalog, unit.parts), unit.parts, now)
        (session,) = with_noted_pins(store, catalog, [session])
        write_json(_document(session_shape(session, store, fate), told, provenance))
    else:
        provenance = conversation_provenance(store, unit.parts, options.all)
        prompt = store.system_prompt(key)
        form = _FORMATS[options.format]
        with paged(not options.no_pager):
            for line in session_lines(session, messages, form, provenance, prompt):
                write(line)
        chain = catalog.chain(key)
        if len(chain) > len(unit.parts):
            note(part_of(chain.index(key) + 1, len(chain)))
        if not options.all and (hidden := left_out(store, unit.parts)):
            note(not_shown(hidden))
    return ExitCode.DONE


def _document(
    session: object, messages: Sequence[Message], provenance: Provenance | None = None
) -> dict[str, object]:
    return {
        "session": session,
        "from": provenance_shape(provenance or Provenance(len(messages))),
        "messages": [message_shape(message) for message in messages],
    }


def _show_file(options: argparse.Namespace, store: Store, alone: FileSession) -> None:
    """A session that exists only as a file is shown as any other."""
    messages = alone.messages if options.all else list(without_repeats(alone.messages))
    if options.json:
        shape = session_shape(alone.session, store, None)
        write_json(_document(shape, messages, alone.provenance))
        return
    with paged(not options.no_pager):
        for line in session_lines(
            alone.session, messages, _FORMATS[options.format], alone.provenance
        ):
            write(line)
    note(only_in_file(alone.provenance))


def _show_lost(options: argparse.Namespace, lost: list[Message]) -> None:
    """Messages whose session row is gone are still shown, with a note."""
    messages = lost if options.all else list(without_repeats(lost))
    if options.json:
        write_json(_document(None, messages))
        return
    note(f"Session {options.id!r} is no longer in the file. These are its messages.")
    with paged(not options.no_pager):
        for message in messages:
            for line in message_lines(message, _FORMATS[options.format]):
                write(line)


def _folded(title: str, text: str) -> str:
    """What the app folds: a title, and the text below it, dimmed."""
    lines = (f"  {line}" for line in text.split("\n"))
    return "\n".join(painted(line, DIM) for line in (f"▾ {title}", *lines))


_TEXT = Format(
    title=lambda text: painted(text, BOLD),
    facts=lambda text: painted(text, DIM),
    heading=lambda text: painted(f"── {text}", CYAN),
    seam=lambda text: painted(f"──── {text} ────", DIM),
    folded=_folded,
    opaque=lambda text: painted(text, DIM),
    result=str,
    call=lambda name, arguments: f"▸ {name} {arguments}",
)
_FORMATS = {"text": _TEXT, "markdown": MARKDOWN}
