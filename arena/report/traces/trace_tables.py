"""Tables of how speeches were made, with the figures that papers publish of the same debaters.

Published are: of `agent4debate`, Tables 8 and 9 of Zhang et al. 2024 (arXiv 2408.04472); of `mad`,
from Liang et al. 2023 (arXiv 2305.19118), the verdicts of 200 debates on one model, and the
disagreement measured at the highest level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from arena.languages import ENGLISH
from arena.languages.language import making_words
from arena.output.tables import Column, Table, tabulate
from arena.report.paper_source import TEAM
from arena.report.traces.interactions import AGENTS, OVERALL, PUBLISHED_TOKENS, PUBLISHED_TURNS
from arena.report.traces.steps import SpeechMaking

_PUBLISHED = "published"
_NOTES = (
    "Means per speech of finished debates. A turn is one answer of a model, answers to repeated "
    "requests included; tokens are completion tokens.",
    "Repairs: answers requested again because of their form. Again: speeches requested again "
    "because of their language, or because they spoke for both sides. Flagged: references that no "
    "search had given to the speaker. Seconds: the sum over all calls; calls that run in parallel "
    "take less time.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _AgentMeans:
    """One line of the agents' table: means of a participant's or a paper's agents.

    Attributes:
        mean: of what, turns or tokens.
    """

    participant: str
    stage: str
    mean: str
    cells: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _InnerRow:
    """One line of the inner debates' table, its cells by their heading."""

    participant: str
    stage: str
    cells: Mapping[str, str]


#: Verdicts of 200 debates, and the disagreement at level 3 (Liang et al. 2023).
_PUBLISHED_INNER = _InnerRow(
    participant=_PUBLISHED,
    stage="",
    cells={"affirmative": "87", "negative": "104", "none": "9", "disagreement": "0.988"},
)


def making_tables(makings: Sequence[SpeechMaking], *, title: str) -> list[Table]:
    """Return every table that has something to show.

    Args:
        makings: by participant and stage; at least one.
        title: of the tournament; stands before each table's own.
    """
    tables = [_summary_table(makings, title)]
    by_debater = sorted(makings, key=lambda making: making.debater)
    for debater, own in groupby(by_debater, key=lambda making: making.debater):
        tables += _agent_tables(list(own), debater, title)
    return [*tables, *_inner_tables(makings, title), *_event_tables(makings, title)]


def _mean(name: str) -> Callable[[SpeechMaking], float]:
    return lambda making: making.means[name]


def _format_seconds(seconds: float) -> str:
    return f"{seconds:.2f}" if seconds >= 0.1 else f"{seconds:.4f}"


_WHOSE: tuple[Column[SpeechMaking], ...] = (
    Column(head="participant", read=lambda making: making.participant, label=True),
    Column(head="stage", read=lambda making: making.stage, label=True),
    Column(head="speeches", read=lambda making: making.speeches),
)
_SUMMARY: tuple[Column[SpeechMaking], ...] = (
    *_WHOSE,
    Column(head="turns", read=_mean("turns"), style=".2f"),
    Column(head="tokens", read=_mean("tokens"), style=",.0f"),
    Column(head="searches", read=_mean("searches"), style=".2f"),
    Column(head="revisions", read=_mean("revisions"), style=".2f"),
    Column(head="repairs", read=_mean("repairs"), style=".2f"),
    Column(head="again", read=_mean("again"), style=".2f"),
    Column(head="flagged", read=_mean("flagged"), style=".2f"),
    Column(head="USD", read=_mean("usd"), style=".4f"),
    Column(head="seconds", read=_mean("seconds"), style=_format_seconds),
)


def _summary_table(makings: Sequence[SpeechMaking], title: str) -> Table:
    alone = len({making.participant for making in makings}) == 1
    rows = makings if alone else _overall(makings)
    return tabulate(_SUMMARY, rows, title=f"{title} · speeches", notes=_NOTES)


def _overall(makings: Sequence[SpeechMaking]) -> Sequence[SpeechMaking]:
    """Return those of all stages together, where there are any; else all."""
    return [making for making in makings if making.stage == OVERALL] or makings


def _agent_tables(makings: Sequence[SpeechMaking], debater: str, title: str) -> Iterator[Table]:
    """Yield the table of a debater's agents, unless nobody answered."""
    seen = list(dict.fromkeys(agent for making in makings for agent in making.agents))
    if not seen:
        return
    if len(seen) == 1:  # a single agent writes alone in every stage
        makings = _overall(makings)
    team = debater == TEAM
    agents = [*AGENTS, *(agent for agent in seen if agent not in AGENTS)] if team else seen
    rows = [row for making in makings for row in _agent_means(making, agents)]
    if team:
        rows += _published_means(dict.fromkeys(making.stage for making in makings))
    source = (f"{_PUBLISHED}: Zhang et al. 2024, Tables 8 and 9.",) if team else ()
    yield tabulate(
        _agent_columns(agents),
        rows,
        title=f"{title} · agents of {debater}",
        notes=("Turns per speech, and completion tokens per turn.", *source),
    )


