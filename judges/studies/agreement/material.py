"""Everything that the agreement study reads from the store, in one pass."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

import numpy as np
import pandas as pd

from arena.boards.comparisons import compared_debates
from arena.boards.selecting import scope
from arena.boards.selection import Selection
from arena.config.resolved import ResolvedConfig
from arena.read.judging import JudgingFrames, read_judging
from arena.records import Bench
from arena.store.database import Store
from judges.studies.statistics.estimates import Array
from ratings.outcomes import OUTCOMES

#: Judging methods that may stop early; only their traces are read.
STOPPING = ("jury", "samre")

_VERDICT_COLUMNS = ("debate_id", "matchup_id", "motion", "bench", "pro", "con", "outcome", "weight")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Material(JudgingFrames):
    """Verdicts of benches on one selection of a tournament, and what they came of.

    Attributes:
        verdicts: a row per debate and bench that has all its ballots: debate_id, matchup_id,
            motion, bench, pro, con, outcome, weight, as `arena.boards.comparisons.compared_debates`
            returns them.
    """

    resolved: ResolvedConfig
    selection: Selection
    benches: tuple[Bench, ...]
    verdicts: pd.DataFrame
    seed: int

    def rng(self, *names: str) -> np.random.Generator:
        """Return the generator of the figure with these names.

        Each figure has its own, so it does not depend on which others are computed.
        """
        return np.random.default_rng([self.seed, *(zlib.crc32(name.encode()) for name in names)])

    def verdicts_of(self, bench: Bench) -> pd.DataFrame:
        """Return the verdicts of one bench."""
        return self.verdicts[self.verdicts["bench"] == bench.name]

    def outcomes_by_bench(self) -> pd.DataFrame:
        """Return Pro's outcomes: a row per debate, a column per bench, NaN without a verdict.

        The index is the debate and its matchup.
        """
        wide = self.verdicts.set_index(["debate_id", "matchup_id", "bench"])["outcome"]
        return wide.unstack("bench").reindex(columns=[bench.name for bench in self.benches])

    def ballot_counts(self, bench: str) -> pd.DataFrame:
        """Count one bench's valid ballots: a row per debate and matchup, a column per outcome."""
        valid = self.ballots[(self.ballots["bench"] == bench) & self.ballots["outcome"].notna()]
        index = [valid["debate_id"], valid["matchup_id"]]
        columns = {outcome: valid["outcome"] == outcome for outcome in OUTCOMES}
        return pd.DataFrame(columns).groupby(index).sum()


def matchup_codes(frame: pd.DataFrame) -> Array:
    """Return a number per row, (rows,), the same for rows of one `matchup_id` of the index."""
    matchups = frame.index.get_level_values("matchup_id")
    return np.asarray(pd.factorize(matchups)[0], dtype=float)


def read_material(store: Store, resolved: ResolvedConfig, selection: Selection) -> Material:
    """Read the material of a stored tournament."""
    benches = tuple(bench for bench in resolved.benches if bench.name not in selection.without)
    judging = read_judging(
        store,
        selection,
        participants=[participant.participant_id for participant in resolved.participants],
        benches=[bench.name for bench in benches],
        traced=[bench.name for bench in benches if bench.judge in STOPPING],
    )
    frames = {field.name: getattr(judging, field.name) for field in fields(judging)}
    whole = replace(scope(resolved), partial=frozenset())  # debates that people have all voted on
    frames["verdicts"] = compared_debates(store, selection, whole)[list(_VERDICT_COLUMNS)]
    return Material(
        resolved=resolved,
        selection=selection,
        benches=benches,
        seed=resolved.config.tournament.seed,
        **_number_ids(frames),
    )


def _number_ids(frames: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Replace ids by numbers, the same in all frames: texts are slow to group by."""
    numbered = dict(frames)
    for column in ("debate_id", "matchup_id"):
        names = [name for name in numbered if column in numbered[name]]
        ids = pd.concat([numbered[name][column] for name in names], ignore_index=True)
        ends = list(itertools.accumulate(len(numbered[name]) for name in names))[:-1]
        for name, numbers in zip(names, np.split(pd.factorize(ids)[0], ends), strict=True):
            numbered[name] = numbered[name].assign(**{column: numbers})
    return numbered
