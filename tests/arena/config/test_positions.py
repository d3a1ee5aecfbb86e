"""The lines of mistakes in a file, and how soon they are found."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from arena.config.load import parse_file, shipped_configs
from arena.config.positions import find_line
from arena.config.resolve import check_names
from arena.errors import ConfigError
from tests.support.console_script import environment
from tests.support.tournaments import SMALL

_TEXT = '''\
title = """
[no.table]
"""
[a]
"b c".d = 1
list = [
  { x = 1 },
]
[[e]]
f = 1
[e.g]
h = 2
[[e]]
[e.g]
h = 3
'''
#: Values over several lines, with brackets, quotes and signs of comments within strings.
_LONG = '''\
long = [
  "[e]", # ] no end
  { k.l = [ { m = """
] = }
""", day = 1979-05-27 07:32:00 } ], n = "a'b" }, [
  "y = 1",
]]
after = 1
'''


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("title",), 1),
        (("no", "table"), None),
        (("a", "b c", "d"), 5),
        (("a", "list", 0, "x"), 7),
        (("a", "missing"), 4),
        (("e", 0, "f"), 10),
        (("e", 0, "g", "h"), 12),
        (("e", 1), 13),
        (("e", 1, "g", "h"), 15),
    ],
)
def test_the_line_of_a_place(place: tuple[str | int, ...], line: int | None) -> None:
    assert find_line(_TEXT, place) == line


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("long", 0), 2),
        (("long", 1, "k", "l", 0, "m"), 3),
        (("long", 1, "k", "l", 0, "day"), 5),
        (("long", 1, "n"), 5),
        (("long", 2, 0), 6),
        (("e",), None),
        (("y",), None),
        (("after",), 8),
    ],
)
def test_values_over_several_lines_mislead_nobody(
    place: tuple[str | int, ...], line: int | None
) -> None:
    tomllib.loads(_LONG)
    assert find_line(_LONG, place) == line


@pytest.mark.parametrize("name", shipped_configs())
def test_every_value_of_a_shipped_file_has_the_line_that_names_it(name: str) -> None:
    text = shipped_configs()[name]
    lines = text.split("\n")

    def check(value: object, place: tuple[str | int, ...]) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                check(inner, (*place, key))
        elif isinstance(value, list):
            for number, inner in enumerate(value):
                check(inner, (*place, number))
        elif isinstance(place[-1], str):
            line = find_line(text, place)
            assert line is not None and place[-1] in lines[line - 1], place

    check(tomllib.loads(text), ())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("matchups_per_pair", "matchups_per_par", "own.toml, line 8: schedule.matchups_per_par: "),
        ('debater = "direct"\nmodel = "offline/fair"', 'debater = "dirct"', "own.toml, line 18: "),
        ('judge = "debatrix"', 'judge = "debatrx"', "own.toml, line 28: benches[1].judge: unknown"),
        ("[schedule]", '[schedule]\nkind = "swis"', "own.toml, line 8: schedule.kind: "),
        ('"arena66"', '"arena6"', "own.toml, line 4: tournament.motions: Unknown motion set"),
        (
            "runs = 1",
            "runs = 1\n[benches.options]\n  mods = 1",
            "own.toml, line 32: benches[1].options.mods: unknown option",
        ),
        (
            'debater = "direct"\nmodel = "offline/fair"',
            'debater = "agent4debate"\nmodel = "offline/fair"\noptions.reviewr = false',
            "own.toml, line 20: participants[2].options.reviewr: unknown option",
        ),
        ('"offline/fair"', '"offline/fare"', "own.toml, line 19: participants[2].model: unknown"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_what_was_meant(
    old: str, new: str, message: str
) -> None:
    with pytest.raises(ConfigError) as raised:
        check_names(SMALL.replace(old, new, 1), where="own.toml")
    assert str(raised.value).startswith(message)
    assert "Did you mean '" in str(raised.value)


def test_several_mistakes_each_have_their_line() -> None:
    text = SMALL.replace("seed = 7", "sed = 7").replace("runs = 1", 'runs = "x"')
    with pytest.raises(ConfigError) as raised:
        parse_file(text, where="own.toml")
    lines = [line.partition(": ")[0] for line in str(raised.value).splitlines()]
    assert lines == ["own.toml:", "  - line 5", "  - line 30"]


@pytest.mark.parametrize("command", ["run", "check", "plan", "prompts"])
def test_a_mistake_is_found_before_what_a_command_needs_is_loaded(
    command: str, tmp_path: Path
) -> None:
    file = tmp_path / "own.toml"
    file.write_text(SMALL.replace("matchups_per_pair", "matchups_per_par"), "utf-8")
    script = (
        "import atexit, json, sys\nfrom arena.cli import cli\n"
        "atexit.register(lambda: print(json.dumps(sorted(sys.modules))))\ncli(sys.argv[1:])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, command, str(file)],
        env=environment(),
        capture_output=True,
        check=False,
        text=True,
    )
    assert ran.returncode == 2 and "line 8: schedule.matchups_per_par" in ran.stderr
    loaded = json.loads(ran.stdout.splitlines()[-1])
    assert {"numpy", "pandas", "duckdb", "litellm", "rich"}.isdisjoint(loaded)
