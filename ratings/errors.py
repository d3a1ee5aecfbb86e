"""The errors of this package.

RatingError                  everything below; catch this one
├── InvalidComparisons       the comparisons are malformed: names the row, the value, the choices
├── InvalidSetting           another argument (penalty, anchor, rounds, level) is not acceptable
├── NotIdentified            no finite maximum exists: names the participants
└── NotConverged             the solver stopped before it reached the maximum
"""


class RatingError(Exception):
    """Ratings could not be computed; the message says why and what to do."""


class InvalidComparisons(RatingError):
    """A comparison, or the list of participants, is malformed."""


class InvalidSetting(RatingError):
    """An argument other than the comparisons is outside of what is accepted."""


class NotIdentified(RatingError):
    """The likelihood has no finite maximum and there is no penalty to give it one."""


class NotConverged(RatingError):
    """The solver used up its iterations."""
