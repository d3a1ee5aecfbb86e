"""The command line itself: commands are registered, and loaded when they are called."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint

import click
import pytest
from click.testing import CliRunner

from arena.cli import SECTIONS, cli, main
from arena.registered import registered
from tests.support.command_line import done

_LOADED = """
import sys
from arena.cli import cli
cli(["list", "--help"], standalone_mode=False)
print(*[name for name in sys.modules if name.startswith("arena.commands.") or name == "judges"])
"""


def test_calling_a_command_loads_no_other() -> None:
    ran = subprocess.run([sys.executable, "-c", _LOADED], capture_output=True, check=True)
    loaded = ran.stdout.decode().splitlines()[-1].split()
    assert "arena.commands.list_" in loaded
    assert not {"arena.commands.leaderboard", "arena.commands.run", "judges"} & {*loaded}


def test_the_module_is_the_command() -> None:
    words = [sys.executable, "-m", "arena.cli", "--version"]
    printed = subprocess.run(words, capture_output=True, check=True, text=True).stdout
    assert printed == done("--version")


def test_every_registered_command_can_be_loaded() -> None:
    for name, point in registered("arena.commands").items():
        command = point.load()
        assert isinstance(command, click.Command)
        assert command.name == name


def test_a_broken_command_says_so_and_the_others_work(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint(name="odd", value="no_such_package:odd", group="arena.commands")
    known = {**registered("arena.commands"), "odd": broken}
    monkeypatch.setattr("arena.cli.registered", lambda _: known)
    shown = CliRunner().invoke(cli, ["--help"])
    assert shown.exit_code == 0
    assert "leaderboard" in shown.output
    assert "Other commands:\n  odd " in shown.output
    ran = CliRunner().invoke(cli, ["odd"])
    assert ran.exit_code == 2
    assert "'odd': no_such_package:odd cannot be loaded: No module" in ran.output


def test_an_unknown_command_is_a_mistake() -> None:
    ran = CliRunner().invoke(cli, ["leaderbord"])
    assert ran.exit_code == 2
    assert "No such command 'leaderbord'. Did you mean 'leaderboard'?" in ran.output
    ran = CliRunner().invoke(cli, ["frobnicate"])
    assert "No such command 'frobnicate'." in ran.output
    assert "Did you mean" not in ran.output


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["status", "night"], "status -t night"),
        (["leaderboard", "my night"], "leaderboard -t 'my night'"),
        (["versus", "a", "b", "night", "more"], "versus -t night"),
    ],
)
def test_a_tournament_without_its_option_is_told_how_it_is_named(
    words: list[str], named: str
) -> None:
    ran = CliRunner().invoke(cli, words)
    assert ran.exit_code == 2
    assert ran.output.endswith(f"A tournament is named with -t: cli {named}\n")


@pytest.mark.parametrize("words", [["list", "night"], ["status", "--no-such-option"]])
def test_other_mistakes_are_told_as_they_are(words: list[str]) -> None:
    assert "-t" not in CliRunner().invoke(cli, words).output.partition("Error:")[2]


def test_every_command_is_listed_in_one_section_with_a_whole_line() -> None:
    sections = [name for section in SECTIONS.values() for name in section]
    assert sorted(sections) == sorted(registered("arena.commands"))
    shown = CliRunner().invoke(cli, ["--help"]).output
    listed = [line.split()[0] for line in shown.splitlines() if line.startswith("  ")]
    commands = listed[listed.index(sections[0]) :]
    assert [name for name in commands if name in sections] == sections
    assert "..." not in shown.partition("Set up and play")[2]


def test_on_windows_one_message_says_where_it_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "Windows Subsystem for Linux" in capsys.readouterr().err
