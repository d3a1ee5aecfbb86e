"""What judges are measured on, read from the store at once."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from arena.boards.comparisons import Selection, compared_debates
from arena.boards.selection import scope
from arena.config.resolve import ResolvedConfig
from arena.debates.pairs import ORDER
from arena.records import Bench
from arena.store.database import Store

#: Judges that may stop before everything is asked; the traces of others are not read.
STOPPING = ("jury", "samre")

_VERDICT = ("debate_id", "matchup_id", "motion", "bench", "pro", "con", "outcome", "weight")

_CHOSEN = """
    WITH chosen AS (
        SELECT d.debate_id, d.matchup_id
        FROM debates d
        JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
        WHERE d.tournament = $tournament AND d.status = 'finished'
          AND $category IN ('all', m.category) AND $language IN ('all', d.language)
          AND ($since IS NULL OR d.finished_at >= $since)
          AND ($until IS NULL OR d.finished_at < $until)
          AND list_contains(CAST($ids AS TEXT[]), d.pro)
          AND list_contains(CAST($ids AS TEXT[]), d.con)
    ), taken AS (
        SELECT b.*, chosen.matchup_id FROM chosen JOIN ballots b USING (debate_id)
        WHERE list_contains(CAST($benches AS TEXT[]), b.bench)
          AND NOT list_contains(CAST($without AS TEXT[]), b.voter)
    )
"""
_BALLOTS = f"""{_CHOSEN}
    SELECT b.debate_id, b.matchup_id, b.bench, b.voter, b.status, b.asked, b.cost_usd, b.seconds,
           s.outcome
    FROM taken b
    LEFT JOIN ballot_scores s ON s.ballot_id = b.ballot_id AND s.dimension = $dimension
"""
_CALLS = f"""{_CHOSEN}
    SELECT b.bench, CASE WHEN contains(c.path, 'member/')
                    THEN regexp_extract(c.path, '(^|/)member/([0-9]+)/', 2) ELSE '' END AS member,
           count(*) AS calls,
           count(DISTINCT (b.ballot_id, split_part(c.path, 'member/', 1))) AS askings,
           sum(c.input_tokens) AS input_tokens, sum(c.output_tokens) AS output_tokens
    FROM taken b JOIN calls c ON c.unit = b.ballot_id GROUP BY ALL
"""
_TRACES = f"""{_CHOSEN}
    SELECT b.bench, b.ballot_id, b.trace, s.outcome
    FROM taken b JOIN ballot_scores s ON s.ballot_id = b.ballot_id AND s.dimension = 'overall'
    WHERE b.status = 'valid' AND list_contains(CAST($stopping AS TEXT[]), b.bench)
    ORDER BY b.ballot_id
"""
_ORDERS = f"""{_CHOSEN}, steps AS (
        SELECT b.bench, b.matchup_id, b.ballot_id, unnest(from_json(b.trace, '[{{
                   "agent": "VARCHAR", "order": "VARCHAR",
                   "verdicts": [{{"dimension": "VARCHAR", "outcome": "DOUBLE"}}]
               }}]')) AS step
        FROM taken b WHERE b.status = 'valid' AND b.swapped
    ), orders AS (
        SELECT bench, matchup_id, ballot_id, step."order" AS placed,
               list_filter(step.verdicts, lambda one: one.dimension = $dimension)[1].outcome
                   AS outcome
        FROM steps WHERE step.agent = '{ORDER}'
    )
    SELECT bench, matchup_id, max(outcome) FILTER (placed = 'given') AS given,
           max(outcome) FILTER (placed = 'exchanged') AS exchanged
    FROM orders GROUP BY bench, matchup_id, ballot_id
    HAVING given IS NOT NULL AND exchanged IS NOT NULL
    ORDER BY bench, matchup_id, ballot_id
