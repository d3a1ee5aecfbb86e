"""Debaters, judges and commands by name: entry points, for the built-in ones too."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal

from arena.debater import Debater
from arena.errors import ConfigError, UnknownName
from arena.judge import Judge
from arena.languages import Contest
from arena.records import Participant


def debater_class(name: str, *, where: str = "") -> type[Debater]:
    """The debater framework that is registered under a name.

    Raises:
        UnknownName: no package registers it.
        ConfigError: a package does, but it cannot be loaded.
    """
    found: type[Debater] = _load("arena.debaters", name, kind="debater", where=where)
    return found


def further_models(debater: str, options: Mapping[str, Any]) -> tuple[str, ...]:
    """The models that a debater with these options calls besides its participant's own."""
    framework = debater_class(debater)
    return framework.models(framework.Options.model_validate(dict(options)))


def models_of(participant: Participant) -> tuple[str, ...]:
    """All models that a participant speaks with: its own, and those of its debater's roles.

    Who stands for an answer from elsewhere has no debater.
    """
    if not participant.debater:
        return (participant.model,)
    return participant.model, *further_models(participant.debater, participant.options)


def judge_class(name: str, *, where: str = "") -> type[Judge]:
    """The judging method that is registered under a name; raises like `debater_class`."""
    found: type[Judge] = _load("arena.judges", name, kind="judge", where=where)
    return found


def judge_models(name: str, options: Mapping[str, Any]) -> tuple[str, ...]:
    """The models that a configured judge calls besides its bench's; raises like `judge_class`."""
    method = judge_class(name)
    return method.models(method.Options.model_validate(dict(options)))


def able(kind: Literal["debaters", "judges"], contest: Contest) -> list[str]:
    """The names of all debaters or judges that take part in a contest, sorted.

    What cannot be loaded is left out: who names it is told so elsewhere.
    """
    load = debater_class if kind == "debaters" else judge_class
    found = []
    for name in sorted(_points(f"arena.{kind}")):
        with suppress(ConfigError):
            if contest in load(name).contests:
                found.append(name)
    return found


def command_points() -> Mapping[str, EntryPoint]:
    """The commands of the command line by name, those of other packages too; not yet loaded."""
    return _points("arena.commands")


def _load(group: str, name: str, *, kind: str, where: str) -> Any:  # noqa: ANN401 - a plugin's
    points = _points(group)
    if name not in points:
        raise UnknownName(kind=kind, given=name, known=list(points), where=where)
    try:
        return points[name].load()
    except (ImportError, AttributeError) as error:
        origin = points[name].value
        raise ConfigError(
            f"{where}: {kind} {name!r} ({origin}) cannot be loaded: {error}."
        ) from error


@cache
def _points(group: str) -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=group)}
