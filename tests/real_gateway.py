"""Runs the session store of a real Hermes gateway in a child process, step by step.

A step is a dict: what to `do`, and `at` what time. The child prints what the gateway thinks
afterwards, so that a test can compare our reading of the same home with it. 0.19.0 imports
network libraries on the way to its session store and never calls them there: empty modules of
their names are enough.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.agents import run_agent

VERSIONS = ("0.13.0", "0.19.0")
"""The releases whose gateway is run; 0.17.0 works too."""

Step = Mapping[str, object]
Source = Mapping[str, object]
"""An origin, as in `sessions.json`."""

_IMPORTS = """
import datetime, json, sys, types
from pathlib import Path
for unused in ("requests", "httpx"):
    sys.modules.setdefault(unused, types.ModuleType(unused))
from gateway import session as module
from gateway.config import GatewayConfig
from gateway.session import SessionSource, SessionStore, build_session_key
import hermes_constants
asked = json.load(open(sys.argv[1]))
"""

_STEPS = (
    _IMPORTS
    + """
import hermes_state, time as clock
now = [asked["at"]]
module._now = lambda: datetime.datetime.fromtimestamp(now[0])
real = vars(clock)
hermes_state.time = types.SimpleNamespace(**{**real, "time": lambda: now[0]})
folder = hermes_constants.get_hermes_home() / "sessions"
config = GatewayConfig.from_dict(asked["config"])
store = SessionStore(folder, config)

def key_of(step):
    source = step.get("source")
    return store._generate_session_key(SessionSource.from_dict(source)) if source else step["key"]

def run(step):
    do = step["do"]
    if do == "message":
        return store.get_or_create_session(SessionSource.from_dict(step["source"])).session_id
    if do == "reset":
        return store.reset_session(key_of(step)).session_id
    if do == "switch":
        return store.switch_session(key_of(step), step["to"]).session_id
    if do == "append":
        id_ = step.get("id") or store._entries[key_of(step)].session_id
        for message in step["messages"]:
            store.append_to_transcript(id_, message, **step.get("options", {}))
        return id_
    if do == "suspend":
        return store.suspend_session(key_of(step))
    if do == "resume_pending":
        return store.mark_resume_pending(key_of(step))
    if do == "finalize":
        entry = store._entries[key_of(step)]
        store.set_expiry_finalized(entry)
        return entry.session_id
    raise SystemExit("unknown step: " + do)

done = []
for step in asked["steps"]:
    now[0] = step.get("at", now[0])
    done.append(run(step))
now[0] = asked["at"]
chats = [
    {
        "key": key,
        "session_id": entry.session_id,
        "words": entry.origin.description if entry.origin else "",
        "entry": entry.to_dict(),
        "transcript": store.load_transcript(entry.session_id),
    }
    for key, entry in ((e.session_key, e) for e in store.list_sessions())
]
print("\\n" + json.dumps({"done": done, "chats": chats}))
"""
)

_DESCRIBED = (
    _IMPORTS
    + """
told = []
for source in asked:
    origin = SessionSource.from_dict(source)
    named = {"profile": origin.profile} if getattr(origin, "profile", None) else {}
    told.append([build_session_key(origin, **named), origin.description])
print("\\n" + json.dumps(told))
"""
)

_PROMPTS = (
    _IMPORTS
    + """
from gateway.config import HomeChannel, Platform
from gateway.session import SessionContext, build_session_context_prompt
module._discord_tools_loaded = lambda: asked["discord_tools"]
every = [platform.value for platform in Platform]
told = {}
for name in every:
    source = SessionSource.from_dict({**asked["source"], "platform": name})
    homes = {
        Platform(one): HomeChannel(platform=Platform(one), **home)
        for one, home in asked["homes"].items()
    }
    connected = [Platform(one) for one in asked["connected"]]
    context = SessionContext(source, connected, homes, asked["shared"])
    told[name] = build_session_context_prompt(context, redact_pii=asked["redact"])
print("\\n" + json.dumps(told))
"""
)


@dataclass(frozen=True, slots=True)
class RealChat:
    """A chat as the gateway itself sees it."""

    key: str
    session_id: str
    words: str
    entry: Mapping[str, object]
    transcript: Sequence[Mapping[str, object]]
    """The messages of its session that the gateway would give to the agent."""


@dataclass(frozen=True, slots=True)
class Told:
    done: Sequence[object]
    """What each step gave: the id of the session, or whether it worked."""
    chats: Sequence[RealChat]
    """The newest first."""

    def chat(self, key: str) -> RealChat:
        return next(chat for chat in self.chats if chat.key == key)


def run_gateway(
    version: str,
    home: Path,
    steps: Sequence[Step] = (),
    *,
    at: float,
    config: Mapping[str, object] | None = None,
) -> Told:
    """Let the gateway of this release do the steps in this home; `at` is the time of the last look.

    `message` (`source`) comes from a chat, `reset` and `switch` (`to`) change its session, `append`
    (`messages`) adds to the transcript of its session or of `id`, `suspend`, `resume_pending` and
    `finalize` (0.19) set flags. A chat is told by `source` or by `key`.
    """
    asked = {"steps": list(steps), "at": at, "config": dict(config or {})}
    said = json.loads(_ask(_STEPS, version, home, asked))
    return Told(said["done"], [RealChat(**chat) for chat in said["chats"]])


def real_keys(version: str, home: Path, sources: Sequence[Source]) -> list[tuple[str, str]]:
    """(key, description) of each source."""
    return [(key, words) for key, words in json.loads(_ask(_DESCRIBED, version, home, sources))]


def real_prompts(
    version: str,
    home: Path,
    source: Source,
    *,
    connected: Sequence[str] = (),
    homes: Mapping[str, Mapping[str, str]] | None = None,
    shared: bool = False,
    redact: bool = False,
    discord_tools: bool = False,
) -> dict[str, str]:
    """What the agent is told about where it is, for this source on every platform of the release.
    `homes` has a `chat_id` and a `name` by platform."""
    asked = {
        "source": source,
        "connected": list(connected),
        "homes": dict(homes or {}),
        "shared": shared,
        "redact": redact,
        "discord_tools": discord_tools,
    }
    said: dict[str, str] = json.loads(_ask(_PROMPTS, version, home, asked))
    return said


def _ask(code: str, version: str, home: Path, asked: object) -> str:
    """The last line of what the child prints; its question lies beside the home, not in it."""
    question = home.parent / f"{home.name}-question.json"
    home.mkdir(parents=True, exist_ok=True)
    question.write_text(json.dumps(asked))
    said = run_agent(code, "hermes-agent", version, home, question)
    question.unlink()
    return said.strip().splitlines()[-1]
