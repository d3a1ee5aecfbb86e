"""Files that a command line names: a user's own, or a shipped example by its bare name."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from arena.errors import ConfigError


def example_named(source: str | Path, examples: Collection[str], *, advice: str = "") -> str:
    """The name of the shipped example that is meant; empty where a file is.

    A file of the same name comes before an example, and an example before a folder.

    Args:
        source: as it was given.
        examples: the names of those that there are.
        advice: what else one might do.

    Raises:
        ConfigError: it is a folder, or a bare name and neither a file nor an example.
    """
    path = Path(source)
    bare = path.name == str(source) and not path.suffix
    if path.is_file():
        return ""
    if bare and path.name in examples:
        return path.name
    if path.is_dir():
        raise ConfigError(f"{source}: is a directory; name a file in it.")
    if bare:
        known = ", ".join(sorted(examples))
        raise ConfigError(
            f"{source}: no such file, and no such example. Examples: {known}. {advice}".rstrip()
        )
    return ""
