"""The rules of a prune, one line each."""

from explorer.tui.keys.actions import bindings
from explorer.tui.widgets.choice_list import ChoiceList


class RuleList(ChoiceList):
    """What would go, by which rules, and what stays."""

    BINDINGS = bindings("prune")
    IN_SIGHT = 3

    @property
    def shows_cursor(self) -> bool:
        return self.has_focus
