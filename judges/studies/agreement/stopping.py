"""What early stopping saves, and whether it changes decisions.

A jury in majority mode stops once nobody who is left can change the majority; `samre` stops once
two rounds agree. Where a bench stopped, what it saved is read from the traces of its ballots; where
it did not, its ballots are gone through again as if it had. A pair of answers that was judged in
both orders counts as two judgements, each of which may stop.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from arena.debates.pairs import ORDER
from arena.records import Bench
from judges.methods.jury import further
from judges.methods.rounds import CALLS_OF_A_ROUND, CALLS_OF_THE_FIRST
from judges.studies.agreement.material import Material
from ratings import CON_WINS, PRO_WINS, outcome_of

Trace: TypeAlias = Sequence[Mapping[str, Any]]
#: How one judgement came about, and its overall outcome.
Judged: TypeAlias = tuple[Trace, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopping:
    """Early stopping on one bench.

    Attributes:
        stopped: True where the bench stopped in earnest; else its ballots were gone through as
            if it had.
        ballots: that were looked at.
        calls: that all of them would have taken without stopping, of members or in rounds.
        saved: of these calls, those that stopping saves.
        changed: decisions that differ from those without stopping; None where the rounds that
            could tell were never held, or jurors decided.
    """

    bench: str
    judge: str
    stopped: bool
    ballots: int
    calls: float
    saved: float
    changed: int | None


def stoppings(material: Material) -> Iterator[Stopping]:
    """Every bench that stops early, or could."""
    for bench in material.benches:
        rows = material.traces[material.traces["bench"] == bench.name]
        judged = [
            one
            for trace, outcome in zip(rows["trace"], rows["outcome"], strict=True)
            for one in judgements(json.loads(trace), float(outcome))
        ]
        if not judged:
            continue
        if bench.judge == "jury" and bench.options["combine"] == "majority":
            yield _jury(bench, judged, len(rows), _member_calls(material, bench))
        elif bench.judge == "samre" and bench.options["rounds"] > 1:
            yield _samre(bench, judged, len(rows))


def judgements(trace: Trace, outcome: float) -> Iterator[Judged]:
    """What a ballot consists of: itself, or one judgement of each order.

    Args:
        trace: of the ballot.
        outcome: the ballot's, overall.
    """
    orders = [step for step in trace if step.get("agent") == ORDER]
    if not orders:
        yield trace, outcome
    for step in orders:
        (overall,) = (one for one in step["verdicts"] if one["dimension"] == "overall")
        said = float(overall["outcome"])
        # Verdicts of the exchanged pair are turned back; the steps behind them are not.
        yield step["steps"], said if step["order"] == "given" else PRO_WINS - said


def _jury(
    bench: Bench, judged: Sequence[Judged], ballots: int, cost: Mapping[int, float]
) -> Stopping:
    calls = saved = 0.0
    changed = 0
    for trace, outcome in judged:
        sitting = [one for one in trace if not str(one.get("absent", "")).startswith("left out")]
        asked = _asked([one["outcome"] for one in sitting if "outcome" in one], len(sitting))
        calls += sum(cost.get(one["number"], 1.0) for one in sitting)
        saved += sum(cost.get(one["number"], 1.0) for one in sitting[asked:])
        changed += _could_change(sitting[:asked], outcome, left=len(sitting) - asked)
    return Stopping(
        bench=bench.name,
        judge=bench.judge,
        stopped=bool(bench.options["early_stop"]),
        ballots=ballots,
        calls=calls,
        saved=saved,
        changed=changed,
    )


def _asked(given: Sequence[float], sitting: int) -> int:
    """How many members are asked in their order before the majority is settled."""
    asked = 0
    while asked < sitting and (more := further(given[:asked], sitting - asked)):
        asked += more
    return asked


def _could_change(asked: Trace, outcome: float, *, left: int) -> bool:
    """Whether those who were not asked could have made another outcome."""
    lead = sum((one["outcome"] == PRO_WINS) - (one["outcome"] == CON_WINS) for one in asked)
    return {outcome_of(lead - left), outcome_of(lead + left)} != {outcome}


def _samre(bench: Bench, judged: Sequence[Judged], ballots: int) -> Stopping:
    stopped, most = bool(bench.options["early_stop"]), int(bench.options["rounds"])
    saved = changed = 0
    for trace, outcome in judged:
        gaps = [one["pro"] - one["con"] for one in trace if one.get("agent") == "judge"]
        held = _held(gaps)
        saved += most - held
        changed += outcome_of(round(sum(gaps[:held]) / held, 9)) != outcome
    known = not stopped and bench.options["jurors"] == 0
    jurors = sum(one.get("agent") == "juror" for trace, _ in judged for one in trace)
    rounds = CALLS_OF_THE_FIRST + CALLS_OF_A_ROUND * (most - 1)
    return Stopping(
        bench=bench.name,
        judge=bench.judge,
        stopped=stopped,
        ballots=ballots,
        calls=len(judged) * rounds + jurors,
        saved=CALLS_OF_A_ROUND * saved,
        changed=changed if known else None,
    )


def _held(gaps: Sequence[float]) -> int:
    """Rounds until two in a row put the same side ahead, or are both exact ties."""
    signs = [outcome_of(round(gap, 9)) for gap in gaps]
    agreeing = (k + 1 for k in range(1, len(signs)) if signs[k] == signs[k - 1])
    return next(agreeing, len(gaps))


def _member_calls(material: Material, bench: Bench) -> Mapping[int, float]:
    """Calls per asking of each member."""
    calls = material.calls[
        (material.calls["bench"] == bench.name) & (material.calls["member"] != "")
    ]
    rows = zip(calls["member"], calls["calls"], calls["askings"], strict=True)
    return {int(member): float(made) / float(askings) for member, made, askings in rows}
