"""Ray where it is not there: not installed, nobody at the address; and a line without it."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import pytest

from arena.config.sections import read_executor
from arena.errors import ConfigError
from arena.execution import ray_actor
from arena.execution.channel import ChannelClosed
from arena.execution.ray_actor import BatchedChannel, RayActor
from arena.execution.ray_cluster import connect
from tests.support.console_script import arena
from tests.support.echo_worker import Wish, echo
from tests.support.tournaments import SMALL


@pytest.mark.parametrize(
    ("text", "workers", "address"),
    [
        ("ray", None, ""),
        ("ray:8", 8, ""),
        ("ray://head", None, "head:10001"),
        ("ray:3://10.0.0.1:20001", 3, "10.0.0.1:20001"),
        ("ray://[::1]:7", None, "[::1]:7"),
    ],
)
def test_names_of_clusters_are_read(text: str, workers: int | None, address: str) -> None:
    name = read_executor(text)
    assert (name.kind, name.workers, name.address) == ("ray", workers, address)
    assert read_executor(name.text) == name


async def test_without_its_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setenv("RAY_ADDRESS", "local")
    with pytest.raises(ConfigError, match=r"pip install 'debate-arena\[ray\]'"):
        await connect("")


async def test_an_address_where_nobody_listens_is_named_within_seconds() -> None:
    began = time.monotonic()
    with pytest.raises(ConfigError, match="No Ray cluster answers at 127.0.0.1:1: "):
        await connect("127.0.0.1:1")
    assert time.monotonic() - began < 10


def test_an_address_where_nobody_listens_ends_the_run(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    words = ("--yes", "--executor", "ray://127.0.0.1:1", "--db", tmp_path / "x.duckdb")
    code, printed = arena("run", file, *words)
    assert code == 2 and printed.count("No Ray cluster answers at 127.0.0.1:1: ") == 1, printed


async def test_a_worker_gives_what_it_has_and_says_why_it_ended() -> None:
    actor = RayActor()
    await actor.begin(echo)
    ours = BatchedChannel()
    ours.send("one")
    ours.send(("two", 2))
    ours.send(Wish("fail"))
    await actor.give(await ours.leave())
    batch, reason = await actor.take()
    ours.arrive(batch)
    ours.end(str(reason))
    assert await ours.receive() == ["one", ("two", 2)]
    for _ in range(2):
        with pytest.raises(ChannelClosed, match="No space left on device"):
            await ours.receive()
    ours.send("dropped")
    assert await ours.leave() == []


async def test_a_worker_with_nothing_to_say_answers_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ray_actor, "_WAITING", 0.01)
    actor = RayActor()
    await actor.begin(echo)
    assert await actor.take() == ([], None)
    await actor.close()
    assert await actor.take() == ([], "the run has closed the line")


def test_a_worker_that_nobody_asks_ends_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    codes: list[int] = []
    monkeypatch.setattr(ray_actor, "SILENCE", 0.05)
    monkeypatch.setattr("os._exit", codes.append)

    async def begin() -> None:
        await RayActor().begin(echo)
        for _ in range(500):
            if codes:
                return
            await asyncio.sleep(0.01)

    asyncio.run(begin())
    assert codes == [1]
