"""People's rankings of K essays: stored as ballots on all pairs of a sheet, and their scores.

The score is that of Hu et al. 2024 (Debate-to-Write, arXiv 2406.19643): K − rank + 1, ties allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from arena.config.resolve import ResolvedConfig
from arena.config.stored import stored_config
from arena.errors import ConfigError, VotesRefused
from arena.essays.rank_sheets import BENCH, RankSheet, rankings_tournament, read_sheets
from arena.people.sessions import VotingSession, voting_session
from arena.people.votes import Vote, cast_votes
from arena.people.voting import voting_tasks
from arena.records import digest
from arena.store.command_lines import command_line
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
        ranks: by dimension and letter; a lower number is better, equal numbers are ties.
        where: file and row that it comes from, the head of messages: `ranks.csv: row 2, `.
    """

    sheet_id: str
    voter: str
    ranks: Mapping[str, Mapping[str, float]]
    where: str = ""


def ranking_session(store: Store, resolved: ResolvedConfig, *, voter: str = "") -> VotingSession:
    """Open the session of a person who ranks essays.

    Args:
        store: the database.
        resolved: a contest of essays, or the tournament that holds its sheets.
        voter: a pseudonym; '' for everybody.

    Raises:
        ConfigError: no sheets were made of these essays.
    """
    if not resolved.config.tournament.ranks:
        name = rankings_tournament(resolved.name)
        query = "SELECT tournament FROM tournaments WHERE tournament = $name"
        if not store.rows(query, {"name": name}):
            sheet = ("rank", "sheet", "FOLDER")
            raise ConfigError(
                f"tournament {resolved.name!r} has no sheets of essays to rank. Make them first: "
                f"{command_line(*sheet, db=store.path, tournament=resolved.name)}"
            )
        resolved = stored_config(store, name)
    return voting_session(store, resolved, BENCH, voter=voter)


def open_sheets(session: VotingSession) -> list[RankSheet]:
    """Return the sheets that lack rankings and that the person of a session has not ranked.

    Those with the fewest rankings stand first; among equals, every person has an order of their
    own.
    """
    tasks = {task.debate_id: task for task in voting_tasks(session)}
    waiting: list[tuple[int, str, RankSheet]] = []
    for sheet in read_sheets(session.store, session.resolved):
        pairs = [tasks[debate_id] for debate_id in sheet.pairs.values()]
        if all(pair.waits for pair in pairs):
            votes = min(pair.votes for pair in pairs)
            waiting.append((votes, digest(session.person, sheet.sheet_id), sheet))
    return [sheet for _, _, sheet in sorted(waiting, key=lambda item: item[:2])]


def store_rankings(session: VotingSession, rankings: Sequence[Ranking]) -> int:
    """Store rankings as ballots on the pairs of their sheets, all or none.

    Args:
        session: in the tournament that holds the sheets, for its bench of people.
        rankings: of its sheets.

    Returns:
        The number of ballots.

    Raises:
        VotesRefused: somebody ranks a sheet twice, or gives no pseudonym.
    """
    known = {sheet.sheet_id: sheet for sheet in read_sheets(session.store, session.resolved)}
    voters = {ranking.voter for ranking in rankings}
    voted = {voter: _voted_debates(replace(session, person=voter)) for voter in voters}
    faults = [
        f"{ranking.where}voter: {ranking.voter!r} has already ranked sheet {ranking.sheet_id}"
        for ranking in rankings
        if voted[ranking.voter] & set(known[ranking.sheet_id].pairs.values())
    ]
    if faults:
        raise VotesRefused(faults)
    votes = [
        vote
        for ranking in rankings
        for vote in _pair_votes(ranking, known[ranking.sheet_id], session.dimensions)
    ]
    cast_votes(session, votes)
    return len(votes)


def score_rankings(store: Store, ranked: ResolvedConfig) -> pd.DataFrame:
    """Return the mean scores of stored rankings, by dimension and participant, the best first.

    Columns: dimension, participant, score (the mean of K − rank + 1, with 1 + the number of better
    essays as the rank: the Borda score with ties as Debate-to-Write counts them), first (share of
    rankings in which nothing is better), rankings (their number), essays (mean K).
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


def _voted_debates(session: VotingSession) -> set[str]:
    """Return the debates that the person of a session has voted on."""
    return {task.debate_id for task in voting_tasks(session) if task.voted}


def _pair_votes(ranking: Ranking, sheet: RankSheet, dimensions: Sequence[str]) -> Iterator[Vote]:
    """Yield a vote on each pair of a sheet: the essay with the lower rank wins."""
    for (first, second), debate_id in sheet.pairs.items():
        yield Vote(
            debate_id=debate_id,
            voter=ranking.voter,
            outcomes={
                name: outcome_of(ranking.ranks[name][second] - ranking.ranks[name][first])
                for name in dimensions
            },
            where=ranking.where,
        )
