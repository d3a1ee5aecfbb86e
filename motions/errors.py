"""The one error of this package."""


class MotionError(Exception):
    """A motion or a motion set cannot be used.

    The message says what is wrong and where, what was given, what is accepted and what to do.
    """
