"""The tables of the Debate-to-Write paper, for an essay contest of this arena.

The paper is Hu, Chan, Li and Yin 2024 (arXiv 2406.19643). Its own figures stand in tables of their
own below ours, marked as published.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.config.resolve import ResolvedConfig
from arena.output.tables import Column, Table, tabulate
from arena.papers.essays.diversity import EMBEDDED, SENTENCES
from arena.papers.essays.marks import MeanMark
from arena.papers.essays.published import published_quality, published_rankings
from arena.papers.essays.report import (
    MARKING_JUDGE,
    DiscussionFlow,
    EssayDiversity,
    EssayFigures,
    PersonaTeam,
    RankedScore,
    read_diversity,
    read_figures,
    read_flows,
    read_ranked_scores,
    read_teams,
)
from arena.records import OFFLINE, Bench
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.text import plain

_UNKNOWN = "-"
_RANKED = ("persuasiveness", "overall")


def essay_tables(
    store: Store, resolved: ResolvedConfig, benches: Sequence[Bench]
) -> Iterator[Table]:
    """Yield the tables of an essay contest: of each bench that marks, of people, of discussions.

    Args:
        resolved: the contest in which the essays were written.
        benches: those of its benches to report.
    """
    diversity = read_diversity(store, resolved)
    marking = [bench.name for bench in benches if bench.judge == MARKING_JUDGE]
    for bench in marking or [""]:
        rows = read_figures(store, resolved, diversity, bench=bench)
        yield quality_table(rows, diversity, bench=bench, tournament=resolved.name, db=store.path)
    yield published_quality().as_table()
    yield ranking_table(
        read_ranked_scores(store, resolved), tournament=resolved.name, db=store.path
    )
    yield published_rankings().as_table()
    yield flow_table(read_flows(store, resolved))
    yield teams_table(read_teams(store, resolved))


# Table 1: quality and diversity.


def quality_table(
    rows: Sequence[EssayFigures],
    diversity: EssayDiversity,
    *,
    bench: str,
    tournament: str,
    db: Path,
) -> Table:
    """Return relevance, preference and the three figures of diversity by participant.

    Args:
        rows: by participant.
        diversity: how the essays were measured.
        bench: that marked them; '' for none.
        tournament: its name, for the commands in the notes.
    """
    return tabulate(
        _QUALITY,
        rows,
        title=f"{f'{bench}: q' if bench else 'Q'}uality and diversity of essays (Table 1)",
        notes=(
            "Relevance and preference: means of marks from 1 to 5, higher is better (↑). The "
            "others run from 0 to 100, lower is more diverse (↓).",
            *_marking_notes(rows, bench, tournament, db),
            *_diversity_notes(diversity, tournament, db),
        ),
    )


def _mark(read: Callable[[EssayFigures], MeanMark | None]) -> Callable[[EssayFigures], float]:
    def value(row: EssayFigures) -> float:
        mean = read(row)
        return math.nan if mean is None else mean.mark

    return value


def _metric(name: str) -> Callable[[EssayFigures], float]:
    def value(row: EssayFigures) -> float:
        return math.nan if row.diversity is None else row.diversity.figures[name].mean

    return value


def _format_number(value: float) -> str:
    return _UNKNOWN if math.isnan(value) else f"{value:.2f}"


_QUALITY: tuple[Column[EssayFigures], ...] = (
    Column(head="participant", read=lambda row: row.participant, label=True),
    Column(head="relevance ↑", read=_mark(lambda row: row.relevance), style=_format_number),
    Column(head="preference ↑", read=_mark(lambda row: row.preference), style=_format_number),
    Column(head="self-BLEU ↓", read=_metric("self_bleu"), style=_format_number),
    Column(head="self-Emb ↓", read=_metric("self_emb"), style=_format_number),
    Column(head="persp. ↓", read=_metric("perspective"), style=_format_number),
)


def _marking_notes(
    rows: Sequence[EssayFigures], bench: str, tournament: str, db: Path
) -> Iterator[str]:
    if not bench:
        yield f"No bench marks these essays. Add one with: {marking_command(tournament, db)}"
    elif all(row.relevance is None for row in rows):
        resume = command_line("resume", tournament, db=db)
        yield f"No essay has been marked yet. Continue with: {resume}"
    else:
        yield f"Intervals of the marks: {command_line('marks', db=db, tournament=tournament)}"


def marking_command(tournament: str, db: Path) -> str:
    """Return the command that adds a bench that marks essays."""
    bench = ("--judge", MARKING_JUDGE, "--model", "MODEL", "--runs", "1")
    return command_line("rejudge", tournament, *bench, db=db)


def _diversity_notes(diversity: EssayDiversity, tournament: str, db: Path) -> Iterator[str]:
    if not diversity.figures:
        yield (
            "No participant has written twice on one proposition yet, so there is no diversity to "
            "measure. Raise schedule.matchups_per_pair and run the file again."
        )
        return

    def _diversity(*options: str) -> str:
        return command_line("diversity", *options, db=db, tournament=tournament)

    number, means = diversity.compared.number, diversity.means
    essays = f"{number} essays of each participant on each proposition"
    if means.embedding == EMBEDDED or means.embedding.startswith(OFFLINE):
        yield (
            f"{essays}; their wording alone is compared, by hashed words. Meanings are measured "
            f"by: {_diversity('--embedding', 'MODEL', '--points', 'MODEL')}"
        )
        return
    points = "sentences chosen by a rule" if means.points == SENTENCES else means.points
    yield f"{essays}. Embedding: {means.embedding}; points: {points}. Intervals: {_diversity()}"


# Table 2: people's rankings.


@dataclass(frozen=True, slots=True, kw_only=True)
class _RankedRow:
    """People's rankings of one participant, by dimension."""

    participant: str
    scores: Mapping[str, RankedScore]


