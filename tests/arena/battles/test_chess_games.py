"""A chess tool that reads the exported games rates participants as our plain fit does.

The tool here is a few lines: tags read as in any PGN file, and the iteration of Hunter 2004
(doi 10.1214/aos/1079120141) for a model without weights and prior. docs/ratings.md has Ordo's own
figures.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from pathlib import Path

import pytest

from tests.command_line import done
from tests.handmade import changed, commit, content, judged, planned, played

_RESULTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
_OUTCOMES = (1.0, 0.0, 0.5, 1.0, 1.0, 0.0, 1.0)


def read_games(text: str) -> list[tuple[str, str, float]]:
    """White, Black and White's points of each game, from its tags alone."""
    games, tags = [], dict[str, str]()
    for line in text.splitlines():
        if match := re.fullmatch(r'\[(\w+) "((?:[^"\\]|\\.)*)"\]', line):
            tags[match[1]] = re.sub(r"\\(.)", r"\1", match[2])
        elif line in _RESULTS:
            assert tags["Result"] == line
            games.append((tags["White"], tags["Black"], _RESULTS[line]))
            tags = {}
    return games


def rate(games: list[tuple[str, str, float]]) -> dict[str, float]:
    """Elo ratings with a mean of 1000, by maximum likelihood."""
    points: defaultdict[str, float] = defaultdict(float)
    for white, black, won in games:
        points[white] += won
        points[black] += 1 - won
    strength = dict.fromkeys(points, 1.0)
    for _ in range(3000):
        expected: defaultdict[str, float] = defaultdict(float)
        for white, black, _ in games:
            for name in (white, black):
                expected[name] += 1 / (strength[white] + strength[black])
        strength = {name: points[name] / expected[name] for name in points}
    logs = {name: 400 * math.log10(value) for name, value in strength.items()}
    mean = sum(logs.values()) / len(logs)
    return {name: 1000 + value - mean for name, value in logs.items()}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four participants, connected by wins in both directions, with verdicts of three runs."""
    config = content("ann", "bob jr", "c+d", "dan", runs=3)
    config = changed(config, ["schedule", "matchups_per_pair"], 4)
    store, plan = planned(tmp_path_factory.mktemp("chess") / "own.duckdb", config)
    ballots = [
        judged(debate, _OUTCOMES[(3 * number + run * run) % 7], run=run)
        for number, debate in enumerate(plan.debates)
        for run in range(3)
    ]
    commit(store, *map(played, plan.debates), *ballots)
    return store.path


def test_exported_games_are_rated_as_by_the_plain_fit(path: Path, tmp_path: Path) -> None:
    done("export", tmp_path / "games.pgn", "--db", path)
    games = read_games((tmp_path / "games.pgn").read_text("utf-8"))
    options = ("--method", "unweighted", "--no-prior", "--format", "json")
    rows = json.loads(done("leaderboard", "--db", path, *options))["rows"]
    assert len(games) == sum(row["debates"] for row in rows) // 2 == 48
    assert rate(games) == pytest.approx(
        {row["participant"]: row["rating"] for row in rows}, abs=0.01
    )
    weighted = json.loads(done("leaderboard", "--db", path, "--format", "json"))["rows"]
    assert [row["rating"] for row in weighted] != pytest.approx(
        [row["rating"] for row in rows], abs=1
    )
