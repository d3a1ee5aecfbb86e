"""Figures as cells of tables."""

from __future__ import annotations

from math import isnan

from judges.studies.agreement.statistics import Measured

#: What nothing defines.
UNKNOWN = "-"
#: The least p that is told.
_LEAST = 0.0001


def value(figure: Measured) -> str:
    """A figure alone."""
    return number(figure.value, ".2f")


def interval(figure: Measured) -> str:
    """A figure with its interval."""
    return with_ends(figure, 1, ".2f")


def percent(figure: Measured) -> str:
    """A share in percent, with its interval."""
    return with_ends(figure, 100, ".0f")


def with_ends(figure: Measured, scale: float, form: str) -> str:
    """A figure with its interval, so many times as large, in a form."""
    if isnan(figure.value):
        return UNKNOWN
    said = f"{scale * figure.value:{form}}"
    ends = [f"{scale * end:{form}}" for end in (figure.lower, figure.upper)]
    return said if isnan(figure.lower) else f"{said} [{', '.join(ends)}]"


def p_value(known: float) -> str:
    """The p of a test."""
    return number(known, ".4f") if not known < _LEAST else f"<{_LEAST}"


def number(known: float, form: str) -> str:
    """A number in a form, or that nothing defines it."""
    return UNKNOWN if isnan(known) else f"{known:{form}}"
