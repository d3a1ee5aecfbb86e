"""The script of continuous integration, with stand-ins for the commands that it calls."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

_SCRIPT = Path(__file__).parents[1] / ".ci" / "run"
#: What every machine has, as far as the script needs it.
_TOOLS = ("awk", "bash", "cat", "cut", "dirname", "id", "mkdir", "nproc", "rm", "tee", "touch")
#: A make that writes down what it is called for, installs, and fails where it is told to.
_MAKE = """#!/bin/bash
echo "$@" >> calls
mkdir -p .venv
[ "$1" = "$FAILS" ] && exit 7
case "$1" in .venv/model|.venv/ray|.venv/integrations) touch "$1" ;; esac
"""


class Machine:
    """A folder with the script, and a search path of stand-ins."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tools = folder / "tools"
        self.tools.mkdir()
        (folder / ".ci").mkdir()
        shutil.copy(_SCRIPT, folder / ".ci")
        for name in _TOOLS:
            path = shutil.which(name)
            assert path is not None
            (self.tools / name).symlink_to(path)
        self.add("make", _MAKE)
        for name in ("python3", "chromium", "apt-get", "sudo"):
            self.add(name, f'#!/bin/bash\necho "{name} $*" >> calls\necho "{name} is here"\n')

    def add(self, name: str, text: str) -> None:
        """Put a command into the search path."""
        (self.tools / name).write_text(text)
        (self.tools / name).chmod(0o755)

    def run(self, fails: str = "") -> tuple[int, list[str]]:
        """Run the script; returns its exit code and its last lines."""
        env = {"PATH": str(self.tools), "FAILS": fails}
        command = [str(self.tools / "bash"), ".ci/run"]
        ended = subprocess.run(
            command, check=False, cwd=self.folder, env=env, stdout=subprocess.PIPE
        )
        return ended.returncode, ended.stdout.decode().splitlines()

    def calls(self, name: str) -> list[str]:
        """What the commands of a name were called for; those of make stand without it."""
        lines = (self.folder / "calls").read_text().splitlines()
        return [line for line in lines if line.startswith(name)]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_every_step_has_its_time_and_the_last_line_is_the_total(machine: Machine) -> None:
    code, lines = machine.run()
    assert code == 0
    assert re.match(r"cores: \d+, load: [\d. ]+, python3 is here", lines[0])
    assert "chromium is here" in lines
    steps = lines[lines.index("    wall      CPU  step") + 1 :]
    assert all(re.fullmatch(r" +\d+:\d\d +\d+:\d\d  .+", line) for line in steps)
    names = [line.split("  ")[-1] for line in steps]
    assert names[1:] == [
        "make .venv/dev .venv/ray .venv/model .venv/integrations",
        *("make check", "make test", "make test-slow", "make test-ray", "make test-integrations"),
        *("make test-model", "total"),
    ]
    installed, shell = [call for call in machine.calls("") if "install" in call]
    assert installed.split()[-3:] == ["chromium", "fonts-dejavu-core", "fonts-noto-cjk"]
    assert shell.split()[-1] == "chromium-headless-shell"
    for suite in machine.calls("test"):
        assert "--durations=25" in suite
        assert f"--junitxml={os.path.realpath(machine.folder)}/build/times/" in suite


def test_a_failed_step_ends_the_run_and_says_how_to_repeat_it(machine: Machine) -> None:
    code, lines = machine.run(fails="test")
    assert code == 1
    assert re.fullmatch(
        r"FAILED with exit code 7: make test, after \d\.\d+ s\. Repeat it alone: make test",
        lines[-1],
    )
    assert any(line.endswith("  make test") for line in lines[-5:]), "its time, too"
    assert not machine.calls("test-slow")


def test_without_apt_the_installed_browser_is_used_and_the_end_says_so(machine: Machine) -> None:
    machine.add("apt-get", "#!/bin/bash\nexit 127\n")
    code, lines = machine.run()
    sentence = (
        "The packages could not be brought up to date (apt-get): the installed ones are used."
    )
    assert code == 0 and lines.count(sentence) == 2
    (machine.tools / "chromium").unlink()
    code, lines = machine.run()
    assert code == 1 and "apt-get install chromium" in lines[-1]


@pytest.mark.parametrize(
    ("name", "packages", "short"),
    [
        ("model", "the small model", "the model"),
        ("ray", "Ray", "Ray"),
        ("integrations", "other tools", "other tools"),
    ],
)
def test_without_its_packages_a_suite_is_skipped_and_the_end_says_so(
    machine: Machine, name: str, packages: str, short: str
) -> None:
    code, lines = machine.run(fails=f".venv/{name}")
    assert code == 0
    assert lines.count(f"The packages of {packages} cannot be installed here.") == 2
    assert f"test-{name} was SKIPPED: the packages of {short} are not there." in lines
