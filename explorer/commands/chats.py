"""`chats`: who talks to the agent through Hermes' gateway, and which session is going on there."""

import argparse

from explorer.browse.chats import (
    NO_CHATS,
    ChatList,
    ChatSort,
    ChatWish,
    chosen,
    facts,
    flags,
    next_words,
    read_chats,
    session_words,
    span_of,
    state_of_chat,
    unknown_platforms,
    wish_of_words,
)
from explorer.commands.output import BOLD, DIM, note, painted, write, write_json
from explorer.commands.pager import paged
from explorer.commands.stores import chosen_store, warn_unreadable
from explorer.commands.words import unknown_name
from explorer.errors import ExitCode, UsageError
from explorer.render.clean import clean_line
from explorer.render.figures import iso_utc, plural
from explorer.stores.chats import Chat, ChatSession


def list_chats(options: argparse.Namespace, now: float) -> int:
    store = chosen_store(options)
    listed = read_chats(store, now)
    wish = _wish(options)
    unknown, known = unknown_platforms(listed, wish)
    if unknown and known:
        raise UsageError("No such platform", unknown_name("platform", unknown[0], known))
    found = chosen(listed, wish, ChatSort.UPDATED, now)
    warn_unreadable(store, options)
    for trouble in listed.troubles:
        note(trouble)
    if options.json:
        write_json(
            {
                "total": len(listed.chats),
                "matching": len(found),
                "chats": [_chat_shape(chat, listed, now) for chat in found],
            }
        )
        return ExitCode.DONE
    with paged(not options.no_pager):
        for chat in found:
            _write(chat, listed, now, several=bool(store.places))
    note(_summary(listed, found))
    return ExitCode.DONE


def _wish(options: argparse.Namespace) -> ChatWish:
    wish = wish_of_words(options.words)
    active = wish.active
    if options.active is not None:
        active = span_of(options.active)
        if active is None:
            wrong = f"{clean_line(options.active, 40)!r} is not an age: use 12h, 7d or 8w."
            raise UsageError("Wrong value for --active", wrong)
    platforms = wish.platforms.union(one.casefold() for one in options.platform)
    return wish._replace(platforms=platforms, active=active)


def _write(chat: Chat, listed: ChatList, now: float, several: bool) -> None:
    about = " · ".join((*facts(chat, now, several), *flags(chat, now)))
    write(f"{painted(listed.words(chat), BOLD)}  {painted(about, DIM)}")
    id_ = painted(clean_line(chat.session_id, 100), DIM) if listed.name(chat) else ""
    write(f"  {session_words(listed, chat)}{f'  {id_}' if id_ else ''}")
    if coming := next_words(chat, now):
        write(f"  {coming}")
    write("")


def _summary(listed: ChatList, found: list[Chat]) -> str:
    if not listed.chats:
        return NO_CHATS
    if len(found) < len(listed.chats):
        return f"{len(found):,} of {plural(len(listed.chats), 'chat')}"
    return plural(len(found), "chat")


def _chat_shape(chat: Chat, listed: ChatList, now: float) -> dict[str, object]:
    origin, reset = chat.origin, chat.reset
    return {
        "key": chat.key,
        "platform": origin.platform or None,
        "chat_type": origin.chat_type or None,
        "name": origin.chat_name or None,
        "description": chat.words,
        "thread_id": origin.thread_id or None,
        "topic": origin.topic or None,
        "user": origin.people or None,
        "profile": chat.profile or None,
        "store": chat.file,
        "session_id": chat.session_id or None,
        "session_title": chat.current.title if chat.current else None,
        "session_name": listed.name(chat) or None,
        "session_store": chat.current.file if chat.current else None,
        "session": chat.where.value,
        "updated_at": iso_utc(chat.updated_at),
        "tokens": chat.tokens,
        "cost_usd": chat.cost_usd,
        "state": state_of_chat(chat),
        "moved": chat.moved,
        "reset": {
            "mode": reset.mode,
            "at": iso_utc(reset.at),
            "reason": reset.reason or None,
            "words": next_words(chat, now) or None,
            "route_forgotten_at": iso_utc(reset.forgotten_at),
        },
        "earlier": [_earlier_shape(one) for one in chat.earlier],
        "known_from": chat.known_from.value,
    }


def _earlier_shape(one: ChatSession) -> dict[str, object]:
    return {
        "id": one.id,
        "title": one.title,
        "last_active": iso_utc(one.last_active),
        "end_reason": one.end_reason,
        "store": one.file,
    }
