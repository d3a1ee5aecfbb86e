"""The commands that are printed to be copied: complete, quoted, and on the same tournament."""

from __future__ import annotations

import html
import re
import shlex
import shutil
from pathlib import Path

import click
import pytest

from arena.cli import cli
from arena.store.database import Store
from tests.support.command_line import arena, done
from tests.support.people_bench import BENCH
from tests.support.tournaments import commit, content, decide, judged, planned, played

pytestmark = pytest.mark.usefixtures("no_stored_boards")

OWN, OTHER = "rainy weekend", "newest of all"
#: A command stands until the line ends, or three spaces, a closing bracket or a word follow it.
_COMMAND = re.compile(r"\barena [a-z](?:(?!   |, or |\)).)*")


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A tournament with open debates, ballots and votes, and a newer one in the same file."""
    folder = tmp_path / "my results"
    folder.mkdir()
    path = folder / "two of them.duckdb"
    config = content("ann", "bob", "cyd", name=OWN)
    config["benches"].append(BENCH)
    store, plan = planned(path, config)
    first, second, third, *_ = plan.debates
    commit(store, *map(played, (first, second)), played(third, "error"), judged(first))
    decide(*planned(path, content("xia", "yan", "zoe", name=OTHER)))
    return path


def commands(text: str) -> list[list[str]]:
    """The words of each command in a text, without `arena`."""
    return [shlex.split(found)[1:] for found in _COMMAND.findall(text)]


def printed(*words: str | Path) -> str:
    """What a command prints, whether it succeeds, finds something missing, or is refused."""
    result = arena(*words)
    return result.output


@pytest.mark.parametrize(
    "words",
    [
        ("debates",),
        ("leaderboard",),
        ("leaderboard", "--keep"),
        ("leaderboard", "--bench", "people"),
        ("leaderboard", "--beside"),
        ("matrix",),
        ("versus", "ann", "cyd"),
        ("status",),
        ("vote", "list"),
        ("vote", "show", "none"),
        ("trace",),
        ("models",),
        ("calibrate",),
        ("influence",),
    ],
    ids=" ".join,
)
def test_what_a_command_advises_is_done_on_its_tournament(
    db: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(db.parent.parent)
    for command in commands(printed(*words, "-t", OWN, "--db", db)):
        check_command(db, command)


@pytest.mark.parametrize(
    "words",
    [
        ("leaderboard",),
        ("leaderboard", "--bench", "people"),
        ("debates",),
        ("status",),
        ("matrix",),
    ],
    ids=" ".join,
)
def test_there_is_a_next_step(db: Path, words: tuple[str, ...]) -> None:
    assert commands(printed(*words, "-t", OWN, "--db", db))


def test_the_commands_after_a_run_and_in_its_report_do_so_too(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(db.parent.parent)
    output = printed("resume", OWN, "--yes", "--db", db)
    page = db.with_name("own report.html")
    done("report", "-t", OWN, "--db", db, "-o", page)
    in_page = re.findall(r"<code>(arena .*?)</code>", page.read_text("utf-8"))
    after_run = commands(output)
    assert ["vote", "list"] in [command[:2] for command in after_run]
    assert len(in_page) > 5
    for command in [*after_run, *(shlex.split(html.unescape(code))[1:] for code in in_page)]:
        check_command(db, command)


def test_verify_names_the_database(small_database: Path, tmp_path: Path) -> None:
    db = tmp_path / "my results.duckdb"
    shutil.copy(small_database, db)
    kept = done("leaderboard", "--dimension", "source", "--keep", "--db", db)
    output = done("verify", "--db", db)
    (digest,) = re.findall(r"digest of the board of bench: (\w+)", output)
    (board,) = re.findall(r"Kept as board (\w+)", kept)
    filled = {"HASH": digest, "BOARD": board}
    found = commands(output)
    assert [command[0] for command in found] == ["reproduce", "verify"]
    for command in found:
        done(*(filled.get(word, word) for word in command))


def check_command(db: Path, command: list[str]) -> None:
    """Run a printed command; it must succeed, on its own tournament and database."""
    assert command[command.index("--db") + 1] == str(db), f"another database: {command}"
    (first,) = Store(db).rows(
        "SELECT min(debate_id) AS id FROM debates WHERE tournament = $name", {"name": OWN}
    )
    filled = {"ID": first["id"], "MODEL": "offline/fair", "METHOD": "single", "FOLDER": "sheets"}
    words = [filled.get(word, word) for word in command]
    if words[0] == "serve":  # which would not end
        serve = cli.get_command(click.Context(cli), "serve")
        assert serve is not None and serve.make_context("serve", words[1:]).params["tournament"]
        return
    asks = words[0] in ("resume", "rejudge")
    result = arena(*words, *(("--yes",) if asks else ()))
    # A run is incomplete where people have still to vote or to mend their code.
    assert result.exit_code == 0 or (asks and result.exit_code == 1), (words, result.output)
    assert not re.search(r"\b(xia|yan|zoe)\b", result.output), f"on the other tournament: {words}"
