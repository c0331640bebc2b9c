"""Conversations that outgrew the model's window: each goes on in a new session, with notes."""

from collections.abc import Iterator

from explorer.demo.script import (
    CODEX,
    DAY,
    GEMINI,
    HOUR,
    OPUS,
    SONNET,
    DemoSession,
    edit,
    read,
    sh,
    tool,
    web,
)

API = "/home/ada/code/parcel-api"


def _kyoto() -> Iterator[DemoSession]:
    one = DemoSession("Trip to Kyoto", 1 * HOUR, "telegram", GEMINI)
    one.user(
        "Trip to Kyoto in November, two people, twelve days, one of us hates queues. where do we begin? 🍁"
    )
    one.assistant(
        "With the calendar: the leaves peak in the last third of November, and so do the queues. Go early in the month, or go *high*: Kurama and Ohara turn first.\n\n**Shape of the trip**\n\n- 7 nights Kyoto\n- 2 nights Koyasan (temple lodging, vegetarian by nature)\n- 3 nights Kanazawa"
    )
    one.user(
        "Koyasan yes!! find me a ryokan near the river in Kyoto for the seven nights, not fancy, with a real bath"
    )
    one.does(
        web(
            "ryokan kyoto kamo river cypress bath small",
            (
                "Ryokan Kawasemi",
                "https://kawasemi.example",
                "Nine rooms by the river, cypress bath, breakfast with tofu.",
            ),
            ("Yado Momiji", "https://momiji.example", "Fourteen rooms, garden, bicycles."),
        )
    )
    one.assistant(
        "Two that fit:\n\n| | Kawasemi 翡翠 | Yado Momiji |\n|---|---|---|\n| Rooms | 9 | 14 |\n| Bath | cypress, shared by the hour | stone, large |\n| Vegetarian | on request | always |\n| Night, two people | ¥24,000 | ¥19,500 |\n\nKawasemi for the river, Momiji for the bicycles."
    )
    one.later(30).user(
        "Kawasemi. can you ask them in Japanese whether they cook without fish stock? だし is everywhere"
    )
    one.assistant(
        "> お世話になっております。十一月に二名で七泊を希望しております。二人とも菜食で、魚の出汁も控えております。昆布や椎茸の出汁でご用意いただくことは可能でしょうか。\n\nSent through their form. It is polite enough to bow by itself.",
        thinks="Mention dashi explicitly, otherwise bonito stock will be used with the best intentions.",
        place="reasoning_content",
    )
    one.later(20).user("they answered! 「はい、喜んでご用意いたします」 that is a yes, right?")
    one.assistant("A warm yes: *“Yes, we will gladly prepare it.”* 🎉")
    yield one

    two = one.continued(
        2,
        "Two people, twelve days in early November: 7 nights Kyoto (Ryokan Kawasemi, vegetarian without fish stock, agreed), 2 Koyasan, 3 Kanazawa. One of the two hates queues. Open: trains, passes, temples at quiet hours.",
    )
    two.user("now the trains. is the rail pass worth it for us?")
    two.does(
        tool(
            "execute_code",
            {
                "code": "legs = {'KIX-Kyoto': 3640, 'Kyoto-Koyasan': 3300, 'Koyasan-Kanazawa': 10020, 'Kanazawa-Kyoto-KIX': 10650}\nprint(sum(legs.values()))"
            },
            {"output": "27610", "exit_code": 0},
        )
    )
    two.assistant(
        "Single tickets: **¥27,610** each. The seven-day pass costs ¥50,000. No pass, and you keep the slow scenic trains."
    )
    two.user("good. temples without queues: make me a plan by the hour for two days")
    two.assistant(
        "**Day A, east**\n\n1. 06:00 Kiyomizu-dera opens. At six it is you and the brooms.\n2. 08:00 walk down before the shops wake.\n3. 09:30 breakfast, second one.\n4. 14:00 *not* a temple: the river, a bench, a book.\n\n**Day B, north**\n\n1. 08:30 Ohara by bus 17\n   - Sanzen-in, moss garden\n   - Hōsen-in, tea with the 700-year-old pine\n2. 13:00 noodles\n3. 16:30 Kurama bath, if legs allow"
    )
    two.later(40).user("a moss garden. I must send Moss a postcard")
    two.assistant(
        "モスさんへ。苔の寺より。— *To Moss, from the temple of moss.* Cards at the shop on the left, stamps ¥100."
    )
    yield two

    three = two.continued(
        3,
        "No rail pass (single tickets ¥27,610 each). Day plans for east and north are agreed. A postcard for the cat. Open: Koyasan temple, what to pack, the booking itself.",
    )
    three.user("please book Kawasemi for two now, the card is in the vault, ask me before you pay")
    three.does(
        tool(
            "browser_navigate",
            {"url": "https://kawasemi.example/reserve"},
            {"success": True, "title": "ご予約 | 翡翠"},
        ),
        thinks="Fill in the form, stop before payment and ask.",
    )
    three.does(
        tool(
            "clarify",
            {"question": "Pay the deposit of ¥16,800 now?", "choices": ["yes", "no"]},
            {"answer": "yes"},
        )
    )
    yield (
        three.assistant(
            "Booked for two: seven nights, room *Kingfisher*, river side, kombu stock only. Confirmation is in your mail. 🍁"
        )
        .user("I am going to Kyoto!!! 🎌👩‍❤️‍👨")
        .assistant(
            "You are. Shall I find the Koyasan temple next, or let you enjoy this for an evening?"
        )
    )


