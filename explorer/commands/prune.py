"""`prune`: many sessions at once, by rules, with the reason for each that is kept."""

import argparse
import re
from collections.abc import Sequence

from explorer.cancel import CancelToken
from explorer.commands.editing import apply_plan, ask, edits_of, exit_code, finish, warn_half_done
from explorer.commands.output import note, write, write_json
from explorer.commands.pager import paged
from explorer.commands.shapes import plan_shape
from explorer.commands.stores import usual_store, warn_unknown
from explorer.errors import ExitCode, Problem, UsageError
from explorer.model import Action, Hidden
from explorer.render.clean import clean, clean_line
from explorer.render.figures import count, plural
from explorer.search.language.query import LONGEST
from explorer.search.language.vocabulary import span
from explorer.search.prune_rules import OPEN, Chosen, Rules, choose, ground, holding, parts_of
from explorer.search.words import why_kept
from explorer.settings import notes_path
from explorer.stores.base import Store
from explorer.stores.edits.plans import KINDS, EditPlan
from explorer.stores.edits.words import DRY_RUN, plan_lines, question, receipt_words


def prune_sessions(options: argparse.Namespace, now: float) -> int:
    rules = _rules(options, now)
    store = usual_store(options)
    edits = edits_of(store)
    warn_half_done(edits)
    catalog = store.catalog()
    pins = store.own_notes(notes_path()).pins()
    warn_unknown(options.source, catalog.source_names)
    known = ground(store, catalog, pins)
    fits = holding(known, rules.query, now, CancelToken())
    chosen = choose(known, rules, fits, now)
    if not options.json:
        # Before anything is asked or done: what was not understood may be why so much matches.
        for words in chosen.notes:
            note(clean_line(words))
    locked = [one.name for one in store.troubles if one.error.problem is Problem.BUSY]
    if not chosen.rows:
        return _nothing(chosen, locked, options)
    plan = edits.plan(
        Action.ARCHIVE if options.archive else Action.PRUNE, parts_of(catalog, chosen.rows)
    )
    if options.dry_run:
        _show(plan if options.json else edits.worded(plan), store, chosen, options)
        return ExitCode.DONE
    lines = (*plan_lines(plan), *_reasons(chosen))
    ask(options, question(plan), lines, KINDS[plan.action].verb)
    done = apply_plan(edits, plan)
    # One that cannot even be read has no share in the plan.
    done = done._replace(refused=(*done.refused, *locked))
    # What a session keeps is for the rules to say; a profile that refuses them all is a failure.
    code = exit_code(done, done.refused)
    if options.json:
        done = done._replace(
            skipped={**done.skipped, **chosen.counts}, notes=(*chosen.notes, *done.notes)
        )
    else:
        done = done._replace(notes=(*done.notes, *_kept(chosen)))
    finish(done, receipt_words(plan), options)
    return code


def _rules(options: argparse.Namespace, now: float) -> Rules:
    older = None
    if options.older_than is not None:
        is_span = re.fullmatch(r"\d+\s?[hdwmy]", options.older_than.strip().lower())
        found = span(options.older_than, now) if is_span else None
        if found is None:
            needs = "needs a unit" if options.older_than.isdecimal() else "is not a length of time"
            wrong = f"{options.older_than!r} {needs}: use 12h, 90d, 8w or 1y."
            raise UsageError("Wrong value for --older-than", wrong)
        older = now - found.start
    rules = Rules(
        older=older,
        sources=frozenset(options.source),
        classes=frozenset(map(Hidden, options.classes)),
        empty=options.empty,
        most=options.max_messages,
        keep=options.keep,
        include_open=options.include_open,
        query=" ".join(options.query),
    )
    if len(rules.query) > LONGEST:
        wrong = f"It has {count(len(rules.query))} of at most {count(LONGEST)} characters."
        raise UsageError("Query too long", wrong)
    if rules.say_nothing:
        raise UsageError("No rule given", "Use --older-than 90d, --empty, --class cron or a query.")
    return rules


def _show(plan: EditPlan, store: Store, chosen: Chosen, options: argparse.Namespace) -> None:
    if options.json:
        more = {
            "skipped": {**plan.skipped, **chosen.counts},
            "notes": [*chosen.notes, *plan.notes],
        }
        write_json(plan_shape(plan, store) | more)
        return
    with paged(not options.no_pager):
        write(clean(question(plan)))
        for line in (*plan_lines(plan), *_reasons(chosen)):
            write(f"  {clean(line)}")
        for one in plan.doomed:
            name = clean_line(one.title or one.words or "(empty)", 60)
            place = f"{store.place(one.key)}/" if store.places else ""
            write(f"  {clean_line(place + one.id)}  {count(one.messages):>6}  {name}")
    note(DRY_RUN)


def _reasons(chosen: Chosen) -> list[str]:
    found = _kept(chosen)
    if OPEN in chosen.skipped:
        found.append("Add --include-open to include sessions that never ended.")
    return found


def _kept(chosen: Chosen) -> list[str]:
    return [
        f"Kept: {plural(len(rows), 'conversation')} ({why_kept(reason)})."
        for reason, rows in chosen.skipped.items()
    ]


def _nothing(chosen: Chosen, locked: Sequence[str], options: argparse.Namespace) -> int:
    code = ExitCode.FAILED if locked and not options.dry_run else ExitCode.DONE
    if options.json:
        write_json(
            {
                "action": "archive" if options.archive else "prune",
                "receipt": None,
                "done": [],
                "sessions": [],
                "totals": {"sessions": 0, "messages": 0, "bytes": 0, "files": 0},
                "skipped": chosen.counts,
                "refused": list(locked),
                "notes": list(chosen.notes),
            }
        )
        return code
    note("Nothing to prune: no session matches.")
    for line in _reasons(chosen):
        note(line)
    return code
