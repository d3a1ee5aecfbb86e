"""Where the money of a tournament went: its stored calls by participant, role, judge and model."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Final, Literal, get_args

import pandas as pd

from arena.boards.participation import participation
from arena.boards.selecting import participant_ids
from arena.boards.selection import Selection
from arena.read.costs import MEASURING, CostRow, read_costs
from arena.read.judges import read_judges
from arena.store.spending import read_bill
from arena.tournament.forecast import CostEstimate, estimate
from arena.tournament.plan import make_plan

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.store.database import Store
    from arena.tournament.models import Models

#: The figures of calls that a model's use adds up.
_ADDED = ("calls", "input_tokens", "output_tokens", "retries", "usd", "usd_most")
#: What calls can be grouped by.
By = Literal["participant", "role", "judge", "model", "stage"]
GROUPS: Final = get_args(By)

_SUMS: Final = ("calls", "input_tokens", "cached_tokens", "output_tokens", "usd", "reserved_usd")


def read_spending(store: Store, tournament: str) -> pd.DataFrame:
    """Read the stored calls of a tournament, added up.

    Returns:
        A row per participant, judge (a bench), stage, role and model; '' where one does not apply.
        Columns calls, input_tokens, cached_tokens (part of the input), output_tokens, usd (as far
        as bills are known) and reserved_usd (the rest, at its worst case).
    """
    rows = read_costs(store, tournament)
    names = [field.name for field in fields(CostRow)]
    frame = pd.DataFrame([asdict(row) for row in rows], columns=names)
    return frame.astype({name: float for name in _SUMS})


def group_spending(spending: pd.DataFrame, by: By) -> pd.DataFrame:
    """Add up calls by one of their properties, the most expensive first.

    Args:
        spending: as `read_spending` returns it.
        by: the property; calls that have none (of participants, those of judges) are one row.

    Returns:
        Columns name, share (of all USD, 0 to 1; of all tokens where nothing costs anything),
        cached_share (of the input; NaN without input) and those of `read_spending` that add up.
    """
    names = spending[by].where(spending[by] != "", _OTHERS[by])
    grouped = spending.groupby(names)[list(_SUMS)].sum().rename_axis("name").reset_index()
    amount = grouped["usd"] + grouped["reserved_usd"]
    if not amount.sum():
        amount = grouped["input_tokens"] + grouped["output_tokens"]
    grouped["share"] = amount / amount.sum() if amount.sum() else 0.0
    grouped["cached_share"] = grouped["cached_tokens"] / grouped["input_tokens"].where(
        grouped["input_tokens"] > 0
    )
    # rounded, so that it does not depend on the order of summing up who comes first
    order = grouped.assign(amount=amount.round(9)).sort_values(
        ["amount", "name"], ascending=[False, True]
    )
    return order.drop(columns="amount").reset_index(drop=True)


_OTHERS: Final[Mapping[By, str]] = {
    "participant": "(judges)",
    "judge": "(debaters)",
    "role": "(other)",
    "model": "(none)",
    "stage": "(other)",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUse:
    """The calls of one model that are stored.

    Attributes:
        usd: as far as bills are known.
        usd_most: if the answers that never arrived are billed at their worst case.
    """

    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    retries: int
    usd: float
    usd_most: float


def model_uses(store: Store, tournament: str) -> list[ModelUse]:
    """Return the stored calls of each model in debates and ballots, the most expensive first."""
    spent = defaultdict[str, list[CostRow]](list)
    for row in read_costs(store, tournament):
        if row.stage != MEASURING:
            spent[row.model].append(row)
    uses = [
        ModelUse(model=model, **{name: sum(getattr(row, name) for row in rows) for name in _ADDED})
        for model, rows in spent.items()
    ]
    return sorted(uses, key=lambda use: (-use.usd, -use.calls, use.model))


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendingForecast:
    """What the debates and ballots that are left will cost.

    Attributes:
        per_debate: the mean cost of a debate's speeches so far, in USD, as far as bills are known;
            `None` before the first.
        per_ballot: the mean cost of a ballot so far, by bench, likewise.
        measured: of what is left, by what the same participants and benches cost so far; `None`
            where one of them has not taken part yet.
        forecast: of what is left, by prices and lengths; `None` where a price is not known.
    """

    debates: int
    ballots: int
    per_debate: float | None
    per_ballot: Mapping[str, float]
    measured: float | None
    forecast: CostEstimate | None


def read_outlook(store: Store, resolved: ResolvedConfig, models: Models | None) -> SpendingForecast:
    """Work out what is left of a tournament, and what it will cost.

    Args:
        models: know the prices; `None` where they are not known.
    """
    plan = make_plan(resolved, store)
    selection = Selection(tournament=resolved.name, bench="all")
    per_ballot = {
        judge.bench: judge.usd_per_ballot
        for judge in read_judges(store, resolved, selection)
        if judge.valid
    }
    playing = [work.debate for work in plan.open if work.play]
    ballots = [request.bench.name for work in plan.open for request in work.ballots]
    sides = participation(store, selection, participant_ids(resolved))
    per_seat = {
        participant_id: 0.0 if math.isnan(sides[name]["usd"]) else float(sides[name]["usd"])
        for participant_id, name in resolved.names.items()
        if name in sides and sides[name]["finished"]
    }
    costs = [per_seat.get(seat) for debate in playing for seat in (debate.pro, debate.con)]
    costs += [per_ballot.get(bench) for bench in ballots]
    forecast = None
    if models is not None:
        forecast = estimate(resolved, playing, ballots=ballots, price=models.price)
    return SpendingForecast(
        debates=len(playing),
        ballots=len(ballots),
        per_debate=read_bill(store, resolved.name).per_debate,
        per_ballot=per_ballot,
        measured=None if None in costs else sum((cost for cost in costs if cost), 0.0),
        forecast=forecast,
    )
