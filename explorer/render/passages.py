"""What a message says, piece by piece: what was said, and what the agent put around it.

Drawing, finding, copying and exporting all take the pieces from here, so that a match is counted
where it is seen. Hermes stores as words of the user what it made itself: the text of a skill that a
/command loads, and the summary of what was compressed, with the question behind it or an older turn
before it. The forms are told by the sentences that it writes; any other text was said as it is.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from explorer.model import Message, MessageState
from explorer.render.session_context import session_context

STATE_WORDS = {MessageState.COMPACTED: "compressed", MessageState.REWOUND: "rewound"}
FOR_THE_MODEL = "for the model only"
SUMMARY = "summary of earlier messages"
REASONING = "reasoning"
START = 400
"""Letters by which a text is known."""

_SUMMARY_STARTS = ("[context compaction", "[context summary")
_SUMMARY_ENDS = r"(?m)^--- END OF CONTEXT SUMMARY\b.*?---[ \t]*$"
END_OF_SUMMARY = b"--- END OF CONTEXT SUMMARY"
"""What a summary ends with where a question follows it."""
_OLDER_STARTS = "[PRIOR CONTEXT — for reference only; not a new message]"
_OLDER_ENDS = "[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]"
"""Around the turn that a summary was put behind."""

_SKILL = r'\[(?:IMPORTANT|SYSTEM): The user has invoked the "([^"\n]{0,200})" skill'
_INSTRUCTION = "The user has provided the following instruction alongside the skill invocation: "
_RUNTIME_NOTE = "\n\n[Runtime note:"
_BUNDLE = r'\[\w+: The user has invoked the "[^"\n]{0,200}" skill bundle,'
_BUNDLE_INSTRUCTION = "\nUser instruction: "
_BUNDLE_SKILLS = "\n\n[Loaded as part of the "
_LOADED = r'\[IMPORTANT: The "([^"\n]{0,200})" skill is auto-loaded\.'
_LOADED_ENDS = "then run them with the terminal tool using the absolute path."

MOST_ADDRESSES = 50
_ADDRESS = r"https?://[^\s<>\"'`\\^{}|\x00-\x20\x7f-\xa0]{3,2000}"
_PAIRS = {")": "(", "]": "["}


class Passage(NamedTuple):
    """A piece of what a message says."""

    key: str
    """The name of its block."""
    text: str
    label: str = ""
    """What it is, if it was not said and is folded: a summary, a skill, a notice, reasoning."""


def passages(message: Message) -> tuple[Passage, ...]:
    """What a message says, piece by piece: as a rule one piece, all of it said."""
    pieces = _pieces(message)
    if not message.thoughts:
        return pieces
    if len(pieces) == 1 and not pieces[0].label:
        return tuple(_with_thoughts(message))
    return (*pieces, *(_thought(message, number) for number in range(len(message.thoughts))))


def _pieces(message: Message) -> tuple[Passage, ...]:
    """The text of a message, apart from what the agent put around it."""
    text = message.text
    if message.notice:
        return (Passage("text", text, message.notice),)
    if not text.strip():
        return ()
    if message.role == "system":
        if message.id < 0 and not message.file:
            return _prompt(text)
        return (
            Passage(
                "text", text, SUMMARY if turn(text, message.summary).is_summary else "system prompt"
            ),
        )
    found = turn(text, message.summary)
    if not found.label:
        return (Passage("text", text),)
    if not found.said:
        return (Passage("text", text, found.label),)
    said, made = Passage("text", found.said), Passage("made", found.made, found.label)
    above = found.is_summary and text.startswith(found.made)
    return (made, said) if above else (said, made)


def _prompt(text: str) -> tuple[Passage, ...]:
    """What a session was begun with. The part that says where the agent is comes first, in words;
    a stored message of the system stays as it is, since a search finds what is stored."""
    context = session_context(text)
    if context is None:
        return (Passage("text", text, "system prompt"),)
    where = Passage("where", context.text, context.label)
    rest = Passage("text", context.prompt, "system prompt")
    return (where, rest) if context.prompt.strip() else (where,)


def _with_thoughts(message: Message) -> Iterator[Passage]:
    """A text with the reasoning in the middle of it, each piece by itself."""
    at = 0
    for number, thought in enumerate(message.thoughts):
        if said := message.text[at : thought.at].strip():
            yield Passage(f"text-{number}" if at else "text", said)
        yield _thought(message, number)
        at = thought.at
    if said := message.text[at:].strip():
        yield Passage(f"text-{len(message.thoughts)}", said)


def _thought(message: Message, number: int) -> Passage:
    return Passage(f"{REASONING}-{number + 1}", message.thoughts[number].text, REASONING)


class Turn(NamedTuple):
    """A text in its two parts."""

    said: str
    """By a person, or by the model; a /command with what was asked of it. May be empty."""
    made: str = ""
    """By the agent: a summary, or the text of a skill."""
    label: str = ""
    """What that is, in words."""

    @property
    def is_summary(self) -> bool:
        return self.label == SUMMARY

    @property
    def names_skill(self) -> bool:
        return bool(self.label) and not self.is_summary


def turn(text: str, summary: bool = False) -> Turn:
    """The parts of a text; with `summary` the agent marked it as one, whatever it looks like."""
    start = text[:START].lstrip()
    older = text.find(_OLDER_ENDS)
    behind = older + len(_OLDER_ENDS)
    if older >= 0 and _begins_as_summary(text[behind : behind + START]):
        return Turn(_without_start(text[:older]), text[older:], SUMMARY)
    if start.startswith(_OLDER_STARTS):
        # Cut before the summary that would follow.
        return Turn(_without_start(text), _OLDER_STARTS, SUMMARY)
    if summary or _begins_as_summary(start):
        end = re.search(_SUMMARY_ENDS, text)
        said, made = (text[end.end() :].strip(), text[: end.end()]) if end else ("", text)
        return Turn(said, made, SUMMARY)
    if start.startswith("["):
        return _skill(text, start)
    return Turn(text)


def begins_as_made(text: str) -> bool:
    """Whether a text begins with something that the agent made: a person's words come later."""
    start = text[:START].lstrip()
    skill = re.match(_SKILL, start) or re.match(_LOADED, start)
    return _begins_as_summary(start) or skill is not None


