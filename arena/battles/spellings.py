"""Names that differ only in spelling: case, dashes, what is invisible, letters that look alike."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

#: What has names, with the columns of checked rows that hold them.
_KINDS: Final = {
    "participants": ("first", "second"),
    "judges": ("judge",),
    "categories": ("category",),
    "languages": ("language",),
}
#: Signs that are written for a hyphen, as a regular expression.
DASHES: Final = "[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]"
#: What spellings of one name may differ in, for messages.
DIFFERENCES: Final = "case, blanks, dashes, invisible characters or letters that look alike"
#: The number of spellings of a name that are listed.
_SHOWN: Final = 5
_BETWEEN: Final = re.compile(r"[\s_-]+")
#: Cyrillic and Greek letters that are drawn as Latin ones (confusables of Unicode TS 39).
_ALIKE: Final = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u0501\u051b\u051d"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0405\u0406\u0408"
    "\u03b1\u03b9\u03bd\u03bf\u03c1\u03c5"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7",
    "aeopcyxsijhdqwABEKMHOPCTYXSIJaivopuABEZHIKMNOPTYX",
)


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
    >>> fold_name("gpt_4\u043e"), fold_name("GPT 4o ")
    ('gpt-4o', 'gpt-4o')
    """
    folded = _clean(name if name.isascii() else unicodedata.normalize("NFKC", name))
    return _BETWEEN.sub("-", re.sub(DASHES, "-", folded.translate(_ALIKE))).casefold()


def show_name(name: str) -> str:
    r"""Return a name in quotes, in which everything is visible that looks like something else.

    >>> print(show_name("gpt\u20114"), show_name("Tu\u0308lu"))
    'gpt\u20114' 'Tu\u0308lu'
    """
    seems = name.translate(_ALIKE)
    if seems.isascii():
        name = "".join(
            old if old == new else ascii(old)[1:-1] for old, new in zip(name, seems, strict=True)
        )
    return "'" + "".join(map(_show_character, name)) + "'"


def group_spellings(kind: str, names: Iterable[str]) -> list[Spellings]:
    """Return the names that differ only in how they are spelled, each group in its order."""
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        alike[fold_name(name)].append(name)
    return [Spellings(kind=kind, names=tuple(names)) for names in alike.values() if names[1:]]


def format_spellings(spellings: Spellings) -> str:
    """Return the sentence on what may be one name, up to the word before what is done."""
    names = ", ".join(map(show_name, spellings.names[:_SHOWN]))
    more = ", …" if len(spellings.names) > _SHOWN else ""
    return f"{names}{more} differ only in {DIFFERENCES}, and"


def find_spellings(link: Any, rows: str) -> tuple[Spellings, ...]:  # noqa: ANN401 - a connection
    """Find the names of checked rows that differ only in how they are spelled."""
    found = []
    for kind, columns in _KINDS.items():
        each = " UNION ALL ".join(f"SELECT {column} AS name, row FROM {rows}" for column in columns)
        query = f"SELECT name FROM ({each}) GROUP BY name ORDER BY min(row), name"
        found += group_spellings(kind, (str(name) for (name,) in link.execute(query).fetchall()))
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
    if hidden or re.match(DASHES, character):
        return ascii(character)[1:-1]
    return character
