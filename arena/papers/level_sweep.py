"""A sweep over the levels of disagreement of `mad`: one participant at every level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from arena.config.resolve import resolve
from arena.config.resolved import ResolvedConfig
from arena.config.schedule_section import ScheduleSection
from arena.config.sections import Config
from arena.debaters.mad import Level, Options
from arena.errors import ConfigError, UnknownName
from arena.papers.rounds.work import MAD
from arena.presets import PAPER, choose_preset

LEVELS: Sequence[int] = get_args(Level)


def level_sweep(
    config: Config, *, where: str, participant: str | None = None, preset: str | None = None
) -> ResolvedConfig:
    """Return a tournament of one participant of `mad` at every level.

    The participant at its default level meets each of the others on every question once, in both
    legs. The tournament is named after the original one, with `-levels` added, and before it a
    preset that is chosen.

    Args:
        participant: the participant's name; by default the first one of `mad`.
        preset: `paper` or `default`, in place of the participant's own.

    Raises:
        ConfigError: it asks no questions, or has no participant of `mad`.
        UnknownName: it has no participant of `mad` with this name.
    """
    if config.tournament.contest != "question":
        raise ConfigError(
            f"{where}: tournament.contest is {config.tournament.contest!r}. Levels are compared by "
            'accuracy, which needs contest = "question". Write such a file with: arena init '
            "mine.toml --from mad"
        )
    debates = {entry.name: entry for entry in config.participants if entry.debater == MAD}
    if not debates:
        raise ConfigError(
            f"{where}: no participant has the debater 'mad', whose levels are compared. Add one."
        )
    if participant is not None and participant not in debates:
        raise UnknownName(kind="participant", given=participant, known=list(debates))
    swept = debates[participant or next(iter(debates))]
    options = choose_preset(swept.options, paper=preset == PAPER) if preset else swept.options
    entries = [
        swept.model_copy(
            update={"name": f"{swept.name}-level-{level}", "options": {**options, "level": level}}
        )
        for level in LEVELS
    ]
    hub = entries[Options().level]
    names = [entry.name for entry in entries if entry is not hub]
    section = config.tournament
    original = resolve(config, where=where)
    schedule = ScheduleSection(
        kind="gauntlet",
        newcomers=names,
        opponents=[hub.name],
        matchups_per_pair=len(original.motions) * len(section.languages),
        concurrency=config.schedule.concurrency,
    )
    name = "-".join(filter(None, (section.name, preset, "levels")))
    update = {
        "tournament": section.model_copy(update={"name": name}),
        "participants": entries,
        "schedule": schedule,
    }
    return resolve(config.model_copy(update=update), where=where, motions=original.motions)
