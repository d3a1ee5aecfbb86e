"""Debaters, judges and commands by name, found through entry points (the built-in ones too)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from traceback import extract_tb
from typing import TYPE_CHECKING, Any, Final, Literal

from arena.errors import ArenaError, ConfigError, UnknownName
from arena.languages import Contest
from arena.records import IMPORTED, Bench, Participant, family_of, family_words
from arena.registered import Registered, registered

if TYPE_CHECKING:  # their interfaces drag what calls models
    from pydantic import BaseModel

    from arena.debater import Debater, Seat
    from arena.judge import Judge


#: What is said of a participant whose debater calls models by a client of its own.
UNSEEN: Final = "calls not seen: its own calls are in no cost, count or cap"


def debater_class(name: str, *, where: str = "") -> type[Debater]:
    """Return the debater framework that is registered under a name.

    Raises:
        UnknownName: no package registers it.
        ConfigError: a package does, but it cannot be loaded.
    """
    framework: type[Debater] = _load("arena.debaters", name, kind="debater", where=where)
    return framework


def sees_calls(name: str) -> bool:
    """Return whether all calls of a debater are counted.

    Built-in debaters are not loaded for that: theirs are. One that is not installed is taken to be
    like them.
    """
    point = registered("arena.debaters").get(name)
    if point is None or point.module.startswith("arena."):
        return True
    return debater_class(name).calls_seen


def format_unknown(participants: Iterable[tuple[str, str]]) -> str:
    """Format for which models it is unknown what their calls cost; '' for none.

    Args:
        participants: the debater and the model of each.
    """
    models = {model for debater, model in participants if not sees_calls(debater)}
    return f"unknown for {', '.join(sorted(models))}" if models else ""


def debater_options(name: str, options: Mapping[str, Any]) -> BaseModel:
    """Return the options of a debater, validated by its framework.

    Raises:
        UnknownName: no package registers the debater; ConfigError as `debater_class`.
        pydantic.ValidationError: the framework does not accept the options.
    """
    return debater_class(name).Options.model_validate(dict(options))


def make_debater(name: str, options: Mapping[str, Any], seat: Seat) -> Debater:
    """Make a debater for one side of one debate; raises like `debater_options`."""
    return debater_class(name)(seat, debater_options(name, options))


def debater_models(name: str, options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the models that a debater calls besides its participant's own.

    Raises like `debater_options`.
    """
    if _names_no_model(registered("arena.debaters").get(name), options):
        return ()
    return debater_class(name).models(debater_options(name, options))


def participant_models(participant: Participant) -> tuple[str, ...]:
    """Return all models that a participant calls: its own, and those of its debater's roles.

    A participant that stands for imported answers has no debater, and no models but its own.
    """
    if not participant.debater:
        return (participant.model,)
    return participant.model, *debater_models(participant.debater, participant.options)


def judge_class(name: str, *, where: str = "") -> type[Judge]:
    """Return the judging method that is registered under a name; raises like `debater_class`."""
    method: type[Judge] = _load("arena.judges", name, kind="judge", where=where)
    return method


def judge_options(name: str, options: Mapping[str, Any]) -> BaseModel:
    """Return the options of a judge, validated by its method; raises like `debater_options`."""
    return judge_class(name).Options.model_validate(dict(options))


def make_judge(name: str, options: Mapping[str, Any]) -> Judge:
    """Make a judge with its options; raises like `debater_options`."""
    return judge_class(name)(judge_options(name, options))


def inspect_judge(name: str, options: Mapping[str, Any]) -> Judge:
    """Make a judge outside of a ballot, to read what it declares; raises like `debater_options`.

    Raises:
        ConfigError: also where the judge's own code raises another exception.
    """
    try:
        return make_judge(name, options)
    except ArenaError:
        raise
    except Exception as error:
        from pydantic import ValidationError  # noqa: PLC0415 - loaded with the first judge

        if isinstance(error, ValidationError):
            raise
        file, line, *_ = extract_tb(error.__traceback__)[-1]
        raise ConfigError(
            f"judge {name!r} cannot be made, its code raised {type(error).__name__}: {error} "
            f"({file}:{line}). Correct it and try again; nothing was spent or stored."
        ) from error


def judge_models(name: str, options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the models that a judge calls besides its bench's; raises like `debater_options`."""
    if _names_no_model(registered("arena.judges").get(name), options):
        return ()
    return judge_class(name).models(judge_options(name, options))


def is_by_people(bench: Bench) -> bool:
    """Return whether people vote on a bench: those that ask a model are not loaded for that."""
    return not bench.model and bench.judge != IMPORTED and judge_class(bench.judge).by_people


def model_families(participants: Iterable[Participant]) -> frozenset[str]:
    """Return the lower-case names of the participants' model families, providers included.

    A judge tends to favour models of its own family, so some benches do not judge related debaters.

    All models of a participant count, those of single roles of a debater too. A participant of
    imported battles has no configured model: its name is taken as the model's name.
    """
    return family_words(
        model
        for participant in participants
        for model in (
            (participant.name,)
            if participant.debater == IMPORTED
            else participant_models(participant)
        )
    )


def families_of(bench: Bench) -> frozenset[str]:
    """Return the lower-case families of all models that may judge on a bench."""
    role_models = () if bench.judge == IMPORTED else judge_models(bench.judge, bench.options)
    families = {bench.family, *map(family_of, (bench.model, *role_models))}
    return frozenset(family.lower() for family in families if family)


def names_for_contest(kind: Literal["debaters", "judges"], contest: Contest) -> list[str]:
    """Return the names of all debaters or judges that take part in a contest, sorted.

    Those that cannot be loaded are left out; a configuration that names one gets the error.
    """
    load = debater_class if kind == "debaters" else judge_class
    names = []
    for name in sorted(registered(f"arena.{kind}")):
        with suppress(ConfigError):
            if contest in load(name).contests:
                names.append(name)
    return names


def plugin_packages() -> frozenset[str]:
    """Return the names of the packages in which the debaters and judges are, the built-in too."""
    points = (*registered("arena.debaters").values(), *registered("arena.judges").values())
    return frozenset(point.module.partition(".")[0] for point in points)


def _load(group: str, name: str, *, kind: str, where: str) -> Any:  # noqa: ANN401 - a plugin's
    points = registered(group)
    if name not in points:
        raise UnknownName(kind=kind, given=name, known=list(points), where=where)
    try:
        return points[name].load()
    except (ImportError, AttributeError) as error:
        origin = points[name].value
        raise ConfigError(
            f"{where}: {kind} {name!r} ({origin}) cannot be loaded: {error}."
        ) from error


def _names_no_model(point: Registered | None, options: Mapping[str, Any]) -> bool:
    """Return whether a built-in debater or judge names no further model, by its options alone.

    Those that can, name them in a list or a table (roles, members). To load one takes longer than
    all that most commands print.
    """
    return (
        point is not None
        and point.module.startswith(("arena.", "judges."))
        and not any(isinstance(value, dict | list) and value for value in options.values())
    )
