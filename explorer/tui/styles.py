"""Where the style sheets lie, and when they show less."""

from pathlib import Path

NARROW = 100
"""Below this many columns a screen shows one pane at a time."""


def style(name: str) -> Path:
    """A sheet: in the package when installed from a wheel, beside it in a checkout."""
    packed = Path(__file__).parent.parent / "styles"
    folder = packed if packed.is_dir() else packed.parent.parent / "styles"
    return folder / f"{name}.tcss"
