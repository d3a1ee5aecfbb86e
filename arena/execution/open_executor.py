"""The executor of a run, as its file or an option names it."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Final, Protocol

from arena.errors import ConfigError
from arena.execution.executor import Executor, LocalExecutor
from arena.execution.messages import Learned, Setup
from arena.execution.processes import ProcessWorkers
from arena.execution.remote_executor import RemoteExecutor
from arena.llm.calls import PayingAccess
from arena.registered import given

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from arena.config.resolved import ResolvedConfig
    from arena.config.sections import ExecutorName
    from arena.execution.channel import WorkerSource
    from arena.llm.journal import Journal
    from arena.llm.request import LearnedMode
    from arena.llm.request_shape import LearnedShape


class RunModels(PayingAccess, Protocol):
    """The models of a run, which remember how they are asked."""

    def learned_modes(self) -> Sequence[LearnedMode]:
        """Return how structured answers are asked for."""
        ...

    def learned_shapes(self) -> Sequence[LearnedShape]:
        """Return what was learned of the models' requests."""
        ...

    def learn(self, modes: Sequence[LearnedMode], shapes: Sequence[LearnedShape]) -> None:
        """Take up what another process has found out."""
        ...


_KINDS: Final = {"arena.debaters": "debater", "arena.judges": "judge"}


def open_executor(  # noqa: PLR0913 - what a run has
    name: ExecutorName | None,
    resolved: ResolvedConfig,
    models: RunModels,
    journal: Journal,
    *,
    units: int,
    note: Callable[[str], None],
) -> Executor:
    """Return the executor of a run.

    Args:
        units: debates that are open: more workers would have nothing to do.
        note: tells the user something.

    Raises:
        ConfigError: a debater or a judge is known to this process alone.
    """
    if name is None or name.kind == "local":
        return LocalExecutor(models, journal)
    own = _find_given(resolved)
    _check_given(name, own)

    def setup() -> Setup:
        return Setup(
            config=resolved.config,
            motions=resolved.motions,
            given=own,
            modes=models.learned_modes(),
            shapes=models.learned_shapes(),
        )

    def learn(learned: Learned) -> None:
        models.learn(learned.modes, learned.shapes)

    workers = max(1, min(name.most, units))
    if name.workers is not None and workers < name.workers:
        note(
            f"{name.text}: only {workers} of the workers would have a debate, so the rest stay out."
        )
    return RemoteExecutor(
        _open_source(name, workers, resolved, note),
        setup=setup,
        access=models,
        journal=journal,
        learn=learn,
        note=note,
    )


def _open_source(
    name: ExecutorName, workers: int, resolved: ResolvedConfig, note: Callable[[str], None]
) -> WorkerSource:
    if name.kind == "processes":
        return ProcessWorkers(workers)
    # Few runs have a cluster.
    from arena.execution.ray_workers import RayWorkers  # noqa: PLC0415
    from arena.execution.variables import may_need_litellm, needed_variables  # noqa: PLC0415
    from arena.execution.worker import serve  # noqa: PLC0415

    return RayWorkers(
        name,
        most=workers,
        serve=serve,
        variables=needed_variables(resolved.config),
        litellm=may_need_litellm(resolved.config),
        note=note,
    )


def _find_given(resolved: ResolvedConfig) -> dict[str, dict[str, type]]:
    """Return the debaters and judges of a tournament that the program has registered itself."""
    used = {
        "arena.debaters": {participant.debater for participant in resolved.participants},
        "arena.judges": {bench.judge for bench in resolved.benches},
    }
    return {
        group: {name: each for name, each in given()[group].items() if name in names}
        for group, names in used.items()
    }


def _check_given(name: ExecutorName, own: Mapping[str, Mapping[str, type]]) -> None:
    """Check that workers can load what the program has registered itself."""
    for group, classes in own.items():
        for key, each in classes.items():
            try:
                is_elsewhere = each.__module__ != "__main__"
                pickle.dumps(each)
            except (pickle.PicklingError, AttributeError, TypeError):
                is_elsewhere = False
            if not is_elsewhere:
                raise ConfigError(
                    f"executor {name.text}: the {_KINDS[group]} {key!r} is known to this process "
                    "alone, so that no worker can load it. Define it in a module that can be "
                    "imported, or use the executor local."
                )
