"""Everything that the agreement study reads from the store, in one pass."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from arena.boards.comparisons import compared_debates
from arena.boards.participation import MEASURED_BALLOTS
from arena.boards.selecting import scope
from arena.boards.selection import CHOSEN_DEBATES, Selection
from arena.config.resolved import ResolvedConfig
from arena.records import ORDER, Bench
from arena.store.database import Store
from judges.studies.statistics.estimates import Array
from ratings.outcomes import OUTCOMES

#: Judging methods that may stop early; only their traces are read.
STOPPING = ("jury", "samre")

_VERDICT_COLUMNS = ("debate_id", "matchup_id", "motion", "bench", "pro", "con", "outcome", "weight")

_SELECTED = f"""{CHOSEN_DEBATES}, taken AS (
        SELECT b.*, chosen.matchup_id FROM chosen JOIN {MEASURED_BALLOTS} b USING (debate_id)
        WHERE list_contains(CAST($benches AS TEXT[]), b.bench)
          AND NOT list_contains(CAST($without AS TEXT[]), b.voter)
    )
"""
_BALLOTS = f"""{_SELECTED}
    SELECT b.debate_id, b.matchup_id, b.bench, b.voter, b.status, b.asked, b.usd, b.seconds,
           s.outcome
    FROM taken b
    LEFT JOIN ballot_scores s ON s.ballot_id = b.ballot_id AND s.dimension = $dimension
"""
_CALLS = f"""{_SELECTED}
    SELECT b.bench, CASE WHEN contains(c.path, 'member/')
                    THEN regexp_extract(c.path, '(^|/)member/([0-9]+)/', 2) ELSE '' END AS member,
           count(*) AS calls,
           count(DISTINCT (b.ballot_id, split_part(c.path, 'member/', 1))) AS askings,
           sum(c.input_tokens) AS input_tokens, sum(c.output_tokens) AS output_tokens
    FROM taken b JOIN calls c ON c.unit = b.ballot_id GROUP BY ALL
"""
_TRACES = f"""{_SELECTED}
    SELECT b.bench, b.ballot_id, b.trace, s.outcome
    FROM taken b JOIN ballot_scores s ON s.ballot_id = b.ballot_id AND s.dimension = 'overall'
    WHERE b.status = 'valid' AND list_contains(CAST($stopping AS TEXT[]), b.bench)
    ORDER BY b.ballot_id
"""
_ORDERS = f"""{_SELECTED}, steps AS (
        SELECT b.bench, b.matchup_id, b.ballot_id, unnest(from_json(b.trace, '[{{
                   "agent": "VARCHAR", "order": "VARCHAR",
                   "verdicts": [{{"dimension": "VARCHAR", "outcome": "DOUBLE"}}]
               }}]')) AS step
        FROM taken b WHERE b.status = 'valid' AND b.swapped
    ), orders AS (
        SELECT bench, matchup_id, ballot_id, step."order" AS placed,
               list_filter(step.verdicts, lambda verdict: verdict.dimension = $dimension)[1].outcome
                   AS outcome
        FROM steps WHERE step.agent = '{ORDER}'
    )
    SELECT bench, matchup_id, max(outcome) FILTER (placed = 'given') AS given,
           max(outcome) FILTER (placed = 'exchanged') AS exchanged
    FROM orders GROUP BY bench, matchup_id, ballot_id
    HAVING given IS NOT NULL AND exchanged IS NOT NULL
    ORDER BY bench, matchup_id, ballot_id
"""
_LENGTHS = f"""{_SELECTED}
    SELECT debate_id, sum(words) FILTER (side = 'pro') AS pro_words,
           sum(words) FILTER (side = 'con') AS con_words
    FROM chosen JOIN speeches USING (debate_id) GROUP BY debate_id
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Material:
    """Frames of one selection of a tournament; only finished debates count.

    Values of debate_id and matchup_id are labels of any type, the same in all frames.

    Attributes:
        verdicts: a row per debate and bench that has all its ballots: debate_id, matchup_id,
            motion, bench, pro, con, outcome, weight, as `arena.boards.comparisons.compared_debates`
            returns them.
        ballots: a row per ballot: debate_id, matchup_id, bench, voter, status, asked, usd (as far
            as bills are known), seconds, outcome (Pro's; NaN where it failed).
        calls: a row per bench and member of a jury ('' outside of one): calls, askings (how often
            the member was asked; twice for both orders), input_tokens, output_tokens.
        traces: a row per valid ballot of a bench that may stop early: bench, ballot_id, trace
            (JSON), outcome (overall).
        orders: a row per valid ballot that was taken in both orders: bench, matchup_id, given,
            exchanged (Pro's outcomes in the two orders).
        lengths: a row per debate: debate_id, pro_words, con_words.
    """

    resolved: ResolvedConfig
    selection: Selection
    benches: tuple[Bench, ...]
    verdicts: pd.DataFrame
    ballots: pd.DataFrame
    calls: pd.DataFrame
    traces: pd.DataFrame
    orders: pd.DataFrame
    lengths: pd.DataFrame
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
    names = ("tournament", "category", "language", "since", "until")
    parameters: dict[str, Any] = {
        **{name: getattr(selection, name) for name in names},
        "without": list(selection.without),
        "ids": [participant.participant_id for participant in resolved.participants],
        "benches": [bench.name for bench in benches],
    }
    in_dimension = parameters | {"dimension": selection.dimension}
    stopping = [bench.name for bench in benches if bench.judge in STOPPING]
    frames = {
        "verdicts": compared_debates(store, selection, scope(resolved))[list(_VERDICT_COLUMNS)],
        "ballots": store.read(_BALLOTS, in_dimension),
        "orders": store.read(_ORDERS, in_dimension),
        "lengths": store.read(_LENGTHS, parameters),
    }
    return Material(
        resolved=resolved,
        selection=selection,
        benches=benches,
        calls=store.read(_CALLS, parameters),
        traces=store.read(_TRACES, parameters | {"stopping": stopping}),
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
