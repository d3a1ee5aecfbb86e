"""Numbers formatted as cells of tables."""

from __future__ import annotations

from math import isnan

from judges.studies.statistics.estimates import Estimate

#: The cell of an undefined number.
UNDEFINED = "-"
#: A smaller p is shown as smaller than this.
_LEAST_P = 0.0001


def format_value(estimate: Estimate) -> str:
    """Format an estimate without its interval."""
    return format_number(estimate.value, ".2f")


def format_interval(estimate: Estimate) -> str:
    """Format an estimate with its interval."""
    return format_scaled(estimate, 1, ".2f")


def format_percent(estimate: Estimate) -> str:
    """Format a share in percent, with its interval."""
    return format_scaled(estimate, 100, ".0f")


def format_scaled(estimate: Estimate, scale: float, form: str) -> str:
    """Format an estimate and its interval, both multiplied by `scale`, in a number format."""
    if isnan(estimate.value):
        return UNDEFINED
    value = f"{scale * estimate.value:{form}}"
    ends = [f"{scale * end:{form}}" for end in (estimate.lower, estimate.upper)]
    return value if isnan(estimate.lower) else f"{value} [{', '.join(ends)}]"


def format_p(p: float) -> str:
    """Format the p of a test."""
    return format_number(p, ".4f") if not p < _LEAST_P else f"<{_LEAST_P}"


def format_number(value: float, form: str) -> str:
    """Format a number in a number format; NaN as `UNDEFINED`."""
    return UNDEFINED if isnan(value) else f"{value:{form}}"
