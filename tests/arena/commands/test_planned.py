"""The plan that `arena run --dry-run` prints, for every kind of schedule."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from arena.console import plan_text
from arena.output import settings_text
from tests.support.command_line import done, refused
from tests.support.toml_files import bench, player, toml_text
from tests.support.tournaments import SMALL

PAIR = "matchups_per_pair = 1"


def plan_of(folder: Path, *schedule: str) -> list[str]:
    """The lines of a plan with another schedule."""
    file = folder / "small.toml"
    file.write_text(SMALL.replace(PAIR, "\n".join(schedule)), encoding="utf-8")
    printed = done("run", file, "--dry-run", "--db", folder / "own.duckdb")
    assert list(folder.iterdir()) == [file], "a plan writes nothing"
    return [line.strip() for line in printed.splitlines()]


@pytest.mark.parametrize(
    ("schedule", "line", "debates"),
    [
        (PAIR, "round robin: 1 matchup per pair; a participant plays 4 debates", 6),
        (
            'kind = "gauntlet"\nnewcomers = ["weak"]\nmatchups_per_pair = 3',
            "gauntlet: weak against 2 opponents, 3 matchups per pair; "
            "a participant plays 6 to 12 debates",
            12,
        ),
        (
            'kind = "gauntlet"\nnewcomers = ["weak"]\nopponents = ["fair"]',
            "gauntlet: weak against 1 opponent, 1 matchup per pair; a participant plays 0 to "
            "2 debates (strong none: change `opponents` so that everyone is rated)",
            2,
        ),
        (
            'kind = "random"\nmatchups = 1',
            "random pairs: 1 matchup drawn; a participant plays 0 to 2 debates (fair none: "
            "change `matchups` so that everyone is rated)",
            2,
        ),
    ],
)
def test_a_plan_says_who_meets_whom(tmp_path: Path, schedule: str, line: str, debates: int) -> None:
    lines = plan_of(tmp_path, schedule)
    assert lines[2] == line
    matchups = "1 matchup" if debates == 2 else f"{debates // 2} matchups"
    assert lines[3] == (
        f"{debates} debates in {matchups} of two legs; "
        f"0 done, {debates} to play, {debates} ballots to take"
    )


def test_a_plan_of_a_large_field_counts_names_and_foresees_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings_text, "_MOST_NAMED", 0)
    monkeypatch.setattr(plan_text, "LARGEST_FORESEEN", 2)
    lines = plan_of(tmp_path, 'kind = "random"', "matchups = 1")
    assert "(1 participant none: change `matchups` so that everyone is rated)" in lines[2]
    assert "how sure the ratings will be is foreseen up to 2 participants only" in lines
    assert not any("to settle two" in line for line in lines)
    assert plan_of(tmp_path, 'kind = "swiss"')[2].endswith("participant have byes")


@pytest.mark.parametrize(
    ("schedule", "line"),
    [
        ({}, r"will cost about ([\d.]+) USD \(([\d.]+) to ([\d.]+)\)"),
        (
            {"kind": "swiss", "rounds": 3},
            r"will cost about ([\d.]+) USD in all, this wave ([\d.]+) USD",
        ),
        (
            {"kind": "adaptive", "wave": 2, "target": {"elo": 100}, "matchups": 400},
            r"will cost about ([\d.]+) USD until its target is reached; "
            r"about ([\d.]+) USD if all that the schedule allows is played, this wave ([\d.]+) USD",
        ),
        (
            {"kind": "adaptive", "wave": 2, "target": {"elo": 20}, "matchups": 9},
            r"will cost about ([\d.]+) USD if all that the schedule allows is played, "
            r"this wave ([\d.]+) USD",
        ),
    ],
    ids=["all at once", "waves", "a target", "a target out of reach"],
)
def test_a_plan_begins_with_what_all_of_it_will_probably_cost(
    tmp_path: Path, schedule: dict[str, Any], line: str
) -> None:
    file = tmp_path / "priced.toml"
    target = schedule.pop("target", None)
    text = toml_text(
        tournament={"name": "priced", "motions": "arena66"},
        schedule=schedule or {"matchups_per_pair": 2},
        models={"openai/*": {"usd_per_million": {"input": 1.0, "output": 4.0}}},
        participants=[player(name, "direct", f"openai/{name}") for name in "abc"],
        benches=[bench("single", "single", "openai/judge")],
        **({"target": {"objective": "precision", **target}} if target else {}),
    )
    file.write_text(text, encoding="utf-8")
    lines = done("run", file, "--dry-run", "--db", tmp_path / "own.duckdb").splitlines()
    found = re.fullmatch(line, lines[1].strip())
    assert found, lines
    amounts = [float(amount) for amount in found.groups()]
    (table,) = (row.split()[1:] for row in lines if row.startswith("  USD"))
    low, expected, high = map(float, table)
    if not schedule:
        assert amounts == [expected, low, high] and low < expected < high
    else:
        *whole, wave = amounts
        assert wave == expected < min(whole) and whole == sorted(whole)


def test_one_of_something_is_no_plural(tmp_path: Path) -> None:
    assert plan_of(tmp_path, PAIR)[1].endswith("benches: bench (debatrix, 1 run)")


def test_a_gauntlet_on_top_of_what_is_stored_is_what_is_added(own_database: Path) -> None:
    file = own_database.with_name("small.toml")
    newcomer = '\n[[participants]]\nname = "new"\ndebater = "direct"\nmodel = "offline/good"\n'
    schedule = f'{PAIR}\nkind = "gauntlet"\nnewcomers = ["new"]'
    file.write_text(SMALL.replace(PAIR, schedule) + newcomer, encoding="utf-8")
    printed = done("run", file, "--dry-run", "--db", own_database)
    assert "12 debates in 6 matchups of two legs; 6 done, 6 to play" in printed


def test_a_gauntlet_without_newcomers_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL.replace(PAIR, 'kind = "gauntlet"'), encoding="utf-8")
    message = refused("run", file, "--dry-run", "--db", tmp_path / "own.duckdb")
    assert message.startswith(
        f"{file}, line 7: schedule: kind 'gauntlet' needs `newcomers`: write newcomers"
    )
