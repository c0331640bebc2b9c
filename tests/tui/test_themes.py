"""The looks: every style that lines name can be painted, and read."""

import pytest
from textual.color import Color
from textual.theme import Theme

from explorer.render.blocks import prose_lines
from explorer.render.markdown.spans import _STYLES
from explorer.tui.themes import _PAINTS, DARK, LIGHT, paint

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


@pytest.mark.parametrize("theme", [DARK, LIGHT])
@pytest.mark.parametrize("name", sorted(set(_PAINTS) - {"rule"}))
def test_every_style_is_readable(theme: Theme, name: str) -> None:
    known = colours(theme)
    colour, _, *behind = _PAINTS[name]
    paper = Color.parse(known[behind[0] if behind else "background"])
    ink = Color.parse(known[colour])
    lighter, darker = sorted((_luminance(ink), _luminance(paper)), reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5


def _luminance(colour: Color) -> float:
    """As the accessibility guidelines define it."""
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in colour.normalized
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_letters_of_several_words_add_up() -> None:
    style = paint("quote strong emphasis strike", colours(DARK))
    assert (style.bold, style.italic, style.strike) == (True, True, True)
    assert style.color == paint("quote", colours(DARK)).color
