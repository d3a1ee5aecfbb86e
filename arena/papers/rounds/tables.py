"""The tables of inner debates and self-reflections, with the published figures below ours."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from arena.config.resolve import ResolvedConfig
from arena.output.tables import Column, Table, tabulate
from arena.papers.metrics import estimator_note
from arena.papers.published import PublishedTable, published_table
from arena.papers.rounds.measures import (
    IterationDisagreement,
    IterationQuality,
    disagreement_by_iteration,
    quality_by_iteration,
)
from arena.papers.rounds.played import (
    REASONING,
    OutcomeRow,
    PlayedRounds,
    choose_wrong,
    read_rounds,
)
from arena.papers.rounds.work import MAD
from arena.records import Bench
from arena.store.database import Store
from arena.translation.estimators import Estimator

_Row = TypeVar("_Row")
PAPER = "mad"
_NO_ROUNDS = (
    "No rounds are stored: only mad and self_reflect work in rounds, and answers made before "
    "rounds were stored have none."
)
_BY_BENCH = "Right is what the bench finds right."
_INTERVAL = "95 % interval"
_CLUSTERED = "Intervals count the answers to one question as a cluster."


def _format_known(style: str) -> Callable[[float], str]:
    """Return a function that formats a number in this style, and NaN as a dash."""
    return lambda value: "-" if math.isnan(value) else format(value, style)


def _interval(style: str) -> Callable[[tuple[float, float]], str]:
    """Return a function that formats an interval, and an unknown one as a dash."""
    return lambda ends: "-" if math.isnan(ends[0]) else f"{ends[0]:{style}} to {ends[1]:{style}}"


_share = _format_known(".3f")
_percent = _format_known(".1%")
_tenth = _format_known(".1f")

#: Figure 1: disagreement per iteration.
DISAGREEMENT: tuple[Column[IterationDisagreement], ...] = (
    Column(head="participant", key="participant", read=lambda row: row.participant, label=True),
    Column(head="iteration", key="iteration", read=lambda row: row.iteration, label=True),
    Column(
        head="disagreement",
        key="disagreement",
        read=lambda row: row.disagreement,
        style=_share,
        digits=6,
    ),
    Column(head=_INTERVAL, read=lambda row: (row.lower, row.upper), style=_interval(".2f")),
    Column(key="lower", read=lambda row: row.lower, digits=6),
    Column(key="upper", read=lambda row: row.upper, digits=6),
    Column(
        head="other answer",
        key="differing",
        read=lambda row: row.differing,
        style=_percent,
        digits=6,
    ),
    Column(head="answers", key="answers", read=lambda row: row.answers),
)


def has_translations(rows: Sequence[IterationQuality]) -> bool:
    """Return whether any of the answers are translations."""
    return any(not math.isnan(row.chrf) for row in rows)


#: Figure 3: quality per iteration.
QUALITY: tuple[Column[IterationQuality], ...] = (
    Column(head="participant", key="participant", read=lambda row: row.participant, label=True),
    Column(
        head="after iteration",
        key="iteration",
        read=lambda row: row.iteration,
        style=lambda number: "delivered" if number is None else str(number),
        label=True,
    ),
    Column(
        head="accuracy", key="accuracy", read=lambda row: row.accuracy, style=_percent, digits=6
    ),
    Column(head=_INTERVAL, read=lambda row: (row.lower, row.upper), style=_interval(".0%")),
    Column(key="lower", read=lambda row: row.lower, digits=6),
    Column(key="upper", read=lambda row: row.upper, digits=6),
    Column(
        head="chrF",
        key="chrf",
        read=lambda row: row.chrf,
        style=_tenth,
        digits=6,
        shown=has_translations,
    ),
    Column(head="answers", key="answers", read=lambda row: row.answers),
)


def _chrf_known(rows: Sequence[OutcomeRow]) -> bool:
    return any(not math.isnan(row.outcome.chrf) for row in rows)


_NAME: Column[OutcomeRow] = Column(
    head="participant", key="participant", read=lambda row: row.outcome.participant, label=True
)
_ACCURACY: Column[OutcomeRow] = Column(
    head="accuracy",
    key="accuracy",
    read=lambda row: row.outcome.accuracy,
    style=_percent,
    digits=6,
)
_ENDS: tuple[Column[OutcomeRow], ...] = (
    Column(
        head=_INTERVAL,
        read=lambda row: (row.outcome.lower, row.outcome.upper),
        style=_interval(".0%"),
    ),
    Column(key="lower", read=lambda row: row.outcome.lower, digits=6),
    Column(key="upper", read=lambda row: row.outcome.upper, digits=6),
)
_CHRF: Column[OutcomeRow] = Column(
    head="chrF",
    key="chrf",
    read=lambda row: row.outcome.chrf,
    style=_tenth,
    digits=6,
    shown=_chrf_known,
)
_ANSWERS: Column[OutcomeRow] = Column(
    head="answers", key="answers", read=lambda row: row.outcome.answers
)

#: Figure 4: levels of disagreement.
LEVELS: tuple[Column[OutcomeRow], ...] = (
    _NAME,
    Column(head="level", key="level", read=lambda row: row.level, label=True),
    _ACCURACY,
    *_ENDS,
    _CHRF,
    Column(
        head="disagreement",
        key="disagreement",
        read=lambda row: row.outcome.disagreement,
        style=_share,
        digits=6,
    ),
    Column(
        head="rounds", key="rounds", read=lambda row: row.outcome.rounds, style=_tenth, digits=6
    ),
    _ANSWERS,
)


def _model(role: str, head: str) -> Column[OutcomeRow]:
    return Column(head=head, key=f"{role}_model", read=lambda row: row.models[role], left=True)


def _verdict(verdict: str) -> Column[OutcomeRow]:
    return Column(head=verdict, key=verdict, read=lambda row: row.outcome.verdicts[verdict])


#: Table 7: judge and debater models.
VERDICT_COUNTS: tuple[Column[OutcomeRow], ...] = (
    _NAME,
    _model("affirmative", "affirmative model"),
    _model("negative", "negative model"),
    _model("judge", "judge"),
    *(_verdict(verdict) for verdict in ("affirmative", "negative", "none")),
    Column(
        head="own model",
        key="own_model",
        read=lambda row: row.own_share,
        style=_percent,
        digits=6,
    ),
    _ACCURACY,
    *_ENDS,
    _CHRF,
    _ANSWERS,
)

#: Table 4 of the version at EMNLP 2024: bias and diversity.
DEGENERATION: tuple[Column[OutcomeRow], ...] = (
    _NAME,
    Column(head="debater", key="debater", read=lambda row: row.debater, label=True),
    Column(head="bias", key="bias", read=lambda row: row.outcome.bias, style=_tenth, digits=6),
    Column(
        head="diversity",
        key="diversity",
        read=lambda row: row.outcome.diversity,
        style=_tenth,
        digits=6,
    ),
    Column(
        head="delivered",
        key="final_diversity",
        read=lambda row: row.outcome.final_diversity,
        style=_tenth,
        digits=6,
    ),
    _ANSWERS,
)


def disagreement_table(
    rows: Sequence[IterationDisagreement], *, title: str, questions: str
) -> Table:
    """Return the disagreement per iteration.

    Args:
        rows: by participant and iteration.
        questions: a sentence on which questions count.
    """
    notes = (
        questions,
        "Disagreement: mean of the stances that debaters state to the position before theirs, from "
        "0 (agree) to 1; of self_reflect, 1 where the critic asks for a revision. Other answer: "
        "share of answers that differ from the one before.",
        "An accepted answer stands, which counts as agreement in later iterations; a debate that "
        "its judge ends has no later ones (adaptive_break = false plays them all).",
        f"{_CLUSTERED} Of fewer than six questions it is the range of their means.",
    )
    return _fill(DISAGREEMENT, rows, title, notes)


def quality_columns(estimators: Sequence[Estimator]) -> list[Column[IterationQuality]]:
    """Return the columns of the quality per iteration, with one for each estimator."""
    return [*QUALITY, *map(_estimate_column, estimators)]


def _estimate_column(estimator: Estimator) -> Column[IterationQuality]:
    return Column(
        head=estimator.name,
        key=f"{estimator.kind}:{estimator.model}",
        read=lambda row: row.estimates[estimator.label],
        style=_share,
        digits=6,
    )


def quality_table(
    rows: Sequence[IterationQuality], *, title: str, estimators: Sequence[Estimator] = ()
) -> Table:
    """Return the quality per iteration."""
    notes = (
        "Accuracy by the accepted answers, of translations by the closest reference (chrF); no "
        f"judge has seen the answers before the one delivered. 0 is the first answer. {_CLUSTERED}",
        "A judge that may end the debate gives no answer in every round; with adaptive_break = "
        "false it gives one.",
    )
    named = [*notes, *map(estimator_note, estimators)]
    return _fill(quality_columns(estimators), rows, title, named)


def levels_table(rows: Sequence[OutcomeRow], *, title: str) -> Table:
    """Return what every level of disagreement leads to, in the order of levels."""
    debates = sorted(
        (row for row in rows if row.level is not None),
        key=lambda row: (row.level, row.outcome.participant),
    )
    notes = (
        f"{_BY_BENCH} {_CLUSTERED}",
        "Disagreement: mean of the stances of a whole debate, 0 to 1.",
    )
    return _fill(LEVELS, debates, title, notes)


def verdicts_table(rows: Sequence[OutcomeRow], *, title: str) -> Table:
    """Return whose answer the judge took, by the models of debaters and judge."""
    debates = [row for row in rows if row.debater == MAD]
    notes = (
        "How often whose answer was delivered. Own model: where one debater alone has the judge's "
        f"model, its share of the answers that are a debater's. {_BY_BENCH} {_CLUSTERED}",
    )
    return _fill(VERDICT_COUNTS, debates, title, notes)


def degeneration_table(rows: Sequence[OutcomeRow], *, title: str) -> Table:
    """Return bias and diversity of every participant that works in rounds."""
    notes = (
        "Bias: percentage of answers that the bench finds wrong; lower is better. Diversity: 100 - "
        "BLEU of the first answer and the last response to it (by the negative side, or the last "
        "revision), higher is more diverse; delivered: the same with the answer delivered.",
    )
    return _fill(DEGENERATION, rows, title, notes)


def published(*tables: str) -> list[PublishedTable]:
    """Return published tables of the paper by their ids."""
    return [published_table(PAPER, table) for table in tables]


def _fill(
    columns: Sequence[Column[_Row]], rows: Sequence[_Row], title: str, notes: Sequence[str]
) -> Table:
    return tabulate(columns, rows, title=title, notes=notes if rows else (_NO_ROUNDS,))


def rounds_tables(store: Store, resolved: ResolvedConfig, benches: Sequence[Bench]) -> list[Table]:
    """Return the tables of a tournament that asks questions, the published ones below ours.

    Disagreement (Figure 1) is that of the questions that the first participant of `cot` gets wrong,
    or of all where there is none; levels (Figure 4) need participants of different levels.

    Args:
        benches: each has its own tables, but for the disagreement, which is the first one's.
    """
    tables: list[Table] = []
    for number, bench in enumerate(benches):
        played = read_rounds(store, resolved, bench.name)
        if number == 0:
            tables.append(_disagreement(played))
        tables += _tables_by_bench(played)
    return tables


def _disagreement(played: PlayedRounds) -> Table:
    debaters = {participant.debater for participant in played.resolved.participants}
    made, questions = (
        choose_wrong(played, None)
        if REASONING in debaters
        else (played.made, "All questions count.")
    )
    rows = disagreement_by_iteration(made)
    title = "Disagreement per iteration (Figure 1)"
    return disagreement_table(rows, title=title, questions=questions)


def _tables_by_bench(played: PlayedRounds) -> Iterator[Table]:
    bench, outcomes = played.bench, played.outcomes()
    quality = quality_by_iteration(played.made)
    yield quality_table(quality, title=f"{bench}: quality per iteration (Figure 3)")
    yield from _published("T3" if has_translations(quality) else "T5")
    if len({row.level for row in outcomes if row.level is not None}) > 1:
        yield levels_table(outcomes, title=f"{bench}: levels of disagreement (Figure 4)")
        yield from _published("F4")
    yield verdicts_table(outcomes, title=f"{bench}: verdicts by models (Table 7)")
    yield from _published("T7")
    yield degeneration_table(outcomes, title=f"{bench}: bias and diversity (EMNLP 2024, Table 4)")
    yield from _published("E4")


def _published(table: str) -> Iterator[Table]:
    for entry in published(table):
        yield entry.as_table()
