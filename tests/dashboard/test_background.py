"""What forms write and begin: files of one folder, and one run at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import ConfigError
from arena.store.database import Store
from dashboard.background import (
    begin_run,
    check_file_name,
    output_file,
    tournament_files,
    write_new,
)
from dashboard.views.add_model import ModelEntry

ENTRY = ModelEntry(
    file="weekend.toml",
    provider="server",
    model="my-model",
    debater="direct",
    name="",
    address="http://127.0.0.1:8000/v1",
    variable="MY_API_KEY",
    input_price=1.0,
    output_price=2.0,
)


def test_files_are_found_and_made_in_one_folder_only(tmp_path: Path) -> None:
    (tmp_path / "weekend.toml").write_text("[tournament]\nname = 'a'\n[[participants]]\n")
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'a'\n")
    (tmp_path / "broken.toml").write_text("[")
    assert tournament_files(tmp_path) == ["weekend.toml"]
    for name in ("../a.toml", "/tmp/a.toml", "a", ".toml", "", "a/b.toml", "a\\b.toml", "a\n.toml"):
        with pytest.raises(ConfigError, match="no name of a file here"):
            check_file_name(name, tmp_path)
    with pytest.raises(ConfigError, match="exists already"):
        check_file_name("weekend.toml", tmp_path)
    path = check_file_name("my weekend-2.toml", tmp_path)
    write_new(path, "a = 1\n")
    with pytest.raises(ConfigError, match="was not changed"):
        write_new(path, "a = 2\n")  # the same form, sent twice
    assert path.read_text() == "a = 1\n"


def test_nothing_is_begun_where_somebody_works(tmp_path: Path) -> None:
    database = tmp_path / "results.duckdb"
    with Store(database).runner_lock(), pytest.raises(ConfigError, match="nothing was started"):
        begin_run(tmp_path / "weekend.toml", database, "weekend")
    assert not output_file(database).exists()


def test_what_a_form_says_becomes_keys_of_the_file() -> None:
    assert ENTRY.participant() == {
        "name": "direct-my-model",
        "debater": "direct",
        "model": "openai/my-model",
    }
    assert ENTRY.model_keys() == {
        "api_base": "http://127.0.0.1:8000/v1",
        "api_key": "env:MY_API_KEY",
        "usd_per_million": {"input": 1.0, "output": 2.0},
    }


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"variable": "sk-proj-12345"}, "Never type a key here"),
        ({"variable": "MY KEY"}, "Never type a key here"),
        ({"output_price": None}, "both prices"),
    ],
)
def test_a_key_or_half_a_price_is_refused_and_not_repeated(
    change: dict[str, object], words: str
) -> None:
    fields = {name: getattr(ENTRY, name) for name in ModelEntry.__dataclass_fields__} | change
    with pytest.raises(ConfigError, match=words) as refused:
        ModelEntry(**fields).model_keys()
    assert "12345" not in str(refused.value)
    with pytest.raises(ConfigError, match="no name"):
        ModelEntry(**{**fields, "model": " "}).full_model()
