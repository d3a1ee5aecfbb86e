"""Several tournaments as one: a tournament that was cut in two is what it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.boards.board import board
from arena.boards.comparisons import compare
from arena.boards.selecting import scope
from arena.boards.selection import Selection
from arena.config.stored import stored_config
from arena.errors import ConfigError, StoreError
from arena.read.joined import open_tournaments
from arena.store.database import Store
from tests.dashboard.handmade import execute
from tests.support.command_line import arena as run_command
from tests.support.command_line import done, refused
from tests.support.stored_databases import cut_in_two


@pytest.fixture
def cut(own_database: Path) -> Store:
    store = Store(own_database)
    cut_in_two(store)
    return store


def configured(
    store: Store, change: Callable[[dict[str, list[dict[str, object]]]], object]
) -> None:
    """Change the stored configuration of the later tournament."""
    (row,) = store.plain_rows("SELECT config FROM tournaments WHERE tournament = 'later'")
    content = json.loads(row["config"])
    change(content)
    text = json.dumps(content).replace("'", "''")
    execute(store, f"UPDATE tournaments SET config = '{text}' WHERE tournament = 'later'")


def test_a_tournament_that_was_cut_in_two_has_the_board_that_it_had(
    cut: Store, small_database: Path
) -> None:
    whole = Store(small_database)
    selection = Selection(tournament="small", bench="all")
    expected = board(whole, stored_config(whole, "small"), selection)
    store, resolved = open_tournaments(cut, ["later", "small"])
    joined = board(store, resolved, replace(selection, tournament=resolved.name))
    assert resolved.name == "small + later"
    assert resolved.joined == ("small", "later")
    assert joined.rows == expected.rows
    assert joined.debates == expected.debates > 0
    alone = board(cut, stored_config(cut, "later"), replace(selection, tournament="later"))
    assert 0 < alone.debates < expected.debates


def test_the_names_of_several_are_accepted_wherever_boards_are_shown(cut: Store) -> None:
    both = ("-t", "small", "-t", "later")
    title = done("leaderboard", *both, "--db", cut.path).splitlines()[0]
    assert title.startswith("small + later · ")
    assert done("leaderboard", "-t", "small + later", "--db", cut.path).splitlines()[0] == title
    for command in (("matrix",), ("versus", "strong", "weak"), ("influence",), ("debates",)):
        assert "later" not in done(*command, "-t", "small", "--db", cut.path)
        done(*command, *both, "--db", cut.path)
    kept = run_command("leaderboard", *both, "--keep", "--db", cut.path)
    assert (kept.exit_code, kept.stdout) == (2, "")
    assert "--keep is for the board of one tournament" in kept.stderr
    assert "no tournament 'latter'" in refused(
        "leaderboard", "-t", "small", "-t", "latter", "--db", cut.path
    )


def test_results_in_python_are_of_all_of_them(cut: Store, small_database: Path) -> None:
    both, whole = arena.open(cut.path)["small", "later"], arena.open(small_database)["small"]
    figures = ["participant", "rating", "debates"]
    board_of_both = arena.open(cut.path).leaderboard(["small", "later"])
    assert board_of_both.frame[figures].equals(whole.leaderboard().frame[figures])
    for name in ("debates", "ballots", "speeches", "calls"):
        assert len(getattr(both, name)()) == len(getattr(whole, name)()) > 0
    for name in ("status", "costs", "attention"):
        with pytest.raises(ConfigError, match="is several tournaments"):
            getattr(both, name)()


def test_a_name_that_looks_like_several_is_that_of_a_tournament_where_one_has_it(
    cut: Store,
) -> None:
    def rename(content: dict[str, Any]) -> None:
        content["tournament"]["name"] = "small + later"

    configured(cut, rename)
    tables = ("tournaments", "debates", "participants")
    own = "SET tournament = 'small + later' WHERE tournament = 'later'"
    execute(cut, *(f"UPDATE {table} {own}" for table in tables))
    (alone,) = {row.tournament for row in arena.open(cut.path)["small + later"].debates()}
    assert alone == "small + later"
    both = arena.open(cut.path)["small", "small + later"]
    assert both.name == "small + small + later"
    assert len(both.debates()) == len(arena.open(cut.path)["small"].debates()) + 2


def test_what_cannot_be_joined_is_said(cut: Store) -> None:
    def add_bench(content: dict[str, list[dict[str, object]]]) -> None:
        content["benches"].append({**content["benches"][0], "name": "other"})

    configured(cut, add_bench)
    resolved = open_tournaments(cut, ["small", "later"])[1]
    assert [bench.name for bench in resolved.benches] == ["bench"]
    assert resolved.notes == ("bench other is left out: only later has it",)
    assert "Note: bench other is left out: only later has it." in done(
        "leaderboard", "-t", "small", "-t", "later", "--db", cut.path
    )

    configured(cut, lambda content: content["benches"][0].update(runs=7))
    with pytest.raises(ConfigError, match=r"have no bench in common.*runs 1, 7"):
        open_tournaments(cut, ["small", "later"])

    model = "UPDATE participants SET model = 'offline/other' WHERE tournament = 'later'"
    execute(cut, f"{model} AND name = 'weak'")
    with pytest.raises(ConfigError, match="'weak' is one system in 'small' and another in 'later'"):
        open_tournaments(cut, ["small", "later"])


def test_battle_logs_are_joined_by_names_and_not_with_debates(cut: Store, tmp_path: Path) -> None:
    for name, rows in (("one", "x,y,model_a\ny,z,tie\n"), ("two", "x,w,model_a\nw,z,model_b\n")):
        log = tmp_path / f"{name}.csv"
        log.write_text(f"model_a,model_b,winner\n{rows}", encoding="utf-8")
        done("import", log, "--db", cut.path)
    printed = done("leaderboard", "-t", "one", "-t", "two", "--format", "json", "--db", cut.path)
    board_of_both = json.loads(printed)
    assert {row["participant"]: row["debates"] for row in board_of_both["rows"]} == dict.fromkeys(
        "wxyz", 2
    )
    assert not any("one system" in note for note in board_of_both["notes"])
    words = r"'small' and 'one' cannot share a board: one has results of the contest 'debate', the "
    with pytest.raises(ConfigError, match=f"{words}other imported battles"):
        open_tournaments(cut, ["one", "small"])


def test_several_tournaments_are_only_read(cut: Store) -> None:
    store, _ = open_tournaments(cut, ["small", "later"])
    with pytest.raises(StoreError, match="several tournaments, which can only be read"):
        store.write(lambda _connection: None)


def test_plans_add_up_as_if_one_had_been_changed(cut: Store) -> None:
    wave = (
        "INSERT INTO waves SELECT tournament, row_number() OVER (PARTITION BY tournament) - 1, "
        "{schedule}, '[]', '[]', '{{}}', to_json(list(DISTINCT {{'matchup_id': matchup_id}})), "
        "'[]', '', '[]', '[]', '', now(), '' FROM debates GROUP BY tournament"
    )
    schedule = """json_object('schedule', json_object('kind', 'adaptive'), 'guided', .3, 'planned',
                              count(DISTINCT matchup_id))"""
    execute(cut, wave.format(schedule=schedule))
    selection = Selection(tournament="small", bench="all")
    single = compare(cut, selection, scope(stored_config(cut, "small"))).comparisons
    store, resolved = open_tournaments(cut, ["small", "later"])
    joined = compare(store, replace(selection, tournament=resolved.name), scope(resolved))
    assert (single.pairing, single.plan.share, single.plan.changes) == ("planned", 1.0, 0)
    together = joined.comparisons
    assert (together.pairing, together.plan.share, together.plan.changes) == ("planned", 1.0, 1)
    waves = store.plain_rows("SELECT wave, schedule->>'$.planned' AS planned FROM waves")
    planned = cut.plain_rows("SELECT tournament, schedule->>'$.planned' AS planned FROM waves")
    counts = {row["tournament"]: int(row["planned"]) for row in planned}
    assert sorted((row["wave"], int(row["planned"])) for row in waves) == [
        (0, counts["small"]),
        (1, sum(counts.values())),
    ]
