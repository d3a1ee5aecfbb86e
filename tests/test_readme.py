"""The README's commands run, and its output is what they print."""

from __future__ import annotations

import re
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest

from arena.config.load import parse_config
from arena.config.resolve import resolve
from tests.commands import arena, environment
from tests.servers.openai_server import ServerSettings, serving_in_thread

_README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
#: Commands that a test of their own runs: a server that stays, and the writing of a file.
_ELSEWHERE = ("arena serve", "export ")
_KEY = "sk-5f2c9e71d0"


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", _README, re.DOTALL)


def _commands(block: str) -> list[list[str]]:
    lines = [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]
    return [shlex.split(line)[1:] for line in lines if not line.startswith(_ELSEWHERE)]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """What `make tournament` runs."""
    db = tmp_path_factory.mktemp("readme") / "results.duckdb"
    code, printed = arena("run", "--yes", "--db", db)
    assert code == 0, printed
    return db, printed


def test_the_board_on_the_first_screen_is_what_is_printed(played: tuple[Path, str]) -> None:
    (board,) = _blocks("text")
    assert board.strip() in played[1]


def test_the_commands_for_reading_results_run(played: tuple[Path, str]) -> None:
    reading = _blocks("console")[1]
    commands = _commands(reading)
    assert len(commands) >= 6
    for words in commands:
        code, printed = arena(*words, env=environment(ARENA_DB=str(played[0])))
        assert code == 0, (words, printed)
        assert printed.strip()


def test_the_commands_beyond_one_board_run(played: tuple[Path, str], tmp_path: Path) -> None:
    db = shutil.copy(played[0], tmp_path / "results.duckdb")
    commands = _commands(_blocks("console")[2])
    assert len(commands) >= 5
    for words in commands:
        code, printed = arena(*words, env=environment(ARENA_DB=str(db)))
        assert code == 0, (words, printed)
        assert "simulated models" in printed.lower()


def test_battles_go_out_and_come_in(
    played: tuple[Path, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(played[0], "results.duckdb")
    (block,) = _blocks("battles")
    for words, shown in zip(
        _commands(block), re.split(r"^\$.*\n", block, flags=re.M)[1:], strict=True
    ):
        assert arena(*words) == (0, shown), words
    (lines,) = _blocks("python")
    exec(compile(lines, "README.md", "exec"), {})  # noqa: S102 - our own page
    assert capsys.readouterr().out.strip() == lines.strip().rpartition("# ")[2]


def test_playing_it_again_says_that_everything_is_played(played: tuple[Path, str]) -> None:
    code, printed = arena("run", "--yes", "--db", played[0])
    assert code == 0
    assert "Everything is played: 112 debates" in printed
    assert _blocks("text")[0].strip() in printed


def test_the_six_lines_are_a_tournament(tmp_path: Path) -> None:
    (text,) = _blocks("toml")
    assert len(text.splitlines()) == 6
    config = parse_config(tomllib.loads(text), where="README")
    assert len(resolve(config, where="README").participants) == 2


def test_the_commands_for_own_models_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (text,) = _blocks("toml")
    own = _blocks("console")[0]
    monkeypatch.chdir(tmp_path)
    short = f"limits = {{ words = 200 }}\n{text}\n[schedule]\nmatchups_per_pair = 1\n"
    Path("weekend.toml").write_text(short, "utf-8")
    with serving_in_thread(ServerSettings(models=("gpt-4o-mini",), key=_KEY)) as server:
        env = environment(OPENAI_API_KEY=_KEY, OPENAI_BASE_URL=server.url)
        for words in _commands(own):
            code, printed = arena(*words, env=env)
            assert code == 0, (words, printed)
    assert "2 debates rated" in printed
    assert _KEY not in Path("results.duckdb").read_bytes().decode("latin-1")


def test_one_motion_prints_the_verdict_that_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (block,) = _blocks("session")
    command, verdict = block.split("\n", 1)
    monkeypatch.chdir(tmp_path)
    code, printed = arena(*_commands(command)[0])
    assert code == 0, printed
    assert verdict.strip() in printed


def test_the_tables_of_the_appendix_are_those_of_the_docs() -> None:
    printed = (Path(__file__).parents[1] / "docs" / "paper-tables.md").read_text("utf-8")
    tables = _README.partition("of simulated models:\n\n")[2].partition("\nApache-2.0.")[0]
    found = ["## " + one.strip() for one in tables.split("### ") if one.strip()]
    assert len(found) == 2
    assert all(one in printed for one in found)
