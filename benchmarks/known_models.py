"""Tournaments of the offline models, whose order is known, from the file to the board."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.commands.run import run
from arena.config.load import load_config
from arena.config.resolve import resolve
from arena.config.resolved import ResolvedConfig
from arena.scheduling.asked import Asked
from arena.scheduling.recovery import kendall_tau
from arena.store.database import Store
from arena.tournament.certainty import foresee_stored
from arena.tournament.plan import make_plan
from arena.tournament.wave_planning import read_comparisons
from ratings import Comparisons, Confidence, confidence, fit

Floats = NDArray[np.float64]
#: The offline models, the most skilled first (docs/offline.md).
MODELS = ("strong", "good", "fair", "weak")
_FILE = """
[tournament]
name = "known"
seed = {seed}
[schedule]
matchups_per_pair = {matchups}
[[benches]]
name = "bench"
judge = "debatrix"
model = "offline/strong"
runs = {runs}
"""
_PARTICIPANT = """
[[participants]]
name = "{name}"
debater = "direct"
model = "offline/{name}"
"""
_MATCHUPS, _RUNS = 6, 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Played:
    """One tournament that was played and judged.

    Attributes:
        foreseen: half width of an interval before anything was played, close and wide field.
        comparisons: of its debates; participants are named by their models.
        board: its ratings with intervals.
    """

    foreseen: tuple[float, float]
    comparisons: Comparisons
    board: Confidence


def play_known(folder: Path, seed: int, *, matchups: int = _MATCHUPS, runs: int = _RUNS) -> Played:
    """Play a round robin of the offline models, and rate it as the board does."""
    file, db = folder / f"{seed}.toml", folder / f"{seed}.duckdb"
    participants = "".join(_PARTICIPANT.format(name=name) for name in MODELS)
    text = _FILE.format(seed=seed, matchups=matchups, runs=runs) + participants
    file.write_text(text, encoding="utf-8")
    store, resolved = Store(db), resolve(load_config(file), where=str(file))
    plan = make_plan(resolved, store)
    before = foresee_stored(plan, store, price=lambda _: (0.0, 0.0), cap=None)
    words = [str(file), "--yes", "--no-report", "--db", str(db)]
    with redirect_stdout(io.StringIO()):
        run.main(words, standalone_mode=False)
    comparisons = _read(resolved, store)
    return Played(
        foreseen=(before.half_width, before.widest),
        comparisons=comparisons,
        board=confidence(comparisons),
    )


def offline_rows(tournaments: int) -> Iterator[Mapping[str, object]]:
    """Yield a row for each tournament, and one for all: width, order, and what intervals cover.

    The rating that an interval is to contain is that of all other tournaments together.
    """
    with tempfile.TemporaryDirectory() as folder:
        played = [play_known(Path(folder), seed) for seed in range(1, tournaments + 1)]
    rows = []
    for place, tournament in enumerate(played):
        others = [other.comparisons for other in played if other is not tournament]
        rows.append(describe(tournament, fit(join(others)).rating))
        yield {"case": f"offline models, seed {place + 1}", **rows[-1]}
    yield {
        "case": f"all {tournaments}",
        **{key: float(np.mean([row[key] for row in rows])) for key in rows[0]},
    }


def describe(tournament: Played, truth: Floats) -> dict[str, float]:
    """Return how well a tournament was foreseen, and what its board recovered.

    Args:
        tournament: it was played.
        truth: (4,) the ratings that its intervals are to contain, by name.
    """
    board = tournament.board
    skill = np.array([-MODELS.index(name) for name in board.ratings.names], dtype=np.float64)
    wrong = board.above & ~(skill[:, None] > skill[None, :])
    return {
        "close": tournament.foreseen[0],
        "wide": tournament.foreseen[1],
        "came": float((board.upper - board.lower).mean() / 2),
        "tau": kendall_tau(board.ratings.rating, skill),
        "settled": float(board.above.sum()),
        "false": float(wrong.sum()),
        "covered": float(((board.lower <= truth) & (truth <= board.upper)).mean()),
    }


def join(tables: list[Comparisons]) -> Comparisons:
    """Return the comparisons of several tournaments of the same participants as one table."""
    columns = ("first", "second", "outcome", "weight")
    stacked: dict[str, Any] = {
        name: np.concatenate([getattr(table, name) for table in tables]) for name in columns
    }
    ends = np.cumsum([0, *(table.cluster.max() + 1 for table in tables)])
    cluster = np.concatenate(
        [table.cluster + end for table, end in zip(tables, ends, strict=False)]
    )
    return replace(tables[0], cluster=cluster, times=np.array(1), motion=None, **stacked)


def _read(resolved: ResolvedConfig, store: Store) -> Comparisons:
    compared = read_comparisons(resolved, store, Asked.of(resolved))
    assert compared is not None  # it was played
    rows = compared.comparisons
    names = {p.participant_id: p.name for p in resolved.participants}
    return Comparisons.of(
        [names[rows.names[index]] for index in rows.first],
        [names[rows.names[index]] for index in rows.second],
        rows.outcome,
        rows.weight,
        rows.cluster.tolist(),
    )
