"""Resolving a configuration: the names in it become participants, benches and motions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, zip_longest
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from arena.config.load import format_problem
from arena.config.model_names import check_further_model, check_model_name, fill_in_model_names
from arena.config.sections import BenchSection, Config, ParticipantSection, SamplingSection
from arena.errors import ConfigError
from arena.languages import Contest
from arena.plugins import (
    debater_class,
    debater_models,
    inspect_judge,
    judge_class,
    judge_models,
    judge_options,
    model_families,
    names_for_contest,
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
from arena.text import counted
from motions import Motion, MotionError, load_questions
from motions import load as load_motions

#: The default temperature of all debaters in an essay contest, as in Debate-to-Write: with less,
#: a participant's essays on one proposition are near-copies of each other.
ESSAY_TEMPERATURE = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedConfig:
    """A tournament's configuration with the participants, benches and motions that it names.

    Attributes:
        categories: the categories that its motions may have.
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


def bench_models(bench: Bench) -> list[str]:
    """Return the names of the models that a bench asks; none where people vote."""
    return [name for name in (bench.model, *judge_models(bench.judge, bench.options)) if name]


def resolve(
    config: Config, *, where: str, motions: Sequence[Motion] | None = None
) -> ResolvedConfig:
    """Look up everything that a configuration names.

    Args:
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
    default = framework.sampling
    if essay:
        default = replace(default, temperature=ESSAY_TEMPERATURE)
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
    for further in debater_models(section.debater, options):
        check_further_model(further, section.model, f"{where}.options")
    if framework.needs_model:
        check_model_name(section.model, where=f"{where}.model")
    return Participant(
        name=section.name,
        debater=section.debater,
        model=section.model,
        options=options,
        sampling=_sampling(default, contest, section.sampling),
    )


def _bench(section: BenchSection, contest: Contest, where: str) -> Bench:
    method = judge_class(section.judge, where=f"{where}.judge")
    if method.needs_model:
        check_model_name(section.model, where=f"{where}.model")
    elif section.model:
        raise ConfigError(
            f"{where}.model: the judge {section.judge!r} uses no model. Remove the key."
        )
    if section.runs > 1 and not (method.needs_model or method.by_people):
        raise ConfigError(
            f"{where}.runs: the judge {section.judge!r} gives the same verdict in every run. "
            "Write runs = 1."
        )
    options = method.fit_options(section.options, contest)
    options = _options(method.Options, options, f"{where}.options")
    if section.count == "ballots" and inspect_judge(section.judge, options).by_majority:
        raise ConfigError(
            f"{where}.count: ballots cannot count one by one where the majority of them decides a "
            "debate. Remove `count`, or the option `majority`."
        )
    further = judge_models(section.judge, options)
    for name in further:
        check_model_name(name, where=f"{where}.options")
    return Bench(
        name=section.name,
        judge=section.judge,
        model=section.model,
        runs=section.runs,
        options=options,
        sampling=_sampling(method.sampling, section.sampling),
        family=section.family or common_family([section.model, *further]),
        swap=section.swap,
        count=section.count or "debates",
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
    changes: dict[str, Any] = {}
    for section in sections:
        changes |= section.model_dump(exclude_none=True)
    return replace(default, **changes)


def check_contest(config: Config, where: str) -> None:
    """Check that all debaters and judges fit the contest, and who judges in both orders."""
    contest = config.tournament.contest
    for number, entry in enumerate(config.participants, start=1):
        contests = debater_class(entry.debater).contests
        place = f"{where}: participants[{number}].debater"
        _check_fit(contest, contests, entry.debater, "debaters", place)
    for number, bench in enumerate(config.benches, start=1):
        method = judge_class(bench.judge)
        options = method.fit_options(bench.options, contest)
        contests = method.takes(judge_options(bench.judge, options))
        _check_fit(contest, contests, bench.judge, "judges", f"{where}: benches[{number}].judge")
    for number, bench in enumerate(config.benches, start=1):
        _check_swap(contest, bench, f"{where}: benches[{number}].swap")


def _check_fit(
    contest: Contest,
    contests: tuple[str, ...],
    name: str,
    kind: Literal["debaters", "judges"],
    where: str,
) -> None:
    if contest not in contests:
        raise ConfigError(
            f"{where}: {name!r} does not support contest = {contest!r}, only "
            f"{', '.join(map(repr, contests)) or 'none'}. Accepted here: "
            f"{', '.join(names_for_contest(kind, contest))}. Choose one of these, or change "
            "tournament.contest."
        )


def _check_swap(contest: Contest, bench: BenchSection, where: str) -> None:
    if bench.swap and contest != "essay":
        raise ConfigError(
            f'{where}: only pairs of essays (contest = "essay") can be judged in both orders, not '
            f"those of a {contest}. Remove the key."
        )
    if bench.swap and judge_class(bench.judge).by_people:
        raise ConfigError(
            f"{where}: people vote on each pair once, so they cannot judge both orders. Remove the "
            "key; the two legs already exchange Answer A and Answer B."
        )


def select_motions(config: Config, *, where: str) -> tuple[Motion, ...]:
    """Return the motions of the configured set in the configured categories and languages.

    Raises:
        ConfigError: there is no such set, none of its motions is left, or one lacks a language.
    """
    section = config.tournament
    is_question = section.contest == "question"
    try:
        loaded = (load_questions if is_question else load_motions)(section.motions).motions
    except MotionError as error:
        raise ConfigError(f"{where}: tournament.motions: {error}") from None
    selected = tuple(
        motion for motion in loaded if is_question or motion.category in section.categories
    )
    for code in section.languages:
        lacking = [motion.motion_id for motion in selected if code not in motion.wordings]
        if lacking:
            listed = ", ".join(lacking[:3]) + (", …" if len(lacking) > 3 else "")
            raise ConfigError(
                f"{where}: tournament.languages: {len(lacking)} of "
                f"{counted(len(selected), 'motion')} of {section.motions!r} have no text in "
                f"{code!r}: {listed}. Add the texts (the motions are listed by `arena motions "
                f"check {section.motions} --language {code}`), or leave the language out."
            )
    if not selected:
        raise ConfigError(
            f"{where}: tournament.categories: no motion of {section.motions!r} "
            f"({counted(len(loaded), 'motion')}) is in the category "
            f"{', '.join(section.categories)}. Choose other categories."
        )
    if section.most_motions is None:
        return selected
    # The first ones, taken from the categories in turn.
    by_category: dict[str, list[Motion]] = {}
    for motion in selected:
        by_category.setdefault(motion.category, []).append(motion)
    in_turn = chain.from_iterable(zip_longest(*by_category.values()))
    return tuple(islice(filter(None, in_turn), section.most_motions))


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
