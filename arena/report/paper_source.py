"""The frames that the paper's tables are computed from, read from the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from arena.boards.selecting import all_debates

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.records import Participant
    from arena.store.database import Store

#: The framework whose agents are counted.
TEAM = "agent4debate"
#: The debater that stands for a person.
PERSON = "human"

_SEATS = """
    FROM debates d
    JOIN participants p ON p.tournament = d.tournament AND p.participant_id IN (d.pro, d.con)
    {joined}
    WHERE d.tournament = $tournament AND d.status = 'finished'
      AND (CASE {side} WHEN 'pro' THEN d.pro ELSE d.con END) = p.participant_id
"""
#: Finished debates `d`, participants `p` and their speeches `s`; further conditions join by AND.
SPEECHES = _SEATS.format(joined="JOIN speeches s USING (debate_id)", side="s.side")
#: The same with their calls `c`.
CALLS = _SEATS.format(
    joined="JOIN calls c ON c.unit = d.debate_id", side="split_part(c.path, '/', 1)"
)
#: The stage and the agent that the path of a call `c` names (`pro/constructive/writer/2`).
STAGE = "split_part(c.path, '/', 2)"
AGENT = "upper(split_part(c.path, '/', 3)[1]) || split_part(c.path, '/', 3)[2:]"

_TEAM = "AND p.debater = $team "
_SPEECHES = f"SELECT p.name AS participant, s.stage {SPEECHES} {_TEAM}"
_DIALOGUE = (
    "SELECT p.name AS participant, s.stage, 0 AS tokens, "
    f"unnest(json_extract_string(s.trace, '$[*].agent')) AS agent {SPEECHES} {_TEAM}"
)
_CALLS = (
    f"SELECT p.name AS participant, {STAGE} AS stage, c.path, c.unit, {AGENT} AS agent, "
    f"sum(c.output_tokens) AS tokens {CALLS} {_TEAM} GROUP BY ALL"
)
_SPEAKERS = (
    "SELECT DISTINCT s.debate_id, s.side, "
    f"json_extract_string(s.trace, '$[*].speaker')[1] AS speaker {SPEECHES} "
    "AND p.debater = $person AND speaker IS NOT NULL ORDER BY ALL"
)
_BALLOTS = """
    SELECT b.debate_id, b.bench, b.run, s.outcome,
           p.debater = $person OR c.debater = $person AS people
    FROM debates d
    JOIN ballots b ON b.debate_id = d.debate_id AND b.status = 'valid'
    JOIN ballot_scores s ON s.ballot_id = b.ballot_id AND s.dimension = 'overall'
    JOIN participants p ON p.participant_id = d.pro AND p.tournament = d.tournament
    JOIN participants c ON c.participant_id = d.con AND c.tournament = d.tournament
    WHERE d.tournament = $tournament AND d.status = 'finished'
    ORDER BY b.debate_id, b.bench, b.run
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TournamentFrames:
    """The frames of one tournament; only its finished debates count.

    Attributes:
        scores: a row per debate, bench and dimension that has all its ballots, as
            `arena.boards.comparisons.compared_debates` returns them.
        ballots: a row per ballot: debate_id, bench, run, outcome (overall, Pro's), people
            (whether a person debated).
        speeches: a row per speech of `agent4debate`: participant, stage.
        calls: a row per answer of its agents: participant, stage, agent, tokens (completion).
        dialogue: a row per turn of the agents' dialogue: the same columns, tokens 0.
        speakers: a row per debate and side of a participant of several people: debate_id, side,
            speaker.
    """

    scores: pd.DataFrame
    ballots: pd.DataFrame
    speeches: pd.DataFrame
    calls: pd.DataFrame
    dialogue: pd.DataFrame
    speakers: pd.DataFrame

    @property
    def verdicts(self) -> pd.DataFrame:
        """The overall outcomes (Pro's), a row per debate and bench."""
        overall = self.scores[self.scores["dimension"] == "overall"]
        return overall[["debate_id", "bench", "outcome"]]


def read_material(store: Store, resolved: ResolvedConfig) -> TournamentFrames:
    """Read all frames of a tournament."""
    team = {"tournament": resolved.name, "team": TEAM}
    return TournamentFrames(
        scores=all_debates(store, resolved),
        ballots=store.read(_BALLOTS, {"tournament": resolved.name, "person": PERSON}),
        speeches=store.read(_SPEECHES, team),
        calls=store.read(_CALLS, team),
        dialogue=store.read(_DIALOGUE, team),
        speakers=store.read(_SPEAKERS, {"tournament": resolved.name, "person": PERSON}),
    )


def whole_teams(resolved: ResolvedConfig) -> list[str]:
    """Return the names of the participants that play `agent4debate` with all four agents."""
    return [participant.name for participant in resolved.participants if _is_whole(participant)]


def _is_whole(participant: Participant) -> bool:
    agents = ("searcher", "analyzer", "reviewer")
    options = participant.options
    return participant.debater == TEAM and all(options.get(agent, True) for agent in agents)
