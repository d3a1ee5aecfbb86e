"""People's rankings of K essays: stored as ballots on all pairs of a sheet, and scored.

The score is that of Hu et al. 2024 (Debate-to-Write, arXiv 2406.19643): K − rank + 1, ties allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from arena.boards.selection import dimensions
from arena.config.resolve import ResolvedConfig
from arena.errors import VotesRefused
from arena.essays.rank_sheets import BENCH, RankSheet, sheets
from arena.people.votes import Vote, cast
from arena.people.voting import people_bench, polls
from arena.records import Bench
from arena.store.database import Store
from ratings import CON_WINS, PRO_WINS, outcome_of

_RANKED = """
    SELECT d.matchup_id AS sheet, b.voter, s.dimension, s.outcome, p.name AS pro, c.name AS con
    FROM debates d
    JOIN ballots b ON b.debate_id = d.debate_id AND b.bench = $bench AND b.status = 'valid'
    JOIN ballot_scores s ON s.ballot_id = b.ballot_id
    JOIN participants p ON p.participant_id = d.pro AND p.tournament = d.tournament
    JOIN participants c ON c.participant_id = d.con AND c.tournament = d.tournament
    WHERE d.tournament = $tournament
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """One person's ranking of a sheet.

    Attributes:
        ranks: by dimension and letter; a lower rank is better, equal ranks are ties.
        where: its place in a file, for messages.
    """

    sheet_id: str
    voter: str
    ranks: Mapping[str, Mapping[str, float]]
    where: str = ""


def cast_rankings(store: Store, ranked: ResolvedConfig, rankings: Sequence[Ranking]) -> int:
    """Store rankings as ballots on the pairs of their sheets, all or none; return their number.

    Raises:
        VotesRefused: somebody ranks a sheet twice, or gives no pseudonym.
    """
    bench = people_bench(ranked, BENCH)
    known = {sheet.sheet_id: sheet for sheet in sheets(store, ranked)}
    voters = {ranking.voter for ranking in rankings}
    voted = {voter: _voted_debates(store, ranked, bench, voter) for voter in voters}
    faults = [
        f"{ranking.where}voter: {ranking.voter!r} has ranked sheet {ranking.sheet_id} already"
        for ranking in rankings
        if voted[ranking.voter] & set(known[ranking.sheet_id].pairs.values())
    ]
    if faults:
        raise VotesRefused(faults)
    votes = [
        vote for ranking in rankings for vote in _votes(ranking, known[ranking.sheet_id], bench)
    ]
    cast(store, ranked, bench, votes)
    return len(votes)


def scores(store: Store, ranked: ResolvedConfig) -> pd.DataFrame:
    """Score the rankings, by dimension and participant, the best first.

    Returns:
        A frame with the columns dimension; participant; score, the mean of K − rank + 1, where an
        essay's rank is 1 + the number of better essays (the Borda score with ties as
        Debate-to-Write counts them); first, the share of rankings in which no essay is better;
        rankings, their number; essays, the mean of K.
    """
    rows = store.read(_RANKED, {"tournament": ranked.name, "bench": BENCH})
    sides = [
        rows.assign(participant=rows[side], lost=rows["outcome"] == loss)
        for side, loss in (("pro", CON_WINS), ("con", PRO_WINS))
    ]
    places = (
        pd.concat(sides)
        .groupby(["dimension", "sheet", "voter", "participant"], as_index=False)
        .agg(lost=("lost", "sum"), met=("lost", "size"))
    )
    places = places.assign(
        essays=places["met"] + 1,
        score=places["met"] + 1 - places["lost"],
        first=(places["lost"] == 0).astype(float),
    )
    means = places.groupby(["dimension", "participant"], as_index=False).agg(
        score=("score", "mean"),
        first=("first", "mean"),
        rankings=("score", "size"),
        essays=("essays", "mean"),
    )
    order = ["dimension", "score", "participant"]
    return means.sort_values(order, ascending=[True, False, True], ignore_index=True)


def _voted_debates(store: Store, ranked: ResolvedConfig, bench: Bench, voter: str) -> set[str]:
    """Return the ids of the debates that a person has voted on."""
    tasks = polls(store, ranked, bench, voter=voter)
    return {task.debate_id for task in tasks if task.voted}


def _votes(ranking: Ranking, sheet: RankSheet, bench: Bench) -> Iterator[Vote]:
    for (first, second), debate_id in sheet.pairs.items():
        yield Vote(
            debate_id=debate_id,
            voter=ranking.voter,
            outcomes={
                name: outcome_of(ranking.ranks[name][second] - ranking.ranks[name][first])
                for name in dimensions(bench)
            },
            where=ranking.where,
        )
