"""The state that a page shows: whatever is stored later, its figures stay those of its moment."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import pytest

from arena.battles.importer import import_battles
from arena.boards.board import board
from arena.boards.keep import keep_boards
from arena.boards.matrix import KINDS, PASSED_KINDS, Kind, Matrix
from arena.boards.method import STORED
from arena.boards.selection import Selection
from arena.boards.states import BoardState, read_state
from arena.boards.stored_boards import store_boards, store_missing_boards
from arena.config.stored import stored_config
from arena.output.formats import as_json
from arena.output.tables import as_csv, tabulate
from arena.records import Debate
from arena.report.leaderboard import COLUMNS, board_json
from arena.report.matrix_table import matrix_table
from arena.report.versus import versus_content, versus_table
from arena.store.database import Store
from arena.tournament.plan import TournamentPlan, make_plan, store_plan
from dashboard import states, variants
from dashboard.pairs import read_meeting
from dashboard.tables import table_frame
from dashboard.views.leaderboard import leaderboard_table
from dashboard.views.win_rates import best_of
from ratings import confidence
from ratings.model.bradley_terry import hash_data
from tests.dashboard.handmade import execute
from tests.support.battle_logs import WHOLE, write_log
from tests.support.command_line import done
from tests.support.tournaments import changed, commit, content, judged, planned, played, resolved_of

OVERALL = Selection(tournament="small", bench="bench")
#: An independent count of who won, tied and lost against whom, of the ballots up to a number.
_TALLY = """
    SELECT p.name AS pro, c.name AS con, s.outcome
    FROM debates d
    JOIN participants p ON p.participant_id = d.pro
    JOIN participants c ON c.participant_id = d.con
    JOIN ballots b USING (debate_id) JOIN ballot_scores s USING (ballot_id)
    WHERE s.dimension = 'overall' AND b.status = 'valid' AND b.entry <= $entry
