"""The lines of a configuration file that name a model, for messages."""

from __future__ import annotations

from arena.config.load import config_text
from arena.errors import ConfigError


def format_model_place(where: str, model: str) -> str:
    """Format where a model is named: `mine.toml, line 12: ` or `mine.toml, lines 12 and 20: `.

    Lines that are comments do not count. The result is '' where `where` is neither a file nor a
    shipped example (a stored tournament, options of a command), or does not name the model.

    Args:
        where: the file, or the name of a shipped example.
        model: the model's name.
    """
    try:
        text = config_text(where)
    except ConfigError:
        return ""
    quoted = (f'"{model}"', f"'{model}'")
    lines = [
        str(number)
        for number, line in enumerate(text.splitlines(), start=1)
        if any(name in line.partition("#")[0] for name in quoted)
    ]
    if not lines:
        return ""
    *others, last = lines
    listed = f"lines {', '.join(others)} and {last}" if others else f"line {last}"
    return f"{where}, {listed}: "
