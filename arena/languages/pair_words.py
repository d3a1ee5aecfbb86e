"""The words for a pair of answers to one task, instead of the sides and speeches of a debate."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from importlib.resources import files

from arena.languages.language import FILES, LANGUAGES, Language


def _read_pair_language(language: Language) -> Language:
    text = (files("arena.languages") / FILES[language.code]).read_text("utf-8")
    words = tomllib.loads(text)["pair"]
    return replace(
        language,
        sides=words["sides"],
        marks=words["marks"],
        terms={**language.terms, **words["terms"]},
    )


_PAIR_LANGUAGES = {code: _read_pair_language(language) for code, language in LANGUAGES.items()}


def pair_language(language: Language) -> Language:
    """Return a language with the words for a pair of answers instead of sides and speeches."""
    return _PAIR_LANGUAGES[language.code]


def task_text(language: Language, contest: str, motion: str) -> str:
    """Return the task of a contest in words: the motion itself, or the essay that refutes it.

    Args:
        language: a language with the words of the contest.
        contest: the tournament's contest.
        motion: the text of the motion or the question.
    """
    return language.terms["refute"].format(motion) if contest == "essay" else motion


def contest_language(language: Language, contest: str | None) -> Language:
    """Return a language with the words of a contest: those of pairs unless it is a debate."""
    return language if contest in (None, "debate") else pair_language(language)
