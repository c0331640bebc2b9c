"""What can be done while something is typed or pruned, and everywhere."""

from explorer.tui.keys.action import Action

ELSEWHERE = (
    Action("search", "app", "slash", "/", "Search", "Search all sessions", "screen.search", 2),
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
    Action("prune-undo", "prune", "u", "u", "Undo", "Take the last edit back", "screen.undo", 6),
    Action("prune-leave", "prune", "escape,q", "esc", "Back", "Back to all", "screen.leave", 4),
    Action("pane", "app", "tab", "tab", "Pane", "The other pane", "screen.pane", 17),
    Action("theme", "app", "ctrl+t", "ctrl+t", "Theme", "Theme: dark or light", "app.look"),
    Action(
        "palette", "app", "ctrl+p", "ctrl+p", "Commands", "All commands", "app.command_palette", 18
    ),
    Action("help", "app", "question_mark,f1", "? F1", "Help", "Help and all keys", "app.help", 5),
    Action(
        "interrupt",
        "app",
        "",
        "ctrl+c",
        "Cancel",
        "Clear the field; cancel; back; quit",
        "app.interrupt",
        palette=False,
    ),
    Action("quit", "app", "q,ctrl+q", "q ctrl+q", "Quit", "Leave", "app.quit", 19),
)
