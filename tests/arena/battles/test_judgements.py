"""Verdicts of several judges on the same debates: stored as ballots, rated, compared by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arena.battles.importer import ImportResult, import_battles
from arena.battles.judgements import MOST_BENCHES
from arena.battles.staging_table import ReadingOptions
from arena.boards.board import Board, board
from arena.boards.selection import Selection
from arena.boards.states import overall_state
from arena.boards.stored_boards import store_boards
from arena.config.stored import JUDGES, stored_config
from arena.errors import ConfigError
from arena.store.consistency import find_faults
from arena.store.database import Store
from dashboard.states import bench_states
from tests.support.battle_logs import write_log
from tests.support.command_line import done, refused

PLAYERS = ("ann", "bob", "cyd", "dan")
OUTCOMES = {"model_a": 1.0, "tie": 0.5, "model_b": 0.0}


def judgements(
    matchups: int = 60, judges: Sequence[str] = ("gpt-4", "eve"), seed: int = 1
) -> list[dict[str, Any]]:
    """Return the rows of judges on both debates of some matchups, with an advantage for Pro."""
    rng = np.random.default_rng(seed)
    strength = dict(zip(PLAYERS, (0.8, 0.3, -0.3, -0.8), strict=True))
    rows: list[dict[str, Any]] = []
    for matchup in range(matchups):
        pair = rng.choice(PLAYERS, 2, replace=False)
        for leg, (pro, con) in enumerate((pair, pair[::-1])):
            chance = 1 / (1 + np.exp(strength[con] - strength[pro] - 0.5))
            for judge in judges:
                winner = "model_a" if rng.random() < chance else "model_b"
                rows.append(
                    {
                        "debate_id": f"d{matchup}-{leg}",
                        "group_id": f"g{matchup}",
                        "motion": f"m{matchup % 12}",
                        "model_a": str(pro),
                        "model_b": str(con),
                        "judge": judge,
                        "winner": "tie" if rng.random() < 0.15 else winner,
                    }
                )
    return rows


def imported(
    folder: Path,
    rows: Sequence[Mapping[str, Any]],
    *,
    grouped: bool = True,
    form: str = "csv",
    tournament: str = "log",
    **renamed: str,
) -> ImportResult:
    return import_battles(
        Store(folder / "own.duckdb"),
        write_log(folder / f"log.{form}", rows),
        tournament=tournament,
        seed=0,
        reading=ReadingOptions(renamed=renamed, grouped=grouped),
    )


def rated(folder: Path, bench: str = "all", tournament: str = "log") -> Board:
    store = Store(folder / "own.duckdb")
    selection = Selection(tournament=tournament, bench=bench)
    return board(store, stored_config(store, tournament), selection)


def elos(shown: Board) -> dict[str, float]:
    """Return each rating and the ends of its interval."""
    return {
        f"{row.participant} {figure}": getattr(row, figure)
        for row in shown.rows
        for figure in ("rating", "lower", "upper")
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with two judges' verdicts on 120 debates of 60 matchups."""
    folder = tmp_path_factory.mktemp("judgements")
    imported(folder, judgements())
    return folder


def test_a_debate_has_a_ballot_of_each_judge_on_a_bench_of_its_own(folder: Path) -> None:
    store = Store(folder / "own.duckdb")
    counts = store.read(
        """
        SELECT count(DISTINCT debate_id) AS debates, count(DISTINCT matchup_id) AS matchups,
               count(*) AS ballots, count(DISTINCT bench) AS benches,
               count(*) FILTER (bench = voter) AS own
        FROM debates JOIN ballots USING (debate_id)
        """
    )
    assert counts.iloc[0].tolist() == [120, 60, 240, 2, 240]
    assert not store.read("SELECT * FROM battles").size
    assert stored_config(store, "log").board_benches == ("all", "gpt-4", "eve")


def test_the_board_counts_debates_and_verdicts(folder: Path) -> None:
    assert (rated(folder).comparisons, rated(folder).debates) == (240, 120)
    assert rated(folder).size == "240 verdicts on 120 debates"
    assert rated(folder, "eve").size == "120 debates"
    assert rated(folder).open == 0


