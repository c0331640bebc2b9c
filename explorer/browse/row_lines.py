"""One session of the list, as lines: what it is called, when it was used, its preview."""

import re
from collections.abc import Callable, Sequence

from explorer.model import Kind, Session, State
from explorer.render.clean import cell_width, clean_line, fit, pad
from explorer.render.figures import ago
from explorer.render.lines import MATCH, Line, cut_line, restyled

Light = Callable[[str], Sequence[tuple[int, int]]]
"""Says where in a text something stands that is to be lit."""

ROOMY, ROOMY_SOURCE_CELLS = 70, 12
"""From this width on most sources are shown whole."""
JOIN = " › "


_CODE = r"(?:```\w*\s|`)([^`]+)`{1,3}"


_EMPHASIS = r"(?<![\w*])(\*{1,2})([^\s*](?:[^*]*[^\s*])?)\1(?![\w*])"


SOURCE_CELLS = 8


WIDE = 40
"""From this width on there is room for the source beside the title."""


WHEN_CELLS = 10
"""Room for the longest time, so that marks stand below each other."""


TIGHT = 28
"""Below this width a time takes only the room that it needs."""


def row_lines(
    session: Session | None,
    width: int,
    comfortable: bool,
    now: float,
    *,
    excerpt: Line | None = None,
    pinned: bool = False,
    excepted: bool = False,
    fate: str = "",
    depth: int = 0,
    light: Light | None = None,
) -> list[Line]:
    """The lines of a row: one, or with `comfortable` two; dots for a row not read yet. `excepted`
    is listed although it is hidden, `fate` is the sign of what its agent is about to do, `depth`
    says how far inside others it is; an `excerpt` of what was found stands in the place of the
    first and last words, and `light` finds it in a title."""
    stem = min(2 * depth, width // 3)
    indent: Line = ((" " * stem, "text"),) if stem else ()
    if session is None:
        unread: list[Line] = [(*indent, ("…", "dim")), ()]
        return unread[: 2 if comfortable else 1]
    signs = (("★", pinned), ("◌", excepted), (fate, bool(fate)))
    own = [sign for sign, wanted in signs if wanted]
    marks = " ".join([*own, *marks_of(session)])
    branch: Line = (("└ ".rjust(stem), "dim"),) if stem else ()
    first = (*branch, *_first(session, width - stem, now, marks, light))
    if not comfortable:
        return [first]
    below = (
        cut_line(excerpt, width - stem) if excerpt else ((_words(session, width - stem), "dim"),)
    )
    return [first, (*indent, *below)]


def _words(session: Session, width: int) -> str:
    """The first and the last words, half the width for each where both are long. The first ones
    not again where they are the title."""
    preview = _plain(session.preview)
    title = clean_line(session.title, 300) if session.title else preview
    if preview.casefold().startswith(title.casefold()):
        preview = ""
    reply = _plain(session.last_reply)
    if not preview or not reply:
        nothing = "no text" if session.message_count else "no messages"
        return fit(preview or reply or nothing, width)
    half = max((width - len(JOIN)) // 2, width - len(JOIN) - cell_width(reply))
    return fit(fit(preview, half) + JOIN + reply, width)


def _plain(text: str | None) -> str:
    """Words of a message without the signs of Markdown around them, which tell nothing here."""
    line = clean_line(text or "", 300)
    return re.sub(_EMPHASIS, r"\2", re.sub(_CODE, r"\1", line)).strip() if line else ""


def _first(session: Session, width: int, now: float, marks: str, light: Light | None) -> Line:
    when = ago(session.last_active, now)
    cells = SOURCE_CELLS if width < ROOMY else ROOMY_SOURCE_CELLS
    source = fit(clean_line(session.source, 40), cells)
    right = f" {when:>{WHEN_CELLS}}" if width >= TIGHT else f" {when}"
    right += f" {pad(source, cells)}" if width >= WIDE else ""
    said = _plain(session.preview) or _plain(session.last_reply)
    if session.title:
        said = clean_line(session.title, 300)
    name, style = (said, "strong" if session.title else "text") if said else ("empty", "dim")
    room = max(width - cell_width(right) - cell_width(marks) - bool(marks), 1)
    title = pad(name, room)
    spans = light(title) if light and session.title else ()
    return (
        *restyled(((title, style),), [(*span, MATCH) for span in spans]),
        (f" {marks}" if marks else "", "link"),
        (right, "dim"),
    )


def marks_of(session: Session) -> list[str]:
    """What is special about a session, in signs that help explains."""
    running = session.state is State.RUNNING
    marks = (
        ("✱", session.unread),
        ("●", running),
        ("✗", session.broken_off and not running),
        ("○", session.state is State.OPEN and not session.broken_off),
        (f"↪{session.parts}", session.parts > 1),
        ("⌥", session.kind is Kind.BRANCH),
        ("↳", session.kind is Kind.SUBAGENT),
        (f"↳{session.subagents}", session.subagents > 0),
        ("▣", session.archived),
        ("⊘", session.hidden),
        ("◇", session.restored),
    )
    return [mark for mark, is_set in marks if is_set]
