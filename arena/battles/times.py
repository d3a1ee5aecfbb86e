"""Times in battle logs: dates as they are written, and numbers whose unit their size tells."""

from __future__ import annotations

import time
from typing import Final

#: What is accepted, for messages.
ACCEPTED_TIMES: Final = (
    "a date and time as in ISO 8601 (from 1700 to tomorrow), or a number that lies between 2000 "
    "and tomorrow as seconds, milliseconds, microseconds or nanoseconds since 1970, or as days of "
    "a spreadsheet; as 03/04/2024 with --dates dmy or --dates mdy"
)
#: The orders of a date that `--dates` names, as the parts of one that begins with the year.
DATES: Final = {"dmy": r"\3-\2-\1", "mdy": r"\3-\1-\2"}
_DAY: Final = 86_400
#: The seconds since 1970 before which a number is no time: those of 2000-01-01.
_EARLIEST: Final = 946_684_800
#: The day 0 of a spreadsheet, 1899-12-30, in days before 1970.
_SPREADSHEET: Final = 25_569
_NUMBER: Final = r"\d+(\.\d*)?([eE]\+?\d+)?"
#: Dates that are written as one number, by its digits.
_DIGITS: Final = {8: "%Y%m%d", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}
_UNITS: Final = {"seconds": 1e6, "milliseconds": 1e3, "microseconds": 1.0, "nanoseconds": 1e-3}


def write_iso(text: str, dates: str | None = None) -> str:
    """Return the SQL of a time in one form: milliseconds after a point, and hours from 0 to 23.

    Args:
        text: the SQL of the text.
        dates: the order of dates, a key of `DATES`; None for dates that begin with the year.
    """
    if dates:
        parts = r"^(\d{1,2})[./-](\d{1,2})[./-](\d{4})"
        text = f"regexp_replace({text}, '{parts}', '{DATES[dates]}')"
    text = f"regexp_replace({text}, '(:\\d\\d),(\\d{{1,6}})', '\\1.\\2')"
    forms = "['%Y-%m-%d %I:%M:%S.%f %p', '%Y-%m-%d %I:%M:%S %p', '%Y-%m-%d %I:%M %p']"
    return (
        f"CASE WHEN regexp_matches({text}, '[0-9] ?[AaPp]\\.?[Mm]\\.?$') "
        f"THEN CAST(try_strptime(regexp_replace(upper({text}), ' ?([AP])\\.?M\\.?$', "
        f"' \\1M'), {forms}) AS VARCHAR) ELSE {text} END"
    )


def read_time(text: str, *, now: float | None = None) -> str:
    """Return the SQL of the time that a text names, as TIMESTAMPTZ; NULL where it names none.

    The unit of a number is that in which it lies between 2000 and tomorrow: no number does in two.

    Args:
        text: the SQL of the text.
        now: in seconds since 1970; None to read the clock.
    """
    latest = (time.time() if now is None else now) + _DAY
    number = f"TRY_CAST({text} AS DOUBLE)"
    units = " ".join(
        f"WHEN {number} BETWEEN {_EARLIEST * 1e6 / microseconds!r} AND "
        f"{latest * 1e6 / microseconds!r} "
        f"THEN make_timestamptz(CAST(round({number} * {microseconds!r}) AS BIGINT))"
        for microseconds in _UNITS.values()
    )
    first, last = _EARLIEST / _DAY + _SPREADSHEET, latest / _DAY + _SPREADSHEET
    days = (
        f"WHEN {number} BETWEEN {first!r} AND {last!r} THEN make_timestamptz(CAST(round(({number} "
        f"- {_SPREADSHEET}) * {_DAY}e3) AS BIGINT) * 1000)"
    )
    digits = f"regexp_replace({text}, '\\.0*$', '')"
    dates = " ".join(
        f"WHEN length({digits}) = {length} THEN CAST(try_strptime({digits}, '{form}') "
        "AS TIMESTAMPTZ)"
        for length, form in _DIGITS.items()
    )
    read = (
        f"CASE WHEN NOT regexp_full_match({text}, '{_NUMBER}') "
        f"THEN CASE WHEN regexp_matches({text}, '^\\d{{4}}') "
        f"THEN TRY_CAST({text} AS TIMESTAMPTZ) END {units} {days} {dates} END"
    )
    earliest = "TIMESTAMPTZ '1700-01-01 00:00:00+00'"
    return (
        f"list_filter([{read}], lambda moment: moment BETWEEN {earliest} "
        f"AND to_timestamp({latest!r}))[1]"
    )