def test_the_board_of_all_is_that_of_the_rows_in_their_groups(folder: Path) -> None:
    imported(folder, judgements(), tournament="rows", grouped=False, group="group_id")
    rows = rated(folder, "imported", "rows")
    assert elos(rated(folder)) == pytest.approx(elos(rows), abs=1e-6)


def test_the_figures_of_the_judges_are_those_computed_by_hand(folder: Path) -> None:
    page = json.loads(
        done("judges", "--db", folder / "own.duckdb", "-t", "log", "--format", "json")
    )
    frame = pd.DataFrame(judgements())
    frame["outcome"] = frame["winner"].map(OUTCOMES)
    wide = frame.pivot_table(index="debate_id", columns="judge", values="outcome")
    first, second = wide["gpt-4"], wide["eve"]
    equal = (first == second).mean()
    (pair,) = page["pairs"]
    assert pair["debates"] == 120
    assert pair["strict"]["value"] == pytest.approx(equal)
    lenient = ((first == second) | (first == 0.5) | (second == 0.5)).mean()
    assert pair["lenient"]["value"] == pytest.approx(lenient)
    shares = [column.value_counts(normalize=True) for column in (first, second)]
    chance = (shares[0] * shares[1]).sum()
    assert pair["kappa"]["value"] == pytest.approx((equal - chance) / (1 - chance))
    pooled = frame["outcome"].value_counts(normalize=True)
    by_chance = (pooled**2).sum()
    assert page["panel"]["fleiss"]["value"] == pytest.approx((equal - by_chance) / (1 - by_chance))
    alpha = 1 - (1 - equal) / ((1 - by_chance) * 240 / 239)
    assert page["panel"]["alpha"]["value"] == pytest.approx(alpha)
    for bias in page["biases"]:
        own = frame[frame["judge"] == bias["bench"]]
        totals = own.groupby("group_id")["outcome"].agg(["sum", "min"])
        twice = (totals["sum"] == 2) | ((totals["sum"] == 0) & (totals["min"] == 0))
        assert bias["same_side"]["count"] == 60
        assert bias["same_side"]["value"] == pytest.approx(twice.mean())
        assert bias["pro"]["value"] == pytest.approx(own["outcome"].mean())
    motions = frame.groupby(["motion", "judge"])
    assert {(row["motion"], row["bench"]): row["pro"] for row in page["motions"]} == pytest.approx(
        motions["outcome"].mean().to_dict()
    )
    assert {row["matchups"] for row in page["motions"]} == {5}


def test_what_a_board_rests_on_and_who_beats_whom_is_computed(folder: Path) -> None:
    options = ("--db", folder / "own.duckdb", "-t", "log")
    frame = pd.DataFrame(judgements())
    frame["outcome"] = frame["winner"].map(OUTCOMES)
    own = frame[(frame["judge"] == "eve") & frame["model_a"].isin(PLAYERS[:2])]
    own = own[own["model_b"].isin(PLAYERS[:2])]
    ann = own["outcome"].where(own["model_a"] == "ann", 1 - own["outcome"])
    versus = done("versus", "ann", "bob", *options, "--bench", "eve", "--format", "csv")
    row = pd.read_csv(StringIO(versus)).iloc[0]
    assert row["debates"] == len(own)
    assert row["ann"] == pytest.approx(3 * ann.mean(), abs=1e-3)
    printed = json.loads(done("influence", *options, "--bench", "eve", "--format", "json"))
    assert (printed["debates"], printed["motions"]) == (120, 12)
    assert {motion["debates"] for motion in printed["deciding"]} <= {10}


def test_what_is_stored_is_consistent_and_a_change_is_noticed(tmp_path: Path) -> None:
    imported(tmp_path, judgements(5))
    store = Store(tmp_path / "own.duckdb")
    assert not list(find_faults(store))

    def swap(link: Any) -> None:  # noqa: ANN401 - an open connection
        link.execute("UPDATE debates SET pro = con, con = pro")

    store.write(swap)
    assert {fault.table for fault in find_faults(store)} == {"debates"}