def _asyncio() -> Iterator[DemoSession]:
    part = DemoSession(
        "Move the parcel API to asyncio",
        5 * DAY - 4.4 * HOUR,
        "cli",
        OPUS,
        cwd=API,
        branch="asyncio",
        cost="actual",
    )
    part.user(
        "let's move the parcel API to asyncio, step by step, tests green after each step. start with an inventory of what blocks"
    )
    part.does(
        sh(
            "rg -c 'requests\\.|time\\.sleep|psycopg2' parcel/ | sort -t: -k2 -rn | head -5",
            "parcel/carriers/base.py:31\nparcel/db.py:22\nparcel/labels/render.py:9\nparcel/webhooks.py:8\nparcel/rates/fetch.py:6",
        ),
        sh("pytest -q | tail -1", "797 passed in 71.02s"),
        thinks="Inventory before opinions. Count the blocking calls, and make sure that we start from green.",
    )
    part.assistant(
        "| Layer | Blocking calls | Plan |\n|---|---:|---|\n| carriers | 31 | `httpx.AsyncClient`, one per carrier |\n| db | 22 | asyncpg behind the same functions |\n| labels | 9 | stays sync, in a thread |\n| webhooks | 8 | last |\n\n797 tests pass. I would begin with *carriers*: most waiting, least state."
    )
    part.user("go. one carrier per commit")
    part.does(
        read(
            "parcel/carriers/base.py",
            "class Carrier:\n    def quote(self, parcel):\n        response = requests.post(self.url, json=parcel.as_json(), timeout=10)\n        return Quote.parse(response.json())\n",
        )
    )
    part.does(
        edit(
            "parcel/carriers/base.py",
            "    def quote(self, parcel):\n        response = requests.post(self.url, json=parcel.as_json(), timeout=10)\n",
            "    async def quote(self, parcel):\n        response = await self.client.post(self.url, json=parcel.as_json(), timeout=10)\n",
        ),
        sh("pytest tests/carriers -q | tail -1", "1 failed, 118 passed in 12.80s", 1),
    )
    part.assistant("One fails, rightly: `FakeCarrier` is not async. Fixing the fake, not the test.")
    yield part

    notes = (
        "Carriers are async (6 commits, 797 tests green). Fakes live in tests/fakes.py. Next: database, keep function names, asyncpg.",
        "Database layer is on asyncpg, one pool per process. Transactions: `async with tx()`. Labels run in a thread. Next: webhooks, then delete `requests`.",
        "Webhooks are async, retries go through the queue. `requests` is still imported by one script. Next: measure, remove leftovers, write the changelog.",
    )
    told = (
        ("now the database. what is the riskiest part?", "Transactions. A sync `with tx()` inside an async handler would hold the pool's connection across an `await`, and two of those lock each other. I will make the old name raise.", sh("pytest tests/db -q | tail -1", "204 passed in 20.17s")),
        ("webhooks, and be careful with the order of events", "Order holds per parcel, not overall: one queue key per parcel id. The test sends 1,000 events shuffled by parcel and reads them back sorted.", sh("pytest tests/webhooks -q --count 20 | tail -1", "1640 passed in 48.73s")),
        ("measure it against main, same box, and no cheating", "| | main | asyncio |\n|---|---:|---:|\n| requests/s | 212 | **1,340** |\n| p95 | 910 ms | **140 ms** |\n| memory | 1.9 GB (16 workers) | 410 MB (4) |\n\nNo cheating: same box, same data, warm caches for both.", sh("wrk -t4 -c64 -d30 http://localhost:8000/quote | grep Requests", "Requests/sec:   1340.22")),
    )  # fmt: skip
    for number, (note, (ask, answer, look)) in enumerate(zip(notes, told, strict=True), 2):
        part = part.continued(number, note)
        part.user(ask)
        part.does(look, thinks="Green first, then words.")
        part.assistant(answer)
        part.later(1.5)
        part.user("good. commit")
        part.does(
            sh(
                "git commit -qa -F - && git log --oneline | head -1",
                f"{number * 7919:06x}a asyncio: part {number}",
            )
        )
        part.assistant("Committed, tree is clean.")
        yield part
    part.user("delete requests. delete it with joy").does(
        sh("uv remove requests && rg -c 'import requests' | wc -l", "0")
    ).assistant("Deleted. With joy. 🕺")
    part.ends("cli_close")


