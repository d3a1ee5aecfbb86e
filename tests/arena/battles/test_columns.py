"""Columns of a battle log that nobody named: groups and the seed of an exported board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from arena.battles.importer import ImportResult, import_battles
from arena.battles.staging_table import ReadingOptions
from arena.boards.selecting import select_comparisons
from arena.boards.selection import Selection
from arena.config.stored import stored_config
from arena.errors import ConfigError
from arena.store.database import Store
from tests.support.battle_logs import PLAIN, write_log
from tests.support.command_line import done, refused


def imported(
    path: Path, rows: Sequence[Mapping[str, object]], *, grouped: bool = True, form: str = "csv"
) -> ImportResult:
    log = write_log(path / f"log.{form}", rows)
    return import_battles(
        Store(path / "own.duckdb"),
        log,
        tournament="log",
        seed=None,
        reading=ReadingOptions(grouped=grouped),
    )


def clusters(path: Path) -> int:
    store = Store(path / "own.duckdb")
    selection = Selection(tournament="log", bench="imported")
    return select_comparisons(store, stored_config(store, "log"), selection).comparisons.clusters


def named(name: str, *values: object) -> list[dict[str, object]]:
    """The five plain battles with a further column."""
    return [{**row, name: value} for row, value in zip(PLAIN, values, strict=True)]


@pytest.mark.parametrize(
    "name",
    ["debate_id", "group_id", "Debate ID", "debateId", "matchup", "lm_match_no", "question_id"],
)
def test_a_column_that_looks_like_groups_is_taken(tmp_path: Path, name: str) -> None:
    result = imported(tmp_path, named(name, "x", "x", "y", "y", "z"))
    assert (result.hints.group, result.hints.groups, result.ignored) == (name, 3, ())
    assert clusters(tmp_path) == 3


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_numbers_are_groups_too_in_every_form(tmp_path: Path, form: str) -> None:
    assert imported(tmp_path, named("debate_id", 1, 1, 2, 2, 3), form=form).hints.groups == 3
    assert clusters(tmp_path) == 3


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("debate_id", "abcde"),  # each its own
        ("debate_id", "aaaaa"),  # one for all: nothing could be said
        ("question", "aabbc"),  # a text
        ("debater", "aabbc"),
        ("rematches", "aabbc"),
    ],
)
def test_a_column_that_groups_nothing_is_not_taken(tmp_path: Path, name: str, values: str) -> None:
    result = imported(tmp_path, named(name, *values))
    assert (result.hints.group, result.ignored) == ("", (name,))
    assert clusters(tmp_path) == 5


def test_a_named_group_comes_first(tmp_path: Path) -> None:
    rows = [{**row, "group": row["debate_id"] == "x"} for row in named("debate_id", *"xxyyz")]
    result = imported(tmp_path, rows)
    assert (result.hints.group, result.ignored) == ("", ("debate_id",))
    assert clusters(tmp_path) == 2


def twice_named(matches: str) -> list[dict[str, object]]:
    rows = named("debate_id", *"xxyyz")
    return [{**row, "match_id": match} for row, match in zip(rows, matches, strict=True)]


def test_two_columns_that_group_differently_are_asked_about(tmp_path: Path) -> None:
    rows = twice_named("abbbb")
    with pytest.raises(ConfigError) as caught:
        imported(tmp_path, rows)
    assert str(caught.value).endswith(
        "several columns look like groups of related battles: debate_id (3 values), match_id "
        "(2 values). Name one with --column group=debate_id, or use --no-group to count every "
        "battle by itself."
    )
    assert imported(tmp_path, rows, grouped=False).hints.group == ""
    assert clusters(tmp_path) == 5


@pytest.mark.parametrize(
    ("matches", "group", "groups", "ignored"),
    [("aaaab", "match_id", 2, "debate_id"), ("aabbc", "debate_id", 3, "match_id")],
)
def test_the_wider_of_two_columns_is_taken(
    tmp_path: Path, matches: str, group: str, groups: int, ignored: str
) -> None:
    result = imported(tmp_path, twice_named(matches))
    assert (result.hints.group, result.hints.groups) == (group, groups)
    assert result.ignored == (ignored,)


@pytest.mark.slow
def test_the_command_says_what_it_took_and_how_to_undo_it(tmp_path: Path) -> None:
    db = tmp_path / "own.duckdb"
    log = write_log(tmp_path / "log.csv", named("debate_id", *"xxyyz"))
    assert done("import", log, "--db", db).splitlines()[1] == (
        "Column debate_id was taken as group (3 groups): battles of one group count as one "
        "observation. --no-group counts each by itself."
    )
    message = refused("import", log, "--db", db, "--no-group")
    assert "the file differs from row 1 on" in message
    printed = done("import", log, "--db", db, "--no-group", "--name", "single")
    assert "taken" not in printed and "Ignored columns: debate_id." in printed
    message = refused("import", log, "--db", db, "--name", "single")
    assert message.endswith("with --name, or do not group them by debate_id: --no-group.")


@pytest.mark.parametrize(
    ("seeds", "expected", "ignored"),
    [
        ((7, 7, 7, 7, 7), 7, ()),
        ((7, 7, 8, 7, 7), 0, ("seed",)),
        (("", "", "", "", ""), 0, ("seed",)),
        ((7.5,) * 5, 0, ("seed",)),
        ((-1,) * 5, 0, ("seed",)),
        (("9" * 30,) * 5, 0, ("seed",)),
    ],
)
def test_one_seed_in_all_rows_is_that_of_the_board(
    tmp_path: Path, seeds: tuple[object, ...], expected: int, ignored: tuple[str, ...]
) -> None:
    result = imported(tmp_path, named("seed", *seeds))
    assert result.ignored == ignored
    stored = stored_config(Store(tmp_path / "own.duckdb"), "log")
    assert stored.config.tournament.seed == expected


def test_a_seed_on_the_command_line_comes_first(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.csv", named("seed", *[7] * 5))
    done("import", log, "--db", tmp_path / "own.duckdb", "--seed", 3)
    assert stored_config(Store(tmp_path / "own.duckdb"), "log").config.tournament.seed == 3
