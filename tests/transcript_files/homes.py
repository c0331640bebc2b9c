"""Homes of Hermes with transcripts beside the state file."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from explorer.model import Message
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from explorer.stores.resolve import read_session
from tests.factories import T0, talk

ID = "20251009_090640_cafe01"
Said = Mapping[str, object]


def said(*texts: str, at: float | None = None) -> list[Said]:
    """User and agent in turns."""
    return [
        {"role": ("user", "assistant")[turn % 2], "content": text}
        | ({} if at is None else {"timestamp": at + turn})
        for turn, text in enumerate(texts)
    ]


def home(folder: Path, *texts: str, id_: str = ID, title: str | None = None) -> Path:
    """A state file with one session, in a home with an empty folder for transcripts."""
    (folder / "sessions").mkdir(parents=True)
    path = folder / "state.db"
    with StateFile.create(path) as state:
        talk(state, id_, *texts, source="telegram", at=T0, title=title)
    return path


def log(path: Path, messages: Iterable[Said], id_: str = ID, more: str = "") -> Path:
    """The gateway's log of a session, with anything behind it."""
    file = path.parent / "sessions" / f"{id_}.jsonl"
    lines = (json.dumps(one, ensure_ascii=False) + "\n" for one in messages)
    file.write_text("".join(lines) + more, encoding="utf-8")
    return file


def snapshot(path: Path, messages: Iterable[Said], id_: str = ID, name: str = "") -> Path:
    """The snapshot that Hermes made of a session."""
    file = path.parent / "sessions" / (name or f"session_{id_}.json")
    value = {"session_id": id_, "model": "owl-1", "system_prompt": "Be kind.", "tools": []}
    file.write_text(json.dumps(value | {"messages": list(messages)}, indent=2), encoding="utf-8")
    return file


def read(path: Path, id_: str = ID, everything: bool = False) -> list[Message]:
    store = open_store(path)
    return list(read_session(store, store.keys_of([id_])[id_], everything))


def texts(messages: Iterable[Message]) -> list[str]:
    """What was said; what only a file has is in brackets."""
    return [f"[{one.text}]" if one.file else one.text for one in messages]