"""


#: Bootstraps of whole boards.
pytestmark = pytest.mark.slow


Halfway: TypeAlias = tuple[Store, TournamentPlan, BoardState]


def stored(store: Store, plan: TournamentPlan | None = None) -> BoardState:
    """The state of the overall board; where a plan is given, the boards are stored before."""
    if plan is not None:
        store_boards(store, plan.resolved)
    state = read_state(store, OVERALL)
    assert state is not None
    return state


def matrix_of(store: Store, state: BoardState, kind: Kind) -> Matrix:
    matrix = states.win_rates(store, state, kind)
    assert matrix is not None
    return matrix


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TournamentPlan, BoardState]:
    config = changed(content("ann", "bob", "cyd"), ["schedule", "matchups_per_pair"], 4)
    store, plan = planned(tmp_path_factory.mktemp("halfway") / "own.duckdb", config)
    half = len(plan.debates) // 2
    early, late = plan.debates[:half], plan.debates[half:]
    outcomes = [{"ann": 1.0, "bob": 0.5}.get(_name(plan, debate.pro), 0.0) for debate in early]
    commit(
        store,
        *(played(debate, costs=[("pro/rebuttal/1", 0.5)]) for debate in early),
        *(judged(debate, outcome) for debate, outcome in zip(early, outcomes, strict=True)),
    )
    state = stored(store, plan)
    commit(
        store,
        played(late[0], "forfeit", forfeited="pro"),
        *(played(debate, costs=[("pro/rebuttal/1", 9.0)]) for debate in late[1:]),
        *(judged(debate, 0.0) for debate in late[1:]),
    )
    return store.path, plan, state


@pytest.fixture
def halfway(made: tuple[Path, TournamentPlan, BoardState], tmp_path: Path) -> Halfway:
    """A state of half of the debates; the other half is stored, and one forfeited, since then."""
    path, plan, state = made
    (tmp_path / "own.duckdb").write_bytes(path.read_bytes())
    return Store(tmp_path / "own.duckdb"), plan, state


def _name(plan: TournamentPlan, participant_id: str) -> str:
    return {one.participant_id: one.name for one in plan.resolved.participants}[participant_id]


def _counts(store: Store, entry: int) -> dict[tuple[str, str], list[int]]:
    """Wins, ties and losses of each against each other."""
    counts: dict[tuple[str, str], list[int]] = {}
    for row in store.rows(_TALLY, {"entry": entry}):
        for name, other, outcome in (
            (row["pro"], row["con"], row["outcome"]),
            (row["con"], row["pro"], 1 - row["outcome"]),
        ):
            place = {1.0: 0, 0.5: 1, 0.0: 2}[outcome]
            counts.setdefault((name, other), [0, 0, 0])[place] += 1
    return counts


def test_every_figure_of_a_board_is_of_its_state(halfway: Halfway) -> None:
    store, plan, state = halfway
    frame = table_frame(leaderboard_table(state)).set_index("participant")
    counts = _counts(store, state.entry)
    for name, row in frame.iterrows():
        own = [counts[pair] for pair in counts if pair[0] == name]
        won, tied, lost = (sum(each) for each in zip(*own, strict=True))
        assert row["won-tied-lost"] == f"{won}-{tied}-{lost}"
        assert int(row["debates"]) == won + tied + lost
        share = 100 * (won + tied / 2) / int(row["debates"])
        assert row["win rate"] == f"{share:.1f} %"
        assert "available" not in row, "the forfeit came later"
        assert float(row["USD/debate"]) <= 0.5, "so did the expensive debates"
    counted = frame["debates"].astype(int).sum()
    assert counted == 2 * state.board.comparisons == len(plan.debates)
    now = board(store, plan.resolved, OVERALL)
    assert now.comparisons == len(plan.debates) - 1 > state.board.comparisons


def test_the_matrices_of_a_state_count_its_debates(halfway: Halfway) -> None:
    store, _, state = halfway
    counts = _counts(store, state.entry)
    for kind in (*KINDS, *PASSED_KINDS):
        matrix = matrix_of(store, state, kind)
        assert matrix.kind == kind
        for row in matrix.frame().to_dict("records"):
            won, tied, lost = counts.get((row["participant"], row["opponent"]), (0, 0, 0))
            assert row["debates"] == won + tied + lost
            if kind == "observed" and row["debates"]:
                assert row["value"] == pytest.approx((won + tied / 2) / row["debates"])
            if kind == "counts" and row["debates"]:
                assert row["value"] == row["debates"]


def test_superiority_is_by_the_method_of_the_board(halfway: Halfway) -> None:
    store, _, state = halfway
    for method in ("usual", "unweighted", "with ties"):
        varied = variants.varied_state(
            store, state, language="all", method=variants.METHODS[method][0]
        )
        matrix = matrix_of(store, varied, "superiority")
        comparisons = states.state_comparisons(store, varied).comparisons
        chosen = varied.board.method
        sure = confidence(chosen.weigh(comparisons), chosen.model)
        places = [sure.ratings.names.index(name) for name in matrix.names]
        assert matrix.value[0, 1] == sure.superiority[places[0], places[1]]


def test_the_best_of_a_matrix_keep_their_cells(halfway: Halfway) -> None:
    store, _, state = halfway
    matrix = matrix_of(store, state, "observed")
    part = best_of(matrix, 2)
    assert part.names == matrix.names[:2] and part.value.shape == part.count.shape == (2, 2)
    assert part.value[0, 1] == matrix.value[0, 1]


def test_two_head_to_head_are_those_of_the_state(halfway: Halfway) -> None:
    store, _, state = halfway
    counts = _counts(store, state.entry)
    for first, second in (("ann", "bob"), ("cyd", "ann")):
        meeting = read_meeting(store, state, first, second)
        won, tied, lost = counts[first, second]
        assert meeting.pair.debates == len(meeting.frame) == won + tied + lost
        assert (meeting.frame["won overall"] == first).sum() == won
        assert (meeting.frame["won overall"] == "").sum() == tied
        points = meeting.pair.margins[0].points
        assert points == pytest.approx(3 * (won + tied / 2) / len(meeting.frame))


def test_a_state_is_what_the_command_prints(halfway: Halfway) -> None:
    store, plan, _ = halfway
    state = stored(store, plan)
    printed = board(store, plan.resolved, OVERALL)
    assert as_csv(tabulate(COLUMNS, state.board.rows)) == as_csv(tabulate(COLUMNS, printed.rows))
    assert json.loads(board_json(state.board)) == json.loads(board_json(printed))
    assert {row.forfeits for row in printed.rows} == {0, 1}


def test_files_of_matrices_and_of_two_are_what_the_commands_print(halfway: Halfway) -> None:
    store, plan, _ = halfway
    state = stored(store, plan)
    for kind in (*KINDS, *PASSED_KINDS):
        matrix = matrix_of(store, state, kind)
        content = as_csv(matrix_table(matrix))
        assert content == done("matrix", f"--{kind}", "--db", store.path, "--format", "csv")
        if kind != "elo":  # which has intervals, and is not on the page
            content = as_json(states.matrix_report(store, state, matrix).content()) + "\n"
            assert content == done("matrix", f"--{kind}", "--db", store.path, "--format", "json")
    meeting = read_meeting(store, state, "ann", "bob")
    content = as_json(versus_content(meeting.pair, plan.resolved, OVERALL))
    printed = done("versus", "ann", "bob", "--db", store.path, "--format", "json")
    assert f"{content}\n" == printed
    printed = done("versus", "ann", "bob", "--db", store.path, "--format", "csv")
    assert as_csv(versus_table(meeting.pair, title="")) == printed


def test_all_boards_of_a_tournament_are_of_one_state(halfway: Halfway) -> None:
    store, plan, before = halfway
    store_boards(store, plan.resolved)
    rows = store.rows("SELECT DISTINCT entry, created_at FROM board_states")
    assert len(rows) == 1 and rows[0]["entry"] > before.entry
    stored = store.read("SELECT * FROM board_states ORDER BY board_id")
    store_boards(store, plan.resolved)
    again = store.read("SELECT * FROM board_states ORDER BY board_id")
    assert again["content"].tolist() == stored["content"].tolist()
    assert again.equals(stored)


def test_a_forfeit_alone_changes_the_state_and_keeps_the_ratings(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    first, second, third, *_ = plan.debates
    commit(store, played(first), judged(first), played(second), judged(second, 0.0))
    store_boards(store, plan.resolved)
    ratings = store.read("SELECT * FROM ratings ORDER BY ALL")
    commit(store, played(third, "forfeit", forfeited="pro"))
    state = stored(store, plan)
    assert sum(row.forfeits for row in state.board.rows) == 1
    assert store.read("SELECT * FROM ratings ORDER BY ALL").equals(ratings)


@pytest.mark.parametrize("count", ["debates", "ballots"])
def test_a_matrix_counts_what_its_board_counts(count: str, tmp_path: Path) -> None:
    """Whoever had a participant's name before, with another model, counts on neither."""
    config = changed(content(runs=2), ["benches", 0, "count"], count)
    store, plan = planned(tmp_path / "own.duckdb", config)
    _finish(store, plan.debates)
    corrected = changed(config, ["participants", 2, "model"], "offline/good")
    now = make_plan(resolved_of(corrected), store)
    store_plan(now, store)
    _finish(store, now.added[:2])
    store_boards(store, now.resolved)
    keep_boards(store, now.resolved)
    state = read_state(store, OVERALL)
    assert state is not None and state.board.comparisons == 2 + 2
    (moment,) = variants.kept_moments(store, OVERALL)
    for shown in (state, variants.kept_state(store, moment.board)):
        comparisons = states.state_comparisons(store, shown).comparisons
        assert hash_data(comparisons, STORED.model) == shown.board.data_hash
    matrix = matrix_of(store, state, "counts")
    assert matrix.count.sum() == 2 * 4


