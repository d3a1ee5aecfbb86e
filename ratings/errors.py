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


def check_resampling(rounds: int, seed: int, level: float = 0.95) -> None:
    """Check the settings of a resampling.

    Raises:
        InvalidSetting: one is not acceptable.
    """
    if rounds < 1:
        raise InvalidSetting(f"rounds is {rounds}; accepted: 1 or more")
    if seed < 0:
        raise InvalidSetting(f"seed is {seed}; accepted: 0 or more")
    if not 0 < level < 1:
        raise InvalidSetting(f"level is {level}; accepted: between 0 and 1, for example 0.95")
