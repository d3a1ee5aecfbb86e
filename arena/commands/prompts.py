"""`arena prompts`: print the prompts of participants and benches as their models get them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import click
from pydantic import BaseModel

from arena.config.load import load_config
from arena.config.resolve import resolve
from arena.config.sections import BenchSection, Config, ParticipantSection
from arena.console.options import examples
from arena.errors import ConfigError
from arena.plugins import debater_class, judge_class
from arena.presets import PAPER, choose_preset, has_preset
from arena.text import counted, plain
from arena.tournament.rehearsal import Rehearsal, distinct_prompts, rehearse

_Section: TypeAlias = ParticipantSection | BenchSection


@click.command(
    short_help="Print the prompts that the models of FILE will get.",
    epilog=examples(
        "arena prompts weekend.toml",
        "arena prompts weekend.toml --only a4d-gpt4o --language zh",
        "arena prompts weekend.toml --all > prompts.txt",
        "arena prompts papers/mad-mt --only mad --preset both",
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
    type=click.Choice(["paper", "default", "both"]),
    help='The prompts of those that can follow their paper to the letter: with preset = "paper", '
    "without it, or both; by default, as FILE has them.",
)
def prompts(  # noqa: D417 - click's help describes the arguments
    file: str,
    only: str | None,
    language: str | None,
    every: bool,  # noqa: FBT001 - a flag
    preset: str | None,
) -> None:
    """Print the prompts of a tournament FILE as its models will get them.

    A simulated model answers in place of every model, so nothing is spent and no key is needed.
    The texts that agents see of each other are therefore simulated.
    """
    config = load_config(file)
    presets = ["paper", "default"] if preset == "both" else [preset]
    named = [rehearsal for way in presets for rehearsal in _rehearse(config, way, file)]
    printed = [
        (name, rehearsal)
        for name, rehearsal in named
        if only in (None, rehearsal.name) and language in (None, rehearsal.language)
    ]
    if not printed:
        names = ", ".join(sorted({rehearsal.name for _, rehearsal in named})) or "none"
        codes = ", ".join(config.tournament.languages)
        those = " with a paper's preset" if preset else ""
        raise ConfigError(
            f"{file}: nobody{those} is called {only or 'a name of your choice'!r} in the language "
            f"{language or 'of your choice'}. Participants and benches{those}: {names}. "
            f"Languages: {codes}."
        )
    order = [rehearsal.name for _, rehearsal in named]  # both ways of a name beside each other
    for name, rehearsal in sorted(printed, key=lambda pair: order.index(pair[1].name)):
        _print(rehearsal, name, every=every)


def _rehearse(config: Config, preset: str | None, file: str) -> Iterator[tuple[str, Rehearsal]]:
    """Yield rehearsals under the names to print: those with a preset only, where one is chosen."""
    sections: dict[str, Sequence[_Section]] = {
        "participants": config.participants,
        "benches": config.benches,
    }
    able = {part.name for parts in sections.values() for part in parts if has_preset(_form(part))}
    if preset:
        changed = {
            key: [_choose(part, preset) if part.name in able else part for part in parts]
            for key, parts in sections.items()
        }
        config = config.model_copy(update=changed)
    for rehearsal in asyncio.run(rehearse(resolve(config, where=file))):
        if not preset:
            yield rehearsal.name, rehearsal
        elif rehearsal.name in able:
            yield f"{rehearsal.name}, {preset}", rehearsal


def _choose(section: _Section, preset: str) -> _Section:
    options = choose_preset(section.options, paper=preset == PAPER)
    return section.model_copy(update={"options": options})


def _form(section: _Section) -> type[BaseModel]:
    if isinstance(section, ParticipantSection):
        return debater_class(section.debater).Options
    return judge_class(section.judge).Options


def _print(rehearsal: Rehearsal, name: str, *, every: bool) -> None:
    requests = rehearsal.requests if every else tuple(distinct_prompts(rehearsal.requests))
    count = counted(len(requests), "prompt")
    click.secho(f"══ {name} ({rehearsal.language}): {count} ══", bold=True)
    if rehearsal.problem:
        click.echo(f"It cannot take part: {plain(rehearsal.problem)}\n")
    for request in requests:
        click.secho(
            f"\n━━ {request.path} · task {request.task} · at most "
            f"{request.sampling.max_tokens} tokens ━━",
            bold=True,
        )
        for message in request.messages:
            click.echo(f"[{message.role}]\n{plain(message.text)}\n")
