"""`arena judges evaluate` where nobody can judge: one message, and nothing is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import refused

BENCH = """
[[benches]]
name = "once"
judge = "single"
model = "offline/fair"
"""


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """A file with one labelled pair."""
    row = {"question": "Why?", "answer_a": "So.", "answer_b": "Not so.", "winner": "a"}
    (tmp_path / "own.jsonl").write_text(json.dumps(row), "utf-8")
    return tmp_path / "own.jsonl"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no judges are named. Use --judge single"),
        (["--benches", "nothing"], "no such example. Examples: advocates, defences, offline"),
        (["--benches", "nothing.toml"], "nothing.toml: cannot be read"),
        (["--benches", "offline", "--runs", "2"], "--benches already describes the judges. Leave"),
        (["--judge", "human"], "--judge: 'human' does not ask a model about pairs"),
        (["--benches", "."], ".: is a directory. Name a file in it."),
        (["--judge", "correctness"], "'correctness' does not ask a model about pairs"),
        (["--judge", "judge-judy"], "--judge: unknown judge 'judge-judy'. Known: correctness, "),
        (
            ["--judge", "nope", "--model", "offline/fair"],
            "--judge: unknown judge 'nope'. Known: correctness, ",
        ),
        (["--judge", "single"], "--model: missing. Write provider/name"),
        (["--judge", "single", "--judge", "more", "--option", "advocates=2"], "one --judge"),
        (
            ["--judge", "single", "--model", "offline/fair", "--option", "jurors=2"],
            "options.jurors: unknown option",
        ),
        (["--judge", "single", "--column", "winner"], "write OURS=THEIRS"),
    ],
)
def test_judges_that_cannot_sit_are_refused(words: list[str], message: str, pairs: Path) -> None:
    db = pairs.with_name("own.duckdb")
    assert message in refused("judges", "evaluate", pairs, "--db", db, *words)
    assert not db.exists()


def test_an_unknown_table_of_a_file_is_refused(pairs: Path) -> None:
    file = pairs.with_name("benches.toml")
    file.write_text(BENCH + "[judge]\nx = 1\n", "utf-8")
    words = ("--benches", file, "--db", pairs.with_name("own.duckdb"))
    message = refused("judges", "evaluate", pairs, *words)
    assert "benches.toml: judge: unknown key" in message
