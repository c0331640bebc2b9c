"""An edit is about what was listed, not about what lies in its place by now.

A list knows its rows by their number in the file, and the agent may give the number of a session
that it deleted to another one; or it goes on with a session that was to be pruned for being quiet.
"""

from collections.abc import Callable, Collection, Mapping

from explorer.errors import Refused
from explorer.stores.catalog import Catalog
from explorer.stores.edits.plans import EditPlan, PlannedOutcome

ANOTHER = Refused(
    "The list has changed", "Another session is in this place by now. Nothing was done."
)
SINCE = "changed since it was listed"


def check_same(plan: EditPlan, shown: Mapping[int, str]) -> None:
    """Refuse a plan about other sessions than were `shown`, which are ids by key."""
    if any(shown.get(one.key, one.id) != one.id for one in plan.sessions):
        raise ANOTHER


def as_listed(
    plan: EditPlan,
    keys: Collection[int],
    listed: Catalog,
    again: Callable[[list[int]], EditPlan],
) -> EditPlan:
    """The plan without the conversations in which something has happened since they were `listed`;
    `again` makes the plan for fewer of the `keys` that were asked for."""
    asked = frozenset(keys)
    changed = {
        one.key
        for one in plan.doomed
        if one.key in asked and (one.last_active or 0.0) != listed.last_active(one.key)
    }
    if not changed:
        return plan
    stay = {part for key in changed for part in listed.chain(key)}
    rest = again([key for key in keys if key not in stay])
    left = [
        one._replace(outcome=PlannedOutcome.SKIP, reason=SINCE)
        for one in plan.doomed
        if one.key in asked & stay
    ]
    return rest._replace(sessions=(*rest.sessions, *left))
