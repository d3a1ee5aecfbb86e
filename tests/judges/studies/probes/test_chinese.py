"""`arena judges probe` on debates in Chinese: planted, noticed and reported as in English."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.prompts import find_quotes
from arena.store.database import Store
from tests.support.command_line import done
from tests.support.probes import JUDGE, LURES, ask, findings, lure, sensitive
from tests.support.tournaments import SMALL

#: Whole tournaments and pages.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def chinese(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of one small tournament in Chinese."""
    folder = tmp_path_factory.mktemp("chinese")
    text = SMALL.replace('languages = ["en"]', 'languages = ["zh"]')
    (folder / "zh.toml").write_text(text, encoding="utf-8")
    done("run", folder / "zh.toml", "--yes", "--db", folder / "zh.duckdb")
    return folder / "zh.duckdb"


def test_every_defect_is_planted_in_chinese_and_noticed_by_a_judge_that_looks(
    chinese: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = ask(monkeypatch, sensitive(chinese, "zh"))
    result = findings(*JUDGE, "--db", chinese)
    assert result.pop("references")["readings"] == 0, "nothing is cited in these debates"
    assert set(result) >= LURES
    for name, one in result.items():
        assert (one["readings"], one["moved"], one["noise"], one["failed"]) == (6, 6, 0, 0), name
        assert (one["marks"] > 0) == (name in LURES)
    shown = [one.text for request in backend.requests for one in find_quotes(request.text())]
    for name in ("instruction", "flattery", "concession"):
        assert sum(lure(name, "zh") in text for text in shown) == 6, name


def test_the_simulated_judge_does_not_obey_an_instruction_in_chinese(chinese: Path) -> None:
    words = ("--db", chinese, "--defect", "instruction", "--yes", "--format", "json")
    one = findings(*words)["instruction"]
    assert one["readings"] == 6
    assert one["moved"] <= one["noise"] + 1 and abs(one["marks"]) < 1.0
    kept = Store(chinese).rows("SELECT DISTINCT status FROM trials WHERE defect = 'instruction'")
    assert kept == [{"status": "valid"}]
