"""File formats: from a file's text to one raw entry per motion, not yet checked."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from motions.errors import MotionError


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One motion as it stands in a file.

    Attributes:
        file: The file's path, for messages.
        number: Its place in the file, from 1.
        fields: The unchecked content.
    """

    file: str
    number: int
    fields: object


Parser = Callable[[str, str], list[Entry]]


def toml_entries(text: str, file: str) -> list[Entry]:
    """Reads the `[[motion]]` tables of a TOML text; `file` is named in messages.

    Raises:
        MotionError: The text is not TOML, or holds something other than `[[motion]]` tables.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise MotionError(f"{file} is not valid TOML: {error}. Correct that line.") from error
    _refuse_other_keys(document, file)
    tables = document.get("motion", [])
    if not isinstance(tables, list):
        raise MotionError(
            f"{file}: field 'motion' is one value or table; accepted is a list of tables. "
            "Write [[motion]], in double brackets, above each motion."
        )
    return [Entry(file=file, number=n, fields=table) for n, table in enumerate(tables, start=1)]


def _refuse_other_keys(document: Mapping[str, object], file: str) -> None:
    others = sorted(set(document) - {"motion"})
    if others:
        raise MotionError(
            f"{file}: unknown key {others[0]!r} at the top level; accepted: 'motion'. "
            "Remove it, or move it below the [[motion]] that it belongs to."
        )


FORMATS: Mapping[str, Parser] = {".toml": toml_entries}


def parser_for(suffix: str, file: str) -> Parser:
    """Returns the parser of a file name's suffix (with its dot, in any case).

    Raises:
        MotionError: No format has that suffix.
    """
    try:
        return FORMATS[suffix.lower()]
    except KeyError:
        raise MotionError(
            f"{file}: unknown motion file format {suffix!r}; accepted: {', '.join(FORMATS)}. "
            "Convert the file, or correct its suffix."
        ) from None
