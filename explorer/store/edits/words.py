"""Edits in words: what a plan would do, what was done. Stored text in them is not cleaned yet."""

from explorer.render.amounts import plural
from explorer.store.edits.plans import Action, EditPlan, Planned

_DONE = {
    Action.ARCHIVE: "Archived",
    Action.UNARCHIVE: "Unarchived",
    Action.END: "Ended",
    Action.REOPEN: "Reopened",
    Action.CLEAR: "Cleared",
    Action.DELETE: "Deleted",
    Action.PRUNE: "Pruned",
}


def name_of(planned: Planned) -> str:
    return planned.title or planned.id


def receipt_words(plan: EditPlan) -> str:
    """What an edit did, in a line."""
    acted = plan.doomed
    if plan.action is Action.RENAME:
        old = acted[0].title or "untitled"
        return f"Renamed “{old}” to “{plan.title}”" if plan.title else f"Took the title “{old}” off"
    asked = [one for one in acted if not one.reason] or list(acted)
    what = f"“{name_of(asked[0])}”" if len(asked) == 1 else plural(len(asked), "session")
    along = len(acted) - len(asked)
    more = f" and {plural(along, 'subagent')}" if along else ""
    return f"{_DONE[plan.action]} {what}{more}"
