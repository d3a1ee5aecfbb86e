"""`arena check`: check that a configuration is ready to run."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import aclosing

import click

from arena.config.load import config_text, parse_file
from arena.config.model_names import check_model_tables
from arena.config.resolve import resolve
from arena.config.resolved import check_panels
from arena.console.options import examples
from arena.console.plan_text import check_lines
from arena.errors import ArenaError
from arena.execution.searches import brief_lines, search_lines
from arena.llm.budget import Budget
from arena.scheduling.meetings import meetings
from arena.text import counted
from arena.tournament.estimates import estimate_lines
from arena.tournament.model_check import (
    Role,
    format_price,
    list_roles,
    look_at_addresses,
    try_model,
)
from arena.tournament.models import Models
from arena.tournament.readiness import check_fit
from arena.tournament.rehearsal import Rehearsal, two_part_forms


@click.command(epilog=examples("arena check weekend.toml", "arena check weekend.toml --call"))
@click.argument("file")
@click.option(
    "--call",
    is_flag=True,
    help="Let every debater's model speak and every judge's judge, briefly (this costs a little).",
)
def check(file: str, call: bool) -> None:  # noqa: FBT001 - a flag
    """Check that a tournament FILE can be played.

    FILE must be valid, and every model needs a provider, a key, a price, and a context window that
    a whole debate fits in. Servers of your own (`api_base`) are looked at: those that do not
    answer, refuse the key, or do not list the model, are named. The search tool is checked as well:
    the folder is read, or the key of the web search is looked up. Every participant and bench is
    rehearsed once in each language with a simulated model, so that a broken prompt or a bug is
    found before anything is spent (`arena prompts` shows the prompts).

    The exit code is 1 where a model cannot be used: its server does not answer or refuses the key,
    or, with --call, as a debater's it writes no speech, or lacks the JSON object that the debater
    needs before one, or as a judge's it gives no verdict.
    """
    text = config_text(file)
    resolved = resolve(parse_file(text, where=file), where=file, text=text)
    check_model_tables(resolved.config, where=file)
    check_panels(resolved, meetings(resolved))
    models = Models(resolved.config, resolved.motions, budget=Budget())
    models.check(where=file)
    searched = search_lines(resolved.config.search, where=file) + estimate_lines(resolved)
    rehearsals = check_fit(resolved, models)
    click.echo(
        f"{file}: {counted(len(resolved.participants), 'participant')}, "
        f"{counted(len(resolved.benches), 'bench', 'benches')}, "
        f"{counted(len(resolved.motions), 'motion')}. Providers, keys and prices are known:"
    )
    for model in resolved.models:
        click.echo(f"  {format_price(models, model)}")
    for line in models.key_lines(resolved.models):
        click.echo(f"  {line}")
    problems = asyncio.run(look_at_addresses(models, resolved.models))
    for problem in problems:
        click.echo(f"  {problem.text}")
    for line in (*searched, *brief_lines(resolved), *check_lines(resolved)):
        click.echo(f"  {line}")
    requests = sum(len(rehearsal.requests) for rehearsal in rehearsals)
    click.echo(
        f"  rehearsed with a simulated model: {counted(len(rehearsals), 'part')} in "
        f"{', '.join(resolved.languages)}, {counted(requests, 'prompt')} rendered"
    )
    # A call tells more than a look at the address.
    is_ready = (
        asyncio.run(_call_all(models, list_roles(resolved), rehearsals))
        if call
        else not any(problem.prevents_calls for problem in problems)
    )
    if not is_ready:
        again = shlex.join(["arena", "check", file, *(["--call"] if call else [])])
        click.echo(
            "Not ready: a model cannot be used, for the reason in its line above. Start its "
            f"server, or correct its name, address or key, then run: {again}",
            err=True,
        )
        sys.exit(1)
    click.echo(f"Next: {shlex.join(['arena', 'run', file, '--dry-run'])}")


async def _call_all(
    models: Models, roles: Mapping[str, Sequence[Role]], rehearsals: Sequence[Rehearsal]
) -> bool:
    """Try every model in each of its roles, and return whether all of them can play it."""
    forms = two_part_forms(rehearsals)

    async def try_roles(name: str) -> list[tuple[bool, str]]:
        """Try one after the other: the first finds out which parameters the model accepts."""
        tried = []
        for role in roles[name]:
            try:
                answer = await try_model(models, name, role, forms.get(name, {}))
            except ArenaError as error:
                tried.append((False, f"{name} as {role}: FAILED: {error}"))
            else:
                tried.append((True, f"{name} as {role}: answered ({answer})"))
        return tried

    async with aclosing(models):
        tried = await asyncio.gather(*map(try_roles, roles))
    results = [role for roles_tried in tried for role in roles_tried]
    for _, line in results:
        click.echo(f"  {line}")
    return all(answered for answered, _ in results)
