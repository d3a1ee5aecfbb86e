"""What is loaded by commands that only read: their start is what a user waits for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.console_script import ask, environment

#: What takes longer to load than most commands to answer.
HEAVY = frozenset(
    {"numpy", "pandas", "scipy", "plotly", "litellm", "httpx", "asyncio", "jinja2"}
    | {"arena.llm.session", "arena.simulator", "arena.config.resolve"}
)
#: What boards are computed with.
NUMBERS = frozenset({"numpy", "pandas", "scipy"})
OWN = frozenset({"arena", "judges", "ratings", "motions", "dashboard"})
_RUN = """
import json, sys
from arena.cli import cli
cli(sys.argv[1:], standalone_mode=False)
print(json.dumps(sorted(sys.modules)))
"""


@pytest.mark.parametrize(
    ("words", "most", "needed"),
    [
        (["--help"], 20, frozenset()),
        (["list"], 45, frozenset()),
        (["show"], 75, frozenset()),
        (["debates"], 85, frozenset()),
        (["matrix"], 120, NUMBERS),
        (["leaderboard"], 165, NUMBERS),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_reading_command_loads_what_reading_needs(
    words: list[str], most: int, needed: frozenset[str], small_database: Path
) -> None:
    if words == ["show"]:
        words = ["show", str(ask(small_database, "SELECT min(debate_id) FROM debates")[0][0])]
    printed = subprocess.run(
        [sys.executable, "-c", _RUN, *words],
        env=environment(ARENA_DB=str(small_database)),
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    loaded = json.loads(printed.splitlines()[-1])
    assert (HEAVY - needed).isdisjoint(loaded)
    own = [name for name in loaded if name.partition(".")[0] in OWN]
    assert len(own) <= most, len(own)
