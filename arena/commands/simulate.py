"""`arena simulate`: what schedules would cost, and how well they find a known order."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, get_args

import click
import numpy as np
from click.core import ParameterSource

from arena.console.options import database, examples
from arena.console.stored_tournament import open_stored
from arena.llm.budget import Budget
from arena.output.formats import as_json, console
from arena.output.line_charts import write_recovery_page
from arena.output.tables import NARROW, Column, as_text, tabulate
from arena.scheduling.objective import Kind, Objective
from arena.scheduling.recovery import RecoveryCurve, measure_recovery
from arena.scheduling.simulation import SCHEDULES, FieldPlan, Judging
from arena.text import counted
from arena.tournament.models import Models
from arena.tournament.target_cost import SimilarField, measure_field
from ratings.model.fitting import ELO_PER_GAMMA

_STEPS: Final = 60

Row = dict[str, Any]


def _usd_text(value: float) -> str:
    return "not reached" if math.isnan(value) else f"{value:,.2f}"


_COLUMNS: Final[list[Column[Row]]] = [
    Column(head="schedule", read=lambda row: row["schedule"], label=True),
    Column(head="τ", read=lambda row: row["tau"], style=".2f"),
    Column(head="±", read=lambda row: row["tau_error"], style=".2f"),
    Column(head="USD to target", read=lambda row: row["usd_to_target"], style=_usd_text),
    Column(head="matchups", read=lambda row: row["matchups"], style=".0f"),
    Column(head="settled", read=lambda row: row["settled"], style=".0%"),
    Column(head="false", read=lambda row: row["false"], style=".1%"),
]


@click.command(
    epilog=examples(
        "arena simulate",
        "arena simulate --participants 12 --prices 20 --usd 300 --html schedules.html",
        "arena simulate --schedule adaptive --objective top-k --k 3 --fields 50 --json",
        "arena simulate --elo 1200 --elo 1100 --elo 1000 --runs 1 --icc 0.4",
        "arena simulate --like weekend --db weekend.duckdb --usd 50",
    )
)
@click.option(
    "--schedule",
    "schedules",
    type=click.Choice([*SCHEDULES]),
    multiple=True,
    help="A schedule to simulate; may be repeated. Default: all but gauntlet and knockout.",
)
@click.option(
    "--objective",
    type=click.Choice(get_args(Kind)),
    default="ranking",
    show_default=True,
    help="What the adaptive schedule is after. The newcomer is the last participant.",
)
@click.option("--k", type=click.IntRange(min=1), default=3, show_default=True, help="Of top-k.")
@click.option("--participants", type=int, default=10, show_default=True, help="Of each field.")
@click.option("--elo", type=float, multiple=True, help="The strength of one; repeat it for all.")
@click.option(
    "--spread",
    type=click.FloatRange(min=0),
    default=174.0,
    show_default=True,
    help="Standard deviation of the strengths, Elo points, where --elo does not give them.",
)
@click.option(
    "--cycles",
    type=click.FloatRange(min=0),
    default=0.0,
    show_default=True,
    help="How much who meets whom matters, Elo points: with it, A may beat B, B C, and C A.",
)
@click.option(
    "--prices",
    type=float,
    default=1.0,
    show_default=True,
    help="The dearest participant's price over the cheapest one's; the middle one's is 1 USD for "
    "a side of a debate.",
)
@click.option(
    "--usd",
    type=click.FloatRange(min=0, min_open=True),
    default=300.0,
    show_default=True,
    help="Spent in each field.",
)
@click.option(
    "--runs", type=click.IntRange(1, 99), default=3, show_default=True, help="Ballots of a debate."
)
@click.option(
    "--count",
    type=click.Choice(["debates", "ballots"]),
    default="debates",
    show_default=True,
    help="What ratings count: debates that the sum of their ballots decides, or each ballot.",
)
@click.option(
    "--ballot-usd",
    type=click.FloatRange(min=0),
    default=0.1,
    show_default=True,
    help="Price of a ballot.",
)
@click.option(
    "--icc",
    type=click.FloatRange(0, 1),
    default=0.21,
    show_default=True,
    help="Correlation of the ballots of a debate.",
)
@click.option(
    "--noise",
    type=click.FloatRange(min=0),
    default=0.0,
    show_default=True,
    help="Of the judge: differences look 1 + this many times smaller.",
)
@click.option(
    "--side",
    type=float,
    default=80.0,
    show_default=True,
    help="Advantage of Pro, the judge's bias included, Elo points.",
)
@click.option(
    "--ties",
    type=click.FloatRange(min=0),
    default=0.3,
    show_default=True,
    help="Odds of a tie against a win between equals (Davidson's ν).",
)
@click.option(
    "--like",
    metavar="TOURNAMENT",
    help="A stored tournament: participants, spread, prices, runs, ICC, side and ties as measured "
    "in it, where no option says otherwise.",
)
@database
@click.option(
    "--target",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.8,
    show_default=True,
    help="Kendall's τ between ratings and truth that is to be reached.",
)
@click.option(
    "--fields", type=click.IntRange(min=2), default=20, show_default=True, help="Fields drawn."
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="Another seed draws other fields.",
)
@click.option(
    "--html", type=click.Path(dir_okay=False, path_type=Path), help="Write a chart to this file."
)
@click.option("--json", "json_form", is_flag=True, help="Print everything as JSON, for programs.")
@click.pass_context
def simulate(context: click.Context, /, **options: Any) -> None:  # noqa: ANN401
    """Simulate schedules on fields whose true order is known.

    No model is called, and no database is changed. For each schedule: how well its ratings recover
    the true order (Kendall's τ with its 95 % error over fields), what the target costs, how many
    matchups the money buys (two debates each), the share of pairs whose order the board calls
    settled, and in how many fields any of these is false.
    """
    similar = _read_similar(options)
    plan = _read_plan(options)
    if similar:
        plan = merge_plans(similar.plan, plan, stated_by=_stated(context))
    names = options["schedules"] or ("random", "round_robin", "swiss", "adaptive")
    usd = np.linspace(0, options["usd"], _STEPS + 1)[1:]
    courses = {name: _follow(name, plan, options, usd) for name in dict.fromkeys(names)}
    rows = [_summarise(name, course, options["target"]) for name, course in courses.items()]
    caption = _describe(plan, options, similar)
    if options["html"]:
        write_recovery_page(options["html"], courses, caption, options["target"])
    if options["json_form"]:
        click.echo(as_json({"simulated": True, "field": caption, "schedules": rows}))
        return
    chart = [f"Chart: {options['html']}"] if options["html"] else []
    notes = [*format_similar(similar, plan), *_warnings(rows, options), *chart]
    table = tabulate(_COLUMNS, rows, title=f"Simulated: {caption}", notes=notes)
    click.echo(as_text(table, width=console(width=NARROW).width), nl=False)


def _read_plan(options: Row) -> FieldPlan:
    judging = Judging(
        runs=options["runs"],
        icc=options["icc"],
        side=options["side"],
        tie=options["ties"],
        noise=options["noise"],
        usd=options["ballot_usd"],
        by_ballot=options["count"] == "ballots",
    )
    elo = options["elo"]
    return FieldPlan(
        participants=len(elo) or options["participants"],
        spread=options["spread"] / ELO_PER_GAMMA,
        strengths=tuple(value / ELO_PER_GAMMA for value in elo),
        prices=options["prices"],
        cycles=options["cycles"] / ELO_PER_GAMMA,
        judging=judging,
    )


def _follow(name: str, plan: FieldPlan, options: Row, usd: np.ndarray[Any, Any]) -> RecoveryCurve:
    def make(names: Any, seed: int) -> Any:  # noqa: ANN401 - ids, and a schedule
        new = frozenset([names[-1]]) if options["objective"] == "newcomer" else frozenset[str]()
        objective = Objective(kind=options["objective"], k=options["k"], newcomers=new)
        return SCHEDULES[name](names, seed, objective)

    first = 1000 * options["seed"]
    return measure_recovery(plan, make, seeds=range(first, first + options["fields"]), usd=usd)


def _summarise(name: str, course: RecoveryCurve, target: float) -> Row:
    final = course.tau[:, -1]
    return {
        "schedule": name,
        "tau": float(final.mean()),
        "tau_error": float(1.96 * final.std(ddof=1) / np.sqrt(len(final))),
        "usd_to_target": course.dollars(target),
        "matchups": float(course.matchups[-1]),
        "settled": float(course.settled.mean()),
        "false": float((course.false > 0).mean()),
        "usd": course.usd.tolist(),
        "mean_tau": course.tau.mean(axis=0).tolist(),
    }


def _read_similar(options: Row) -> SimilarField | None:
    """Measure the tournament that the fields are to be like, if one is named."""
    if options["like"] is None:
        return None
    store, resolved = open_stored(options["db"], options["like"])
    models = Models(resolved.config, resolved.motions, budget=Budget())
    if not resolved.imported:
        models.check(keys=False, where=resolved.where)
    return measure_field(store, resolved, price=models.price)


def _stated(context: click.Context) -> set[str]:
    """Return the parameters that the command line names."""
    source = context.get_parameter_source
    return {name for name in context.params if source(name) is ParameterSource.COMMANDLINE}


def _describe(plan: FieldPlan, options: Row, similar: SimilarField | None) -> str:
    usd = plan.usd or (1.0, plan.prices)
    like = f" like {options['like']}" if similar else ""
    return (
        f"{counted(options['fields'], 'field')} of {plan.participants} participants{like}, prices "
        f"1 : {max(usd) / min(usd):.3g}, {counted(plan.judging.runs, 'ballot')} a debate, "
        f"{options['usd']:,.0f} USD"
    )


def _warnings(rows: list[Row], options: Row) -> list[str]:
    missed = [row for row in rows if math.isnan(row["usd_to_target"])]
    return [
        f"{row['schedule']}: τ {options['target']:g} is out of reach with {options['usd']:,.0f} "
        f"USD; they bring τ {row['tau']:.2f}. Give more with --usd, or ask for less with --target."
        for row in missed
    ]


def merge_plans(measured: FieldPlan, stated: FieldPlan, *, stated_by: Collection[str]) -> FieldPlan:
    """Return what was measured, but for what the command line names.

    Args:
        stated: by the command line, defaults included.
        stated_by: the names of the options that were given.
    """
    judging = replace(
        measured.judging,
        **{
            field: getattr(stated.judging, field)
            for option, field in _JUDGING.items()
            if option in stated_by
        },
    )
    own = {
        field: getattr(stated, field)
        for option, fields in _FIELD.items()
        if option in stated_by
        for field in fields
    }
    if own.get("participants", measured.participants) != measured.participants:
        own = {"usd": (), "prices": _ratio(measured), **own}
    return replace(measured, cycles=stated.cycles, judging=judging, **own)


def format_similar(similar: SimilarField | None, plan: FieldPlan) -> Iterator[str]:
    """Yield a note on what the simulated fields have from a tournament; none without one."""
    if similar is None:
        return
    judging = plan.judging
    assumed = f" Not measured but assumed: {', '.join(similar.assumed)}." * bool(similar.assumed)
    yield (
        f"Like {counted(similar.debates, 'judged debate')}: strengths spread by "
        f"{plan.spread * ELO_PER_GAMMA:.0f} Elo, side {judging.side:+.0f} Elo, ties "
        f"{judging.tie:.2f}, two runs on a debate correlate by {judging.icc:.2f} (ICC), a ballot "
        f"{judging.usd:.3g} USD.{assumed}"
    )


def _ratio(plan: FieldPlan) -> float:
    return max(plan.usd) / min(plan.usd) if plan.usd else plan.prices


#: The fields of `Judging` and of `FieldPlan` that options of `arena simulate` state.
_JUDGING = {
    "runs": "runs",
    "icc": "icc",
    "side": "side",
    "ties": "tie",
    "noise": "noise",
    "ballot_usd": "usd",
}
_FIELD = {
    "participants": ("participants",),
    "elo": ("participants", "strengths"),
    "spread": ("spread",),
    "prices": ("prices", "usd"),
}
