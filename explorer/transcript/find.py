"""Looking through a conversation in a worker thread, without laying it out; and its matches
highlighted in painted lines.

From where the reader is to the end, then from the beginning: the first hit comes at once, however
long the conversation is. Texts are read in batches that grow, and are not kept.

What is looked for may have been wrapped: the lines of a block are looked at as one text, and such
a match is highlighted on both sides of the break.
"""

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate, takewhile
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.model import Message, ToolCall
from explorer.render.blocks import Block, whole_text
from explorer.render.lines import MATCH, Line, line_text, restyled
from explorer.render.passages import REASONING, passages
from explorer.render.tools.results import opened
from explorer.search.matcher import Matcher, said
from explorer.search.pattern import BadPattern, Pattern, count_in, hurried
from explorer.stores.base import Store
from explorer.transcript.document import BlockPlace, LaidMessage
from explorer.transcript.layout import ConversationOutline, read_items

HERE = "match-here"
BLOCKS_KEPT = 500
"""Blocks whose matches are kept: many more than are visible."""
_MARGIN = " ▎│"
"""What stands before the text of a wrapped line: its indent, and the bars of quotes and code."""

_MARKS = r"[*_`~]+"
FIRST_BATCH = 40
LARGEST_BATCH = 640
REST = 0.05
"""Seconds after the first match, for it to be painted: both would share one processor."""
LONG = 100_000
"""Letters of a result from which on it is looked at as it is stored, before it is opened."""
_FAILED = ("error", "interrupted", "cancelled", "length", "content_filter")


class Match(NamedTuple):
    """One match in a conversation."""

    item: int
    """The message that it is in."""
    key: str
    """The name of its block."""
    number: int = 0
    """The match index within that block."""


class Highlight(NamedTuple):
    """A part of a line that belongs to a match."""

    start: int
    end: int
    number: int
    """The match index within the block."""


def goes_across(finder: Pattern) -> bool:
    """Whether what is looked for may go over the end of a line: words with a space between them.
    A reader cannot see where a line was wrapped and where it ends."""
    words = finder.text.strip()
    return " " in words and words == finder.text and not words.startswith("/")


def as_seen(text: str, finder: Pattern, is_prose: bool) -> str:
    """A stored text as it is to be looked through: in one line for what goes across lines, and
    without the marks of Markdown, unless these are looked for."""
    if not goes_across(finder):
        return text
    text = re.sub(r"\n[ \t]*", " ", text)
    return text if not is_prose or re.search(_MARKS, finder.text) else re.sub(_MARKS, "", text)


def matches_in(lines: Sequence[Line], finder: Pattern) -> tuple[tuple[Highlight, ...], ...]:
    """For each line of a block, what of it matches. Raises for an expression that takes too long to
    be painted."""
    across = goes_across(finder)
    texts = list(map(line_text, lines))
    margins = [len(text) - len(text.lstrip(_MARGIN)) if across else 0 for text in texts]
    kept = [text[margin:] for text, margin in zip(texts, margins, strict=True)]
    begins, offset = [], 0
    for text in kept:
        begins.append(offset)
        offset += len(text) + 1
    found: list[list[Highlight]] = [[] for _ in lines]
    with hurried():
        for index, (start, end) in enumerate(finder.spans((" " if across else "\n").join(kept))):
            at = bisect_right(begins, start) - 1
            while at < len(kept) and begins[at] < end:
                first, last = max(start - begins[at], 0), min(end - begins[at], len(kept[at]))
                if first < last:
                    found[at].append(Highlight(first + margins[at], last + margins[at], index))
                at += 1
    return tuple(map(tuple, found))


def marked(line: Line, found: Sequence[Highlight], here: int | None = None) -> Line:
    """The line with its matches highlighted, the one with the index `here` more than the others."""
    return restyled(line, [(*one[:2], HERE if one.number == here else MATCH) for one in found])


