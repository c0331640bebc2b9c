"""What `--help` says below the options: examples that work as printed, and what else is worth
knowing. A test runs every example."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple


class Example(NamedTuple):
    """A line to type, and what it does."""

    line: str
    does: str = ""


class CommandHelp(NamedTuple):
    """The end of the help of a command."""

    examples: Sequence[Example]
    text: str = ""


OVERVIEW = (
    Example("session-explorer", "open your sessions"),
    Example("session-explorer --db ~/backup/state.db", "open another file or folder"),
    Example("session-explorer demo", "try it on an invented history"),
    Example("session-explorer --pick", "pick a session to resume"),
    Example("session-explorer list --limit 10", "list the last 10 sessions"),
    Example("session-explorer list --json | jq '.sessions[].title'"),
    Example("session-explorer show 'Trip to Kyoto'", "print a session, by title or id"),
    Example("session-explorer search 'docker arm64'", "search all messages"),
    Example("session-explorer where 'Trip to Kyoto'", "find a session that is missing"),
    Example("session-explorer resume --last", "resume the last active session"),
    Example("session-explorer delete 'Trip to Kyoto'", "show what will happen, then ask"),
    Example("session-explorer undo", "restore it"),
)
CODES = """\
exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such session, 4 file busy,
5 file cannot be opened, 6 refused, 70 unexpected error, 130 interrupted
"""

_ASKS = """\
It asks before it changes anything. --dry-run only shows what will happen,
--yes skips the question, and `session-explorer undo` undoes the change.
"""

HELP: Mapping[str, CommandHelp] = {
    "list": CommandHelp(
        (
            Example("session-explorer list", "the last 50 sessions"),
            Example("session-explorer list --limit 0", "all sessions"),
            Example("session-explorer list --source telegram --source slack"),
            Example("session-explorer list --sort cost", "most expensive first"),
            Example("session-explorer list --all --json", "every row, including hidden ones"),
        ),
        """\
Subagent, cron, tool, kanban, one-shot, agent-hidden, empty and archived
sessions are hidden and counted. A conversation of several parts is one row.
--all lists every session and every part.
""",
    ),
    "show": CommandHelp(
        (
            Example("session-explorer show 'Fix docker deployment'", "by title"),
            Example("session-explorer show 20261103_1402", "beginning of an id"),
            Example("session-explorer show --conversation 'Trip to Kyoto'", "all parts"),
            Example("session-explorer show --format markdown 'Trip to Kyoto' > kyoto.md"),
        ),
        """\
A title finds the newest session of its conversation. Without --conversation
only that part is printed, and a note says which part it is.
""",
    ),
    "search": CommandHelp(
        (
            Example("session-explorer search docker arm64", "messages with both words"),
            Example("""session-explorer search '"no space left"'""", "the exact phrase"),
            Example("session-explorer search 'docker source:cli after:7d'"),
            Example("session-explorer search --json-lines kyoto | head"),
            Example("session-explorer search -- --platform", "text that starts with a dash"),
        ),
        """\
Archived sessions are searched too. Hits in subagent, cron, tool, kanban,
one-shot and agent-hidden sessions are only counted. --all lists these hits,
and hits in rewound and hidden messages.
""",
    ),
    "where": CommandHelp(
        (
            Example("session-explorer where 'Trip to Kyoto'", "by title"),
            Example("session-explorer where docker arm64", "by words of a message"),
            Example("session-explorer where 20261103_1402", "by the beginning of an id"),
            Example("session-explorer where --json kyoto | jq '.sightings[].command'"),
        ),
        """\
It searches every profile with its hidden and archived sessions, the trash,
transcripts and exports beside the state files, and snapshots that Hermes made.
It says why a session is not listed, what to type to get it back, and what it
did not search. The exit code is 3 where nothing was found.
""",
    ),
    "chats": CommandHelp(
        (
            Example("session-explorer chats", "every chat, last written first"),
            Example("session-explorer chats ada", "chats with Ada"),
            Example("session-explorer chats --platform telegram --active 7d"),
            Example("session-explorer chats --json | jq '.chats[] | {description, session_id}'"),
        ),
        """\
A chat is where Hermes' gateway talks to people: a direct message, a group, a
thread. Each is listed with its current session, its earlier ones are counted,
and it says when the gateway will start a new session by itself.
""",
    ),
    "info": CommandHelp(
        (
            Example("session-explorer info", "your state file"),
            Example("session-explorer info --json | jq .schema_version"),
        )
    ),
    "resume": CommandHelp(
        (
            Example("session-explorer resume --last", "the last active session"),
            Example("session-explorer resume 'Weekly report'", "by title"),
            Example("session-explorer resume --print 20261103_1402", "only print the command"),
        ),
        """\