def ranking_table(
    scores: Mapping[str, Mapping[str, RankedScore]], *, tournament: str, db: Path
) -> Table:
    """Return the mean score and the share of first ranks, by participant and dimension.

    Args:
        scores: by participant and dimension.
        tournament: its name, for the command in the note.
    """
    sheets = ("rank", "sheet", "FOLDER", "--sample", "30")
    nothing = f"{_NO_RANKINGS}: {command_line(*sheets, db=db, tournament=tournament)}"
    rows = [_RankedRow(participant=name, scores=own) for name, own in scores.items()]
    return tabulate(
        _ranking_columns(),
        rows,
        title="People's rankings of essays: score / ranked first (Table 2)",
        notes=(_RANKING_NOTE if rows else nothing,),
    )


_RANKING_NOTE = (
    "Score: the mean of K − rank + 1 among K essays, higher is better; ranked first: the share of "
    "rankings in which no essay is better, ties included."
)
_NO_RANKINGS = "No person has ranked essays yet. Draw a sample and write sheets to fill in with"


def _ranking_columns() -> Iterator[Column[_RankedRow]]:
    def cell(dimension: str) -> Callable[[_RankedRow], str]:
        return lambda row: _format_score(row.scores.get(dimension))

    yield Column(head="participant", read=lambda row: row.participant, label=True)
    for dimension in _RANKED:
        yield Column(head=dimension, read=cell(dimension))
    yield Column(
        head="rankings", read=lambda row: max(score.rankings for score in row.scores.values())
    )
    yield Column(
        head="K", read=lambda row: max(score.essays for score in row.scores.values()), style=".3g"
    )


def _format_score(score: RankedScore | None) -> str:
    return _UNKNOWN if score is None else f"{score.score:.2f} / {score.first:.1%}"


# Figure 2: the flow of the discussions.


def flow_table(flows: Sequence[DiscussionFlow]) -> Table:
    """Return how often the turns of each agent support, oppose or open, and go back."""
    return tabulate(
        _FLOW,
        flows,
        title="Flow of the planning discussions: which turn takes up which (Figure 2)",
        notes=(_FLOW_NOTE if flows else _NO_FLOW,),
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
_FLOW: tuple[Column[DiscussionFlow], ...] = (
    Column(head="participant", read=lambda flow: flow.participant, label=True),
    Column(head="agent", read=lambda flow: flow.agent, label=True),
    Column(head="turns", read=lambda flow: flow.turns),
    Column(head="supports", read=lambda flow: flow.stances["supports"]),
    Column(head="opposes", read=lambda flow: flow.stances["opposes"]),
    Column(head="opens", read=lambda flow: flow.stances["opens"]),
    Column(head="back", read=lambda flow: flow.back / flow.turns, style=".0%"),
)


# Figure 3: teams for the same proposition.


@dataclass(frozen=True, slots=True, kw_only=True)
class _TeamMember:
    """One member of a team: the numbers of both, its persona and its claim."""

    team: int
    member: int
    persona: str
    claim: str


def teams_table(teams: Sequence[PersonaTeam]) -> Table:
    """Return the personas of several teams for one proposition."""
    rows = [
        _TeamMember(team=number, member=place, persona=_line(persona), claim=_line(claim))
        for number, team in enumerate(teams, start=1)
        for place, (persona, claim) in enumerate(team.personas, start=1)
    ]
    note = _NO_TEAMS
    if teams:
        note = f"Teams of {teams[0].participant}. Proposition: {_line(teams[0].proposition)}"
    return tabulate(
        _TEAM,
        rows,
        title="Personas chosen for essays on the same proposition (Figure 3)",
        notes=(note,),
    )


def _line(text: str) -> str:
    """Return a model's text on one line, without characters that move the cursor."""
    return " ".join(plain(text).split())


_NO_TEAMS = "No participant has chosen personas for two essays on one proposition."
_TEAM: tuple[Column[_TeamMember], ...] = (
    Column(head="team", read=lambda row: row.team, label=True),
    Column(head="member", read=lambda row: row.member, label=True),
    Column(head="persona", read=lambda row: row.persona, left=True, wraps=True),
    Column(head="claim", read=lambda row: row.claim, left=True, wraps=True),
)
