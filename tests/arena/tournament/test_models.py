"""Access to the models of a configuration, checked before anything is spent."""

from __future__ import annotations

import pytest

from arena.config.load import parse_config
from arena.config.resolve import resolve
from arena.errors import ConfigError
from arena.llm.budget import Budget
from arena.tournament.models import Models
from tests.handmade import content

MODEL = "openai/x"


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
