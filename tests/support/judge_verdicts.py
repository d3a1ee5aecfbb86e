"""What judges are measured on, made by hand: benches, and what they said of which debates."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pandas as pd

from arena.boards.selection import Selection
from judges.studies.agreement.material import Material
from tests.support.tournaments import changed, content, resolved_of

#: Who debates: on two families of models.
MODELS = {"ann": "offline/strong", "bob": "offline/weak", "cyd": "offline/fair"}
NO_CALLS = pd.DataFrame(
    columns=["bench", "member", "calls", "askings", "input_tokens", "output_tokens"]
)
NO_ORDERS = pd.DataFrame(columns=["bench", "matchup_id", "given", "exchanged"])
NO_TRACES = pd.DataFrame(columns=["bench", "ballot_id", "trace", "outcome"])


def configured(*benches: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration with these benches, one ballot each unless said otherwise."""
    config = content(*MODELS)
    for place, model in enumerate(MODELS.values()):
        config = changed(config, ["participants", place, "model"], model)
    asked = {"judge": "single", "model": "offline/good", "runs": 1}
    made = [one if one.get("judge") == "human" else {**asked, **one} for one in benches]
    return changed(config, ["benches"], made)


def material(
    said: Mapping[str, Mapping[str, float | Sequence[float]]],
    *,
    benches: Sequence[Mapping[str, Any]] = (),
    seats: Mapping[str, tuple[str, str]] | None = None,
    words: Mapping[str, tuple[int, int]] | None = None,
    traces: Sequence[tuple[str, Sequence[Mapping[str, Any]], float]] = (),
    calls: pd.DataFrame = NO_CALLS,
    orders: Mapping[str, Sequence[tuple[float, float]]] | None = None,
    people: Collection[str] = (),
) -> Material:
    """Material from outcomes.

    Args:
        said: by bench, of each debate Pro's outcome, or those of several ballots. A debate is
            called by its matchup and its leg, `m1/0`; its motion is its matchup's first letter.
        benches: their configuration; by default each is a `single`.
        seats: who debates, Pro first; `ann` and `bob` unless given, sides swapped in leg 1.
        words: how long Pro and Con spoke; nothing is known of others.
        traces: bench, trace and overall outcome of each ballot that has one.
        calls: as `Material.calls`.
        orders: by bench, Pro's outcome as given and exchanged, of one matchup after the other.
        people: benches whose ballots are those of persons.
    """
    made = [{"name": name} | ({"judge": "human"} if name in people else {}) for name in said]
    resolved = resolved_of(configured(*(benches or made)))
    verdicts, ballots = [], []
    for bench, outcomes in said.items():
        for debate, given in outcomes.items():
            several = [given] if isinstance(given, float) else list(given)
            verdicts.append(_verdict(bench, debate, several, seats or {}))
            ballots += [_ballot(bench, debate, outcome) for outcome in several]
    swapped = [
        (bench, f"m{n}", *both)
        for bench, pairs in (orders or {}).items()
        for n, both in enumerate(pairs)
    ]
    lengths = [(debate, *both) for debate, both in (words or {}).items()]
    return Material(
        resolved=resolved,
        selection=Selection(tournament=resolved.name, bench="all"),
        benches=resolved.benches,
        verdicts=pd.DataFrame(verdicts),
        ballots=pd.DataFrame(ballots),
        calls=calls,
        traces=pd.DataFrame(
            [
                {"bench": bench, "ballot_id": str(n), "trace": json.dumps(trace), "outcome": one}
                for n, (bench, trace, one) in enumerate(traces)
            ],
            columns=NO_TRACES.columns,
        ),
        orders=pd.DataFrame(swapped, columns=NO_ORDERS.columns),
        lengths=pd.DataFrame(lengths, columns=["debate_id", "pro_words", "con_words"]),
        seed=7,
    )


def _verdict(
    bench: str, debate: str, outcomes: Sequence[float], seats: Mapping[str, tuple[str, str]]
) -> dict[str, Any]:
    matchup, _, leg = debate.partition("/")
    pro, con = seats.get(debate, ("bob", "ann") if leg == "1" else ("ann", "bob"))
    total = 2 * sum(outcomes) - len(outcomes)
    return {
        "debate_id": debate,
        "matchup_id": matchup,
        "motion": matchup[0],
        "bench": bench,
        "pro": pro,
        "con": con,
        "outcome": 0.5 if total == 0 else float(total > 0),
        "weight": 0.75,
    }


def _ballot(bench: str, debate: str, outcome: float) -> dict[str, Any]:
    return {
        "debate_id": debate,
        "matchup_id": debate.partition("/")[0],
        "bench": bench,
        "voter": "",
        "status": "valid",
        "asked": 1,
        "cost_usd": 0.5,
        "seconds": 2.0,
        "outcome": outcome,
    }
