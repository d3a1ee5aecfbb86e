"""`arena export --what inspect`: what Inspect itself reads of a played tournament."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.command_line import done, refused
from tests.support.console_script import ask

LIBRARY = "inspect_ai.log"
pytestmark = pytest.mark.integrations


@pytest.mark.parametrize("form", ["eval", "json"])
def test_inspect_reads_a_sample_per_debate(
    form: str, library: ModuleType, small_database: Path, tmp_path: Path
) -> None:
    file = tmp_path / f"log.{form}"
    done("export", file, "--what", "inspect", "--db", small_database)
    log = library.read_eval_log(str(file))
    stored = ask(small_database, "SELECT debate_id, count(*) FROM speeches GROUP BY ALL")
    assert {(sample.id, len(sample.messages) - 1) for sample in log.samples} == {*stored}
    assert log.status == "success"
    sample = log.samples[0]
    (score,) = sample.scores.values()
    assert score.value in (0, 0.5, 1) and score.answer in (
        sample.metadata["pro"], sample.metadata["con"], "tie"
    )  # fmt: skip
    assert all(usage.total_tokens > 0 for usage in sample.model_usage.values())


def test_the_results_are_those_of_the_board(
    library: ModuleType, small_database: Path, tmp_path: Path
) -> None:
    done("export", tmp_path / "log.eval", "--what", "inspect", "--db", small_database)
    (score,) = library.read_eval_log(str(tmp_path / "log.eval")).results.scores
    printed = done("leaderboard", "--db", small_database, "--format", "json")
    for row in json.loads(printed)["rows"]:
        metric = score.metrics[row["participant"]]
        figures = metric.value, metric.metadata["lower"], metric.metadata["upper"]
        assert figures == pytest.approx((row["rating"], row["lower"], row["upper"]), abs=0.01)


def test_another_ending_is_refused(
    library: ModuleType, small_database: Path, tmp_path: Path
) -> None:
    words = ("--what", "inspect", "--db", small_database)
    message = refused("export", tmp_path / "log.txt", *words)
    assert message.endswith("needs a file name that ends in one of .eval, .json.")
