"""The app on a database: it is read, searched and watched, and outlives the server's restart."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import psycopg
import pytest

from explorer.tui.screens import open_file
from tests.postgres.driving import app_on
from tests.postgres.filling import append, fill_one
from tests.postgres.server import Server, free_port, running, stop
from tests.tui.driving import Driver


async def _until(driver: Driver, text: str) -> None:
    await driver.until_seen(lambda: text in driver.screen())


async def test_a_database_is_read_searched_watched_and_read_again_after_a_restart(
    tmp_path: Path,
) -> None:
    server = running(os.getpid())
    try:
        address = fill_one(server, tmp_path, "lived")
        async with app_on(address, tmp_path) as driver:
            assert "6 sessions · 23 messages" in driver.screen()
            assert "6 messages summarised, 4,000 → 300 tokens" in driver.screen()
            await driver.type("/question 4")
            await _until(driver, "question 4 of lived")
            await driver.press("escape", "escape")
            append(server, tmp_path, "pl_", "lived_pending", "news of today", address)
            await driver.to("wait for me")
            await _until(driver, "news of today")
            os.kill(server.keeper, signal.SIGUSR1)
            await driver.until_seen(lambda: _answers(server))
            append(server, tmp_path, "pl_", "lived_pending", "after the restart", address)
            await _until(driver, "after the restart")
    finally:
        stop(server)


def _answers(server: Server) -> bool:
    try:
        return server.run("SELECT 1") == [(1,)]
    except psycopg.OperationalError:
        return False


async def test_a_server_that_comes_later_is_opened_without_a_key(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_file, "TRY_AGAIN", 0.2)
    address, port = fill_one(server, tmp_path, "late"), free_port()
    later = address.replace(f":{server.port}/", f":{port}/")

    async with app_on(later, tmp_path, settled=False) as driver:
        await _until(driver, "Cannot reach the server")
        assert "tried again by itself" in " ".join(driver.screen().split())
        assert "counting" not in driver.screen()
        async with _passing_on(port, server.port):
            await _until(driver, "Plan of late")
            assert "Cannot reach the server" not in driver.screen()


@asynccontextmanager
async def _passing_on(port: int, to: int) -> AsyncIterator[None]:
    """Another port of the server, and nothing of it is left open."""
    passing: set[asyncio.Task[None]] = set()

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        passing.add(task)
        there, back = await asyncio.open_connection("127.0.0.1", to)
        try:
            await asyncio.gather(_copied(reader, back), _copied(there, writer))
        finally:
            for one in (writer, back):
                one.transport.abort()

    async with await asyncio.start_server(pass_on, "127.0.0.1", port):
        yield
    for task in passing:
        task.cancel()
    await asyncio.gather(*passing, return_exceptions=True)
    # A connection that was aborted is closed in the next turn of the loop.
    await asyncio.sleep(0)


async def _copied(source: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await source.read(65_536):
            to.write(data)
    to.close()
