"""The lines of a file that name a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.config.places import format_model_place
from tests.command_line import refused

FILE = """[tournament]
name = "mine"

[[participants]]  # "openai/mystery" in a comment
name = "a"
debater = "direct"
model = "openai/mystery"

[[participants]]
name = "b"
debater = "mad"
model = "openai/gpt-4o-mini"
options = { models = { judge = 'openai/mystery' } }

[[benches]]
name = "single"
judge = "single"
model = "openai/gpt-4o-mini"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Write a file with a model that nobody knows."""
    path = tmp_path / "mine.toml"
    path.write_text(FILE)
    return path


def test_all_lines_that_name_a_model_are_listed(file: Path) -> None:
    assert format_model_place(str(file), "openai/mystery") == f"{file}, lines 7 and 13: "
    assert format_model_place("paper", "openai/gpt-4o").startswith("paper, line ")


def test_what_names_no_model_has_no_place(file: Path) -> None:
    assert format_model_place(str(file), "openai/my") == ""
    assert format_model_place("no such file.toml", "openai/mystery") == ""
    assert format_model_place("--judge", "openai/mystery") == ""


@pytest.mark.parametrize("command", [("run", "--dry-run"), ("check",)], ids=lambda c: c[0])
def test_a_missing_price_is_one_message_with_its_lines_and_the_remedy(
    command: tuple[str, ...], file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    name, *options = command
    db = ("--db", tmp_path / "own.duckdb") if name == "run" else ()
    message = refused(name, file, *options, *db)
    assert message.startswith(f"{file}, lines 7 and 13: the price of 'openai/mystery' is not known")
    assert message.endswith('[models."openai/mystery"]\nusd_per_million = '
                            "{ input = 2.5, output = 10.0 }")  # fmt: skip
    assert message.count("openai/mystery") == 2
    file.write_text(
        f'{file.read_text("utf-8")}\n[models."openai/mystery"]\nconcurrency = 2\n', "utf-8"
    )
    message = refused(name, file, *options, *db)
    assert message.endswith(
        'Add it to its table [models."openai/mystery"], in USD per million tokens (0 for a free '
        "model):\nusd_per_million = { input = 2.5, output = 10.0 }"
    ), "a second table of one name would be an error"
    assert not (tmp_path / "own.duckdb").exists()
