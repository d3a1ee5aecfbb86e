"""Early stopping: how many calls it saves, and whether it changes decisions.

A jury in majority mode stops once the members that are left cannot change the majority; `samre`
stops once two rounds agree. Where a bench stopped early, what it saved is read from the traces of
its ballots; where it did not, its ballots are replayed as if it had. A pair of answers that was
judged in both orders counts as two judgements, each of which may stop.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from arena.console.tables import Table
from arena.debates.pairs import ORDER
from arena.records import Bench
from judges.methods.jury import votes_to_settle
from judges.methods.rounds import CALLS_IN_FIRST_ROUND, CALLS_PER_ROUND
from judges.studies.agreement.material import Material
from judges.studies.cells import format_number
from ratings import CON_WINS, PRO_WINS, outcome_of

Trace: TypeAlias = Sequence[Mapping[str, Any]]
#: The trace of a judgement in one order, and its overall outcome.
OrderJudgement: TypeAlias = tuple[Trace, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopping:
    """Early stopping on one bench.

    Attributes:
        stopped: True where the bench is configured to stop early; else its ballots were replayed as
            if it were.
        ballots: number of ballots read.
        calls: that all of them would have taken without stopping, of members or in rounds.
        saved: of these calls, those that stopping saves.
        changed: number of decisions that differ from those without stopping; None where unknown,
            because the further rounds were never held, or jurors decided.
    """

    bench: str
    judge: str
    stopped: bool
    ballots: int
    calls: float
    saved: float
    changed: int | None


def measure_stopping(material: Material) -> Iterator[Stopping]:
    """Yield the savings of every bench that stops early, or could."""
    for bench in material.benches:
        rows = material.traces[material.traces["bench"] == bench.name]
        judgements = [
            judgement
            for trace, outcome in zip(rows["trace"], rows["outcome"], strict=True)
            for judgement in split_orders(json.loads(trace), float(outcome))
        ]
        if not judgements:
            continue
        if bench.judge == "jury" and bench.options["combine"] == "majority":
            calls = _calls_per_member(material, bench)
            yield _measure_jury(bench, judgements, ballots=len(rows), calls_of=calls)
        elif bench.judge == "samre" and bench.options["rounds"] > 1:
            yield _measure_samre(bench, judgements, ballots=len(rows))


def split_orders(trace: Trace, outcome: float) -> Iterator[OrderJudgement]:
    """Yield the judgements of a ballot: one, or one of each order.

    Args:
        trace: of the ballot.
        outcome: the ballot's, overall.
    """
    orders = [step for step in trace if step.get("agent") == ORDER]
    if not orders:
        yield trace, outcome
    for step in orders:
        (overall,) = (item for item in step["verdicts"] if item["dimension"] == "overall")
        pro = float(overall["outcome"])
        # Verdicts of the exchanged pair are turned back; the steps behind them are not.
        yield step["steps"], pro if step["order"] == "given" else PRO_WINS - pro


def stopping_table(benches: Sequence[Stopping]) -> Table:
    """Lay out a row per bench."""
    note = (
        "`replayed`: the bench asked all its judges, and its ballots show what stopping early "
        "would have saved. `stopped`: the bench did stop early. `unknown`: the decisions depend on "
        "rounds of `samre` that were never held, or on its jurors. The calls that a member would "
        "have made are estimated from its other ballots."
    )
    return Table(
        title="Early stopping",
        head=("bench", "stopped", "ballots", "calls without", "saved", "%", "decisions changed"),
        rows=tuple(map(_row, benches)),
        labels=2,
        notes=(note,),
    )


def _row(bench: Stopping) -> tuple[str, ...]:
    return (
        bench.bench,
        "stopped" if bench.stopped else "replayed",
        f"{bench.ballots:,}",
        f"{bench.calls:,.0f}",
        f"{bench.saved:,.0f}",
        format_number(100 * bench.saved / bench.calls if bench.calls else float("nan"), ".0f"),
        "unknown" if bench.changed is None else f"{bench.changed:,}",
    )


def _measure_jury(
    bench: Bench,
    judgements: Sequence[OrderJudgement],
    *,
    ballots: int,
    calls_of: Mapping[int, float],
) -> Stopping:
    """Replay a jury.

    Args:
        bench: the jury.
        judgements: of all its ballots.
        ballots: how many these are.
        calls_of: calls that each member takes, by its number; 1 where it is unknown.
    """
    calls = saved = 0.0
    changed = 0
    for trace, outcome in judgements:
        members = [step for step in trace if not _is_left_out(step)]
        outcomes = [step["outcome"] for step in members if "outcome" in step]
        asked = _count_asked(outcomes, len(members))
        calls += sum(calls_of.get(member["number"], 1.0) for member in members)
        saved += sum(calls_of.get(member["number"], 1.0) for member in members[asked:])
        changed += _could_change(members[:asked], outcome, left=len(members) - asked)
    return Stopping(
        bench=bench.name,
        judge=bench.judge,
        stopped=bool(bench.options["early_stop"]),
        ballots=ballots,
        calls=calls,
        saved=saved,
        changed=changed,
    )


def _is_left_out(member: Mapping[str, Any]) -> bool:
    """Tell whether a member did not judge because it is of a debater's family."""
    return str(member.get("absent", "")).startswith("left out")


