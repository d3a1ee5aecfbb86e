"""The weighted vote of a ballot's dimensions, compared with the judge's overall verdict.

The prompts of a panel judge name the weights of the dimensions, and the judge weighs freely. Here
the weights are applied to the dimensions' outcomes by arithmetic. The vote is computed from stored
ballots and decides nothing, but a board notes how often it disagrees with the overall verdicts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.boards.selection import CHOSEN_DEBATES, Selection
from arena.errors import ConfigError
from arena.plugins import inspect_judge
from arena.store.database import Store
from arena.text import counted
from ratings import CON_WINS, PRO_WINS, TIE, outcome_of

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig

#: How many ballots have the same outcomes on the same dimensions.
_OUTCOMES = f"""{CHOSEN_DEBATES}
    SELECT dimensions, outcomes, count(*) AS ballots, min(debate_id) AS debate_id FROM (
        SELECT any_value(debate_id) AS debate_id,
               list(s.dimension ORDER BY s.dimension) AS dimensions,
               list(s.outcome ORDER BY s.dimension) AS outcomes
        FROM chosen JOIN ballots b USING (debate_id) JOIN ballot_scores s USING (ballot_id)
        WHERE b.status = 'valid' AND b.bench = $bench
          AND NOT list_contains(CAST($without AS TEXT[]), b.voter)
        GROUP BY s.ballot_id
    ) GROUP BY ALL
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """The numbers of ballots on which a bench's overall verdict differs from the weighted vote.

    Attributes:
        ballots: all ballots that have both.
        differing: those with different outcomes, a tie against a win included.
        opposite: those with different winners.
        example: the id of a debate with such a ballot, of one with different winners if there is
            one; '' where none differs.
    """

    ballots: int
    differing: int
    opposite: int
    example: str = ""


def weighted_vote(outcomes: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Return Pro's outcome by the weighted vote: 1.0, 0.5 or 0.0.

    >>> weighted_vote({"argument": 1.0, "source": 0.0, "language": 0.5},
    ...               {"argument": 3, "source": 2, "language": 2})
    1.0

    Args:
        outcomes: Pro's outcomes by dimension.
        weights: by dimension, not negative; a dimension without a weight does not count.
    """
    balance = sum(weight * (outcomes[name] - TIE) for name, weight in weights.items())
    return outcome_of(round(balance, 9))  # 0.1 + 0.2 balances 0.3


def bench_weights(store: Store, tournament: str) -> dict[str, Mapping[str, float]]:
    """Read the weights of a stored tournament's benches, by bench; only of those that have any."""
    rows = store.plain_rows(
        "SELECT config->'$.benches' AS benches FROM tournaments WHERE tournament = $name",
        {"name": tournament},
    )
    sections = json.loads(rows[0]["benches"]) if rows else []
    return {
        section["name"]: weights
        for section in sections
        if (weights := weights_of(section["judge"], section["options"]))
    }


def weights_of(judge: str, options: Mapping[str, object]) -> Mapping[str, float]:
    """Return the weights of a configured judge that are above 0, by dimension.

    A judge whose package is not installed any more has none: its stored ballots stay readable.
    """
    try:
        configured = inspect_judge(judge, options)
    except ConfigError:
        return {}
    return {name: weight for name, weight in configured.weights.items() if weight > 0}


def disagreement(
    store: Store, selection: Selection, weights: Mapping[str, float], *, participants: Sequence[str]
) -> Disagreement:
    """Compare the overall verdicts of a selection's valid ballots with their weighted votes.

    Args:
        selection: its dimension plays no part.
        weights: the bench's weights by dimension.
        participants: the ids of those that count.
    """
    named = {
        "bench": selection.bench,
        "without": list(selection.without),
        "ids": list(participants),
    }
    ballots = differing = opposite = 0
    examples: dict[float, str] = {}
    for row in store.plain_rows(_OUTCOMES, selection.parameters | named):
        outcomes = dict(zip(row["dimensions"], row["outcomes"], strict=True))
        if not {"overall", *weights} <= outcomes.keys():
            continue
        balance = sum(weight * (outcomes[name] - TIE) for name, weight in weights.items())
        distance = abs(outcome_of(round(balance, 9)) - outcomes["overall"])
        ballots += row["ballots"]
        differing += row["ballots"] * (distance > 0)
        opposite += row["ballots"] * (distance == PRO_WINS - CON_WINS)
        examples[distance] = min(row["debate_id"], examples.get(distance, row["debate_id"]))
    example = examples[furthest] if (furthest := max(examples, default=0.0)) > 0 else ""
    return Disagreement(ballots=ballots, differing=differing, opposite=opposite, example=example)


def describe_vote(
    store: Store, resolved: ResolvedConfig, selection: Selection
) -> tuple[Disagreement, str]:
    """Return how often the weighted vote of an overall board disagrees, and a sentence on it.

    Returns:
        No ballots and '' where the judge has no weights, or nothing is judged.
    """
    bench = next((bench for bench in resolved.benches if bench.name == selection.bench), None)
    weights = weights_of(bench.judge, bench.options) if bench else {}
    counts = Disagreement(ballots=0, differing=0, opposite=0)
    if selection.dimension == "overall" and weights:
        counts = disagreement(store, selection, weights, participants=list(resolved.names))
    if not counts.ballots:
        return counts, ""
    return counts, (
        f"the weighted vote of the dimensions ({format_weights(weights)}) gives another result "
        f"than the judge's overall verdict on {counts.differing} of "
        f"{counted(counts.ballots, 'ballot')} "
        f"({counts.differing / counts.ballots:.1%}), another winner on {counts.opposite}"
    )


def vote_notes(store: Store, resolved: ResolvedConfig, selection: Selection) -> tuple[str, ...]:
    """Return the note on disagreements for an overall board; none if the judge has no weights."""
    _, sentence = describe_vote(store, resolved, selection)
    return (sentence,) if sentence else ()


def format_weights(weights: Mapping[str, float]) -> str:
    """Format weights: `argument 3, source 2`."""
    return ", ".join(f"{name} {weight:g}" for name, weight in weights.items())
