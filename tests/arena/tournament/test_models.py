"""The models of a run: their prices and keys, and where a file names them."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.config.load import parse_config
from arena.config.resolve import resolve
from arena.errors import ConfigError
from arena.llm.budget import Budget
from arena.tournament.models import Models, format_model_place
from tests.support.command_line import refused
from tests.support.tournaments import content

MODEL = "openai/x"
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


def models(**table: object) -> Models:
    tables = {MODEL: {"usd_per_million": {"input": 0, "output": 0}, **table}}
    resolved = resolve(parse_config(content() | {"models": tables}, where="x"), where="x")
    return Models(resolved.config, resolved.motions, budget=Budget(), further=[MODEL])


@pytest.mark.parametrize(
    "address",
    ["http://[bad/v1", "http://127.0.0.1:99999/v1", "127.0.0.1:8000", "ftp://x/v1", "http:///v1"],
)
def test_an_address_that_is_none_is_refused_before_anything_is_spent(address: str) -> None:
    with pytest.raises(ConfigError, match="which is no address") as caught:
        models(api_base=address, api_key="env:NO_KEY|none").check([MODEL])
    assert f'[models."{MODEL}"]' in str(caught.value) and "Write one like http://" in str(
        caught.value
    )


def test_a_password_in_an_address_is_not_shown() -> None:
    with pytest.raises(ConfigError) as caught:
        models(api_base="http://me:hunter2@x:99999/v1").check([MODEL])
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("address", ["http://127.0.0.1:8000/v1", "https://example.org", None])
def test_an_address_that_can_be_is_accepted(address: str | None) -> None:
    table = {} if address is None else {"api_base": address}
    models(**table).check([MODEL], keys=False)


def test_tokens_per_minute_reach_the_gate() -> None:
    gate = models(tokens_per_minute=600).gate(MODEL)
    assert gate._tokens is not None
    assert gate._tokens.wait_seconds() == 0
    gate._tokens.take(600)
    assert 55 < gate._tokens.wait_seconds() < 61
    assert models().gate(MODEL)._tokens is None


def test_limits_of_a_provider_s_table_are_kept_together_and_own_ones_are_not() -> None:
    price = {"usd_per_million": {"input": 0, "output": 0}}
    tables = {
        "openai/*": {**price, "concurrency": 3, "requests_per_minute": 60},
        "openai/own": {"concurrency": 9},
        "openai/elsewhere": {"api_base": "http://127.0.0.1:8000/v1"},
    }
    resolved = resolve(parse_config(content() | {"models": tables}, where="x"), where="x")
    config = Models(resolved.config, resolved.motions, budget=Budget())
    first, second, own, elsewhere = (
        config.gate(f"openai/{name}") for name in ("first", "second", "own", "elsewhere")
    )
    assert first._common_places is second._common_places is not None
    assert first._requests is second._requests is own._requests is not None
    assert own._common_places is None and own._limit.most == 9
    assert elsewhere._common_places is not None
    assert elsewhere._common_places is not first._common_places


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
