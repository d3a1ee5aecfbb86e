"""What evidence is worth to the simulated judges: the reason that a simulated board means anything.

These are properties of the protocol and of the simulator together: references come only from a
search, judges see them resolved, and nothing else tells the participants apart.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pytest
from numpy.typing import NDArray

from arena.boards.comparisons import compared_debates
from arena.boards.selecting import scope
from arena.boards.selection import Selection
from arena.config.resolved import ResolvedConfig
from arena.config.stored import stored_config
from arena.debates.ballot import BallotRecord, take_ballot
from arena.debates.play import Assignment
from arena.languages import Side
from arena.llm.budget import Budget
from arena.llm.journal import Journal
from arena.records import BallotCall, Debate, Participant
from arena.search.tool import NoSearch
from arena.store.database import Store
from arena.store.rows import read_speeches
from arena.tournament.models import Models
from arena.tournament.plan import make_plan
from tests.support.command_line import done
from tests.support.played_tournaments import played_once
from tests.support.toml_files import bench, player, toml_text

pytestmark = pytest.mark.usefixtures("no_stored_boards")

_FULL, _ABLATED = "full", "no-searcher"


def _play(folder: Path, search: str, *, matchups: int) -> Path:
    file, db = folder / f"{search}.toml", folder / f"{search}.duckdb"
    text = toml_text(
        tournament={"name": "evidence", "seed": 11},
        schedule={"matchups_per_pair": matchups},
        search={"kind": search},
        participants=[
            player(_FULL, "agent4debate"),
            player(_ABLATED, "agent4debate", options={"searcher": False}),
        ],
        benches=[bench("debatrix", model="offline/strong", runs=3)],
    )
    file.write_text(text, "utf-8")
    done("run", file, "--yes", "--db", db)
    return db


@pytest.fixture(scope="session")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = played_once(
        tmp_path_factory, "evidence", lambda folder: _play(folder, "brief", matchups=8)
    )
    return folder / "brief.duckdb"


def _source_gain(db: Path) -> NDArray[np.float64]:
    """Per matchup: source points (of 3) of the full team, less the ablation's; mean of two legs."""
    store = Store(db)
    selection = Selection(tournament="evidence", bench="debatrix", dimension="source")
    frame = compared_debates(store, selection, scope(stored_config(store, "evidence")))
    difference = frame["pro_score"] - frame["con_score"]
    frame["gain"] = difference.where(frame["pro"] == _FULL, -difference)
    return frame.groupby("matchup_id")["gain"].mean().to_numpy()


def _interval(gains: NDArray[np.float64]) -> tuple[float, float]:
    """95 % of the mean, matchups resampled."""
    rng = np.random.default_rng(5)
    drawn = rng.choice(gains, (4000, len(gains))).mean(axis=1)
    lower, upper = np.quantile(drawn, [0.025, 0.975])
    return float(lower), float(upper)


@pytest.mark.slow
def test_with_search_the_searcher_earns_source_points(searched: Path) -> None:
    lower, _ = _interval(_source_gain(searched))
    assert lower > 0


@pytest.mark.deep
@pytest.mark.slow
def test_without_search_the_searcher_earns_nothing(tmp_path: Path) -> None:
    lower, upper = _interval(_source_gain(_play(tmp_path, "none", matchups=48)))
    assert lower <= 0 <= upper
    assert upper - lower < 0.3


@pytest.mark.slow
def test_without_their_references_the_same_speeches_earn_nothing(
    searched: Path, tmp_path: Path
) -> None:
    db = tmp_path / "stripped.duckdb"
    shutil.copy(searched, db)
    with duckdb.connect(str(db)) as link:
        link.execute("""UPDATE speeches SET "references" = '[]'""")
        link.execute("DELETE FROM ballots")
        link.execute("DELETE FROM ballot_scores")
        link.execute("DELETE FROM calls WHERE starts_with(path, 'run/')")
        link.execute("DELETE FROM exchanges WHERE unit NOT IN (SELECT debate_id FROM debates)")
    done("resume", "--yes", "--db", db)
    lower, upper = _interval(_source_gain(db))
    assert lower <= 0 <= upper
    assert _source_gain(db).mean() < 0.1 * _source_gain(searched).mean()


@pytest.mark.slow
def test_exchanging_the_names_changes_no_ballot(searched: Path, tmp_path: Path) -> None:
    store = Store(searched)
    resolved = stored_config(store, "evidence")
    named = {one.participant_id: one for one in resolved.participants}
    other = {_FULL: _ABLATED, _ABLATED: _FULL}
    exchanged = {key: replace(one, name=other[one.name]) for key, one in named.items()}
    debates = make_plan(resolved, store).debates[:6]
    again = asyncio.run(_judge(resolved, store, debates, exchanged, tmp_path))
    for record in again:
        stored = store.rows(
            "SELECT dimension, outcome, pro_mark, con_mark, comment FROM ballot_scores "
            "WHERE ballot_id = $id ORDER BY dimension",
            {"id": record.ballot.ballot_id},
        )
        judged = sorted(record.ballot.verdicts, key=lambda one: one.dimension)
        assert [
            (one.dimension, one.outcome, one.pro_mark, one.con_mark, one.comment) for one in judged
        ] == [tuple(row.values()) for row in stored]


async def _judge(
    resolved: ResolvedConfig,
    store: Store,
    debates: tuple[Debate, ...],
    participants: Mapping[str, Participant],
    folder: Path,
) -> list[BallotRecord]:
    models = Models(resolved.config, resolved.motions, budget=Budget())
    speeches = read_speeches(store, [debate.debate_id for debate in debates])
    motions = {motion.motion_id: motion for motion in resolved.motions}
    records = []
    for debate in debates:
        sides: dict[Side, Participant] = {
            "pro": participants[debate.pro],
            "con": participants[debate.con],
        }
        assignment = Assignment(
            debate=debate,
            wording=motions[debate.motion_id].wording(debate.language),
            sides=sides,
            seed=resolved.config.tournament.seed,
            words=resolved.config.limits.words,
            search=NoSearch(),
        )
        for run in range(resolved.benches[0].runs):
            records.append(
                await take_ballot(
                    assignment,
                    speeches[debate.debate_id],
                    BallotCall(bench=resolved.benches[0], run=run),
                    access=models,
                    journal=Journal(folder),
                )
            )
    return records
