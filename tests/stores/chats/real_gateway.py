"""Asks the gateway of a real Hermes what it does to a chat, at any time of any zone.

One child process for each release answers thousands of questions, a line of JSON each. It loads the
settings of a home with Hermes' own loader, and lets its session store take a message of a chat; all
that is exchanged is the clock.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.agents import agent_path

_CHILD = """
import json, logging, os, sys, time, types
from datetime import datetime
from functools import lru_cache
from pathlib import Path

# A library that the gateway imports and does not need for this.
sys.modules.setdefault("requests", types.ModuleType("requests"))
logging.disable(logging.CRITICAL)
answers, sys.stdout = sys.stdout, sys.stderr

from gateway import config, session

@lru_cache(maxsize=1)
def loaded(home):
    os.environ["HERMES_HOME"] = home
    try:
        return config.load_gateway_config()
    except Exception as error:
        return error

store = session.SessionStore(Path(os.environ["HERMES_HOME"]) / "sessions", config.GatewayConfig())
# Routes alone decide: a session that has ended in the state file is another story.
store._db = None
store._loaded = True
for name in ("_save", "_save_entries"):
    setattr(store, name, lambda *_, **__: None)

def policy(settings, platform, chat_type):
    found = settings.get_reset_policy(config.Platform(platform), chat_type)
    return [found.mode, found.at_hour, found.idle_minutes]

def reason(settings, question, moment):
    store.config = settings
    source = session.SessionSource(
        platform=config.Platform(question["platform"]), chat_id="1", user_id="2",
        chat_type=question["chat_type"],
    )
    key = store._generate_session_key(source)
    entry = session.SessionEntry.from_dict(
        {"session_key": key, "session_id": "old", "created_at": question["entry"]["updated_at"],
         "platform": question["platform"], "chat_type": question["chat_type"],
         **question["entry"]}
    )
    store._entries = {key: entry}
    session._now = lambda: datetime.fromtimestamp(moment)
    try:
        if question.get("prune") is not None:
            return "dropped" if store.prune_old_entries(question["prune"]) else ""
        found = store.get_or_create_session(source)
    except Exception as error:
        return "!" + type(error).__name__
    return "" if found.session_id == "old" else found.auto_reset_reason

for line in sys.stdin:
    question = json.loads(line)
    os.environ["TZ"] = question.get("zone", "UTC")
    time.tzset()
    os.environ["HERMES_AUTO_CONTINUE_FRESHNESS"] = question.get("freshness", "")
    settings = loaded(question["home"])
    if isinstance(settings, Exception):
        answer = {"error": type(settings).__name__}
    elif "moments" in question:
        answer = {"reasons": [reason(settings, question, one) for one in question["moments"]]}
    else:
        answer = {
            "policy": policy(settings, question["platform"], question["chat_type"]),
            "max_age_days": settings.session_store_max_age_days,
        }
    print(json.dumps(answer), file=answers, flush=True)
"""

Answer = Mapping[str, Any]


class RealGateway:
    """The gateway of one release, in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, home: Path, platform: str, chat_type: str, **more: object) -> Answer:
        asked = {"home": str(home), "platform": platform, "chat_type": chat_type, **more}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(asked), file=self._process.stdin, flush=True)
        answer: Answer = json.loads(self._process.stdout.readline())
        return answer

    def reasons(
        self, home: Path, platform: str, chat_type: str, moments: Sequence[float], **more: object
    ) -> list[str]:
        """Why a message at each of these moments starts a new session; empty where it does not, a
        word after an exclamation mark where the gateway fails."""
        answer = self.ask(home, platform, chat_type, moments=moments, **more)
        if "error" in answer:
            return [f"!{answer['error']}"] * len(moments)
        return list(answer["reasons"])


@contextmanager
def running_gateway(version: str, home: Path) -> Iterator[RealGateway]:
    home.mkdir(parents=True, exist_ok=True)
    hidden = ("SESSION_IDLE_MINUTES", "SESSION_RESET_HOUR")
    process = subprocess.Popen(
        [sys.executable, "-c", _CHILD],
        env={
            **{name: value for name, value in os.environ.items() if name not in hidden},
            "PYTHONPATH": str(agent_path("hermes-agent", version)),
            "HERMES_HOME": str(home),
            "HOME": str(home),
        },
        cwd=home,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield RealGateway(process)
    finally:
        process.kill()
        process.communicate()
