"""The keys of a model's table, from a form or a command line."""

from __future__ import annotations

import pytest

from arena.config.model_keys import make_model_keys
from arena.errors import ConfigError


def test_what_is_not_said_is_not_written() -> None:
    assert make_model_keys() == {}
    assert make_model_keys(address=" http://host/v1 ", variable=" ") == {
        "api_base": "http://host/v1"
    }


def test_free_models_have_a_price_too() -> None:
    assert make_model_keys(input_price=0, output_price=0) == {
        "usd_per_million": {"input": 0, "output": 0}
    }


def test_half_a_price_and_a_key_itself_are_refused() -> None:
    with pytest.raises(ConfigError, match="both prices"):
        make_model_keys(input_price=1)
    with pytest.raises(ConfigError, match="no name of an environment variable") as refused:
        make_model_keys(variable="sk-12-secret")
    assert "secret" not in str(refused.value)
