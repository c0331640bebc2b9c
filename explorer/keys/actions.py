"""Everything that can be done, in one table: bindings, footer, palette, help and docs come from it.

A command has one name everywhere: its title. The label is its short form for the footer, the
description explains it, and the synonyms are the words that people try in the palette. Keys act on
what has the focus. Keys with a modifier, and F1, also work while typing.
"""

from typing import NamedTuple

SCOPES = {
    "list": "In the list",
    "transcript": "In the transcript",
    "search": "While searching",
    "find": "While finding in a transcript",
    "prune": "While pruning",
    "prune-list": "In the sessions of a prune",
    "app": "Everywhere",
    "always": "Everywhere, also in dialogs",
    "dialogs": "In every dialog",
    "block": "In a single block",
    "details": "In details",
    "trash": "In history and trash",
    "lost": "While finding a lost session",
    "chats": "In the chats",
    "filters": "In the filters",
    "rename": "While renaming",
    "question": "In a question",
    "choice": "In a list of choices",
    "options": "In every list of choices",
    "several": "In a list with check boxes",
    "prompt": "While typing a value",
    "progress": "While a change is running",
    "help": "In the help",
    "problem": "When a file cannot be read",
    "scroll": "In every long text",
}
"""Where keys act, in the order of docs/keys.md."""
TYPING = ("search", "find", "rename", "prompt", "filters")
"""Where text is typed, so that a letter cannot be a key."""
TOGETHER = {
    **{scope: ("app",) for scope in ("list", "transcript", "search", "find")},
    **{scope: ("app",) for scope in ("prune", "prune-list")},
    **{scope: ("scroll", "dialogs") for scope in ("block", "details")},
    **{scope: ("options", "dialogs") for scope in ("trash", "lost", "chats", "choice")},
    "filters": ("dialogs",),
    "question": ("scroll", "dialogs"),
    "several": ("choice", "options", "dialogs"),
}
"""Scopes where the keys of others act as well."""


_ABOUT = {
    "resume": "continues it in its agent",
    "filter": "by source, age, class and more",
    "only": "this profile, source, workspace or model",
    "profiles": "how each state file is, and why one cannot be read",
    "list-date": "in the list",
    "show-hidden": "on or off",
    "search-hidden": "on or off",
    "chats": "who talks to the agent through Hermes' gateway",
    "find-lost": "other profiles, trash, files, snapshots",
    "search-lost": "other profiles, trash, files, snapshots",
    "sort": "choose it again to reverse",
    "select": "and move to the next",
    "delete": "shows what will happen first",
    "prune": "deletes or archives many at once",
    "mark-ended": "for a session that a crash left open",
    "reopen": "removes the mark that it has ended",
    "trash": "restore what was deleted or changed",
    "pin": "pinned sessions come first",
    "keep-expiring": "pins what Hermes would delete soon",
    "expand": "its parts and subagents",
    "lineage": "parts, branches, subagents",
    "details": "everything known about the session",
    "editor": "the transcript in $EDITOR",
    "copy-command": "for a shell",
    "pager": "the transcript in $PAGER",
    "expand-block": "long blocks open full screen",
    "show-rewound": "on or off",
    "full-width": "hides the list, and shows it again",
    "go-to-date": "a date, a time, or how long ago",
    "back-from-subagent": "to the session with the link",
    "search-previous": "in an empty bar: earlier searches",
    "prune-pane": "switches between the two panes",
    "prune-delete": "asks first",
    "prune-keep": "or no longer",
    "other-pane": "list or transcript",
    "theme": "dark or light",
    "themes": "choose from a list, with a preview",
    "privacy": "on or off, for screenshots",
    "help": "all keys, marks and the search language",
}
"""What the title of an action does not say."""

