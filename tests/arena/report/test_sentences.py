"""No two sentences on a board contradict each other, whichever command or page has them."""

from __future__ import annotations

import json
import re
from itertools import permutations
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from arena.boards.board import Board, board
from arena.boards.selecting import scope
from arena.boards.selection import Selection
from arena.boards.states import read_state
from arena.boards.stored_boards import store_boards
from arena.report.leaderboard import board_notes
from arena.report.overview.answers import board_answers
from arena.report.pair_data import read_pair
from arena.report.standing import newcomer_standing
from arena.report.versus import format_answer, versus
from arena.store.database import Store
from arena.tournament.plan import TournamentPlan
from dashboard.profiles import profile_lines
from dashboard.states import matrix_report, win_rates
from ratings import Pairing
from tests.arena.boards.test_board import store_wave
from tests.support.command_line import done
from tests.support.tournaments import commit, content, judged, motion, named, planned, played

OVERALL = Selection(tournament="small", bench="bench")
NAMES = ("p0", "p1", "p2", "p3", "new", "idle")
WAVES = {
    "planned": ("adaptive", 0.4, 9),
    "mixed": ("adaptive", 0.4, None),
    "guided": ("swiss", None, None),
}
#: The spread of strengths, and of a strength between motions, in log-odds.
FIELDS = [(0.4, 1.0), (2.0, 0.0)]


def played_by_chance(
    path: Path, spread: float, motion_spread: float, pairing: Pairing
) -> tuple[Store, TournamentPlan]:
    """A board of four who met often, a newcomer that met one of them twice, and one unplayed."""
    rng = np.random.default_rng(int(10 * spread))
    motions = [motion(f"fact-{number}") for number in range(10)]
    config = content(*NAMES) | {"schedule": {"matchups_per_pair": 10}}
    store, plan = planned(path, config, motions)
    by, strength = named(plan), dict(zip(NAMES, rng.normal(0, spread, len(NAMES)), strict=True))
    on = {
        (name, each.motion_id): rng.normal(0, motion_spread) for name in NAMES for each in motions
    }
    pairs = {debate: (by[debate.pro], by[debate.con]) for debate in plan.debates}
    met = [debate for debate, pair in pairs.items() if not {"new", "idle"} & set(pair)]
    met += [debate for debate, pair in pairs.items() if set(pair) == {"new", "p0"}][:4]
    ballots = []
    for debate in met:
        pro, con = (strength[name] + on[name, debate.motion_id] for name in pairs[debate])
        ballots.append(judged(debate, float(rng.random() < 1 / (1 + np.exp(con - pro)))))
    commit(store, *map(played, met), *ballots)
    if pairing != "fixed":
        kind, guided, number = WAVES[pairing]
        schedule = {"schedule": {"kind": kind}, "guided": guided, "planned": number}
        matchups = [debate.matchup_id for debate in plan.debates]
        store_wave(store, plan, schedule, "", matchups=matchups)
    return store, plan


@pytest.fixture(
    scope="module",
    params=[(*field, pairing) for field in FIELDS for pairing in get_args(Pairing)],
    ids=str,
)
def made(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Store, TournamentPlan, Board]:
    store, plan = played_by_chance(tmp_path_factory.mktemp("said") / "own.duckdb", *request.param)
    store_boards(store, plan.resolved)
    shown = board(store, plan.resolved, OVERALL)
    assert shown.pairing == request.param[-1]
    return store, plan, shown


def listed(pattern: str, text: str) -> set[str]:
    """Return the names that a sentence lists; none where it is not there."""
    found = re.search(pattern, text)
    return set(found[1].split(", ")) if found else set()


def test_who_is_first_is_said_alike(made: tuple[Store, TournamentPlan, Board]) -> None:
    store, plan, shown = made
    summary, *further = board_notes(shown, store.path)
    (answer, *_) = board_answers(store, plan.resolved, OVERALL)
    first = shown.rows[0].participant
    rated = [row.participant for row in shown.rated]
    rivals = {name for name in rated if (first, name) not in shown.separated} - {first}
    level = listed(r"([\w, ]*) are level at the top", summary.partition("; ")[2])
    assert level == listed(r"^([\w, ]*) are level at the top", answer.sentence)
    assert level <= {first, *rivals}
    for text in (summary, answer.sentence):
        assert " tied" not in text
        assert ("beyond doubt" in text) == (not rivals)
        assert level or listed(r"not separated from ([^;.]*)", text) == rivals
    open_place = next((line for line in further if line.startswith("First place is open")), "")
    could = set(re.findall(r"(\w+) (?:could be )?1st", open_place))
    assert could <= {first, *rivals} and (not could or first in could)
    if "better than" in answer.sentence:
        assert "taken alone, and at a single look, it is better than" in answer.sentence
        assert shown.rows[1].rank == 2 and shown.rows[1].participant in answer.sentence


