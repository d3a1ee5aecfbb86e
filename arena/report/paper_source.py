"""The frames that the paper's tables are computed from, read from the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from arena.boards.selecting import all_debates
from arena.boards.selection import Selection
from arena.languages import SIDES
from arena.read.outcomes import read_outcomes
from arena.read.selected import Narrowing
from arena.read.traces import read_traces

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.records import Participant
    from arena.store.database import Store

#: The framework whose agents are counted.
TEAM = "agent4debate"
#: The debater that stands for a person.
PERSON = "human"


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
    traced = read_traces(store, resolved.name)
    team, turns = (frame[frame["debater"] == TEAM] for frame in (traced.speeches, traced.turns))
    dialogue = team.explode("agents").dropna(subset="agents").rename(columns={"agents": "agent"})
    people = traced.speeches[traced.speeches["debater"] == PERSON].dropna(subset="speaker")
    place = ["debate_id", "side", "speaker"]
    speakers = people.rename(columns={"unit": "debate_id"})[place]
    selection = Selection(tournament=resolved.name, bench="all")
    outcomes = read_outcomes(store, selection, Narrowing(statuses=("finished",)))
    is_person = [outcomes[f"{side}_debater"] == PERSON for side in SIDES]
    return TournamentFrames(
        scores=all_debates(store, resolved),
        ballots=outcomes.assign(people=is_person[0] | is_person[1]),
        speeches=team[["participant", "stage"]],
        calls=turns[["participant", "stage", "agent", "tokens"]],
        dialogue=dialogue.assign(tokens=0)[["participant", "stage", "agent", "tokens"]],
        speakers=speakers.drop_duplicates().sort_values(place),
    )


def whole_teams(resolved: ResolvedConfig) -> list[str]:
    """Return the names of the participants that play `agent4debate` with all four agents."""
    return [participant.name for participant in resolved.participants if _is_whole(participant)]


def _is_whole(participant: Participant) -> bool:
    agents = ("searcher", "analyzer", "reviewer")
    options = participant.options
    return participant.debater == TEAM and all(options.get(agent, True) for agent in agents)
