"""Look-up of shipped examples, which a command line names without a path or an ending."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from arena.errors import ConfigError


def find_example(source: str | Path, examples: Collection[str], *, advice: str = "") -> str:
    """Return the name of the shipped example that is meant, or '' if a file is meant.

    A file takes precedence over an example of the same name, and an example over a folder.

    Args:
        source: as the user wrote it.
        examples: the names of all examples.
        advice: a further sentence for the error message.

    Raises:
        ConfigError: it is a folder, or a bare name and neither a file nor an example.
    """
    path, name = Path(source), str(source)
    folders = {example.partition("/")[0] for example in examples if "/" in example}
    bare = not path.suffix and (path.name == name or name.partition("/")[0] in folders)
    if path.is_file():
        return ""
    if bare and name in examples:
        return name
    if path.is_dir():
        raise ConfigError(f"{source}: is a directory. Name a file in it.")
    if bare:
        known = ", ".join(sorted(examples))
        raise ConfigError(
            f"{source}: no such file, and no such example. Examples: {known}. {advice}".rstrip()
        )
    return ""
