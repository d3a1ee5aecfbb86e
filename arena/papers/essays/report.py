"""The figures of an essay contest as Debate-to-Write reports them, read from the store.

Hu, Chan, Li and Yin 2024 (arXiv 2406.19643): quality and diversity by framework (Table 1), people's
rankings (Table 2), and how the turns of a planning discussion relate (Figure 2).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.boards.selecting import participant_names
from arena.config.resolve import ResolvedConfig
from arena.config.stored import stored_config
from arena.papers.essays.diversity import (
    Diversity,
    MeasuredEssays,
    MeasuringModels,
    measure_without_models,
    measuring_unit_id,
    summarize_diversity,
)
from arena.papers.essays.marks import MeanMark, essay_marks
from arena.papers.essays.measurement import read_measured
from arena.papers.essays.rank_sheets import rankings_tournament
from arena.papers.essays.rankings import score_rankings
from arena.papers.essays.sets import ComparedEssays, choose_sets, read_essays
from arena.store.database import Store

#: The judge that marks essays.
MARKING_JUDGE = "marks"
#: The debater whose discussions are counted, and the relations of their turns.
DISCUSSING, STANCES = "debate_to_write", ("supports", "opposes", "opens")

_MEANS = """
    SELECT embedding, points_by FROM diversity WHERE tournament = $tournament
    GROUP BY ALL ORDER BY max(measured_at) DESC
"""
_DISCUSSIONS = """
    SELECT p.name AS participant, s.trace
    FROM debates d
    JOIN speeches s USING (debate_id)
    JOIN participants p ON p.tournament = d.tournament
        AND p.participant_id = if(s.side = 'pro', d.pro, d.con)
    WHERE d.tournament = $tournament AND d.status = 'finished' AND p.debater = $debater
    ORDER BY p.name, d.debate_id, s.side
"""
_TEAMS = """
    SELECT p.name AS participant, m.text AS proposition, s.trace
    FROM debates d
    JOIN speeches s USING (debate_id)
    JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
    JOIN participants p ON p.tournament = d.tournament
        AND p.participant_id = if(s.side = 'pro', d.pro, d.con)
    WHERE d.tournament = $tournament AND d.status = 'finished' AND p.debater = $debater
    ORDER BY d.motion_id, d.language, p.name, d.repeat, d.leg, d.debate_id
