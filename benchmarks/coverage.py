"""Coverage of intervals: how often they contain the true value, by simulation with fixed seeds.

    python benchmarks/coverage.py [--json] [--short] [--table NAME]

Fields of 10 participants, connected random draws, matchups of two legs, three ballots a debate
that agree more than chance (intraclass correlation 0.21), a side worth 80 Elo points. Two
estimands, both named in the table: for the paper's weighted model its own pseudo-true values (the
ratings it would find if every pair met endlessly; the weights stretch them), for the model with
side and ties the abilities that generated the ballots.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click
import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.agreement_coverage import agreement_table  # noqa: E402
from benchmarks.anchored_coverage import anchored_table, newcomer_table  # noqa: E402
from benchmarks.fields import Field, Setting, field  # noqa: E402 - the project, run as a script
from benchmarks.interval_methods import METHODS, Ends, Method, Variants, at_every_look, shipped  # noqa: E402
from benchmarks.mean_coverage import Row, means_table  # noqa: E402
from benchmarks.motion_coverage import motions_table  # noqa: E402
from benchmarks.reporting import report  # noqa: E402
from benchmarks.settled_orders import settled_table  # noqa: E402
from ratings import Model, confidence, cross_validate  # noqa: E402

PAPER = Model()
WITH_SIDE = Model(side=True, ties="davidson")


def intervals(
    setting: Setting, base: Model, fields: int, methods: Mapping[str, Variants] = METHODS
) -> Iterator[Row]:
    """Yield the coverage of each method and penalty, and its mean width in Elo points."""
    simulated = [field(setting, seed) for seed in range(fields)]
    case = f"{_model_name(base)}, {setting.matchups} matchups{_spread_note(setting)}"
    for name, variants in methods.items():
        for penalty in variants.penalties:
            model = replace(base, penalty=penalty)
            row = _interval_row(simulated, model, variants.method)
            yield {"case": case, "method": name, "penalty": str(penalty), **row}
        if variants.with_firth is not None and base.ties == "half":
            row = _interval_row(simulated, base, variants.with_firth)
            yield {"case": case, "method": name, "penalty": "firth", **row}


def _interval_row(simulated: Sequence[Field], model: Model, method: Method) -> Row:
    ends: list[Ends] = [method(board, model) for board in simulated]
    inside = [
        (lower <= board.truth) & (board.truth <= upper)
        for board, (lower, upper) in zip(simulated, ends, strict=True)
    ]
    return {
        "coverage": float(np.mean(inside)),
        "error": float(np.mean(inside, axis=1).std() / len(simulated) ** 0.5),
        "width": float(np.mean([upper - lower for lower, upper in ends])),
    }


def ranks(setting: Setting, fields: int) -> Row:
    """Measure how often all rank intervals are right at once, or no false order is claimed.

    The second where all abilities are equal.
    """
    right = []
    for seed in range(fields):
        board = field(setting, seed)
        sure, truth = confidence(board.comparisons), board.truth
        best = 1 + (truth[None, :] > truth[:, None] + 1e-9).sum(axis=1)
        worst = len(best) - (truth[None, :] < truth[:, None] - 1e-9).sum(axis=1)
        right.append(bool(((sure.rank_low <= best) & (worst <= sure.rank_high)).all()))
        if setting.spread == 0:
            right[-1] = not sure.above.any()
    equal = "all equal" if setting.spread == 0 else "abilities spread"
    return {
        "case": f"ranks, {equal}, {setting.matchups} matchups",
        "method": "no false order" if setting.spread == 0 else "every rank in its interval",
        "penalty": "adaptive",
        "coverage": float(np.mean(right)),
        "error": float(np.std(right) / fields**0.5),
        "width": None,
    }


def losers(setting: Setting, fields: int) -> Row:
    """Measure the intervals of participants that lost every debate."""
    inside, widths = [], []
    for seed in range(fields):
        board = field(setting, seed)
        comparisons, sure = board.comparisons, confidence(board.comparisons)
        won = np.bincount(comparisons.first, comparisons.outcome, len(comparisons.names))
        won += np.bincount(comparisons.second, 1 - comparisons.outcome, len(comparisons.names))
        lost = won == 0
        covered = (sure.lower <= board.truth) & (board.truth <= sure.upper)
        inside += covered[lost].tolist()
        widths += (sure.upper - sure.lower)[lost].tolist()
    return {
        "case": f"who lost every debate ({len(inside)}), {setting.matchups} matchups",
        "method": "corrected sandwich and prior",
        "penalty": "adaptive",
        "coverage": float(np.mean(inside)) if inside else None,
        "error": float(np.std(inside) / len(inside) ** 0.5) if inside else None,
        "width": float(np.mean(widths)) if widths else None,
    }


def sides(setting: Setting, fields: int) -> Row:
    """Measure how often the interval of the side's advantage contains the true one."""
    effects = [
        confidence(field(setting, seed).comparisons, WITH_SIDE).effects[0] for seed in range(fields)
    ]
    inside = [effect.lower <= setting.side <= effect.upper for effect in effects]
    return {
        "case": f"a side worth {setting.side:.0f}, {setting.matchups} matchups",
        "method": "corrected sandwich and prior",
        "penalty": "adaptive",
        "coverage": float(np.mean(inside)),
        "error": float(np.std(inside) / fields**0.5),
        "width": float(np.mean([effect.upper - effect.lower for effect in effects])),
    }


