"""Tables of how speeches were made, with the figures that papers publish of the same debaters.

Published are: of `agent4debate`, Tables 8 and 9 of Zhang et al. 2024 (arXiv 2408.04472); of `mad`,
from Liang et al. 2023 (arXiv 2305.19118), the verdicts of 200 debates on one model, and the
disagreement measured at the highest level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import methodcaller
from typing import TYPE_CHECKING

from arena.languages import ENGLISH
from arena.languages.language import making_words
from arena.output.tables import Column, Table, tabulate
from arena.report.paper_source import TEAM
from arena.report.traces.interactions import AGENTS, OVERALL, PUBLISHED_TOKENS, PUBLISHED_TURNS

if TYPE_CHECKING:
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
#: Verdicts of 200 debates, and the disagreement at level 3 (Liang et al. 2023).
_PUBLISHED_INNER = {
    "participant": _PUBLISHED,
    "affirmative": "87",
    "negative": "104",
    "none": "9",
    "disagreement": "0.988",
}

#: A line of a table, its cells by their heading; one without a cell stays blank there.
_Line = Mapping[str, str]


def making_tables(makings: Sequence[SpeechMaking], *, title: str) -> list[Table]:
    """Return every table that has something to show.

    Args:
        title: of the tournament; stands before each table's own.
    """
    alone = len({making.participant for making in makings}) == 1
    rows = makings if alone else _overall(makings)
    tables = [tabulate(_SUMMARY, rows, title=f"{title} · speeches", notes=_NOTES)]
    by_debater = sorted(makings, key=lambda making: making.debater)
    for debater, own in groupby(by_debater, key=lambda making: making.debater):
        tables += _agent_tables(list(own), debater, title)
    return [*tables, *_inner_tables(makings, title), *_event_tables(makings, title)]


def _mean(name: str, style: str | Callable[[float], str] = ".2f") -> Column[SpeechMaking]:
    return Column(head=name, read=lambda making: making.means[name], style=style)


def _format_seconds(seconds: float) -> str:
    return f"{seconds:.2f}" if seconds >= 0.1 else f"{seconds:.4f}"


_WHOSE: tuple[Column[SpeechMaking], ...] = (
    Column(head="participant", read=lambda making: making.participant, label=True),
    Column(head="stage", read=lambda making: making.stage, label=True),
    Column(head="speeches", read=lambda making: making.speeches),
)
_SUMMARY: tuple[Column[SpeechMaking], ...] = (
    *_WHOSE,
    _mean("turns"),
    _mean("tokens", ",.0f"),
    *map(_mean, ("searches", "revisions", "repairs", "again", "flagged")),
    Column(head="USD", read=lambda making: making.means["usd"], style=".4f"),
    _mean("seconds", _format_seconds),
)


def _overall(makings: Sequence[SpeechMaking]) -> Sequence[SpeechMaking]:
    """Return those of all stages together, where there are any; else all."""
    return [making for making in makings if making.stage == OVERALL] or makings


def _columns(labels: Iterable[str], others: Iterable[str]) -> Iterator[Column[_Line]]:
    for heads, is_label in ((labels, True), (others, False)):
        for head in heads:
            yield Column(head=head, read=methodcaller("get", head, ""), label=is_label)


def _agent_tables(makings: Sequence[SpeechMaking], debater: str, title: str) -> Iterator[Table]:
    """Yield the table of a debater's agents, unless nobody answered."""
    seen = list(dict.fromkeys(agent for making in makings for agent in making.agents))
    if not seen:
        return
    if len(seen) == 1:  # a single agent writes alone in every stage
        makings = _overall(makings)
    team = AGENTS if debater == TEAM else ()
    agents = [*team, *(agent for agent in seen if agent not in team)]
    rows = [row for making in makings for row in _agent_lines(making, agents)]
    notes = ["Turns per speech, and completion tokens per turn."]
    if team:
        rows += _published_lines(dict.fromkeys(making.stage for making in makings))
        notes.append(f"{_PUBLISHED}: Zhang et al. 2024, Tables 8 and 9.")
    yield tabulate(
        _columns(("participant", "stage", "mean"), agents),
        rows,
        title=f"{title} · agents of {debater}",
        notes=notes,
    )


def _agent_lines(making: SpeechMaking, agents: Sequence[str]) -> Iterator[_Line]:
    own = {"participant": making.participant, "stage": making.stage}
    turns = {agent: making.agents[agent].turns if agent in making.agents else 0 for agent in agents}
    tokens = {agent: share.tokens for agent, share in making.agents.items()}
    yield own | {"mean": "turns"} | {agent: f"{mean:.2f}" for agent, mean in turns.items()}
    yield own | {"mean": "tokens"} | {agent: f"{mean:,.0f}" for agent, mean in tokens.items()}


def _published_lines(stages: Iterable[str]) -> Iterator[_Line]:
    for stage in stages:
        own = {"participant": _PUBLISHED, "stage": stage}
        if stage in PUBLISHED_TURNS:
            turns = zip(AGENTS, PUBLISHED_TURNS[stage], strict=True)
            yield own | {"mean": "turns"} | {agent: f"{mean:.2f}" for agent, mean in turns}
        if stage == OVERALL:
            tokens = zip(AGENTS, PUBLISHED_TOKENS, strict=True)
            yield own | {"mean": "tokens"} | {agent: f"{mean:,.0f}" for agent, mean in tokens}


def _inner_tables(makings: Sequence[SpeechMaking], title: str) -> Iterator[Table]:
    """Yield the table of the inner debates of `mad`, if there are any."""
    rows: list[_Line] = [
        {
            "participant": making.participant,
            "stage": making.stage,
            **{verdict: str(count) for verdict, count in making.inner.verdicts.items()},
            "disagreement": f"{making.inner.disagreement:.3f}",
            "diversity": f"{making.inner.diversity:.1f}",
        }
        for making in makings
        if making.inner is not None
    ]
    if rows:
        measures = ("affirmative", "negative", "none", "disagreement", "diversity")
        yield tabulate(
            _columns(("participant", "stage"), measures),
            [*rows, _PUBLISHED_INNER],
            title=f"{title} · inner debates",
            notes=(
                "How often whose answer became the speech; mean disagreement of adjacent "
                "positions, from 0 to 1; diversity of the final answer from the first one: 100 - "
                "BLEU.",
                f"{_PUBLISHED}: Liang et al. 2023; the disagreement is that of level 3.",
            ),
        )


def _event_tables(makings: Sequence[SpeechMaking], title: str) -> Iterator[Table]:
    """Yield the table of caps and faults, if there are any."""

    def column(event: str) -> Column[SpeechMaking]:
        return Column(head=_format_event(event), read=lambda making: making.events.get(event, 0))

    if events := sorted({event for making in makings for event in making.events}):
        yield tabulate(
            [*_WHOSE, *map(column, events)],
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
