"""Text for a terminal: untrusted text made safe, and counts with their nouns."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """Remove control characters, which could move the cursor or reorder a line."""
    return _CONTROL.sub("", text)


def as_sentence(text: str) -> str:
    """Return a text with a full stop at its end, so that another sentence can follow.

    >>> as_sentence("busy"), as_sentence("Try again later."), as_sentence("cut off here…")
    ('busy.', 'Try again later.', 'cut off here…')
    """
    text = text.rstrip()
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def counted(number: int, noun: str, plural: str = "") -> str:
    """Format a number with its noun, in the plural unless the number is 1.

    >>> counted(1, "run"), counted(112, "debate"), counted(2, "bench", "benches")
    ('1 run', '112 debates', '2 benches')
    """
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


#: What a spreadsheet takes for a formula, with the apostrophes that may stand before it already.
FORMULA = r"'*[=+\-@\t\r]"
#: A number, which is no formula although it may begin with a sign.
NUMBER = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"


def guard_cell(text: str) -> str:
    """Return a cell of a CSV file that no spreadsheet takes for a formula; numbers stay numbers.

    >>> guard_cell("=1+1"), guard_cell("-3.5"), guard_cell("'=1"), guard_cell("fair")
    ("'=1+1", '-3.5', "''=1", 'fair')
    """
    is_formula = re.match(FORMULA, text) and not re.fullmatch(NUMBER, text)
    return f"'{text}" if is_formula else text


def unguard_cell(text: str) -> str:
    """Return what `guard_cell` was given.

    >>> unguard_cell("'=1+1"), unguard_cell("-3.5"), unguard_cell("''=1"), unguard_cell("'tis")
    ('=1+1', '-3.5', "'=1", "'tis")
    """
    return text[1:] if re.match(f"'{FORMULA}", text) else text