"""
#: Teams that are shown of one proposition, as in the paper's Figure 3.
_TEAMS_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class EssayFigures:
    """One participant's quality and diversity; None for what was not marked or measured."""

    participant: str
    relevance: MeanMark | None
    preference: MeanMark | None
    diversity: Diversity | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EssayDiversity:
    """The diversity of all participants' essays.

    Attributes:
        means: the models that measured, or that none did.
        figures: by participant.
    """

    means: MeasuringModels
    compared: ComparedEssays
    figures: Mapping[str, Diversity]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedScore:
    """People's rankings of one participant on one dimension.

    Attributes:
        score: mean of K − rank + 1 among K essays.
        first: share of the rankings in which nothing is better, 0 to 1.
        essays: mean K.
    """

    score: float
    first: float
    rankings: int
    essays: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscussionFlow:
    """How the turns of one agent relate to earlier ones.

    Attributes:
        agent: `Member` or `Critic`.
        stances: number of turns by stance, one of `STANCES`.
        back: number of turns that take up another turn than the one just before.
    """

    participant: str
    agent: str
    stances: Mapping[str, int]
    back: int

    @property
    def turns(self) -> int:
        """Number of turns."""
        return sum(self.stances.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaTeam:
    """The personas that were chosen for one essay. Their texts come from a model.

    Attributes:
        personas: description and claim of each member.
    """

    participant: str
    proposition: str
    personas: tuple[tuple[str, str], ...]


def essay_contest(store: Store, resolved: ResolvedConfig) -> ResolvedConfig:
    """Return the tournament in which the essays were written, of one with their rankings too."""
    source = resolved.config.tournament.ranks
    return stored_config(store, source) if source else resolved


def read_diversity(store: Store, resolved: ResolvedConfig) -> EssayDiversity:
    """Read the newest measurement by models that covers all essays; measure without, else."""
    names = participant_names(resolved)
    compared = choose_sets(read_essays(store, resolved, names), None)
    means, measured = _measure(store, resolved, compared)
    figures = {row.participant: row for row in summarize_diversity(measured)}
    return EssayDiversity(means=means, compared=compared, figures=figures)


def _measure(
    store: Store, resolved: ResolvedConfig, compared: ComparedEssays
) -> tuple[MeasuringModels, Sequence[MeasuredEssays]]:
    for row in store.rows(_MEANS, {"tournament": resolved.name}):
        means = MeasuringModels(embedding=row["embedding"], points=row["points_by"])
        by_unit = read_measured(store, resolved.name, compared.sets, means)
        units = [measuring_unit_id(resolved.name, essays, means) for essays in compared.sets]
        if all(unit in by_unit for unit in units):
            return means, [by_unit[unit] for unit in units]
    return MeasuringModels(), [measure_without_models(essays) for essays in compared.sets]


def read_figures(
    store: Store, resolved: ResolvedConfig, diversity: EssayDiversity, *, bench: str
) -> list[EssayFigures]:
    """Return quality and diversity of every participant, in the order of the configuration.

    Args:
        resolved: an essay contest.
        bench: the name of a bench that marks essays; '' for none.
    """
    seed = resolved.config.tournament.seed
    means = essay_marks(store, resolved.name, bench=bench, seed=seed) if bench else []
    marks = {(mean.participant, mean.dimension): mean for mean in means}
    return [
        EssayFigures(
            participant=name,
            relevance=marks.get((name, "relevance")),
            preference=marks.get((name, "preference")),
            diversity=diversity.figures.get(name),
        )
        for name in participant_names(resolved)
    ]


def read_ranked_scores(store: Store, resolved: ResolvedConfig) -> dict[str, dict[str, RankedScore]]:
    """Return people's rankings by participant (as configured) and dimension; empty for none."""
    name = rankings_tournament(resolved.name)
    query = "SELECT tournament FROM tournaments WHERE tournament = $name"
    if not store.rows(query, {"name": name}):
        return {}
    means = score_rankings(store, stored_config(store, name)).to_dict("records")
    scores: dict[str, dict[str, RankedScore]] = {}
    for row in means:
        scores.setdefault(str(row["participant"]), {})[str(row["dimension"])] = RankedScore(
            score=row["score"],
            first=row["first"],
            rankings=int(row["rankings"]),
            essays=row["essays"],
        )
    return {name: scores[name] for name in participant_names(resolved) if name in scores}


def read_flows(store: Store, resolved: ResolvedConfig) -> list[DiscussionFlow]:
    """Count the relations of turns in the discussions that name them, by participant and agent."""
    rows = store.rows(_DISCUSSIONS, {"tournament": resolved.name, "debater": DISCUSSING})
    counts: dict[tuple[str, str], tuple[Counter[str], Counter[str]]] = {}
    for row in rows:
        for agent, stance, back in _relations(json.loads(row["trace"])):
            stances, backs = counts.setdefault((row["participant"], agent), (Counter(), Counter()))
            stances[stance] += 1
            backs["back"] += back
    return [
        DiscussionFlow(
            participant=participant,
            agent=agent,
            stances={stance: stances[stance] for stance in STANCES},
            back=backs["back"],
        )
        for (participant, agent), (stances, backs) in counts.items()
    ]


def read_teams(store: Store, resolved: ResolvedConfig) -> list[PersonaTeam]:
    """Return the first teams of one participant for the first proposition on which it has two."""
    rows = store.rows(_TEAMS, {"tournament": resolved.name, "debater": DISCUSSING})
    by_essays: dict[tuple[str, str], list[PersonaTeam]] = {}
    for row in rows:
        participant, proposition = row["participant"], row["proposition"]
        if personas := tuple(_chosen_personas(json.loads(row["trace"]))):
            by_essays.setdefault((participant, proposition), []).append(
                PersonaTeam(participant=participant, proposition=proposition, personas=personas)
            )
    several = (teams for teams in by_essays.values() if len(teams) > 1)
    return next(several, [])[:_TEAMS_SHOWN]


def _chosen_personas(trace: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    for step in trace:
        pool = step.get("pool", [])
        for number in step.get("chosen", []) if step.get("agent") == "Personas" else []:
            yield pool[number - 1]["description"], pool[number - 1]["claim"]


def _relations(trace: Sequence[Mapping[str, object]]) -> Iterator[tuple[str, str, bool]]:
    """Yield the agent and the stance of each numbered turn, and whether it goes back."""
    for step in trace:
        turn, answers = step.get("turn"), step.get("answers")
        if isinstance(turn, int) and isinstance(answers, int) and step.get("stance") in STANCES:
            back = 0 < answers < turn - 1
            yield str(step.get("agent")), str(step["stance"]), back
