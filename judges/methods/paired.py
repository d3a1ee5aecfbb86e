"""Forms for pairs of answers: what a debate's form calls pro and con is called a and b."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, WithJsonSchema

_LETTERS = {"pro": "a", "con": "b"}
_SIDES = {"A": "Pro", "B": "Con", "tie": "tie"}


def letter(field: str) -> str:
    """A field of a debate's form as a pair's form calls it.

    >>> letter("pro"), letter("con_mark"), letter("judgement")
    ('a', 'b_mark', 'judgement')
    """
    side, line, rest = field.partition("_")
    return f"{_LETTERS.get(side, side)}{line}{rest}"


def _side(value: object) -> object:
    return _SIDES.get(value) if isinstance(value, str) else None


#: The configuration of a form's variant for pairs.
PAIRED = ConfigDict(alias_generator=letter)
#: The winner of a pair: the model writes A or B, the form holds the side that it stands for.
Better = Annotated[
    Literal["Pro", "Con"],
    BeforeValidator(_side),
    WithJsonSchema({"enum": ["A", "B"], "type": "string"}),
]
BetterOrTie = Annotated[
    Literal["Pro", "Con", "tie"],
    BeforeValidator(_side),
    WithJsonSchema({"enum": ["A", "B", "tie"], "type": "string"}),
]
