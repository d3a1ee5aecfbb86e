"""Configuration files of tests, as TOML."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

#: Keys of a model that costs nothing.
FREE: dict[str, Any] = {"usd_per_million": {"input": 0, "output": 0}}


def toml_text(
    *,
    participants: Sequence[Mapping[str, Any]] = (),
    benches: Sequence[Mapping[str, Any]] = (),
    models: Mapping[str, Mapping[str, Any]] | None = None,
    **tables: Mapping[str, Any],
) -> str:
    """A configuration file: a line for each key, the tables within a table in one line."""
    parts = [(f"[{name}]", keys) for name, keys in tables.items()]
    parts += [(f'[models."{name}"]', keys) for name, keys in (models or {}).items()]
    parts += [("[[participants]]", keys) for keys in participants]
    parts += [("[[benches]]", keys) for keys in benches]
    return "".join(
        "\n".join([head, *(f"{key} = {_toml(value)}" for key, value in keys.items())]) + "\n"
        for head, keys in parts
    )


def player(
    name: str, debater: str = "direct", model: str = "offline/good", **keys: object
) -> dict[str, Any]:
    """The table of a participant."""
    return {"name": name, "debater": debater, "model": model, **keys}


def bench(
    name: str, judge: str = "", model: str = "", *, runs: int = 1, **keys: object
) -> dict[str, Any]:
    """The table of a bench of the judge of its name, or of another one; '' is no model."""
    models = {"model": model} if model else {}
    return {"name": name, "judge": judge or name, **models, "runs": runs, **keys}


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {_toml(part)}' for key, part in value.items())} }}"
    return json.dumps(value, ensure_ascii=False)
