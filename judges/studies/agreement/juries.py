"""What traces of juries and of `samre` tell: early stopping, and the opinions of each member.

Of early stopping: how many calls it saves, and whether it changes decisions.

A jury in majority mode stops once the members that are left cannot change the majority; `samre`
stops once two rounds agree. Where a bench stopped early, what it saved is read from the traces of
its ballots; where it did not, its ballots are replayed as if it had. A pair of answers that was
judged in both orders counts as two judgements, each of which may stop.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import nan
from statistics import fmean
from typing import Annotated, Any, TypeAlias

from arena.boards.selection import Selection
from arena.config.resolved import ResolvedConfig
from arena.output.tables import Column, Table, tabulate
from arena.read.ballots import read_ballots
from arena.read.heading import Heading
from arena.records import ORDER, Bench
from arena.store.database import Store
from judges.methods.jury import votes_to_settle
from judges.methods.rounds import CALLS_IN_FIRST_ROUND, CALLS_PER_ROUND
from judges.studies.agreement.material import Material
from judges.studies.tables import format_number, tabulate_fields
from ratings import PRO_WINS, outcome_of

Trace: TypeAlias = Sequence[Mapping[str, Any]]
#: The trace of a judgement in one order, and its overall outcome.
OrderJudgement: TypeAlias = tuple[Trace, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopping:
    """Early stopping on one bench.

    Attributes:
        stopped: True where the bench is configured to stop early; else its ballots were replayed as
            if it were.
        calls: that all of them would have taken without stopping, of members or in rounds.
        saved: of these calls, those that stopping saves.
        changed: number of decisions that differ from those without stopping; None where unknown,
            because the further rounds were never held, or jurors decided.
    """

    bench: Annotated[str, Heading("bench")]
    judge: str
    stopped: Annotated[
        bool, Heading("stopped", lambda stopped: "stopped" if stopped else "replayed")
    ]
    ballots: Annotated[int, Heading("ballots", ",")]
    calls: Annotated[float, Heading("calls without", ",.0f")]
    saved: Annotated[
        float,
        Heading("saved", ",.0f"),
        Heading("%", ".0f", read=lambda row: 100 * row.saved / row.calls if row.calls else nan),
    ]
    changed: Annotated[
        int | None,
        Heading(
            "decisions changed", lambda changed: "unknown" if changed is None else f"{changed:,}"
        ),
    ]


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
    """Yield the judgements of a ballot: one, or one of each order."""
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
    return tabulate_fields(
        benches,
        title="Early stopping",
        labels=2,
        notes=(
            "`replayed`: the bench asked all its judges, and its ballots show what stopping early "
            "would have saved. `stopped`: the bench did stop early. `unknown`: the decisions "
            "depend on rounds of `samre` that were never held, or on its jurors. The calls that a "
            "member would have made are estimated from its other ballots.",
        ),
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
        calls_of: calls that each member takes, by its number; 1 where it is unknown.
    """
    calls = saved = 0.0
    changed = 0
    for trace, outcome in judgements:
        # members that were left out, for their family or their answer, do not count
        members = [s for s in trace if not str(s.get("absent", "")).startswith("left out")]
        outcomes = [step["outcome"] for step in members if "outcome" in step]
        asked = _count_asked(outcomes, len(members))
        calls += sum(calls_of.get(member["number"], 1.0) for member in members)
        saved += sum(calls_of.get(member["number"], 1.0) for member in members[asked:])
        # whether the others could have made another outcome
        lead = sum(2 * member["outcome"] - 1 for member in members[:asked])
        left = len(members) - asked
        changed += {outcome_of(lead - left), outcome_of(lead + left)} != {outcome}
    return Stopping(
        bench=bench.name,
        judge=bench.judge,
        stopped=bool(bench.options["early_stop"]),
        ballots=ballots,
        calls=calls,
        saved=saved,
        changed=changed,
    )


def _count_asked(outcomes: Sequence[float], members: int) -> int:
    """Count the members that are asked, in their order, before the majority is settled."""
    asked = 0
    while asked < members and (more := votes_to_settle(outcomes[:asked], members - asked)):
        asked += more
    return asked