def _finish(store: Store, debates: Sequence[Debate]) -> None:
    """Play debates; the first of two runs is for Pro, the other a tie."""
    ballots = [judged(debate, (1.0, 0.5)[run], run=run) for debate in debates for run in range(2)]
    commit(store, *map(played, debates), *ballots)


#: What another version could have left out of a board, or written otherwise.
_OLDER_CONTENTS = (
    '{"board": null}',
    '{"board": {"rows": null}}',
    '{"board": {"separated": [[0, 99]]}}',
    '{"board": {"comparisons": "many"}}',
)


def test_boards_of_an_older_version_are_stored_anew(halfway: Halfway) -> None:
    store, _, _ = halfway
    assert store_missing_boards(store) == ()
    older = "UPDATE board_states SET content = json_merge_patch(content, '{}')"
    for change in ("DELETE FROM board_states", *map(older.format, _OLDER_CONTENTS)):
        execute(store, change)
        assert store_missing_boards(store) == ("small",), change
        assert read_state(store, OVERALL) is not None


def test_another_model_rates_the_ballots_of_the_state(halfway: Halfway) -> None:
    store, _, state = halfway
    for name, (method, sentence) in variants.METHODS.items():
        varied = variants.varied_state(store, state, language="all", method=method)
        assert sentence.endswith("."), name
        assert varied.board.comparisons == state.board.comparisons
        assert (varied.entry, varied.at) == (state.entry, state.at)
    assert varied.board.rows[0].usd_per_debate == state.board.rows[0].usd_per_debate
    assert math.isnan(varied.board.rows[0].median), "nothing is resampled"


