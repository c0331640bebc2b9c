"""The longest session: a parcel that was delivered before it was sent, and everyone it was not."""

import random
from collections.abc import Iterator

from explorer.demo.script import DAY, HOUR, OPUS, Call, DemoSession, edit, read, sh, tool

API = "/home/ada/code/parcel-api"

_SUSPECTS = (
    ("scanner clocks", "scanner", "parcel HP 204 771 930 2 was delivered 41 minutes before it was sent. start with the scanner clocks, they are always wrong", "The scanners disagree by 3 s at most. 41 minutes is not a clock, it is a decision somebody made."),
    ("time zones", "tz", "ok. time zones then. it is always time zones", "Every zone in the table is UTC. I checked the ones that *say* UTC and are not: none today. It is not time zones. (It is never *only* time zones.)"),
    ("daylight saving", "dst", "there was a clock change that week!", "The clock changed by 60 minutes, we look for 41. I would have loved it, too."),
    ("the import job", "importer", "the import job runs at :41 past. suspicious?", "It runs at :41, yes, but it *reads* times, it does not write them. A coincidence with good manners."),
    ("the retry queue", "queue", "what if a retry delivered an old event late", "Retries keep the original timestamp. I replayed 2,000 events and every one kept its birthday."),
    ("the cache", "cache", "cache. there are two hard things and this is one", "The cache holds the parcel for 30 s. To explain 41 minutes it would have to be on holiday."),
    ("the database replica", "replica", "the replica lags on Mondays, could we read stale rows?", "The worst lag that day was 1.8 s. The replica has an alibi."),
    ("the webhook of the carrier", "webhook", "what did the carrier really send us?", "The raw webhook says `delivered` with *their* time, and it is plausible. So the delivery time is right. Then the **sent** time is wrong! That halves the world."),
    ("the label printer", "printer", "sent time is set when the label prints, I think?", "It is set when the label is *confirmed*, which is after the printer answers. Printers answer when they feel like it. We are getting warm."),
    ("printer 3", "printer", "printer 3 was out of paper that morning", "Printer 3 was out of paper from 08:52 to 09:33. That is **41 minutes**. I had to sit down, figuratively."),
    ("the confirmation", "confirm", "so the parcel left with no label???", "It left with a label from printer 1, by hand. Printer 3's job stayed in its queue and was confirmed 41 minutes later, when paper came. The system believed the printer that was late."),
    ("how many others", "audit", "how many parcels are like this one", "Since the new firmware: **312** parcels with a sent time that is too late, 9 of them *delivered before sent*. The other 303 were just lucky with distance."),
    ("the firmware", "firmware", "what did the firmware change?", "Before: a job without paper failed at once. After: it waits, “for convenience”. The release notes call it *patient printing*."),
    ("the vendor", "vendor", "can we switch patient printing off", "There is a setting, `queue.patience`, undocumented, minutes. It says 45. We say 0."),
    ("the old data", "repair", "and repair the 312?", "The hand-printed label has its own scan, so the true time is known for 309. Three went out with no scan at all; those need a person."),
    ("a dry run", "repair", "dry run of the repair, please, on a copy", "On a copy: 309 corrected, 0 others touched, checksums of all other rows equal."),
    ("the invariant", "check", "I want the database to refuse this nonsense", "A constraint `sent_at <= delivered_at` would refuse the *delivery*, which is the true half. Better: a check that flags, and a test that prints on two printers."),
    ("the test", "tests", "write the test with two printers, one without paper", "It fails on the old code in the way we saw, and passes on the new. It has a paper tray now. It is my favourite fixture."),
    ("the model of a job", "jobs", "is a label one job or one per printer? I think our model is wrong", "One label, many attempts. Our table had one row for both, so the second printer overwrote the first. The model was wrong; the printer merely found out."),
    ("the migration", "migrate", "then split it. attempts get their own table. can we do it without downtime", "Yes, in three deploys: write both, read new, drop old. Each can be undone until the last."),
    ("write both", "migrate", "deploy one: write both", "Both are written. Compared for an hour of traffic: 18,442 attempts, no difference."),
    ("read new", "migrate", "deploy two: read from attempts", "Reading from attempts. p95 went *down* by 4 ms, out of gratitude."),
    ("the dashboard", "dash", "the dashboard shows minus 41 minutes as an average now, why", "It averages over history, including the nine time travellers. After the repair it shows +6 h 12 min. I kept a screenshot for the museum."),
    ("drop old", "migrate", "deploy three, drop the column. slowly", "Dropped, slowly. The backup from before is kept for 90 days."),
    ("the postmortem", "notes", "write the postmortem, blameless, and thank printer 3", "Written. Root cause: *one label, many attempts, one row.* Thanks to printer 3, who told the truth, late."),
)  # fmt: skip

_THOUGHTS = (
    "Check the cheap explanation first, then the likely one.",
    "41 minutes exactly. A number that stable has a reason; look for something that lasted that long.",
    "I should try to disprove this one rather than confirm it.",
    "Two sources that do not know each other: compare them.",
    "If this were the cause, there would be others. Count them.",
    "Do not change anything yet. Only look.",
)