def test_the_order_of_rows_and_the_names_of_ids_do_not_matter(tmp_path: Path) -> None:
    rows = judgements(20)
    imported(tmp_path, rows)
    other = [{**row, "debate_id": f"x{row['debate_id']}"} for row in rows]
    np.random.default_rng(2).shuffle(other)
    imported(tmp_path, other, tournament="other")
    for bench in ("all", "eve"):
        expected = pytest.approx(elos(rated(tmp_path, bench)), abs=1e-6)
        assert elos(rated(tmp_path, bench, "other")) == expected


def test_a_repeated_verdict_counts_once(tmp_path: Path) -> None:
    rows = judgements(5)
    result = imported(tmp_path, [*rows, *rows[:3]])
    assert (result.added, result.repeats) == (20, 3)
    imported(tmp_path, rows, tournament="once")
    assert elos(rated(tmp_path)) == pytest.approx(elos(rated(tmp_path, tournament="once")))
    again = imported(tmp_path, [*rows, *rows[:3]])
    assert (again.added, again.known) == (0, 20)


def test_rows_at_the_end_are_added_and_changed_ones_are_refused(tmp_path: Path) -> None:
    rows = judgements(5)
    imported(tmp_path, rows)
    more = [{**rows[0], "judge": "fay"}, *judgements(7)[20:]]
    result = imported(tmp_path, [*rows, *more])
    assert (result.known, result.added, result.judges) == (20, 9, 3)
    assert rated(tmp_path).debates == 14
    changed = [{**rows[0], "winner": "tie" if rows[0]["winner"] != "tie" else "model_a"}, *rows[1:]]
    with pytest.raises(ConfigError, match="29 verdicts of 'log' are already stored"):
        imported(tmp_path, [*changed, *more])


def test_many_judges_share_a_bench_on_which_debates_count_once(tmp_path: Path) -> None:
    names = [f"worker {number}" for number in range(MOST_BENCHES + 1)]
    rows = judgements(5, names)
    result = imported(tmp_path, rows)
    assert (result.shared, result.judges) == (True, len(names))
    shown = rated(tmp_path, JUDGES)
    assert (shown.comparisons, shown.debates) == (10, 10)
    assert any("ballots count one by one" in note for note in shown.notes)
    assert not list(find_faults(Store(tmp_path / "own.duckdb")))
    page = " ".join(done("judges", "--db", tmp_path / "own.duckdb").split())
    assert "More than 20 judges share the bench judges, so they are not compared by name" in page
    assert "only one bench" not in page and "Agreement of each bench with itself" in page
    assert "Few matchups (5): intervals of the alpha" in page
    with pytest.raises(ConfigError, match="cannot be weighted by the column weight"):
        imported(tmp_path, [{**row, "weight": 2} for row in rows], tournament="weighted")
    assert not imported(tmp_path, judgements(5, names[1:]), tournament="few").shared


def changed(row: int, **cells: object) -> list[dict[str, Any]]:
    """Five matchups (rows 1 to 4 are the first one's) with some other cells in one row."""
    rows = judgements(5)
    rows[row - 1] = {**rows[row - 1], **cells}
    return rows


def other_winner(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*rows, {**rows[0], "winner": "tie" if rows[0]["winner"] != "tie" else "model_b"}]


