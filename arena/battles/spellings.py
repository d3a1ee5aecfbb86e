"""Names that differ only in spelling: case, invisible characters, dashes or Unicode form."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

#: What has names, with the columns of checked rows that hold them.
_KINDS: Final = {
    "participants": ("first", "second"),
    "judges": ("judge",),
    "categories": ("category",),
    "languages": ("language",),
}
_DASHES: Final = re.compile("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spellings:
    """The spellings of what may be one name, in the order of the file.

    Attributes:
        kind: what has the name: participants, judges, categories or languages.
    """

    kind: str
    names: tuple[str, ...]

    @property
    def joined(self) -> str:
        """The name that stands for all: the first spelling without what is invisible in it."""
        return _clean(self.names[0])


def fold_name(name: str) -> str:
    """Return what the spellings of a name have in common.

    >>> fold_name("GPT\u20114\u200b"), fold_name("Tu\u0308lu") == fold_name("t\u00fclu")
    ('gpt-4', True)
    """
    folded = name if name.isascii() else unicodedata.normalize("NFKC", name)
    return _DASHES.sub("-", _clean(folded)).casefold()


def show_name(name: str) -> str:
    r"""Return a name in quotes, in which everything is visible that looks like something else.

    >>> print(show_name("gpt\u20114"), show_name("Tu\u0308lu"))
    'gpt\u20114' 'Tu\u0308lu'
    """
    return "'" + "".join(map(_show_character, name)) + "'"


def find_spellings(link: Any, rows: str) -> tuple[Spellings, ...]:  # noqa: ANN401 - a connection
    """Find the names of checked rows that differ only in how they are spelled."""
    found = []
    for kind, columns in _KINDS.items():
        each = " UNION ALL ".join(f"SELECT {column} AS name, row FROM {rows}" for column in columns)
        query = f"SELECT name FROM ({each}) GROUP BY name ORDER BY min(row), name"
        alike: defaultdict[str, list[str]] = defaultdict(list)
        for (name,) in link.execute(query).fetchall():
            alike[fold_name(str(name))].append(str(name))
        found += [Spellings(kind=kind, names=tuple(names)) for names in alike.values() if names[1:]]
    return tuple(found)


def join_spellings(link: Any, rows: str, spellings: Sequence[Spellings]) -> str:  # noqa: ANN401
    """Return the SQL of checked rows in which the spellings of a name are one."""
    replaced = []
    for kind, columns in _KINDS.items():
        names = {
            name: group.joined for group in spellings if group.kind == kind for name in group.names
        }
        if names:
            link.execute(f"SET VARIABLE {kind} = map($names, $joined)", {
                "names": list(names), "joined": list(names.values()),
            })  # fmt: skip
            replaced += [
                f"coalesce(getvariable('{kind}')[{column}], {column}) AS {column}"
                for column in columns
            ]
    return f"SELECT * REPLACE ({', '.join(replaced)}) FROM {rows}"


def _clean(name: str) -> str:
    """Return a name in one Unicode form, with plain single spaces and nothing invisible."""
    if not name.isascii():
        composed = unicodedata.normalize("NFC", name)
        name = "".join(part for part in composed if unicodedata.category(part) != "Cf")
    return " ".join(name.split())


def _show_character(character: str) -> str:
    hidden = character != " " and unicodedata.category(character)[0] in "CZM"
    if hidden or _DASHES.match(character):
        return ascii(character)[1:-1]
    return character
