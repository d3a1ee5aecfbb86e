"""The tables of the Debate-to-Write paper, for an essay contest of this arena.

Hu, Chan, Li and Yin 2024 (arXiv 2406.19643): quality and diversity by framework (Table 1), people's
rankings (Table 2), the flow of the planning discussions (Figure 2) and teams of personas (Figure
3). The paper's own figures stand in tables of their own below ours, marked as published.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from arena.boards.selecting import participant_names
from arena.config.resolved import ResolvedConfig
from arena.config.stored import stored_config
from arena.output.tables import Table
from arena.papers.essays.diversity import (
    EMBEDDED,
    METRICS,
    SENTENCES,
    MeasuredEssays,
    MeasuringModels,
    measure_without_models,
    measuring_unit_id,
    summarize_diversity,
)
from arena.papers.essays.marks import MARKED, essay_marks
from arena.papers.essays.measurement import read_measured, stored_means
from arena.papers.essays.published import COLUMNS, published_quality, published_rankings
from arena.papers.essays.rank_sheets import DIMENSION, rankings_tournament
from arena.papers.essays.rankings import score_rankings
from arena.papers.essays.sets import ComparedEssays, choose_sets, order_of_pairing, read_essays
from arena.papers.judged_speeches import JudgedSpeech, read_judged_speeches
from arena.papers.paper_table import PaperTable, format_known, name
from arena.read.tournaments import find_tournament
from arena.records import OFFLINE, Bench
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.text import plain

#: The judge that marks essays.
MARKING_JUDGE = "marks"
#: The debater whose discussions are counted, and the relations of their turns.
_DISCUSSING, _STANCES = "debate_to_write", ("supports", "opposes", "opens")
_RANKED = (DIMENSION, "overall")

#: Teams that are shown of one proposition, as in the paper's Figure 3.
_TEAMS_SHOWN = 3


def essay_contest(store: Store, resolved: ResolvedConfig) -> ResolvedConfig:
    """Return the tournament in which the essays were written, of one with their rankings too."""
    source = resolved.config.tournament.ranks
    return stored_config(store, source) if source else resolved


def essay_tables(
    store: Store, resolved: ResolvedConfig, benches: Sequence[Bench]
) -> Iterator[Table]:
    """Yield the tables of an essay contest: of each bench that marks, of people, of discussions.

    Args:
        resolved: the contest in which the essays were written.
        benches: those of its benches to report.
    """
    compared = choose_sets(read_essays(store, resolved, participant_names(resolved)), None)
    means, measured = _measure(store, resolved, compared)
    diversity = {
        row.participant: {metric: row.figures[metric].mean for metric in METRICS}
        for row in summarize_diversity(measured)
    }
    diversity_note = _diversity_note(means, compared, resolved.name, store.path)
    marking = [bench.name for bench in benches if bench.judge == MARKING_JUDGE]
    for bench in marking or [""]:
        marks = _read_marks(store, resolved, bench)
        rows = [
            _Quality(participant=writer, figures=marks.get(writer, {}) | diversity.get(writer, {}))
            for writer in participant_names(resolved)
        ]
        yield _QUALITY.fill(
            rows,
            keys=COLUMNS.values(),
            title=f"{f'{bench}: q' if bench else 'Q'}uality and diversity of essays (Table 1)",
            further=[_marking_note(bench, marks, resolved.name, store.path), diversity_note],
        )
    yield published_quality().as_table()
    yield _ranking_table(store, resolved)
    yield published_rankings().as_table()
    yield _flow_table(store, resolved)
    yield _teams_table(store, resolved)


# Table 1: quality and diversity.


@dataclass(frozen=True, slots=True, kw_only=True)
class _Quality:
    """One participant's quality and diversity: what was marked and measured, by its name."""

    participant: str
    figures: Mapping[str, float]


_NAMES = {head: figure for figure, head in COLUMNS.items()}
_QUALITY: PaperTable[_Quality] = PaperTable(
    columns=(name("participant"),),
    cell=lambda row, head: format_known(row.figures.get(_NAMES[head], math.nan), ".2f"),
    notes=(
        "Relevance and preference: means of marks from 1 to 5, higher is better (↑). The others "
        "run from 0 to 100, lower is more diverse (↓).",
    ),
)


