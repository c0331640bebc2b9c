"""The looks: every style that lines name can be painted, and read."""

import pytest
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from explorer.render.blocks import prose_lines
from explorer.render.markdown.spans import _STYLES
from explorer.settings import TEXTUAL_THEMES
from explorer.tui.themes import _PAINTS, DARK, LIGHT, READABLE, contrast, own_variables, paint

EVERYTHING = """
# A *b*
> **c** ~~d~~ `e` [f](g) ![h](i)

1. j
- [x] k
- [ ] l

***

|m|n|
|-|-|
|o|***p***|

```
q
```
```python
r = 1
```
"""


def colours(theme: Theme) -> dict[str, str]:
    return {**theme.to_color_system().generate(), **theme.variables}


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_every_style_of_a_text_can_be_painted(theme: Theme) -> None:
    lines = prose_lines(EVERYTHING, 60, 200).lines
    names = {name for line in lines for _, name in line} | set(_STYLES.values())
    assert {"heading emphasis", "quote strong", "emphasis strong", "rule", "code-text"} <= names
    for name in names:
        assert paint(name, colours(theme)).color is not None


PAPERS = ("background", "surface", "panel", "lit")
"""What text lies on: the panes, the search bar and the dialogs, the bars, the row under the
cursor."""
INKS = {paint[0] for name, paint in _PAINTS.items() if name != "rule" and len(paint) == 2}


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_every_text_is_readable_on_everything_that_it_lies_on(theme: Theme) -> None:
    known = colours(theme)
    inks = INKS | {"foreground", "dim", "accent", "warning", "error", "success", "primary"}
    pairs = [(ink, paper) for ink in inks for paper in PAPERS]
    # What was found, and the button that has the focus.
    pairs += [("background", paint[2]) for paint in _PAINTS.values() if len(paint) == 3]
    pairs.append(("background", "primary"))
    ratios = {pair: contrast(*(Color.parse(known[colour]) for colour in pair)) for pair in pairs}
    assert {pair: ratio for pair, ratio in ratios.items() if ratio < READABLE} == {}


def test_contrast_goes_from_one_to_twenty_one() -> None:
    black, white = Color.parse("#000000"), Color.parse("#ffffff")
    assert contrast(black, black) == 1
    assert round(contrast(black, white), 2) == 21


def test_the_themes_of_textual_are_those_that_the_settings_know() -> None:
    """All but those of 16 colours, whose background only the terminal knows."""
    assert {name for name in BUILTIN_THEMES if not name.startswith("ansi")} == set(TEXTUAL_THEMES)


@pytest.mark.parametrize("name", TEXTUAL_THEMES)
def test_a_theme_of_textual_gets_the_colours_that_only_ours_have(name: str) -> None:
    theme = BUILTIN_THEMES[name]
    known = {**colours(theme), **own_variables(theme)}
    for style in (*_PAINTS, "cursor"):
        paint(style, known)
    quiet, ink, lit, surface = (
        Color.parse(known[one]) for one in ("dim", "foreground", "lit", "surface")
    )
    best = min(READABLE, *(contrast(ink, Color.parse(known[paper])) for paper in PAPERS))
    assert all(contrast(quiet, Color.parse(known[paper])) >= best for paper in PAPERS)
    assert contrast(lit, surface) > 1.14


def test_letters_of_several_words_add_up() -> None:
    style = paint("quote strong emphasis strike", colours(DARK))
    assert (style.bold, style.italic, style.strike) == (True, True, True)
    assert style.color == paint("quote", colours(DARK)).color
