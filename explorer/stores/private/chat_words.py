"""Where a session came from, without saying who talked. A name or id is hidden as a whole, however
short or common it is, since it is known to be one."""

import re

from explorer.render.veil import MARK
from explorer.stores.chat_origin import LOCAL, Origin
from explorer.stores.private.hiding import Hiding
from explorer.stores.private.marks import Who

_WORDS = re.compile(
    r"(?s)(DM with |group: |channel: )?(.*?)(?:(, thread: )((?:(?!, thread: ).)*))?"
)
_NOBODY = ("", "user", "CLI terminal", "dm", "group", "channel", "thread", "forum")
"""What stands there where nobody is named."""


def hidden_origin(hiding: Hiding, origin: Origin) -> Origin:
    """It with marks, the same ones as in its words."""
    if origin.platform == LOCAL:
        return Origin(platform=origin.platform, chat_type=origin.chat_type)
    direct = Who.USER if origin.chat_type == "dm" else Who.CHAT

    def mark(who: Who, value: str) -> str:
        return hiding.whole(who, value) if value else ""

    return origin._replace(
        chat_id=mark(direct, origin.chat_id),
        chat_name=mark(direct, origin.chat_name),
        user_id=mark(Who.USER, origin.user_id),
        user_name=mark(Who.USER, origin.user_name),
        thread_id=mark(Who.CHAT, origin.thread_id),
        topic=mark(Who.CHAT, origin.topic),
    )


def hidden_words(hiding: Hiding, words: str) -> str:
    """`Origin.words` with marks."""
    found = _WORDS.fullmatch(words)
    if found is None or words in _NOBODY:
        return words
    front, who, between, thread = (part or "" for part in found.groups())
    kind = Who.USER if front.startswith("DM") else Who.CHAT
    shown = who if who in _NOBODY else hiding.whole(kind, who)
    return front + shown + between + (hiding.whole(Who.CHAT, thread) if thread else "")


def hidden_name(hiding: Hiding, text: str) -> str:
    """A person or chat, with what is said before it; one that has a mark already keeps it."""
    text = hiding.hide(text)
    mark = re.search(MARK, text)
    front = _WORDS.fullmatch(text)
    return f"{(front and front[1]) or ''}{mark[0]}" if mark else hidden_words(hiding, text)


def hidden_lines(hiding: Hiding, text: str) -> str:
    """The words for a chat, and below them what else it may be looked for by, with marks."""
    words, *others = text.split("\n")
    marks = (
        hiding.hide(one)
        if one.startswith("agent:") or one in _NOBODY
        else hiding.whole(Who.CHAT, one)
        for one in others
    )
    return "\n".join((hidden_words(hiding, words), *marks))
