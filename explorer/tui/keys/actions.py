"""Everything that can be done, in one table: keys, footer, palette, help and README come from it.

Keys act on what has the focus. Keys with a modifier, and F1, also work while typing.
"""

from typing import NamedTuple

from textual.binding import Binding, BindingType

_NAMES = {
    **{"up": "↑", "down": "↓", "shift+up": "shift+↑", "shift+down": "shift+↓"},
    **{"pageup": "PgUp", "pagedown": "PgDn", "home": "Home", "end": "End"},
    **{"escape": "esc", "backspace": "⌫", "delete": "Del", "f1": "F1", "f2": "F2"},
}
"""How people write keys that Textual writes in another way."""


class KeyAction(NamedTuple):
    """One thing a user can do."""

    name: str
    keys: str
    """As Textual names them, the first one shown in the footer; empty where only the palette has
    it."""
    label: str
    """A word for the footer."""
    help: str
    call: str
    """The action that a widget, the screen or the app performs."""
    rank: int | None = None
    """Place in the footer, if it belongs there."""
    also: str = ""
    """More keys, of which nothing is said."""
    shown_as: str = "ctrl+p"
    """How it is reached without keys of its own."""
    palette: bool = True
    scope: str = "app"
    """What must have the focus: list, transcript, search, find, prune, or app for all of them."""

    @property
    def shown(self) -> str:
        """The keys as people write them."""
        keys = " ".join(_NAMES.get(key, key) for key in self.keys.split(","))
        return keys or self.shown_as


def _in(scope: str, *actions: KeyAction) -> tuple[KeyAction, ...]:
    return tuple(action._replace(scope=scope) for action in actions)


