"""Text for a terminal: untrusted text made safe, counts with their nouns, figures, and costs."""

from __future__ import annotations

import math
import re
from typing import Final

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

_NO_UTF_8: Final = "it is not UTF-8 text"

_MOST_BLANKS: Final = 100
_LONG_BLANKS = re.compile(rf"(?<!\s)\s{{{_MOST_BLANKS + 1},}}+")

#: Where a sentence ends and another begins.
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？]")
_NEXT_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def plain(text: str) -> str:
    """Remove control characters, which could move the cursor or reorder a line."""
    return _CONTROL.sub("", text)


def whole_characters(text: str) -> str:
    r"""Return a text with `�` for each half of a character, which no file and no database takes.

    Halves that stand together are joined.

    >>> whole_characters("one \ud83d\ude00, half \ud83d")
    'one 😀, half �'
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def bound_blanks(text: str) -> str:
    r"""Return a text in which no run of blanks is longer than 100 characters.

    Models that degenerate write thousands of them. What is left of a run says whether it had a
    line break, and is long enough to show that an answer ended in blanks.

    >>> len(bound_blanks("One." + 9000 * " " + "Two.")), bound_blanks("a \n b")
    (108, 'a \n b')
    """
    return _LONG_BLANKS.sub(_bound, text)


def _bound(blanks: re.Match[str]) -> str:
    return blanks[0][:_MOST_BLANKS] if "\n" not in blanks[0] else "\n" * _MOST_BLANKS


def as_sentence(text: str) -> str:
    """Return a text with a full stop at its end, so that another sentence can follow.

    >>> as_sentence("busy"), as_sentence("Try again later."), as_sentence("cut off here…")
    ('busy.', 'Try again later.', 'cut off here…')
    """
    text = text.rstrip()
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, on one line.

    >>> first_sentence("the cap of 1.00 USD is reached: 0.98 USD count. Raise it; work is kept.")
    'the cap of 1.00 USD is reached: 0.98 USD count.'
    """
    return _NEXT_SENTENCE.split(" ".join(text.split()), maxsplit=1)[0]


def shorten(text: str, length: int) -> str:
    """Return the beginning of a text on one line, at the end of a sentence where there is one.

    >>> shorten("One fact. Another one follows.", 16)
    'One fact. …'

    Args:
        length: in characters; a sentence ends there where that loses less than half.
    """
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    start = line[:length]
    end = max((end.end() for end in _SENTENCE_END.finditer(f"{start} ")), default=0)
    if end > length // 2:
        return f"{start[:end]} …"
    cut = start.rfind(" ")
    return f"{start[: cut if cut > length // 2 else length]} …"


def counted(number: int, noun: str, plural: str = "", *, style: str = "") -> str:
    """Format a number with its noun, in the plural unless the number is 1.

    >>> counted(1, "run"), counted(2, "bench", "benches"), counted(1120, "debate", style=",")
    ('1 run', '2 benches', '1,120 debates')
    """
    return f"{number:{style}} {noun if number == 1 else plural or noun + 's'}"


def format_duration(seconds: float) -> str:
    """Format a time that is configured: `2 d`, `1 h 30 min`.

    >>> format_duration(172800), format_duration(5400), format_duration(45)
    ('2 d', '1 h 30 min', '45 s')
    """
    days, rest = divmod(int(seconds), 86_400)
    hours, rest = divmod(rest, 3600)
    minutes, rest = divmod(rest, 60)
    units = ((days, "d"), (hours, "h"), (minutes, "min"), (rest, "s"))
    return " ".join(f"{number} {unit}" for number, unit in units if number) or "0 s"


def format_seconds(seconds: float) -> str:
    """Format a duration by its two largest units.

    >>> format_seconds(41.2), format_seconds(187), format_seconds(7500), format_seconds(200000)
    ('41 s', '3 min 7 s', '2 h 5 min', '2 d 7 h')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return _format_parts(whole, 60, "min", "s")
    if whole < 86400:
        return _format_parts(whole // 60, 60, "h", "min")
    return _format_parts(whole // 3600, 24, "d", "h")


def _format_parts(number: int, size: int, large: str, small: str) -> str:
    rest = f" {number % size} {small}" if number % size else ""
    return f"{number // size} {large}{rest}"


def format_unreadable(file: object, error: Exception) -> str:
    """Return the message on a file that cannot be opened, or is no text."""
    reason = getattr(error, "strerror", None) or _NO_UTF_8
    if isinstance(error, UnicodeDecodeError):
        line = error.object.count(b"\n", 0, error.start) + 1
        reason = f"{_NO_UTF_8} (line {line}, byte 0x{error.object[error.start]:02x})"
        reason += ", perhaps Latin-1. Save it as UTF-8 (in a shell: iconv -f LATIN1 -t UTF-8)"
    return f"{file}: cannot be read: {reason}."


def format_cap(usd: float) -> str:
    """Format a spending cap, without its unit; one of less than a cent is no 0.00.

    >>> format_cap(25), format_cap(0.001)
    ('25.00', '0.0010')
    """
    return f"{usd:.{2 if usd >= 0.1 else 4}f}"


#: What "up to" means beside a cost.
UP_TO: Final = (
    "Up to: calls that were cut off, by a kill for example, count at the most that they can cost; "
    "their bill is not known."
)


def format_usd(measured: float, most: float, *, cap: str = "", digits: int = 4) -> str:
    """Format a cost: what was measured, and what it is at most where some bills are not known.

    Args:
        measured: in USD.
        most: in USD, with what is reserved for answers whose bill is not known.
        cap: follows before the unit, ` of 5.00`; '' for none.
        digits: after the decimal point.

    >>> format_usd(0.25, 0.25), format_usd(0.25, 0.75, cap=" of 5.00")
    ('0.2500 USD', '0.2500 of 5.00 USD (up to 0.7500)')
    """
    reserved = f" (up to {most:.{digits}f})" if round(most - measured, digits) > 0 else ""
    return f"{measured:z.{digits}f}{cap} USD{reserved}"


def format_known(value: float | None, style: str, *, empty: str = "-") -> str:
    """Format a number; `empty` where it is not known.

    >>> format_known(0.256, ".2f"), format_known(None, ".2f"), format_known(math.nan, ".2f")
    ('0.26', '-', '-')
    """
    return empty if value is None or math.isnan(value) else f"{value:{style}}"


def format_interval(lower: float, upper: float, style: str = ".0f", *, empty: str = "-") -> str:
    """Format the ends of an interval; `empty` where they are not known.

    >>> format_interval(960.4, 1130.2), format_interval(math.nan, math.nan)
    ('960 to 1130', '-')
    """
    return empty if math.isnan(lower) else f"{lower:{style}} to {upper:{style}}"


def format_percent(share: float | None) -> str:
    """Format a share in percent; a dash where it is not known.

    >>> format_percent(0.256), format_percent(None)
    ('26 %', '-')
    """
    return "-" if share is None or math.isnan(share) else f"{100 * share:.0f} %"


def format_chance(probability: float) -> str:
    """Format the probability of what is likely; hardly anything is certain.

    >>> format_chance(0.623), format_chance(0.9996)
    ('62 %', 'more than 99 %')
    """
    return format_percent(probability) if probability < 0.995 else "more than 99 %"


#: The smallest p-value that is printed as a number.
_LEAST_P = 0.0001


def format_p(p: float) -> str:
    """Format the p-value of a test.

    >>> format_p(0.0312), format_p(0.00002), format_p(math.nan)
    ('0.0312', '<0.0001', '-')
    """
    return f"<{_LEAST_P}" if p < _LEAST_P else format_known(p, ".4f")


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
