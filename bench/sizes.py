"""Which histories are measured, and how often: `BENCH` chooses between three sets.

Trigrams are left out of most big files: they would take most of the time to build, and only a
search reads them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.conversations import Lengths
from bench.generate import Recipe, build
from bench.progress import say
from bench.server_history import ServerRecipe

SMALL = Recipe(1_000, 50_000)
HALF_A_MILLION = Recipe(10_000, 500_000)
A_MILLION = Recipe(20_000, 1_000_000, merged=True)
MANY = 100_000
"""Sessions of the histories that the aims for big files are about."""

TEN_THOUSAND = Recipe(10_000, 200_000, trigram=False)
HUNDRED_THOUSAND = Recipe(MANY, 600_000, trigram=False)
SERVED = ServerRecipe(MANY, 1_000_000)

FEW = 100
"""Sessions of the list that a long one is compared with."""
LONG = Lengths(35_000, 8_000_000)


@dataclass(frozen=True, slots=True)
class Beside:
    """What is edited beside an agent that writes."""

    versions: tuple[str, ...] = ("0.13.0", "0.19.0")
    """Of Hermes, beside which many sessions are pruned."""
    sessions: int = 5_000
    messages: int = 20_000
    """Of the one session that is deleted."""
    huge: int = 8_000_000
    """Bytes of a single message."""
    alone: float = 5.0
    """Seconds in which the agent is by itself."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """The file that several agents write at once, and what is edited beside them."""

    recipe: Recipe = A_MILLION
    long: int = 10_000
    """Messages that the session which is deleted has at most."""
    most: int = 20
    """The same of those that are pruned."""
    alone: float = 10.0
    """Seconds in which the agents are by themselves."""


@dataclass(frozen=True, slots=True)
class Profiles:
    """Histories that are measured as several profiles, against one state file."""

    each: Recipe = TEN_THOUSAND
    """As long a history as this in each profile."""
    alike: int = 8
    whole: Recipe = HUNDRED_THOUSAND
    """The same sessions, divided among the profiles."""
    parts: int = 10


@dataclass(frozen=True, slots=True)
class Plan:
    """A set of histories, and the rounds in which they are measured."""

    recipes: tuple[Recipe, ...]
    rounds: int
    lengths: Lengths = LONG
    searched: tuple[Recipe, ...] = (SMALL,)
    """Histories that are searched, with both search tables as Hermes keeps them."""
    beside: Beside = Beside()
    crowd: Crowd = Crowd()
    profiles: Profiles = Profiles()
    looped: int = 500_000
    """Messages of the file of power-loop that is searched."""
    server: ServerRecipe = SERVED


PLANS = {
    "quick": Plan(
        (SMALL,),
        rounds=1,
        lengths=Lengths(2_000, 1_000_000),
        beside=Beside(("0.19.0",), sessions=50, messages=100, huge=100_000, alone=0.3),
        crowd=Crowd(Recipe(200, 4_000, merged=True), alone=0.3),
        profiles=Profiles(Recipe(100, 5_000), 3, SMALL, 3),
        looped=20_000,
        server=ServerRecipe(1_000, 5_000),
    ),
    "default": Plan(
        (
            SMALL,
            TEN_THOUSAND,
            HUNDRED_THOUSAND,
            Recipe(MANY, 600_000, noise=0.95, trigram=False),
        ),
        rounds=9,
        searched=(SMALL, HALF_A_MILLION),
    ),
    "full": Plan(
        (
            SMALL,
            Recipe(10_000, 500_000, trigram=False),
            # real system prompts are long, and lie in the middle of each row
            Recipe(10_000, 500_000, trigram=False, prompt_bytes=8_000),
            Recipe(MANY, 2_000_000, trigram=False),
            Recipe(MANY, 2_000_000, noise=0.95, trigram=False),
        ),
        rounds=9,
        searched=(SMALL, HALF_A_MILLION, Recipe(MANY, 2_000_000)),
        beside=Beside(("0.13.0", "0.17.0", "0.19.0")),
        server=ServerRecipe(1_000_000, 10_000_000),
    ),
}


@dataclass(frozen=True, slots=True)
class History:
    """A state file that is ready to be measured."""

    recipe: Recipe
    path: Path

    @property
    def name(self) -> str:
        """What tells it from the others of its plan, for a table."""
        parts = [f"{self.recipe.sessions:,}"]
        if self.recipe.noise:
            parts.append(f"{self.recipe.noise:.0%} cron")
        if self.recipe.prompt_bytes >= 1_000:
            parts.append("long prompts")
        return ", ".join(parts)

    @property
    def big(self) -> bool:
        return self.recipe.sessions >= MANY


def biggest(histories: Sequence[History]) -> History:
    """The longest list that is measured: of the greatest histories the first, without noise."""
    return max(histories, key=lambda history: history.recipe.sessions)


def few_like(history: History) -> Recipe:
    """A short list with transcripts as long as those of another history."""
    each = history.recipe.messages // history.recipe.sessions
    return Recipe(FEW, FEW * each, trigram=False)


def chosen(environment: Mapping[str, str]) -> Plan:
    name = environment.get("BENCH") or "default"
    if name not in PLANS:
        raise SystemExit(f"BENCH is {name!r}; it can be {', '.join(PLANS)}")
    return PLANS[name]


def all_ready(plan: Plan, folder: Path) -> list[History]:
    """The files of a plan; those that are not in the folder yet are built."""
    return [ready(recipe, folder) for recipe in plan.recipes]


def searched_ready(plan: Plan, folder: Path) -> list[History]:
    """The files of a plan that are searched."""
    return [ready(recipe, folder) for recipe in plan.searched]


def ready(recipe: Recipe, folder: Path) -> History:
    say(f"state file of {recipe.sessions:,} sessions and {recipe.messages:,} messages")
    return History(recipe, build(recipe, folder))
