"""Stored calibrations, and the terms that boards say they leave out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from arena.boards.board import board
from arena.boards.calibration import calibration_notes
from arena.boards.method import STORED, Method
from arena.boards.selection import Selection
from arena.boards.states import read_state
from arena.config.stored import stored_config
from arena.errors import StoreError
from arena.store.database import Store
from ratings import Model
from tests.dashboard.handmade import execute
from tests.support.battle_logs import write_log
from tests.support.command_line import done

#: Whole tournaments and servers.
pytestmark = pytest.mark.slow

LOG = Selection(tournament="log", bench="imported")
NAMES = ("ann", "bob", "cyd")


def rows(*, times: int = 30, luck: int = 5) -> list[dict[str, str]]:
    """Battles of equals, most of which the first named wins."""
    return [
        {"model_a": one, "model_b": other, "winner": "model_b" if number % luck == 0 else "model_a"}
        for number in range(times)
        for one in NAMES
        for other in NAMES
        if one != other
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    done("import", write_log(tmp_path / "log.csv", rows()), "--db", tmp_path / "own.duckdb")
    return tmp_path / "own.duckdb"


def notes(path: Path, method: Method = STORED) -> list[str]:
    return list(calibration_notes(Store(path), LOG, method, comparisons=180))


def test_a_board_names_a_term_that_predicts_clearly_better(path: Path) -> None:
    assert "leave out" not in done("leaderboard", "--db", path)
    document = json.loads(done("calibrate", "--db", path, "--format", "json"))
    first, *others = document["lines"]
    (side,) = (line for line in others if line["model"] == "with a side")
    worth = document["side"]
    said = (
        "these ratings leave out the advantage of a side, although unseen debates are predicted "
        f"clearly better with it: log-loss {side['log_loss']:.4f} instead of "
        f"{first['log_loss']:.4f}, the side (Pro) is worth {worth['elo']:+.0f} Elo points "
        f"({worth['lower']:.0f} to {worth['upper']:.0f}); the option that adds it is --side "
        "(measured on 180 debates)"
    )
    assert notes(path) == [said]
    store = Store(path)
    assert said in board(store, stored_config(store, None), LOG).notes
    shown = read_state(store, LOG)
    assert shown is not None and said in shown.board.notes, "the page says it, too"
    assert f"Note: {said}." in done("leaderboard", "--db", path)


def test_only_what_the_board_leaves_out_is_named(path: Path) -> None:
    done("calibrate", "--db", path)
    assert notes(path, Method(model=Model(side=True))) == []
    assert notes(path, Method(model=Model(ties="davidson"))) == notes(path)
    assert notes(path, Method(k=32.0)) == notes(path), "sequential ratings have no terms"
    assert "leave out" not in done("leaderboard", "--db", path, "--side")


def test_a_calibration_holds_for_its_own_selection(path: Path) -> None:
    done("calibrate", "--db", path)
    other = Selection(tournament="log", bench="imported", without=("eve",))
    assert list(calibration_notes(Store(path), other, STORED, comparisons=1)) == []
    clustered = Selection(tournament="log", bench="imported", cluster="debate")
    assert len(list(calibration_notes(Store(path), clustered, STORED, comparisons=180))) == 1


def test_a_board_that_has_grown_says_how_old_the_calibration_is(path: Path) -> None:
    done("calibrate", "--db", path)
    grown = write_log(path.with_name("log.csv"), [*rows(), *rows(times=1)])
    done("import", grown, "--db", path)
    said = done("leaderboard", "--db", path)
    assert "(measured on 180 debates of now 186)." in said
    done("calibrate", "--db", path)
    said = done("leaderboard", "--db", path)
    assert "(measured on 186 debates)." in said and "of now" not in said
    stored = Store(path).rows("SELECT DISTINCT comparisons FROM calibrations")
    assert stored == [{"comparisons": 186}], "a calibration replaces the one before it"


def test_what_is_no_better_is_not_named(tmp_path: Path) -> None:
    even = write_log(tmp_path / "log.csv", rows(luck=2))
    done("import", even, "--db", tmp_path / "own.duckdb")
    done("calibrate", "--db", tmp_path / "own.duckdb")
    assert notes(tmp_path / "own.duckdb") == []
    stored = Store(tmp_path / "own.duckdb").rows("SELECT model, better FROM calibrations")
    assert {"weighted", "side", "side-by-motion", "ties", "unweighted"} <= {
        row["model"] for row in stored
    }
    assert not any(row["better"] for row in stored)


def test_weights_that_do_harm_are_named(path: Path) -> None:
    done("calibrate", "--db", path)
    store = Store(path)
    execute(store, "UPDATE calibrations SET better = (model = 'unweighted')")
    (note,) = notes(path)
    assert re.match(
        "these ratings weigh debates by the difference of scores, although unseen debates are "
        r"predicted clearly better without weights: log-loss 0\.\d{4} instead of 0\.\d{4}; the "
        r"option that adds it is --method unweighted \(measured on ",
        note,
    )
    assert notes(path, Method(weighted=False)) == []


def test_a_database_that_cannot_be_written_is_calibrated_all_the_same(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise StoreError("own.duckdb: cannot be written")

    monkeypatch.setattr(Store, "write", refuse)
    said = done("calibrate", "--db", path)
    assert "with a side" in said
    assert "Not stored, so leaderboards do not mention it: own.duckdb: cannot be written" in said
