"""One motion as it stands in a file: what every file format is read into."""

from collections.abc import Callable
from dataclasses import dataclass

from motions.errors import Fault

#: Where a value stands within a motion: keys, and places in lists from 0.
FieldPath = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One motion, not yet checked.

    Attributes:
        file: The file's path, for messages.
        fields: The unchecked content.
        line_of: The line of a field; of what is missing, the line of what should hold it.
    """

    file: str
    fields: object
    line_of: Callable[[FieldPath], int]

    def fault(self, path: FieldPath, problem: str) -> Fault:
        """What is wrong with one field, or with the whole motion where the path is empty."""
        given = self.fields.get("id") if isinstance(self.fields, dict) else None
        return Fault(
            file=self.file,
            line=self.line_of(path),
            motion=given if isinstance(given, str) else "",
            field=field_name(path),
            problem=problem,
        )


def field_name(path: FieldPath) -> str:
    """A field's name as users write and read it: places in lists count from 1.

    >>> field_name(("en", "pro", 0, "claim"))
    'en.pro.1.claim'
    """
    return ".".join(str(part + 1) if isinstance(part, int) else part for part in path)