def _count_asked(outcomes: Sequence[float], members: int) -> int:
    """Count the members that are asked, in their order, before the majority is settled."""
    asked = 0
    while asked < members and (more := votes_to_settle(outcomes[:asked], members - asked)):
        asked += more
    return asked


def _could_change(asked: Trace, outcome: float, *, left: int) -> bool:
    """Tell whether the members that were not asked could have made another outcome."""
    lead = sum((step["outcome"] == PRO_WINS) - (step["outcome"] == CON_WINS) for step in asked)
    return {outcome_of(lead - left), outcome_of(lead + left)} != {outcome}


def _measure_samre(bench: Bench, judgements: Sequence[OrderJudgement], *, ballots: int) -> Stopping:
    """Replay the rounds of a `samre`."""
    stopped, most = bool(bench.options["early_stop"]), int(bench.options["rounds"])
    saved = changed = 0
    for trace, outcome in judgements:
        gaps = [step["pro"] - step["con"] for step in trace if step.get("agent") == "judge"]
        held = _count_rounds(gaps)
        saved += most - held
        changed += outcome_of(round(sum(gaps[:held]) / held, 9)) != outcome
    is_known = not stopped and bench.options["jurors"] == 0
    jurors = sum(step.get("agent") == "juror" for trace, _ in judgements for step in trace)
    rounds = CALLS_IN_FIRST_ROUND + CALLS_PER_ROUND * (most - 1)
    return Stopping(
        bench=bench.name,
        judge=bench.judge,
        stopped=stopped,
        ballots=ballots,
        calls=len(judgements) * rounds + jurors,
        saved=CALLS_PER_ROUND * saved,
        changed=changed if is_known else None,
    )


def _count_rounds(gaps: Sequence[float]) -> int:
    """Count the rounds until two in a row put the same side ahead, or are both exact ties."""
    signs = [outcome_of(round(gap, 9)) for gap in gaps]
    agreeing = (k + 1 for k in range(1, len(signs)) if signs[k] == signs[k - 1])
    return next(agreeing, len(gaps))


def _calls_per_member(material: Material, bench: Bench) -> Mapping[int, float]:
    """Return the calls that each member takes each time it is asked, by its number."""
    calls = material.calls[
        (material.calls["bench"] == bench.name) & (material.calls["member"] != "")
    ]
    rows = zip(calls["member"], calls["calls"], calls["askings"], strict=True)
    return {int(member): float(count) / float(askings) for member, count, askings in rows}