class Highlights:
    """What is highlighted in a transcript, and the one match that the reader was led to."""

    def __init__(self) -> None:
        self.finder: Pattern | None = None
        self.here: tuple[BlockPlace, int] | None = None
        """(block, match index in it) where a step has led."""
        self._known: dict[BlockPlace, tuple[Block, tuple[tuple[Highlight, ...], ...]]] = {}
        self._too_slow = False
        """What is looked for kept the screen waiting: it is highlighted nowhere any more."""

    def use(self, finder: Pattern | None) -> None:
        """Look for something else, or for nothing."""
        self.finder, self.here = finder, None
        self._too_slow = False
        self._known.clear()

    def of(self, place: BlockPlace, block: Block) -> tuple[tuple[Highlight, ...], ...]:
        """What is highlighted in each line of a block."""
        known = self._known.get(place)
        if known is not None and known[0] is block:
            return known[1]
        if len(self._known) >= BLOCKS_KEPT:
            self._known.clear()
        found: tuple[tuple[Highlight, ...], ...] = ((),) * len(block.lines)
        if self.finder is not None and not self._too_slow:
            try:
                found = matches_in(block.lines, self.finder)
            except ExplorerError:
                self._too_slow = True
        self._known[place] = block, found
        return found

    def painted(self, place: BlockPlace, block: Block, line: int) -> Line:
        """A line of a block with its matches."""
        here = self.here[1] if self.here is not None and self.here[0] == place else None
        return marked(block.lines[line], self.of(place, block)[line], here)

    def lead_to(self, place: BlockPlace, block: Block, index: int) -> int:
        """The line of a match in a block. One that is not shown lies behind what the cap left out,
        which the last line says."""
        lines: dict[int, int] = {}
        for at, line in enumerate(self.of(place, block)):
            for one in line:
                lines.setdefault(one.number, at)
        if index not in lines and not block.opens_alone:
            index = max(lines, default=0)
        self.here = place, index
        return lines.get(index, len(block.lines) - 1 if block.opens_alone else 0)


Counts = tuple[tuple[str, int], ...]
"""(block, matches in it) of one message."""


class Hits:
    """All matches so far, in the order of the conversation."""

    def __init__(self) -> None:
        self._found: dict[int, Counts] = {}
        self._items: list[int] = []
        self.total = 0
        self.looked_at = 0
        """Messages that were looked through."""
        self._before: list[int] | None = None
        """Matches before each message that has some; None after a change."""

    def add(self, found: Mapping[int, Counts], looked_at: int) -> None:
        for item, counts in found.items():
            insort(self._items, item)
            self._found[item] = counts
            self.total += _sum(counts)
        self._before = None
        self.looked_at += looked_at

    def forget_from(self, item: int) -> None:
        """What is known of all messages from one on may have changed."""
        at = bisect_left(self._items, item)
        for gone in self._items[at:]:
            self.total -= _sum(self._found.pop(gone))
        del self._items[at:]
        self._before = None
        self.looked_at = min(self.looked_at, item)

    def has(self, match: Match) -> bool:
        return match.number < dict(self._found.get(match.item, ())).get(match.key, 0)

    def at_or_after(self, item: int) -> Match | None:
        """The first match from a message on, else from the beginning."""
        if not self._items:
            return None
        at = bisect_left(self._items, item)
        return self._match(self._items[at % len(self._items)], 0)

    def first_in(self, item: int, key: str) -> Match | None:
        """The first match in a block of a message."""
        return Match(item, key) if dict(self._found.get(item, ())).get(key) else None

    def beside(self, match: Match, step: int) -> Match:
        """The next or previous match, round the ends."""
        at = self._inside(match) + step
        if 0 <= at < _sum(self._found[match.item]):
            return self._match(match.item, at)
        here = bisect_left(self._items, match.item)
        item = self._items[(here + step) % len(self._items)]
        return self._match(item, 0 if step > 0 else _sum(self._found[item]) - 1)

    def number_of(self, match: Match) -> int:
        """Its number among all matches so far, from 1."""
        if self._before is None:
            sums = (_sum(self._found[item]) for item in self._items)
            self._before = list(accumulate(sums, initial=0))
        return self._before[bisect_left(self._items, match.item)] + self._inside(match) + 1

    def _match(self, item: int, at: int) -> Match:
        """A match of a message; only counted, for one of 8 MB may have a million."""
        counts = self._found[item]
        sums = list(accumulate(number for _, number in counts))
        block = bisect_right(sums, at)
        return Match(item, counts[block][0], at - (sums[block - 1] if block else 0))

    def _inside(self, match: Match) -> int:
        """The match index within its message, from 0."""
        counts = self._found[match.item]
        return _sum(tuple(takewhile(lambda one: one[0] != match.key, counts))) + match.number


def _sum(counts: Counts) -> int:
    return sum(number for _, number in counts)