def swapped(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"model_a": row["model_b"], "model_b": row["model_a"]}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            other_winner(judgements(5)),
            "row 21, column winner: 'gpt-4' has judged debate 'd0-0' otherwise in row 1",
        ),
        (
            changed(2, group_id="g1"),
            "row 2, column group_id: given 'g1'; debate 'd0-0' has 'g0' in row 1",
        ),
        (
            changed(2, group_id=""),
            "row 2, column group_id: given nothing; debate 'd0-0' has 'g0' in row 1",
        ),
        (
            changed(2, motion="other"),
            "row 2, column motion: given 'other'; debate 'd0-0' has 'm0' in row 1",
        ),
        (
            changed(
                2,
                **{"model_a": judgements(5)[0]["model_b"], "model_b": judgements(5)[0]["model_a"]},
            ),
            "row 2, column model_a: debate 'd0-0' has its sides the other way round in row 1",
        ),
        (
            changed(2, model_a="eli"),
            "row 2, column model_a: debate 'd0-0' has other participants in row 1",
        ),
        (changed(3, judge=""), "row 3, column judge: given nothing; accepted: a name of 1 to 80"),
        (changed(3, judge="all"), "row 3, column judge: given 'all'; all, imported, judges are"),
        (changed(3, debate_id=""), "row 3, column debate_id: given nothing; accepted: the id"),
    ],
)
def test_rows_that_do_not_fit_each_other_are_named(
    tmp_path: Path, rows: list[dict[str, Any]], message: str
) -> None:
    log = write_log(tmp_path / "log.csv", rows)
    printed = refused("import", log, "--db", tmp_path / "own.duckdb")
    assert message in printed and "nothing was imported" in printed
    assert not (tmp_path / "own.duckdb").exists()
    assert imported(tmp_path, rows, grouped=False).judges == 0


def test_an_id_that_both_debates_of_a_matchup_share_is_a_group(tmp_path: Path) -> None:
    rows = [{**row, "debate_id": row["group_id"]} for row in judgements(5)]
    with pytest.raises(ConfigError, match="use --column group=debate_id"):
        imported(tmp_path, rows)
    assert imported(tmp_path, rows, group="debate_id").judges == 0


def test_columns_of_other_names_are_named(tmp_path: Path) -> None:
    names = {"debate_id": "item", "judge": "worker"}
    rows = [{names.get(key, key): cell for key, cell in row.items()} for row in judgements(5)]
    result = imported(tmp_path, rows, debate="item", judge="worker")
    assert (result.hints.debate, result.hints.debates, result.hints.group) == (
        "item",
        10,
        "group_id",
    )
    assert imported(tmp_path, rows, tournament="rows", judge="worker").hints.lacks_debates


@pytest.mark.parametrize("name", ["debate", "debate_id", "Debate ID"])
def test_the_columns_of_debates_and_groups_are_found(tmp_path: Path, name: str) -> None:
    names = {"debate_id": name, "group_id": "group"}
    rows = [{names.get(key, key): cell for key, cell in row.items()} for row in judgements(5)]
    hints = imported(tmp_path, rows).hints
    assert (hints.debate, hints.debates, hints.group, hints.groups) == (name, 10, "group", 5)


def test_a_column_that_is_finer_than_debates_is_no_group(tmp_path: Path) -> None:
    rows = [
        {**row, "session_id": f"{row['debate_id']}{row['judge'][0]}", "group_id": "g"}
        for row in judgements(5, ("eve", "eli", "fay"))
    ]
    assert imported(tmp_path, rows).hints.group == ""


def test_the_options_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Use one of them"):
        imported(tmp_path, judgements(5), grouped=False, debate="debate_id")
    rows = [{key: cell for key, cell in row.items() if key != "judge"} for row in judgements(5)]
    with pytest.raises(ConfigError, match="needs the column of the judges"):
        imported(tmp_path, rows, debate="debate_id")
    assert imported(tmp_path, rows).hints.group == "group_id"


@pytest.mark.parametrize("form", ["json", "json.gz", "jsonl", "parquet"])
def test_every_form_and_every_word_for_the_winner_is_read(tmp_path: Path, form: str) -> None:
    rows = judgements(5)
    imported(tmp_path, rows)
    words = {"model_a": "1", "model_b": "B", "tie": "Tie"}
    other = [{**row, "winner": words[row["winner"]]} for row in rows]
    assert imported(tmp_path, other, form=form, tournament="words").hints.debates == 10
    names = [{**row, "winner": row.get(row["winner"], "a=b")} for row in rows]
    imported(tmp_path, names, form=form, tournament="names")
    for tournament in ("words", "names"):
        assert elos(rated(tmp_path, tournament=tournament)) == pytest.approx(elos(rated(tmp_path)))


