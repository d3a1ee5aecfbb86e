"""The caps of a tournament's configuration as purses, with what has been spent of each."""

from __future__ import annotations

import math
import shlex

from arena.config.resolve import ResolvedConfig
from arena.config.sections import Config, LimitsSection, ParticipantSection
from arena.llm.budget import Budget
from arena.llm.purse import MEASURES, Cost, Measure, Purse
from arena.store.database import Store
from arena.tournament.days import Days
from arena.tournament.spending import Spending, read_spending


def open_budget(
    store: Store,
    resolved: ResolvedConfig,
    *,
    usd: float | None,
    db: str = "",
    remedy: str = "",
    writes: bool = True,
) -> Budget:
    """Return what a tournament may spend, with what it has spent already.

    Args:
        store: holds it.
        resolved: its configuration.
        usd: the cap of the whole, which the command line may have replaced; `None` for none.
        db: the option of commands that names the database, if it must be named.
        remedy: what to do when the cap of the whole is reached; '' for the commands that raise it.
        writes: whether a day that begins now is noted down; a reader does not.

    Raises:
        StoreError: what was spent today cannot be read or written.
    """
    config = resolved.config
    spending = read_spending(store, resolved.name, detailed=has_further_caps(config))
    raised = f"in the file and run that (arena run FILE{db})"
    daily = [purse for measure in MEASURES if (purse := _daily(config.limits, measure, raised))]
    window = config.schedule.window
    return Budget(
        math.inf if usd is None else usd,
        spent=spending.whole.usd,
        unbilled=spending.reserved,
        remedy=remedy
        or f"To go on, raise it (arena resume {shlex.quote(resolved.name)} --usd AMOUNT{db}), or "
        f"raise `[limits] usd` {raised}",
        tokens=_tokens(config.limits, spending.whole, raised),
        daily=daily,
        participants=_own(resolved, spending, raised),
        days=Days(store.path, resolved.name, window=window, writes=writes) if daily else None,
    )


def has_further_caps(config: Config) -> bool:
    """Return whether there are other caps than one in USD on the whole."""
    limits = config.limits
    own = any(section.usd or section.tokens for section in config.participants)
    return bool(limits.tokens or limits.usd_per_day or limits.tokens_per_day or own)


def _tokens(limits: LimitsSection, spent: Cost, raised: str) -> Purse:
    return Purse(
        limits.tokens or math.inf,
        spent=spent.tokens,
        measure="tokens",
        remedy=f"Raise `[limits] tokens` {raised}",
    )


def _daily(limits: LimitsSection, measure: Measure, raised: str) -> Purse | None:
    key = f"{measure}_per_day"
    limit: float | None = getattr(limits, key)
    if limit is None:
        return None
    return Purse(
        limit,
        measure=measure,
        title="the day's spending cap of {}",
        remedy=f"Run it again on the next day, or raise `[limits] {key}` {raised}",
        is_daily=True,
    )


def _own(resolved: ResolvedConfig, spending: Spending, raised: str) -> dict[str, list[Purse]]:
    """Return the purses of single participants, by their ids."""
    sections = {section.name: section for section in resolved.config.participants}
    purses = {}
    for participant in resolved.participants:
        spent = spending.participants.get(participant.participant_id, Cost())
        own = [
            _purse_of(sections[participant.name], spent, measure, raised) for measure in MEASURES
        ]
        purses[participant.participant_id] = [purse for purse in own if purse is not None]
    return purses


def _purse_of(
    section: ParticipantSection, spent: Cost, measure: Measure, raised: str
) -> Purse | None:
    limit: float | None = getattr(section, measure)
    if limit is None:
        return None
    return Purse(
        limit,
        spent=spent.of(measure),
        measure=measure,
        title=f"the spending cap of {{}} of participant {section.name!r}",
        remedy=f"Raise its `{measure}` {raised}",
        participant=section.name,
    )
