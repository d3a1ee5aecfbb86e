"""Text for a terminal: untrusted text made safe, and counts with their nouns."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """Remove control characters, which could move the cursor or reorder a line."""
    return _CONTROL.sub("", text)


def counted(number: int, noun: str, plural: str = "") -> str:
    """Format a number with its noun, in the plural unless the number is 1.

    >>> counted(1, "run"), counted(112, "debate"), counted(2, "bench", "benches")
    ('1 run', '112 debates', '2 benches')
    """
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
