"""Selection of a tournament's motions from the configured set."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice, zip_longest

from arena.config.sections import Config
from arena.errors import ConfigError
from arena.text import counted
from motions import Motion, MotionError, load_questions
from motions import load as load_motions


def select_motions(config: Config, *, where: str) -> tuple[Motion, ...]:
    """Return the motions of the configured set in the configured categories and languages.

    Args:
        config: names the set, a file or a shipped one.
        where: the configuration's file, for messages.

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
        _check_language(selected, code, section.motions, where=where)
    if not selected:
        raise ConfigError(
            f"{where}: tournament.categories: no motion of {section.motions!r} "
            f"({counted(len(loaded), 'motion')}) is in the category "
            f"{', '.join(section.categories)}. Choose other categories."
        )
    return _first(selected, section.most_motions) if section.most_motions else selected


def _first(motions: Sequence[Motion], most: int) -> tuple[Motion, ...]:
    """Return at most `most` motions, taken from the categories in turn.

    The motions for a smaller number are the first of those for a larger one.
    """
    by_category: dict[str, list[Motion]] = {}
    for motion in motions:
        by_category.setdefault(motion.category, []).append(motion)
    in_turn = chain.from_iterable(zip_longest(*by_category.values()))
    return tuple(islice((motion for motion in in_turn if motion), most))


def _check_language(motions: Sequence[Motion], code: str, source: str, *, where: str) -> None:
    lacking = [motion.motion_id for motion in motions if code not in motion.wordings]
    if lacking:
        listed = ", ".join(lacking[:3]) + (", …" if len(lacking) > 3 else "")
        raise ConfigError(
            f"{where}: tournament.languages: {len(lacking)} of {counted(len(motions), 'motion')} "
            f"of {source!r} have no text in {code!r}: {listed}. Add the texts (the motions are "
            f"listed by `arena motions check {source} --language {code}`), or leave the language "
            "out."
        )
