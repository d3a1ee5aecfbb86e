"""A tournament's results in the tables of the Agent4Debate paper.

The paper is Zhang et al. 2024 (arXiv 2408.04472); its tables are declared in `paper_tables`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pandas as pd

from arena.boards.board import board
from arena.boards.matrix import matrix
from arena.boards.selecting import select_comparisons
from arena.boards.selection import Selection
from arena.config.resolved import ResolvedConfig, dimensions
from arena.output.tables import Table
from arena.papers.agent4debate_tables import (
    DIFFERENT_MODELS,
    PEOPLE,
    SAME_MODEL,
    SPEAKERS,
    consistency_table,
    convergence_table,
    elo_tables,
    head_to_head_table,
    tokens_table,
    turns_table,
)
from arena.papers.convergence import convergence
from arena.records import Bench, Participant
from arena.report.consistency import Consistency, between, within
from arena.report.head_to_head import HeadToHead, head_to_head, in_paper_order
from arena.report.matrix_table import matrix_table
from arena.report.paper_source import PERSON, TEAM, TournamentFrames, read_material, whole_teams
from arena.report.traces.interactions import AgentUsage, usage
from arena.store.database import Store


def paper_tables(
    store: Store, resolved: ResolvedConfig, benches: Sequence[Bench]
) -> Iterator[Table]:
    """Yield all tables: those of each bench, then of all benches together, then of the agents.

    Args:
        benches: those of its benches to report.
    """
    material = read_material(store, resolved)
    for bench in benches:
        yield from _bench_tables(store, resolved, material, bench)
    yield _consistency_table(material, benches)
    yield from _agent_tables(material, resolved)


def _bench_tables(
    store: Store, resolved: ResolvedConfig, material: TournamentFrames, bench: Bench
) -> Iterator[Table]:
    boards = {
        category: board(
            store,
            resolved,
            Selection(tournament=resolved.name, bench=bench.name, category=category),
        )
        for category in ("all", *resolved.categories)
    }
    overall = boards["all"]
    if not overall.comparisons:
        note = "No debate has all its ballots yet, so nothing is rated."
        yield Table(title=f"{bench.name}-Elo", head=(), rows=(), notes=(note,))
        return
    yield from elo_tables(boards, bench=bench.name)
    comparisons = select_comparisons(store, resolved, overall.selection).comparisons.one_by_one()
    ratings = {row.participant: row.rating for row in overall.rows}
    yield matrix_table(
        matrix(comparisons, ratings, kind="predicted"),
        title=f"{bench.name}-Elo: predicted win rate of row against column, % (Figure 3)",
    )
    yield from _head_to_head_tables(material, resolved, bench)
    rows = {row.participant: row for row in overall.rows}
    parts = convergence(
        comparisons,
        lower=np.array([rows[name].lower for name in comparisons.names]),
        upper=np.array([rows[name].upper for name in comparisons.names]),
        rng=np.random.default_rng(resolved.config.tournament.seed),
    )
    yield convergence_table(parts, bench=bench.name)


def _head_to_head_tables(
    material: TournamentFrames, resolved: ResolvedConfig, bench: Bench
) -> Iterator[Table]:
    """Yield pairs on one model, which differ in framework or options, and the other pairs."""
    shown = in_paper_order(dimensions(bench))
    scores = material.scores[material.scores["bench"] == bench.name]
    pairs = head_to_head(scores, shown)
    models = {participant.name: participant.model for participant in resolved.participants}
    for title, same in ((SAME_MODEL, True), (DIFFERENT_MODELS, False)):
        matching = [pair for pair in pairs if (models[pair.first] == models[pair.second]) is same]
        yield head_to_head_table(matching, shown, title=title, bench=bench.name)
    if pooled := pooled_points(scores, resolved.participants, shown):
        yield head_to_head_table(pooled, shown, title=PEOPLE, bench=bench.name)
    if len(material.speakers) and len(scores):
        spoken = speaker_points(scores, material.speakers, shown)
        yield head_to_head_table(spoken, shown, title=SPEAKERS, bench=bench.name)


def _consistency_table(material: TournamentFrames, benches: Sequence[Bench]) -> Table:
    names = [bench.name for bench in benches]
    verdicts, ballots = material.verdicts, material.ballots
    of_people = set(ballots.loc[ballots["people"], "debate_id"])

    machines = (frame[~frame["debate_id"].isin(of_people)] for frame in (verdicts, ballots))

    def compare(verdicts: pd.DataFrame, ballots: pd.DataFrame) -> list[Consistency]:
        return [*between(verdicts, names), *within(ballots, names)]

    return consistency_table(
        compare(verdicts, ballots), machines=compare(*machines), benches=len(names)
    )


def _agent_tables(material: TournamentFrames, resolved: ResolvedConfig) -> Iterator[Table]:
    whole = whole_teams(resolved)
    calls = _usage(material.speeches, material.calls, whole)
    dialogue = _usage(material.speeches, material.dialogue, whole)
    yield turns_table(calls, dialogue, names=whole)
    callers = set(material.calls["participant"])
    yield tokens_table(
        {
            participant.name: _usage(material.speeches, material.calls, [participant.name])
            for participant in resolved.participants
            if participant.debater == TEAM and participant.name in callers
        }
    )


def _usage(speeches: pd.DataFrame, turns: pd.DataFrame, names: Sequence[str]) -> AgentUsage:
    """Count the turns and tokens of these participants."""
    return usage(
        speeches[speeches["participant"].isin(names)], turns[turns["participant"].isin(names)]
    )


#: The name under which all people are pooled, as in the Agent4Debate paper.
POOL = "Human"
#: The name of whoever debates against a speaker.
OPPONENTS = "all opponents"


def pooled_points(
    scores: pd.DataFrame, participants: Iterable[Participant], dimensions: Sequence[str]
) -> list[HeadToHead]:
    """Average the points of all people together against all participants of each framework.

    Debates among people or among models do not count (Table 5 of the paper).

    Args:
        scores: a row per debate and dimension, of one bench, as `head_to_head` takes it.
    """
    pools = {
        participant.name: POOL if participant.debater == PERSON else participant.debater
        for participant in participants
    }
    pooled = scores.assign(pro=scores["pro"].map(pools), con=scores["con"].map(pools))
    of_people = (pooled["pro"] == POOL) != (pooled["con"] == POOL)
    return head_to_head(pooled[of_people], dimensions)


def speaker_points(
    scores: pd.DataFrame, speakers: pd.DataFrame, dimensions: Sequence[str]
) -> list[HeadToHead]:
    """Average the points of each person, where several are rated as one participant.

    Args:
        scores: as for `pooled_points`.
        speakers: a row per debate and side of such a participant: debate_id, side, speaker.
    """
    rows = []
    for side, other in (("pro", "con"), ("con", "pro")):
        own = speakers.loc[speakers["side"] == side, ["debate_id", "speaker"]]
        spoken = scores.merge(own, on="debate_id").assign(**{other: OPPONENTS})
        rows.append(spoken.assign(**{side: spoken["speaker"]}))
    return [
        pair
        if pair.first != OPPONENTS
        else HeadToHead(
            first=pair.second,
            second=pair.first,
            debates=pair.debates,
            points={name: 3 - points for name, points in pair.points.items()},
        )
        for pair in head_to_head(pd.concat(rows), dimensions)
    ]
