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
        "dim": "#868fa6",
        "faint": "#3b4358",
        "lit": "#1f2535",
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
    success="#256f22",
    warning="#8a5a00",
    error="#b3261e",
    foreground="#23262e",
    background="#fbfaf6",
    surface="#f4f2ec",
    panel="#e5e2d8",
    dark=False,
    variables={
        "dim": "#5e626d",
        "faint": "#c9c5b9",
        "lit": "#e5e2d8",
        "quote": "#4d515c",
        "code": "#7a4d00",
        "output": "#4a4e59",
    },
)


OWN = {"dark": DARK.name, "light": LIGHT.name}
"""Our own themes, by the names that users know."""
READABLE = 4.5
"""The least contrast of text that is read, as the accessibility guidelines ask for."""
SEEN = 1.15
"""The least contrast of a row under the cursor with the rows around it."""


def theme_name(known_as: str) -> str:
    """A theme's name for Textual."""
    return OWN.get(known_as, known_as)


def known_as(theme_name: str) -> str:
    """A theme's name for users."""
    return next((name for name, own in OWN.items() if own == theme_name), theme_name)


def contrast(one: Color, other: Color) -> float:
    """From 1, the same, to 21, black on white."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Color) -> float:
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in colour.normalized
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def own_variables(theme: Theme) -> dict[str, str]:
    """Our own colours for a theme that does not have them, made of those that it has."""
    if theme.variables.keys() >= DARK.variables.keys():
        return {}
    known = theme.to_color_system().generate()
    names = ("foreground", "background", "surface", "panel")
    ink, *papers = (Color.parse(known[one]) for one in names)
    paper, surface, panel = papers
    # In some themes a panel looks as what lies around it: the cursor must not.
    lit = panel if contrast(panel, surface) >= SEEN else surface.blend(ink, 0.12)

    def quieter(least: float) -> str:
        """The foreground, as faint as it can be."""
        steps = (ink.blend(paper, step / 20) for step in range(12, 0, -1))
        below = (*papers, lit)
        fits = (one for one in steps if min(contrast(one, other) for other in below) >= least)
        return next(fits, ink).hex

    return {
        "dim": quieter(READABLE),
        "faint": ink.blend(paper, 0.7).hex,
        "lit": lit.hex,
        "quote": quieter(READABLE + 1),
        "code": known["warning"],
        "output": quieter(READABLE + 1),
    }


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
    "selected": ("background", "", "primary"),
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
        return Style(bgcolor=Color.parse(colours["lit"]).rich_color)
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
