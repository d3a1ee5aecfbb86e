"""The tables of the Agent4Debate paper, declared: titles, columns, statistics, published figures.

The paper is Zhang et al. 2024 (arXiv 2408.04472). Each of its tables is a `PaperTable`; the
function above it fills it with the rows of a tournament, and computes what its notes mention.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from arena.boards.board import Board, Row
from arena.output.tables import Column, Table
from arena.papers.convergence import ORDERS, PUBLISHED_DEBATES, STABLE, PartialRatings, stable_from
from arena.papers.paper_table import PaperTable, measure, name
from arena.report.consistency import Consistency
from arena.report.head_to_head import HeadToHead
from arena.report.traces.interactions import (
    AGENTS,
    OVERALL,
    PUBLISHED_TOKENS,
    PUBLISHED_TURNS,
    AgentUsage,
    Turns,
    turns_by_stage,
)

# Tables 3, 4 and 7: ratings.


def elo_tables(boards: Mapping[str, Board], *, bench: str) -> tuple[Table, Table]:
    """Return two tables of one bench: ratings, and intervals as +x/−y about the median.

    Args:
        boards: by category; `all` stands first and gives the order.
        bench: whose verdicts.
    """
    by_name = {
        category: {row.participant: row for row in board.rows} for category, board in boards.items()
    }
    rows = [
        ParticipantRatings(
            participant=row.participant,
            by_category={category: lines[row.participant] for category, lines in by_name.items()},
        )
        for row in next(iter(boards.values())).rows
    ]
    counts = ", ".join(f"{category} {board.comparisons}" for category, board in boards.items())
    return (
        ELO.fill(rows, keys=boards, bench=bench, counts=counts),
        ELO_INTERVALS.fill(rows, keys=boards, bench=bench),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ParticipantRatings:
    """One participant's lines of several boards, by category."""

    participant: str
    by_category: Mapping[str, Row]


def _format_rating(row: Row) -> str:
    return f"{row.rating:.0f}" if row.debates else ""


def _format_interval(row: Row) -> str:
    if not row.debates:
        return ""
    up, down = row.upper - row.median, row.median - row.lower
    return f"{row.median:.0f} +{up:.0f}/−{down:.0f}"


ELO: PaperTable[ParticipantRatings] = PaperTable(
    title="{bench}-Elo overall and by category (Tables 3, 4)",
    columns=(name("participant"),),
    cell=lambda row, category: _format_rating(row.by_category[category]),
    notes=("Debates rated: {counts}. Each category is rated on its own, its mean is 1000.",),
)
ELO_INTERVALS = replace(
    ELO,
    title="{bench}-Elo: 95 % intervals about the median (Table 7)",
    cell=lambda row, category: _format_interval(row.by_category[category]),
    notes=(
        "The median of a bootstrap over matchups, with the distances to the ends of the interval.",
    ),
)


# Tables 1, 2 and 5: points of those who met.

SAME_MODEL = "{bench}: points out of 3, frameworks and ablations on one model (Tables 1, 2)"
DIFFERENT_MODELS = "{bench}: points out of 3, pairs on different models (as Table 5)"
PEOPLE = "{bench}: points out of 3, all people against each framework (Table 5)"
SPEAKERS = "{bench}: points out of 3, each speaker against all opponents"


def head_to_head_table(
    pairs: Iterable[HeadToHead], dimensions: Sequence[str], *, title: str, bench: str = ""
) -> Table:
    """Return a table with a row per pair; debates have a column only where pairs differ in them."""
    rows = list(pairs)
    debates = {pair.debates for pair in rows}
    each = f"Debates of each pair: {next(iter(debates))}. " if len(debates) == 1 else ""
    return replace(HEAD_TO_HEAD, title=title).fill(rows, keys=dimensions, bench=bench, each=each)


HEAD_TO_HEAD: PaperTable[HeadToHead] = PaperTable(
    title=SAME_MODEL,
    columns=(
        name("first"),
        name("second"),
    ),
    cell=lambda pair, dimension: (
        f"{pair.points[dimension]:.2f}" if dimension in pair.points else ""
    ),
    last=(
        Column(
            head="debates",
            read=attrgetter("debates"),
            shown=lambda pairs: len({pair.debates for pair in pairs}) > 1,
        ),
    ),
    notes=(
        "{each}Mean points per debate of the first; the second gets the rest of the 3. A tie "
        "counts as half.",
    ),
    empty="No pair of these has met in a debate with all its ballots.",
)


# Table 6: agreement of judges.


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsistencyRow:
    """How often two judges agree.

    Attributes:
        whole: on all debates.
        machines: on those in which no person took part.
    """

    whole: Consistency
    machines: Consistency


def consistency_table(
    whole: Sequence[Consistency], *, machines: Sequence[Consistency], benches: int
) -> Table:
    """Return the agreement on all debates and, where people took part, without theirs.

    Args:
        whole: of all debates.
        machines: of the same judges, on debates in which no person took part.
        benches: how many the tournament has.
    """
    pairs = zip(whole, machines, strict=True)
    rows = [ConsistencyRow(whole=every, machines=some) for every, some in pairs if every.debates]
    return CONSISTENCY.fill(rows, missing=_SECOND_BENCH if benches < 2 else "")


