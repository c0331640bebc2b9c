"""What fills a real state file besides talk: scheduled runs, tool rows, and sessions left empty."""

from collections.abc import Iterator

from explorer.demo.script import DAY, GEMINI, HOUR, MINUTE, QWEN, SONNET, DemoSession, sh, tool, web

_WEATHER = (
    "11 °C, rain until ten",
    "14 °C, dry",
    "9 °C, fog",
    "17 °C, sun",
    "6 °C, wind from the sea",
    "12 °C, showers",
    "3 °C, frost on the bicycle",
)
_FIRST = (
    "standup at 9:30",
    "dentist at 8:15 (you asked me to be firm)",
    "nothing before eleven",
    "planning, bring coffee",
    "one to one with Noor",
    "release day",
    "holiday: why are you awake?",
)


def _cron() -> Iterator[DemoSession]:
    for day, (weather, first) in enumerate(zip(_WEATHER, _FIRST, strict=True)):
        chat = DemoSession(
            f"Morning briefing · {day}", 6 * HOUR + day * DAY, "cron", GEMINI, titled=False
        )
        chat.user(
            "[Scheduled job: morning briefing] Weather, calendar, and one line of news about trains. Five lines at most."
        )
        chat.does(
            web("weather today", ("Today", "https://weather.example", weather)),
            tool("calendar", {"range": "today"}, {"events": [first]}),
        )
        yield chat.assistant(
            f"Good morning Ada. ☀️\n\n- **Weather:** {weather}\n- **First:** {first}\n- **Trains:** on time, which they would like noted"
        ).ends("cron_complete")
    for week, failed in enumerate((False, False, True, False, False)):
        chat = DemoSession(
            f"Backup check · {week}",
            2 * DAY + 9 * HOUR + 7 * week * DAY,
            "cron",
            QWEN,
            titled=False,
            cost="included",
        )
        chat.user(
            "[Scheduled job: backup check] Verify last night's restic snapshot. Say nothing when all is well."
        )
        if failed:
            chat.does(
                sh(
                    "restic check --read-data-subset=5%",
                    "Fatal: unable to open repository at /mnt/offsite: no such file or directory",
                    1,
                )
            )
            chat.assistant(
                "⚠️ The off-site disk is not mounted. The vacuum cleaner and its cable are suspects. Please plug it back in."
            )
        else:
            chat.does(sh("restic check --read-data-subset=5%", "no errors were found"))
            chat.assistant("[SILENT]")
        yield chat.ends("cron_complete")
    for week, price in enumerate((389, 402, 371)):
        chat = DemoSession(
            f"Flight watch · {week}",
            3 * DAY + 14 * week * DAY,
            "cron",
            GEMINI,
            titled=False,
            cost="unknown",
        )
        chat.user(
            "[Scheduled job: flight watch] Price of two seats to Osaka in November. Report only changes."
        )
        yield chat.assistant(
            f"Two seats: **{price} €** each. {'Lowest so far.' if price < 380 else 'No reason to hurry.'}"
        ).ends("cron_complete")


def _tools() -> Iterator[DemoSession]:
    asked = (
        ("Title for the docker chat", 4 * MINUTE, "Write a title of at most five words for: why does the build fail on arm64?", "Fix docker deployment"),
        ("Summarise one web page", 1 * DAY + 3 * HOUR, "Summarise for a tooltip: Kawasemi, nine rooms by the river, cypress bath …", "Small riverside inn with a cypress bath."),
        ("Which language is this", 40 * DAY + HOUR, "Which language: يسعدنا دعوتكم", "Arabic"),
    )  # fmt: skip
    for name, ago, ask, answer in asked:
        yield (
            DemoSession(name, ago, "tool", QWEN, titled=False, cost="included")
            .user(ask)
            .assistant(answer)
            .ends("agent_close")
        )


def _empty() -> Iterator[DemoSession]:
    yield DemoSession("Opened and closed", 7 * HOUR, titled=False, cwd="/home/ada").ends()
    yield DemoSession(
        "Never said a word",
        10 * DAY - 0.4 * HOUR,
        "tui",
        titled=False,
        cwd="/home/ada/code/parcel-api",
        branch="main",
    ).ends("tui_close")
    yield DemoSession("Thoughts for later", 70 * DAY - 3.8 * HOUR, "telegram", SONNET)


def _kept_apart() -> Iterator[DemoSession]:
    """Rows in the state that upgrades and tidy people leave behind."""
    lost = DemoSession(
        "Spare key for Noor", 330 * DAY + 4.9 * HOUR, "cli", SONNET, titled=False, cwd="/home/ada"
    )
    lost.config = {"_delegate_from": "__orphaned__"}
    lost.user("remind me where I put the spare key for Noor, I told you in the spring")
    lost.does(
        tool(
            "session_search",
            {"query": "spare key"},
            {"success": True, "results": [{"snippet": "…behind the third flower pot…"}]},
        )
    )
    yield lost.assistant(
        "Behind the third flower pot, “where no thief has ever looked”, as you put it."
    ).ends()

    old = DemoSession(
        "Moving flat: the great list", 215 * DAY + 0.7 * HOUR, "telegram", GEMINI, archived=True
    )
    old.user(
        "the great list for moving flat: boxes, cat, server, piano (borrowed), and no lift in the new house"
    )
    helper = old.delegated("Find a piano mover, just in case", "subagent")
    old.assistant(
        "In order of panic:\n\n1. **Piano:** give it back *before* the move.\n2. **Server:** shut down last, boot first; label both ends of every cable.\n3. **Cat:** one quiet room, door closed, sign on the door.\n4. **Boxes:** 60, and ten more that you will deny."
    )
    yield (
        old.user("piano given back. best decision of the year")
        .assistant("Fourth floor agrees.")
        .ends("idle")
    )

    done = DemoSession("Cancel the gym", 275 * DAY + 2.4 * HOUR, "email", SONNET, archived=True)
    done.user(
        "Subject: cancel\n\nPlease write to the gym that I quit. I went four times. I know. You know."
    )
    yield done.assistant(
        "Dear Sir or Madam,\n\nI hereby end my membership at the next possible date and ask for a confirmation.\n\nWith kind regards, Ada\n\n(Four is more than zero.)"
    ).ends("session_reset")

    helper.user(
        "Find two movers in town who carry pianos to a fourth floor without a lift, with prices."
    )
    helper.does(
        web(
            "piano movers fourth floor no lift",
            ("Atlas & Daughter", "https://atlas.example", "Pianos, harps, regrets. From 320 €."),
        )
    )
    yield helper.assistant(
        "One: Atlas & Daughter, from 320 €. The other hung up when it heard “fourth floor”."
    )


def chats() -> Iterator[DemoSession]:
    yield from _cron()
    yield from _tools()
    yield from _empty()
    yield from _kept_apart()
