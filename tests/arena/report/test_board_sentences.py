"""Each sentence of a board is true of its numbers, in text, JSON, report and page.

The boards are shared between the four, and what is true is recomputed in
`tests.support.sentences`. A sentence that is not known there is a fault.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from arena.boards.board import Board
from arena.boards.overlaps import format_bars
from arena.boards.selection import Scope
from arena.boards.states import BoardState
from arena.report.leaderboard import board_json, board_notes, print_board
from arena.report.overview.answers import format_first
from dashboard.boards import summary_text
from dashboard.profiles import profile_lines
from ratings import Comparisons, PlanProgress, confidence, connectivity
from tests.support.boards import board_of, records
from tests.support.sentences import Truth, check_leader, format_count, missing, untrue

_DB = Path("results.duckdb")
_RING = records(a_b=(30, 4), b_c=(30, 4), a_c=(4, 30), c_d=(9, 9))
_LADDER = records(a_b=(25, 0), b_c=(25, 0), a_c=(25, 0))
_LOPSIDED = records(a_b=(9, 3), b_c=(9, 3), c_d=(9, 3))
_TWO = records(a_b=(30, 10), c_d=(30, 1))


def with_idle(comparisons: Comparisons) -> Comparisons:
    """The same with somebody who has met nobody."""
    return replace(comparisons, names=(*comparisons.names, "zoe"))


def on_motions(comparisons: Comparisons, number: int) -> Comparisons:
    """The same on so many motions."""
    motions = [f"m{row % number}" for row in range(len(comparisons))]
    return comparisons.described(motion=motions, over_motions=True)


HANDMADE = {
    "equals": records(a_b=(5, 5)),
    "one that never lost": records(a_b=(30, 0)),
    "a ladder without upsets": _LADDER,
    "rock, paper, scissors": _RING,
    "a ring of four": records(a_b=(20, 3), b_c=(20, 3), c_d=(20, 3), a_d=(3, 20)),
    "two groups": _TWO,
    "two groups, and somebody alone": with_idle(_TWO),
    "three groups": records(a_b=(9, 3), c_d=(4, 4), e_f=(0, 7)),
    "somebody alone": with_idle(records(a_b=(5, 4))),
    "a chain": _LOPSIDED,
    "a star": records(a_b=(9, 2), a_c=(9, 2), a_d=(5, 5), a_e=(2, 9), a_f=(0, 9)),
    "one motion": on_motions(_LADDER, 1),
    "motions": on_motions(records(a_b=(20, 10), b_c=(20, 10), a_c=(21, 9)), 6),
    "half of a plan": replace(_LOPSIDED, pairing="planned", plan=PlanProgress(share=0.5)),
    "the end of a plan": replace(_LOPSIDED, pairing="planned"),
    "a plan that was changed": replace(_RING, pairing="planned", plan=PlanProgress(changes=1)),
    "an end that results decided": replace(_LOPSIDED, pairing="mixed"),
    "pairs that results decided": replace(_LADDER, pairing="guided"),
    "a newcomer": records(a_b=(15, 15), b_c=(15, 15), a_c=(12, 18), c_n=(1, 1)),
    "two that are far apart": records(a_b=(40, 1), b_c=(1, 40), a_c=(15, 15), a_d=(9, 1)),
}


def drawn(rng: np.random.Generator) -> Comparisons:
    """A board by chance: of any size, spread and design, in one group or several."""
    size, number = int(rng.integers(2, 8)), int(rng.integers(4, 90))
    strength = rng.normal(0, rng.choice([0.0, 0.5, 2.0, 5.0]), size)
    island = rng.integers(rng.choice([1, 1, 1, 2]), size=size)
    rows: list[tuple[str, str, float]] = []
    for _ in range(number):
        i, j = rng.choice(size, 2, replace=False).tolist()
        if island[i] == island[j]:
            won = float(rng.random() < 1 / (1 + np.exp(strength[j] - strength[i])))
            rows.append((f"p{i}", f"p{j}", 0.5 if rng.random() < 0.1 else won))
    first, second, outcome = zip(*(rows or [("p0", "p1", 1.0)]), strict=True)
    names = sorted({f"p{k}" for k in range(size)} | {"p0", "p1"})
    board = Comparisons.of(
        map(str, first), map(str, second), list(map(float, outcome)), names=names
    )
    if rng.random() < 0.3:
        board = on_motions(board, int(rng.integers(1, 9)))
    pairing = rng.choice(["fixed", "fixed", "planned", "mixed", "guided"])
    plan = PlanProgress(share=float(rng.choice([1, 0.4])), changes=int(rng.integers(2)))
    played = plan if pairing == "planned" else PlanProgress()
    return replace(board, pairing=str(pairing), plan=played)  # type: ignore[arg-type]


def faults_of(comparisons: Comparisons, printed: pytest.CaptureFixture[str]) -> Iterator[str]:
    """Yield what is untrue or missing on any surface of a board."""
    board = board_of(comparisons)
    content = json.loads(board_json(board))
    truth, lines = Truth(comparisons, content), board_notes(board, _DB)
    yield from untrue(truth, lines)
    yield from missing(truth, lines)
    summary = content["summary"]
    if lines[0] != f"{board.size} rated. {summary}":
        yield f"JSON: {summary}"
    if [f"Note: {note}." for note in content["notes"]] != [s for s in lines if s[:5] == "Note:"]:
        yield f"JSON: {content['notes']}"
    yield from _faults_of_text(board, truth, lines, printed)
    yield from _faults_of_report(comparisons, truth)
    yield from _faults_of_page(board, truth, summary)


def _faults_of_text(
    board: Board, truth: Truth, lines: list[str], printed: pytest.CaptureFixture[str]
) -> Iterator[str]:
    print_board(board, _DB)
    table, _, below = printed.readouterr().out.partition("\n\n")
    if below.splitlines() != lines:
        yield f"text: {below}"
    begun = [line for line in table.splitlines()[2:] if line[:1].strip()]  # a long note wraps
    for line, row in zip(begun, board.rated, strict=False):
        low, high = truth.ranks(row.participant)
        record = f"{row.wins}-{row.ties}-{row.losses}"
        ends = f"{row.lower:.0f} to {row.upper:.0f}"
        ranks = str(low) if low == high else f"{low}-{high}"
        wanted = {row.participant, ranks, record, ends, f"{row.rating:.0f}"}
        if lacking := wanted - {cell.strip() for cell in line.split("  ")}:
            yield f"text: {line} lacks {lacking}"
        figures = [row.rating, row.lower, row.upper]
        told = [truth.row[row.participant][key] for key in ("rating", "lower", "upper")]
        if not np.allclose(figures, told, atol=0.01):
            yield f"JSON: {told} for {figures}"


def _faults_of_report(comparisons: Comparisons, truth: Truth) -> Iterator[str]:
    sure = confidence(comparisons)
    sentence = format_first(sure, connectivity(comparisons).islands)
    about = re.search(r" \(Elo (-?\d+), 95 % (-?\d+) to (-?\d+)[^)]*\)", sentence)
    clause, chance = sentence.removesuffix("."), None
    if about:
        first, top = truth.content["first"], truth.rows[0]
        figures = [top["rating"], first["lower"], first["upper"]]
        if not np.allclose(list(map(float, about.groups())), figures, rtol=0, atol=0.51):
            yield f"report: {sentence}"
        clause, _, chance = clause.replace(about[0], "").partition("; taken alone, ")
    if not check_leader(truth, clause):
        yield f"report: {sentence}"
    if chance and not re.search(rf"than {truth.names[1]}, the second, with .* %", chance):
        yield f"report: {sentence}"


def _faults_of_page(board: Board, truth: Truth, summary: str) -> Iterator[str]:
    if not summary_text(board).startswith(summary):
        yield f"page: {summary_text(board)}"
    pairs = truth.apart("comparison_lower", "comparison_upper")
    bars = f"; {format_count(pairs)} such bars" if pairs else ""
    if f"at once{bars}" not in format_bars(board) or (" such bars" in format_bars(board)) != bool(
        bars
    ):
        yield f"page: {format_bars(board)}"
    state = BoardState(
        board=board,
        entry=0,
        at=datetime(2025, 1, 1, tzinfo=UTC),
        percentiles={},
        participations={},
        scope=Scope(runs={}, participants={}),
    )
    for row in board.rated:
        place, *_ = profile_lines(state, row)
        low, high = truth.ranks(row.participant)
        said = re.search(r"of (\d+), could be (\d+)\w\w(?: (?:or|to) (\d+)\w\w)?:", place)
        if row.rank is not None and (
            said is None
            or [int(said[1]), int(said[2]), int(said[3] or said[2])]
            != [len(truth.names), low, high]
        ):
            yield f"page: {place}"


@pytest.mark.parametrize("kind", HANDMADE)
def test_sentences_of_boards_made_by_hand(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert list(faults_of(HANDMADE[kind], capsys)) == []


@pytest.mark.slow
def test_sentences_of_boards_by_chance(capsys: pytest.CaptureFixture[str]) -> None:
    found = {
        seed: faults
        for seed in range(200)
        if (faults := list(faults_of(drawn(np.random.default_rng(seed)), capsys)))
    }
    assert found == {}
