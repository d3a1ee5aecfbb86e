"""The words for a pair of answers to one task, which has no sides and no speeches."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from importlib.resources import files

from arena.languages.language import FILES, LANGUAGES, Language


def _paired(language: Language) -> Language:
    text = (files("arena.languages") / FILES[language.code]).read_text("utf-8")
    pair = tomllib.loads(text)["pair"]
    return replace(language, sides=pair["sides"], terms={**language.terms, **pair["terms"]})


_PAIRED = {code: _paired(language) for code, language in LANGUAGES.items()}


def of_pairs(language: Language) -> Language:
    """Replace a language's words for the sides and for a speech by those of a pair of answers."""
    return _PAIRED[language.code]


def task_of(language: Language, contest: str, motion: str) -> str:
    """Word what is to be done in a contest: the motion itself, or the essay that it asks for.

    Args:
        language: a language with the words of the contest.
        contest: the tournament's.
        motion: its text, or the question's.
    """
    return language.terms["refute"].format(motion) if contest == "essay" else motion


def of_contest(language: Language, contest: str | None) -> Language:
    """Choose the words of a contest: those of pairs unless it is a debate."""
    return language if contest in (None, "debate") else of_pairs(language)
