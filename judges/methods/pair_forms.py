"""Forms for pairs of answers, in which the sides are called a and b instead of pro and con."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, WithJsonSchema

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