def _measure(
    store: Store, resolved: ResolvedConfig, compared: ComparedEssays
) -> tuple[MeasuringModels, Sequence[MeasuredEssays]]:
    """Read the newest measurement by models that covers all essays; measure without, else."""
    for means in stored_means(store, resolved.name):
        by_unit = read_measured(store, resolved.name, compared.sets, means)
        units = [measuring_unit_id(resolved.name, essays, means) for essays in compared.sets]
        if all(unit in by_unit for unit in units):
            return means, [by_unit[unit] for unit in units]
    return MeasuringModels(), [measure_without_models(essays) for essays in compared.sets]


def _read_marks(store: Store, resolved: ResolvedConfig, bench: str) -> dict[str, dict[str, float]]:
    """Return the mean marks that a bench gave, by participant and mark; "" is no bench."""
    marks: dict[str, dict[str, float]] = {}
    if bench:
        seed = resolved.config.tournament.seed
        for mean in essay_marks(store, resolved.name, bench=bench, seed=seed):
            marks.setdefault(mean.participant, {})[mean.dimension] = mean.mark
    return marks


def _marking_note(
    bench: str, marks: Mapping[str, Mapping[str, float]], tournament: str, db: Path
) -> str:
    if not bench:
        return f"No bench marks these essays. Add one with: {marking_command(tournament, db)}"
    if not any(MARKED[0] in own for own in marks.values()):
        resume = command_line("resume", tournament, db=db)
        return f"No essay has been marked yet. Continue with: {resume}"
    return f"Intervals of the marks: {command_line('marks', db=db, tournament=tournament)}"


def marking_command(tournament: str, db: Path) -> str:
    """Return the command that adds a bench that marks essays."""
    bench = ("--judge", MARKING_JUDGE, "--model", "MODEL", "--runs", "1")
    return command_line("rejudge", tournament, *bench, db=db)


def _diversity_note(
    means: MeasuringModels, compared: ComparedEssays, tournament: str, db: Path
) -> str:
    if not compared.sets:
        return (
            "No participant has written twice on one proposition yet, so there is no diversity to "
            "measure. Raise schedule.matchups_per_pair and run the file again."
        )
    essays = f"{compared.number} essays of each participant on each proposition"
    if means.embedding == EMBEDDED or means.embedding.startswith(OFFLINE):
        models = ("--embedding", "MODEL", "--points", "MODEL")
        command = command_line("diversity", *models, db=db, tournament=tournament)
        return (
            f"{essays}; their wording alone is compared, by hashed words. Meanings are measured "
            f"by: {command}"
        )
    points = "sentences chosen by a rule" if means.points == SENTENCES else means.points_by
    command = command_line("diversity", db=db, tournament=tournament)
    return f"{essays}. Embedding: {means.embedding}; points: {points}. Intervals: {command}"


# Table 2: people's rankings.


def _ranking_table(store: Store, resolved: ResolvedConfig) -> Table:
    """Return the mean score and the share of first ranks, by participant and dimension."""
    ranked = rankings_tournament(resolved.name)
    rows: list[tuple[str, ...]] = []
    if find_tournament(store, ranked):
        means = score_rankings(store, stored_config(store, ranked))
        most = means.groupby("participant")[["rankings", "essays"]].max()
        scores = {
            (row["participant"], row["dimension"]): f"{row['score']:.2f} / {row['first']:.1%}"
            for row in means.to_dict("records")
        }
        rows = [
            (
                writer,
                *(scores.get((writer, dimension), "-") for dimension in _RANKED),
                str(most["rankings"][writer]),
                f"{most['essays'][writer]:.3g}",
            )
            for writer in participant_names(resolved)
            if writer in most.index
        ]
    sheet = command_line(
        *("rank", "sheet", "FOLDER", "--sample", "30"), db=store.path, tournament=resolved.name
    )
    note = (
        "Score: the mean of K − rank + 1 among K essays, higher is better; ranked first: the share "
        "of rankings in which no essay is better, ties included."
        if rows
        else "No person has ranked essays yet. Draw a sample and write sheets to fill in with: "
        f"{sheet}"
    )
    return Table(
        title="People's rankings of essays: score / ranked first (Table 2)",
        head=("participant", *_RANKED, "rankings", "K"),
        rows=tuple(rows),
        notes=(note,),
    )


