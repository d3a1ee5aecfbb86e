"""`arena add`: check a new participant, write it into the file, and plan its gauntlet."""

from __future__ import annotations

import asyncio
import json
import math
import os
import re
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path

import click

from arena.config.address_keys import check_addresses
from arena.config.edit import add_participant
from arena.config.load import load_config, parse_config
from arena.config.resolve import ResolvedConfig, resolve
from arena.config.schedule_section import ScheduleSection
from arena.console.options import database, examples
from arena.console.plan_text import print_cost
from arena.console.schedule_text import format_schedule
from arena.console.stored_tournament import db_option
from arena.errors import ConfigError
from arena.llm.budget import Budget
from arena.records import Debate, Participant
from arena.store.database import Store
from arena.text import counted
from arena.tournament.forecast import estimate
from arena.tournament.model_check import call_once, format_price
from arena.tournament.models import Models
from arena.tournament.plan import Plan, make_plan

#: Debates after which a newcomer's rating is nearly stable (Zhang et al. 2024, arXiv 2408.04472).
_STABLE = 15


@click.command(
    epilog=examples(
        "arena add anthropic/claude-haiku-4-5",
        "arena add openai/gpt-4o-mini --to weekend.toml --debater direct --name mini",
        "arena add offline/weak --to weekend.toml --db weekend.duckdb",
    )
)
@click.argument("model")
@click.option(
    "--to",
    "file",
    type=click.Path(path_type=Path),
    default=Path("tournament.toml"),
    show_default=True,
    help="The tournament's file.",
)
@click.option(
    "--debater",
    metavar="NAME",
    default="agent4debate",
    show_default=True,
    help="The debate framework (debater) of the participant.",
)
@click.option(
    "--name",
    metavar="NAME",
    help="The name of the participant; by default made from debater and model.",
)
@database
def add(model: str, file: Path, debater: str, name: str | None, db: Path) -> None:
    """Add a participant on MODEL to a tournament's file.

    The debates that rate it are planned as well: the new participant meets all others, who do not
    play each other again (a gauntlet). Before anything is written, its provider, key and price are
    checked and it is called once.
    """
    name = name or default_name(debater, model)
    text = _read(file)
    new = {"name": name, "debater": debater, "model": model}
    changed = add_participant(text, new, where=str(file))
    config = parse_config(tomllib.loads(changed), where=str(file))
    check_addresses(config, where=str(file))
    resolved = resolve(config, where=str(file))
    newcomer = next(
        participant for participant in resolved.participants if participant.name == name
    )
    models = Models(resolved.config, resolved.motions, budget=Budget())
    models.check_one(newcomer.model)
    plan = _gauntlet(resolved, newcomer, Store(db))
    debates, ballots = _open_work(plan, newcomer)
    cost = estimate(resolved, debates, ballots=ballots, price=models.price)
    answered = asyncio.run(_call(models, newcomer.model))
    _write(file, changed)
    click.echo(f"{format_price(models, newcomer.model)}; answered ({answered})")
    click.echo(f"Added {name!r} to {file}: {debater} on {newcomer.model}.\n")
    work = f"{counted(len(debates), 'debate')}, {counted(len(ballots), 'ballot')}"
    click.echo(f"Debates that rate it: {format_schedule(plan).partition(';')[0]}: {work}")
    print_cost(cost)
    click.echo(_next_step(resolved, plan, file, db))


def default_name(debater: str, model: str) -> str:
    """Return a name for a participant: its debater and the last part of its model's name.

    >>> default_name("direct", "openrouter/qwen/qwen-plus")
    'direct-qwen-plus'
    """
    return re.sub(r"[^\w .+@:-]", "-", f"{debater}-{model.rpartition('/')[2]}")[:80]


def _read(file: Path) -> str:
    """Return the text of a valid configuration file."""
    load_config(file)  # raises if it is not valid
    if not file.is_file():
        raise ConfigError(
            f"{file}: a shipped example cannot be changed. Copy it to a file of your own first: "
            f"arena init --from {file}."
        )
    with file.open(encoding="utf-8-sig", newline="") as stream:
        return stream.read()


def _write(file: Path, text: str) -> None:
    """Replace a file at once, so that an interruption leaves the old or the new text."""
    temporary = file.with_name(f"{file.name}.new")
    try:
        with temporary.open("w", encoding="utf-8", newline="") as stream:
            stream.write(text)
        shutil.copymode(file, temporary)
        os.replace(temporary, file)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise ConfigError(f"{file}: cannot be written: {error.strerror}.") from None


async def _call(models: Models, model: str) -> str:
    try:
        return await call_once(models, model)
    finally:
        await models.aclose()


def _gauntlet(resolved: ResolvedConfig, newcomer: Participant, store: Store) -> Plan:
    """Plan the newcomer's debates with all other participants."""
    section = resolved.config.schedule
    opponents = len(resolved.participants) - 1
    enough = math.ceil(_STABLE / (2 * opponents)) if section.kind == "random" else 1
    schedule = ScheduleSection(
        kind="gauntlet",
        newcomers=[newcomer.name],
        matchups_per_pair=section.matchups_per_pair or enough,
        concurrency=section.concurrency,
    )
    config = resolved.config.model_copy(update={"schedule": schedule})
    return make_plan(replace(resolved, config=config), store)


def _open_work(plan: Plan, newcomer: Participant) -> tuple[list[Debate], list[str]]:
    """Return the newcomer's debates to play, and the bench of every ballot to take on them."""
    newcomer_id = newcomer.participant_id
    work = [unit for unit in plan.open if newcomer_id in (unit.debate.pro, unit.debate.con)]
    ballots = [request.bench.name for unit in work for request in unit.ballots]
    return [unit.debate for unit in work if unit.play], ballots


def _next_step(resolved: ResolvedConfig, plan: Plan, file: Path, db: Path) -> str:
    run = f"arena run {file}{db_option(db)}"
    if resolved.config.schedule.kind == "round_robin":
        return f"Play these debates with: {run}"
    schedule = plan.resolved.config.schedule
    lines = (
        'kind = "gauntlet"',
        f"newcomers = {json.dumps(schedule.newcomers, ensure_ascii=False)}",
        f"matchups_per_pair = {schedule.matchups_per_pair}",
    )
    section = "\n".join(f"  {line}" for line in lines)
    return (
        f"Put these lines into [schedule] of {file}, then play the debates with: {run}\n{section}"
    )
