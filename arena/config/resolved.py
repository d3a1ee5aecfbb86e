"""A tournament's configuration with what its names stand for: participants, benches, motions.

It knows no file and loads no debater: a configuration that is read back from a database needs
neither (`arena.config.stored`), and one that will be played is made by `arena.config.resolve`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from operator import truediv
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, ValidationError

from arena.errors import ConfigError, UnknownName, suggest
from arena.plugins import (
    debater_class,
    inspect_judge,
    is_by_people,
    judge_class,
    judge_models,
    model_families,
    participant_models,
)
from arena.records import (
    IMPORTED,
    OFFLINE,
    Bench,
    Participant,
    Sampling,
    caveat_of,
    common_family,
    digest,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from arena.config.sections import BenchSection, Config, ParticipantSection, SamplingSection
    from arena.languages import Contest
    from motions import Motion

#: The default temperature of all debaters in an essay contest, as in Debate-to-Write: with less,
#: a participant's essays on one proposition are near-copies of each other.
ESSAY_TEMPERATURE: Final = 1.0


@dataclass(frozen=True, slots=True)
class Place:
    r"""A place in a configuration, for messages.

    >>> str(Place("own.toml", "[[a]]\nb = 1") / "a" / 0 / "b")
    'own.toml, line 2: a[1].b'

    Attributes:
        where: the file, or what the configuration comes from.
        text: of the file; '' where there is none, and so no lines.
    """

    where: str
    text: str = ""
    keys: tuple[str | int, ...] = ()

    def __truediv__(self, key: str | int) -> Place:
        """Return the place of a key, or from 0 of an element, within it."""
        return replace(self, keys=(*self.keys, key))

    def __str__(self) -> str:
        """Format it: file, line, and keys."""
        line = None
        if self.text:
            from arena.config.positions import find_line  # noqa: PLC0415 - only for files

            line = find_line(self.text, self.keys)
        keys = "".join(f"[{key + 1}]" if isinstance(key, int) else f".{key}" for key in self.keys)
        return f"{self.where}{f', line {line}' if line else ''}: {keys.removeprefix('.')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedConfig:
    """A tournament's configuration with the participants, benches and motions that it names.

    Attributes:
        categories: the categories that its motions may have.
        imported: True where its verdicts were imported, so that there is nothing to play.
        where: the file or example that it was read from, for messages.
        joined: the tournaments that are read as this one (`arena.read.joined`); empty for others.
        notes: what its boards say of how they were joined.
    """

    config: Config
    participants: tuple[Participant, ...]
    benches: tuple[Bench, ...]
    motions: tuple[Motion, ...]
    categories: tuple[str, ...] = ("fact", "policy", "value")
    languages: tuple[str, ...] = ()
    imported: bool = False
    where: str = ""
    joined: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The tournament's name, which is its identity."""
        return self.config.tournament.name

    @property
    def is_battle_log(self) -> bool:
        """Whether it holds imported battles: one verdict each, in a table of their own."""
        return self.imported and self.benches[0].name == IMPORTED

    @property
    def board_benches(self) -> tuple[str, ...]:
        """The benches whose boards are stored, the default one first.

        It is `all` where several judges' verdicts were imported, as no judge stands out there.
        """
        names = tuple(bench.name for bench in self.benches)
        return ("all", *names) if self.imported and len(names) > 1 else names

    def require_speeches(self) -> None:
        """Check that the speeches of its debates are known, so that they can be judged.

        Raises:
            ConfigError: its battles were imported, and imports hold no speeches.
        """
        if self.imported:
            raise ConfigError(
                f"tournament {self.name!r} was imported without speeches, so nothing in it can be "
                "judged. Name a tournament that was played; `arena list` shows them."
            )

    @property
    def models(self) -> list[str]:
        """The names of all models that debate or judge, sorted."""
        players, benches = self.participants, self.benches
        names = {player.model for player in players} | {bench.model for bench in benches}
        if self.imported:
            return sorted(names)
        names.update(name for player in players for name in participant_models(player))
        names.update(name for bench in benches for name in bench_models(bench))
        return sorted(names - {""})

    @property
    def simulated(self) -> bool:
        """Whether a simulated model debates or judges."""
        return any(model.startswith(OFFLINE) for model in self.models)

    @property
    def caveat(self) -> str:
        """What is said wherever its results are shown: that models are simulated or very small."""
        return caveat_of(self.models)

    @property
    def ids(self) -> dict[str, str]:
        """The ids of the participants, by name."""
        return {participant.name: participant.participant_id for participant in self.participants}

    @property
    def names(self) -> dict[str, str]:
        """The names of the participants, by id."""
        return {participant.participant_id: participant.name for participant in self.participants}

    def bench(self, name: str) -> Bench:
        """Return the bench of a name, which must be one of its own."""
        return next(bench for bench in self.benches if bench.name == name)

    @property
    def model_benches(self) -> tuple[Bench, ...]:
        """The benches that a run asks for ballots: nobody is asked to vote."""
        people = self.people_benches
        return tuple(bench for bench in self.benches if bench not in people)

    @property
    def people_benches(self) -> tuple[Bench, ...]:
        """The benches whose judges are people."""
        return tuple(bench for bench in self.benches if is_by_people(bench))

    def with_cap(self, usd: float | None) -> ResolvedConfig:
        """Return it with another spending cap, in USD; `None` keeps its own."""
        if usd is None:
            return self
        limits = self.config.limits.model_copy(update={"usd": usd})
        return replace(self, config=self.config.model_copy(update={"limits": limits}))

    @property
    def config_hash(self) -> str:
        """The hash that identifies the configuration."""
        return digest(self.config.model_dump(mode="json"))


