"""The libraries of other tools: loaded by their own export alone, and named where they are away."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from arena.integrations.exporting import TARGETS
from tests.support.command_line import refused

#: The packages that an export imports.
LIBRARIES = {"inspect": "inspect_ai", "otel": "opentelemetry", "mlflow": "mlflow", "wandb": "wandb"}


@pytest.mark.parametrize("what", LIBRARIES)
def test_a_library_that_is_not_installed_is_named_with_its_extra(
    what: str, small_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, f"arena.integrations.{what}", raising=False)
    for name in [LIBRARIES[what], *sys.modules]:
        if name.partition(".")[0] == LIBRARIES[what].partition(".")[0]:
            monkeypatch.setitem(sys.modules, name, None)
    message = refused("export", tmp_path / "x", "--what", what, "--db", small_database)
    assert message.startswith(f"--what {what} needs a package that is not installed (")
    assert message.endswith(f"pip install 'debate-arena[{what}]'")
    assert not [*tmp_path.iterdir()]


def test_no_library_is_loaded_unless_it_is_asked_for() -> None:
    script = f"""
import sys
import arena.commands.export
loaded = {{name.partition(".")[0] for name in sys.modules}}
print(*({set(LIBRARIES.values())!r} | {{"datasets"}}) & loaded)
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    assert ran.stdout.split() == []


def test_every_kind_of_export_is_a_module() -> None:
    folder = Path(sys.modules["arena.integrations.exporting"].__file__ or "").parent
    modules = {file.stem.replace("_", "-") for file in folder.glob("*.py")}
    assert set(TARGETS) <= modules
