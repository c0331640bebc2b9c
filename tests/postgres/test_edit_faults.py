"""Kills inside changes on a server, and servers that go away: nothing is lost, nothing doubled."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from explorer.errors import ExplorerError, StoreError
from explorer.model import Action
from explorer.stores.ours.trash import TrashFile, TrashWriter
from explorer.stores.ours.trash_records import ReceiptState
from explorer.stores.postgres.session import ServerSession
from explorer.stores.power_loop.server_edits.editor import ServerEditor
from tests.edits.test_faults import Breaking, breaking
from tests.postgres.cutting import Cut, Proxy
from tests.postgres.edit_ground import Ground, copy, delete, keys, make_template, undo
from tests.postgres.kills import kill_on_server
from tests.postgres.server import Server, wait_for

T = TypeVar("T")

KILLS = 12
"""Of a delete and of its undo, by the clock; the soak has more."""
EVERY = 40
"""Of the moments between two steps that are alike, one in so many is tried."""


class Clockwork:
    """Counts the moments of an edit in a process of its own: before and after each word with the
    server, and each write to the trash. At the last one it dies."""

    def __init__(self, last: int = 0) -> None:
        self.moments: list[str] = []
        self._last = last
        wait, writing = ServerSession.wait, TrashFile.writing

        def waited(session: ServerSession, *args: Any, **more: Any) -> object:
            self.tick("server")
            try:
                return wait(session, *args, **more)
            finally:
                self.tick("server")

        @contextmanager
        def written(trash: TrashFile) -> Iterator[TrashWriter]:
            self.tick("trash")
            with writing(trash) as writer:
                yield writer
                self.tick("trash")
            self.tick("trash")

        ServerSession.wait = waited  # type: ignore[method-assign, assignment]
        TrashFile.writing = written  # type: ignore[method-assign, assignment]

    def tick(self, moment: str) -> None:
        self.moments.append(moment)
        if len(self.moments) == self._last:
            os.kill(os.getpid(), signal.SIGKILL)


def _in_child(work: Callable[[], str]) -> tuple[int, str]:
    """(status, what it gave) of some work in a copy of this process."""
    reading, telling = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(telling, work().encode())
        except BaseException as error:
            os.write(telling, f"failed: {error!r}".encode())
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    os.close(telling)
    with os.fdopen(reading) as told:
        said = told.read()
    os.waitpid(child, 0)
    return child, said


def _moments(ground: Ground, act: Callable[[ServerEditor], object]) -> list[int]:
    """The moments at which to die: all around the trash and at the end, some of the others."""

    def work() -> str:
        clockwork = Clockwork()
        act(ground.editor())
        return " ".join(clockwork.moments)

    _, said = _in_child(work)
    assert not said.startswith("failed"), said
    moments = said.split()
    return [
        at
        for at, moment in enumerate(moments, 1)
        if moment == "trash" or "trash" in moments[at - 2 : at + 1] or at % EVERY == 0
    ]


def _die(ground: Ground, act: Callable[[ServerEditor], object], at: int) -> None:
    def work() -> str:
        Clockwork(at)
        act(ground.editor())
        return "it lived"

    _, said = _in_child(work)
    assert said == "", said


def _settled(ground: Ground) -> ServerEditor:
    """The next start: it has nothing to ask."""
    editor = ground.editor()
    assert not editor.after_crash().half_done
    return editor


def test_a_delete_that_is_killed_is_done_or_not(ground: Ground) -> None:
    before = ground.dump()

    def act(editor: ServerEditor) -> object:
        return delete(editor, "first_root", "second_root")

    moments = _moments(ground, act)
    undo(_settled(ground))
    assert ground.dump() == before
    seen = set()
    for at in moments:
        fresh = ground._replace(folder=ground.folder / str(at))
        _die(fresh, act, at)
        editor = _settled(fresh)
        receipts = editor.trash.receipts()
        gone = len({"first_root", "second_root"} - ground.ids())
        seen.add(gone)
        assert len(receipts) == bool(gone)
        if gone:
            assert receipts[0].sessions == 3 * gone
            assert ground.left_of("first_root") == {}
            undo(editor)
        assert ground.dump() == before, at
    assert seen == {0, 1, 2}


def test_an_undo_that_is_killed_is_done_with_the_next(ground: Ground) -> None:
    before = ground.dump()
    delete(ground.editor(), "first_root")
    without = ground.dump()
    moments = _moments(ground, undo)
    seen = set()
    assert ground.dump() == before
    for at in moments[:: len(moments) // 25 + 1]:
        fresh = ground._replace(folder=ground.folder / str(at))
        delete(fresh.editor(), "first_root")
        assert ground.dump() == without
        _die(fresh, undo, at)
        editor = _settled(fresh)
        (receipt,) = editor.trash.receipts()
        seen.add(receipt.back)
        if receipt.state is not ReceiptState.UNDONE:
            assert len(undo(editor).ids) == 3 - receipt.back
        assert ground.dump() == before, at
    assert {0, 3} < seen


def test_an_archive_that_is_killed_is_done_or_not(ground: Ground) -> None:
    before = ground.dump()

    def act(editor: ServerEditor) -> object:
        return editor.apply(editor.plan(Action.ARCHIVE, keys("first_root")))

    seen = set()
    moments = _moments(ground, act)
    undo(_settled(ground))
    for at in moments:
        fresh = ground._replace(folder=ground.folder / str(at))
        _die(fresh, act, at)
        editor = _settled(fresh)
        done = bool(editor.trash.receipts())
        seen.add(done)
        assert (ground.dump() != before) == done
        if done:
            undo(editor)
        assert ground.dump() == before
    assert seen == {False, True}


@pytest.mark.parametrize("cut", Cut)
def test_an_answer_that_is_lost_is_found_out(ground: Ground, cut: Cut) -> None:
    before = ground.dump()
    proxy = Proxy(ground.server.port, cut)
    editor = ground.editor(port=proxy.port)
    if cut is Cut.BEFORE:
        with pytest.raises(StoreError, match=r"before the change was saved. Nothing was changed"):
            delete(editor, "first_root")
        assert ground.dump() == before
        assert editor.trash.receipts() == []
        delete(editor, "first_root")
    else:
        assert len(delete(editor, "first_root").ids) == 3
    assert ground.left_of("first_root") == {}
    undo(editor)
    assert ground.dump() == before
    proxy.close()


@pytest.mark.parametrize("cut", Cut)
def test_an_undo_whose_answer_is_lost_is_found_out(ground: Ground, cut: Cut) -> None:
    before = ground.dump()
    delete(ground.editor(), "first_root")
    proxy = Proxy(ground.server.port, cut, nth=2)
    editor = ground.editor(port=proxy.port)
    done = undo(editor)
    assert len(done.ids) == (1 if cut is Cut.BEFORE else 2)
    assert len(undo(editor).ids) == 3 - len(done.ids)
    assert ground.dump() == before
    proxy.close()


def test_a_server_that_dies_in_the_middle_has_done_nothing(
    own_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_template(own_server, tmp_path / "home")
    own_server.run("CHECKPOINT")
    ground = copy(own_server, tmp_path)
    before, editor = ground.dump(), ground.editor()
    plan = editor.plan(Action.DELETE, keys("first_root"))
    words = 0
    wait = ServerSession.wait

    def waited(session: ServerSession, *args: Any, **more: Any) -> object:
        nonlocal words
        words += 1
        if words == 12:
            os.kill(own_server.keeper, signal.SIGUSR1)
            time.sleep(0.5)
        return wait(session, *args, **more)

    with monkeypatch.context() as patched:
        patched.setattr(ServerSession, "wait", waited)
        with pytest.raises(ExplorerError) as failed:
            editor.apply(plan)
    assert "Nothing was changed" in failed.value.message
    wait_for(own_server)
    assert not ground.editor().after_crash().half_done
    assert ground.dump() == before
    assert ground.editor().trash.receipts() == []
    # It is back: what is committed now outlives the next death at once.
    assert len(delete(editor, "first_root").ids) == 3
    os.kill(own_server.keeper, signal.SIGUSR1)
    time.sleep(0.5)
    wait_for(own_server)
    assert ground.left_of("first_root") == {}
    undo(editor)
    assert ground.dump() == before


def _cut_off(ground: Ground) -> None:
    """The server ends every connection to this database but ours."""
    ground.server.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        f" WHERE datname = '{ground.database}'"
    )


def test_a_connection_that_is_lost_between_two_conversations_loses_neither(ground: Ground) -> None:
    before, editor = ground.dump(), ground.editor()
    plan = editor.plan(Action.DELETE, keys("first_root", "second_root"))
    with pytest.raises(ExplorerError) as failed:
        editor.apply(plan, progress=lambda told: _cut_off(ground))
    assert "Done before that: 3 sessions; you can undo it." in failed.value.message
    assert "Nothing was changed" not in failed.value.message
    (receipt,) = _settled(ground).trash.receipts()
    assert (receipt.state, receipt.sessions) == ("done", 3)
    assert "3 of 6 sessions" in receipt.words

    with pytest.raises(ExplorerError) as failed:
        editor.undo(editor.undo_plan(), progress=lambda told: _cut_off(ground))
    assert "Restored before that: 1 session." in failed.value.message
    assert "Nothing was changed" not in failed.value.message
    (receipt,) = _settled(ground).trash.receipts()
    assert (receipt.state, receipt.back) == ("done", 1)
    assert len(undo(editor).ids) == 2
    assert ground.dump() == before


@pytest.mark.parametrize("act", [lambda editor: delete(editor, "first_root"), undo])
def test_whatever_fails_in_the_trash_nothing_is_lost_or_doubled(
    ground: Ground, act: Callable[[ServerEditor], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ground.dump()
    for last in range(1, 100, 3):
        fresh = ground._replace(folder=ground.folder / str(last))
        if act is undo:
            delete(fresh.editor(), "first_root")
        there = ground.dump()
        said = ""
        with breaking(fresh.folder / "trash.db", last, monkeypatch):
            try:
                act(fresh.editor())
            except ExplorerError as error:
                said = error.message
        if "Nothing was changed" in said:
            assert ground.dump() == there, f"write {last}: {said}"
        editor = _settled(fresh)
        while any(one.state is not ReceiptState.UNDONE for one in editor.trash.receipts()):
            undo(editor)
        assert ground.dump() == before, f"write {last}: {said}"
        if Breaking.count < last:
            assert last > 3, "some writes were met"
            return
    raise AssertionError("it never came to its end")


def test_kills_at_any_moment_beside_the_real_package_lose_nothing(
    edit_template: Server, tmp_path: Path
) -> None:
    figures = kill_on_server(edit_template, tmp_path, KILLS, seed=20)
    assert [line for one in figures.values() for line in one.wrong] == []
    assert sum(one.kills for one in figures.values()) == KILLS
    assert all(one.kills > KILLS // 4 for one in figures.values())
    assert sum(one.appends for one in figures.values()) > KILLS
