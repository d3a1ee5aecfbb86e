"""The questions that a tournament leaves to its boards, each answered in a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

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
            sentence, is_settled = _format_first(rated), not _find_rivals(rated)
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


def _find_rivals(rated: Confidence) -> list[int]:
    """Return the positions of those who are not settled to be below the first, from the top."""
    first, *others = rated.order.tolist()
    return [k for k in others if not rated.above[first, k]]


def _format_first(rated: Confidence) -> str:
    """Format who is first and how sure that is, as the summary of a board does."""
    names, place, rivals = rated.ratings.names, rated.first, _find_rivals(rated)
    printed = [f"{elo:.0f}" for elo in rated.ratings.rating]
    first, *others = rated.order.tolist()
    if not others:
        return f"{place.name} is the only participant, so there is nobody to compare it with."
    allowing = "" if place.contenders == 1 else ", allowing for its being named first"
    elo = f"Elo {printed[first]}, 95 % {place.lower:.0f} to {place.upper:.0f}{allowing}"
    level = [names[k] for k in rated.placed if k in rivals and printed[k] == printed[first]]
    if level:
        return f"{format_names([place.name, *level])} are level at the top ({elo})."
    better = _format_better(rated)
    if not rivals:
        return f"{place.name} is first beyond doubt ({elo}){better}."
    open_to = format_names([names[k] for k in rivals])
    return f"{place.name} leads ({elo}), but is not separated from {open_to}{better}."


def _format_better(rated: Confidence) -> str:
    """Format the probability that the first is better than the second; '' without a second."""
    first, *others = rated.placed
    if not others:
        return ""
    share = float(rated.superiority[first, others[0]])
    chance = f"{100 * share:.0f} %" if share < 0.995 else "more than 99 %"
    return (
        f"; taken alone, and at a single look, it is better than {rated.ratings.names[others[0]]}, "
        f"the second, with {chance} probability"
    )