def look_through(
    store: Store,
    outlined: ConversationOutline,
    start: int,
    finder: Pattern,
    tell: Callable[[dict[int, Counts], int], None],
    token: CancelToken,
    known: Mapping[int, LaidMessage] = {},
    first: int = 0,
) -> None:
    """Find all matches from the message `first` on, those from `start` on before the others;
    `tell` gets those of each batch, and how many messages it was of. Those that are `known` from
    where the search begins are not read again."""
    answered = outlined.answered
    rest = REST
    near = list(takewhile(known.__contains__, range(start, start + FIRST_BATCH)))
    for items in _batches(start, len(outlined.outlines), len(near), first):
        found: dict[int, Counts] = {}
        for item, message, call, again in read_items(store, outlined, items, token, known):
            if message is None or again or item not in items:
                continue
            token.check()
            if len(message.text) > LONG and finder.is_not_in(message.text):
                message = message._replace(text="")
            said = texts(message, call, answered)
            seen = ((key, as_seen(text, finder, key.startswith("text"))) for key, text in said)
            counted = ((key, count_in(finder, text)) for key, text in seen)
            counts = tuple((key, number) for key, number in counted if number)
            if counts:
                found[item] = counts
        tell(found, len(items))
        if found and rest:
            token.wait(rest)
            rest = 0.0


def next_error(
    store: Store, outlined: ConversationOutline, start: int, token: CancelToken
) -> Match | None:
    """The next thing that went wrong, round the end."""
    for items in _batches(start, len(outlined.outlines)):
        for item, message, _, _ in read_items(store, outlined, items, token):
            if message is None or item not in items:
                continue
            if message.role == "tool" and opened(message.text).failed:
                return Match(item, "call")
            if message.finish_reason in _FAILED:
                return Match(item, "finish")
    return None


def first_match(
    store: Store,
    outlined: ConversationOutline,
    message_id: int,
    matcher: Matcher,
    token: CancelToken,
) -> Match | None:
    """Where a message that was found matches; a call that is answered is drawn with its answer."""
    item = outlined.item_of(message_id)
    if item is None:
        return None
    try:
        return _match_in(store, outlined, item, matcher, token)
    except BadPattern:
        # The message is known all the same, if not where in it.
        return Match(item, "text")


def _match_in(
    store: Store, outlined: ConversationOutline, item: int, matcher: Matcher, token: CancelToken
) -> Match:
    read = read_items(store, outlined, range(item, item + 1), token)
    message = next((one.message for one in read if one.item == item), None)
    where = matcher.where(message) if message else None
    if message is None or where is None:
        return Match(item, "text")
    if message.role == "tool":
        return Match(item, "call")
    if where.field == "reasoning" and matcher.spans(message.reasoning):
        return Match(item, "reasoning")
    if where.field != "tool_calls":
        thought = where.field == "reasoning"
        pieces = (one for one in passages(message) if (one.label == REASONING) == thought)
        holding = (one.key for one in pieces if matcher.spans(one.text))
        return Match(item, next(holding, "reasoning" if thought else "text"))
    for number, call in enumerate(message.tool_calls):
        if matcher.spans(f"{call.name}\n{said(call.arguments)}"):
            later = range(item, len(outlined.outlines)) if call.id else ()
            answers = (at for at in later if outlined.outlines[at].tool_call_id == call.id)
            answer = next(answers, None)
            return Match(item, f"call-{number}") if answer is None else Match(answer, "call")
    return Match(item, "text")


def unchanged(before: ConversationOutline, now: ConversationOutline) -> int:
    """How many messages at the beginning need not be looked through again, now that a session has
    become longer: the last turn may have got results."""
    number = len(before.outlines)
    ids = [one.id for one in now.outlines[:number]]
    if before.session.key != now.session.key or ids != [one.id for one in before.outlines]:
        return 0
    while number > 0 and (number == len(before.outlines) or before.outlines[number].role == "tool"):
        number -= 1
    return number


def _batches(start: int, end: int, near: int = 0, begin: int = 0) -> Iterator[range]:
    size = near or FIRST_BATCH
    for first, last in ((start, end), (begin, start)):
        while first < last:
            yield range(first, min(first + size, last))
            first += size
            size = min(max(size * 2, FIRST_BATCH), LARGEST_BATCH)


def texts(
    message: Message, call: ToolCall | None, answered: AbstractSet[str]
) -> Iterator[tuple[str, str]]:
    """What each block of a message says; a call that is answered is a block with its result."""
    if message.role == "tool":
        name = call.name if call else message.tool_name or ""
        yield "call", f"{name}\n{whole_text(message, 'call', call)}"
        return
    if message.reasoning:
        yield "reasoning", message.reasoning
    for one in passages(message):
        yield one.key, f"{one.label}\n{one.text}" if message.notice else one.text
    for number, asked in enumerate(message.tool_calls):
        if asked.id is not None and asked.id in answered:
            continue
        yield f"call-{number}", f"{asked.name}\n{whole_text(message, f'call-{number}', None)}"
