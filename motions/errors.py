"""The error of this package, and the faults of motion files that it lists."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One fault of a motion file.

    Attributes:
        file: The file's path.
        line: Counted from 1; 0 where the fault has no line.
        motion: The id that the motion has in the file, or "".
        field: The field, named as in the file, for example "en.pro.1.claim", or "".
        problem: What is wrong, what was given, what is accepted and what to do.
    """

    file: str
    problem: str
    line: int = 0
    motion: str = ""
    field: str = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}"

    @property
    def place(self) -> str:
        """The file, line, motion and field, as far as they are known."""
        parts = (
            self.file,
            self.line and f"line {self.line}",
            self.motion and f"motion {self.motion}",
            self.field and f"field {self.field}",
        )
        return ", ".join(str(part) for part in parts if part)


class MotionError(Exception):
    """A motion or a motion set cannot be used.

    The message says what is wrong and where, what was given, what is accepted and what to do.

    Attributes:
        faults: All faults of the files, in their order; empty where the error is not in a file.
    """

    def __init__(self, message: str, faults: Sequence[Fault] = ()) -> None:
        super().__init__(message)
        self.faults = tuple(faults)

    @classmethod
    def of(cls, faults: Sequence[Fault]) -> "MotionError":
        """Return the error of one or more faults; its message has the first, and their number."""
        more = f" ({len(faults) - 1} more: `arena motions check` lists them.)"
        return cls(f"{faults[0]}{more if len(faults) > 1 else ''}", faults)
