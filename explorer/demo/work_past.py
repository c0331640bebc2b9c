"""Work that is behind Ada: quick questions, an importer, a postmortem, and the very first day."""

from collections.abc import Iterator

from explorer.demo.script import (
    CODEX,
    DAY,
    GEMINI,
    HOUR,
    OPUS,
    QWEN,
    SONNET,
    DemoSession,
    read,
    save,
    sh,
    tool,
    web,
)

API = "/home/ada/code/parcel-api"
INFRA = "/home/ada/code/infra"


def _quick() -> Iterator[DemoSession]:
    chat = DemoSession(
        "Undo the last commit", 3 * DAY + HOUR, titled=False, cwd=API, model=QWEN, cost="unknown"
    )
    chat.user("how do I undo the last commit but keep the changes, I always forget")
    yield chat.assistant(
        "`git reset --soft HEAD~1`. The changes stay staged. (You asked in spring, too. No judgement.)"
    ).ends()

    chat = DemoSession(
        "Tracking numbers in JavaScript",
        9 * DAY + 5.1 * HOUR,
        "tui",
        CODEX,
        cwd="/home/ada/code/track-widget",
        branch="main",
        cost="included",
    )
    chat.user(
        "a regex for our tracking numbers in JavaScript: HP, then 9 digits, a check digit that is the sum mod 7, optional spaces"
    )
    chat.assistant(
        "A regex can check the shape, not the sum, so let it do half the job:\n\n```js\nconst SHAPE = /^HP\\s*(\\d{3})\\s*(\\d{3})\\s*(\\d{3})\\s*([0-6])$/i;\n\nexport function isTrackingNumber(text) {\n  const match = SHAPE.exec(text.trim());\n  if (!match) return false;\n  const digits = [...match.slice(1, 4).join('')].map(Number);\n  return digits.reduce((a, b) => a + b, 0) % 7 === Number(match[4]);\n}\n```",
        thinks="A checksum is not regular in any sane way. Shape by regex, sum by code.",
        place="codex_reasoning_items",
    )
    yield (
        chat.user("nice, and the tests?")
        .does(
            save(
                "track.test.js",
                "test('accepts spaces', () => expect(isTrackingNumber('HP 123 456 789 3')).toBe(true));\ntest('wants the right sum', () => expect(isTrackingNumber('HP1234567894')).toBe(false));\n",
            )
        )
        .does(sh("npx vitest run", " ✓ track.test.js (2)\n\n Test Files  1 passed (1)"))
        .assistant("Two tests, both green.")
        .ends("tui_close")
    )

    chat = DemoSession(
        "Support tickets as JSON", 12 * DAY - 4.5 * HOUR, "api_server", GEMINI, titled=False
    )
    chat.user(
        'Classify this support ticket. Answer with JSON only: {"topic", "mood", "urgent"}\n\n"My parcel has been to Lisbon twice. I live in Leeds. It has now seen more of Europe than I have."'
    )
    yield chat.assistant('{"topic": "misrouted", "mood": "wry", "urgent": false}').ends(
        "agent_close"
    )

    chat = DemoSession("Weekly report", 5 * HOUR, "slack", SONNET)
    chat.user(
        "Weekly report for #parcel-backend please, from the merged pull requests. Three bullets, no adjectives."
    )
    chat.does(
        sh(
            "gh pr list --state merged --search 'merged:>=7d' --json number,title -q '.[]|\"#\\(.number) \\(.title)\"'",
            "#209 Read one week of rates through its index\n#207 Pass the clock into labels\n#204 Drop Python 3.9\n#201 Say which printer is out of paper",
        )
    )
    chat.assistant(
        "- Rates answer from the index (#209); p95 on Mondays: 4 s → 88 ms.\n- Labels take the clock as an argument (#207); the flaky test is gone.\n- Python 3.9 is gone (#204); printers say what they lack (#201)."
    )
    yield chat.user("“the flaky test is gone” is an adjective").assistant(
        "“Flaky” is; “gone” is a state of grace. Changed to: *test_expiry passes.*"
    )

    chat = DemoSession(
        "Standup notes", 1 * DAY + 6 * HOUR, "slack", QWEN, titled=False, cost="unknown"
    )
    chat.user(
        "standup notes in one line: rates fix shipped, reviewing retry queue, blocked on registry access"
    )
    yield chat.assistant(
        "*Yesterday:* shipped rates fix · *Today:* reviewing retry queue · *Blocked:* registry access"
    ).ends("daily")


