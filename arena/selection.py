"""What a reading command may choose: benches, dimensions and categories of a tournament."""

from __future__ import annotations

import pandas as pd

from arena.comparisons import Selection, among, scores, select
from arena.entry import Entry
from arena.errors import ConfigError
from arena.plugins import judge_class
from arena.records import Bench
from arena.store import Store
from ratings import Comparisons

CATEGORIES = ("all", "fact", "policy", "value")


def all_scores(store: Store, entry: Entry) -> pd.DataFrame:
    """The scores of all debates between a tournament's participants, as `scores` gives them."""
    return among(scores(store, entry.name), ids(entry))


def pick(frame: pd.DataFrame, entry: Entry, selection: Selection) -> Comparisons:
    """The comparisons of a selection of a tournament.

    Args:
        frame: as `all_scores` gives it.
        entry: the tournament.
        selection: which of its boards.

    Raises:
        ConfigError: the tournament has no such bench, dimension or category.
    """
    return select(frame, selection, runs=_bench(entry, selection).runs, names=names(entry))


def dimensions(bench: Bench) -> tuple[str, ...]:
    """The dimensions that a bench gives verdicts on."""
    method = judge_class(bench.judge)
    found: tuple[str, ...] = method(method.Options.model_validate(dict(bench.options))).dimensions
    return found


def ids(entry: Entry) -> list[str]:
    """The ids of a tournament's participants."""
    return [one.participant_id for one in entry.participants]


def names(entry: Entry) -> list[str]:
    """The names of a tournament's participants, as configured."""
    return [one.name for one in entry.participants]


def _bench(entry: Entry, selection: Selection) -> Bench:
    for bench in entry.benches:
        if bench.name == selection.bench:
            for what, given, accepted in (
                ("dimension", selection.dimension, dimensions(bench)),
                ("category", selection.category, CATEGORIES),
            ):
                if given not in accepted:
                    raise ConfigError(f"unknown {what} {given!r}. Accepted: {', '.join(accepted)}.")
            return bench
    known = ", ".join(bench.name for bench in entry.benches)
    raise ConfigError(
        f"tournament {entry.name!r} has no bench {selection.bench!r}. Known: {known}."
    )
