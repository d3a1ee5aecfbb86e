"""The weighted vote of a ballot's dimensions, beside the overall verdict that a judge gave.

A panel judge is told the weights in words and weighs freely; here they are applied to the
outcomes, as arithmetic. It is computed from what is stored and decides nothing: where the two
often disagree, a reader of the board should know.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from arena.boards.comparisons import Selection
from arena.boards.selection import ids
from arena.config.resolve import ResolvedConfig
from arena.errors import ConfigError
from arena.plugins import make_judge
from arena.store.database import Store
from ratings import CON_WINS, PRO_WINS, TIE, outcome_of

_OUTCOMES = """
    SELECT s.ballot_id, s.dimension, s.outcome
    FROM debates d
    JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
    JOIN ballots b ON b.debate_id = d.debate_id AND b.status = 'valid' AND b.bench = $bench
    JOIN ballot_scores s ON s.ballot_id = b.ballot_id
    WHERE d.tournament = $tournament AND d.status = 'finished'
      AND $category IN ('all', m.category) AND $language IN ('all', d.language)
      AND ($since IS NULL OR d.finished_at >= $since)
      AND ($until IS NULL OR d.finished_at < $until)
      AND NOT list_contains(CAST($without AS TEXT[]), b.voter)
      AND list_contains($ids, d.pro) AND list_contains($ids, d.con)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """How often the overall verdicts of a bench differ from the weighted votes.

    Attributes:
        ballots: those that have both.
        differing: another outcome, a tie against a win included.
        opposite: another winner.
    """

    ballots: int
    differing: int
    opposite: int


def weighted_vote(outcomes: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The outcome for Pro that the dimensions give by arithmetic.

    >>> weighted_vote({"argument": 1.0, "source": 0.0, "language": 0.5},
    ...               {"argument": 3, "source": 2, "language": 2})
    1.0

    Args:
        outcomes: Pro's, by dimension.
        weights: by dimension, not negative; a dimension without one counts nothing.

    Raises:
        KeyError: a weighted dimension has no outcome.
    """
    balance = sum(weight * (outcomes[name] - TIE) for name, weight in weights.items())
    return outcome_of(round(balance, 9))  # 0.1 + 0.2 is as much as 0.3


def bench_weights(store: Store, tournament: str) -> dict[str, Mapping[str, float]]:
    """The weights of a stored tournament's benches that have any, by bench."""
    frame = store.read(
        "SELECT config->'$.benches' AS benches FROM tournaments WHERE tournament = $name",
        {"name": tournament},
    )
    sections = json.loads(frame["benches"][0]) if len(frame) else []
    found = {one["name"]: weights_of(one["judge"], one["options"]) for one in sections}
    return {name: weights for name, weights in found.items() if weights}


def weights_of(judge: str, options: Mapping[str, object]) -> Mapping[str, float]:
    """The weights of a configured judge that are above 0; none where its package is gone."""
    try:
        configured = make_judge(judge, options)
    except ConfigError:
        return {}  # what is stored can still be read
    return {name: weight for name, weight in configured.weights.items() if weight > 0}


def disagreement(
    store: Store, selection: Selection, weights: Mapping[str, float], *, participants: Sequence[str]
) -> Disagreement:
    """Compare overall verdicts with weighted votes, over the valid ballots of a selection.

    Args:
        store: where they are.
        selection: whose ballots; the dimension plays no part.
        weights: the bench's.
        participants: ids of those that count.
    """
    frame = store.read(
        _OUTCOMES,
        {
            "tournament": selection.tournament,
            "bench": selection.bench,
            "category": selection.category,
            "language": selection.language,
            "since": selection.since,
            "until": selection.until,
            "without": list(selection.without),
            "ids": list(participants),
        },
    )
    wide = frame.pivot_table(index="ballot_id", columns="dimension", values="outcome")
    needed = ["overall", *weights]
    if not set(needed) <= set(wide.columns):
        return Disagreement(ballots=0, differing=0, opposite=0)
    return _compared(wide[needed].dropna(), weights)


def vote_notes(store: Store, resolved: ResolvedConfig, selection: Selection) -> tuple[str, ...]:
    """What an overall board says of it; nothing where the judge weighs no dimensions."""
    named = [one for one in resolved.benches if one.name == selection.bench]
    weights = weights_of(named[0].judge, named[0].options) if named else {}
    if selection.dimension != "overall" or not weights:
        return ()
    found = disagreement(store, selection, weights, participants=ids(resolved))
    if not found.ballots:
        return ()
    return (
        f"the weighted vote of the dimensions ({told(weights)}) gives another result than the "
        f"judge's overall verdict on {found.differing} of {found.ballots} ballots "
        f"({found.differing / found.ballots:.1%}), another winner on {found.opposite}",
    )


def told(weights: Mapping[str, float]) -> str:
    """Weights in words: `argument 3, source 2`."""
    return ", ".join(f"{name} {weight:g}" for name, weight in weights.items())


def _compared(wide: pd.DataFrame, weights: Mapping[str, float]) -> Disagreement:
    balance = sum(weight * (wide[name] - TIE) for name, weight in weights.items())
    votes = pd.Series(balance, index=wide.index, dtype=float).round(9).map(outcome_of)
    apart = (votes - wide["overall"]).abs()
    return Disagreement(
        ballots=len(wide),
        differing=int((apart > 0).sum()),
        opposite=int((apart == PRO_WINS - CON_WINS).sum()),
    )
