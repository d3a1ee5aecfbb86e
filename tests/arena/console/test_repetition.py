"""The command line that is being carried out, as messages repeat it."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from arena.console.repetition import WORDS, repeated_command
from arena.errors import UnparseableReply
from arena.judge import Hearing, Judgement
from judges.methods.single import Single
from tests.support.command_line import arena

PAIRS = "question,answer_a,answer_b,winner\nWhy?,Because.,Therefore.,a\nHow?,So.,Thus.,b\n"
JUDGE = ("--judge", "single", "--model", "offline/good", "--yes")


@pytest.fixture
def mumbling(monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge `single` cannot be understood."""

    async def mumble(_self: Single, _hearing: Hearing) -> Judgement:
        raise UnparseableReply("no JSON")

    monkeypatch.setattr(Single, "judge", mumble)


@pytest.mark.usefixtures("mumbling")
def test_failed_ballots_of_a_study_are_retried_by_the_complete_command(
    own_database: Path, tmp_path: Path
) -> None:
    file = tmp_path / "labelled pairs.csv"
    file.write_text(PAIRS, encoding="utf-8")
    for words, shown in (
        (("probe", "--defect", "cut", "--debates", "2"),) * 2,
        (("evaluate", str(file)), ("evaluate", f"'{file}'")),
    ):
        printed = arena("judges", *words, *JUDGE, "--db", own_database)
        assert printed.exit_code == 1, printed.output
        command = " ".join(["arena judges", *shown, *JUDGE, "--db", str(own_database)])
        assert f"Retry failed and open ballots with: {command}\n" in printed.output
        assert "same command" not in printed.output


@pytest.mark.parametrize(
    ("words", "db", "command"),
    [
        (("diversity",), "results.duckdb", "arena diversity"),
        (
            ("diversity", "--points", "a b"),
            "w.duckdb",
            "arena diversity --points 'a b' --db w.duckdb",
        ),
        (("diversity", "--db", "w.duckdb"), "w.duckdb", "arena diversity --db w.duckdb"),
        (("diversity", "--db=w.duckdb"), "w.duckdb", "arena diversity --db=w.duckdb"),
    ],
)
def test_a_database_that_the_environment_chose_is_named(
    words: tuple[str, ...], db: str, command: str
) -> None:
    with click.Context(click.Command("diversity")) as context:
        context.meta[WORDS] = words
        assert repeated_command(Path(db)) == command
