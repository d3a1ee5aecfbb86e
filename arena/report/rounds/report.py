"""All figures and tables of the multi-agent debate paper that a tournament has rounds for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.config.resolve import ResolvedConfig
from arena.console.tables import Table
from arena.records import Bench
from arena.report.rounds.measures import disagreement_by_iteration
from arena.report.rounds.played import REASONING, PlayedRounds, choose_wrong, read_rounds
from arena.report.rounds.quality import quality_by_iteration
from arena.report.rounds.tables import (
    degeneration_table,
    disagreement_table,
    has_translations,
    levels_table,
    published,
    quality_table,
    verdicts_table,
)
from arena.store.database import Store


def rounds_tables(store: Store, resolved: ResolvedConfig, benches: Sequence[Bench]) -> list[Table]:
    """Return the tables of a tournament that asks questions, the published ones below ours.

    Disagreement (Figure 1) is that of the questions that the first participant of `cot` gets wrong,
    or of all where there is none; levels (Figure 4) need participants of different levels.

    Args:
        store: the database.
        resolved: the tournament.
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
