"""Resolving a configuration: the names in it become participants, benches and motions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel, ValidationError

from arena.config.contest import check_contest
from arena.config.messages import format_problem
from arena.config.model_names import check_further_model, check_model_name, fill_in_model_names
from arena.config.motion_selection import select_motions
from arena.config.sections import BenchSection, Config, ParticipantSection, SamplingSection
from arena.errors import ConfigError
from arena.languages import Contest
from arena.plugins import (
    debater_class,
    debater_models,
    inspect_judge,
    judge_class,
    judge_models,
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
from motions import Motion

#: The default temperature of all debaters in an essay contest, as in Debate-to-Write: with less,
#: a participant's essays on one proposition are near-copies of each other.
ESSAY_TEMPERATURE = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedConfig:
    """A tournament's configuration with the participants, benches and motions that it names.

    Attributes:
        categories: the categories that its motions may have.
        languages: the codes of the languages that it is played in.
        imported: True where its verdicts were imported, so that there is nothing to play.
        where: the file or example that it was read from, for messages.
    """

    config: Config
    participants: tuple[Participant, ...]
    benches: tuple[Bench, ...]
    motions: tuple[Motion, ...]
    categories: tuple[str, ...] = ("fact", "policy", "value")
    languages: tuple[str, ...] = ()
    imported: bool = False
    where: str = ""

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
        names = {participant.model for participant in self.participants}
        names.update(bench.model for bench in self.benches)
        if self.imported:
            return sorted(names)
        for participant in self.participants:
            names.update(participant_models(participant))
        for bench in self.benches:
            names.update(judge_models(bench.judge, bench.options))
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
    def people_benches(self) -> tuple[Bench, ...]:
        """The benches whose judges are people."""
        return tuple(
            bench
            for bench in self.benches
            if bench.judge != IMPORTED and judge_class(bench.judge).by_people
        )

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


def resolve(
    config: Config, *, where: str, motions: Sequence[Motion] | None = None
) -> ResolvedConfig:
    """Look up everything that a configuration names.

    Args:
        config: as it was parsed.
        where: its file, for messages.
        motions: a stored tournament's own, which replace the motion file; None to read the file.

    Raises:
        ConfigError: an unknown debater, judge, option, model address or motion set.
    """
    config = fill_in_model_names(config, where=where)
    essay = config.tournament.contest == "essay"
    participants = tuple(
        _participant(section, config.sampling, f"{where}: participants[{number}]", essay=essay)
        for number, section in enumerate(config.participants, start=1)
    )
    benches = tuple(
        _bench(section, config.tournament.contest, f"{where}: benches[{number}]")
        for number, section in enumerate(config.benches, start=1)
    )
    check_contest(config, where)
    if motions is None:
        motions = select_motions(config, where=where)
    return ResolvedConfig(
        config=config,
        participants=participants,
        benches=benches,
        motions=tuple(motions),
        languages=tuple(config.tournament.languages),
        where=where,
    )


def _participant(
    section: ParticipantSection, contest: SamplingSection, where: str, *, essay: bool
) -> Participant:
    framework = debater_class(section.debater, where=f"{where}.debater")
    default = replace(framework.sampling, temperature=ESSAY_TEMPERATURE)
    options = _options(framework.Options, section.options, f"{where}.options")
    if section.model and not framework.needs_model:
        raise ConfigError(
            f"{where}.model: the debater {section.debater!r} uses no model. Remove the key."
        )
    if section.speakers and framework.needs_model:
        raise ConfigError(
            f"{where}.speakers: the debater {section.debater!r} is no person. Remove the key, or "
            'write debater = "human".'
        )
    for model in debater_models(section.debater, options):
        check_further_model(model, section.model, f"{where}.options")
    return Participant(
        name=section.name,
        debater=section.debater,
        model=check_model_name(section.model, where=f"{where}.model")
        if framework.needs_model
        else "",
        options=options,
        sampling=_sampling(default if essay else framework.sampling, contest, section.sampling),
    )


def _bench(section: BenchSection, contest: Contest, where: str) -> Bench:
    method = judge_class(section.judge, where=f"{where}.judge")
    model = check_model_name(section.model, where=f"{where}.model") if method.needs_model else ""
    if section.model and not method.needs_model:
        raise ConfigError(
            f"{where}.model: the judge {section.judge!r} uses no model. Remove the key."
        )
    if section.runs > 1 and not (method.needs_model or method.by_people):
        raise ConfigError(
            f"{where}.runs: the judge {section.judge!r} gives the same verdict in every run. "
            "Write runs = 1."
        )
    written = method.fit_options(section.options, contest)
    options = _options(method.Options, written, f"{where}.options")
    _check_count(section, options, where)
    further = judge_models(section.judge, options)
    for name in further:
        check_model_name(name, where=f"{where}.options")
    return Bench(
        name=section.name,
        judge=section.judge,
        model=model,
        runs=section.runs,
        options=options,
        sampling=_sampling(method.sampling, section.sampling),
        family=section.family or common_family([model, *further]),
        swap=section.swap,
        count=section.count or "debates",
    )


def _check_count(section: BenchSection, options: Mapping[str, Any], where: str) -> None:
    """Check that a debate is not to be decided by a majority whose votes count one by one."""
    if section.count == "ballots" and inspect_judge(section.judge, options).by_majority:
        raise ConfigError(
            f"{where}.count: ballots cannot count one by one where the majority of them decides a "
            "debate. Remove `count`, or the option `majority`."
        )


def _options(form: type[BaseModel], options: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Check the options of a debater or a judge, and add the defaults of those left out."""
    try:
        return form.model_validate(dict(options)).model_dump(mode="json")
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        accepted = ", ".join(form.model_fields) or "none"
        problem = "unknown option" if first["type"] == "extra_forbidden" else format_problem(first)
        raise ConfigError(
            f"{where}{'.' if place else ''}{place}: {problem}. Options: {accepted}."
        ) from None


def _sampling(default: Sampling, *sections: SamplingSection) -> Sampling:
    """Overwrite default sampling by what sections set; later sections take precedence."""
    sampling = default
    for section in sections:
        sampling = replace(sampling, **section.model_dump(exclude_none=True))
    return sampling
