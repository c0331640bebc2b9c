"""Turns planned sessions into rows, in the order in which an agent would have written them.

Messages of sessions that overlap in time interleave, so that the order of message ids is the order
of time. Only the sessions of one window are in memory at once.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from operator import itemgetter
from random import Random

from bench.plan import Draft
from bench.words import Phrases

Row = tuple[str | float | None, ...]

WINDOW = 1_000
"""Sessions taken at a time: enough to sort cheaply, few enough for a flat use of memory."""

MESSAGE_COLUMNS = (
    "timestamp, session_id, role, content, tool_call_id, tool_calls, tool_name, finish_reason,"
    " reasoning, platform_message_id"
)
SESSION_COLUMNS = (
    "id, source, user_id, session_key, chat_id, chat_type, display_name, model, model_config,"
    " system_prompt, parent_session_id, started_at, ended_at, end_reason, message_count,"
    " tool_call_count, api_call_count, input_tokens, output_tokens, cache_read_tokens,"
    " cache_write_tokens, reasoning_tokens, cwd, git_branch, git_repo_root, billing_provider,"
    " billing_base_url, billing_mode, estimated_cost_usd, actual_cost_usd, cost_status,"
    " cost_source, pricing_version, title, profile_name, archived"
)

# u user, a assistant, c assistant calling a tool, d calling two at once, t the result of a tool
TURNS = ("ua",) * 20 + ("ucta",) * 5 + ("uctcta",) * 3 + ("udtta",) * 2
GATEWAYS = ("telegram", "discord", "slack")
MODELS = (
    "anthropic/claude-sonnet-4.5",
    "openai/gpt-5.1-codex",
    "nousresearch/hermes-4-405b",
    "google/gemini-3-pro",
)
PROJECTS = ("garden", "atlas", "ferry", "kettle", "notes", "lantern")


class Writer:
    """Makes the rows of one history. Message rows are drawn in order, hence one pass per writer."""

    def __init__(self, rng: Random, phrases: Phrases, prompt_bytes: int) -> None:
        self._rng = rng
        self._phrases = phrases
        self._calls = 0
        self._titles: dict[str, int] = {}
        self._prompt_bytes = prompt_bytes
        text = " ".join(rng.choices(phrases.sentences, k=200 + prompt_bytes // 20))
        self._prompts = [f"You are Hermes Agent.\n\n## Notes\n{text[at:]}" for at in range(200)]

    def windows(self, drafts: Sequence[Draft]) -> Iterator[tuple[list[Row], list[Row]]]:
        """Session rows with the message rows that no later session can precede."""
        waiting: list[Row] = []
        for first in range(0, len(drafts), WINDOW):
            sessions: list[Row] = []
            for draft in drafts[first : first + WINDOW]:
                turns = self._turns(draft.count)
                sessions.append(self._session(draft, turns))
                waiting += self._messages(draft, turns)
            waiting.sort(key=itemgetter(0))
            last = first + WINDOW >= len(drafts)
            end = (
                len(waiting)
                if last
                else bisect_left(waiting, drafts[first + WINDOW].started, key=itemgetter(0))
            )
            yield sessions, waiting[:end]
            del waiting[:end]

    def _turns(self, count: int) -> str:
        """One letter per message. What does not fit becomes a plain turn, or an open question."""
        parts: list[str] = []
        random = self._rng.random
        while count > 0:
            turn = TURNS[int(random() * len(TURNS))]
            if len(turn) > count:
                turn = "ua"[:count]
            parts.append(turn)
            count -= len(turn)
        return "".join(parts)

    def _messages(self, draft: Draft, turns: str) -> list[Row]:
        # The one hot loop: locals and plain tuples, some three microseconds a message.
        rows: list[Row] = []
        random = self._rng.random
        sentences, outputs = self._phrases.sentences, self._phrases.outputs
        some, many = len(sentences), len(outputs)
        session, pace, at = draft.id, draft.pace, draft.started
        numbered = draft.source in GATEWAYS
        pending: list[tuple[str, str]] = []
        for position, role in enumerate(turns):
            stamp = at + (position + 0.9 * random()) * pace
            if role == "t":
                call, tool = pending.pop(0)
                text = self._output(outputs[int(random() * many)])
                rows.append((stamp, session, "tool", text, call, None, tool, None, None, None))
                continue
            first = sentences[int(random() * some)]
            chance = random()
            if role in "cd":
                text, made = ("" if chance < 0.5 else first), self._call(pending, role)
                why = sentences[int(chance * some)] if chance > 0.8 else None
                rows.append(
                    (stamp, session, "assistant", text, None, made, None, "tool_calls", why, None)
                )
                continue
            if chance < 0.02:
                text = self._rare(chance, first)
            elif chance < 0.3:
                text = first
            else:
                text = f"{first} {sentences[int(random() * some)]}"
                if chance > 0.75:
                    text = (
                        f"{text} {sentences[int(chance * some)]} {sentences[int(random() * some)]}"
                    )
            if role == "u":
                number = f"{int(stamp * 1000):x}" if numbered else None
                rows.append((stamp, session, "user", text, None, None, None, None, None, number))
            else:
                why = sentences[int(random() * some)] if 0.3 < chance < 0.45 else None
                rows.append(
                    (stamp, session, "assistant", text, None, None, None, "stop", why, None)
                )
        return rows

    def _rare(self, chance: float, first: str) -> str:
        """One message in a hundred in another script, one in three hundred of several kilobytes."""
        if chance < 0.0033:
            return f"{first}\n\n{self._rng.choice(self._phrases.essays)}"
        if chance < 0.0133:
            foreign = self._phrases.foreign
            return "".join(self._rng.choices(foreign, k=self._rng.randint(1, 4)))
        return f"{first} ({self._rng.getrandbits(32):08x})"

    def _output(self, text: str) -> str:
        chance = self._rng.random()
        if chance < 0.003:
            text = "\\n".join(self._rng.choices(self._phrases.outputs, k=40))
        elif chance < 0.1:
            # a commit, a container: words that occur once are what people paste into a search
            text = f"{text}\\n{self._rng.getrandbits(40):010x}"
        return f'{{"output": "{text}", "exit_code": 0}}'

    def _call(self, pending: list[tuple[str, str]], role: str) -> str:
        made: list[str] = []
        calls = self._phrases.calls
        for _ in range(2 if role == "d" else 1):
            self._calls += 1
            name = f"call_{self._calls:x}"
            tool, before, after = calls[int(self._rng.random() * len(calls))]
            pending.append((name, tool))
            made.append(f"{before}{name}{after}")
        return f"[{', '.join(made)}]"

    def _session(self, draft: Draft, turns: str) -> Row:
        rng = self._rng
        calls = turns.count("c") + 2 * turns.count("d")
        asked = turns.count("a") + turns.count("c") + turns.count("d")
        tokens = asked * rng.randint(600, 2_400)
        cost = round(tokens * 3.5e-6, 6) if asked else None
        actual = cost if rng.random() < 0.3 else None
        chat = f"{1_000 + rng.randrange(60)}" if draft.source in GATEWAYS else None
        project = rng.choice(PROJECTS) if draft.source in ("cli", "tui") else None
        return (
            draft.id,
            draft.source,
            chat and f"user{int(chat) % 9}",
            chat and f"agent:main:{draft.source}:dm:{chat}",
            chat,
            chat and "dm",
            chat and f"Friend {chat}",
            rng.choice(MODELS),
            _config(draft),
            self._prompt(),
            draft.parent.id if draft.parent else None,
            draft.started,
            draft.ended if draft.end_reason else None,
            draft.end_reason,
            draft.count,
            calls,
            asked,
            tokens,
            tokens // 8,
            tokens // 2,
            tokens // 20,
            tokens // 40,
            project and f"/home/you/{project}",
            project and rng.choice(("main", "main", "try/faster")),
            project and f"/home/you/{project}",
            "openrouter" if asked else None,
            "https://openrouter.ai/api/v1" if asked else None,
            "api_key" if asked else None,
            cost,
            actual,
            ("actual" if actual else "estimated") if asked else None,
            "official_docs_snapshot" if asked else None,
            "2025-10-01" if asked else None,
            self._title(draft),
            "default",
            int(draft.archived),
        )

    def _prompt(self) -> str | None:
        """Of the size asked for, give or take a tenth."""
        size = self._prompt_bytes
        varied = size + self._rng.randint(-size // 10, size // 10)
        return self._rng.choice(self._prompts)[:varied] or None

    def _title(self, draft: Draft) -> str | None:
        """For half of the sessions. A continuation bears its parent's title with a number."""
        parent = draft.parent if draft.kind == "continuation" else None
        if parent is not None:
            title = parent.title and parent.title.split(" #")[0]
        elif self._rng.random() < 0.5:
            title = " ".join(self._rng.choice(self._phrases.sentences).split()[:5]).rstrip(".?!:")
        else:
            title = None
        if not title:
            return None
        number = self._titles[title] = self._titles.get(title, 0) + 1
        draft.title = title if number == 1 else f"{title} #{number}"
        return draft.title


def _config(draft: Draft) -> str:
    markers = {"subagent": "_delegate_from", "branch": "_branched_from"}
    if draft.parent is not None and draft.kind in markers:
        return f'{{"temperature": 0.2, "{markers[draft.kind]}": "{draft.parent.id}"}}'
    return '{"temperature": 0.2, "max_iterations": 90}'
