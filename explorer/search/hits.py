"""Matches as hits: with the words around them, where they stand, and their neighbours."""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from explorer.model import Hit, Message, MessageState
from explorer.search.excerpt import excerpt, marks
from explorer.search.run import Found
from explorer.store.base import Label, Match, Store
from explorer.store.read_only import CancelToken

AT_ONCE = 200
"""Messages read together: enough to be quick, few enough to stream."""
CONTEXT_CHARS = 200


def hits(
    store: Store, found: Found, limit: int | None, token: CancelToken | None = None
) -> Iterable[Hit]:
    """Titles first, then messages, newest first, at most `limit` in all."""
    titles = found.titles[:limit]
    yield from _title_hits(store, titles, found.query.terms, token)
    left = None if limit is None else limit - len(titles)
    wanted = found.matches[:left]
    for start in range(0, len(wanted), AT_ONCE):
        yield from _message_hits(store, wanted[start : start + AT_ONCE], found, token)


def _title_hits(
    store: Store, keys: Sequence[int], terms: Sequence[str], token: CancelToken | None
) -> Iterable[Hit]:
    labels = store.labels(keys, token)
    for key in keys:
        label = labels.get(key)
        if label is None or label.title is None:
            continue
        yield Hit(
            session_key=key,
            session_id=label.id,
            message_id=None,
            title=label.title,
            source=label.source,
            role="session",
            timestamp=None,
            field="title",
            state=MessageState.LIVE,
            snippet=label.title,
            marks=marks(label.title, terms),
        )


class _Texts(NamedTuple):
    """The messages that one batch of hits needs, with their neighbours."""

    body: dict[tuple[int, int], Message]
    sides: dict[tuple[int, int], tuple[int | None, int | None]]


def _message_hits(
    store: Store, batch: Sequence[Match], found: Found, token: CancelToken | None
) -> Iterable[Hit]:
    by_session: dict[int, list[int]] = {}
    for match in batch:
        if match.session_key is not None:
            by_session.setdefault(match.session_key, []).append(match.message_id)
    labels = store.labels(list(by_session), token)
    texts = _read(store, by_session, found.everything, token)
    lost = _lost(store, {match.session_id for match in batch if match.session_key is None}, token)
    for match in batch:
        if match.session_key is None:
            message = lost.get((match.session_id, match.message_id))
            label = Label(match.session_id, None, "")
        else:
            message = texts.body.get((match.session_key, match.message_id))
            label = labels.get(match.session_key, Label(match.session_id, None, ""))
        if message is not None:
            yield _hit(match, message, label, texts, found.query.terms)


def _lost(
    store: Store, ids: Iterable[str], token: CancelToken | None
) -> dict[tuple[str, int], Message]:
    """Messages whose session row is gone still can be read by the id they name."""
    return {(id_, found.id): found for id_ in ids for found in store.lost_messages(id_, token)}


def _read(
    store: Store, by_session: dict[int, list[int]], rewound: bool, token: CancelToken | None
) -> _Texts:
    texts = _Texts({}, {})
    for key, ids in by_session.items():
        sides = store.around(key, ids, rewound, token)
        wanted = {*ids, *(side for pair in sides.values() for side in pair if side is not None)}
        for message in store.messages(key, sorted(wanted), token):
            texts.body[key, message.id] = message
        texts.sides.update({(key, id_): pair for id_, pair in sides.items()})
    return texts


def _hit(match: Match, message: Message, label: Label, texts: _Texts, terms: Sequence[str]) -> Hit:
    field, text = _where(message, terms)
    snippet, places = excerpt(text, terms)
    context = []
    if match.session_key is not None:
        for side in texts.sides.get((match.session_key, match.message_id), ()):
            beside = texts.body.get((match.session_key, side)) if side is not None else None
            if beside is not None:
                context.append((beside.role, " ".join(beside.text[:CONTEXT_CHARS].split())))
    return Hit(
        session_key=match.session_key,
        session_id=match.session_id,
        message_id=match.message_id,
        title=label.title,
        source=label.source,
        role=message.role,
        timestamp=message.timestamp,
        field=field,
        state=message.state,
        snippet=snippet,
        marks=places,
        context=tuple(context),
    )


def _where(message: Message, terms: Sequence[str]) -> tuple[str, str]:
    """(field, its text): the first field that holds a term; content when none does by itself."""
    calls = "\n".join(f"{call.name} {_words(call.arguments)}" for call in message.tool_calls)
    fields = (
        ("content", message.text),
        ("tool_calls", calls),
        ("tool_name", message.tool_name or ""),
        ("reasoning", message.reasoning),
    )
    for name, text in fields:
        if text and excerpt(text, terms)[1]:
            return name, text
    return "content", message.text or calls


def _words(arguments: object) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