def side_terms(setting: Setting, fields: int) -> Row:
    """Measure a term for the side: its coverage, how often it is claimed, and what it saves.

    Claimed: its interval leaves out 0. Saved: log-loss of comparisons held out.
    """
    no_side = replace(WITH_SIDE, side=False)
    covered, claimed, with_term, without = [], [], [], []
    for seed in range(fields):
        comparisons = field(setting, seed).comparisons
        effect = confidence(comparisons, WITH_SIDE).effects[0]
        covered.append(effect.lower <= setting.side <= effect.upper)
        claimed.append(not effect.lower <= 0 <= effect.upper)
        with_term.append(cross_validate(comparisons, WITH_SIDE, seed=seed).log_loss)
        without.append(cross_validate(comparisons, no_side, seed=seed).log_loss)
    saved = np.subtract(without, with_term)
    return {
        "case": f"a side worth {setting.side:.0f}, {setting.matchups} matchups",
        "fields": fields,
        "covered": float(np.mean(covered)),
        "claimed": float(np.mean(claimed)),
        "claimed_error": float(np.std(claimed) / fields**0.5),
        "log_loss": float(np.mean(with_term)),
        "log_loss_without": float(np.mean(without)),
        "saved": float(saved.mean()),
        "saved_error": float(saved.std() / fields**0.5),
    }


def side_table(fields: int) -> Iterator[Row]:
    """Yield the measurements of the term for the side."""
    for side in (80.0, 0.0):
        for matchups in (50, 150):
            setting = Setting(matchups=matchups, side=side, tie=0.3, paper=False)
            yield side_terms(setting, fields)


def measure(fields: int) -> Iterator[Row]:
    """Yield every row of the tables of intervals, ranks and sides, of so many fields each."""
    ballots = {"tie": 0.3, "paper": False}
    for matchups in (15, 50, 150):
        yield from intervals(Setting(matchups=matchups), PAPER, fields)
    for matchups in (15, 50, 150):
        yield from intervals(Setting(matchups=matchups, **ballots), WITH_SIDE, fields)  # type: ignore[arg-type]
    wide_priors = Variants(method=shipped, penalties=(300.0, 500.0, "adaptive"))
    wide = {
        "corrected sandwich and prior": wide_priors,
        "at every look": Variants(method=at_every_look),
    }
    for freedom in (0, 3):
        for matchups in (15, 50, 150):
            setting = Setting(matchups=matchups, spread=1.6, freedom=freedom)
            yield from intervals(setting, PAPER, fields, wide)
    for spread in (0.8, 0.0):
        for matchups in (15, 50, 150):
            yield ranks(Setting(matchups=matchups, spread=spread), fields)
    for matchups in (15, 50):
        yield losers(Setting(matchups=matchups), fields)
    for side in (80.0, 0.0):
        yield sides(Setting(matchups=50, side=side, **ballots), fields)  # type: ignore[arg-type]


def _model_name(model: Model) -> str:
    return "side and ties" if model.side else "paper's model"


def _spread_note(setting: Setting) -> str:
    tails = f", Student's with {setting.freedom}" if setting.freedom else ""
    return "" if setting.spread == 0.8 else f", spread {setting.spread}{tails}"


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object per case and line.")
@click.option("--short", is_flag=True, help="A short form, for a look: 20 fields.")
@click.option("--fields", default=500, show_default=True, help="Simulated fields per case.")
@click.option(
    "--side-fields",
    default=1000,
    show_default=True,
    help="The same in the table of the term for the side, whose claims are few.",
)
@click.option(
    "--table",
    type=click.Choice(
        [
            "intervals",
            "anchored",
            "newcomer",
            "settled",
            "motions",
            "side",
            "means",
            "agreement",
        ]
    ),
    help="One alone.",
)
def main(as_json: bool, short: bool, fields: int, side_fields: int, table: str | None) -> None:
    """Measure coverage."""
    if table in (None, "intervals"):
        report(measure(20 if short else fields), as_json=as_json)
    if table in (None, "anchored"):
        report(anchored_table(20 if short else fields), as_json=as_json)
    if table in (None, "newcomer"):
        report(newcomer_table(20 if short else fields), as_json=as_json)
    if table in (None, "settled"):
        report(settled_table(20 if short else fields), as_json=as_json)
    if table in (None, "motions"):
        report(motions_table(20 if short else fields), as_json=as_json)
    if table in (None, "side"):
        report(side_table(20 if short else side_fields), as_json=as_json)
    if table in (None, "means"):
        report(means_table(20 if short else 4 * fields), as_json=as_json)
    if table in (None, "agreement"):
        report(agreement_table(20 if short else 4 * fields), as_json=as_json)


if __name__ == "__main__":
    main()
