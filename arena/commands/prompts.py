"""`arena prompts`: print the prompts of participants and benches as their models get them."""

from __future__ import annotations

import asyncio

import click

from arena.config.load import load_config
from arena.config.resolve import resolve
from arena.console.options import examples
from arena.errors import ConfigError
from arena.text import counted, plain
from arena.tournament.rehearsal import Rehearsal, distinct_prompts, rehearse


@click.command(
    short_help="Print the prompts that the models of FILE will get.",
    epilog=examples(
        "arena prompts weekend.toml",
        "arena prompts weekend.toml --only a4d-gpt4o --language zh",
        "arena prompts weekend.toml --all > prompts.txt",
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
def prompts(file: str, only: str | None, language: str | None, every: bool) -> None:  # noqa: FBT001 - a flag
    """Print the prompts of a tournament FILE as its models will get them.

    A simulated model answers in place of every model, so nothing is spent and no key is needed.
    The texts that agents see of each other are therefore simulated.
    """
    resolved = resolve(load_config(file), where=file)
    rehearsals = asyncio.run(rehearse(resolved))
    chosen = [
        rehearsal
        for rehearsal in rehearsals
        if only in (None, rehearsal.name) and language in (None, rehearsal.language)
    ]
    if not chosen:
        names = ", ".join(sorted({rehearsal.name for rehearsal in rehearsals}))
        codes = ", ".join(resolved.languages)
        raise ConfigError(
            f"{file}: nobody is called {only!r} in the language {language or 'of your choice'}. "
            f"Participants and benches: {names}. Languages: {codes}."
        )
    for rehearsal in chosen:
        _print(rehearsal, every=every)


def _print(rehearsal: Rehearsal, *, every: bool) -> None:
    requests = rehearsal.requests if every else tuple(distinct_prompts(rehearsal.requests))
    count = counted(len(requests), "prompt")
    click.secho(f"══ {rehearsal.name} ({rehearsal.language}): {count} ══", bold=True)
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