"""
_LENGTHS = f"""{_CHOSEN}
    SELECT debate_id, sum(words) FILTER (side = 'pro') AS pro_words,
           sum(words) FILTER (side = 'con') AS con_words
    FROM chosen JOIN speeches USING (debate_id) GROUP BY debate_id
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Material:
    """Frames of one selection of a tournament; only finished debates count.

    A debate_id and a matchup_id is any label, the same in all frames.

    Attributes:
        benches: those that are measured.
        verdicts: a row per debate and bench that has all its ballots: debate_id, matchup_id,
            motion, bench, pro, con, outcome, weight, as `arena.boards.comparisons.compared_debates`
            gives them.
        ballots: a row per ballot: debate_id, matchup_id, bench, voter, status, asked, cost_usd,
            seconds, outcome (Pro's; NaN where it failed).
        calls: a row per bench and member of a panel ('' outside of one): calls, askings (of the
            member; of both orders, two), input_tokens, output_tokens.
        traces: a row per valid ballot of a bench that may stop early: bench, ballot_id, trace
            (JSON), outcome (overall).
        orders: a row per valid ballot that was taken in both orders: bench, matchup_id, given,
            exchanged (Pro's outcomes, whoever stood first).
        lengths: a row per debate: debate_id, pro_words, con_words.
        seed: of the tournament.
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

    def rng(self, *what: str) -> np.random.Generator:
        """Chance for one figure, the same whatever else is measured."""
        return np.random.default_rng([self.seed, *(zlib.crc32(word.encode()) for word in what)])

    def of(self, bench: Bench) -> pd.DataFrame:
        """The verdicts of one bench."""
        return self.verdicts[self.verdicts["bench"] == bench.name]

    def side_by_side(self) -> pd.DataFrame:
        """A row per debate, a column per bench: Pro's outcome, NaN where there is no verdict.

        The index is the debate and its matchup.
        """
        wide = self.verdicts.set_index(["debate_id", "matchup_id", "bench"])["outcome"]
        return wide.unstack("bench").reindex(columns=[one.name for one in self.benches])


def read_material(store: Store, resolved: ResolvedConfig, selection: Selection) -> Material:
    """Read everything at once.

    Args:
        store: where it is.
        resolved: the tournament.
        selection: which of its debates; the bench is `all`.
    """
    benches = tuple(one for one in resolved.benches if one.name not in selection.without)
    chosen = _parameters(resolved, selection, benches)
    frames = {
        "verdicts": compared_debates(store, selection, scope(resolved))[list(_VERDICT)],
        "ballots": store.read(_BALLOTS, chosen | {"dimension": selection.dimension}),
        "orders": store.read(_ORDERS, chosen | {"dimension": selection.dimension}),
        "lengths": store.read(_LENGTHS, chosen),
    }
    return Material(
        resolved=resolved,
        selection=selection,
        benches=benches,
        calls=store.read(_CALLS, chosen),
        traces=store.read(_TRACES, chosen | {"stopping": _stopping(benches)}),
        seed=resolved.config.tournament.seed,
        **_numbered(frames),
    )


def _numbered(frames: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Frames with numbers in place of ids, alike in all of them: texts are slow to group by."""
    found = dict(frames)
    for column in ("debate_id", "matchup_id"):
        having = [name for name in found if column in found[name]]
        texts = pd.concat([found[name][column] for name in having], ignore_index=True)
        numbers = iter(np.split(pd.factorize(texts)[0], _ends(found[name] for name in having)))
        for name in having:
            found[name] = found[name].assign(**{column: next(numbers)})
    return found


def _ends(frames: Iterable[pd.DataFrame]) -> list[int]:
    """Where one frame ends and the next begins, where they follow each other."""
    return list(itertools.accumulate(len(one) for one in frames))[:-1]


def _stopping(benches: tuple[Bench, ...]) -> list[str]:
    return [one.name for one in benches if one.judge in STOPPING]


def _parameters(
    resolved: ResolvedConfig, selection: Selection, benches: tuple[Bench, ...]
) -> dict[str, Any]:
    return {
        "tournament": selection.tournament,
        "category": selection.category,
        "language": selection.language,
        "since": selection.since,
        "until": selection.until,
        "without": list(selection.without),
        "ids": [one.participant_id for one in resolved.participants],
        "benches": [one.name for one in benches],
    }
