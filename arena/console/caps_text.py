"""The caps of a tournament as text: in its plan, and how much of them is used."""

from __future__ import annotations

from collections.abc import Iterator

from arena.config.sections import Config
from arena.config.window import split_window
from arena.llm.purse import MEASURES, Measure, Purse, format_amount, format_limit


def format_caps(config: Config, *, usd: float | None) -> Iterator[str]:
    """Yield a line for the cap on the whole, and for each further kind of cap.

    Args:
        config: of the tournament.
        usd: the cap on the whole, which the command line may have replaced; `None` for none.
    """
    limits = config.limits
    whole = _format_limits({"usd": usd, "tokens": limits.tokens})
    yield f"spending cap: {whole}" if whole else "no spending cap"
    daily = _format_limits({"usd": limits.usd_per_day, "tokens": limits.tokens_per_day})
    if daily:
        yield f"spending cap of a day: {daily}; a day begins at {_day_begins(config)}"
    own = [
        f"{section.name} {text}"
        for section in config.participants
        if (text := _format_limits({"usd": section.usd, "tokens": section.tokens}))
    ]
    if own:
        yield f"spending caps of participants, for their own calls: {'; '.join(own)}"


def format_purse(purse: Purse) -> str:
    """Format how much of a cap is used: `today: 1.2000 of 2.00 USD`."""
    whose = purse.participant or ("today" if purse.is_daily else "in all")
    spent = format_amount(purse.spent, purse.measure).split()[0]
    return f"{whose}: {spent} of {format_limit(purse.limit, purse.measure)}"


def _format_limits(limits: dict[Measure, float | None]) -> str:
    amounts = ((limits[measure], measure) for measure in MEASURES)
    return ", ".join(format_limit(amount, measure) for amount, measure in amounts if amount)


def _day_begins(config: Config) -> str:
    window = config.schedule.window
    start, _, zone = split_window(window) if window else ("00:00", "", "")
    return f"{start} {zone}".strip()
