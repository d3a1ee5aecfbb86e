"""The tables of inner debates and self-reflections, with the published figures below ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TypeVar

from arena.config.resolved import ResolvedConfig
from arena.output.tables import Column, Table
from arena.papers.paper_table import PaperTable, interval, is_known, measure, name
from arena.papers.published import published_table
from arena.papers.rounds.measures import (
    VERDICTS,
    IterationDisagreement,
    IterationQuality,
    Outcome,
    disagreement_by_iteration,
    quality_by_iteration,
)
from arena.papers.rounds.played import REASONING, PlayedRounds, choose_wrong, read_rounds
from arena.papers.rounds.work import MAD
from arena.records import Bench
from arena.store.database import Store

_Row = TypeVar("_Row")
#: The paper's file of published figures.
PAPER = "mad"
_NO_ROUNDS = (
    "No rounds are stored: only mad and self_reflect work in rounds, and answers made before "
    "rounds were stored have none."
)
_BY_BENCH = "Right is what the bench finds right."
_CLUSTERED = "Intervals count the answers to one question as a cluster."
#: What is said where no selection of questions was made.
ALL_QUESTIONS = "All questions count."

#: A measure as programs get it, with six decimals.
_measure = partial(measure, digits=6)
_NAME, _ANSWERS = name("participant"), measure("answers")
_ACCURACY = (_measure("accuracy", ".1%"), *interval(".0%", digits=6))
_CHRF = _measure("chrf", ".1f", head="chrF", optional=True)

#: Figure 1: disagreement per iteration.
DISAGREEMENT: PaperTable[IterationDisagreement] = PaperTable(
    columns=(
        _NAME,
        name("iteration"),
        _measure("disagreement", ".3f"),
        *interval(".2f", digits=6),
        _measure("differing", ".1%", head="other answer"),
        _ANSWERS,
    ),
    notes=(
        "{questions}",
        "Disagreement: mean of the stances that debaters state to the position before theirs, from "
        "0 (agree) to 1; of self_reflect, 1 where the critic asks for a revision. Other answer: "
        "share of answers that differ from the one before.",
        "An accepted answer stands, which counts as agreement in later iterations; a debate that "
        "its judge ends has no later ones (adaptive_break = false plays them all).",
        f"{_CLUSTERED} Of fewer than six questions it is the range of their means.",
    ),
    empty=_NO_ROUNDS,
)
#: Figure 3: quality per iteration.
QUALITY: PaperTable[IterationQuality] = PaperTable(
    columns=(
        _NAME,
        name(
            "iteration",
            head="after iteration",
            style=lambda number: "delivered" if number is None else str(number),
        ),
        *_ACCURACY,
        _CHRF,
        _ANSWERS,
    ),
    notes=(
        "Accuracy by the accepted answers, of translations by the closest reference (chrF); no "
        f"judge has seen the answers before the one delivered. 0 is the first answer. {_CLUSTERED}",
        "A judge that may end the debate gives no answer in every round; with adaptive_break = "
        "false it gives one.",
    ),
    empty=_NO_ROUNDS,
)
#: Figure 4: levels of disagreement.
LEVELS: PaperTable[Outcome] = PaperTable(
    columns=(
        _NAME,
        name("level"),
        *_ACCURACY,
        _CHRF,
        _measure("disagreement", ".3f"),
        _measure("rounds", ".1f"),
        _ANSWERS,
    ),
    notes=(
        f"{_BY_BENCH} {_CLUSTERED}",
        "Disagreement: mean of the stances of a whole debate, 0 to 1.",
    ),
    empty=_NO_ROUNDS,
)


def _model(role: str, head: str) -> Column[Outcome]:
    return Column(head=head, key=f"{role}_model", read=lambda row: row.models[role], left=True)


def _verdict(verdict: str) -> Column[Outcome]:
    return Column(head=verdict, key=verdict, read=lambda row: row.verdicts[verdict])


#: Table 7: judge and debater models.
VERDICT_COUNTS: PaperTable[Outcome] = PaperTable(
    columns=(
        _NAME,
        _model("affirmative", "affirmative model"),
        _model("negative", "negative model"),
        _model("judge", "judge"),
        *map(_verdict, VERDICTS),
        _measure("own_model", ".1%", head="own model"),
        *_ACCURACY,
        _CHRF,
        _ANSWERS,
    ),
    notes=(
        "How often whose answer was delivered. Own model: where one debater alone has the judge's "
        f"model, its share of the answers that are a debater's. {_BY_BENCH} {_CLUSTERED}",
    ),
    empty=_NO_ROUNDS,
)
#: Table 4 of the version at EMNLP 2024: bias and diversity.
DEGENERATION: PaperTable[Outcome] = PaperTable(
    columns=(
        _NAME,
        name("debater"),
        _measure("bias", ".1f"),
        _measure("diversity", ".1f"),
        _measure("final_diversity", ".1f", head="delivered"),
        _ANSWERS,
    ),
    notes=(
        "Bias: percentage of answers that the bench finds wrong; lower is better. Diversity: 100 - "
        "BLEU of the first answer and the last response to it (by the negative side, or the last "
        "revision), higher is more diverse; delivered: the same with the answer delivered.",
    ),
    empty=_NO_ROUNDS,
)


def by_level(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return the outcomes that have a level of disagreement, in the order of levels."""
    leveled = (row for row in outcomes if row.level is not None)
    return sorted(leveled, key=lambda row: (row.level, row.participant))