def test_a_kept_board_is_a_state_of_its_moment(halfway: Halfway) -> None:
    store, plan, _ = halfway
    keep_boards(store, plan.resolved)
    (moment,) = variants.kept_moments(store, OVERALL)
    state = variants.kept_state(store, moment.board)
    assert state.board == board(store, plan.resolved, OVERALL)
    assert variants.kept_moments(store, Selection(tournament="small", bench="other")) == []


def test_benches_side_by_side_count_changes_of_rank(halfway: Halfway) -> None:
    _, _, state = halfway
    assert states.bench_ranks(state, {"bench": state}) is None
    rows = state.board.rows
    turned = [row.participant for row in rows][::-1]
    other = replace(
        state,
        board=replace(
            state.board,
            rows=tuple(
                replace(row, participant=name) for row, name in zip(rows, turned, strict=True)
            ),
        ),
    )
    beside = states.bench_ranks(state, {"bench": state, "other": other})
    assert beside is not None
    assert list(beside.frame["other change"].fillna(0)) == [-2, 0, 2]
    assert beside.correlations[0].kendall == pytest.approx(-1)


def test_imported_battles_have_states_and_matrices(tmp_path: Path) -> None:
    store = Store(tmp_path / "own.duckdb")
    log = write_log(tmp_path / "log.csv", [*WHOLE, *({**row, "group": None} for row in WHOLE * 4)])
    import_battles(store, log, tournament="log", seed=7)
    store_boards(store, stored_config(store, "log"))
    state = read_state(store, Selection(tournament="log", bench="imported"))
    assert state is not None and state.board.comparisons == 25
    rates = table_frame(leaderboard_table(state)).set_index("participant")["win rate"].to_dict()
    assert rates == {"ann": "83.3 %", "bob": "37.5 %", "cyd": "33.3 %"}
    for kind in (*KINDS, *PASSED_KINDS):
        matrix = matrix_of(store, state, kind)
        assert matrix.count.sum() == 50
    meeting = read_meeting(store, state, "ann", "bob")
    assert len(meeting.frame) == meeting.pair.debates > 0
