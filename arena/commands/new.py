"""`arena new`: write a package with a debater or a judge, to start from."""

from __future__ import annotations

import keyword
import shlex
import sys
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Literal

import click

from arena.console.options import examples
from arena.errors import ConfigError
from arena.registered import registered

_TEMPLATES = files("arena") / "examples" / "packages"


@click.command(
    epilog=examples(
        "arena new debater my_debater",
        "arena new debater my_agents --framework function",
        "arena new judge my_judge",
    )
)
@click.argument("kind", metavar="KIND", type=click.Choice(["debater", "judge"]))
@click.argument("name")
@click.option(
    "--framework",
    type=click.Choice(["prompts", "function"]),
    default="prompts",
    show_default=True,
    help="Of a debater: prompt files, or a function for a framework with its own agents, such as "
    "LangGraph or AutoGen.",
)
def new(
    kind: Literal["debater", "judge"], name: str, framework: Literal["prompts", "function"]
) -> None:
    """Write a package with a debater or a judge.

    KIND is debater or judge, and the package the new folder NAME. It has a module with its entry
    point, prompts in English, and a test that passes without a key and a network, as a simulated
    model answers.
    """
    if kind == "judge" and framework != "prompts":
        raise ConfigError("--framework belongs to a debater: leave it out for a judge.")
    folder = Path(name)
    _check_name(name, kind)
    if folder.exists():
        raise ConfigError(f"{folder}: already exists and was not changed. Choose another name.")
    template = "function" if framework == "function" else kind
    words = {"name": name, "kind": kind, "title": _title(name)}
    try:
        for path, text in _render(template, words):
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be written: {error.strerror}.") from None
    python = shlex.quote(sys.executable)
    click.echo(
        f"Wrote the {kind} {name} into {folder}/.\n"
        f"Test it:    {python} -m pytest {name}\n"
        f"Install it: {python} -m pip install --no-deps --no-build-isolation --editable {name}\n"
        f'Use it:     {kind} = "{name}" in a tournament\'s file, then: arena check FILE'
    )


def _check_name(name: str, kind: str) -> None:
    """Check that a name can be that of a module, and of nothing that is installed.

    Raises:
        ConfigError: it cannot.
    """
    if not name.isidentifier() or not name.isascii() or name != name.lower():
        raise ConfigError(
            f"{name!r} is no name of a package. Use lower-case letters, digits and underscores, "
            "beginning with a letter: my_debater."
        )
    taken = {"arena", "dashboard", "judges", "motions", "ratings", *sys.stdlib_module_names}
    if name in taken or name in registered(f"arena.{kind}s") or keyword.iskeyword(name):
        raise ConfigError(f"{name!r} is taken by a {kind}, a module or Python. Choose another.")


def _title(name: str) -> str:
    """Return the name of a class: `MyDebater` for `my_debater`."""
    return "".join(part.capitalize() for part in name.split("_")) or name


def _render(template: str, words: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the files of a package: their paths within its folder, and their texts."""
    name = words["name"]
    places = {"module.txt": f"{name}/__init__.py", "test.txt": f"tests/test_{name}.py"}
    yield "pyproject.toml", _fill("pyproject.toml.txt", words)
    for source in sorted(entry.name for entry in (_TEMPLATES / template).iterdir()):
        prompt = f"{name}/prompts/{source.removesuffix('.txt')}"
        text = _fill(f"{template}/{source}", words)
        yield places.get(source, prompt), text


def _fill(source: str, words: Mapping[str, str]) -> str:
    return Template((_TEMPLATES / source).read_text("utf-8")).substitute(words)
