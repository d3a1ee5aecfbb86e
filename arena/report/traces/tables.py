"""Tables of how speeches were made, beside what the papers publish.

Published: Zhang et al. 2024 (arXiv 2408.04472), Tables 8 and 9, of `agent4debate`; Liang et al.
2023 (arXiv 2305.19118) of `mad`: verdicts of 200 debates on one model, and the disagreement that
they measured at the highest level.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from arena.console.tables import Table
from arena.report.paper_source import TEAM
from arena.report.traces.interactions import AGENTS, OVERALL, PUBLISHED_TOKENS, PUBLISHED_TURNS
from arena.report.traces.steps import Making

_PUBLISHED = "published"
_HEAD = (
    "participant",
    "stage",
    "speeches",
    "turns",
    "tokens",
    "searches",
    "revisions",
    "repairs",
    "again",
    "flagged",
    "USD",
    "seconds",
)
_INNER = ("affirmative", "negative", "none", "disagreement", "diversity")
_NOTHING = "No debate is finished yet. Go on with: arena resume"
_NOTES = (
    "Means per speech of finished debates. A turn is an answer of a model, what was asked again "
    "included; tokens are completion tokens.",
    "Repairs: answers asked for again because of their form. Again: speeches asked for again "
    "because of their language, or because they spoke for both sides. Flagged: references that no "
    "search had given to the speaker. Seconds are those of all calls, added up: calls that run "
    "side by side take less.",
)


def making_tables(found: Sequence[Making], *, title: str) -> list[Table]:
    """All tables that there is something to tell in.

    Args:
        found: by participant and stage.
        title: of the tournament; stands before each table's own.
    """
    if not found:
        return [Table(title=title, head=(), rows=(), notes=(_NOTHING,))]
    tables = [_summary(found, title)]
    by_debater = sorted(found, key=lambda one: one.debater)
    for debater, own in groupby(by_debater, key=lambda one: one.debater):
        tables += _agents(list(own), debater, title)
    return [*tables, *_inner(found, title), *_events(found, title)]


def _summary(found: Sequence[Making], title: str) -> Table:
    alone = len({one.participant for one in found}) == 1
    shown = found if alone else _overall(found)
    return Table(
        title=f"{title} · speeches",
        head=_HEAD,
        rows=tuple((one.participant, one.stage, str(one.speeches), *_means(one)) for one in shown),
        labels=2,
        notes=_NOTES,
    )


def _overall(found: Sequence[Making]) -> Sequence[Making]:
    """Those of all stages together, where there are such; else all."""
    return [one for one in found if one.stage == OVERALL] or found


def _means(one: Making) -> Iterator[str]:
    means = one.means
    yield f"{means['turns']:.2f}"
    yield f"{means['tokens']:,.0f}"
    for what in ("searches", "revisions", "repairs", "again", "flagged"):
        yield f"{means[what]:.2f}"
    yield f"{means['usd']:.4f}"
    yield f"{means['seconds']:.2f}" if means["seconds"] >= 0.1 else f"{means['seconds']:.4f}"


def _agents(found: Sequence[Making], debater: str, title: str) -> Iterator[Table]:
    seen = list(dict.fromkeys(agent for one in found for agent in one.agents))
    if not seen:
        return
    if len(seen) == 1:  # who always writes alone does so in every stage
        found = _overall(found)
    team = debater == TEAM
    agents = [*AGENTS, *(one for one in seen if one not in AGENTS)] if team else seen
    rows = [
        (one.participant, one.stage, *cells)
        for one in found
        for cells in (
            ("turns", *_cells(one, agents, turns=True)),
            ("tokens", *_cells(one, agents, turns=False)),
        )
    ]
    stages = list(dict.fromkeys(one.stage for one in found))
    yield Table(
        title=f"{title} · agents of {debater}",
        head=("participant", "stage", "mean", *agents),
        rows=(*rows, *(_published(stages, len(agents)) if team else ())),
        labels=3,
        notes=(
            "Turns per speech, and completion tokens per turn.",
            *((f"{_PUBLISHED}: Zhang et al. 2024, Tables 8 and 9.",) if team else ()),
        ),
    )


def _cells(one: Making, agents: Sequence[str], *, turns: bool) -> Iterator[str]:
    for agent in agents:
        share = one.agents.get(agent)
        if turns:
            yield f"{share.turns if share else 0:.2f}"
        else:
            yield f"{share.tokens:,.0f}" if share else ""


def _published(stages: Sequence[str], columns: int) -> Iterator[tuple[str, ...]]:
    blank = ("",) * (columns - len(AGENTS))
    for stage in (one for one in stages if one in PUBLISHED_TURNS):
        yield _PUBLISHED, stage, "turns", *(f"{one:.2f}" for one in PUBLISHED_TURNS[stage]), *blank
        if stage == OVERALL:
            tokens = (f"{one:,.0f}" for one in PUBLISHED_TOKENS)
            yield _PUBLISHED, stage, "tokens", *tokens, *blank


def _inner(found: Sequence[Making], title: str) -> Iterator[Table]:
    rows = [
        (
            one.participant,
            one.stage,
            *(f"{count}" for count in one.inner.verdicts.values()),
            f"{one.inner.disagreement:.3f}",
            f"{one.inner.diversity:.1f}",
        )
        for one in found
        if one.inner is not None
    ]
    if rows:
        yield Table(
            title=f"{title} · inner debates",
            head=("participant", "stage", *_INNER),
            rows=(*rows, (_PUBLISHED, "", "87", "104", "9", "0.988", "")),
            labels=2,
            notes=(
                "Whose answer became the speech, by count; mean disagreement of adjacent "
                "positions, from 0 to 1; diversity of the final answer from the first one: "
                "100 - BLEU.",
                f"{_PUBLISHED}: Liang et al. 2023; the disagreement is that of level 3.",
            ),
        )


def _events(found: Sequence[Making], title: str) -> Iterator[Table]:
    seen = sorted({event for one in found for event in one.events})
    if seen:
        yield Table(
            title=f"{title} · caps and faults",
            head=("participant", "stage", "speeches", *seen),
            rows=tuple(
                (
                    one.participant,
                    one.stage,
                    str(one.speeches),
                    *(str(one.events.get(event, 0)) for event in seen),
                )
                for one in _overall(found)
                if one.events
            ),
            labels=2,
            notes=("Speeches in which it happened, as their traces say (`arena show`).",),
        )
