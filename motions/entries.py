"""The entries of a motion file: unchecked motions, the same for every file format."""

from collections.abc import Callable
from dataclasses import dataclass

from motions.errors import Fault

#: The place of a value within a motion: keys, and positions in lists from 0.
FieldPath = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One motion of a file, not yet checked.

    Attributes:
        file: The file's path, for messages.
        fields: The unchecked content.
        line_of: Returns the line of a field; for a missing field, the line of the table or list
            that should hold it.
    """

    file: str
    fields: object
    line_of: Callable[[FieldPath], int]

    def fault(self, path: FieldPath, problem: str) -> Fault:
        """Return a fault of one field, or of the whole motion where the path is empty."""
        motion = self.fields.get("id") if isinstance(self.fields, dict) else None
        return Fault(
            file=self.file,
            line=self.line_of(path),
            motion=motion if isinstance(motion, str) else "",
            field=field_name(path),
            problem=problem,
        )


def field_name(path: FieldPath) -> str:
    """Return the name of a field as users write and read it: positions in lists count from 1.

    >>> field_name(("en", "pro", 0, "claim"))
    'en.pro.1.claim'
    """
    return ".".join(str(part + 1) if isinstance(part, int) else part for part in path)