def _agent_columns(agents: Sequence[str]) -> Iterator[Column[_AgentMeans]]:
    def cell(agent: str) -> Callable[[_AgentMeans], str]:
        return lambda row: row.cells.get(agent, "")

    yield Column(head="participant", read=lambda row: row.participant, label=True)
    yield Column(head="stage", read=lambda row: row.stage, label=True)
    yield Column(head="mean", read=lambda row: row.mean, label=True)
    for agent in agents:
        yield Column(head=agent, read=cell(agent))


def _agent_means(making: SpeechMaking, agents: Sequence[str]) -> Iterator[_AgentMeans]:
    shares = making.agents
    turns = {agent: shares[agent].turns if agent in shares else 0 for agent in agents}
    tokens = {agent: share.tokens for agent, share in shares.items()}
    for mean, means, style in (("turns", turns, ".2f"), ("tokens", tokens, ",.0f")):
        yield _AgentMeans(
            participant=making.participant,
            stage=making.stage,
            mean=mean,
            cells={agent: format(value, style) for agent, value in means.items()},
        )


def _published_means(stages: Mapping[str, None]) -> Iterator[_AgentMeans]:
    for stage in stages:
        for mean, published, style in (
            ("turns", PUBLISHED_TURNS.get(stage), ".2f"),
            ("tokens", PUBLISHED_TOKENS if stage == OVERALL else None, ",.0f"),
        ):
            if published is not None:
                cells = (format(value, style) for value in published)
                yield _AgentMeans(
                    participant=_PUBLISHED,
                    stage=stage,
                    mean=mean,
                    cells=dict(zip(AGENTS, cells, strict=True)),
                )


def _inner_tables(makings: Sequence[SpeechMaking], title: str) -> Iterator[Table]:
    """Yield the table of the inner debates of `mad`, if there are any."""
    rows = [row for making in makings for row in _inner_rows(making)]
    if rows:
        yield tabulate(
            _inner_columns(),
            [*rows, _PUBLISHED_INNER],
            title=f"{title} · inner debates",
            notes=(
                "How often whose answer became the speech; mean disagreement of adjacent "
                "positions, from 0 to 1; diversity of the final answer from the first one: 100 - "
                "BLEU.",
                f"{_PUBLISHED}: Liang et al. 2023; the disagreement is that of level 3.",
            ),
        )


def _inner_columns() -> Iterator[Column[_InnerRow]]:
    def cell(head: str) -> Callable[[_InnerRow], str]:
        return lambda row: row.cells.get(head, "")

    yield Column(head="participant", read=lambda row: row.participant, label=True)
    yield Column(head="stage", read=lambda row: row.stage, label=True)
    for head in ("affirmative", "negative", "none", "disagreement", "diversity"):
        yield Column(head=head, read=cell(head))


def _inner_rows(making: SpeechMaking) -> Iterator[_InnerRow]:
    if making.inner is not None:
        cells = {verdict: str(count) for verdict, count in making.inner.verdicts.items()}
        cells["disagreement"] = f"{making.inner.disagreement:.3f}"
        cells["diversity"] = f"{making.inner.diversity:.1f}"
        yield _InnerRow(participant=making.participant, stage=making.stage, cells=cells)


def _event_tables(makings: Sequence[SpeechMaking], title: str) -> Iterator[Table]:
    """Yield the table of caps and faults, if there are any."""

    def count(event: str) -> Callable[[SpeechMaking], int]:
        return lambda making: making.events.get(event, 0)

    events = sorted({event for making in makings for event in making.events})
    if events:
        named = (Column(head=_format_event(event), read=count(event)) for event in events)
        columns = [*_WHOSE, *named]
        yield tabulate(
            columns,
            [making for making in _overall(makings) if making.events],
            title=f"{title} · caps and faults",
            notes=(
                "Number of speeches in which it happened, according to their traces (`arena "
                "show`).",
            ),
        )


def _format_event(event: str) -> str:
    """Format an event for the head of its column."""
    words, (kind, _, name) = making_words(ENGLISH), event.partition(" ")
    match kind:
        case "cap":
            return words.cap(name)
        case "fault":
            return words.fault(name)
    return event