def _agreement(part: str, debates: str, *, optional: bool = False) -> tuple[Column[Any], ...]:
    """Return the columns of the agreement on some debates, of `ConsistencyRow`.

    Args:
        part: its field.
        debates: heading of their number.
        optional: whether they are left out where people took part in none.
    """
    shown = _with_people if optional else None
    return (
        Column(head=debates, read=attrgetter(f"{part}.debates"), shown=shown),
        *(
            Column(head=head, read=attrgetter(f"{part}.{key}"), style=_format_share, shown=shown)
            for head, key in (("ties agree", "lenient"), ("strict", "strict"))
        ),
    )


def _with_people(rows: Sequence[ConsistencyRow]) -> bool:
    return any(row.whole.debates != row.machines.debates for row in rows)


def _format_share(share: float | None) -> str:
    return "" if share is None else f"{share:.2f}"


_SECOND_BENCH = (
    "Two benches are needed to compare them: add another [[benches]] to the configuration and run "
    "it again; only the ballots of the new bench are taken."
)
CONSISTENCY: PaperTable[ConsistencyRow] = PaperTable(
    title="Consistency of judges, overall outcome (Table 6)",
    columns=(
        name("whole.judges", head="judges"),
        *_agreement("whole", "debates"),
        *_agreement("machines", "no people", optional=True),
    ),
    notes=(
        "{missing}",
        "Published, where a tie agrees with anything: Debatrix with people 0.56, without debates "
        "of people 0.66; among people 0.73, without 0.74.",
    ),
)


# Convergence: how many debates a rating needs.


def convergence_table(parts: Sequence[PartialRatings], *, bench: str) -> Table:
    """Return a table with a row per part, and a note on when the ratings are stable."""
    share = f"{100 * STABLE:.0f} % of ratings lie in their final intervals"
    debates = stable_from(parts)
    stable = (
        f"Before all debates, less than {share}."
        if debates is None
        else f"From about {debates:.0f} debates per participant on, {share}."
    )
    ordered = next((part.ordered for part in parts if part.debates == PUBLISHED_DEBATES), None)
    here = (
        ""
        if ordered is None
        else f"; here {100 * ordered:.0f} % of pairs are then in their final order"
    )
    return CONVERGENCE.fill(parts, bench=bench, stable=stable, here=here)


CONVERGENCE: PaperTable[PartialRatings] = PaperTable(
    title="{bench}-Elo: convergence with the number of debates",
    columns=(
        name("debates", head="debates each", style=".0f"),
        measure("distance", ".0f", head="mean distance"),
        measure("farthest", ".0f", head="largest"),
        Column(head="within interval", read=lambda part: f"{100 * part.within:.0f} %"),
        Column(head="pairs in order", read=lambda part: f"{100 * part.ordered:.0f} %"),
    ),
    notes=(
        "Mean distance from the final rating in Elo points, share of ratings within their final "
        f"intervals, share of pairs in their final order; over {ORDERS} random orders of the "
        "matchups. {stable} The paper estimates a stable ranking after about "
        f"{PUBLISHED_DEBATES} debates{{here}}.",
    ),
)


# Tables 8 and 9: how the agents of agent4debate work together.


def turns_table(calls: AgentUsage, trace: AgentUsage, *, names: Iterable[str]) -> Table:
    """Return mean turns per speech, by stage, above the published ones (Table 8).

    Args:
        calls: counted from answers of the model.
        trace: counted from turns in the agents' dialogue.
    """
    speeches = calls.speeches[OVERALL]
    rows = turns_by_stage(calls, trace) if speeches else ()
    return TURNS.fill(rows, keys=AGENTS, speeches=speeches, names=", ".join(names))


def tokens_table(usage: Mapping[str, AgentUsage]) -> Table:
    """Return mean completion tokens per answer, by participant (Table 9)."""
    rows = [AgentTokens(participant=name, tokens=own.tokens) for name, own in usage.items()]
    return TOKENS.fill(rows, keys=AGENTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTokens:
    """One participant's mean completion tokens per answer, by agent."""

    participant: str
    tokens: Mapping[str, float]


TURNS: PaperTable[Turns] = PaperTable(
    title="Interactions per speech of agent4debate, by stage (Table 8)",
    columns=(
        name("stage"),
        name("counted"),
    ),
    cell=lambda row, agent: f"{row.turns[agent]:.2f}",
    group=attrgetter("stage"),
    published={
        stage: Turns(stage=stage, counted="published", turns=dict(zip(AGENTS, turns, strict=True)))
        for stage, turns in PUBLISHED_TURNS.items()
    },
    notes=("{speeches} speeches of {names}.",),
    empty="No speech of agent4debate with all four agents is stored.",
)
TOKENS: PaperTable[AgentTokens] = PaperTable(
    title="Completion tokens per answer of an agent (Table 9)",
    columns=(name("participant"),),
    cell=lambda row, agent: f"{row.tokens[agent]:.0f}" if agent in row.tokens else "",
    published={
        "": AgentTokens(
            participant="published", tokens=dict(zip(AGENTS, PUBLISHED_TOKENS, strict=True))
        )
    },
    empty="No participant of agent4debate takes part.",
)
