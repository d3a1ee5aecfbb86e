"""The questions that a tournament leaves to its boards, each answered in a sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from arena.boards.comparisons import compared_debates
from arena.boards.ranks import format_leader
from arena.boards.selecting import format_why_empty, scope, select_comparisons
from arena.boards.selection import Selection
from arena.config.resolved import bench_dimensions, dimensions
from arena.languages import ENGLISH, Contest
from arena.languages.language import contest_language
from arena.read.motions import read_motions
from arena.read.outcomes import read_outcomes
from arena.read.selected import Narrowing
from arena.report.bench_comparison import compare_benches
from arena.report.consistency import Consistency, between, within
from arena.store.command_lines import command_line
from arena.text import format_chance, format_interval
from ratings import (
    CON_WINS,
    PRO_WINS,
    TIE,
    Comparisons,
    Confidence,
    EffectInterval,
    Model,
    RatingError,
    clustered_mean,
    confidence,
    connectivity,
)

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.store.database import Store

_FIRST_QUESTION: dict[Contest, str] = {
    "debate": "Who argues best",
    "essay": "Who writes the best essays",
    "question": "Who answers best",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredQuestion:
    """A question and its answer.

    Attributes:
        is_settled: whether the data leave no doubt; `None` where that is not the question.
        command: shows the board or figures behind it; '' for none.
    """

    question: str
    sentence: str
    is_settled: bool | None = None
    command: str = ""


def board_answers(
    store: Store, resolved: ResolvedConfig, selection: Selection
) -> Iterator[AnsweredQuestion]:
    """Yield who is first: on the main board, on each dimension and category, by other benches."""
    present = (
        resolved.categories
        if resolved.imported  # with too many motions to be read
        else sorted({motion.category for motion in read_motions(store, resolved.name)})
    )
    for question, selected in _questions(resolved, selection, present):
        picked = select_comparisons(store, resolved, selected)
        if len(picked.comparisons):
            rated = confidence(picked.comparisons)
            apart = connectivity(picked.comparisons).islands
            sentence = format_first(rated, apart)
            is_settled = not apart and not _find_rivals(rated)
        else:
            why = format_why_empty(
                selected, waiting=picked.open, left_out=picked.left_out, silent=picked.silent
            )
            sentence, is_settled = f"{why}, so nothing is rated.", False
        yield AnsweredQuestion(
            question=question,
            sentence=sentence,
            is_settled=is_settled,
            command=_command(selected, selection, store.path),
        )


def _questions(
    resolved: ResolvedConfig, selection: Selection, categories: Sequence[str]
) -> Iterator[tuple[str, Selection]]:
    """Yield the questions with their boards; `categories` are those of the planned debates."""
    who = _FIRST_QUESTION[resolved.config.tournament.contest]
    yield f"{who}, by {selection.judging}?", selection
    for dimension in bench_dimensions(resolved, selection.bench):
        if dimension != selection.dimension:
            yield f"Who is first on {dimension}?", replace(selection, dimension=dimension)
    if len(categories) > 1:
        for category in categories:
            yield f"Who is first on {category} motions?", replace(selection, category=category)
    for other in resolved.benches:
        if other.name != selection.bench and selection.dimension in dimensions(other):
            yield f"Who is first by bench {other.name}?", replace(selection, bench=other.name)


def _command(selected: Selection, main: Selection, db: Path) -> str:
    """Return the command that prints a board."""
    options = [
        word
        for field in ("bench", "dimension", "category")
        if getattr(selected, field) != getattr(main, field)
        for word in (f"--{field}", getattr(selected, field))
    ]
    return command_line("leaderboard", *options, db=db, tournament=selected.tournament)


def _find_rivals(rated: Confidence) -> list[int]:
    """Return the positions of those who are not settled to be below the first, from the top."""
    first, *others = rated.rated
    return [k for k in others if not rated.above[first, k]]


def format_first(rated: Confidence, apart: Sequence[Sequence[str]]) -> str:
    """Format who is first and how sure that is, as the summary of a board does.

    Args:
        apart: the groups that no debates link.
    """
    names, place, rivals = rated.ratings.names, rated.first, _find_rivals(rated)
    printed = [f"{elo:.0f}" for elo in rated.ratings.rating]
    first = rated.rated[0]
    allowing = "" if place.contenders == 1 else ", allowing for its being named first"
    elo = f"Elo {printed[first]}, 95 % {format_interval(place.lower, place.upper)}{allowing}"
    level = [names[k] for k in rated.placed if k in rivals and printed[k] == printed[first]]
    leader = format_leader(
        place.name, [names[k] for k in rivals], level=level, apart=apart, about=f" ({elo})"
    )
    return f"{leader}{'' if level or apart else _format_better(rated)}."


def _format_better(rated: Confidence) -> str:
    """Format the probability that the first is better than the second; '' without a second."""
    first, *others = rated.placed
    if not others:
        return ""
    chance = format_chance(float(rated.superiority[first, others[0]]))
    return (
        f"; taken alone, and at a single look, it is better than {rated.ratings.names[others[0]]}, "
        f"the second, with {chance} probability"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement:
    """The agreement of a tournament's judges.

    Attributes:
        rows: one for each two benches and for the runs of each bench that have judged together.
        correlations: how alike every two benches order the participants, a sentence each.
    """

    rows: tuple[Consistency, ...]
    correlations: tuple[str, ...]
    sentence: str


def judges_agreement(
    store: Store, resolved: ResolvedConfig, selection: Selection
) -> JudgeAgreement:
    """Measure how far the judges agree on the main dimension."""
    benches = [bench.name for bench in resolved.benches if selection.dimension in dimensions(bench)]
    everybody = Selection(
        tournament=selection.tournament, bench="all", dimension=selection.dimension
    )
    verdicts = compared_debates(store, everybody, scope(resolved))
    ballots = read_outcomes(store, everybody, Narrowing(statuses=("finished",)))
    compared = [*between(verdicts, benches), *within(ballots, benches)]
    rows = tuple(row for row in compared if row.debates)
    correlations = tuple(compare_benches(store, resolved, selection).sentences)
    return JudgeAgreement(rows=rows, correlations=correlations, sentence=_format_answer(rows))


def _format_answer(rows: tuple[Consistency, ...]) -> str:
    if not rows:
        return "No debate was judged twice, so that is not known."
    weakest = min(rows, key=lambda row: row.strict or 0.0)
    start = "Least alike are the verdicts of" if len(rows) > 1 else "Known are only the verdicts of"
    return (
        f"{start} {weakest.judges}: {100 * (weakest.strict or 0.0):.0f} % of pairs give the same "
        f"result, and {100 * (weakest.lenient or 0.0):.0f} % where a tie agrees with everything."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SideShare:
    """How often the first side wins.

    Attributes:
        category: of the motions, or `all`.
        share: of its wins, a tie as half; NaN without debates.
        lower, upper: ends of the 95 % interval; NaN where there is none.
    """

    category: str
    wins: int
    ties: int
    losses: int
    share: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SideAdvantage:
    """The advantage of the first side.

    Attributes:
        shares: of all motions, then of each category with debates.
    """

    side: str
    shares: tuple[SideShare, ...]
    sentence: str


def side_advantage(
    resolved: ResolvedConfig, debates: pd.DataFrame, comparisons: Comparisons
) -> SideAdvantage:
    """Measure the advantage of the first side.

    Args:
        debates: the main board's, as `compared_debates` returns them.
    """
    side = contest_language(ENGLISH, resolved.config.tournament.contest).sides["pro"]
    parts = {"all": debates}
    if len(debates) and debates["category"].nunique() > 1:
        parts |= {str(name): part for name, part in debates.groupby("category")}
    seed = resolved.config.tournament.seed
    shares = tuple(_share(name, part, seed) for name, part in parts.items())
    sentence = _format_sided_answer(side, shares[0], side_effect(comparisons))
    return SideAdvantage(side=side, shares=shares, sentence=sentence)


def _share(category: str, debates: pd.DataFrame, seed: int) -> SideShare:
    outcome = debates["outcome"].to_numpy(dtype=float)
    mean = clustered_mean(
        outcome, debates["matchup_id"].to_numpy(dtype=str), np.random.default_rng(seed)
    )
    return SideShare(
        category=category,
        wins=int((outcome == PRO_WINS).sum()),
        ties=int((outcome == TIE).sum()),
        losses=int((outcome == CON_WINS).sum()),
        share=mean.mean,
        lower=mean.lower,
        upper=mean.upper,
    )


def side_effect(comparisons: Comparisons) -> EffectInterval | None:
    """Return what the side is worth in Elo points; `None` where that cannot be estimated."""
    if not len(comparisons):
        return None
    try:
        (effect,) = confidence(comparisons, Model(side=True)).effects
    except RatingError:
        return None
    return effect


def _format_sided_answer(side: str, share: SideShare, effect: EffectInterval | None) -> str:
    if math.isnan(share.share):
        return "Nothing is judged yet."
    won = f"{side} won {100 * share.share:.0f} % (a tie counts as half)"
    if effect is None:
        return f"{won}."
    if effect.lower > 0:
        verdict = "Yes"
    elif effect.upper < 0:
        verdict = "No, a disadvantage"
    else:
        verdict = "That is open"
    interval = format_interval(effect.lower, effect.upper)
    return (
        f"{verdict}: {won}; by the rating model it is worth {effect.elo:+.0f} Elo (95 %: "
        f"{interval})."
    )