def _rewound() -> DemoSession:
    chat = DemoSession(
        "Name the new courier service", 16 * DAY + 2.1 * HOUR, cwd=API, branch="main"
    )
    chat.user(
        "find a name for the service that assigns couriers. short, no Greek gods, nothing that ends in -ly"
    )
    chat.assistant(
        "Candidates: **dispatch** (honest), **postern** (a small back door), **gull** (follows ships, steals chips)."
    )
    chat.user("rename everything to gull and push")
    chat.does(sh("git grep -l courier_assigner | wc -l", "214"))
    chat.assistant("That touches 214 files, including two public URLs. I have not pushed. Sure?")
    chat.rewinds(4)
    chat.user(
        "actually no. only the new package is called gull, the old one stays until it is dead"
    )
    chat.does(
        sh(
            "git mv parcel/assign2 parcel/gull && rg -l assign2 | xargs sed -i 's/assign2/gull/g' && pytest -q | tail -1",
            "812 passed in 66.90s",
        )
    )
    return chat.assistant(
        "`parcel/gull` it is: 9 files changed, all tests pass, the old package sleeps on."
    ).ends("new_session")


def _compacted() -> DemoSession:
    chat = DemoSession(
        "Warehouse importer, start to finish",
        20 * DAY - 5.0 * HOUR,
        cwd=API,
        branch="importer",
        cost="actual",
    )
    chat.user(
        "build the importer for the warehouse CSVs: 40 columns, three encodings, and dates in whatever mood the clerk was in"
    )
    chat.does(
        sh(
            "head -3 samples/wh_04.csv | cut -c1-120",
            "sku;qty;loc;eta;remark\n10-442;12;B7;03.04.24;fragile\n10-443;7;B7;tomorrow?;ask Joost",
        )
    )
    chat.assistant(
        "“tomorrow?” in a date column. I respect that. Plan: detect the encoding per file, parse dates with a list of known moods, put the rest into a review table."
    )
    chat.user("yes, and never guess silently")
    chat.does(
        save(
            "parcel/importer/dates.py",
            'FORMATS = ("%d.%m.%y", "%Y-%m-%d", "%d/%m/%Y")\n\n\ndef parse(text: str) -> date | None:\n    """None means: a person has to look."""\n    for form in FORMATS:\n        with suppress(ValueError):\n            return datetime.strptime(text.strip(), form).date()\n    return None\n',
        )
    )
    chat.assistant(
        "Dates done: three formats, everything else goes to review with its line number."
    )
    chat.compacts(
        "- Goal: importer for warehouse CSVs, never guess silently.\n- Done: `parcel/importer/dates.py`, encoding detection, review table.\n- Open: quantities such as `7 (or 8)`, the remark column, a progress bar."
    )
    chat.user("go on with the quantities")
    chat.does(sh("rg -c '\\(or' samples/*.csv", "samples/wh_02.csv:3\nsamples/wh_04.csv:11"))
    chat.assistant(
        "14 rows say “7 (or 8)”. They go to review as well, with both numbers. The importer reads all 61 sample files now: 98.4 % by itself, 412 rows for a person."
    )
    return (
        chat.user("Joost says hi and that he will write real dates now")
        .assistant("Historic. I will keep `tomorrow?` in the tests, in his honour.")
        .ends("cli_close")
    )