_SYNONYMS = {
    "read": "open view transcript messages",
    "resume": "continue open go on hermes chat",
    "filter": "only show source telegram cron archived older",
    "only": "filter same source workspace folder project model narrow",
    "profiles": "homes state files stores unreadable locked broken missing accounts all",
    "list-date": "jump day month when calendar",
    "remove-filter": "clear reset unfilter all",
    "show-hidden": "hide why missing lost archived cron empty all",
    "chats": "gateway telegram discord slack whatsapp signal people dm group messenger platform",
    "find-lost": "where missing gone vanished recover restore backup snapshot search",
    "sort": "order newest oldest cost tokens title reverse",
    "select": "mark tick",
    "invert-selection": "select mark",
    "select-all": "mark everything",
    "clear-selection": "reset unselect deselect",
    "rename": "title name change",
    "delete": "remove erase trash session",
    "archive": "hide put away session",
    "prune": "clean up older days age old empty bulk delete space",
    "undo": "restore revert get back",
    "mark-ended": "close finish stop end session",
    "reopen": "unend open again",
    "clear-messages": "empty delete messages wipe",
    "trash": "restore deleted recover undo purge get back bin",
    "pin": "star favourite favorite keep top mark",
    "keep-expiring": "protect retention auto prune clean-up",
    "expand": "unfold fold tree parts subagents",
    "row-height": "rows density lines preview view",
    "lineage": "tree branch parent children family related",
    "details": "info statistics tokens cost model properties id files",
    "editor": "export save vim nano",
    "pager": "less export",
    "back": "close leave return",
    "expand-block": "fold unfold open full",
    "expand-in-place": "fold unfold block",
    "reasoning": "thinking thoughts think fold unfold show hide",
    "tools": "tools results expand collapse output show hide",
    "find": "search text match",
    "next-error": "failed failure problem wrong",
    "whole-or-part": "compression continued chain",
    "show-rewound": "all hidden undone",
    "full-width": "zoom maximize fullscreen hide list wide",
    "go-to-date": "jump day time when yesterday at",
    "back-from-subagent": "parent return",
    "copy": "yank clipboard text",
    "copy-code": "yank clipboard",
    "copy-message": "yank clipboard raw",
    "copy-id": "yank clipboard",
    "copy-command": "yank clipboard shell continue",
    "search": "find grep text query look for",
    "search-hidden": "show archived cron empty all",
    "prune-archive": "hide",
    "prune-delete": "remove prune",
    "prune-undo": "restore revert",
    "prune-keep": "spare exclude protect select mark",
    "prune-keep-all": "spare everything select",
    "prune-keep-none": "unkeep include clear reset",
    "prune-close": "close cancel leave",
    "other-pane": "focus switch",
    "theme": "light dark colours colors appearance look",
    "themes": "light dark colours colors appearance look nord gruvbox solarized dracula",
    "privacy": "private anonymous anonymize redact mask people phone screenshot share",
    "help": "settings change remap keys shortcuts marks manual legend",
    "quit": "exit leave close end",
}
"""Words that people try in the palette."""


class KeyAction(NamedTuple):
    """One thing a user can do."""

    id: str
    """Its name in `[keys]` of the settings."""
    keys: str
    """As Textual names them, the first one shown in the footer; empty where only the palette has
    it."""
    title: str
    call: str
    """The action that a widget, the screen or the app performs."""
    label: str = ""
    """Its word in the footer, or in the hint of a dialog."""
    rank: int | None = None
    """Place in the footer or hint, if it belongs there."""
    reading: int | None = None
    """Place in the footer of the transcript, where that is another one."""
    more_keys: str = ""
    """Keys that are not mentioned anywhere."""
    palette: bool = True
    """Whether it is in the palette: movement is not."""
    scopes: tuple[str, ...] = ("app",)
    """What must have the focus: names of `SCOPES`."""
    about: str = ""
    synonyms: str = ""

    @property
    def main_keys(self) -> tuple[str, ...]:
        """Those that are mentioned."""
        return tuple(filter(None, self.keys.split(",")))

    @property
    def all_keys(self) -> tuple[str, ...]:
        return self.main_keys + tuple(filter(None, self.more_keys.split(",")))

    def place(self, scope: str) -> int | None:
        """Its place in the footer of a scope: the usual ones come first."""
        own = self.reading if scope == "transcript" else None
        return self.rank if own is None else own

    @property
    def change(self) -> str:
        """The name of the change to a session that it makes, if it makes one."""
        return self.call.partition("edit('")[2].removesuffix("')")

    @property
    def help(self) -> str:
        """The title, and what it does not say."""
        return f"{self.title} ({self.about})" if self.about else self.title


