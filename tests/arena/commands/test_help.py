"""Help: every command says what it does and shows examples that are true."""

from __future__ import annotations

import re
import shlex

import click
import pytest

from arena.cli import cli
from tests.support.case_lists import for_every
from tests.support.command_line import all_commands, done

COMMANDS = dict(all_commands(cli))
NAMES = list(COMMANDS)
OPTIONS = [
    (name, option)
    for name in NAMES
    for option in COMMANDS[name].params
    if isinstance(option, click.Option)
]


def examples(name: str) -> list[str]:
    """The example lines of a command's help, without their remarks."""
    _, _, shown = done(*name.split(), "--help").partition("Examples:\n")
    return [re.split(r" {3,}| > ", line.strip())[0] for line in shown.splitlines() if line.strip()]


@for_every(NAMES)
def test_a_command_that_goes_on_is_named(name: str) -> None:
    words = " ".join(done(*name.split(), "--help").split())
    assert "same command" not in words and "command again" not in words


def test_the_commands_are_those_that_people_know() -> None:
    expected = {"run", "resume", "leaderboard", "show", "debates", "list", "check", "init"}
    assert expected <= set(NAMES)


def test_the_first_page_names_every_command_and_where_to_start() -> None:
    shown = done("--help")
    assert all(
        re.search(rf"^  {name} ", shown, re.MULTILINE)
        for name in cli.list_commands(click.Context(cli))
    )
    assert "Start with: arena run" in shown
    assert shown == done("-h")


@for_every(NAMES)
def test_every_command_explains_itself(name: str) -> None:
    shown = done(*name.split(), "--help")
    assert shown.startswith(f"Usage: cli {name}")
    assert COMMANDS[name].help
    for one in COMMANDS[name].params:
        assert not isinstance(one, click.Argument) or one.human_readable_name in shown


@for_every(OPTIONS)
def test_every_option_explains_itself(name: str, option: click.Option) -> None:
    assert option.help


@for_every(NAMES)
def test_every_example_is_a_command_that_can_be_called(name: str) -> None:
    lines = examples(name)
    assert lines
    for line in lines:
        program, *words = shlex.split(line)
        called = name.split()
        assert (program, words[: len(called)]) == ("arena", called)
        with COMMANDS[name].make_context(name, words[len(called) :]) as context:
            assert set(context.params) == {one.name for one in context.command.params}


def test_an_unknown_command_is_refused() -> None:
    with pytest.raises(AssertionError, match="No such command 'leaderbord'"):
        done("leaderbord")
