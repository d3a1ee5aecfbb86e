"""JSON values in the writing of models: comments, Python's literals, quotes of all kinds.

What is read has one meaning only: a quotation mark ends a text where what follows can stand after
it, and nowhere else. Whatever else is wrong stays an error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

#: Levels of nesting, and texts of one value, more than which no form has.
_DEEPEST, _MOST_TEXTS = 40, 2_000
#: Quotation marks that are tried as the end of a text, in one value.
_MOST_ENDS: Final = 3_000
#: A comment, shorter than a paragraph: hostile texts are full of what may begin one.
_COMMENT: Final = r"(?://|\#)[^\n]{0,500}+(?=\n|\Z)|/\*.{0,500}?\*/"
_COMMENTS: Final = rf"(?:{_COMMENT}|\s++)*+"
_BLANK: Final = re.compile(_COMMENTS, re.DOTALL)
_NUMBER: Final = re.compile(
    r"[-+]?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})(?:[eE][-+]?\d{1,2})?(?![\w.%/])"
)
_WORD: Final = re.compile(r"[A-Za-z_]\w{0,59}")
_LITERALS: Final = {"true": True, "false": False, "null": None, "none": None, "undefined": None}
#: The marks that end a text, by the one that begins it.
_QUOTES: Final = {
    '"""': ('"""',),
    "'''": ("'''",),
    '"': ('"', "”"),
    "'": ("'", "’"),
    "`": ("`",),
    "“": ("”", "“", '"'),
    "”": ("”",),
    "‘": ("’", "‘", "'"),
    "「": ("」",),
}
_OPENING: Final = re.compile("|".join(map(re.escape, _QUOTES)))
_COLON, _COMMA = ":：", ",，"
#: What can stand after a text: the end of its object or list, or a comma and the next value.
_AFTER_VALUE: Final = (
    rf"{_COMMENTS}(?:[{_COMMA}]?{_COMMENTS}CLOSE|[{_COMMA}]{_COMMENTS}NEXT)"
    rf"|(?:{_COMMENT}|[^\S\n]++)*+\n{_COMMENTS}NEXT"
)
_QUOTED_KEY: Final = rf"[\"'“”‘`][^\"'“”‘’`\n]{{1,60}}[\"'”’“`]\s*+[{_COLON}]"
_BARE_KEY: Final = rf"[A-Za-z_]\w{{0,59}}\s*+[{_COLON}]"
_ITEM: Final = r"[\"'“‘`{\[(\d-]|[A-Za-z]+\b"


def _after(close: str, following: str) -> re.Pattern[str]:
    return re.compile(
        _AFTER_VALUE.replace("CLOSE", close).replace("NEXT", f"(?:{following})"), re.DOTALL
    )


_AFTER_KEY: Final = re.compile(rf"\s*[{_COLON}]")
_AFTER_QUOTED, _AFTER_BARE = _after(r"\}", _QUOTED_KEY), _after(r"\}", _BARE_KEY)
_AFTER_ITEM: Final = _after(r"[\])]", _ITEM)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": ""}
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)


class NotReadable(ValueError):
    """A text that is no JSON value, slips aside."""


@dataclass(slots=True)
class LooseReader:
    """A reader of one value in a text.

    Attributes:
        slips: the kinds of slips that it met: `comment`, `comma`, `literal`, `quotes`.
    """

    text: str
    slips: set[str] = field(default_factory=set)
    _texts: int = 0
    _ends: int = 0

    def read(self, position: int, depth: int = 0) -> tuple[Any, int]:
        """Return the object, list, text, number or literal at a position, and where it ends.

        Raises:
            NotReadable: there is none.
        """
        if depth > _DEEPEST:
            raise NotReadable("nested too deeply")
        first = self.text[position : position + 1]
        if first == "{":
            return self._read_object(position + 1, depth)
        if first and first in "[(":
            return self._read_list(position + 1, depth, closing="]" if first == "[" else ")")
        if number := _NUMBER.match(self.text, position):
            return self._number(number[0]), number.end()
        word = _WORD.match(self.text, position)
        if word is None or word[0].lower() not in _LITERALS:
            raise NotReadable(f"no value at {position}")
        if word[0] not in ("true", "false", "null"):
            self.slips.add("literal")
        return _LITERALS[word[0].lower()], word.end()

    def _number(self, number: str) -> float:
        return float(number) if re.search(r"[.eE]", number) else int(number)

    def _skip(self, position: int) -> int:
        blank = _BLANK.match(self.text, position)
        assert blank is not None
        if blank[0].strip():
            self.slips.add("comment")
        return blank.end()

    def _read_object(self, position: int, depth: int) -> tuple[dict[str, Any], int]:
        fields: dict[str, Any] = {}
        position = self._skip(position)
        after = _AFTER_QUOTED if _OPENING.match(self.text, position) else _AFTER_BARE
        while not self.text.startswith("}", position):
            name, position = self._read_key(position)
            value, position = self._read_value(self._skip(position), depth, after)
            if fields.setdefault(name, value) != value:
                raise NotReadable(f"two values for {name!r}")
            position = self._read_comma(position, closing="}")
        return fields, position + 1

    def _read_list(self, position: int, depth: int, *, closing: str) -> tuple[list[Any], int]:
        items: list[Any] = []
        position = self._skip(position)
        while not self.text.startswith(closing, position):
            item, position = self._read_value(position, depth, _AFTER_ITEM)
            items.append(item)
            position = self._read_comma(position, closing=closing)
        if closing == ")":
            self.slips.add("literal")
        return items, position + 1

    def _read_comma(self, position: int, *, closing: str) -> int:
        """Return where the next value begins, or the closing bracket."""
        end = self._skip(position)
        has_comma = self.text.startswith(tuple(_COMMA), end)
        following = self._skip(end + 1) if has_comma else end
        is_last = self.text.startswith(closing, following)
        if not has_comma and not is_last and "\n" not in self.text[position:end]:
            raise NotReadable(f"no comma at {position}")
        if has_comma == is_last:
            self.slips.add("comma")
        return following

    def _read_key(self, position: int) -> tuple[str, int]:
        if _OPENING.match(self.text, position):
            name, position = self._read_text(position, _AFTER_KEY)
        elif word := _WORD.match(self.text, position):
            name, position = word[0], word.end()
            self.slips.add("quotes")
        else:
            raise NotReadable(f"no name at {position}")
        position = self._skip(position)
        if not self.text.startswith(tuple(_COLON), position):
            raise NotReadable(f"no colon at {position}")
        if self.text[position] != ":":
            self.slips.add("comma")
        return name, position + 1

    def _read_value(self, position: int, depth: int, after: re.Pattern[str]) -> tuple[Any, int]:
        if _OPENING.match(self.text, position):
            return self._read_text(position, after)
        return self.read(position, depth + 1)

    def _read_text(self, position: int, after: re.Pattern[str]) -> tuple[str, int]:
        """Return the text that a quotation mark begins, and where it ends."""
        self._texts += 1
        opening = _OPENING.match(self.text, position)
        if opening is None or self._texts > _MOST_TEXTS:
            raise NotReadable(f"no text at {position}")
        marks = "|".join(map(re.escape, _QUOTES[opening[0]]))
        for end in re.compile(rf"\\.|({marks})", re.DOTALL).finditer(self.text, opening.end()):
            self._ends += 1
            if self._ends > _MOST_ENDS:
                break
            if end[1] and after.match(self.text, end.end()):
                inside = self.text[opening.end() : end.start()]
                if opening[0] != '"' or end[1] != '"' or '"' in inside.replace('\\"', ""):
                    self.slips.add("quotes")
                return unescape(inside), end.end()
        raise NotReadable(f"the text at {position} does not end")


def unescape(text: str) -> str:
    r"""Return a text without JSON's escapes; a backslash before any other character goes.

    >>> unescape("It\\'s\\u4f60")
    "It's你"
    """
    return _ESCAPE.sub(_unescape, text)


def _unescape(escape: re.Match[str]) -> str:
    code = escape[1]
    return chr(int(code[1:], 16)) if len(code) == 5 else _ESCAPES.get(code, code)