def test_an_export_of_all_benches_is_imported_with_its_benches(tmp_path: Path) -> None:
    database, file = tmp_path / "own.duckdb", tmp_path / "all.csv"
    imported(tmp_path, [{**row, "score_a": 7, "score_b": 3} for row in judgements(10)])
    done("export", file, "--db", database)
    assert set(pd.read_csv(file)["score_a"]) == {7}
    done("import", file, "--db", database, "--name", "again")
    for bench in ("all", "eve"):
        expected = elos(rated(tmp_path, bench))
        assert elos(rated(tmp_path, bench, "again")) == pytest.approx(expected)


def test_the_command_says_what_it_found(tmp_path: Path) -> None:
    rows = judgements(5)
    log = write_log(tmp_path / "log.csv", [*rows, rows[0]])
    printed = done("import", log, "--db", tmp_path / "own.duckdb").splitlines()
    assert printed[:4] == [
        "20 verdicts added to 'log'; 3 participants.",
        "Columns debate_id, group_id and judge: 10 debates in 5 groups, judged by 2 judges. "
        "Verdicts of one group count as one observation. --no-group counts every row by itself.",
        "Each judge has a bench of its own; the default board counts all of them.",
        "1 row in which a judge repeats its verdict on a debate did not count again.",
    ]
    without = [{key: row[key] for key in ("model_a", "model_b", "winner", "judge")} for row in rows]
    log = write_log(tmp_path / "other.csv", without)
    printed = done("import", log, "--db", tmp_path / "own.duckdb").splitlines()
    assert printed[1:3] == [
        "Column judge: 2 judges, one for each battle, so all count on the bench imported; arena "
        "leaderboard --without NAME leaves one out.",
        "No column debate or debate_id, so every row is a debate of its own. If the 2 judges have "
        "judged the same debates, say which column names them: --column debate=NAME.",
    ]


def test_a_judge_for_each_debate_is_told_and_motions_are_not_made_up(tmp_path: Path) -> None:
    path = tmp_path / "own.duckdb"
    alone = [row for row in judgements(5) if row["judge"] == "eve"]
    others = [{**row, "judge": "ivy", "debate_id": f"{row['debate_id']}-2"} for row in alone]
    printed = done("import", write_log(tmp_path / "log.csv", [*alone, *others]), "--db", path)
    assert "Column judge: 2 judges, one for each battle" in printed
    unnamed = [{key: row[key] for key in row if key != "motion"} for row in judgements(5)]
    imported(tmp_path, unnamed, tournament="several")
    assert "on one motion" not in done("leaderboard", "-t", "several", "--db", path)


def test_two_are_compared_on_the_verdicts_of_the_board(folder: Path) -> None:
    words = ("--db", folder / "own.duckdb", "-t", "log", "--format", "json")
    for bench in ((), ("--bench", "eve")):
        board = json.loads(done("leaderboard", *words, *bench))
        pair = json.loads(done("versus", "ann", "dan", *words, *bench))
        elo = {row["participant"]: row["rating"] for row in board["rows"]}
        assert pair["bench"] == board["selection"]["bench"]
        assert pair["gap"]["elo"] == pytest.approx(elo["ann"] - elo["dan"], abs=0.01)
        assert (["ann", "dan"] in board["separated"]) == (pair["gap"]["above"] == "ann")
    text = " ".join(done("versus", "ann", "dan", *words[:-2]).split())
    assert text.startswith("log · ann versus dan · all benches")
    assert "every bench's verdict on a debate counts by itself" in text
    assert "that of the leaderboard of all benches" in text


def test_pages_show_the_board_of_all_first_and_the_judges_beside_it(folder: Path) -> None:
    store = Store(folder / "own.duckdb")
    store_boards(store, stored_config(store, "log"))
    state = overall_state(store, "log")
    assert state is not None and state.board.selection.bench == "all"
    assert list(bench_states(store, state)) == ["all", "gpt-4", "eve"]