ACTIONS: tuple[KeyAction, ...] = (
    *_in(
        "list",
        KeyAction("read", "enter", "Read", "Read the session", "open", 0, also="right,l"),
        KeyAction("resume", "r", "Resume", "Go on with it in its agent", "screen.resume", 1),
        KeyAction("list-down", "down,j", "Down", "Next session", "move(1)"),
        KeyAction("list-up", "up,k", "Up", "Previous session", "move(-1)"),
        KeyAction("list-page-down", "pagedown", "Page", "A page down", "page(1)"),
        KeyAction("list-page-up", "pageup", "Page", "A page up", "page(-1)"),
        KeyAction("list-first", "g,home", "First", "First session", "first"),
        KeyAction("list-last", "G,end", "Last", "Last session", "last"),
        KeyAction("list-heading-down", "}", "Day", "Next day, or other heading", "heading(1)"),
        KeyAction("list-heading-up", "{", "Day", "Previous day, or other heading", "heading(-1)"),
        KeyAction("filter", "f", "Filter", "Choose what is listed", "screen.filter", 6),
        KeyAction(
            "unfilter", "backspace", "Unfilter", "Take the last filter off", "screen.unfilter"
        ),
        KeyAction("hidden", ".", "Hidden", "Show or hide the hidden sessions", "screen.hidden", 12),
        KeyAction("sort", "s", "Sort", "Choose the order; turn it round", "screen.sort", 7),
        KeyAction("select", "space", "Select", "Select, and on to the next", "select", 10),
        KeyAction("extend-down", "shift+down", "Extend", "Select downwards", "extend(1)"),
        KeyAction("extend-up", "shift+up", "Extend", "Select upwards", "extend(-1)"),
        KeyAction("invert", "*", "Invert", "Invert the selection", "invert"),
        KeyAction("select-all", "ctrl+a", "All", "Select all listed", "select_all"),
        KeyAction(
            "unwind", "escape", "Clear", "Clear the search, then the selection", "screen.unwind"
        ),
        KeyAction("list-next", "n", "Next", "Next match of the search", "screen.match(1)"),
        KeyAction("list-previous", "N", "Previous", "Previous match", "screen.match(-1)"),
        KeyAction("rename", "t,f2", "Rename", "Give it another title", "screen.edit('rename')", 3),
        KeyAction(
            "delete", "d,delete", "Delete", "Delete it, after a plan", "screen.edit('delete')", 4
        ),
        KeyAction(
            "archive", "a", "Archive", "Archive it, or take it out", "screen.edit('archive')", 9
        ),
        KeyAction("prune", "p", "Prune", "Clean up many by rules", "screen.edit('prune')", 10),
        KeyAction("undo", "u", "Undo", "Take the last edit back", "screen.undo", 8),
        KeyAction("end", "", "End", "End a session that a crash left open", "screen.edit('end')"),
        KeyAction("reopen", "", "Reopen", "Open an ended session again", "screen.edit('reopen')"),
        KeyAction(
            "clear-messages",
            "",
            "Clear",
            "Delete its messages and keep the session",
            "screen.edit('clear')",
        ),
        KeyAction(
            "trash",
            "",
            "Trash",
            "The trash: what was deleted, and how it comes back",
            "screen.trash",
        ),
        KeyAction("pin", "m", "Pin", "Pin at the top, or unpin", "screen.pin", 12),
        KeyAction(
            "keep", "K", "Keep", "Keep sessions that Hermes is about to delete", "screen.keep"
        ),
        KeyAction(
            "unfold",
            "z",
            "Unfold",
            "Show or hide the parts and subagents of a conversation",
            "screen.unfold",
            13,
        ),
        KeyAction("density", "v", "Rows", "Comfortable or compact rows", "density", 14),
        KeyAction(
            "lineage", "L", "Lineage", "What it came from and what came of it", "screen.lineage", 15
        ),
        KeyAction("details", "i", "Details", "All that is known of it", "screen.details", 16),
        KeyAction("editor", "E", "Editor", "Open it in $EDITOR", "screen.read_in('editor')"),
        KeyAction("pager", "P", "Pager", "Open it in $PAGER", "screen.read_in('pager')"),
    ),
    *_in(
        "transcript",
        KeyAction("back", "escape", "Back", "Back to the list", "ask('leave')", 0, also="left,h"),
        KeyAction("down", "down,j", "Down", "Scroll down", "scroll(1)"),
        KeyAction("up", "up,k", "Up", "Scroll up", "scroll(-1)"),
        KeyAction("page-down", "pagedown,space", "Page", "A page down", "page(1)"),
        KeyAction("page-up", "pageup", "Page", "A page up", "page(-1)"),
        KeyAction("top", "g,home", "Top", "Beginning of the session", "top"),
        KeyAction("bottom", "G,end", "End", "End of the session", "bottom"),
        KeyAction(
            "enter",
            "enter",
            "Fold",
            "Unfold or fold the block; open it alone if it is long",
            "enter",
            1,
        ),
        KeyAction("fold", "z", "Fold", "Unfold or fold the block", "fold"),
        KeyAction("next-block", "}", "Next", "Next block", "block(1)", 3),
        KeyAction("previous-block", "{", "Previous", "Previous block", "block(-1)"),
        KeyAction("next-yours", "]", "Next of yours", "Next message of yours", "yours(1)"),
        KeyAction(
            "previous-yours", "[", "Previous of yours", "Previous message of yours", "yours(-1)"
        ),
        KeyAction(
            "reasoning", "T", "Thinking", "Unfold or fold all reasoning", "fold_all('reasoning')", 4
        ),
        KeyAction("tools", "o", "Tools", "Tool calls: folded, brief, full", "calls", 6),
        KeyAction("find", "ctrl+f", "Find", "Find in it", "screen.find", 2),
        KeyAction("next-match", "n", "Next", "Next match", "ask('next')"),
        KeyAction("previous-match", "N", "Previous", "Previous match", "ask('previous')"),
        KeyAction("error", "!", "Error", "Next thing that went wrong", "ask('error')"),
        KeyAction("part", "c", "Part", "The whole conversation, or this part", "ask('part')", 7),
        KeyAction(
            "everything",
            "R",
            "Rewound",
            "Show or hide rewound, repeated and hidden messages",
            "ask('everything')",
        ),
        KeyAction(
            "return", "backspace", "Return", "Back from a link to a subagent", "ask('return')"
        ),
        KeyAction("copy", "y", "Copy", "Copy the block", "ask('copy')", 8),
        KeyAction("copy-code", "ctrl+y", "Code", "Copy its code", "ask('copy_code')"),
        KeyAction("copy-message", "J", "JSON", "Copy the message as JSON", "ask('copy_message')"),
        KeyAction("copy-id", "Y", "Id", "Copy the session's id", "ask('copy_id')"),
        KeyAction(
            "session-details",
            "i",
            "Details",
            "All that is known of the session",
            "screen.details",
            9,
        ),
        KeyAction(
            "session-editor",
            "E",
            "Editor",
            "Open the transcript in $EDITOR",
            "screen.read_in('editor')",
        ),
        KeyAction(
            "session-pager",
            "P",
            "Pager",
            "Open the transcript in $PAGER",
            "screen.read_in('pager')",
        ),
    ),
    *_in(
        "app",
        KeyAction("search", "/", "Search", "Search all sessions", "screen.search", 2),
    ),
    *_in(
        "search",
        KeyAction("clear", "escape", "Clear", "Clear the search, then leave it", "clear", 0),
        KeyAction("open-result", "enter", "Read", "Read at the match", "submit", 1),
        KeyAction("next-result", "down", "Next", "Next result", "step(1)", 2),
        KeyAction(
            "previous-result",
            "up",
            "Previous",
            "Previous result; in an empty bar an earlier search",
            "step(-1)",
            3,
        ),
        KeyAction("complete", "tab", "Complete", "Complete a field", "complete"),
        KeyAction("results-down", "pagedown", "Page", "A page of results on", "page(1)"),
        KeyAction("results-up", "pageup", "Page", "A page of results back", "page(-1)"),
    ),
    *_in(
        "find",
        KeyAction("find-close", "escape", "Close", "Stop finding", "leave", 0),
        KeyAction("find-enter", "enter", "Read", "To the text, at the match", "submit", 1),
        KeyAction("find-down", "down", "Next", "Next match", "step(1)", 2),
        KeyAction("find-up", "up", "Previous", "Previous match", "step(-1)", 3),
    ),
    *_in(
        "prune",
        KeyAction(
            "prune-choose", "enter", "Choose", "Choose or change it", "choose", 0, also="space"
        ),
        KeyAction("prune-down", "down,j", "Down", "Next rule", "move(1)"),
        KeyAction("prune-up", "up,k", "Up", "Previous rule", "move(-1)"),
        KeyAction(
            "prune-pane",
            "tab",
            "The list",
            "To what would go, and back",
            "screen.pane",
            1,
            also="right,l",
        ),
        KeyAction(
            "prune-archive", "a", "Archive", "Archive what would go", "screen.edit('archive')", 2
        ),
        KeyAction(
            "prune-delete",
            "d,delete",
            "Delete",
            "Delete what would go, after a question",
            "screen.edit('delete')",
            3,
        ),
        KeyAction("prune-undo", "u", "Undo", "Take the last edit back", "screen.undo", 6),
        KeyAction("prune-leave", "escape", "Back", "Back to all", "screen.leave", 4, also="q"),
    ),
    *_in(
        "app",
        KeyAction("pane", "tab", "Pane", "The other pane", "screen.pane", 17),
        KeyAction("theme", "ctrl+t", "Theme", "Theme: dark or light", "app.look"),
        KeyAction("palette", "ctrl+p", "Commands", "All commands", "app.command_palette", 18),
        KeyAction("help", "?,f1", "Help", "Help and all keys", "app.help", 5),
        KeyAction(
            "interrupt",
            "",
            "Cancel",
            "Clear the field; cancel; back; quit",
            "app.interrupt",
            shown_as="ctrl+c",
            palette=False,
        ),
        KeyAction("quit", "q,ctrl+q", "Quit", "Leave", "app.quit", 19),
    ),
)