def _in(scopes: str, *actions: KeyAction) -> tuple[KeyAction, ...]:
    return tuple(
        action._replace(
            scopes=tuple(scopes.split()),
            about=_ABOUT.get(action.id, ""),
            synonyms=_SYNONYMS.get(action.id, ""),
        )
        for action in actions
    )


ACTIONS: tuple[KeyAction, ...] = (
    *_in(
        "list prune-list",
        KeyAction(
            "read", "enter", "Read session", "open", label="Read", rank=0, more_keys="right,l"
        ),
        KeyAction("list-down", "down,j", "Next session", "move(1)", palette=False),
        KeyAction("list-up", "up,k", "Previous session", "move(-1)", palette=False),
        KeyAction("list-page-down", "pagedown", "Page down", "page(1)", palette=False),
        KeyAction("list-page-up", "pageup", "Page up", "page(-1)", palette=False),
        KeyAction("list-first", "g,home", "First session", "first", palette=False),
        KeyAction("list-last", "G,end", "Last session", "last", palette=False),
        KeyAction("list-heading-down", "}", "Next day or heading", "heading(1)", palette=False),
        KeyAction("list-heading-up", "{", "Previous day or heading", "heading(-1)", palette=False),
        KeyAction(
            "row-height", "v", "Row height: comfortable / compact", "density", label="Rows", rank=15
        ),
    ),
    *_in(
        "list prune-list transcript prune filters options help scroll",
        KeyAction("half-page-down", "ctrl+d", "Half a page down", "half_page(1)", palette=False),
        KeyAction("half-page-up", "ctrl+u", "Half a page up", "half_page(-1)", palette=False),
    ),
    *_in(
        "list transcript",
        KeyAction(
            "resume", "r", "Resume session", "screen.resume", label="Resume", rank=1, reading=4
        ),
    ),
    *_in(
        "list",
        KeyAction(
            "list-full-width", "F", "Read session in full width", "screen.full", palette=False
        ),
        KeyAction("filter", "f", "Filter …", "screen.filter", label="Filter", rank=7),
        KeyAction("only", "o", "Only …", "screen.only"),
        KeyAction("profiles", "A", "Profiles …", "screen.profiles"),
        KeyAction("list-date", "@", "Go to date …", "screen.date"),
        KeyAction("remove-filter", "backspace", "Remove last filter", "screen.unfilter"),
        KeyAction(
            "show-hidden", ".", "Show hidden sessions", "screen.hidden", label="Hidden", rank=13
        ),
        KeyAction("find-lost", "W", "Find lost session …", "screen.find_lost"),
        KeyAction("chats", "C", "Chats …", "screen.chats"),
        KeyAction("sort", "s", "Sort …", "screen.sort", label="Sort", rank=8),
        KeyAction("select", "space", "Select session", "select", label="Select", rank=10),
        KeyAction("extend-down", "shift+down", "Extend selection down", "extend(1)", palette=False),
        KeyAction("extend-up", "shift+up", "Extend selection up", "extend(-1)", palette=False),
        KeyAction("invert-selection", "*", "Invert selection", "invert"),
        KeyAction("select-all", "ctrl+a", "Select all listed sessions", "select_all"),
        KeyAction("clear-selection", "escape", "Clear search or selection", "screen.unwind"),
        KeyAction(
            "list-next-match", "n", "Next match of the search", "screen.match(1)", palette=False
        ),
        KeyAction(
            "list-previous-match",
            "N",
            "Previous match of the search",
            "screen.match(-1)",
            palette=False,
        ),
        KeyAction(
            "expand",
            "z",
            "Expand / collapse conversation",
            "screen.unfold",
            label="Expand",
            rank=14,
        ),
        KeyAction("copy-command", "y", "Copy resume command", "screen.copy_command"),
    ),
    *_in(
        "list transcript",
        KeyAction(
            "rename",
            "t,f2",
            "Rename session",
            "screen.edit('rename')",
            label="Rename",
            rank=3,
            reading=5,
        ),
        KeyAction(
            "delete",
            "d,delete",
            "Delete …",
            "screen.edit('delete')",
            label="Delete",
            rank=4,
            reading=6,
        ),
        KeyAction(
            "archive",
            "a",
            "Archive / unarchive",
            "screen.edit('archive')",
            label="Archive",
            rank=9,
            reading=14,
        ),
        KeyAction(
            "prune",
            "p",
            "Prune by rules …",
            "screen.edit('prune')",
            label="Prune",
            rank=10,
            reading=20,
        ),
        KeyAction("undo", "u", "Undo last change", "screen.undo", label="Undo", rank=5, reading=9),
        KeyAction("mark-ended", "", "Mark as ended", "screen.edit('end')"),
        KeyAction("reopen", "", "Reopen session", "screen.edit('reopen')"),
        KeyAction("clear-messages", "", "Clear messages, keep session", "screen.edit('clear')"),
        KeyAction("trash", "U", "History and trash …", "screen.trash", label="Trash", rank=19),
        KeyAction("pin", "m", "Pin / unpin", "screen.pin", label="Pin", rank=12, reading=15),
        KeyAction("keep-expiring", "K", "Keep expiring sessions", "screen.keep"),
        KeyAction("lineage", "L", "Lineage", "screen.lineage", label="Lineage", rank=16),
        KeyAction("details", "i", "Details", "screen.details", label="Details", rank=17),
        KeyAction("editor", "E", "Open in editor", "screen.read_in('editor')"),
        KeyAction("pager", "P", "Open in pager", "screen.read_in('pager')"),
        KeyAction(
            "find",
            "ctrl+f",
            "Find in session",
            "screen.find",
            label="Find",
            rank=18,
            reading=2,
        ),
        KeyAction("copy-id", "Y", "Copy session id", "screen.copy_id"),
    ),
    *_in(
        "transcript",
        KeyAction(
            "back",
            "escape",
            "Back to the list",
            "ask('leave')",
            label="Back",
            rank=0,
            more_keys="left,h",
        ),
        KeyAction("transcript-down", "down,j", "Scroll down", "scroll(1)", palette=False),
        KeyAction("transcript-up", "up,k", "Scroll up", "scroll(-1)", palette=False),
        KeyAction("transcript-page-down", "pagedown,space", "Page down", "page(1)", palette=False),
        KeyAction("transcript-page-up", "pageup", "Page up", "page(-1)", palette=False),
        KeyAction("transcript-top", "g,home", "Beginning of the session", "top", palette=False),
        KeyAction("transcript-bottom", "G,end", "End of the session", "bottom", palette=False),
        KeyAction(
            "expand-block", "enter", "Expand / collapse block", "enter", label="Expand", rank=1
        ),
        KeyAction("expand-in-place", "z", "Expand / collapse in place", "fold"),
        KeyAction(
            "next-block", "}", "Next block", "block(1)", label="Next block", rank=8, palette=False
        ),
        KeyAction("previous-block", "{", "Previous block", "block(-1)", palette=False),
        KeyAction("next-prompt", "]", "Next prompt (your message)", "yours(1)", palette=False),
        KeyAction(
            "previous-prompt", "[", "Previous prompt (your message)", "yours(-1)", palette=False
        ),
        KeyAction(
            "reasoning",
            "T",
            "Expand / collapse all reasoning",
            "fold_all('reasoning')",
            label="Reasoning",
            rank=10,
        ),
        KeyAction(
            "tools", "o", "Tool calls: folded, brief or full", "calls", label="Tools", rank=11
        ),
        KeyAction(
            "next-match",
            "n",
            "Next match",
            "ask('next')",
            label="Next match",
            rank=1,
            palette=False,
        ),
        KeyAction(
            "previous-match",
            "N",
            "Previous match",
            "ask('previous')",
            label="Previous match",
            rank=1,
            palette=False,
        ),
        KeyAction(
            "full-width", "F", "Read in full width", "screen.full", label="Full width", rank=12
        ),
        KeyAction("next-error", "!", "Next error", "ask('error')"),
        KeyAction("go-to-date", "@", "Go to date …", "ask('date')"),
        KeyAction(
            "whole-or-part",
            "c",
            "Whole conversation / this part",
            "ask('part')",
            label="Whole/part",
            rank=13,
        ),
        KeyAction("show-rewound", "R", "Show rewound and repeated messages", "ask('everything')"),
        KeyAction("back-from-subagent", "backspace", "Back from subagent", "ask('return')"),
        KeyAction("copy", "y", "Copy block", "ask('copy')", label="Copy", rank=12),
        KeyAction("copy-code", "ctrl+y", "Copy code of the block", "ask('copy_code')"),
        KeyAction("copy-message", "J", "Copy message as JSON", "ask('copy_message')"),
    ),
    *_in(
        "app",
        KeyAction(
            "search",
            "/",
            "Search all sessions",
            "screen.search",
            label="Search",
            rank=2,
            reading=7,
        ),
    ),
    *_in(
        "search",
        KeyAction(
            "search-clear", "escape", "Clear search, then close it", "clear", label="Clear", rank=0
        ),
        KeyAction("search-read", "enter", "Read at the match", "submit", label="Read", rank=1),
        KeyAction(
            "search-next", "down", "Next result", "step(1)", label="Next", rank=2, palette=False
        ),
        KeyAction(
            "search-previous",
            "up",
            "Previous result",
            "step(-1)",
            label="Previous",
            rank=3,
            palette=False,
        ),
        KeyAction(
            "search-complete", "tab", "Complete field or value", "complete", label="Complete"
        ),
        KeyAction(
            "search-hidden",
            "ctrl+o",
            "Include hidden sessions",
            "screen.hidden",
            label="Hidden",
            rank=4,
        ),
        KeyAction(
            "search-lost",
            "ctrl+l",
            "Find lost session",
            "screen.find_lost",
            label="Find lost",
            rank=5,
            palette=False,
        ),
        KeyAction("search-page-down", "pagedown", "Page of results down", "page(1)", palette=False),
        KeyAction("search-page-up", "pageup", "Page of results up", "page(-1)", palette=False),
    ),
    *_in(
        "find",
        KeyAction("find-close", "escape", "Close find", "leave", label="Close", rank=0),
        KeyAction("find-go", "enter", "Go to the match", "submit", label="Go to match", rank=1),
        KeyAction(
            "find-next", "down", "Next match", "step(1)", label="Next", rank=2, palette=False
        ),
        KeyAction(
            "find-previous",
            "up",
            "Previous match",
            "step(-1)",
            label="Previous",
            rank=3,
            palette=False,
        ),
    ),
    *_in(
        "prune",
        KeyAction(
            "prune-change",
            "enter",
            "Change rule",
            "choose",
            label="Change",
            rank=0,
            more_keys="space",
        ),
        KeyAction("prune-down", "down,j", "Next rule", "move(1)", palette=False),
        KeyAction("prune-up", "up,k", "Previous rule", "move(-1)", palette=False),
        KeyAction(
            "prune-pane",
            "tab",
            "Rules / sessions",
            "screen.pane",
            label="Sessions",
            rank=1,
            more_keys="right,l",
        ),
        KeyAction(
            "prune-close",
            "escape",
            "Back to all sessions",
            "screen.leave",
            label="Back",
            rank=4,
            more_keys="q",
        ),
    ),
    *_in(
        "prune prune-list",
        KeyAction(
            "prune-archive",
            "a",
            "Archive these sessions",
            "screen.edit('archive')",
            label="Archive",
            rank=2,
        ),
        KeyAction(
            "prune-delete",
            "d,delete",
            "Delete these sessions …",
            "screen.edit('delete')",
            label="Delete",
            rank=3,
        ),
        KeyAction("prune-undo", "u", "Undo last change", "screen.undo", label="Undo", rank=6),
    ),
    *_in(
        "prune-list",
        KeyAction("prune-keep", "space", "Keep session", "select", label="Keep", rank=1),
        KeyAction("prune-keep-all", "ctrl+a", "Keep all listed sessions", "select_all"),
        KeyAction(
            "prune-keep-none", "x", "Keep none by hand", "keep_none", label="Keep none", rank=5
        ),
        KeyAction(
            "prune-rules",
            "escape",
            "Back to the rules",
            "screen.pane",
            label="Rules",
            rank=4,
            more_keys="tab,left,h",
        ),
        KeyAction("prune-list-close", "q", "Back to all sessions", "screen.leave"),
    ),
    *_in(
        "app",
        KeyAction("other-pane", "tab", "Other pane", "screen.pane", label="Other pane", rank=21),
        KeyAction("theme", "ctrl+t", "Switch theme", "app.look"),
        KeyAction("themes", "", "Theme …", "app.themes"),
        KeyAction("privacy", "", "Privacy: hide names and numbers", "screen.privacy"),
        KeyAction(
            "palette",
            ":,ctrl+p",
            "All commands",
            "app.command_palette",
            label="Commands",
            rank=6,
            reading=8,
            palette=False,
        ),
        KeyAction("help", "?,f1", "Help", "app.help", label="Help", rank=2),
        KeyAction("quit", "q,ctrl+q", "Quit", "app.quit", label="Quit", rank=22),
    ),
    *_in(
        "dialogs",
        KeyAction("help-here", "?,f1", "Help for this place", "app.help", label="help", rank=9),
    ),
    *_in(
        "always",
        KeyAction(
            "interrupt", "ctrl+c", "Clear, cancel, go back or quit", "app.interrupt", palette=False
        ),
    ),
    *_in(
        "block",
        KeyAction("block-close", "escape,q,left,h,enter", "Close", "leave", label="close", rank=1),
        KeyAction("block-find", "ctrl+f,/", "Find in block", "find", label="find", rank=0),
        KeyAction("block-next", "n", "Next match", "step(1)"),
        KeyAction("block-previous", "N", "Previous match", "step(-1)"),
        KeyAction("block-copy", "y", "Copy block", "copy", label="copy", rank=0),
    ),
    *_in(
        "details",
        KeyAction(
            "details-close", "escape,q,i,left,h,enter", "Close", "dismiss", label="close", rank=1
        ),
        KeyAction("details-copy", "y", "Copy session id", "copy", label="copy id", rank=0),
    ),
    *_in(
        "trash",
        KeyAction("trash-restore", "r,u", "Restore", "restore", label="restore", rank=1),
        KeyAction(
            "trash-purge", "x,delete", "Delete permanently …", "purge", label="delete", rank=2
        ),
        KeyAction("trash-close", "escape,q", "Close", "dismiss", label="close", rank=3),
    ),
    *_in(
        "lost",
        KeyAction("lost-copy", "y", "Copy command", "copy", label="copy command", rank=2),
        KeyAction("lost-close", "escape,q", "Close", "dismiss", label="close", rank=3),
    ),
    *_in(
        "chats",
        KeyAction("chats-filter", "/,f", "Filter chats …", "filter", label="filter", rank=1),
        KeyAction("chats-sort", "s", "Next sort order", "sort", label="sort", rank=2),
        KeyAction("chats-copy", "y", "Copy /resume command", "copy", label="copy", rank=3),
        KeyAction("chats-close", "escape,q,C", "Close", "close", label="close", rank=4),
    ),
    *_in(
        "filters",
        KeyAction("filters-down", "down", "Next filter", "move(1)"),
        KeyAction("filters-up", "up", "Previous filter", "move(-1)"),
        KeyAction("filters-page-down", "pagedown", "Page down", "move(10)"),
        KeyAction("filters-page-up", "pageup", "Page up", "move(-10)"),
        KeyAction("filters-first", "home", "First filter", "move(-10000)"),
        KeyAction("filters-last", "end", "Last filter", "move(10000)"),
        KeyAction(
            "filters-toggle",
            "space,enter",
            "Turn filter on or off",
            "choose",
            label="toggle",
            rank=0,
        ),
        KeyAction(
            "filters-clear",
            "delete",
            "Remove all filters",
            "screen.clear",
            label="clear",
            rank=1,
        ),
        KeyAction(
            "filters-close",
            "escape",
            "Clear text, then close",
            "screen.close",
            label="close",
            rank=2,
        ),
    ),
    *_in(
        "rename",
        KeyAction("rename-cancel", "escape", "Cancel", "dismiss", label="cancel", rank=2),
        KeyAction("rename-next", "ctrl+n", "Use the next free number", "next"),
        KeyAction("rename-go", "ctrl+g", "Go to the session with this title", "go"),
    ),
    *_in(
        "question",
        KeyAction("answer-yes", "y", "Yes", "yes", label="yes", rank=0),
        KeyAction("answer-no", "escape,n,q", "No", "dismiss(False)", label="no", rank=1),
        KeyAction("answer-other", "left,right,h,l", "Other button", "app.focus_next"),
    ),
    *_in(
        "choice",
        KeyAction("choice-cancel", "escape,q", "Cancel", "dismiss", label="cancel", rank=2),
    ),
    *_in(
        "options",
        KeyAction("option-down", "j", "Next choice", "cursor_down"),
        KeyAction("option-up", "k", "Previous choice", "cursor_up"),
        KeyAction("option-first", "g", "First choice", "first"),
        KeyAction("option-last", "G", "Last choice", "last"),
        KeyAction("option-take", "enter", "Choose", "select", label="choose", rank=1),
    ),
    *_in(
        "several",
        KeyAction("several-toggle", "space", "Check or uncheck", "mark", label="toggle", rank=0),
    ),
    *_in(
        "prompt",
        KeyAction("prompt-cancel", "escape", "Cancel", "dismiss", label="cancel", rank=2),
    ),
    *_in(
        "progress",
        KeyAction("progress-stop", "escape", "Stop", "stop", label="stop", rank=0),
    ),
    *_in(
        "help",
        KeyAction("help-close", "escape,q,?,f1,enter", "Close", "dismiss", label="close", rank=2),
        KeyAction("help-next", "tab,right,l", "Next page", "page(1)", label="next page", rank=1),
        KeyAction("help-previous", "shift+tab,left,h", "Previous page", "page(-1)"),
        KeyAction("help-down", "j", "Scroll down", "scroll(1)"),
        KeyAction("help-up", "k", "Scroll up", "scroll(-1)"),
        KeyAction("help-top", "g", "Top", "end(False)"),
        KeyAction("help-bottom", "G", "Bottom", "end(True)"),
    ),
    *_in(
        "problem",
        KeyAction(
            "problem-again", "r,enter", "Try again", "dismiss(True)", label="Try again", rank=0
        ),
        KeyAction("problem-quit", "q,escape,ctrl+q", "Quit", "leave", label="Quit", rank=1),
    ),
    *_in(
        "scroll",
        KeyAction("scroll-down", "down,j", "Scroll down", "scroll(1)"),
        KeyAction("scroll-up", "up,k", "Scroll up", "scroll(-1)"),
        KeyAction("scroll-page-down", "pagedown,space", "Page down", "page(1)"),
        KeyAction("scroll-page-up", "pageup", "Page up", "page(-1)"),
        KeyAction("scroll-top", "g,home", "Top", "top"),
        KeyAction("scroll-bottom", "G,end", "Bottom", "bottom"),
    ),
)
BY_ID = {action.id: action for action in ACTIONS}
