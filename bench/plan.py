"""Which sessions an invented history holds: lengths, times, sources and links, but no messages yet.

Everything that ties sessions together is decided here, so that messages can then be written in
one pass ordered by time. All sums are exact: shares of a recipe become counts before any draw.
"""

import time
from dataclasses import dataclass
from random import Random

NOW = 1_760_000_000.0
"""The moment at which every invented history ends (October 2025)."""
SPAN = 2 * 365 * 86_400.0
LONGEST = 20_000

SOURCES = ("cli", "telegram", "tui", "discord", "cron", "api_server", "slack")
SOURCE_WEIGHTS = (40, 15, 12, 10, 10, 8, 5)
END_REASONS = {"cli": "cli_close", "tui": "tui_shutdown", "cron": "cron_complete"}
"""Every other source ends by session_reset."""


@dataclass(slots=True)
class Draft:
    """One session to be. Message i is sent between `started + i * pace` and one `pace` later."""

    started: float
    count: int
    pace: float
    kind: str = "root"
    parent: "Draft | None" = None
    source: str = ""
    id: str = ""
    end_reason: str | None = None
    archived: bool = False
    title: str | None = None

    @property
    def ended(self) -> float:
        return self.started + self.count * self.pace + 1


def plan(rng: Random, sessions: int, messages: int, noise: float) -> list[Draft]:
    """The sessions by start; `noise` is the share at the new end that belongs to source cron."""
    if messages < 2 * sessions:
        raise ValueError("a history needs two messages a session")
    shares = {"continuation": 0.02, "branch": 0.01, "subagent": 0.03}
    children = {kind: _share(sessions, share) for kind, share in shares.items()}
    empty = _share(sessions, 0.01)
    counts = _lengths(rng, sessions - empty, messages)
    inherited = [counts.pop() for _ in range(sum(children.values()))]
    counts += [0] * empty
    drafts = []
    for count in counts:
        # two minutes short of the end: a session that has not ended needs room for its messages
        drafts.append(_draft(rng, NOW - 120 - (SPAN - 120) * rng.random(), count))
    drafts += _children(rng, drafts, children, inherited)
    drafts.sort(key=lambda draft: draft.started)
    for draft in rng.sample(drafts, _share(sessions, 0.02)):
        draft.archived = True
    _name(rng, drafts, sessions - round(noise * sessions))
    return drafts


def part_of(drafts: list[Draft], part: int, parts: int) -> list[Draft]:
    """A part of a history: sessions stay with those that they are linked to."""
    roots = {id(draft): draft for draft in drafts if draft.parent is None}
    number = {root: at % parts for at, root in enumerate(roots)}

    def root(draft: Draft) -> Draft:
        return draft if draft.parent is None else root(draft.parent)

    return [draft for draft in drafts if number[id(root(draft))] == part]


def _share(total: int, share: float) -> int:
    """The count for a share; histories worth the name hold at least one of each class."""
    return max(round(total * share), 1 if total >= 20 else 0)


def _draft(rng: Random, started: float, count: int) -> Draft:
    return Draft(started, count, min(rng.uniform(4, 75), (NOW - 1 - started) / (count + 1)))


def _lengths(rng: Random, sessions: int, messages: int) -> list[int]:
    """Message counts in random order: a tail falling as 1/rank, the others log-normal."""
    longest = min(LONGEST, messages // 5)
    tail = [longest // rank for rank in range(1, min(max(sessions // 200, 1), sessions - 1) + 1)]
    usual, left = sessions - len(tail), messages - sum(tail)
    least = min(2, left // usual)
    weights = [rng.lognormvariate(0, 0.9) for _ in range(usual)]
    unit = (left - least * usual) / sum(weights)
    counts = [least + int(weight * unit) for weight in weights]
    for index in range(left - sum(counts)):
        counts[index % usual] += 1
    counts += tail
    rng.shuffle(counts)
    return counts


def _children(
    rng: Random, roots: list[Draft], children: dict[str, int], counts: list[int]
) -> list[Draft]:
    """Linked sessions. No parent serves twice, since its end reason tells what its child is."""
    parents = [root for root in roots if root.count and root.ended < NOW - 3_600]
    rng.shuffle(parents)
    made: list[Draft] = []
    tails: list[Draft] = []
    for kind, number in children.items():
        for _ in range(number):
            chained = kind == "continuation" and tails and rng.random() < 0.4
            parent = tails.pop() if chained else parents.pop()
            if kind == "subagent":
                started = parent.started + rng.uniform(0.1, 0.9) * parent.count * parent.pace
            else:
                started = parent.ended + 0.5
                parent.end_reason = "compression" if kind == "continuation" else "branched"
            child = _draft(rng, started, counts.pop())
            child.kind, child.parent = kind, parent
            made.append(child)
            if kind == "continuation" and child.ended < NOW - 3_600:
                tails.append(child)
    return made


def _name(rng: Random, drafts: list[Draft], noisy_from: int) -> None:
    """Gives every session its source, an id in Hermes' shape, and a way it ended."""
    taken: set[str] = set()
    jobs = [f"{rng.getrandbits(48):012x}" for _ in range(40)]
    sources = rng.choices(SOURCES, SOURCE_WEIGHTS, k=len(drafts))
    for index, draft in enumerate(drafts):
        if index >= noisy_from:
            draft.source = "cron"
        elif draft.parent is None:
            draft.source = sources[index]
        else:
            draft.source = draft.parent.source
        stamp = time.strftime("%Y%m%d_%H%M%S", time.gmtime(draft.started))
        while not draft.id or draft.id in taken:
            if draft.source == "cron" and draft.kind == "root":
                draft.id = f"cron_{rng.choice(jobs)}_{stamp}"
            elif draft.source in ("cli", "tui"):
                draft.id = f"{stamp}_{rng.getrandbits(24):06x}"
            else:
                draft.id = f"{stamp}_{rng.getrandbits(32):08x}"
        taken.add(draft.id)
        if draft.kind == "subagent":
            draft.end_reason = "agent_close"
        elif draft.end_reason is None and rng.random() < 0.85:
            draft.end_reason = END_REASONS.get(draft.source, "session_reset")