_OPENINGS = (
    "Looking at {}.",
    "All right, {}.",
    "On to {}, with gloves on.",
    "Next in line: {}.",
    "Let me ask {} a few questions.",
)

_ASIDES = (
    "Hm.",
    "That rules out half of it.",
    "As it should be, which is almost annoying.",
    "Let me see the same thing from the other side.",
    "One more look before I say anything.",
    "This file has not been touched in a year. Promising, in both directions.",
    "Nothing yet. Nothing is also an answer.",
    "I want numbers, not feelings.",
    "Noted. Going on.",
)

_FOUND = (
    "nothing unusual",
    "matches what we expect",
    "one odd row, unrelated",
    "clean",
    "as documented",
    "two rows, both explained",
)


def _steps(area: str, dice: random.Random) -> Iterator[tuple[Call, ...]]:
    """Looks around one part of the system, no two alike."""
    line, count = dice.randrange(20, 400), dice.randrange(40, 9000)
    minute = f"{dice.randrange(24):02}:{dice.randrange(60):02}"
    found = dice.choice(_FOUND)
    path = f"parcel/{area}/{dice.choice(('core', 'store', 'events', 'times'))}.py"
    source = f'def stamp_{area}(event: Event, clock: Clock) -> Event:\n    """When it happened, not when we heard of it."""\n    return replace(event, at=event.at or clock.now())\n'
    every = (
        (sh(f"rg -n 'sent_at' parcel/{area}", f"{path}:{line}:    parcel.sent_at = event.at\n{path}:{line + 9}:    log.debug('sent_at %s', parcel.sent_at)"),),
        (read(path, source),),
        (sh(f"psql parcel -Atc \"SELECT count(*) FROM {area}_events WHERE parcel = 'HP2047719302'\"", str(dice.randrange(1, 9))), sh(f"psql parcel -Atc \"SELECT count(*) FROM {area}_events\"", str(count))),
        (sh(f"kubectl logs deploy/{area} --since-time={minute} | grep HP2047719302 | tail -3", "\n".join(f"{minute}:{dice.randrange(10, 59)} {area} parcel=HP2047719302 state={state}" for state in ("seen", "queued", dice.choice(("done", "waiting", "done (late)"))))),),
        (sh(f"git log --oneline -4 -- parcel/{area}", "\n".join(f"{dice.randrange(16**7):07x} {text}" for text in dice.sample(("Keep the clock in one place", "Tidy imports", "Log the attempt number", "Drop the old field", "Say which printer", "Use UTC everywhere", "Faster lookups"), 4))),),
        (sh(f"pytest tests/{area} -q | tail -1", f"{dice.randrange(12, 140)} passed in {dice.uniform(1, 30):.2f}s"),),
        (tool("execute_code", {"code": f"rows = load('{area}')\nprint(len(rows), check(rows))"}, {"output": f"{count} {found}", "exit_code": 0}),),
        (sh(f"curl -s localhost:8000/debug/{area} | jq .skew", f"{dice.uniform(-3, 3):.3f}"), sh(f"curl -s localhost:8000/debug/{area} | jq .version", f'"4.{dice.randrange(9)}.{dice.randrange(20)}"')),
        (sh(f"python -m parcel.replay --only {area} --limit {count}", f"Traceback (most recent call last):\n  File \"{path}\", line {line}, in stamp_{area}\nTypeError: can't compare offset-naive and offset-aware datetimes", 1),),
        (edit(path, "    return replace(event, at=event.at or clock.now())\n", "    if event.at is None:\n        log.warning('no time on %s', event.id)\n    return replace(event, at=event.at or clock.now())\n"),),
    )  # fmt: skip
    looks = dice.sample(every[:-1], 6)
    yield from looks if dice.random() < 0.6 else [*looks[:-1], every[-1]]


def chats() -> Iterator[DemoSession]:
    dice = random.Random(41)
    chat = DemoSession(
        "The parcel delivered before it was sent",
        7 * DAY + 5 * HOUR,
        "cli",
        OPUS,
        cwd=API,
        branch="time-traveller",
    )
    for number, (suspect, area, ask, verdict) in enumerate(_SUSPECTS):
        chat.user(ask)
        for step, calls in enumerate(_steps(area, dice)):
            thought = dice.choice(_THOUGHTS) if step % 3 == 0 else None
            aside = dice.choice(_ASIDES) if dice.random() < 0.3 else ""
            chat.does(
                *calls,
                say=aside if step else dice.choice(_OPENINGS).format(suspect),
                thinks=thought,
            )
        chat.assistant(verdict)
        if number in (7, 16):
            chat.later(9)
    yield (
        chat.user("go to sleep, agent. and thank you. that was the best bug of my life")
        .assistant(
            "It was an honour. Good night, Ada. The parcels leave before they arrive again. 📦"
        )
        .ends()
    )