def published_quality(rows: Sequence[IterationQuality]) -> str:
    """Return the id of the published table of quality, of translations or of questions."""
    return "T3" if is_known(row.chrf for row in rows) else "T5"


def rounds_tables(
    store: Store, resolved: ResolvedConfig, benches: Sequence[Bench]
) -> Iterator[Table]:
    """Yield the tables of a tournament that asks questions, the published ones below ours.

    Disagreement (Figure 1) is that of the questions that the first participant of `cot` gets wrong,
    or of all where there is none; levels (Figure 4) need participants of different levels.

    Args:
        benches: each has its own tables, but for the disagreement, which is the first one's.
    """
    for number, bench in enumerate(benches):
        played = read_rounds(store, resolved, bench.name)
        if number == 0:
            yield _disagreement(played)
        yield from _tables_by_bench(played)


def _disagreement(played: PlayedRounds) -> Table:
    debaters = {participant.debater for participant in played.resolved.participants}
    made, questions = (
        choose_wrong(played, None) if REASONING in debaters else (played.made, ALL_QUESTIONS)
    )
    title = "Disagreement per iteration (Figure 1)"
    return DISAGREEMENT.fill(disagreement_by_iteration(made), title=title, questions=questions)


def _tables_by_bench(played: PlayedRounds) -> Iterator[Table]:
    def with_published(
        layout: PaperTable[_Row], rows: Sequence[_Row], subject: str, published: str
    ) -> Iterator[Table]:
        yield layout.fill(rows, title=f"{played.bench}: {subject}")
        yield published_table(PAPER, published).as_table()

    outcomes, quality = played.outcomes(), quality_by_iteration(played.made)
    subject = "quality per iteration (Figure 3)"
    yield from with_published(QUALITY, quality, subject, published_quality(quality))
    levels = by_level(outcomes)
    if len({row.level for row in levels}) > 1:
        yield from with_published(LEVELS, levels, "levels of disagreement (Figure 4)", "F4")
    debates = [row for row in outcomes if row.debater == MAD]
    yield from with_published(VERDICT_COUNTS, debates, "verdicts by models (Table 7)", "T7")
    subject = "bias and diversity (EMNLP 2024, Table 4)"
    yield from with_published(DEGENERATION, outcomes, subject, "E4")
