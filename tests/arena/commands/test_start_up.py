"""What is loaded by commands that only read: their start is what a user waits for."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tests.support.console_script import ask, environment
from tests.support.played_tournaments import played_tournament

#: What takes longer to load than most commands to answer.
HEAVY = frozenset(
    {"numpy", "pandas", "scipy", "plotly", "litellm", "httpx", "asyncio", "jinja2"}
    | {"arena.llm.session", "arena.simulator", "arena.config.resolve"}
)
#: What boards are computed with.
NUMBERS = frozenset({"numpy", "pandas", "scipy"})
OWN = frozenset({"arena", "judges", "ratings", "motions", "dashboard"})
#: The commands that play, ask, store, write or serve.
ACTING = frozenset(
    ("add", "calibrate", "check", "import", "init", "new", "plan", "prompts", "rank")
    + ("rejudge", "resume", "run", "serve", "simulate")
)
_RUN = """
import atexit, json, sys
from arena.cli import cli
atexit.register(lambda: print(json.dumps(sorted(sys.modules))))
cli(sys.argv[1:])
"""
_SIDES = '[[participants]]\nname = "{}"\ndebater = "direct"\nmodel = "offline/{}"\n'
_PLAYERS = _SIDES.format("good", "good") + _SIDES.format("weak", "weak")
_CONTEST = """\
[tournament]
name = "{contest}"
contest = "{contest}"
languages = ["en"]
motions = "{motions}"
most_motions = 1
seed = 7
"""


@dataclass(frozen=True, slots=True)
class Start:
    """A command as it is typed, and how much it may load.

    Attributes:
        words: with `{debate}`, the id of a debate, `{board}`, the hash of a kept board, and
            `{folder}`, an empty folder.
        most: modules of ours.
        needed: of what is heavy.
        contest: of the tournament that it reads.
    """

    words: str
    most: int
    needed: frozenset[str] = frozenset()
    contest: str = "debate"


#: What an annex of papers still loads with what measures and ranks.
_PLAYING = HEAVY - {"plotly", "litellm", "jinja2"}

STARTS = (
    Start("--help", 20),
    Start("list", 42),
    Start("show {debate}", 63),
    Start("debates", 64),
    Start("models", 57),
    Start("motions list", 53),
    Start("questions list", 32),
    Start("trace", 83, NUMBERS),
    Start("vote list", 82, NUMBERS, contest="essay"),
    Start("accuracy", 76, NUMBERS, contest="question"),
    Start("influence", 94, NUMBERS),
    Start("speak", 95, NUMBERS | {"asyncio", "httpx"}),
    Start("matrix", 96, NUMBERS),
    Start("versus strong weak", 106, NUMBERS),
    Start("reproduce {board}", 103, NUMBERS),
    Start("status", 121, NUMBERS),
    Start("motions results", 116, NUMBERS),
    Start("judges", 141, NUMBERS),
    Start("verify", 88, NUMBERS),
    Start("leaderboard", 130, NUMBERS),
    Start("report -o {folder}/report.html", 174, NUMBERS | {"plotly", "jinja2"}),
    Start("publish {folder}/site", 194, NUMBERS | {"plotly", "jinja2"}),
    Start("export {folder}/battles.csv", 172, NUMBERS | {"plotly"}),
    Start("marks", 229, _PLAYING, contest="essay"),
    Start("paper-tables", 256, _PLAYING, contest="essay"),
    Start("diversity", 277, _PLAYING, contest="essay"),
    Start("mad quality", 299, _PLAYING, contest="question"),
)


@pytest.fixture(scope="module")
def databases(small_database: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A played tournament of each contest."""
    question = _CONTEST.format(contest="question", motions="puzzles10") + _PLAYERS
    question += '[[benches]]\nname = "correct"\njudge = "correctness"\nruns = 1\n'
    essay = _CONTEST.format(contest="essay", motions="arena66") + _PLAYERS
    essay += '[[benches]]\nname = "marks"\njudge = "marks"\nmodel = "offline/good"\nruns = 1\n'
    essay += '[[benches]]\nname = "people"\njudge = "human"\nruns = 1\n'
    return {
        "debate": small_database,
        "question": played_tournament(tmp_path_factory, "start-question", question),
        "essay": played_tournament(tmp_path_factory, "start-essay", essay),
    }


def test_every_command_either_acts_or_has_a_limit() -> None:
    commands = {point.name for point in entry_points(group="arena.commands")}
    reading = {start.words.split()[0] for start in STARTS} - {"--help"}
    assert reading.isdisjoint(ACTING)
    assert reading | ACTING == commands


@pytest.mark.parametrize("start", STARTS, ids=lambda start: start.words)
def test_a_reading_command_loads_what_reading_needs(
    start: Start, databases: dict[str, Path], tmp_path: Path
) -> None:
    database = databases[start.contest]
    debate = ask(database, "SELECT min(debate_id) FROM debates")[0][0]
    board = ask(database, "SELECT min(board) FROM boards")[0][0]
    words = start.words.format(debate=debate, board=board, folder=tmp_path).split()
    ran = subprocess.run(
        [sys.executable, "-c", _RUN, *words],
        env=environment(ARENA_DB=str(database)),
        capture_output=True,
        check=False,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    loaded = json.loads(ran.stdout.splitlines()[-1])
    assert (HEAVY - start.needed).isdisjoint(loaded)
    own = [name for name in loaded if name.partition(".")[0] in OWN]
    assert len(own) <= start.most, len(own)
