"""A configuration resolved: participants, benches and motions as records, names looked up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, zip_longest
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from arena.config.messages import fault
from arena.config.model_names import further_model, name_models, provided
from arena.config.sections import BenchSection, Config, ParticipantSection, SamplingSection
from arena.errors import ConfigError
from arena.plugins import (
    able,
    debater_class,
    further_models,
    judge_class,
    judge_models,
    judge_options,
    models_of,
)
from arena.records import IMPORTED, OFFLINE, Bench, Participant, Sampling, digest, family_of_all
from motions import Motion, MotionError, load_questions
from motions import load as load_motions

#: Of every debater in an essay contest, unless it is said otherwise: with less, a participant's
#: essays on one proposition are near-copies (Debate-to-Write has it so).
ESSAY_TEMPERATURE = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedConfig:
    """A tournament that could be played: its configuration and what it resolves to.

    Attributes:
        categories: that its motions may be of.
        languages: codes of those that it is played in.
        imported: True where its battles were imported: there is nothing to play.
    """

    config: Config
    participants: tuple[Participant, ...]
    benches: tuple[Bench, ...]
    motions: tuple[Motion, ...]
    categories: tuple[str, ...] = ("fact", "policy", "value")
    languages: tuple[str, ...] = ()
    imported: bool = False

    @property
    def name(self) -> str:
        """The tournament's name, which is its identity."""
        return self.config.tournament.name

    def require_speeches(self) -> None:
        """See that there is something to judge.

        Raises:
            ConfigError: its battles were imported, without what was said.
        """
        if self.imported:
            raise ConfigError(
                f"tournament {self.name!r} is of imported battles, and what was said in them is "
                "not known, so nobody can judge them. Name a tournament that was played: arena list"
            )

    @property
    def models(self) -> list[str]:
        """The names of all models that debate or judge, sorted."""
        named = {one.model for one in self.participants} | {one.model for one in self.benches}
        if self.imported:
            return sorted(named)
        for one in self.participants:
            named.update(models_of(one))
        for bench in self.benches:
            named.update(judge_models(bench.judge, bench.options))
        return sorted(named - {""})

    @property
    def simulated(self) -> bool:
        """Whether a simulated model debates or judges."""
        return any(model.startswith(OFFLINE) for model in self.models)

    @property
    def people_benches(self) -> tuple[Bench, ...]:
        """The benches whose judges are people."""
        return tuple(
            bench
            for bench in self.benches
            if bench.judge != IMPORTED and judge_class(bench.judge).by_people
        )

    @property
    def config_hash(self) -> str:
        """Identity of the resolved configuration."""
        return digest(self.config.model_dump(mode="json"))


def resolve(
    config: Config, *, where: str, motions: Sequence[Motion] | None = None
) -> ResolvedConfig:
    """Look up everything that a configuration names.

    Args:
        config: as it was read.
        where: its file, for messages.
        motions: those of a stored tournament, which needs no motion file any more.

    Raises:
        ConfigError: an unknown debater, judge, option, model address or motion set.
    """
    config = name_models(config, where=where)
    essay = config.tournament.contest == "essay"
    participants = tuple(
        _participant(one, config.sampling, f"{where}: participants[{n}]", essay=essay)
        for n, one in enumerate(config.participants, start=1)
    )
    benches = tuple(
        _bench(one, f"{where}: benches[{n}]") for n, one in enumerate(config.benches, start=1)
    )
    _check_contest(config, where)
    chosen = tuple(motions) if motions is not None else select_motions(config, where=where)
    return ResolvedConfig(
        config=config,
        participants=participants,
        benches=benches,
        motions=chosen,
        languages=tuple(config.tournament.languages),
    )


def select_motions(config: Config, *, where: str) -> tuple[Motion, ...]:
    """The motions of the configured set, in the configured categories and languages.

    Raises:
        ConfigError: no such set, or none of its motions is left, or one lacks a language.
    """
    section = config.tournament
    asked = section.contest == "question"
    try:
        found = (load_questions if asked else load_motions)(section.motions).motions
    except MotionError as error:
        raise ConfigError(f"{where}: tournament.motions: {error}") from None
    chosen = tuple(one for one in found if asked or one.category in section.categories)
    for code in section.languages:
        _spoken(chosen, code, section.motions, where=where)
    if not chosen:
        raise ConfigError(
            f"{where}: tournament.categories: none of the {len(found)} motions of "
            f"{section.motions!r} is of {', '.join(section.categories)}. Choose other categories."
        )
    return _first(chosen, section.most_motions) if section.most_motions else chosen


def _first(motions: Sequence[Motion], most: int) -> tuple[Motion, ...]:
    """The first `most` motions, categories in turn; of a larger number they are a part."""
    by_category: dict[str, list[Motion]] = {}
    for one in motions:
        by_category.setdefault(one.category, []).append(one)
    turns = chain.from_iterable(zip_longest(*by_category.values()))
    return tuple(islice((one for one in turns if one), most))


