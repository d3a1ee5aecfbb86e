"""The options of commands that spend money."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import click

from arena.config.sections import ExecutorName, read_executor
from arena.tournament.job import RunOptions

_Command = TypeVar("_Command", bound=Callable[..., Any])


class SpendingCap(click.FloatRange):
    """A cap in USD: above 0 and finite."""

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True)

    def convert(
        self,
        value: Any,  # noqa: ANN401 - as click has it
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> float:
        """Read a cap; `nan` and `inf` are none."""
        cap = float(super().convert(value, param, ctx))
        if not math.isfinite(cap):
            self.fail(
                f"{value} is no amount of money. Give a number above 0, such as 25.", param, ctx
            )
        return cap


class ExecutorType(click.ParamType[ExecutorName]):
    """The name of an executor."""

    name = "executor"

    def convert(
        self,
        value: Any,  # noqa: ANN401 - as click has it
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> ExecutorName:
        """Read the name."""
        try:
            return value if isinstance(value, ExecutorName) else read_executor(str(value))
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)


def start_at_option(only: str = "") -> Callable[[_Command], _Command]:
    """Return the option `--start-at`; `only` begins its help."""
    return click.option(
        "--start-at",
        metavar="TIME",
        help=f'{only}Begin at this time: 22:00, "2026-11-30 22:00" or "22:00 Europe/Paris".',
    )


def stop_at_option(only: str = "") -> Callable[[_Command], _Command]:
    """Return the option `--stop-at`; `only` begins its help."""
    return click.option(
        "--stop-at",
        metavar="TIME",
        help=f"{only}End by this time: nothing begins that would not be finished by then.",
    )


_DRY_RUN = click.option(
    "--dry-run",
    is_flag=True,
    help="Print the plan and its cost, then stop; nothing is written.",
)
_EXECUTOR = click.option(
    "--executor",
    type=ExecutorType(),
    metavar="NAME",
    help="Who plays: local (this process), processes (one worker for each core), "
    "processes:N, ray (a Ray cluster), ray:N or ray://HOST:PORT; in place of the "
    "file's `[run] executor`.",
)
#: Of commands that may run for a night.
_NIGHTLY = (
    click.option(
        "--log",
        is_flag=True,
        help="Write a log beside the database (.log): one JSON object a line.",
    ),
    click.option(
        "--yes-anyway",
        is_flag=True,
        help="Play on with a participant that forfeited its first 8 debates for one "
        "reason (`[limits] pause_after_forfeits`).",
    ),
    stop_at_option(),
    start_at_option(),
)


def paid_options(
    *,
    yes: str,
    concurrency: str = "",
    default: int | None = None,
    executor: bool = False,
    usd: str = "",
    nightly: bool = False,
) -> Callable[[_Command], _Command]:
    """Add `--yes`, `--dry-run` and their companions, as the one parameter `run_options`.

    Args:
        yes: help of `--yes`.
        concurrency: help of `--concurrency`; without it there is no such option.
        default: of `--concurrency`.
        executor: whether there is `--executor`.
        usd: help of `--usd`; without it there is no such option.
        nightly: whether there are `--start-at`, `--stop-at` and `--log`.
    """
    options = [click.option("--yes", "-y", is_flag=True, help=yes), _DRY_RUN]
    if concurrency:
        options.append(
            click.option(
                "--concurrency",
                type=click.IntRange(1, 10_000),
                default=default,
                show_default=default is not None,
                help=concurrency,
            )
        )
    if executor:
        options.append(_EXECUTOR)
    if usd:
        options.append(click.option("--usd", type=SpendingCap(), help=usd))
    if nightly:
        options += _NIGHTLY

    def decorate(command: _Command) -> _Command:
        @wraps(command)
        def with_options(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
            names = [name for name in RunOptions.__dataclass_fields__ if name in kwargs]
            run_options = RunOptions(**{name: kwargs.pop(name) for name in names})
            return command(*args, run_options=run_options, **kwargs)

        decorated: Callable[..., Any] = with_options
        for option in options:
            decorated = option(decorated)
        return cast(_Command, decorated)

    return decorate
