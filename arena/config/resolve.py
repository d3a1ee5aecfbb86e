"""Resolving a configuration: the names in it become participants, benches and motions."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, islice, zip_longest
from typing import Literal

from arena.config.load import lacks_schedule, parse_file
from arena.config.model_names import (
    check_further_model,
    check_model_name,
    check_model_tables,
    fill_in_model_names,
    is_placeholder,
)
from arena.config.resolved import Place, ResolvedConfig, bench_of, participant_of
from arena.config.sections import BenchSection, Config, ParticipantSection, SamplingSection
from arena.config.stored import parse_stored
from arena.errors import ConfigError
from arena.languages import Contest
from arena.plugins import (
    debater_class,
    debater_models,
    inspect_judge,
    judge_class,
    judge_models,
    judge_options,
    names_for_contest,
)
from arena.records import Bench, Participant
from arena.store.database import Store
from arena.store.rows import read_configs
from arena.text import counted
from motions import Motion, MotionError, load_questions
from motions import load as load_motions


def resolve(
    config: Config, *, where: str, text: str = "", motions: Sequence[Motion] | None = None
) -> ResolvedConfig:
    """Look up everything that a configuration names.

    Args:
        text: of its file, for the lines of faults; '' where there is none.
        motions: a stored tournament's own, which replace the motion file; None to read the file.

    Raises:
        ConfigError: an unknown debater, judge, option, model address or motion set.
    """
    config = fill_in_model_names(config, where=where)
    essay = config.tournament.contest == "essay"
    file = Place(where, text)
    participants = tuple(
        _participant(section, config.sampling, file / "participants" / number, essay=essay)
        for number, section in enumerate(config.participants)
    )
    benches = tuple(
        _bench(section, config.tournament.contest, file / "benches" / number)
        for number, section in enumerate(config.benches)
    )
    _check_contest(config, file)
    if motions is None:
        motions = _select_motions(config, file / "tournament")
    return ResolvedConfig(
        config=config,
        participants=participants,
        benches=benches,
        motions=tuple(motions),
        languages=tuple(config.tournament.languages),
        where=where,
    )


def check_names(text: str, *, where: str) -> None:
    """Check a file and what its participants, benches and motions name; no server is asked.

    Raises:
        ConfigError: as `parse_file` and `resolve` say.
    """
    config = parse_file(text, where=where)
    models = [each.model for each in config.participants]
    models += [bench.model for bench in config.benches]
    if not any(map(is_placeholder, models)):  # whose names a server tells
        resolve(config, where=where, text=text)


def resolve_to_play(text: str, store: Store, *, where: str) -> ResolvedConfig:
    """Resolve the text of a file as it will be played.

    Where it lacks a schedule, a stored tournament of its name keeps its own, and the target too.
    """
    resolved = resolve(parse_file(text, where=where), where=where, text=text)
    check_model_tables(resolved.config, where=where)
    if not lacks_schedule(tomllib.loads(text)) or store.empty():
        return resolved
    known = read_configs(store).get(resolved.name)
    if known is None or "source" in (content := json.loads(known)):
        return resolved
    stored = parse_stored(content, where=f"tournament {resolved.name!r}")
    kept = {"schedule": stored.schedule, "target": stored.target}
    return replace(resolved, config=resolved.config.model_copy(update=kept))


def _participant(
    section: ParticipantSection, contest: SamplingSection, where: Place, *, essay: bool
) -> Participant:
    framework = debater_class(section.debater, where=str(where / "debater"))
    participant = participant_of(section, contest, where, essay=essay)
    if section.model and not framework.needs_model:
        raise ConfigError(
            f"{where / 'model'}: the debater {section.debater!r} uses no model. Remove the key."
        )
    if section.speakers and framework.needs_model:
        raise ConfigError(
            f"{where / 'speakers'}: the debater {section.debater!r} is no person. Remove the key, "
            'or write debater = "human".'
        )
    for further in debater_models(section.debater, participant.options):
        check_further_model(further, section.model, str(where / "options"))
    if framework.needs_model:
        check_model_name(section.model, where=str(where / "model"))
    return participant


def _bench(section: BenchSection, contest: Contest, where: Place) -> Bench:
    method = judge_class(section.judge, where=str(where / "judge"))
    if method.needs_model:
        check_model_name(section.model, where=str(where / "model"))
    elif section.model:
        raise ConfigError(
            f"{where / 'model'}: the judge {section.judge!r} uses no model. Remove the key."
        )
    if section.runs > 1 and not (method.needs_model or method.by_people):
        raise ConfigError(
            f"{where / 'runs'}: the judge {section.judge!r} gives the same verdict in every run. "
            "Write runs = 1."
        )
    bench = bench_of(section, contest, where)
    if section.count == "ballots" and inspect_judge(section.judge, bench.options).by_majority:
        raise ConfigError(
            f"{where / 'count'}: ballots cannot count one by one where their majority decides a "
            "debate. Remove `count`, or the option `majority`."
        )
    for name in judge_models(section.judge, bench.options):
        check_model_name(name, where=str(where / "options"))
    return bench


def _check_contest(config: Config, where: Place) -> None:
    """Check that all debaters and judges fit the contest, and who judges in both orders."""
    contest = config.tournament.contest
    for number, entry in enumerate(config.participants):
        contests = debater_class(entry.debater).contests
        place = where / "participants" / number / "debater"
        _check_fit(contest, contests, entry.debater, "debaters", place)
    for number, bench in enumerate(config.benches):
        method = judge_class(bench.judge)
        options = method.fit_options(bench.options, contest)
        contests = method.takes(judge_options(bench.judge, options))
        place = where / "benches" / number
        _check_fit(contest, contests, bench.judge, "judges", place / "judge")
        _check_swap(contest, bench, place / "swap")


def _check_fit(
    contest: Contest,
    contests: tuple[str, ...],
    name: str,
    kind: Literal["debaters", "judges"],
    where: Place,
) -> None:
    if contest not in contests:
        raise ConfigError(
            f"{where}: {name!r} does not support contest = {contest!r}, only "
            f"{', '.join(map(repr, contests)) or 'none'}. Accepted here: "
            f"{', '.join(names_for_contest(kind, contest))}. Choose one of these, or change "
            "tournament.contest."
        )


def _check_swap(contest: Contest, bench: BenchSection, where: Place) -> None:
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


def _select_motions(config: Config, where: Place) -> tuple[Motion, ...]:
    """Return the motions of the configured set in the configured categories and languages.

    Raises:
        ConfigError: there is no such set, none of its motions is left, or one lacks a language.
    """
    section = config.tournament
    is_question = section.contest == "question"
    try:
        loaded = (load_questions if is_question else load_motions)(section.motions).motions
    except MotionError as error:
        raise ConfigError(f"{where / 'motions'}: {error}") from None
    selected = tuple(
        motion for motion in loaded if is_question or motion.category in section.categories
    )
    for code in section.languages:
        lacking = [motion.motion_id for motion in selected if code not in motion.wordings]
        if lacking:
            listed = ", ".join(lacking[:3]) + (", …" if len(lacking) > 3 else "")
            raise ConfigError(
                f"{where / 'languages'}: {len(lacking)} of "
                f"{counted(len(selected), 'motion')} of {section.motions!r} have no text in "
                f"{code!r}: {listed}. Add the texts (the motions are listed by `arena motions "
                f"check {section.motions} --language {code}`), or leave the language out."
            )
    if not selected:
        raise ConfigError(
            f"{where / 'categories'}: no motion of {section.motions!r} "
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
