"""`arena simulate`: what it prints, writes and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arena.commands.simulate import simulate
from tests.support.tournaments import planned

SMALL = ["--fields", "2", "--participants", "4", "--usd", "40"]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(simulate, [*SMALL, *arguments])


@pytest.mark.slow
def test_it_prints_a_row_for_each_schedule() -> None:
    result = run("--schedule", "swiss", "--schedule", "adaptive", "--target", "1")
    assert result.exit_code == 0
    assert result.output.startswith("Simulated: 2 fields of 4 participants")
    assert [line.split()[0] for line in result.output.splitlines()[3:5]] == ["swiss", "adaptive"]


@pytest.mark.slow
def test_a_target_out_of_reach_is_said_with_what_can_be_had() -> None:
    output = " ".join(
        run("--schedule", "random", "--target", "1", "--participants", "9").output.split()
    )
    assert "τ 1 is out of reach with 40 USD; they bring τ" in output
    assert "not reached" in output


@pytest.mark.slow
def test_json_has_every_step_and_says_that_it_is_simulated() -> None:
    content = json.loads(run("--schedule", "adaptive", "--json").output)
    (row,) = content["schedules"]
    assert content["simulated"] is True
    assert row["schedule"] == "adaptive"
    assert len(row["usd"]) == len(row["mean_tau"])
    assert row["mean_tau"][-1] == row["tau"]


@pytest.mark.slow
def test_a_chart_is_one_file_without_addresses_to_load(tmp_path: Path) -> None:
    path = tmp_path / "chart.html"
    assert run("--schedule", "swiss", "--html", str(path)).exit_code == 0
    text = path.read_text("utf-8")
    assert "Simulated: 2 fields" in text
    assert "<script src" not in text
    assert "swiss" in text


@pytest.mark.slow
def test_strengths_odd_fields_and_every_objective_work() -> None:
    elo = ["--elo", "1200", "--elo", "1000", "--elo", "900"]
    for objective in ("ranking", "top-k", "newcomer", "precision"):
        result = run(*elo, "--k", "1", "--objective", objective, "--schedule", "adaptive")
        assert result.exit_code == 0, result.output
        assert "fields of 3 participants" in result.output


@pytest.mark.slow
def test_fields_are_like_a_stored_tournament_but_for_what_is_stated(own_database: Path) -> None:
    like = ["--like", "small", "--db", str(own_database), "--schedule", "swiss"]
    words = [*like, "--fields", "2", "--usd", "40", "--side", "11", "--ballot-usd", "0.5"]
    output = " ".join(CliRunner().invoke(simulate, words).output.split())
    assert "2 fields of 3 participants like small, prices 1 : 1, 1 ballot a debate" in output
    assert "Like 6 judged debates: strengths spread by" in output
    assert "side +11 Elo" in output and "a ballot 0.5 USD" in output
    assert "Not measured but assumed: ICC, prices." in output


def test_a_tournament_without_verdicts_is_nothing_to_be_like(tmp_path: Path) -> None:
    store, _ = planned(tmp_path / "own.duckdb")
    error = run("--like", "small", "--db", str(store.path)).exception
    assert "no debates that bench 'bench' has judged in full" in str(error)


def test_what_makes_no_sense_is_refused() -> None:
    assert "a field of 1" in str(run("--participants", "1").exception)
    assert "1 : 0.5" in str(run("--prices", "0.5").exception)
    assert run("--icc", "2").exit_code == 2
    assert run("--usd", "0").exit_code == 2
