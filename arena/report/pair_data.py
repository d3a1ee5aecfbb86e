"""What is stored of two participants: their debates, and the boards that they stand on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pandas as pd

from arena.boards.comparisons import compare, compare_by_category, compared_debates
from arena.boards.next_debates import matchup_costs
from arena.boards.participation import no_participation, participation
from arena.read.outcomes import judged_dimensions
from arena.read.selected import Narrowing

if TYPE_CHECKING:
    from arena.boards.selection import Scope, Selection
    from arena.store.database import Store
    from ratings import Comparisons


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairData:
    """What is stored of two participants, and the boards that they stand on.

    Attributes:
        judging: whose verdicts these are, in words.
        frame: a row per debate of the two, dimension and selected bench: debate_id, matchup_id,
            dimension, pro, con (names), pro_score and con_score.
        boards: the comparisons of all participants, overall: of all motions as `all`, and of each
            category in which somebody was compared.
        usd: of a matchup, by participant's name; see `matchup_costs`.
        unrated: why nothing of them would be rated if no verdict counts, by the two names.
    """

    judging: str
    frame: pd.DataFrame
    boards: Mapping[str, Comparisons]
    usd: Mapping[str, float]
    unrated: Mapping[str, str]


def read_pair(
    store: Store, selection: Selection, scope: Scope, first: str, second: str
) -> PairData:
    """Read what is stored of two participants of a checked selection, whatever its dimension."""
    ids = {key: name for key, name in scope.participants.items() if name in (first, second)}
    overall, both = replace(selection, dimension="overall"), replace(scope, participants=ids)
    judged = judged_dimensions(store, selection, Narrowing(between=tuple(ids)))
    dimensions = judged or ["overall"]
    frame = pd.concat(
        [compared_debates(store, replace(selection, dimension=name), both) for name in dimensions]
    )
    if scope.imported:
        boards = {"all": compare(store, overall, scope).comparisons}
    else:
        by_category = compare_by_category(store, overall, scope)
        boards = {name: selected.comparisons for name, selected in by_category.items()}
    parts = participation(store, selection, [] if scope.imported else list(ids))
    nothing = no_participation(selection)
    return PairData(
        judging=selection.judging,
        frame=frame[frame["pro"] != frame["con"]],
        boards=boards,
        usd=matchup_costs(store, selection.tournament),
        unrated={name: parts.get(name, nothing)["unrated"] for name in (first, second)},
    )