def _begins_as_summary(text: str) -> bool:
    return text.lstrip()[:40].lower().startswith(_SUMMARY_STARTS)


def _without_start(text: str) -> str:
    return text.strip().removeprefix(_OLDER_STARTS).strip()


def _skill(text: str, start: str) -> Turn:
    """A turn that begins with a skill: what the person typed, and the skill's text."""
    found = re.match(_SKILL, start)
    loaded = re.match(_LOADED, start) if found is None else None
    if loaded is not None:
        before, end, typed = text.rpartition(_LOADED_ENDS)
        said = typed.strip() if end else ""
        made = f"{before}{end}" if end else text
        return Turn(said or _command(loaded[1]), made, f"skill {loaded[1]}")
    if found is None:
        return Turn(text)
    if re.match(_BUNDLE, start):
        # The instruction stands before the skills: the first one is the person's.
        before, marker, after = text.partition(_BUNDLE_INSTRUCTION)
        typed, stop, rest = after.partition(_BUNDLE_SKILLS)
    else:
        # It stands behind the skill, which may quote the sentence: the last one is.
        before, marker, after = text.rpartition(_INSTRUCTION)
        typed, stop, rest = after.partition(_RUNTIME_NOTE)
    command = _command(found[1])
    if not marker:
        return Turn(command, text, f"skill {found[1]}")
    said = f"{command} — {typed.strip()}" if typed.strip() else command
    return Turn(said, f"{before.rstrip()}{stop}{rest}", f"skill {found[1]}")


def _command(name: str) -> str:
    # A bundle goes by what was typed: "/clean /work".
    return name if name.startswith("/") else f"/{name}"


def addresses(text: str) -> list[str]:
    """The addresses in a text that a browser may be sent to, http and https and nothing else: each
    once, in the order of the text, without what a sentence puts behind it."""
    found = (_trimmed(match[0]) for match in re.finditer(_ADDRESS, text[:200_000]))
    safe = (address for address in found if address.isprintable())
    return list(dict.fromkeys(safe))[:MOST_ADDRESSES]


def _trimmed(address: str) -> str:
    while True:
        address = address.rstrip(".,;:!?*_~")
        end = address[-1:]
        if end not in _PAIRS or address.count(_PAIRS[end]) >= address.count(end):
            return address
        address = address[:-1]


def code_of(text: str) -> str:
    """What stands in the fences of a text, one piece below the other."""
    pieces = re.findall(r"(?ms)^[ >]*(`{3,}|~{3,})[^\n]*\n(.*?)(?:^[ >]*\1|\Z)", text)
    return "\n".join(piece.rstrip("\n") for _, piece in pieces)
