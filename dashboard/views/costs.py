"""The page of costs: where the money went, and what the next debates will cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pandas as pd
import streamlit as st
from streamlit.column_config import NumberColumn, ProgressColumn, TextColumn

from arena.config.stored import stored_config
from arena.errors import ArenaError
from arena.llm.budget import Budget
from arena.output.line_charts import draw_amounts
from arena.read.run_status import RunStatus, read_status
from arena.report.spending import (
    GROUPS,
    By,
    SpendingForecast,
    group_spending,
    read_outlook,
    read_spending,
)
from arena.store.database import Store
from arena.text import counted, format_cap
from arena.tournament.models import Models
from dashboard import cached
from dashboard.addresses import show_notices
from dashboard.boards import switch
from dashboard.elements import (
    guarded,
    open_page,
    quiet,
    read_or_explain,
    show_moment,
    show_no_debates,
    text,
)
from dashboard.forms import show_estimate
from dashboard.settings import IDLE_SECONDS
from dashboard.show_charts import show_chart
from dashboard.tables import show_table, show_tiles, table_files

_MOST_BARS = 12
#: Seconds between two looks at a run: what is left of a large tournament takes seconds to price.
_RUN_SECONDS = 10.0
_COLUMNS = {
    "name": TextColumn("Who or what", width="medium"),
    "usd": NumberColumn("USD", format="%.4f", width="small"),
    "share": ProgressColumn("Share", format="%.1f %%", min_value=0, max_value=100, width="small"),
    "reserved_usd": NumberColumn("Reserved USD", format="%.4f", width="small"),
    "calls": NumberColumn("Calls", format="localized", width="small"),
    "input_tokens": NumberColumn("Tokens in", format="localized", width="small"),
    "cached_share": NumberColumn("Cached", format="%.0f %%", width="small"),
    "output_tokens": NumberColumn("Tokens out", format="localized", width="small"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CostState:
    """The costs of a tournament at a moment.

    Attributes:
        status: what is done and left, and what it cost with all that is under way.
        no_prices: why the forecast by prices is missing; '' where it is not.
    """

    at: datetime
    status: RunStatus
    spending: pd.DataFrame
    outlook: SpendingForecast
    no_prices: str


def _read_costs(store: Store, tournament: str, run: str) -> CostState:
    """Read the costs of a tournament in one state of the database.

    Args:
        run: what its run shows of itself: costs are read anew when that changes, because what the
            run has under way is counted, too.
    """
    with store.one_state():
        resolved = stored_config(store, tournament)
        models, no_prices = None, ""
        try:
            models = Models(resolved.config, resolved.motions, budget=Budget())
            for model in resolved.models:
                models.price(model)
        except ArenaError as error:
            models, no_prices = None, str(error)
        return CostState(
            at=datetime.now(UTC),
            status=read_status(store, resolved, rated=False),
            spending=read_spending(store, tournament),
            outlook=read_outlook(store, resolved, models),
            no_prices=no_prices,
        )


_costs = cached.shared(_read_costs, entries=8)


def read_costs(tournament: str) -> CostState:
    """Read the costs of a tournament; see `_read_costs`."""
    return _costs(tournament, repr(cached.last_run(tournament)))


def page() -> None:
    """Show what a tournament costs, and follow a run."""
    tournament, _ = open_page("Costs", widths=(4, 8), fold=str)
    if not tournament:
        return
    state = read_or_explain(read_costs, tournament)
    if state is None:
        return
    pause = _RUN_SECONDS if state.status.outcome == "running" else IDLE_SECONDS
    st.fragment(guarded(_follow), run_every=pause)(tournament)


def _follow(tournament: str) -> None:
    state = read_or_explain(read_costs, tournament)
    if state is None:
        return
    if not sum(state.status.debates.values()):
        show_no_debates()
        return
    if roles := state.status.bill.format_roles():
        with st.container(key="summary"):
            text(f"Spent: {roles}.")
    show_moment(state.at, counted(state.status.debates["finished"], "finished debate"))
    show_tiles(_tiles(state))
    if state.spending.empty:
        quiet("No call is stored yet. They are stored with their debate, when it ends.", "no-calls")
    else:
        by = switch(st.container(), "by", GROUPS)
        show_notices()
        _show_groups(state.spending, next(name for name in GROUPS if name == by))
    _show_outlook(state)


def _tiles(state: CostState) -> Iterator[tuple[str, str, str]]:
    """Yield name, value and explanation of each number at the top."""
    status, spending, outlook = state.status, state.spending, state.outlook
    cap = "" if status.cap is None else f" of {format_cap(status.cap)}"
    words = "With what is under way, as far as bills are known, and the spending cap."
    yield "Spent, USD", f"{_usd(status.usd)}{cap}", words
    words = "At most, for answers that were cut off and may be billed. It counts towards the cap."
    yield "Reserved, USD", _usd(status.reserved_usd), words
    if outlook.per_debate is not None:
        words = "The speeches of a debate, as the mean of all finished ones."
        yield "Speeches, USD", _usd(outlook.per_debate), words
    for bench, usd in outlook.per_ballot.items():
        words = "A ballot of this bench, as the mean of all valid ones, in USD."
        yield f"Ballot: {bench}", _usd(usd), words
    if tokens := spending["input_tokens"].sum():
        share = spending["cached_tokens"].sum() / tokens
        words = "The share of all input that was read from a provider's cache, at a lower price."
        yield "Cached input", f"{100 * share:.0f} %", words


def _usd(usd: float) -> str:
    return f"{usd:.{4 if 0 < usd < 0.1 else 3 if 0 < usd < 1 else 2}f}"


def _show_groups(spending: pd.DataFrame, by: By) -> None:
    grouped = group_spending(spending, by)
    st.header(f"By {by}", anchor=False)
    is_free = not (grouped["usd"] + grouped["reserved_usd"]).sum()
    if is_free:
        quiet("None of these calls cost anything; shares are of tokens.", "free")
    else:
        bars = grouped.head(_MOST_BARS)
        show_chart(
            lambda colours: draw_amounts(bars, theme=colours),
            bars,
            key=f"amounts-{by}",
            name=("costs", by, "bars"),
        )
        if len(grouped) > _MOST_BARS:
            quiet(f"The largest {_MOST_BARS} are drawn; the table holds all.", "most")
    shown = grouped.assign(share=100 * grouped["share"], cached_share=100 * grouped["cached_share"])
    columns = dict(_COLUMNS)
    if is_free:
        del columns["usd"]
    if not grouped["reserved_usd"].sum():
        del columns["reserved_usd"]
    show_table(shown, columns, key=f"costs-{by}", files=table_files(grouped, "costs", by))


def _show_outlook(state: CostState) -> None:
    outlook = state.outlook
    st.header("What the next debates will cost", anchor=False)
    if not (outlook.debates or outlook.ballots):
        quiet(f"Everything is played and judged. {_format_next(outlook)}", "nothing-left")
        return
    left = f"{counted(outlook.debates, 'debate')} and {counted(outlook.ballots, 'ballot')} are left"
    if outlook.measured is None:
        quiet(f"{left}. Some who take part in them have not played or judged yet.", "left")
    else:
        measured = f"{_usd(outlook.measured)} USD"
        quiet(f"{left}: about {measured}, if they cost what the same ones did so far.", "left")
    if outlook.forecast is not None:
        quiet("By prices and the lengths of speeches, before anything is measured:", "forecast")
        show_estimate(outlook.forecast)
    else:
        quiet(f"There is no forecast by prices: {state.no_prices}", "no-prices")


def _format_next(outlook: SpendingForecast) -> str:
    if outlook.per_debate is None:
        return ""
    per_ballot = sorted(outlook.per_ballot.items())
    ballots = ", ".join(f"{_usd(usd)} for a ballot of {name}" for name, usd in per_ballot)
    more = f", and {ballots}" if ballots else ""
    return f"As measured, one more debate costs about {_usd(outlook.per_debate)} USD{more}."
