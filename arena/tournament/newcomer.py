"""A new participant of a tournament's file: checked, planned against the others, then written."""

from __future__ import annotations

import asyncio
import difflib
import json
import math
import os
import re
import shlex
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from arena.config.edit import add_model, add_participant
from arena.config.load import load_config
from arena.config.resolve import resolve_to_play
from arena.config.schedule_section import ScheduleSection
from arena.errors import ConfigError, MissingPrice
from arena.llm.budget import Budget
from arena.scheduling.asked import Asked
from arena.store.command_lines import command_line
from arena.tournament.forecast import CostEstimate, estimate
from arena.tournament.model_check import format_price, try_model
from arena.tournament.models import Models
from arena.tournament.plan import TournamentPlan, make_plan
from arena.tournament.readiness import SECONDS, check_fit
from arena.tournament.rehearsal import two_part_forms
from motions.text_files import read_file

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.records import Debate, Participant
    from arena.store.database import Store

#: Debates after which a newcomer's rating is nearly stable (Zhang et al. 2024, arXiv 2408.04472).
_STABLE = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class NewcomerProposal:
    """A participant that could be added to a file; nothing is written yet.

    Attributes:
        file: the tournament's file.
        before, after: its text without and with the participant.
        plan: of the tournament when the participant meets all others.
        debates, ballots: the numbers that rate the participant.
        price: of its model, in words.
        models: how the model is called.
        forms: the objects that it needs before a text, by model.
    """

    file: Path
    before: str
    after: str
    newcomer: Participant
    resolved: ResolvedConfig
    plan: TournamentPlan
    debates: int
    ballots: int
    cost: CostEstimate
    price: str
    models: Models
    forms: Mapping[str, Mapping[type[BaseModel], Sequence[str]]]

    @property
    def difference(self) -> str:
        """The lines that are added to the file, as a unified difference."""
        name = self.file.name
        lines = difflib.unified_diff(
            self.before.splitlines(), self.after.splitlines(), name, name, lineterm="", n=2
        )
        return "\n".join(lines)

    @property
    def needs_schedule(self) -> bool:
        """Whether the schedule of the file would not play the gauntlet by itself."""
        return self.resolved.config.schedule.kind in ("gauntlet", "random")

    @property
    def is_chosen_later(self) -> bool:
        """Whether the file's schedule chooses the participant's debates as results come."""
        return Asked.of(self.resolved).in_waves and not self.needs_schedule

    @property
    def schedule_lines(self) -> tuple[str, ...]:
        """The lines of `[schedule]` that play the gauntlet."""
        schedule = self.plan.resolved.config.schedule
        return (
            'kind = "gauntlet"',
            f"newcomers = {json.dumps(schedule.newcomers, ensure_ascii=False)}",
            f"matchups_per_pair = {schedule.matchups_per_pair}",
        )


def propose(
    file: Path,
    participant: Mapping[str, Any],
    store: Store,
    *,
    model: Mapping[str, Any] | None = None,
) -> NewcomerProposal:
    """Check a new participant of a file, and plan the debates that rate it; writes nothing.

    Args:
        file: the tournament's file.
        participant: its name, debater and model, and other keys of `[[participants]]`.
        store: holds what is played already, or will.
        model: the keys of its model's table (`api_base`, `api_key`, `usd_per_million`); `None` or
            empty for no table of its own.

    Raises:
        ConfigError: the file or the participant is not valid, the model's provider, key or price
            is not known, or the participant cannot take part (see `arena.tournament.readiness`).
    """
    text = read_own_file(file)
    _check_new(participant["name"], text, file, db=store.path)
    changed = add_participant(text, dict(participant), where=str(file))
    if model:
        changed = add_model(changed, participant["model"], dict(model), where=str(file))
    resolved = resolve_to_play(changed, store, where=str(file))
    newcomer = next(entry for entry in resolved.participants if entry.name == participant["name"])
    models = Models(resolved.config, resolved.motions, budget=Budget())
    models.check_one(newcomer.model)
    alone = replace(resolved, participants=(newcomer,), benches=())
    rehearsals = check_fit(alone, models, seconds=SECONDS)
    plan = _gauntlet(resolved, newcomer, store)
    debates, ballots = _open_work(plan, newcomer)
    return NewcomerProposal(
        file=file,
        before=text,
        after=changed,
        newcomer=newcomer,
        resolved=resolved,
        plan=plan,
        debates=len(debates),
        ballots=len(ballots),
        cost=estimate(resolved, debates, ballots=ballots, price=models.price),
        price=format_price(models, newcomer.model),
        models=models,
        forms=two_part_forms(rehearsals),
    )


def explain_missing_price(error: MissingPrice, model: str, how: str) -> ConfigError:
    """Return an error that says how to enter the price, where it is that of the newcomer's model.

    Args:
        how: continues "Add it in USD per million tokens of input and of output".
    """
    if error.model != model:
        return error
    return ConfigError(
        f"the price of {model!r} is not known; nothing was written. Add it in USD per million "
        f"tokens of input and of output {how}"
    )


