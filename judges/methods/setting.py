"""What prompts of all judges show of a debate, or of the task of a pair; and forms for pairs."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, WithJsonSchema

from arena.judge import Hearing
from arena.prompts import Prompts, quote
from arena.records import Speech

_PROMPTS = files("judges") / "prompts"
#: The prompts for pairs of answers; True: in other words.
_PAIRS: Mapping[bool, Prompts] = {
    False: Prompts(_PROMPTS / "answers"),
    True: Prompts(_PROMPTS / "answers_reworded"),
}
#: The most words of reasons that a prompt asks for before its verdict.
REASON_WORDS = 300


def pair_prompts(hearing: Hearing) -> Prompts:
    """Return the prompts for pairs of answers, in the wording that the hearing asks for."""
    return _PAIRS[hearing.reworded]


def setting_variables(hearing: Hearing) -> dict[str, str]:
    """Return the motion, its background, and the number of speeches, as variables of a prompt.

    The motion of a pair is its task: it may come from a stranger's file, so it is quoted.
    """
    if hearing.pair:
        task = quote(hearing.language.terms["task"], hearing.motion)
        return {"motion": task, "info_slide": _background(hearing)}
    return {
        "motion": hearing.motion,
        "info_slide": _background(hearing),
        "speeches": str(len(hearing.speeches)),
    }


def speaker_label(hearing: Hearing, speech: Speech) -> str:
    """Return a speech's side and stage, or an answer's letter, in the debate's language."""
    language = hearing.language
    if hearing.pair:
        return language.sides[speech.side]
    return f"{language.sides[speech.side]}, {language.stages[speech.stage]}"


def _background(hearing: Hearing) -> str:
    return hearing.info_slide or hearing.language.terms["no_slide"]


_LETTERS = {"pro": "a", "con": "b"}
_SIDES = {"A": "Pro", "B": "Con", "tie": "tie"}


def pair_alias(field: str) -> str:
    """Return the name in a pair's form of a field of a debate's form.

    >>> pair_alias("pro"), pair_alias("con_mark"), pair_alias("judgement")
    ('a', 'b_mark', 'judgement')
    """
    side, line, rest = field.partition("_")
    return f"{_LETTERS.get(side, side)}{line}{rest}"


def _side_of(value: object) -> object:
    """Return the side that a letter stands for; None for anything else, which is then invalid."""
    return _SIDES.get(value) if isinstance(value, str) else None


#: The configuration of a form's variant for pairs.
PAIRED = ConfigDict(alias_generator=pair_alias)
#: The winner of a pair: the model writes A or B, the form has the side that it stands for.
Better = Annotated[
    Literal["Pro", "Con"],
    BeforeValidator(_side_of),
    WithJsonSchema({"enum": ["A", "B"], "type": "string"}),
]
BetterOrTie = Annotated[
    Literal["Pro", "Con", "tie"],
    BeforeValidator(_side_of),
    WithJsonSchema({"enum": ["A", "B", "tie"], "type": "string"}),
]
