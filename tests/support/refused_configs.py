"""What is said of a configuration that is refused."""

from __future__ import annotations

from typing import Any

import pytest

from arena.config.load import parse_config
from arena.errors import ConfigError


def refusal(config: dict[str, Any]) -> str:
    """The message, without the name of the file."""
    with pytest.raises(ConfigError) as caught:
        parse_config(config, where="own.toml")
    assert str(caught.value).startswith("own.toml:")
    return str(caught.value).removeprefix("own.toml:").strip()
