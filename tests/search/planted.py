"""Messages with a name each, put into a copy of a real file: what a search must find by hand.

Each is written as the agents of that schema would; what a schema has no column for is left out.
"""

import json
from pathlib import Path

from tests.factories import altered, insert

DAY = 86_400.0
PLANTED_AT = 1_765_000_000.0
"""6 December 2025, in the morning: after everything in the real files."""

PLAIN = {
    "apostrophe": "it's a wombat's burrow",
    "path": "see wombat/gateway/run.py line 42",
    "at": "ssh wombat@host.example",
    "percent": "the wombat is at 50% battery, not 100 %",
    "env": "copy wombat/.env to .env.local",
    "rm": "never rm -rf /wombat",
    "force": "git push --force wombat",
    "cpp": "a wombat in C++ and in C#",
    "call": "wombat = foo(bar)[0]",
    "quote": 'she said "wombat" twice',
    "capitals": "wombat AND echidna OR numbat NOT quoll",
    "star": "wombat * 2 ** 3",
    "url": "https://wombat.example/a/b?c=d&e=f#g",
    "trace": '  File "/srv/wombat.py", line 7, in <module>\nValueError: numbat',
    "windows": "C:\\wombat\\notes.txt",
    "todo": "todo: x feed the wombat",
    "object": '{"wombat": {"key": [1, 2]}}',
    "under": "wombat_case __init__ snake_case_name",
    "dashes": "well-known wombat-like - x -- y",
    "tag": "<wombat class='a'>&amp;</wombat>",
    "dollar": "$WOMBAT and ${HOME} cost $5.00",
    "pattern": "^wombat$ [a-z]+ (x|y)? \\d{3}",
    "lines": "wombat\tcolumn\r\nnext line",
    "party": "wombat 🎉 👩‍💻 done",
    "long": "wombat " + "padding " * 3000 + "farewell-xyzzyx",
    "colons": "std::wombat Model::find a:b:c",
    "backtick": "run `wombat --help` ~/wombat ;; !wombat",
    "chinese": "大别山项目的日志在服务器上",
    "rare": "龘龘",
    "japanese": "日本語の検索テスト、カタカナも",
    "korean": "한국어 검색을 시험합니다",
    "thai": "การค้นหาภาษาไทยทำงานได้",
    "mixed": "用wombat部署API服务v2",
    "wide": "ＡＢＣ１２３ 全角",
    "russian": "ПРИВЕТ Мир, ёлка",
    "greek": "ΑΘΗΝΑ και Κόσμος",
    "german": "Straße GRÜSSE Über",
    "turkish": "İstanbul ılık",
    "arabic": "مرحبا بالعالم",
    "hebrew": "שלום עולם",
    "accent": "café Ångström",
    "apart": "cafe\u0301 in two signs",
    "slash": "Ü/ü is no word",
    "joiner": "zero\u200bwidth wombat",
    "one": "kea alpha",
    "two": "kea beta",
    "three": "kea alpha beta",
    "four": "keapark gamma",
    "five": "the parakea",
    "numbers": "pi is 3.14159, v1.2.3-rc4, 0xDEADBEEF, 192.168.0.1",
    "ids": "commit 9f8e7d6c5b4a and 550e8400-e29b-41d4-a716-446655440000",
}
"""What somebody said, as it is."""


def _call(name: str, **arguments: object) -> str:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return json.dumps([{"id": "call_1", "type": "function", "function": function}])


_PARTS = [
    {"type": "text", "text": "kea among pärts 大别"},
    {"type": "image_url", "image_url": {"url": "data:image/png;base64,a2Vh"}},
]

CELLS: dict[str, dict[str, object]] = {
    "called": {
        "role": "assistant",
        "content": "",
        "tool_calls": _call("terminal", command='echo "kea"\ncassowary\t大别', n=7),
    },
    "answered": {
        "role": "tool",
        "tool_name": "lyrebird_tool",
        "tool_call_id": "call_1",
        "content": '{"output": "first\\nkea\\nbowerbird", "exit_code": 0}',
    },
    "cut": {
        "role": "tool",
        "tool_name": "terminal",
        "content": "x" * 9000 + " kea behind 8192",
    },
    "thought": {"role": "assistant", "content": "Yes.", "reasoning": "a kea, I think"},
    "details": {
        "role": "assistant",
        "content": "No.",
        "reasoning_details": json.dumps([{"type": "text", "text": "a kea in détail"}]),
    },
    "parts": {"role": "user", "content": "\x00json:" + json.dumps(_PARTS)},
    "undone": {"role": "user", "content": "kea taken back", "active": 0},
    "compacted": {"role": "user", "content": "kea summed up", "active": 0, "compacted": 1},
}
"""Other shapes of a message; the cells that are not the usual ones."""

SESSIONS: dict[str, dict[str, object]] = {
    "planted": {
        "source": "cli",
        "model": "acme/bowerbird-7b",
        "title": "Marsupials of the night",
        "cwd": "/srv/outback",
        "message_count": len(PLAIN) + len(CELLS),
        "input_tokens": 20_000,
        "output_tokens": 3_000,
        "estimated_cost_usd": 2.5,
    },
    "planted-job": {"source": "cron", "title": "Kea watch"},
    "planted-kept": {"source": "telegram", "title": "Parrots", "archived": 1, "message_count": 1},
}
ELSEWHERE = {"job": ("planted-job", "a kea by the clock"), "kept": ("planted-kept", "an old kea")}
"""What was said in the other sessions."""


def plant(path: Path) -> dict[int, str]:
    """Put all of it in; the names by the ids of the messages."""
    names: dict[int, str] = {}
    with altered(path) as db:
        known = {
            table: {row[1] for row in db.execute(f"PRAGMA table_info({table})")}
            for table in ("sessions", "messages")
        }
        for number, (id_, cells) in enumerate(SESSIONS.items()):
            told = {"id": id_, "started_at": PLANTED_AT - number * DAY, **cells}
            insert(db, "sessions", **{k: v for k, v in told.items() if k in known["sessions"]})
        rows: dict[str, tuple[str, dict[str, object]]] = {
            name: ("planted", {"role": "user", "content": text}) for name, text in PLAIN.items()
        }
        rows |= {name: ("planted", cells) for name, cells in CELLS.items()}
        rows |= {
            name: (id_, {"role": "user", "content": text})
            for name, (id_, text) in ELSEWHERE.items()
        }
        for number, (name, (id_, cells)) in enumerate(rows.items()):
            if cells.keys() <= known["messages"]:
                told = {"session_id": id_, "timestamp": PLANTED_AT + number, **cells}
                names[insert(db, "messages", **told)] = name
    return names