def bench_models(bench: Bench) -> list[str]:
    """Return the names of the models that a bench asks; none where people vote."""
    return [name for name in (bench.model, *judge_models(bench.judge, bench.options)) if name]


def participant_of(
    section: ParticipantSection, contest: SamplingSection, where: Place, *, essay: bool
) -> Participant:
    """Return the participant of a section, with its debater's defaults.

    Args:
        contest: the sampling of all participants.
        essay: whether they write essays.

    Raises:
        ConfigError: the debater is unknown, or does not accept the options.
    """
    framework = debater_class(section.debater, where=str(where / "debater"))
    default = framework.sampling
    if essay:
        default = replace(default, temperature=ESSAY_TEMPERATURE)
    return Participant(
        name=section.name,
        debater=section.debater,
        model=section.model,
        options=_options(framework.Options, section.options, where / "options"),
        sampling=_sampling(default, contest, section.sampling),
    )


def bench_of(section: BenchSection, contest: Contest, where: Place) -> Bench:
    """Return the bench of a section, with its judge's defaults; raises like `participant_of`."""
    method = judge_class(section.judge, where=str(where / "judge"))
    options = method.fit_options(section.options, contest)
    options = _options(method.Options, options, where / "options")
    models = [section.model, *judge_models(section.judge, options)]
    return Bench(
        name=section.name,
        judge=section.judge,
        model=section.model,
        runs=section.runs,
        options=options,
        sampling=_sampling(method.sampling, section.sampling),
        family=section.family or common_family(models),
        swap=section.swap,
        count=section.count or "debates",
    )


def _options(form: type[BaseModel], options: Mapping[str, Any], where: Place) -> dict[str, Any]:
    """Check the options of a debater or a judge, and add the defaults of those left out."""
    try:
        return form.model_validate(dict(options)).model_dump(mode="json")
    except ValidationError as error:
        from arena.config.load import format_problem  # noqa: PLC0415 - only for files

        first = error.errors(include_url=False)[0]
        accepted, near = ", ".join(form.model_fields) or "none", ""
        problem = format_problem(first)
        if first["type"] == "extra_forbidden":
            problem = "unknown option"
            near = suggest(str(first["loc"][-1]), form.model_fields)
        place = reduce(truediv, first["loc"], where)
        raise ConfigError(f"{place}: {problem}. Options: {accepted}.{near}") from None


def _sampling(default: Sampling, *sections: SamplingSection) -> Sampling:
    """Overwrite default sampling by what sections set; later sections take precedence."""
    changes: dict[str, Any] = {}
    for section in sections:
        changes |= section.model_dump(exclude_none=True)
    return replace(default, **changes)


def check_participants(resolved: ResolvedConfig, requested: Iterable[str]) -> list[str]:
    """Return the names of a tournament's participants after checking those requested.

    Raises:
        UnknownName: the tournament has no participant of a requested name.
    """
    known = list(resolved.ids)
    for name in requested:
        if name not in known:
            raise UnknownName(kind="participant", given=name, known=known)
    return known


def check_panels(resolved: ResolvedConfig, meetings: Iterable[tuple[str, str]]) -> None:
    """Check that every bench may judge who meet: some leave out models of their own families.

    Args:
        meetings: the ids of two participants each; pairs may be repeated.

    Raises:
        ConfigError: a bench has no judge left for two participants who meet.
    """
    place = {participant_id: number for number, participant_id in enumerate(resolved.names)}
    pairs = {tuple(sorted((place[first], place[second]))) for first, second in set(meetings)}
    for bench in resolved.benches:
        judge = inspect_judge(bench.judge, bench.options)
        for pair in sorted(pairs):
            both = [resolved.participants[number] for number in pair]
            problem = judge.objection(model_families(both), model=bench.model)
            if problem:
                names = " and ".join(repr(participant.name) for participant in both)
                raise ConfigError(f"bench {bench.name!r} cannot judge {names}: {problem}")


def find_bench(resolved: ResolvedConfig, name: str | None) -> Bench:
    """Find a bench by its name; the first bench if the name is None.

    Raises:
        ConfigError: the tournament has no such bench.
    """
    for bench in resolved.benches:
        if name in (None, bench.name):
            return bench
    known = [bench.name for bench in resolved.benches]
    raise ConfigError(
        f"tournament {resolved.name!r} has no bench {name!r}. Known: {', '.join(known)}."
        f"{suggest(name or '', known)}"
    )


def dimensions(bench: Bench) -> tuple[str, ...]:
    """Return the dimensions that a bench gives verdicts on."""
    if bench.judge == IMPORTED:
        return ("overall",)
    return inspect_judge(bench.judge, bench.options).dimensions


def bench_dimensions(resolved: ResolvedConfig, name: str) -> tuple[str, ...]:
    """Return the dimensions that a bench of a tournament, or `all`, gives verdicts on."""
    benches = resolved.benches if name == "all" else (find_bench(resolved, name),)
    return tuple(dict.fromkeys(dimension for bench in benches for dimension in dimensions(bench)))