# Figure 2: the flow of the discussions.


def _discussions(
    store: Store, resolved: ResolvedConfig, key: Callable[[JudgedSpeech], tuple[object, ...]]
) -> Iterator[tuple[str, str, Sequence[Mapping[str, Any]]]]:
    """Yield participant, proposition and trace of the essays that were discussed, sorted."""
    for each in sorted(read_judged_speeches(store, resolved.name), key=key):
        if each.debater == _DISCUSSING:
            yield each.participant, each.debate.motion, each.speech.trace


def _flow_table(store: Store, resolved: ResolvedConfig) -> Table:
    """Count how often the numbered turns of each agent support, oppose or open, and go back."""
    discussions = _discussions(
        store, resolved, lambda each: (each.participant, each.debate.debate_id, each.speech.side)
    )
    turns = pd.DataFrame(
        [(writer, *turn) for writer, _, trace in discussions for turn in _relations(trace)],
        columns=["participant", "agent", "stance", "back"],
    )
    rows = []
    for (writer, agent), own in turns.groupby(["participant", "agent"], sort=False):
        counts = own["stance"].value_counts()
        stances = [str(counts.get(stance, 0)) for stance in _STANCES]
        rows.append((str(writer), str(agent), str(len(own)), *stances, f"{own['back'].mean():.0%}"))
    return Table(
        title="Flow of the planning discussions: which turn takes up which (Figure 2)",
        head=("participant", "agent", "turns", *_STANCES, "back"),
        rows=tuple(rows),
        labels=2,
        notes=(_FLOW_NOTE if rows else _NO_FLOW,),
    )


_FLOW_NOTE = (
    "Turns that support or oppose an earlier turn, or open a line of their own; back: the share "
    "that takes up another turn than the one just before. Each discussion with its turns: arena "
    "show ID --trace"
)
_NO_FLOW = (
    'No discussion names its relations. A participant with debater = "debate_to_write" and '
    "options = { flow = true } does: each turn first says which one it takes up, and its stance."
)


def _relations(trace: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str, bool]]:
    """Yield the agent and the stance of each numbered turn, and whether it goes back."""
    for step in trace:
        turn, answers = step.get("turn"), step.get("answers")
        if isinstance(turn, int) and isinstance(answers, int) and step.get("stance") in _STANCES:
            yield str(step.get("agent")), str(step["stance"]), 0 < answers < turn - 1


# Figure 3: teams for the same proposition.


def _teams_table(store: Store, resolved: ResolvedConfig) -> Table:
    """Return the first teams of one participant for the first proposition on which it has two."""
    teams: dict[tuple[str, str], list[list[tuple[str, str]]]] = {}
    for writer, proposition, trace in _discussions(store, resolved, order_of_pairing):
        if personas := list(_chosen_personas(trace)):
            teams.setdefault((writer, proposition), []).append(personas)
    several = (key for key, own in teams.items() if len(own) > 1)
    (writer, proposition) = key = next(several, ("", ""))
    note = f"Teams of {writer}. Proposition: {_line(proposition)}"
    return Table(
        title="Personas chosen for essays on the same proposition (Figure 3)",
        head=("team", "member", "persona", "claim"),
        rows=tuple(
            (str(number), str(place), _line(persona), _line(claim))
            for number, personas in enumerate(teams.get(key, [])[:_TEAMS_SHOWN], start=1)
            for place, (persona, claim) in enumerate(personas, start=1)
        ),
        labels=2,
        left=(True,) * 4,
        wraps=(False, False, True, True),
        notes=(note if writer else _NO_TEAMS,),
    )


_NO_TEAMS = "No participant has chosen personas for two essays on one proposition."


def _chosen_personas(trace: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield description and claim of each persona of a team. They come from a model."""
    for step in trace:
        pool = step.get("pool", [])
        for number in step.get("chosen", []) if step.get("agent") == "Personas" else []:
            yield pool[number - 1]["description"], pool[number - 1]["claim"]


def _line(text: str) -> str:
    """Return a model's text on one line, without characters that move the cursor."""
    return " ".join(plain(text).split())
