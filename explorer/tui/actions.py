"""Everything that can be done, in one table: keys, footer, palette, help and README come from it.

Keys act on what has the focus. Keys with a modifier, and F1, also work while typing.
"""

from typing import NamedTuple

from textual.binding import Binding, BindingType


class Action(NamedTuple):
    """One thing a user can do."""

    name: str
    scope: str
    """What must have the focus: list, transcript, search, or app for all of them."""
    keys: str
    """As Textual names them, the first one shown; empty where only the palette has it."""
    shown: str
    """The keys as people write them."""
    label: str
    """A word for the footer."""
    help: str
    call: str
    """The action that a widget, the screen or the app performs."""
    rank: int | None = None
    """Place in the footer, if it belongs there."""
    palette: bool = True


ACTIONS = (
    Action("read", "list", "enter,right,l", "enter", "Read", "Read the session", "open", 0),
    Action("resume", "list", "r", "r", "Resume", "Go on with it in its agent", "screen.resume", 1),
    Action("search", "app", "slash", "/", "Search", "Search all sessions", "screen.search", 2),
    Action("list-down", "list", "down,j", "↓ j", "Down", "Next session", "move(1)"),
    Action("list-up", "list", "up,k", "↑ k", "Up", "Previous session", "move(-1)"),
    Action("list-page-down", "list", "pagedown", "PgDn", "Page", "A page down", "page(1)"),
    Action("list-page-up", "list", "pageup", "PgUp", "Page", "A page up", "page(-1)"),
    Action("list-first", "list", "g,home", "g Home", "First", "First session", "first"),
    Action("list-last", "list", "G,end", "G End", "Last", "Last session", "last"),
    Action(
        "list-heading-down",
        "list",
        "right_curly_bracket",
        "}",
        "Day",
        "Next day, or other heading",
        "heading(1)",
    ),
    Action(
        "list-heading-up",
        "list",
        "left_curly_bracket",
        "{",
        "Day",
        "Previous day, or other heading",
        "heading(-1)",
    ),
    Action("filter", "list", "f", "f", "Filter", "Choose what is listed", "screen.filter", 6),
    Action(
        "unfilter",
        "list",
        "backspace",
        "⌫",
        "Unfilter",
        "Take the last filter off",
        "screen.unfilter",
    ),
    Action(
        "hidden",
        "list",
        "full_stop",
        ".",
        "Hidden",
        "Show or hide the hidden sessions",
        "screen.hidden",
        12,
    ),
    Action("sort", "list", "s", "s", "Sort", "Choose the order; turn it round", "screen.sort", 7),
    Action(
        "select", "list", "space", "space", "Select", "Select, and on to the next", "select", 10
    ),
    Action(
        "extend-down", "list", "shift+down", "shift+↓", "Extend", "Select downwards", "extend(1)"
    ),
    Action("extend-up", "list", "shift+up", "shift+↑", "Extend", "Select upwards", "extend(-1)"),
    Action("invert", "list", "asterisk", "*", "Invert", "Invert the selection", "invert"),
    Action("select-all", "list", "ctrl+a", "ctrl+a", "All", "Select all listed", "select_all"),
    Action(
        "unwind",
        "list",
        "escape",
        "esc",
        "Clear",
        "Clear the search, then the selection",
        "screen.unwind",
    ),
    Action("list-next", "list", "n", "n", "Next", "Next match of the search", "screen.match(1)"),
    Action("list-previous", "list", "N", "N", "Previous", "Previous match", "screen.match(-1)"),
    Action(
        "rename",
        "list",
        "t,f2",
        "t F2",
        "Rename",
        "Give it another title",
        "screen.edit('rename')",
        3,
    ),
    Action(
        "delete",
        "list",
        "d,delete",
        "d Del",
        "Delete",
        "Delete it, after a plan",
        "screen.edit('delete')",
        4,
    ),
    Action(
        "archive",
        "list",
        "a",
        "a",
        "Archive",
        "Archive it, or take it out",
        "screen.edit('archive')",
        9,
    ),
    Action(
        "prune", "list", "p", "p", "Prune", "Clean up many by rules", "screen.edit('prune')", 10
    ),
    Action("undo", "list", "u", "u", "Undo", "Take the last edit back", "screen.edit('undo')", 8),
    Action(
        "end",
        "list",
        "",
        "ctrl+p",
        "End",
        "End a session that a crash left open",
        "screen.edit('end')",
    ),
    Action(
        "reopen",
        "list",
        "",
        "ctrl+p",
        "Reopen",
        "Open an ended session again",
        "screen.edit('reopen')",
    ),
    Action(
        "clear-messages",
        "list",
        "",
        "ctrl+p",
        "Clear",
        "Delete its messages and keep the session",
        "screen.edit('clear')",
    ),
    Action(
        "trash",
        "list",
        "",
        "ctrl+p",
        "Trash",
        "What was deleted, and how it comes back",
        "screen.edit('trash')",
    ),
    Action("pin", "list", "m", "m", "Pin", "Pin at the top, or unpin", "screen.pin", 12),
    Action(
        "unfold",
        "list",
        "z",
        "z",
        "Unfold",
        "Show or hide the parts and subagents of a conversation",
        "screen.unfold",
        13,
    ),
    Action("density", "list", "v", "v", "Rows", "Comfortable or compact rows", "density", 14),
    Action(
        "lineage",
        "list",
        "L",
        "L",
        "Lineage",
        "What it came from and what came of it",
        "screen.lineage",
        15,
    ),
    Action("details", "list", "i", "i", "Details", "All that is known of it", "screen.details", 16),
    Action("editor", "list", "E", "E", "Editor", "Open it in $EDITOR", "screen.read_in('editor')"),
    Action("pager", "list", "P", "P", "Pager", "Open it in $PAGER", "screen.read_in('pager')"),
    Action(
        "back", "transcript", "escape,left,h", "esc", "Back", "Back to the list", "ask('leave')", 0
    ),
    Action("down", "transcript", "down,j", "↓ j", "Down", "Scroll down", "scroll(1)"),
    Action("up", "transcript", "up,k", "↑ k", "Up", "Scroll up", "scroll(-1)"),
    Action(
        "page-down", "transcript", "pagedown,space", "PgDn space", "Page", "A page down", "page(1)"
    ),
    Action("page-up", "transcript", "pageup", "PgUp", "Page", "A page up", "page(-1)"),
    Action("top", "transcript", "g,home", "g Home", "Top", "Beginning of the session", "top"),
    Action("bottom", "transcript", "G,end", "G End", "End", "End of the session", "bottom"),
    Action(
        "enter",
        "transcript",
        "enter",
        "enter",
        "Fold",
        "Unfold or fold the block; open it alone if it is long",
        "enter",
        1,
    ),
    Action("fold", "transcript", "z", "z", "Fold", "Unfold or fold the block", "fold"),
    Action(
        "next-block", "transcript", "right_curly_bracket", "}", "Next", "Next block", "block(1)", 3
    ),
    Action(
        "previous-block",
        "transcript",
        "left_curly_bracket",
        "{",
        "Previous",
        "Previous block",
        "block(-1)",
    ),
    Action(
        "next-yours",
        "transcript",
        "right_square_bracket",
        "]",
        "Next of yours",
        "Next message of yours",
        "yours(1)",
    ),
    Action(
        "previous-yours",
        "transcript",
        "left_square_bracket",
        "[",
        "Previous of yours",
        "Previous message of yours",
        "yours(-1)",
    ),
    Action(
        "reasoning",
        "transcript",
        "T",
        "T",
        "Thinking",
        "Unfold or fold all reasoning",
        "fold_all('reasoning')",
        4,
    ),
    Action(
        "tools",
        "transcript",
        "o",
        "o",
        "Tools",
        "Tool calls: folded, brief, full",
        "calls",
        5,
    ),
    Action("find", "transcript", "ctrl+f", "ctrl+f", "Find", "Find in it", "screen.find", 2),
    Action("next-match", "transcript", "n", "n", "Next", "Next match", "ask('next')"),
    Action(
        "previous-match", "transcript", "N", "N", "Previous", "Previous match", "ask('previous')"
    ),
    Action(
        "error",
        "transcript",
        "exclamation_mark",
        "!",
        "Error",
        "Next thing that went wrong",
        "ask('error')",
    ),
    Action(
        "part",
        "transcript",
        "c",
        "c",
        "Part",
        "The whole conversation, or this part",
        "ask('part')",
        6,
    ),
    Action(
        "everything",
        "transcript",
        "R",
        "R",
        "Rewound",
        "Show or hide what was rewound or repeated",
        "ask('everything')",
    ),
    Action(
        "return",
        "transcript",
        "backspace",
        "⌫",
        "Return",
        "Back from a link to a subagent",
        "ask('return')",
    ),
    Action("copy", "transcript", "y", "y", "Copy", "Copy the block", "ask('copy')", 7),
    Action(
        "copy-code", "transcript", "ctrl+y", "ctrl+y", "Code", "Copy its code", "ask('copy_code')"
    ),
    Action(
        "copy-message",
        "transcript",
        "J",
        "J",
        "JSON",
        "Copy the message as JSON",
        "ask('copy_message')",
    ),
    Action("copy-id", "transcript", "Y", "Y", "Id", "Copy the session's id", "ask('copy_id')"),
    Action(
        "session-details",
        "transcript",
        "i",
        "i",
        "Details",
        "All that is known of the session",
        "screen.details",
        8,
    ),
    Action(
        "session-editor",
        "transcript",
        "E",
        "E",
        "Editor",
        "Open the transcript in $EDITOR",
        "screen.read_in('editor')",
    ),
    Action(
        "session-pager",
        "transcript",
        "P",
        "P",
        "Pager",
        "Open the transcript in $PAGER",
        "screen.read_in('pager')",
    ),
    Action(
        "clear", "search", "escape", "esc", "Clear", "Clear the search, then leave it", "clear", 0
    ),
    Action("open-result", "search", "enter", "enter", "Read", "Read at the match", "submit", 1),
    Action("next-result", "search", "down", "↓", "Next", "Next result", "step(1)", 2),
    Action(
        "previous-result",
        "search",
        "up",
        "↑",
        "Previous",
        "Previous result; in an empty bar an earlier search",
        "step(-1)",
        3,
    ),
    Action("complete", "search", "tab", "tab", "Complete", "Complete a field", "complete"),
    Action("results-down", "search", "pagedown", "PgDn", "Page", "A page of results on", "page(1)"),
    Action("results-up", "search", "pageup", "PgUp", "Page", "A page of results back", "page(-1)"),
    Action("find-close", "find", "escape", "esc", "Close", "Stop finding", "leave", 0),
    Action(
        "find-enter", "find", "enter", "enter", "Read", "To the text, at the match", "submit", 1
    ),
    Action("find-down", "find", "down", "↓", "Next", "Next match", "step(1)", 2),
    Action("find-up", "find", "up", "↑", "Previous", "Previous match", "step(-1)", 3),
    Action(
        "prune-choose",
        "prune",
        "enter,space",
        "enter",
        "Choose",
        "Choose or change it",
        "choose",
        0,
    ),
    Action("prune-down", "prune", "down,j", "↓ j", "Down", "Next rule", "move(1)"),
    Action("prune-up", "prune", "up,k", "↑ k", "Up", "Previous rule", "move(-1)"),
    Action(
        "prune-pane",
        "prune",
        "tab,right,l",
        "tab",
        "The list",
        "To what would go, and back",
        "screen.pane",
        1,
    ),
    Action(
        "prune-archive",
        "prune",
        "a",
        "a",
        "Archive",
        "Archive what would go",
        "screen.edit('archive')",
        2,
    ),
    Action(
        "prune-delete",
        "prune",
        "d,delete",
        "d Del",
        "Delete",
        "Delete what would go, after a question",
        "screen.edit('delete')",
        3,
    ),
    Action("prune-leave", "prune", "escape,q", "esc", "Back", "Back to all", "screen.leave", 4),
    Action("pane", "app", "tab", "tab", "Pane", "The other pane", "screen.pane", 17),
    Action("theme", "app", "ctrl+t", "ctrl+t", "Theme", "Theme: dark or light", "app.look"),
    Action(
        "palette", "app", "ctrl+p", "ctrl+p", "Commands", "All commands", "app.command_palette", 18
    ),
    Action("help", "app", "question_mark,f1", "? F1", "Help", "Help and all keys", "app.help", 5),
    Action("quit", "app", "q,ctrl+q", "q ctrl+q", "Quit", "Leave", "app.quit", 19),
)


def bindings(scope: str) -> list[BindingType]:
    """The key bindings of a widget, or with scope app of the screen."""
    return [
        Binding(
            action.keys,
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
    """(key, label) for the footer while something has the focus, as many as fit: the most useful
    ones, in the order of the table. Where letters are typed, only keys that are none."""
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
    return [(kept[action.name], action.label) for action in wanted if action.name in kept]


def _key(action: Action, typing: bool) -> str:
    keys = action.shown.split()
    return next((key for key in keys if not typing or key in "↑↓" or len(key) > 1), "")
