"""Homes with several profiles, of histories that are kept as files of their own."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench.generate import Recipe
from bench.progress import say
from bench.several import Several
from bench.sizes import Profiles, ready


def split(recipe: Recipe, parts: int) -> list[Recipe]:
    """A history as parts, which together have the very same sessions."""
    return [replace(recipe, part=part, parts=parts) for part in range(parts)]


def alike(recipe: Recipe, count: int) -> list[Recipe]:
    """Histories of the same size, each with sessions of its own."""
    return [replace(recipe, seed=recipe.seed + number) for number in range(count)]


def home(name: str, recipes: Sequence[Recipe], folder: Path) -> Path:
    """A folder as Hermes has it, with a profile for each history: the default one, and others."""
    say(f"home of {len(recipes)} profiles")
    root = folder / f"home-{name}-{len(recipes)}-{recipes[0].name}"
    for number, recipe in enumerate(recipes):
        place = root / "profiles" / f"work{number}" if number else root
        place.mkdir(parents=True, exist_ok=True)
        file = place / "state.db"
        if not file.exists():
            # The very file, under another name: big ones are not kept twice.
            os.link(ready(recipe, folder).path, file)
    return root


def homes(profiles: Profiles, folder: Path) -> Several:
    """What several profiles are measured with."""
    return Several(
        ready(profiles.each, folder).path,
        home("alike", alike(profiles.each, profiles.alike), folder),
        profiles.alike,
        ready(profiles.whole, folder).path,
        home("divided", split(profiles.whole, profiles.parts), folder),
        profiles.parts,
    )
