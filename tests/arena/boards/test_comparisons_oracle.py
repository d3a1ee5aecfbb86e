"""The one query beside a slow, obvious twin that reads the tables row by row."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from arena.boards.comparisons import compared_debates
from arena.boards.selection import Scope, Selection
from arena.store.database import Store, insert
from ratings import outcome_of, paper_weight

_START = datetime(2025, 1, 1, tzinfo=UTC)
_BENCHES = {"one": 1, "three": 3, "five": 5}
_SCOPE = Scope(runs=_BENCHES, participants={f"id-{n}": f"name-{n}" for n in range(4)})

Row = dict[str, Any]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Random debates, with ballots that are missing, failed, voted by hand or weighted."""
    rng = np.random.default_rng(3)
    made = Store(tmp_path_factory.mktemp("oracle") / "own.duckdb")
    debates: list[Row] = []
    ballots: list[Row] = []
    scores: list[Row] = []
    for n in range(120):
        pro, con = rng.choice(5, 2, replace=False)  # the fifth is not of the scope
        debates.append(
            {
                "debate_id": f"d{n}",
                "matchup_id": f"m{n // 2}",
                "tournament": str(rng.choice(["t", "t", "t", "u"])),
                "motion_id": f"motion-{rng.integers(3)}",
                "language": str(rng.choice(["en", "zh"])),
                "leg": n % 2,
                "repeat": 0,
                "pro": f"id-{pro}",
                "con": f"id-{con}",
                "status": str(rng.choice(["finished", "finished", "finished", "forfeit", "void"])),
                "finished_at": _START + timedelta(hours=n),
            }
        )
        for bench, runs in _BENCHES.items():
            for run in range(runs):
                if rng.random() < 0.03:
                    continue
                ballot = f"b{n}-{bench}-{run}"
                ballots.append(
                    {
                        "ballot_id": ballot,
                        "debate_id": f"d{n}",
                        "bench": bench,
                        "run": run,
                        "status": "failed" if rng.random() < 0.03 else "valid",
                        "voter": str(rng.choice(["", "eve", "fay"])),
                        "weight": float(rng.integers(1, 9)) if n % 7 == 0 else None,
                    }
                )
                scores += [
                    {
                        "ballot_id": ballot,
                        "dimension": dimension,
                        "outcome": float(rng.choice([1.0, 0.5, 0.0])),
                        "pro_mark": 5.0,
                        "con_mark": 5.0,
                        "comment": "",
                    }
                    for dimension in ("overall", "source")
                ]
    motions: list[Row] = [
        {
            "motion_id": f"motion-{n}",
            "motion_set": "own",
            "category": ("fact", "policy", "value")[n],
            "topic": "t",
            "language": code,
            "text": "On it",
            "info_slide": "",
            "brief": {},
        }
        for n in range(3)
        for code in ("en", "zh")
    ]
    tables: dict[str, list[Row]] = {
        "motions": motions,
        "debates": debates,
        "ballots": ballots,
        "ballot_scores": scores,
    }

    def fill(link: Any) -> None:  # noqa: ANN401 - an open connection
        for table, rows in tables.items():
            insert(link, table, rows)

    made.write(fill)
    return made


def twin(store: Store, selection: Selection) -> dict[tuple[str, str], tuple[float, ...]]:
    """Outcome, weight and scores by debate and bench, by loops."""
    tables = {
        name: store.rows(f"SELECT * FROM {name}")  # noqa: S608 - constants
        for name in ("debates", "motions", "ballots", "ballot_scores")
    }
    category = {(one["motion_id"], one["language"]): one["category"] for one in tables["motions"]}
    outcome = {
        one["ballot_id"]: one["outcome"]
        for one in tables["ballot_scores"]
        if one["dimension"] == selection.dimension
    }
    taken: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for ballot in tables["ballots"]:
        if ballot["status"] == "valid" and ballot["ballot_id"] in outcome:
            taken[ballot["debate_id"], ballot["bench"]].append(ballot)
    found: dict[tuple[str, str], tuple[float, ...]] = {}
    for debate in tables["debates"]:
        ended = debate["finished_at"]
        fits = (
            debate["tournament"] == selection.tournament
            and debate["status"] == "finished"
            and {debate["pro"], debate["con"]} <= set(_SCOPE.participants)
            and selection.category in ("all", category[debate["motion_id"], debate["language"]])
            and selection.language in ("all", debate["language"])
            and (selection.since is None or ended >= selection.since)
            and (selection.until is None or ended < selection.until)
        )
        for bench, runs in _BENCHES.items():
            if not fits or bench in selection.without or selection.bench not in (bench, "all"):
                continue
            ballots = taken[debate["debate_id"], bench]
            kept = [one for one in ballots if one["voter"] not in selection.without]
            if len(ballots) < runs or not kept:
                continue
            won = sum(outcome[one["ballot_id"]] for one in kept)
            scale = 3 / len(kept) if len(kept) > 3 else 1
            pro, con = won * scale, (len(kept) - won) * scale
            weights = [one["weight"] for one in ballots if one["weight"] == one["weight"]]
            weight = float(max(weights)) if weights else float(paper_weight(pro - con))
            found[debate["debate_id"], bench] = (outcome_of(pro - con), weight, pro, con)
    return found


@pytest.mark.parametrize(
    "selection",
    [
        Selection(tournament="t", bench="one"),
        Selection(tournament="t", bench="three", dimension="source"),
        Selection(tournament="t", bench="five", category="policy"),
        Selection(tournament="u", bench="all"),
        Selection(tournament="t", bench="all", language="zh", without=("three",)),
        Selection(tournament="t", bench="all", without=("eve",)),
        Selection(tournament="t", bench="five", without=("eve", "fay")),
        Selection(tournament="t", bench="three", since=_START + timedelta(hours=40)),
        Selection(
            tournament="t",
            bench="all",
            category="fact",
            since=_START + timedelta(hours=20),
            until=_START + timedelta(hours=90),
        ),
    ],
    ids=lambda one: one.title,
)
def test_the_query_finds_what_its_twin_finds(store: Store, selection: Selection) -> None:
    frame = compared_debates(store, selection, _SCOPE)
    columns = ["outcome", "weight", "pro_score", "con_score"]
    found = {
        (row["debate_id"], row["bench"]): tuple(row[name] for name in columns)
        for row in frame.to_dict("records")
    }
    expected = twin(store, selection)
    assert expected
    assert set(found) == set(expected)
    for key, values in expected.items():
        assert found[key] == pytest.approx(values, rel=1e-14)