def _measure_samre(bench: Bench, judgements: Sequence[OrderJudgement], *, ballots: int) -> Stopping:
    """Replay the rounds of a `samre`."""
    stopped, most = bool(bench.options["early_stop"]), int(bench.options["rounds"])
    saved = changed = 0
    for trace, outcome in judgements:
        gaps = [step["pro"] - step["con"] for step in trace if step.get("agent") == "judge"]
        signs = [outcome_of(round(gap, 9)) for gap in gaps]
        # until two in a row put the same side ahead, or are both exact ties
        agreeing = (held for held, two in enumerate(pairwise(signs), start=2) if two[0] == two[1])
        held = next(agreeing, len(gaps))
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


def _calls_per_member(material: Material, bench: Bench) -> Mapping[int, float]:
    """Return the calls that each member takes each time it is asked, by its number."""
    calls = material.calls[
        (material.calls["bench"] == bench.name) & (material.calls["member"] != "")
    ]
    rows = zip(calls["member"], calls["calls"], calls["askings"], strict=True)
    return {int(member): float(count) / float(askings) for member, count, askings in rows}


@dataclass(frozen=True, slots=True, kw_only=True)
class JuryMemberUse:
    """One member of a jury.

    Attributes:
        number: its place among the members, from 1.
        model: its model; '' where it asks none.
        ballots: of the jury, in which the member has a place.
        asked: of these, those on which it gave an opinion.
        agreed: the share of its opinions with the jury's outcome; NaN without one.
        pro: the share of its opinions for Pro, ties as half; NaN without one.
        alone: the share of its opinions against a verdict on which all others agreed; NaN
            without one.
    """

    bench: str
    number: int
    judge: str
    model: str
    ballots: int
    asked: int
    agreed: float
    pro: float
    alone: float


def measure_jury_members(store: Store, resolved: ResolvedConfig) -> Iterator[JuryMemberUse]:
    """Yield the members of all juries of a tournament, bench by bench."""
    for name in [bench.name for bench in resolved.benches if bench.judge == "jury"]:
        own = read_ballots(store, Selection(tournament=resolved.name, bench=name), kinds=["valid"])
        ballots = [
            (verdict.outcome, [step for step in ballot.trace if step.get("agent") == "member"])
            for ballot in own
            if (verdict := ballot.verdict())
        ]
        for number in sorted({step["number"] for _, steps in ballots for step in steps}):
            yield _measure_member(name, number, ballots)


def jury_members_table(members: Sequence[JuryMemberUse]) -> Table:
    """Lay out a row per member."""
    columns: list[Column[JuryMemberUse]] = [
        Column(head="jury", read=lambda member: member.bench, label=True),
        Column(head="seat", read=lambda member: member.number, label=True),
        Column(head="judge", read=lambda member: member.judge, left=True),
        Column(head="model", read=lambda member: member.model or "-", left=True),
        Column(head="ballots", read=lambda member: member.ballots),
        Column(head="asked", read=lambda member: member.asked),
        Column(head="% with the jury", read=lambda member: member.agreed, style=_format_share),
        Column(head="% for Pro", read=lambda member: member.pro, style=_format_share),
        Column(head="% alone", read=lambda member: member.alone, style=_format_share),
    ]
    notes = (
        "asked: members whose vote could not change the verdict any more are not asked. alone: all "
        "others who were asked had another outcome.",
    )
    return tabulate(columns, members, title="Seats of the juries", notes=notes)


def _measure_member(
    bench: str, number: int, ballots: Sequence[tuple[float, Trace]]
) -> JuryMemberUse:
    own = [
        (verdict, step, [s["outcome"] for s in steps if s is not step and "outcome" in s])
        for verdict, steps in ballots
        for step in steps
        if step["number"] == number
    ]
    asked = [
        (verdict, step["outcome"], others) for verdict, step, others in own if "outcome" in step
    ]
    first = own[0][1]
    return JuryMemberUse(
        bench=bench,
        number=number,
        judge=str(first["judge"]),
        model=str(first["model"]),
        ballots=len(own),
        asked=len(asked),
        agreed=_mean([outcome == verdict for verdict, outcome, _ in asked]),
        pro=_mean([outcome for _, outcome, _ in asked]),
        alone=_mean([outcome not in others for _, outcome, others in asked if others]),
    )


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else nan


def _format_share(share: float) -> str:
    return format_number(100 * share, ".0f")