def _taxes() -> Iterator[DemoSession]:
    one = DemoSession(
        "Tax return",
        166 * DAY - 5.3 * HOUR,
        "tui",
        SONNET,
        cwd="/home/ada/papers/tax",
        archived=True,
    )
    one.user(
        "help me with the tax return: salary, home office 140 days, one trip to a conference, a new desk"
    )
    one.assistant(
        "Let us collect before we count:\n\n- [ ] wage statement\n- [x] desk, 389 €\n- [ ] conference: ticket, train, two nights\n- [ ] days at home, with a calendar as proof\n\nWhich of these are in the folder?"
    )
    one.user("all of them, somewhere. names are scan0001 to scan0044")
    one.does(
        sh(
            "ls scans | wc -l && pdftotext scans/scan0007.pdf - | head -2",
            "44\nInvoice 20-1187\nDesk, oak, 160 x 80",
        )
    )
    one.assistant(
        "Renamed all 44 by what is in them. Found wage statement, desk, train, hotel. The ticket is missing; the organiser will send a copy, I drafted the mail."
    )
    yield one
    two = one.continued(
        2,
        "44 scans named. Desk 389 €, train 118 €, hotel 236 €, 140 days at home. Missing: conference ticket (asked for).",
    )
    two.later(50).user("the ticket came, 450. what do I get back, roughly?")
    two.does(
        tool(
            "execute_code",
            {"code": "print(round(0.38 * (840 + 389 + 118 + 236 + 450 - 1230)))"},
            {"output": "305", "exit_code": 0},
        )
    )
    yield (
        two.assistant(
            "About **305 €**, if the office sees it as I do. They usually see about nine tenths of it."
        )
        .user("that is one desk leg more than I hoped")
        .assistant("Filed. The desk stands on three and a half.")
        .ends("tui_close")
    )


def _novel() -> Iterator[DemoSession]:
    one = DemoSession(
        "Novel: The Lighthouse Postmistress",
        44 * DAY + 4.9 * HOUR,
        "tui",
        CODEX,
        cwd="/home/ada/notes/novel",
        branch="draft-2",
        cost="included",
    )
    one.user("read chapter three of my novel and tell me honestly where you would stop reading")
    one.does(
        read(
            "03-the-storm.md",
            "# The storm\n\nThe storm came, as storms do, from the west, and it came with letters.\n\nNobody had asked for letters.\n",
        ),
        thinks="She asked for honesty: point at a place, give a reason, then one thing that works.",
        place="codex_reasoning_items",
    )
    one.assistant(
        "I would stop at the third page, where the inspector explains the tides for eleven lines. Everything before it *moves*. “It came with letters” is the best sentence in the book; do not let a man with a tide table stand on it."
    )
    one.user("ouch. fair. cut him to two lines and give the knowledge to the postmistress")
    one.does(
        edit(
            "03-the-storm.md",
            "The inspector cleared his throat and began with the moon.\n",
            "“Spring tide,” said Maren, who sorted the sea like post. “We have until nine.”\n",
        )
    )
    one.assistant("Done. Eleven lines became one, and she became the person in the room who knows.")
    yield one
    two = one.continued(
        2,
        "Draft two of the novel. Chapter 3: inspector cut, Maren (the postmistress) knows the tides. Style: short, dry, sea. Next: the ending of chapter 4.",
    )
    two.user("the ending of chapter four is soft. give me three last sentences, pick none")
    yield (
        two.assistant(
            "1. *She stamped it twice, once for the address and once for luck.*\n2. *The lamp went round. The letter did not.*\n3. *“Undeliverable,” she wrote, and put on her coat.*\n\nI picked none, as asked. (But look at the coat.)"
        )
        .user("the coat. it is the coat")
        .assistant("It was always the coat.")
        .ends("tui_close")
    )


def chats() -> Iterator[DemoSession]:
    yield from _kyoto()
    yield from _asyncio()
    yield from _taxes()
    yield from _novel()
