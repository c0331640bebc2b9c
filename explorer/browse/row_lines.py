"""One session of the list, as lines: what it is called, when it was used, its preview."""

from collections.abc import Callable, Sequence

from explorer.browse.row_columns import RowShape, columns_of
from explorer.model import Kind, ListColumn, Session, State
from explorer.render.clean import cell_width, clean_line, fit, pad
from explorer.render.lines import MATCH, Line, cut_line, restyled

Light = Callable[[str], Sequence[tuple[int, int]]]
"""Says where in a text something stands that is to be lit."""

JOIN = " › "
BETWEEN = " · "
NO_REPLY, NO_MESSAGES = "no answer", "no messages"


def row_lines(
    session: Session | None,
    shape: RowShape,
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
    first and last words, and `light` finds it in a title. The columns are those of `shape`."""
    width = shape.width
    stem = min(2 * depth, width // 3)
    indent: Line = ((" " * stem, "text"),) if stem else ()
    if session is None:
        unread: list[Line] = [(*indent, ("…", "dim")), ()]
        return unread[: 2 if comfortable else 1]
    signs = (("★", pinned), ("◌", excepted), (fate, bool(fate)))
    own = [sign for sign, wanted in signs if wanted]
    marks = " ".join([*own, *marks_of(session, session.place not in shape.choice.endless)])
    branch: Line = (("└ ".rjust(stem), "dim"),) if stem else ()
    first, further = _first(session, shape, stem, now, marks, light)
    if not comfortable:
        return [(*branch, *first)]
    below = (
        cut_line(excerpt, width - stem)
        if excerpt
        else ((_with_origin(session, shape, further, width - stem), "dim"),)
    )
    return [(*branch, *first), (*indent, *below)]


def _name(session: Session) -> str:
    """The first line's words: the title, else the first words that there are."""
    return clean_line(session.title or session.preview or session.last_reply, 300)


def _with_origin(session: Session, shape: RowShape, further: str, width: int) -> str:
    """The second line, led by the chat where no column says it, or by what a subagent is."""
    chat = "" if ListColumn.CHAT in dict(shape.cells) else clean_line(session.origin, 60)
    first = chat or session.spawned
    if not first:
        return _words(session, further, width)
    led = fit(first, max(width // 3, 1)) + BETWEEN
    return led + _words(session, further, max(width - cell_width(led), 1))


def _words(session: Session, further: str, width: int) -> str:
    """What the first line does not say: first and last words, half the width for each where both
    are long. Where the first words are the name, it goes on with the answer, or with `further`
    words of the same."""
    name = _name(session).rstrip("….").casefold()
    preview, reply = clean_line(session.preview, 300), clean_line(session.last_reply, 300)
    if preview.casefold().startswith(name):
        preview = ""
    if not session.title and not session.preview:
        reply = ""
    if not preview or not reply:
        nothing = NO_REPLY if session.message_count else NO_MESSAGES
        return fit(preview or reply or further or nothing, width)
    half = max((width - len(JOIN)) // 2, width - len(JOIN) - cell_width(reply))
    return fit(fit(preview, half) + JOIN + reply, width)


def _first(
    session: Session, shape: RowShape, stem: int, now: float, marks: str, light: Light | None
) -> tuple[Line, str]:
    """(the first line, the words of the name that it has no room for)."""
    right = columns_of(session, shape, now)
    said = _name(session)
    name, style = (said, "strong" if session.title else "text") if said else ("empty", "dim")
    room = max(shape.width - stem - cell_width(right) - cell_width(marks) - bool(marks), 1)
    title = pad(name, room)
    spans = light(title) if light and session.title else ()
    line = (
        *restyled(((title, style),), [(*span, MATCH) for span in spans]),
        (f" {marks}" if marks else "", "link"),
        (right, "dim"),
    )
    shown = fit(name, room)
    return line, f"…{name[len(shown) - 1 :]}" if shown != name else ""


def marks_of(session: Session, ends: bool = True) -> list[str]:
    """What is special about a session, in signs that help explains; where it is known whether
    sessions have ended, also that this one has not."""
    running = session.state is State.RUNNING
    marks = (
        ("✱", session.unread),
        ("●", running),
        ("✗", session.broken_off and not running),
        ("○", ends and session.state is State.OPEN and not session.broken_off),
        (f"↪{session.parts}", session.parts > 1),
        ("⌥", session.kind is Kind.BRANCH),
        ("↳", session.kind is Kind.SUBAGENT),
        (f"↳{session.subagents}", session.subagents > 0),
        ("▣", session.archived),
        ("⊘", session.hidden),
        ("◇", session.restored),
    )
    return [mark for mark, is_set in marks if is_set]
