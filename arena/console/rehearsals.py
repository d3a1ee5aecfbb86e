"""Rehearsals in print: prompts as models get them, and the values of all options."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import click
from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from arena.config.sections import BenchSection, Config, ParticipantSection
from arena.plugins import debater_class, judge_class
from arena.presets import PAPER, choose_preset, has_preset
from arena.records import Bench, Participant
from arena.text import counted, plain
from arena.tournament.rehearsal import Rehearsal, distinct_prompts

_Section: TypeAlias = ParticipantSection | BenchSection
#: What `--preset` chooses.
PRESETS = ("paper", "default", "both")


def split_presets(preset: str | None) -> Sequence[str | None]:
    """Return the ways that a choice of `PRESETS` names; `None` for the file's own."""
    return ["paper", "default"] if preset == "both" else [preset]


def choose_presets(config: Config, preset: str) -> tuple[Config, frozenset[str]]:
    """Return a configuration whose parts follow their paper, or none, and the names of those."""
    parts: Sequence[_Section] = (*config.participants, *config.benches)
    able = frozenset(part.name for part in parts if has_preset(_form(part)))

    def choose(part: _Section) -> _Section:
        if part.name not in able:
            return part
        options = choose_preset(part.options, paper=preset == PAPER)
        return part.model_copy(update={"options": options})

    changed = {
        "participants": [choose(part) for part in config.participants],
        "benches": [choose(part) for part in config.benches],
    }
    return config.model_copy(update=changed), able


def print_rehearsal(title: str, rehearsal: Rehearsal, *, every: bool) -> None:
    """Print the requests of a rehearsal, or the first of each prompt file, agent and stage."""
    requests = rehearsal.requests if every else tuple(distinct_prompts(rehearsal.requests))
    click.secho(
        f"══ {title} ({rehearsal.language}): {counted(len(requests), 'prompt')} ══", bold=True
    )
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


def print_calls(title: str, rehearsal: Rehearsal) -> None:
    """Print which calls are made, in order, with the task of each."""
    count = counted(len(rehearsal.requests), "call")
    click.secho(f"══ {title} ({rehearsal.language}): {count}, in order ══", bold=True)
    for request in rehearsal.requests:
        click.echo(f"{request.path} · {request.task}")
    click.echo()


def print_options(title: str, part: Participant | Bench) -> None:
    """Print who takes part by which model, and the values of all options, those left out too."""
    click.secho(f"══ {title} ══", bold=True)
    for name, value in _list_values(part):
        text = "not set" if value is None else plain(json.dumps(value, ensure_ascii=False))
        click.echo(f"{name} = {text}")
    click.echo()


def _list_values(part: Participant | Bench) -> Iterator[tuple[str, Any]]:
    """Yield names and values: what it is, its model and sampling, and its options."""
    if isinstance(part, Participant):
        yield "debater", part.debater
    else:
        yield "judge", part.judge
    if part.model:
        yield "model", part.model
        yield from part.sampling.fields().items()
    if isinstance(part, Bench):
        yield "runs", part.runs
        yield "swap", part.swap
    options = _form(part).model_validate(dict(part.options))
    for name in type(options).model_fields:
        value = to_jsonable_python(getattr(options, name))
        if isinstance(value, dict):  # models and sampling by role
            value = {role: own for role, own in value.items() if own is not None} or None
        yield name, value


def _form(part: _Section | Participant | Bench) -> type[BaseModel]:
    if isinstance(part, ParticipantSection | Participant):
        return debater_class(part.debater).Options
    return judge_class(part.judge).Options
