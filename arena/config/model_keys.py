"""The keys of a model's table, from what a form or a command line says of its address and price."""

from __future__ import annotations

import re
from typing import Any, Final

from arena.errors import ConfigError

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,80}")


def make_model_keys(
    *,
    address: str = "",
    variable: str = "",
    input_price: float | None = None,
    output_price: float | None = None,
) -> dict[str, Any]:
    """Return the keys of a table `[models."…"]`; none where nothing is said.

    >>> make_model_keys(variable="MY_KEY", input_price=1, output_price=2)
    {'api_key': 'env:MY_KEY', 'usd_per_million': {'input': 1, 'output': 2}}

    Args:
        address: of a server; '' for the provider's own.
        variable: the name of the environment variable that holds the key; '' for the provider's.
        input_price: USD per million tokens of input.
        output_price: USD per million tokens of output.

    Raises:
        ConfigError: the variable is no name of one, or only one of the prices is there.
    """
    keys: dict[str, Any] = {}
    if address := address.strip():
        keys["api_base"] = address
    if variable := variable.strip():
        if not _VARIABLE.fullmatch(variable):  # it may be a key, so it is not repeated
            raise ConfigError(
                "what stands for the key is no name of an environment variable. Never type a key "
                "here: put it into a variable, and name that, for example MY_KEY."
            )
        keys["api_key"] = f"env:{variable}"
    if (input_price is None) != (output_price is None):
        raise ConfigError("give both prices, for input and for output, or none.")
    if input_price is not None:
        keys["usd_per_million"] = {"input": input_price, "output": output_price}
    return keys
