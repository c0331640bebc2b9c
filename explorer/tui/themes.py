"""The looks: dark or light, and where the style sheets are. Colours are named only here.

Painted lines take solid colours only, so what is quieter has a colour of its own: `dim`, `faint`.
"""

from collections.abc import Mapping
from pathlib import Path

from rich.style import Style
from textual.color import Color
from textual.theme import Theme

NARROW = 100
"""Below this many columns a screen shows one pane at a time."""
DARK = Theme(
    name="explorer-dark",
    primary="#7aa2f7",
    secondary="#b49bf0",
    accent="#7dcfff",
    success="#8fce7a",
    warning="#e5b567",
    error="#f7768e",
    foreground="#c9d1e5",
    background="#10131a",
    surface="#151924",
    panel="#1f2535",
    dark=True,
    variables={
        "dim": "#7d869c",
        "faint": "#3b4358",
        "quote": "#a3abc0",
        "code": "#d9b77e",
        "output": "#a7b0c6",
    },
)
LIGHT = Theme(
    name="explorer-light",
    primary="#2a5db0",
    secondary="#7446a8",
    accent="#00688b",
    success="#2c7a28",
    warning="#8a5a00",
    error="#b3261e",
    foreground="#23262e",
    background="#fbfaf6",
    surface="#f4f2ec",
    panel="#e5e2d8",
    dark=False,
    variables={
        "dim": "#696d78",
        "faint": "#c9c5b9",
        "quote": "#4d515c",
        "code": "#7a4d00",
        "output": "#4a4e59",
    },
)


def preferred(environment: Mapping[str, str]) -> Theme:
    """Light where the terminal says that its background is light, else dark."""
    background = environment.get("COLORFGBG", "").rpartition(";")[2]
    return LIGHT if background in ("7", "15") else DARK


_PAINTS: dict[str, tuple[str, ...]] = {
    "text": ("foreground", ""),
    "dim": ("dim", ""),
    "you": ("success", "bold"),
    "assistant": ("primary", "bold"),
    "system": ("secondary", "bold"),
    "tool": ("secondary", ""),
    "reasoning": ("dim", "italic"),
    "heading": ("primary", "bold"),
    "strong": ("foreground", "bold"),
    "emphasis": ("foreground", "italic"),
    "strike": ("foreground", "strike"),
    "link": ("accent", ""),
    "marker": ("primary", ""),
    "quote": ("quote", ""),
    "rule": ("faint", ""),
    "table-head": ("foreground", "bold"),
    "code": ("code", ""),
    "code-text": ("foreground", ""),
    "code-keyword": ("secondary", ""),
    "code-string": ("success", ""),
    "code-number": ("warning", ""),
    "code-comment": ("dim", "italic"),
    "code-name": ("primary", ""),
    "ok": ("success", ""),
    "error": ("error", ""),
    "seam": ("warning", ""),
    "match": ("background", "", "warning"),
    "match-here": ("background", "bold", "accent"),
    "command": ("foreground", "bold"),
    "output": ("output", ""),
    "key": ("primary", ""),
    "diff-add": ("success", ""),
    "diff-remove": ("error", ""),
    "diff-context": ("output", ""),
    "diff-hunk": ("accent", ""),
}
"""The styles that painted lines name: a colour of the theme, how the letters are, and what lies
behind them if something does. A style may be of several words (`quote strong`): the first says the
colour, all say how the letters are. Not in a style sheet, where each would cost half a millisecond
of the first frame for each pane."""


def paint(name: str, colours: Mapping[str, str]) -> Style:
    """How a style looks with these colours; `cursor` is what lies under the cursor."""
    if name == "cursor":
        return Style(bgcolor=Color.parse(colours["panel"]).rich_color)
    paints = [_PAINTS[word] for word in name.split()]
    letters = {paint[1] for paint in paints}
    behind = paints[0][2:]
    return Style(
        color=Color.parse(colours[paints[0][0]]).rich_color,
        bgcolor=Color.parse(colours[behind[0]]).rich_color if behind else None,
        bold="bold" in letters or None,
        italic="italic" in letters or None,
        strike="strike" in letters or None,
    )


def style(name: str) -> Path:
    """A sheet: in the package when installed from a wheel, beside it in a checkout."""
    packed = Path(__file__).parent.parent / "styles"
    folder = packed if packed.is_dir() else packed.parent.parent / "styles"
    return folder / f"{name}.tcss"
