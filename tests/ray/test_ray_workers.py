"""Workers on a real Ray: messages, deaths, machines that join, and machines that lack something."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from arena.config.sections import read_executor
from arena.errors import ConfigError
from arena.execution.channel import Channel, ChannelClosed, Worker
from arena.execution.ray_workers import RayWorkers
from tests.support.echo_worker import Wish, echo
from tests.support.ray_nodes import ray_head, ray_node

pytestmark = pytest.mark.ray

#: Messages each way.
_MANY = 10_000
#: Seconds in which a worker joins, and in which its death is noticed.
_JOINING, _NOTICING = 60.0, 15.0


@asynccontextmanager
async def _workers(
    name: str, *, variables: Sequence[str] = (), note: Callable[[str], None] = print
) -> AsyncIterator[RayWorkers]:
    executor = read_executor(name)
    source = RayWorkers(executor, most=executor.most, serve=echo, variables=variables, note=note)
    try:
        yield source
    finally:
        await source.aclose()


async def _join(source: RayWorkers) -> Worker:
    return await asyncio.wait_for(source.join(), _JOINING)


async def _receive(channel: Channel, count: int) -> list[Any]:
    received: list[Any] = []
    async with asyncio.timeout(_JOINING):
        while len(received) < count:
            received += await channel.receive()
    return received


async def _pid(worker: Worker) -> int:
    worker.channel.send(Wish("pid"))
    return int((await _receive(worker.channel, 1))[0])


async def _reason(worker: Worker) -> str:
    """Wait until a line is closed, and return why."""
    with pytest.raises(ChannelClosed) as closed:
        async with asyncio.timeout(_NOTICING):
            while True:
                await worker.channel.receive()
    return str(closed.value)


def _is_running(pid: int) -> bool:
    with suppress(OSError):
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    return False


async def test_a_ray_of_this_machine_carries_messages_and_replaces_what_dies(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "local")  # instead of a cluster that other tests use
    async with _workers("ray:2") as source:
        workers = [await _join(source), await _join(source)]
        assert {worker.name.rpartition(" ")[2] for worker in workers} == {"1", "2"}

        for worker in workers:
            worker.channel.send(Wish("send", _MANY))
            for number in range(_MANY):
                worker.channel.send(("ours", number))
        for worker in workers:
            received = await _receive(worker.channel, 2 * _MANY)
            assert [each for each in received if isinstance(each, int)] == list(range(_MANY))
            echoed = [each[1] for each in received if not isinstance(each, int)]
            assert echoed == list(range(_MANY))

        killed = await _pid(workers[0])
        os.kill(killed, signal.SIGKILL)
        assert await _reason(workers[0]) == "its worker process has died"
        next_one = await _join(source)
        assert next_one.name == workers[0].name

        next_one.channel.send(Wish("fail"))
        assert await _reason(next_one) == "OSError: [Errno 28] No space left on device"
        next_one = await _join(source)
        next_one.channel.send(Wish("leave"))
        assert await _reason(next_one) == "it has ended by itself"

        next_one = await _join(source)
        pids = [await _pid(worker) for worker in (next_one, workers[1])]
        await next_one.channel.close()
        assert await _reason(next_one) == "the run has closed the line"
    assert not any(map(_is_running, pids))


async def test_where_every_machine_lacks_a_key_nothing_begins(head: str) -> None:
    async with _workers("ray", variables=["A_KEY_THAT_IS_NOWHERE"]) as source:
        with pytest.raises(ConfigError, match="no machine of the cluster can be used") as refused:
            await _join(source)
        assert "A_KEY_THAT_IS_NOWHERE is not set there: set it" in str(refused.value)
        with pytest.raises(ConfigError):
            await _join(source)


async def test_machines_join_and_leave_and_those_that_lack_something_are_named(
    head: str, tmp_path: Path
) -> None:
    other = tmp_path / "litellm-0.0.1.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: litellm\nVersion: 0.0.1\n")
    notes: list[str] = []
    async with _workers("ray", variables=["HOME"], note=notes.append) as source:
        first = await _join(source)
        options = (f"--address={head}", "--num-cpus=1")
        lacking = {"HOME": "", "PYTHONPATH": f"{tmp_path}:{os.environ['PYTHONPATH']}"}
        joining = asyncio.create_task(source.join())
        with ray_node(*options, environment=lacking):
            async with asyncio.timeout(_JOINING):
                while not notes:
                    await asyncio.sleep(0.1)
        assert len(notes) == 1 and "these machines are not used" in notes[0]
        assert "litellm is 0.0.1 there" in notes[0]
        assert "HOME is not set there: set it in the environment" in notes[0]
        assert not joining.done()

        with ray_node(*options) as node:
            second = await asyncio.wait_for(joining, _JOINING)
            assert second.name != first.name
            assert await _pid(second) != await _pid(first)
            os.killpg(node.pid, signal.SIGKILL)
            began = time.monotonic()
            assert await _reason(second)
            assert time.monotonic() - began < _NOTICING
        first.channel.send("still there")
        assert await _receive(first.channel, 1) == ["still there"]
    assert len(notes) == 1


@pytest.mark.deep  # a second Ray, whose server of clients begins late on a busy machine
async def test_a_cluster_without_a_token_is_used_by_its_client_and_named(
    ray_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    notes: list[str] = []
    with ray_head("--num-cpus=1", folder=ray_folder / "open", client_port=21002):
        with suppress(ConfigError):  # on a busy machine, a new head may refuse its first client
            async with _workers("ray://127.0.0.1:21002") as source:
                await _join(source)
        async with _workers("ray://127.0.0.1:21002", note=notes.append) as source:
            worker = await _join(source)
            for number in range(_MANY):
                worker.channel.send(number)
            assert await _receive(worker.channel, _MANY) == list(range(_MANY))
            os.kill(await _pid(worker), signal.SIGKILL)
            assert await _reason(worker) == "its worker process has died"
    assert len(notes) == 1 and "asks for no token" in notes[0]
