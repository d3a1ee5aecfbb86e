"""`arena prompts`: print the prompts of participants and benches as their models get them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from arena.config.load import load_config
from arena.config.resolve import resolve
from arena.console.options import examples
from arena.console.rehearsals import (
    PRESETS,
    choose_presets,
    print_options,
    print_rehearsal,
    split_presets,
)
from arena.errors import ConfigError
from arena.tournament.rehearsal import rehearse

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.config.sections import Config
    from arena.records import Bench, Participant


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """A file with one choice of presets, and who is concerned; `preset` is None for its own."""

    preset: str | None
    resolved: ResolvedConfig
    names: frozenset[str]

    def title(self, name: str) -> str:
        return f"{name}, {self.preset}" if self.preset else name

    @property
    def parts(self) -> Iterator[Participant | Bench]:
        parts: Iterable[Participant | Bench] = (*self.resolved.participants, *self.resolved.benches)
        return (part for part in parts if part.name in self.names)


@click.command(
    short_help="Print the prompts that the models of FILE will get.",
    epilog=examples(
        "arena prompts weekend.toml",
        "arena prompts weekend.toml --only a4d-gpt4o --language zh",
        "arena prompts weekend.toml --all > prompts.txt",
        "arena prompts papers/mad-mt --only mad --preset both",
        "arena prompts papers/mad-mt --preset both --options",
    ),
)
@click.argument("file")
@click.option("--only", metavar="NAME", help="A participant or a bench; by default, all.")
@click.option("--language", metavar="CODE", help="A language of FILE; by default, all of them.")
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Print every request, not only the first of each prompt file, agent and stage.",
)
@click.option(
    "--preset",
    type=click.Choice(PRESETS),
    help='Only those that can follow their paper to the letter: with preset = "paper", without it, '
    "or both. By default, all, as FILE has them.",
)
@click.option(
    "--options",
    "values",
    is_flag=True,
    help="Print model, sampling and the values of all options in place of prompts.",
)
def prompts(  # noqa: D417, PLR0913, PLR0917 - click's help describes the arguments
    file: str,
    only: str | None,
    language: str | None,
    every: bool,  # noqa: FBT001 - a flag
    preset: str | None,
    values: bool,  # noqa: FBT001 - a flag
) -> None:
    """Print the prompts of a tournament FILE as its models will get them.

    A simulated model answers in place of every model, so nothing is spent and no key is needed.
    The texts that agents see of each other are therefore simulated.

    The prompts of judges of labelled pairs are printed by `arena judges evaluate --prompts`.
    """
    config = load_config(file)
    ways = [_choose(config, way, file) for way in split_presets(preset)]
    if not values:
        _print_prompts(ways, file, only=only, language=language, every=every)
    elif language or every:
        raise ConfigError("--options prints no prompts. Leave out --language and --all.")
    else:
        _print_options(ways, file, only=only)


def _choose(config: Config, preset: str | None, file: str) -> _Way:
    if preset is None:
        resolved = resolve(config, where=file)
        names = [part.name for part in resolved.participants]
        names += [part.name for part in resolved.benches]
        return _Way(preset=None, resolved=resolved, names=frozenset(names))
    config, able = choose_presets(config, preset)
    return _Way(preset=preset, resolved=resolve(config, where=file), names=able)


def _print_prompts(
    ways: Sequence[_Way], file: str, *, only: str | None, language: str | None, every: bool
) -> None:
    named = [
        (way.title(rehearsal.name), rehearsal)
        for way in ways
        for rehearsal in asyncio.run(rehearse(way.resolved))
        if rehearsal.name in way.names
    ]
    order = [rehearsal.name for _, rehearsal in named]  # both ways of a name beside each other
    printed = [
        (title, rehearsal)
        for title, rehearsal in sorted(named, key=lambda pair: order.index(pair[1].name))
        if only in (None, rehearsal.name) and language in (None, rehearsal.language)
    ]
    if not printed:
        raise _nobody(ways[0], file, only=only, language=language, names=order)
    for title, rehearsal in printed:
        print_rehearsal(title, rehearsal, every=every)


def _print_options(ways: Sequence[_Way], file: str, *, only: str | None) -> None:
    named = [(way.title(part.name), part) for way in ways for part in way.parts]
    order = [part.name for _, part in named]
    if only not in (None, *order) or not order:
        raise _nobody(ways[0], file, only=only, language=None, names=order)
    for title, part in sorted(named, key=lambda pair: order.index(pair[1].name)):
        if only in (None, part.name):
            print_options(title, part)


def _nobody(
    way: _Way, file: str, *, only: str | None, language: str | None, names: Iterable[str]
) -> ConfigError:
    those = " with a paper's preset" if way.preset else ""
    codes = ", ".join(way.resolved.config.tournament.languages)
    return ConfigError(
        f"{file}: nobody{those} is called {only or 'a name of your choice'!r} in the language "
        f"{language or 'of your choice'}. Participants and benches{those}: "
        f"{', '.join(sorted(set(names))) or 'none'}. Languages: {codes}."
    )