def _check_new(name: str, text: str, file: Path, *, db: Path) -> None:
    """Check that nobody in a file has the name."""
    present = _find_section(name, text)
    if present is not None:
        own = (str(present["model"]), "--to", str(file), "--debater", str(present["debater"]))
        play = command_line("add", *own, "--name", name, "--play", db=db)
        raise ConfigError(
            f"{file}: a participant is named {name!r} already; nothing was written. Give the new "
            f"one another name with --name. To play on with the one that is there: {play}"
        )


def _find_section(name: str, text: str) -> Mapping[str, Any] | None:
    """Return the table of a participant in a file's text; `None` where nobody has the name."""
    people = tomllib.loads(text)["participants"]
    return next((person for person in people if person.get("name") == name), None)


def find_present(file: Path, participant: Mapping[str, str], store: Store) -> ResolvedConfig | None:
    """Return the tournament of a file that has a participant already, or `None` where it has not.

    Args:
        file: the tournament's file.
        participant: its name, debater and model, all of which must be the same.
        store: holds what is played already.

    Raises:
        ConfigError: the file is not valid.
    """
    text = read_own_file(file)
    section = _find_section(participant["name"], text)
    if section is None or any(section.get(key) != value for key, value in participant.items()):
        return None
    return resolve_to_play(text, store, where=str(file))


def call_newcomer(proposal: NewcomerProposal) -> str:
    """Call the participant's model as debates do, and return what the calls took.

    Raises:
        InfrastructureFault: the model does not answer.
        ContentFault: it does not write a speech, lacks the object that its debater needs before
            one, or gives no verdict.
    """
    return asyncio.run(_call(proposal))


def write_proposal(proposal: NewcomerProposal) -> None:
    """Write the participant into its file.

    Raises:
        ConfigError: the file has changed since it was read, or cannot be written.
    """
    if read_own_file(proposal.file) != proposal.before:
        raise ConfigError(
            f"{proposal.file}: has changed since this was checked; nothing was written. Check it "
            "again."
        )
    write_file(proposal.file, proposal.after)


def default_name(debater: str, model: str) -> str:
    """Return a name for a participant: its debater and the last part of its model's name.

    >>> default_name("direct", "openrouter/qwen/qwen-plus")
    'direct-qwen-plus'
    """
    return re.sub(r"[^\w .+@:-]", "-", f"{debater}-{model.rpartition('/')[2]}")[:80]


def read_own_file(file: Path) -> str:
    """Return the text of a valid configuration file that is not a shipped example.

    Raises:
        ConfigError: it is missing, not valid, or a shipped example.
    """
    load_config(file)  # raises if it is not valid
    if not file.is_file():
        raise ConfigError(
            f"{file}: a shipped example cannot be changed. Copy it to a file of your own first: "
            f"arena init --from {shlex.quote(str(file))}"
        )
    return read_file(file).decode("utf-8-sig")


def write_file(file: Path, text: str) -> None:
    """Replace a file at once, so that an interruption leaves the old or the new text.

    Raises:
        ConfigError: it cannot be written.
    """
    temporary = file.with_name(f"{file.name}.new")
    try:
        with temporary.open("w", encoding="utf-8", newline="") as stream:
            stream.write(text)
        shutil.copymode(file, temporary)
        os.replace(temporary, file)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise ConfigError(f"{file}: cannot be written: {error.strerror}.") from None


async def _call(proposal: NewcomerProposal) -> str:
    model = proposal.newcomer.model
    try:
        return await try_model(proposal.models, model, "debater", proposal.forms.get(model))
    finally:
        await proposal.models.aclose()


def _gauntlet(resolved: ResolvedConfig, newcomer: Participant, store: Store) -> TournamentPlan:
    """Plan the newcomer's debates with all other participants."""
    section = resolved.config.schedule
    opponents = len(resolved.participants) - 1
    is_gauntlet = section.kind in ("round_robin", "gauntlet")
    enough = 1 if is_gauntlet else math.ceil(_STABLE / (2 * opponents))
    schedule = ScheduleSection(
        kind="gauntlet",
        newcomers=[newcomer.name],
        matchups_per_pair=section.matchups_per_pair or enough,
        concurrency=section.concurrency,
    )
    config = resolved.config.model_copy(update={"schedule": schedule, "target": None})
    return make_plan(replace(resolved, config=config), store)


def _open_work(plan: TournamentPlan, newcomer: Participant) -> tuple[list[Debate], list[str]]:
    """Return the newcomer's debates to play, and the bench of every ballot to take on them."""
    newcomer_id = newcomer.participant_id
    work = [unit for unit in plan.open if newcomer_id in (unit.debate.pro, unit.debate.con)]
    ballots = [request.bench.name for unit in work for request in unit.ballots]
    return [unit.debate for unit in work if unit.play], ballots
