"""Everything that a report says, collected from a stored tournament."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from arena.boards.board import Board, Surroundings, make_board, read_surroundings
from arena.boards.comparisons import compared_debates
from arena.boards.covariates import select_for_model
from arena.boards.matrix import Matrix, matrix
from arena.boards.method import STORED
from arena.boards.next_dollars import suggest_sentence
from arena.boards.rating import rate
from arena.boards.selecting import scope
from arena.boards.selection import Selection
from arena.boards.states import Participation
from arena.read.attention import Matter, find_circles
from arena.read.run_status import read_status
from arena.read.schedule_results import ScheduleResult, read_schedule_result
from arena.read.work_counts import Totals, totals
from arena.report.debate_list import read_debates
from arena.report.motion_list import motion_table
from arena.report.overview.answers import (
    AnsweredQuestion,
    JudgeAgreement,
    SideAdvantage,
    board_answers,
    judges_agreement,
    side_advantage,
)
from arena.report.overview.changes import (
    Changes,
    State,
    changes_since,
    complete,
    last_state,
    state_at,
    state_of,
)
from arena.report.overview.failures import (
    FailedDebate,
    Failure,
    failed_debates,
    failures,
)
from arena.report.overview.reading_list import Reading, pick_readings
from arena.report.spending import ModelUse, model_uses
from arena.store.command_lines import command_line
from arena.store.spending import Bill, read_bill
from arena.text import counted

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.store.database import Store


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Report:
    """What a report says.

    Attributes:
        asked: what the tournament asks, a sentence each.
        ending: why the last run ended, or that one goes on; '' where nothing is known of a run.
        availability: how the debates of each participant ended, by name.
        matters: what needs attention, the worst first.
        schedule: what the schedule itself has decided; `None` where it decides nothing.
        answers: who is first on the main board, then all else that was asked.
        next_steps: what to do next, a sentence each, with its command or ''.
        matrix: who won against whom; `None` with fewer than two participants.
        motions: what each motion tells, as `motion_table` has it; `None` of imported battles, whose
            motions are often all different.
        bill: what all of it has cost, unfinished debates and ballots included.
        db: the database, for the commands in it to be copied.
    """

    resolved: ResolvedConfig
    at: datetime
    asked: tuple[str, ...]
    ending: str
    matters: tuple[Matter, ...]
    schedule: ScheduleResult | None
    answers: tuple[AnsweredQuestion, ...]
    next_steps: tuple[tuple[str, str], ...]
    board: Board
    changes: Changes
    total: Totals
    bill: Bill
    uses: tuple[ModelUse, ...]
    failures: tuple[Failure, ...]
    failed: tuple[FailedDebate, ...]
    availability: Mapping[str, Participation]
    matrix: Matrix | None
    motions: pd.DataFrame | None
    sides: SideAdvantage
    agreement: JudgeAgreement
    readings: tuple[Reading, ...]
    db: Path
    state: State


def make_report(
    store: Store, resolved: ResolvedConfig, *, at: datetime, since: datetime | None = None
) -> Report:
    """Collect a report, which compares with a date or, by default, with the last report."""
    selection = Selection(tournament=resolved.name, bench=resolved.board_benches[0])
    selected = select_for_model(store, resolved, selection, STORED.model)
    comparisons = selected.comparisons
    surroundings = read_surroundings(store, resolved, selection, selected=selected)
    rated = rate(comparisons, seed=resolved.config.tournament.seed)
    main = make_board(resolved, selection, rated=rated, surroundings=surroundings)
    debates = compared_debates(store, selection, scope(resolved))
    rating = {row.participant: row.rating for row in main.rated}
    total = totals(store, resolved)
    state = state_of(store, resolved, main, total, at=at)
    db = store.path
    status = read_status(store, resolved, rated=False)
    sides = side_advantage(resolved, debates, comparisons)
    agreement = judges_agreement(store, resolved, selection)
    complete = _completeness(resolved, total, main, db)
    return Report(
        resolved=resolved,
        at=at,
        asked=tuple(_asked(resolved, total)),
        ending=status.ending,
        matters=(*status.matters, *find_circles(main, db)),
        schedule=read_schedule_result(store, resolved, main),
        answers=(
            *board_answers(store, resolved, selection),
            complete,
        ),
        next_steps=tuple(_next_steps(complete, suggest_sentence(store, resolved, selection))),
        board=main,
        changes=_changes(store, resolved, selection, state, since),
        total=total,
        bill=read_bill(store, resolved.name),
        uses=tuple(model_uses(store, resolved.name)),
        failures=tuple(failures(store, resolved)),
        failed=tuple(failed_debates(store, resolved)),
        availability=_availability(surroundings),
        matrix=matrix(comparisons, rating, kind="observed") if len(main.rated) > 1 else None,
        motions=None if resolved.imported else _motions(store, selection),
        sides=sides,
        agreement=agreement,
        readings=()
        if resolved.imported  # without speeches
        else tuple(
            pick_readings(
                store,
                debates,
                rating,
                contest=resolved.config.tournament.contest,
                name=resolved.name,
            )
        ),
        db=db,
        state=state,
    )


def _availability(surroundings: Surroundings) -> dict[str, Participation]:
    rows = surroundings.participations
    return {name: Participation.of(rows[name]) for name in sorted(rows)}


def _next_steps(complete: AnsweredQuestion, suggested: str) -> Iterator[tuple[str, str]]:
    """Yield what to do next: play on, then what further debates would tell first."""
    if not complete.is_settled:
        yield f"Play on: {complete.sentence.removeprefix('No: ')}", complete.command
    if suggested:
        yield suggested, ""
    elif complete.is_settled:
        yield "Nothing is left to play, and a few more debates would settle no further order.", ""


def _changes(
    store: Store,
    resolved: ResolvedConfig,
    selection: Selection,
    state: State,
    since: datetime | None,
) -> Changes:
    if since is not None:
        return changes_since(state_at(store, resolved, selection, since), state, is_date=True)
    last = last_state(store.path, resolved.name, state)
    before = None if last is None else complete(store, resolved.name, last)
    return changes_since(before, state, is_date=False)


def _motions(store: Store, selection: Selection) -> pd.DataFrame:
    state = read_debates(store, selection.tournament, selection.bench)
    return motion_table(state.frame, state.rating)


def _asked(resolved: ResolvedConfig, total: Totals) -> Iterator[str]:
    """Yield what was asked: whom the tournament compares, on what, and who judges."""
    if resolved.imported:
        verb = "was" if total.planned == 1 else "were"
        yield (
            f"Which of {counted(len(resolved.participants), 'participant')} is best? "
            f"{counted(total.planned, 'battle')} {verb} imported, each with its verdict."
        )
        return
    contest = resolved.config.tournament.contest
    nouns = {"debate": "debating motions", "essay": "writing essays", "question": "answering"}
    yield (
        f"Which of {counted(len(resolved.participants), 'participant')} is best at "
        f"{nouns[contest]}? {counted(total.planned, 'debate')} "
        f"{'is' if total.planned == 1 else 'are'} planned"
        f"{_format_motions(resolved)}."
    )
    for bench in resolved.benches:
        by = f" with {bench.model}" if bench.model else ""
        yield (
            f"Bench {bench.name} judges by the method {bench.judge}{by}, "
            f"{counted(bench.runs, 'ballot')} per debate."
        )


def _format_motions(resolved: ResolvedConfig) -> str:
    if not resolved.motions:
        return ""
    languages = ", ".join(resolved.languages)
    noun = "question" if resolved.config.tournament.contest == "question" else "motion"
    return f" on {counted(len(resolved.motions), noun)} ({languages})"


def _completeness(
    resolved: ResolvedConfig, total: Totals, main: Board, db: Path
) -> AnsweredQuestion:
    """Return whether the tournament has come to its end."""
    done = total.count("finished") + total.count("forfeit")
    left = total.planned - done
    parts = [f"{counted(left, 'debate')} of {total.planned}"] if left else []
    if main.open:
        parts.append(f"the ballots on {counted(main.open, 'finished debate')}")
    if not parts:
        forfeits = total.count("forfeit")
        how = f"judged, but for {counted(forfeits, 'forfeit')}" if forfeits else "judged"
        sentence = f"Yes: all {counted(total.planned, 'debate')} came to an end and are {how}."
        return AnsweredQuestion(question="Is it complete?", sentence=sentence, is_settled=True)
    return AnsweredQuestion(
        question="Is it complete?",
        sentence=f"No: {' and '.join(parts)} are still to come.",
        is_settled=False,
        command=command_line("resume", resolved.name, db=db),
    )
