"""The figures of progress as text."""

from __future__ import annotations

import math
from collections.abc import Iterator

from arena.console.figures import Figures
from arena.text import counted, format_cap, format_usd, plain
from arena.tournament.workload import UnitCount

#: Models of which it is said what holds up their calls.
_MOST_TROUBLES = 4


def format_line(figures: Figures) -> str:
    """Format all figures as one line, without the models whose calls are held up."""
    parts = [
        format_units(figures),
        format_traffic(figures),
        format_spending(figures),
        format_left(figures),
    ]
    return f"{format_share(figures)}  {' · '.join(filter(None, parts))}"


def format_share(figures: Figures) -> str:
    """Format how much is done, in per cent; the whole is not known where waves may follow."""
    planned = " of the waves so far" if figures.in_waves else ""
    return f"{math.floor(100 * figures.share + 1e-9):3d} %{planned}"


def format_units(figures: Figures) -> str:
    """Format how many debates and ballots are done, and how many of the others failed."""
    return ", ".join(map(_format_count, figures.units))


def _format_count(count: UnitCount) -> str:
    failed = f" ({count.failed} failed)" if count.failed else ""
    return f"{count.done} of {counted(count.total, count.noun)}{failed}"


def format_traffic(figures: Figures) -> str:
    """Format how many calls are done and under way, and how fast answers come."""
    calls = [f"{counted(figures.calls, 'call')} done"]
    if figures.in_flight:
        age = format_seconds(figures.oldest or 0.0)
        calls.append(f"{figures.in_flight} in flight (oldest {age})")
    if figures.waiting:
        calls.append(f"{figures.waiting} waiting")
    if figures.failed:
        calls.append(f"{counted(figures.failed, 'attempt')} failed")
    speed = figures.tokens_per_second
    return f"{', '.join(calls)} · {speed:,.{0 if speed >= 100 else 1}f} tokens/s"


def format_spending(figures: Figures) -> str:
    """Format what was spent, of which cap, and up to how much where bills are not known."""
    cap = "" if math.isinf(figures.limit) else f" of {format_cap(figures.limit)}"
    return format_usd(figures.spent - figures.unbilled, figures.spent, cap=cap)


def format_left(figures: Figures) -> str:
    """Format how long it will still take; empty where it is almost or wholly done."""
    if figures.share == 1.0:
        return ""
    if figures.seconds_left is not None and figures.seconds_left < 1:
        return ""
    if figures.seconds_left is None:
        return "time left not known yet" if not figures.calls else "time left not known"
    return f"about {format_seconds(figures.seconds_left)} left"


def format_troubles(figures: Figures) -> Iterator[str]:
    """Yield a line for each model whose calls are held up; of many, for the first few."""
    for trouble in figures.troubles[:_MOST_TROUBLES]:
        yield plain(trouble)
    if (more := len(figures.troubles) - _MOST_TROUBLES) > 0:
        yield f"and {counted(more, 'model')} more"


def format_result(figures: Figures) -> str:
    """Format how long a run took and what it cost."""
    calls = counted(figures.calls, "call", style=",")
    tokens = counted(figures.tokens, "token", style=",")
    cost = format_usd(figures.cost - figures.cost_unbilled, figures.cost)
    if figures.spent > figures.cost:
        cost += f"; with earlier runs, {format_spending(figures)}"
    elif not math.isinf(figures.limit):
        cost = format_spending(figures)
    return (
        f"It took {format_seconds(figures.seconds)}, {calls} with {tokens} in "
        f"their answers, and {cost}."
    )


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
