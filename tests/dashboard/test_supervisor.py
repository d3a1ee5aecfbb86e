from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from dashboard import supervisor
from dashboard.supervisor import Task

pytestmark = pytest.mark.slow


def test_a_server_that_ends_is_an_error_and_its_file_is_removed(tmp_path: Path) -> None:
    file = tmp_path / "secrets.toml"
    file.write_text("secret")
    task = Task(
        command=(sys.executable, "-c", "raise SystemExit(7)"),
        host="127.0.0.1",
        port=1,
        lines=("never printed",),
        file=str(file),
    )
    ended = subprocess.run(
        [sys.executable, "-P", str(supervisor.__file__)],
        env={"ARENA_SUPERVISED": json.dumps(asdict(task))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert ended.stderr == "Error: the dashboard did not start (exit code 7).\n"
    assert ended.stdout == ""
    assert not file.exists()


def test_it_loads_nothing_but_what_comes_with_python() -> None:
    code = (
        "import runpy, sys\n"
        f"runpy.run_path({str(supervisor.__file__)!r})\n"
        "print(*{name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names)"
    )
    own = subprocess.run(
        [sys.executable, "-P", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    assert own.stdout.strip() in ("", "__main__")