def _spoken(motions: Sequence[Motion], code: str, source: str, *, where: str) -> None:
    lacking = [one.motion_id for one in motions if code not in one.wordings]
    if lacking:
        shown = ", ".join(lacking[:3]) + (", …" if len(lacking) > 3 else "")
        raise ConfigError(
            f"{where}: tournament.languages: {len(lacking)} of {len(motions)} motions of "
            f"{source!r} have no text in {code!r}: {shown}. Add it (the lines are listed by "
            f"`arena motions check {source} --language {code}`), or leave the language out."
        )


def _participant(
    section: ParticipantSection, contest: SamplingSection, where: str, *, essay: bool
) -> Participant:
    framework = debater_class(section.debater, where=f"{where}.debater")
    default = replace(framework.sampling, temperature=ESSAY_TEMPERATURE)
    options = _options(framework.Options, section.options, f"{where}.options")
    if section.model and not framework.needs_model:
        raise ConfigError(f"{where}.model: {section.debater!r} speaks without one. Leave it out.")
    for model in further_models(section.debater, options):
        further_model(model, section.model, f"{where}.options")
    return Participant(
        name=section.name,
        debater=section.debater,
        model=provided(section.model, where=f"{where}.model") if framework.needs_model else "",
        options=options,
        sampling=_sampling(default if essay else framework.sampling, contest, section.sampling),
    )


def _bench(section: BenchSection, where: str) -> Bench:
    method = judge_class(section.judge, where=f"{where}.judge")
    model = provided(section.model, where=f"{where}.model") if method.needs_model else ""
    if section.model and not method.needs_model:
        raise ConfigError(f"{where}.model: {section.judge!r} asks none. Leave it out.")
    if section.runs > 1 and not (method.needs_model or method.by_people):
        raise ConfigError(
            f"{where}.runs: {section.judge!r} says the same each time. Write runs = 1."
        )
    options = _options(method.Options, section.options, f"{where}.options")
    others = judge_models(section.judge, options)
    for further in others:
        provided(further, where=f"{where}.options")
    return Bench(
        name=section.name,
        judge=section.judge,
        model=model,
        runs=section.runs,
        options=options,
        sampling=_sampling(method.sampling, section.sampling),
        family=section.family or family_of_all([model, *others]),
        swap=section.swap,
    )


def _check_contest(config: Config, where: str) -> None:
    """See that everybody can do what the tournament is about.

    Raises:
        ConfigError: a debater or a judge cannot.
    """
    contest = config.tournament.contest
    taking: list[tuple[str, str, tuple[str, ...]]] = [
        (f"participants[{n}].debater", one.debater, debater_class(one.debater).contests)
        for n, one in enumerate(config.participants, start=1)
    ]
    taking += [
        (f"benches[{n}].judge", one.judge, _judged(one))
        for n, one in enumerate(config.benches, start=1)
    ]
    for place, name, contests in taking:
        if contest not in contests:
            kind: Literal["debaters", "judges"] = "debaters" if "debater" in place else "judges"
            raise ConfigError(
                f"{where}: {place}: {name!r} takes part in the contest {', '.join(contests)}, not "
                f"in {contest!r}. Accepted here: {', '.join(able(kind, contest))}. "
                "Choose one of these, or set tournament.contest."
            )
    for n, bench in enumerate(config.benches, start=1):
        if bench.swap and contest != "essay":
            raise ConfigError(
                f"{where}: benches[{n}].swap: only a pair of essays can be judged in both orders; "
                f'the order of a {contest} belongs to it. Leave it out (contest = "essay" has it).'
            )
        if bench.swap and judge_class(bench.judge).by_people:
            raise ConfigError(
                f"{where}: benches[{n}].swap: nobody votes on the same pair twice. Leave it out; "
                "the two legs change who is Answer A."
            )


def _judged(bench: BenchSection) -> tuple[str, ...]:
    return judge_class(bench.judge).takes(judge_options(bench.judge, bench.options))


def _options(form: type[BaseModel], given: Mapping[str, Any], where: str) -> dict[str, Any]:
    try:
        return form.model_validate(dict(given)).model_dump(mode="json")
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        accepted = ", ".join(form.model_fields) or "none"
        problem = "unknown option" if first["type"] == "extra_forbidden" else fault(first)
        raise ConfigError(
            f"{where}{'.' if place else ''}{place}: {problem}. Options: {accepted}."
        ) from None


def _sampling(default: Sampling, *sections: SamplingSection) -> Sampling:
    chosen = default
    for section in sections:
        chosen = replace(chosen, **section.model_dump(exclude_none=True))
    return chosen