def test_two_are_compared_as_on_the_board(made: tuple[Store, TournamentPlan, Board]) -> None:
    store, plan, shown = made
    elo = {row.participant: row.rating for row in shown.rows}
    for first, second in permutations(NAMES[:4], 2):
        data = read_pair(store, OVERALL, scope(plan.resolved), first, second)
        pair = versus(data, first, second, seed=0)
        assert pair.gap is not None
        assert pair.gap.elo == pytest.approx(elo[first] - elo[second])
        assert (pair.gap.above == first) == ((first, second) in shown.separated)
        better = format_answer(pair).startswith(f"{first} is better than {second}, settled")
        assert better == ((first, second) in shown.separated)
    data = read_pair(store, OVERALL, scope(plan.resolved), "p0", "idle")
    (idle,) = (row for row in shown.rows if row.participant == "idle")
    unknown = versus(data, "p0", "idle", seed=0).unknown
    assert unknown == f"idle is not rated: {idle.unrated}"
    matrix = json.loads(done("matrix", "--elo", "--db", store.path, "--format", "json"))
    row, column = (matrix["participants"].index(name) for name in NAMES[:2])
    document = json.loads(done("versus", *NAMES[:2], "--db", store.path, "--format", "json"))
    half = (document["gap"]["upper"] - document["gap"]["lower"]) / 2
    assert half == pytest.approx(matrix["margins"][row][column], abs=1e-3)


def test_influence_keeps_to_those_with_a_place(made: tuple[Store, TournamentPlan, Board]) -> None:
    store, _, shown = made
    found = json.loads(done("influence", "--db", store.path, "--format", "json"))
    placed = [row.participant for row in shown.rows if row.rank]
    assert [found["first"], found["second"]] == placed[:2] and found["placed"] == len(placed)
    assert found["settled"] == (tuple(placed[:2]) in shown.separated)
    turned = [pair for each in found["deciding"] for pair in each["turned"]]
    assert all(placed.index(above) < placed.index(below) for above, below in turned)


def test_a_place_of_its_own_is_told_with_the_interval_of_the_board(
    made: tuple[Store, TournamentPlan, Board],
) -> None:
    store, plan, shown = made
    rows = {row.participant: row for row in shown.rows}
    for name in NAMES[:-1]:
        standing = newcomer_standing(store, plan.resolved, name, bench="bench")
        assert standing is not None
        assert 2 * standing.half_width == pytest.approx(rows[name].upper - rows[name].lower)
        if shown.pairing in {"mixed", "guided"}:  # else all pairs are told at one look
            low, high = rows[name].rank_low, rows[name].rank_high
            assert low is not None
            assert high is not None
            assert low <= standing.rank_low <= standing.rank_high <= high


def test_pages_and_matrices_say_what_the_board_says(
    made: tuple[Store, TournamentPlan, Board],
) -> None:
    store, _, shown = made
    state = read_state(store, OVERALL)
    assert state is not None and shown.first is not None
    place, *others = profile_lines(state, state.board.rows[0])
    assert "1st of" in place
    allowing = [line for line in others if "Allowing for that" in line]
    assert len(allowing) == (shown.first.contenders > 1)
    assert all(f"{shown.first.lower:.0f} to" in line for line in allowing)
    held = [note for note in shown.notes if "every look" in note or "motions in general" in note]
    for kind, notes in (("superiority", held), ("observed", [])):
        matrix: Any = win_rates(store, state, kind)  # type: ignore[arg-type]
        on_page = matrix_report(store, state, matrix).notes
        printed = json.loads(done("matrix", f"--{kind}", "--db", store.path, "--format", "json"))
        assert [note for note in on_page if note in held] == notes
        assert printed["notes"] == list(on_page)
