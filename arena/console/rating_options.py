"""The options of the rating method, which commands of rated boards share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any, Final, TypeVar, cast, get_args

import click

from arena.boards.covariates import COVARIATES, MOTION_SPREAD
from arena.boards.method import IntervalKind, Method
from ratings import PAPER, Model
from ratings.model.terms import K_FACTOR, Ties

_Command = TypeVar("_Command", bound=Callable[..., Any])


#: Options of the model, and of the method that fits it, the last of the help first.
_MODEL_OPTIONS: Final = (
    click.option(
        "--covariate",
        type=click.Choice(list(COVARIATES)),
        multiple=True,
        help="Include an effect of longer speeches, of more references, or of a judge from the "
        "same model family in the rating model; may be repeated.",
    ),
    click.option(
        "--ties",
        type=click.Choice(["half", "davidson"]),
        default="half",
        show_default=True,
        help="Count a tie as half a win for each, or as a third outcome (Davidson's model).",
    ),
    click.option(
        "--side-by-motion",
        is_flag=True,
        help="Let the effect of arguing for Pro differ between motions, shrunk towards the "
        "overall effect.",
    ),
    click.option(
        "--side", is_flag=True, help="Include an effect of arguing for Pro in the rating model."
    ),
)
_METHOD_OPTIONS: Final = (
    click.option(
        "--anytime",
        is_flag=True,
        help="Make all statements hold at every look, whatever decided who met whom; by "
        "default the stored waves decide which do.",
    ),
    click.option(
        "--intervals",
        type=click.Choice(get_args(IntervalKind)),
        help="The 95 % intervals: cluster-robust ones (sandwich, the default), or percentiles "
        "of the bootstrap by matchup.",
    ),
    click.option(
        "--anchor",
        metavar="NAME",
        help="Rate this participant 1000, without error: the others have the interval of their "
        "difference to it. By default the mean rating is 1000.",
    ),
    click.option(
        "--no-prior",
        is_flag=True,
        help="Fit by maximum likelihood alone; refused where somebody is unbeaten or never won.",
    ),
    click.option(
        "--k",
        type=click.FloatRange(min=0, max=400, min_open=True),
        help=f"Of --method sequential: the most Elo points that a debate moves a rating; "
        f"{K_FACTOR:g} by default.",
    ),
    click.option(
        "--method",
        "rated_by",
        type=click.Choice(["weighted", "unweighted", "sequential"]),
        default="weighted",
        show_default=True,
        help="Fit debates weighted by the difference of scores (the paper's model), fit all "
        "with weight 1, or add up Elo's changes in the order in which the debates ended.",
    ),
)


def rating_model(command: _Command) -> _Command:
    """Add `--side`, `--side-by-motion`, `--ties`, `--covariate`, as the parameter `model`."""

    @wraps(command)
    def with_model(
        *args: Any,  # noqa: ANN401
        side: bool,
        side_by_motion: bool,
        ties: Ties,
        covariate: tuple[str, ...],
        **others: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        model = Model(
            side=side or side_by_motion,
            ties=ties,
            motion_spread=MOTION_SPREAD if side_by_motion else None,
            covariates=tuple(dict.fromkeys(covariate)),
        )
        return command(*args, model=model, **others)

    decorated: Callable[..., Any] = with_model
    for option in _MODEL_OPTIONS:
        decorated = option(decorated)
    return cast(_Command, decorated)


def rating_method(command: _Command) -> _Command:
    """Add `--method`, `--k`, `--no-prior`, `--anchor`, `--intervals` and the model's options.

    They become the parameter `method`.
    """

    @wraps(command)
    def with_method(
        *args: Any,  # noqa: ANN401
        model: Model,
        rated_by: str,
        k: float | None,
        no_prior: bool,
        anchor: str | None,
        intervals: IntervalKind | None,
        **others: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        if rated_by == "sequential":
            _check_sequential(
                model, no_prior=no_prior, intervals=intervals, anytime=others["anytime"]
            )
            k = k or K_FACTOR
        elif k is not None:
            raise click.UsageError("--k belongs to --method sequential")
        method = Method(
            model=replace(model, penalty=None) if no_prior else model,
            weighted=rated_by == "weighted",
            anchor=anchor,
            intervals=intervals or ("sandwich" if k is None else "bootstrap"),
            k=k,
            anytime=others.pop("anytime"),
        )
        return command(*args, method=method, **others)

    decorated: Callable[..., Any] = rating_model(with_method)
    for option in _METHOD_OPTIONS:
        decorated = option(decorated)
    return cast(_Command, decorated)


def _check_sequential(
    model: Model, *, no_prior: bool, intervals: IntervalKind | None, anytime: bool
) -> None:
    """Check that no option of a fit is used with sequential ratings."""
    for option, used in (
        ("--anytime", anytime),
        ("--no-prior", no_prior),
        ("--intervals sandwich", intervals == "sandwich"),
        ("a term (--side, --side-by-motion, --ties, --covariate)", model != PAPER),
    ):
        if used:
            raise click.UsageError(
                f"{option} belongs to a fit and not to --method sequential, whose ratings are "
                "added up; its intervals are percentiles of the bootstrap"
            )