def _older() -> Iterator[DemoSession]:
    chat = DemoSession(
        "Window functions, once and for all",
        34 * DAY - 3.2 * HOUR,
        titled=True,
        cwd=API,
        model=QWEN,
        cost="included",
    )
    chat.user("explain SQL window functions with our parcels table, as if I had slept badly")
    yield chat.assistant(
        "`GROUP BY` squashes rows; a window lets every row keep its face and look at its neighbours.\n\n```sql\nSELECT parcel_id, scanned_at,\n       scanned_at - lag(scanned_at) OVER (PARTITION BY parcel_id ORDER BY scanned_at) AS since_last\nFROM scans;\n```\n\n- `PARTITION BY`: whose family am I in?\n- `ORDER BY`: who stands before me?\n- `lag(...)`: what did that one say?\n\nNow coffee.",
        thinks="She is tired: one example, one picture in words, stop.",
        place="content",
    ).ends()

    chat = DemoSession(
        "Rust borrow checker says no", 47 * DAY + 5.5 * HOUR, "discord", CODEX, cost="included"
    )
    chat.user(
        "the Rust borrow checker says no and I do not understand its tone: cannot borrow `self.labels` as mutable because it is also borrowed as immutable"
    )
    chat.assistant(
        "Show me the loop?",
        thinks="Almost surely iterating over self.labels while pushing to it.",
        place="codex_reasoning_items",
    )
    chat.user(
        "```rust\nfor label in &self.labels {\n    if label.torn {\n        self.labels.push(label.reprint());\n    }\n}\n```"
    )
    yield (
        chat.assistant(
            "You grow the shelf while walking along it. In Python it would loop until the sun burns out; Rust refuses politely.\n\n```rust\nlet again: Vec<_> = self.labels.iter().filter(|l| l.torn).map(Label::reprint).collect();\nself.labels.extend(again);\n```"
        )
        .user("the tone was justified 🦀")
        .assistant("It usually is. 🦀")
        .ends("idle")
    )

    chat = DemoSession(
        "Delete stale feature flags", 63 * DAY - 3.6 * HOUR, cwd=API, branch="flags", model=OPUS
    )
    chat.user("delete every feature flag that has been on for everyone for more than six months")
    helper = chat.delegated("List flags and when they last changed", model=SONNET)
    helper.user("List all feature flags in parcel/flags.toml with the date of their last change.")
    helper.does(
        sh(
            "git log --format=%as -1 -L/express_v2/,+1:parcel/flags.toml | head -1",
            "fourteen months ago",
        )
    )
    helper.assistant(
        "23 flags; 17 are on for everyone and older than six months. The list is in /tmp/flags.csv."
    )
    chat.does(
        tool(
            "delegate_task",
            {"goal": "List flags and when they last changed"},
            {
                "results": [
                    {"task_index": 0, "status": "completed", "summary": "17 of 23 are stale."}
                ]
            },
        ),
        takes=60,
    )
    chat.does(
        sh(
            "python tools/drop_flags.py /tmp/flags.csv && git diff --shortstat",
            " 88 files changed, 41 insertions(+), 1903 deletions(-)",
        )
    )
    yield (
        chat.assistant(
            "17 flags and **1,862 lines** gone. One of them, `snow_mode`, made the map snow in December. I left that one in. Obviously."
        )
        .user("obviously ❄️")
        .ends()
    )
    yield helper

    chat = DemoSession(
        "Grafana alert that never fires",
        88 * DAY + 1.4 * HOUR,
        cwd=INFRA,
        branch="alerts",
        cost="actual",
    )
    chat.user(
        "this Grafana alert has never fired, not even when everything was on fire. look at the rule"
    )
    chat.does(
        read(
            "alerts/queue.yaml",
            "expr: sum(rate(queue_depth[5m])) > 1000\nfor: 10m\nlabels:\n  severity: page\n",
        )
    )
    yield chat.assistant(
        "`queue_depth` is a gauge; `rate()` of a gauge is nearly always about zero. You want `max(queue_depth) > 1000`. The alert was a candle in a thunderstorm."
    ).ends()

    chat = DemoSession("Postmortem for the label outage", 121 * DAY - 0.7 * HOUR, "email", GEMINI)
    chat.user(
        "Subject: postmortem draft\n\nPlease turn my notes into a blameless postmortem: printers stopped 09:12, cause was an expired certificate, fixed 10:03, nobody looked at the calendar reminder because it went to a person who left."
    )
    chat.assistant(
        "## Label outage, 51 minutes\n\n**What happened.** At 09:12 the printers' certificate expired; they refused jobs until 10:03.\n\n**Why.**\n\n1. Renewal was by hand.\n2. The reminder went to a mailbox nobody reads.\n   - The owner had left; the mailbox had not.\n3. No check watched the expiry date.\n\n**What changes.**\n\n| Action | Owner | State |\n|---|---|---|\n| Renew by machine | platform | done |\n| Alert 21 days before expiry | platform | done |\n| Reminders go to teams, not people | everyone | begun |"
    )
    yield chat.ends("session_reset")

    chat = DemoSession(
        "Is there a library for shipping zones?",
        203 * DAY - 0.8 * HOUR,
        cwd=API,
        branch="main",
        model=SONNET,
    )
    chat.user(
        "is there a small library that maps European postcodes to shipping zones, or do I write the table myself"
    )
    chat.does(
        web(
            "european postcode shipping zones library",
            (
                "zonelet: postcodes to zones",
                "https://zonelet.example/docs",
                "Tables for 31 countries, updated twice a year.",
            ),
            (
                "Shipping zones the boring way",
                "https://blog.parcels.example/zones",
                "Why we went back to a CSV file.",
            ),
        )
    )
    yield chat.assistant(
        "There is `zonelet`, and there is a blog post by people who left it for a CSV file. For your nine countries: the CSV. You can read it at three in the morning."
    ).ends()

    chat = DemoSession(
        "First day with the agent", 361 * DAY - 0.3 * HOUR, "cli", SONNET, cwd="/home/ada"
    )
    chat.user("hello! first time here. what can you do that a search engine cannot?")
    chat.assistant(
        "Hello Ada. I can *do* things: run commands, read and change files, look things up, remember what you tell me, and work while you sleep. I can also be wrong, so keep me honest."
    )
    chat.user(
        "deal. remember that I am vegetarian and that the server in the hallway is called kiosk"
    )
    chat.does(
        tool(
            "memory",
            {
                "action": "add",
                "target": "user",
                "content": "Vegetarian. Home server is called kiosk (hallway).",
            },
            {"success": True},
        )
    )
    yield chat.assistant(
        "Remembered: vegetarian, and the hallway hums because of **kiosk**."
    ).ends()


def chats() -> Iterator[DemoSession]:
    yield from _quick()
    yield _rewound()
    yield _compacted()
    yield from _older()