def bindings(scope: str) -> list[BindingType]:
    """The key bindings of a widget, or with scope app of the screen."""
    return [
        Binding(
            ",".join(filter(None, (action.keys, action.also))),
            action.call,
            action.label,
            show=False,
            # At once: what is typed right behind it must find the bar, not the list or the text,
            # where a letter may be a key that leaves.
            priority=action.name in ("search", "find"),
            id=action.name,
        )
        for action in ACTIONS
        if action.scope == scope and action.keys
    ]


def scope_of(focused: str | None) -> str:
    """The scope of the widget with this id: whose keys act while it has the focus."""
    scopes = {"query": "search", "transcript": "transcript", "find-text": "find"}
    scopes |= {"prune-rules": "prune", "prune-list": "prune"}
    return scopes.get(focused or "", "list")


def footer(scope: str, room: int) -> list[tuple[str, str]]:
    """(key, label) for the footer while something has the focus, as many as fit, the most useful
    ones first. Where letters are typed, only keys that are none."""
    everywhere = ("help",) if scope == "prune" else tuple(a.name for a in ACTIONS)
    wanted = [
        a
        for a in ACTIONS
        if a.rank is not None and (a.scope == scope or (a.scope == "app" and a.name in everywhere))
    ]
    kept: dict[str, str] = {}
    for action in sorted(wanted, key=lambda action: action.rank or 0):
        key = _key(action, scope in ("search", "find"))
        wide = len(key) + len(action.label) + 3
        if key and wide <= room:
            room -= wide
            kept[action.name] = key
    shown = sorted(wanted, key=lambda action: (_general(action), action.rank or 0))
    return [(kept[action.name], action.label) for action in shown if action.name in kept]


def _general(action: KeyAction) -> bool:
    """What is to be found everywhere stands last."""
    return action.scope == "app" and action.name != "search"


def _key(action: KeyAction, typing: bool) -> str:
    keys = action.shown.split()
    return next((key for key in keys if not typing or key in "↑↓" or len(key) > 1), "")
