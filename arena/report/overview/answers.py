"""The questions that a tournament leaves to its boards, each answered in a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from arena.boards.next_debates import suggest_next
from arena.boards.rank_text import format_names
from arena.boards.selecting import (
    bench_dimensions,
    dimensions,
    format_why_empty,
    select_comparisons,
)
from arena.boards.selection import Selection
from arena.config.resolve import ResolvedConfig
from arena.languages import Contest
from arena.store.command_lines import command_line
from arena.store.database import Store
from ratings import Confidence, confidence

_CATEGORIES = """
    SELECT DISTINCT m.category
    FROM debates d JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
    WHERE d.tournament = $name ORDER BY m.category
"""
_FIRST_QUESTION: dict[Contest, str] = {
    "debate": "Who argues best",
    "essay": "Who writes the best essays",
    "question": "Who answers best",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A question and its answer.

    Attributes:
        is_settled: whether the data leave no doubt; `None` where that is not the question.
        command: shows the board or figures behind it; '' for none.
    """

    question: str
    sentence: str
    is_settled: bool | None = None
    command: str = ""


def board_answers(store: Store, resolved: ResolvedConfig, selection: Selection) -> Iterator[Answer]:
    """Yield who is first: on the main board, on each dimension and category, by other benches.

    Args:
        store: holds the ballots.
        resolved: the tournament.
        selection: of the main board.
    """
    rows = store.rows(_CATEGORIES, {"name": resolved.name})
    present = [str(row["category"]) for row in rows]
    for question, selected in _questions(resolved, selection, present):
        picked = select_comparisons(store, resolved, selected)
        if len(picked.comparisons):
            rated = confidence(picked.comparisons)
            sentence, is_settled = _format_first(rated), not _rivals(rated)
        else:
            why = format_why_empty(selected, waiting=picked.open, left_out=picked.left_out)
            sentence, is_settled = f"{why}, so nothing is rated.", False
        yield Answer(
            question=question,
            sentence=sentence,
            is_settled=is_settled,
            command=_command(selected, selection, store.path),
        )
    if (suggested := suggest_next(store, resolved, selection)) is not None:
        yield Answer(question="What would further debates tell first?", sentence=suggested.sentence)


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


def _rivals(rated: Confidence) -> Sequence[str]:
    """Return who is not settled to be below the first, from the top."""
    first, *others = rated.order.tolist()
    return [rated.ratings.names[k] for k in others if not rated.above[first, k]]


def _format_first(rated: Confidence) -> str:
    """Format who is first and how sure that is."""
    order = rated.order.tolist()
    first, name = order[0], rated.ratings.names[order[0]]
    place = rated.first
    allowing = "" if place.contenders == 1 else ", allowing for being the highest of several"
    elo = (
        f"Elo {rated.ratings.rating[first]:.0f}, 95 % {place.lower:.0f} to "
        f"{place.upper:.0f}{allowing}"
    )
    if len(order) == 1:
        return f"{name} is the only participant, so there is nobody to compare it with."
    second = order[1]
    if f"{rated.ratings.rating[first]:.0f}" == f"{rated.ratings.rating[second]:.0f}":
        return f"{name} and {rated.ratings.names[second]} are level at the top ({elo})."
    chance = _format_chance(float(rated.superiority[first, second]))
    better = f"it is better than {rated.ratings.names[second]}, the second, {chance}"
    rivals = _rivals(rated)
    if not rivals:
        return f"{name} is first beyond doubt ({elo}); {better}."
    return f"{name} leads ({elo}), but {format_names(rivals)} could be first; {better}."


def _format_chance(share: float) -> str:
    if np.isnan(share):
        return "with an unknown probability"
    if share >= 0.995:
        return "with more than 99 % probability"
    return f"with {100 * share:.0f} % probability"
