"""Errors of the package.

RatingError                  the base of all of them
├── InvalidComparisons       the comparisons are malformed: names the row, the value, the choices
├── InvalidSetting           another argument (penalty, anchor, rounds, level) is not acceptable
├── NotIdentified            no finite maximum exists: names the participants
└── NotConverged             the solver stopped before it reached the maximum
"""


class RatingError(Exception):
    """The base of the package's errors; the message says what is wrong and what to do."""


class InvalidComparisons(RatingError):
    """A comparison, or the list of participants, is malformed."""


class InvalidSetting(RatingError):
    """An argument other than the comparisons is outside of what is accepted."""


class NotIdentified(RatingError):
    """The likelihood has no finite maximum, and no penalty makes it finite."""


class NotConverged(RatingError):
    """The solver did not reach the maximum."""