A conversation resumes at its newest part, in its workspace if the folder still
exists. `resume_command` in the settings replaces the agent's own command.
""",
    ),
    "rename": CommandHelp(
        (
            Example("session-explorer rename 'Cancel the gym' 'Gym: cancelled'"),
            Example("session-explorer rename 20261103_1402 'Docker on arm64' --force"),
            Example("session-explorer rename 'Cancel the gym' ''", "remove the title"),
        ),
        _ASKS,
    ),
    "archive": CommandHelp(
        (
            Example("session-explorer archive 'Birthday poem for Imre'"),
            Example("session-explorer archive --dry-run 'Weekly report'", "change nothing"),
            Example("session-explorer archive --yes 'Weekly report'", "do not ask"),
        ),
        _ASKS,
    ),
    "unarchive": CommandHelp(
        (
            Example("session-explorer list --archived", "what can be unarchived"),
            Example("session-explorer unarchive 'Cancel the gym'"),
        ),
        _ASKS,
    ),
    "pin": CommandHelp(
        (
            Example("session-explorer pin 'Trip to Kyoto'"),
            Example("session-explorer pin --yes 'Weekly report' 'Tax return'", "several"),
            Example("session-explorer search is:pinned", "list what is pinned"),
        ),
        _ASKS,
    ),
    "unpin": CommandHelp(
        (
            Example("session-explorer search is:pinned", "what can be unpinned"),
            Example("session-explorer unpin 'Trip to Kyoto'"),
        ),
        _ASKS,
    ),
    "end": CommandHelp(
        (
            Example("session-explorer search is:open", "what can be ended"),
            Example("session-explorer end 'Thoughts for later'"),
        ),
        _ASKS,
    ),
    "reopen": CommandHelp(
        (
            Example("session-explorer reopen 'Birthday poem for Imre'"),
            Example("session-explorer reopen --dry-run 'Cancel the gym'", "change nothing"),
        ),
        _ASKS,
    ),
    "clear": CommandHelp(
        (
            Example("session-explorer clear --dry-run 'Cancel the gym'", "change nothing"),
            Example("session-explorer clear 'Cancel the gym'"),
            Example("session-explorer undo", "restore the messages"),
        ),
        _ASKS,
    ),
    "delete": CommandHelp(
        (
            Example("session-explorer delete 'Trip to Kyoto'"),
            Example("session-explorer delete --dry-run 'Trip to Kyoto'", "change nothing"),
            Example("session-explorer delete --conversation --yes 'Trip to Kyoto'", "all parts"),
            Example("session-explorer undo", "restore them"),
        ),
        """\
Deleted sessions are kept in the trash for 30 days. Subagent sessions are also
deleted if the file proves whose they are. Branches and continuations are kept.
""",
    ),
    "prune": CommandHelp(
        (
            Example("session-explorer prune --older-than 90d --dry-run", "show what will happen"),
            Example(
                "session-explorer prune --class cron --class subagent --older-than 7d --keep 9"
            ),
            Example("session-explorer prune --empty --include-open --yes"),
            Example("session-explorer prune --older-than 1y --archive", "archive, do not delete"),
            Example("session-explorer prune 'source:telegram messages:<5'", "by a search"),
            Example("session-explorer prune 'source:cli NOT docker'", "keep what names docker"),
        ),
        """\
A session must match every rule. Age counts from the last activity. Running and
pinned sessions are kept, and archived ones unless the search asks for them. A
search with NOT or a dash keeps every conversation in which any message, the
title or a subagent matches the excluded words. One `undo` restores everything.
""",
    ),
    "undo": CommandHelp(
        (
            Example("session-explorer undo", "undo the last change"),
            Example("session-explorer undo --dry-run", "only show what will happen"),
            Example("session-explorer undo 1", "undo change 1; see `trash`"),
        )
    ),
    "trash": CommandHelp(
        (
            Example("session-explorer trash", "changes that can be undone"),
            Example("session-explorer trash show 1", "the sessions of change 1"),
            Example("session-explorer trash restore 1", "restore all of them"),
            Example("session-explorer trash restore 1 'Trip to Kyoto'", "restore one of them"),
            Example("session-explorer trash purge 1", "permanently delete them"),
            Example("session-explorer trash purge --all", "empty trash and history"),
        )
    ),
    "demo": CommandHelp(
        (
            Example("session-explorer demo", "open the app"),
            Example("session-explorer demo --write try.db", "save the history as a state file"),
            Example("session-explorer demo --write try/", "save it with its profiles"),
        )
    ),
    "config": CommandHelp(
        (
            Example("session-explorer config show", "every setting, its value and its source"),
            Example("session-explorer config init", "write a settings file with comments"),
            Example("session-explorer config validate", "check the settings file"),
            Example("session-explorer config path", "where the settings file is"),
        )
    ),
    "completion": CommandHelp(
        (
            Example("source <(session-explorer completion bash)", "in ~/.bashrc"),
            Example("source <(session-explorer completion zsh)", "in ~/.zshrc, after compinit"),
            Example("session-explorer completion fish | source", "in config.fish"),
        ),
        """\
The tab key then completes commands, options and their values, profiles,
sources, and sessions by title or id.
""",
    ),
}


def overview_help() -> str:
    return f"{_shown(OVERVIEW)}\n{CODES}"


def command_help(name: str) -> str:
    about = HELP[name]
    language = ""
    if name == "search":
        # Late: 4 ms that only this help need pay.
        from explorer.arguments.language_help import language_help

        language = language_help()
    return "\n".join(filter(None, (_shown(about.examples), about.text, language)))


def _shown(examples: Sequence[Example]) -> str:
    return "\n".join(("examples:", *_lines(examples), ""))


def _lines(examples: Sequence[Example]) -> Iterator[str]:
    """The lines, and beside them what they do."""
    column = max(len(one.line) for one in examples if one.does)
    for one in examples:
        yield f"  {one.line:<{column}}  {one.does}".rstrip()
