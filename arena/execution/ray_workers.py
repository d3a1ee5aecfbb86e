"""Workers on a Ray cluster: one for each processor, on every machine that has what it takes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from types import ModuleType
from typing import Any, Final

from arena.config.sections import ExecutorName
from arena.errors import ConfigError
from arena.execution.channel import Worker, WorkerSource
from arena.execution.equipment import (
    Equipment,
    find_objections,
    needed_packages,
    read_equipment,
)
from arena.execution.ray_actor import SILENCE, BatchedChannel, RayActor, Serve
from arena.execution.ray_cluster import connect, format_cause, in_thread

#: Seconds between two looks at the cluster's machines.
_PAUSE: Final = 3.0
#: Seconds that a machine has to say what it has, and that a worker has to end what it does.
_LOOKING, _ENDING = 60.0, 5.0
#: Seconds by which the run waits longer for a worker than the worker for the run.
_MARGIN: Final = 5.0
#: How often in a row workers may end on a machine before they have said anything.
_ATTEMPTS: Final = 3


@dataclass(slots=True)
class _Machine:
    """A machine of the cluster.

    Attributes:
        id: Ray's.
        name: its host name, with its address where that is not enough.
        processors: how many workers it can have.
        objection: why it is not used, with the remedy; '' for nothing.
        places: the numbers of the workers that it has, or that begin there.
        failures: how many workers in a row have ended before they had said anything.
    """

    id: str
    name: str
    processors: int
    objection: str = ""
    places: set[int] = field(default_factory=set)
    failures: int = 0


class RayWorkers(WorkerSource):
    """The workers of a cluster, as long as they come and go.

    Args:
        name: the cluster, as the file or an option names it.
        most: workers at most.
        serve: what a worker does.
        variables: the environment variables that every machine needs.
        litellm: whether a model may be called through LiteLLM.
        note: is told what people should know of the cluster's machines.
    """

    def __init__(
        self,
        name: ExecutorName,
        *,
        most: int,
        serve: Serve,
        variables: Iterable[str] = (),
        litellm: bool = True,
        note: Callable[[str], None],
    ) -> None:
        self.name, self._address, self._most = name.text, name.address, most
        self._serve, self._note = serve, note
        self._packages = [*needed_packages(litellm=litellm), "ray"]
        self._variables = list(variables)
        self._machines: dict[str, _Machine] = {}
        self._ends: set[_RunEnd] = set()
        self._keepers: set[asyncio.Task[None]] = set()
        self._joined: asyncio.Queue[Worker] = asyncio.Queue()
        self._watching: asyncio.Task[None] | None = None
        self._ray: ModuleType | None = None
        self._asks_for_token = True

    async def join(self) -> Worker:
        """Wait for a worker: at the start, in place of one that died, or on a new machine.

        Raises:
            ConfigError: Ray, the cluster or all of its machines cannot be used.
        """
        self._watching = self._watching or asyncio.create_task(self._watch())
        joining = asyncio.create_task(self._joined.get())
        try:
            await asyncio.wait([joining, self._watching], return_when=asyncio.FIRST_COMPLETED)
            if not joining.done():
                self._watching.result()
            return await joining
        finally:
            joining.cancel()

    async def aclose(self) -> None:
        """End all workers, and a Ray that was started for them."""
        if self._watching is not None:
            self._watching.cancel()
        await asyncio.gather(*(end.close() for end in set(self._ends)))
        keepers = set(self._keepers)
        for keeper in keepers:
            keeper.cancel()
        await asyncio.gather(*keepers, return_exceptions=True)
        if self._ray is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOKING):
                    await in_thread(self._ray.shutdown)

    async def _watch(self) -> None:
        self._ray = await connect(self._address)
        while True:
            await self._look(self._ray)
            await asyncio.sleep(_PAUSE)

    async def _look(self, ray: ModuleType) -> None:
        """Check machines that are new, and let workers begin on free processors.

        Raises:
            ConfigError: the cluster is gone, or no machine can be used.
        """
        try:
            async with asyncio.timeout(SILENCE):
                nodes = [node for node in await in_thread(ray.nodes) if node["Alive"]]
        except Exception as error:
            raise ConfigError(
                f"{self.name}: the cluster is gone: {format_cause(error)}."
            ) from error
        present = [machine for node in nodes if (machine := self._machine(node)).processors]
        await self._check(ray, [machine for machine in present if machine.id not in self._machines])
        if not present and not self._machines:
            raise ConfigError(f"{self.name}: no machine of the cluster offers a processor.")
        if present and all(machine.objection for machine in present):
            reasons = "\n".join(f"  {machine.objection}" for machine in present)
            raise ConfigError(f"{self.name}: no machine of the cluster can be used.\n{reasons}")
        for machine, number in self._free_places(present):
            machine.places.add(number)
            keeper = asyncio.create_task(self._keep(ray, machine, number))
            self._keepers.add(keeper)
            keeper.add_done_callback(self._keepers.discard)

    def _machine(self, node: dict[str, Any]) -> _Machine:
        if known := self._machines.get(node["NodeID"]):
            return known
        name, names = node["NodeManagerHostname"], {each.name for each in self._machines.values()}
        if name in names:
            name = f"{name} ({node['NodeManagerAddress']})"
        if name in names:
            name = f"{name} {node['NodeID'][:4]}"
        return _Machine(node["NodeID"], name, int(node["Resources"].get("CPU", 0)))

    def _free_places(self, machines: list[_Machine]) -> Iterator[tuple[_Machine, int]]:
        """Yield where workers can begin: first one on each machine, then a second one."""
        usable = [machine for machine in machines if not machine.objection]
        rest = self._most - sum(len(machine.places) for machine in self._machines.values())
        places = [
            (machine, number)
            for machine in usable
            for number in range(1, machine.processors + 1)
            if number not in machine.places
        ]
        yield from sorted(places, key=lambda place: place[1])[: max(0, rest)]

    async def _check(self, ray: ModuleType, machines: list[_Machine]) -> None:
        """Ask new machines what they have, and note which of them are not used."""
        self._machines |= {machine.id: machine for machine in machines}
        objections = await asyncio.gather(*(self._object(ray, machine) for machine in machines))
        for machine, objection in zip(machines, objections, strict=True):
            machine.objection = f"{machine.name}: {objection}" if objection else ""
        if any(objections) and any(not machine.objection for machine in self._machines.values()):
            lines = [f"  {machine.objection}" for machine in machines if machine.objection]
            self._note("\n".join([f"{self.name}: these machines are not used.", *lines]))

    async def _object(self, ray: ModuleType, machine: _Machine) -> str:
        """Return what keeps a machine from being used, with the remedy; '' for nothing."""
        packages, variables = self._packages, self._variables

        # Defined here, it is sent as it is; a function of a module must be installed there.
        def report() -> tuple[dict[str, Any], str]:
            return asdict(read_equipment(packages, variables)), os.environ.get("RAY_AUTH_MODE", "")

        ask = ray.remote(num_cpus=0, max_retries=0)(report).options(**_on(ray, machine))
        try:
            async with asyncio.timeout(_LOOKING):
                fields, authentication = await ask.remote()
        except ray.exceptions.TaskUnschedulableError:
            machine.processors = 0  # it is gone already
            return ""
        except Exception as error:  # noqa: BLE001 - whatever happens there
            return f"it does not say what it has: {format_cause(error)}."
        if authentication != "token" and self._asks_for_token:
            self._asks_for_token = False
            self._note(
                f"{self.name}: the cluster asks for no token: whoever reaches its ports can run "
                "programs there, and read its keys. Start it with RAY_AUTH_MODE=token "
                "(docs/cluster.md)."
            )
        here = read_equipment(packages, ())
        return "; ".join(find_objections(here, Equipment(**fields)))

    async def _keep(self, ray: ModuleType, machine: _Machine, number: int) -> None:
        """Have a worker on a processor of a machine as soon as that is free, until it ends."""
        options = dict(num_cpus=1, max_restarts=0, max_task_retries=0, **_on(ray, machine))
        actor = ray.remote(RayActor).options(**options).remote()
        end = _RunEnd(actor)
        try:
            await actor.begin.remote(self._serve)
            self._ends.add(end)
            self._joined.put_nowait(Worker(name=f"{machine.name} {number}", channel=end))
            await end.carry()
        except Exception as error:  # noqa: BLE001 - whatever happens there
            end.end(format_cause(error))
        finally:
            with suppress(Exception):  # what is gone already cannot be ended
                await in_thread(lambda: ray.kill(actor))
            self._ends.discard(end)
            machine.places.discard(number)
        machine.failures = 0 if end.has_heard or end.is_closed else machine.failures + 1
        if machine.failures == _ATTEMPTS:
            machine.objection = f"{machine.name}: workers end as soon as they begin: {end.reason}."
            self._note(f"{self.name}: this machine is not used any more.\n  {machine.objection}")


class _RunEnd(BatchedChannel):
    """The run's end of the line to a worker.

    Attributes:
        has_heard: whether the worker has sent anything.
        is_closed: whether this end has closed the line.
    """

    def __init__(self, actor: Any) -> None:  # noqa: ANN401 - Ray's handle of it
        super().__init__()
        self._actor = actor
        self._carried = asyncio.Event()
        self.has_heard = self.is_closed = False

    async def carry(self) -> None:
        """Carry messages until the line ends."""
        tasks = [asyncio.create_task(self._give()), asyncio.create_task(self._take())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for error in (task.exception() for task in done):
                if error is not None:
                    self.end(format_cause(error))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.end("the run ends")
            self._carried.set()

    async def close(self) -> None:
        """Let the worker end what it does, for some seconds, and end it."""
        self.is_closed = True
        with suppress(Exception):  # whatever keeps it from answering: it is ended
            async with asyncio.timeout(_ENDING):
                await self._actor.close.remote()
        self.end("the run has closed the line")
        await self._carried.wait()

    async def _give(self) -> None:
        while self.reason is None:
            if batch := await self.leave():
                await self._ask(self._actor.give.remote(batch))

    async def _take(self) -> None:
        while self.reason is None:
            batch, reason = await self._ask(self._actor.take.remote())
            self.has_heard = self.has_heard or bool(batch)
            self.arrive(batch)
            if reason is not None:
                self.end(reason)

    async def _ask(self, answer: Awaitable[Any]) -> Any:  # noqa: ANN401 - of the actor's methods
        async with asyncio.timeout(SILENCE + _MARGIN):
            return await answer


def _on(ray: ModuleType, machine: _Machine) -> dict[str, Any]:
    strategy = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(machine.id, soft=False)
    return {"scheduling_strategy": strategy}
