"""The time of `arena judges` on a large table of ballots, compared with a pandas group-by.

    python benchmarks/judges.py [--json] [--short]

A tournament of 20 participants is judged by five benches with nine ballots a debate, with as many
calls, traces and scores as such benches leave; outcomes are simulated. *Command* is the whole of
`arena judges` as a process of its own, *page* its measurements without the start of Python,
*reading* its queries alone. The group-by reads the same scores and computes each bench's share for
Pro: a lower bound of the time for anything on this table.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from arena.boards.selection import Selection  # noqa: E402
from arena.config.load import parse_config  # noqa: E402
from arena.config.resolve import resolve  # noqa: E402
from arena.config.resolved import ResolvedConfig  # noqa: E402
from arena.records import Bench  # noqa: E402
from arena.store.database import Store  # noqa: E402
from arena.tournament.plan import TournamentPlan, make_plan, store_plan  # noqa: E402
from benchmarks.reporting import report, timed  # noqa: E402
from judges.studies.agreement.material import read_material  # noqa: E402
from judges.studies.agreement.page import measure  # noqa: E402

_SKILLS = ("strong", "good", "fair", "weak")
_MEMBERS = [{"judge": "single", "model": f"offline/{skill}"} for skill in _SKILLS[:3]]
_BENCHES: tuple[dict[str, Any], ...] = (
    {"name": "debatrix", "judge": "debatrix", "runs": 3},
    {"name": "single", "judge": "single", "runs": 3},
    {"name": "more", "judge": "more", "runs": 1},
    {"name": "samre", "judge": "samre", "runs": 1, "options": {"jurors": 3}},
    {"name": "jury", "judge": "jury", "runs": 1, "options": {"members": _MEMBERS}},
)
#: Calls of one ballot, and how many other dimensions it has, by judge.
_CALLS = {"debatrix": 22, "single": 1, "more": 9, "samre": 16, "jury": 3}
_DIMENSIONS = {"debatrix": 3, "single": 6, "more": 6, "samre": 6, "jury": 0}
_PARTICIPANTS = 20
_TIES = 0.15

_FINISH = "UPDATE debates SET status = 'finished', finished_at = now()"
_SPEECHES = """
    INSERT INTO speeches
    SELECT debate_id, side, stage, 'Said.', 400 + CAST(hash(debate_id, side, stage) % 200 AS INT),
           FALSE, '[]', '[]'
    FROM debates, (SELECT unnest(['pro', 'con']) AS side),
         (SELECT unnest(['constructive', 'rebuttal', 'summary']) AS stage)
"""
_INSERT = """
    INSERT INTO ballots (ballot_id, debate_id, bench, run, status, trace, seconds, cost_usd)
    SELECT ballot_id, debate_id, bench, run, 'valid', trace, 2.5, 0.01 FROM batch
"""
_SCORES = """
    INSERT INTO ballot_scores
    SELECT ballot_id, CASE n WHEN 0 THEN 'overall' ELSE 'criterion ' || n END, outcome, 6, 5, ''
    FROM batch, range(dimensions + 1) AS counted(n)
"""
_CALLED = """
    INSERT INTO calls
    SELECT ballot_id, CASE bench WHEN 'jury' THEN 'run/0/member/' || n + 1 || '/judge'
                      ELSE 'run/' || run || '/judge/' || n END,
           0, 'judge.score', '', 'offline/good', 4000, 300, 0, 0, 0.001, 0.5, 0, 'stop', ''
    FROM batch, range(calls) AS counted(n)
"""
_READ = """
    SELECT b.bench, b.debate_id, s.outcome
    FROM ballots b JOIN ballot_scores s USING (ballot_id) WHERE s.dimension = 'overall'
"""


def database(path: Path, matchups: int) -> tuple[Store, ResolvedConfig]:
    """Store a played and judged tournament with `matchups` per pair, two legs each."""
    content = {
        "tournament": {"name": "ballots", "seed": 7},
        "schedule": {"matchups_per_pair": matchups},
        "participants": [
            {"name": f"p{n:02}", "debater": "direct", "model": f"offline/{_SKILLS[n % 4]}"}
            for n in range(_PARTICIPANTS)
        ],
        "benches": [{"model": "offline/good", **bench} for bench in _BENCHES],
    }
    store = Store(path)
    resolved = resolve(parse_config(content, where="benchmark"), where="benchmark")
    plan = make_plan(resolved, store)
    store_plan(plan, store)
    ballots = pd.concat(_ballots(plan), ignore_index=True)

    def batch(link: Any) -> None:  # noqa: ANN401 - an open connection
        link.register("batch", ballots)
        for statement in (_FINISH, _SPEECHES, _INSERT, _SCORES, _CALLED):
            link.execute(statement)

    store.write(batch)
    return store, resolved


def _ballots(plan: TournamentPlan) -> Iterator[pd.DataFrame]:
    """Simulate the ballots of each bench from the sides' abilities and the bench's own noise."""
    rng = np.random.default_rng(7)
    ability = {player.participant_id: rng.normal() for player in plan.resolved.participants}
    ids = np.array([debate.debate_id for debate in plan.debates])
    lead = np.array([ability[debate.pro] - ability[debate.con] for debate in plan.debates])
    lead += rng.normal(size=len(lead))
    for bench in plan.resolved.benches:
        for run in range(bench.runs):
            score = lead + rng.normal(size=len(lead))
            outcome = np.where(np.abs(score) < _TIES, 0.5, (score > 0).astype(float))
            yield pd.DataFrame(
                {
                    "ballot_id": np.char.add(ids, f"-{bench.name}-{run}"),
                    "debate_id": ids,
                    "bench": bench.name,
                    "run": run,
                    "outcome": outcome,
                    "trace": [_trace(bench, value, rng) for value in outcome],
                    "calls": _CALLS[bench.judge],
                    "dimensions": _DIMENSIONS[bench.judge],
                }
            )


def _trace(bench: Bench, outcome: float, rng: np.random.Generator) -> str:
    """Return a trace as `jury` and `samre` write it, JSON."""
    steps: list[dict[str, Any]] = []
    if bench.judge == "jury":
        odd = int(rng.integers(1, 5))  # the member that dissents; 4: none
        steps = [
            {"agent": "member", "number": n, "judge": "single", "model": "offline/good"}
            | {"outcome": 1 - outcome if n == odd else outcome, "comment": "20 : 15. " * 20}
            for n in (1, 2, 3)
        ]
    elif bench.judge == "samre":
        held = int(rng.integers(2, 5))
        gaps = rng.integers(-9, 10, held)
        steps = [
            {"agent": "judge", "round": n + 1, "pro": 70 + int(gap), "con": 70}
            for n, gap in enumerate(gaps)
        ]
        steps += [{"agent": "juror", "winner": "Pro", "judgement": "I vote. " * 20}] * 3
    return json.dumps(steps)


def measure_times(store: Store, resolved: ResolvedConfig) -> Mapping[str, object]:
    """Time `arena judges` and the group-by on one database, one after the other."""
    selection = Selection(tournament=resolved.name, bench="all")
    parts: dict[str, Callable[[], object]] = {
        "command": lambda: _command(store.path),
        "page": lambda: measure(store, resolved, selection),
        "reading": lambda: read_material(store, resolved, selection),
        "group_by": lambda: _group_by(store),
    }
    times: dict[str, float] = {}
    for name, work in parts.items():
        times[f"{name}_s"], times[f"{name}_cpu_s"] = timed(work)
    ratio = times["page_cpu_s"] / times["group_by_cpu_s"]
    return {"case": _case(store), **times, "ratio": ratio}


def _case(store: Store) -> str:
    counts = [
        store.read(f"SELECT count(*) AS n FROM {table}")["n"][0]  # noqa: S608 - a constant
        for table in ("ballots", "debates", "calls")
    ]
    return "{:,} ballots of {:,} debates, {:,} calls".format(*counts)


def _command(path: Path) -> None:
    words = [str(Path(sys.executable).parent / "arena"), "judges", "--db", str(path)]
    subprocess.run(words, check=True, capture_output=True)


def _group_by(store: Store) -> pd.Series[float]:
    scores = store.read(_READ)
    by_debate = scores.groupby(["bench", "debate_id"])["outcome"].sum()
    shares: pd.Series[float] = by_debate.groupby("bench").mean()
    return shares


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object per case and line.")
@click.option("--short", is_flag=True, help="A short form, for a look: 10,000 ballots alone.")
def main(as_json: bool, short: bool) -> None:  # noqa: FBT001
    """Measure at 10,000 and 100,000 ballots."""
    with tempfile.TemporaryDirectory() as folder:
        cases = (3,) if short else (3, 30)
        rows = (measure_times(*database(Path(folder) / f"{n}.duckdb", n)) for n in cases)
        report(rows, as_json=as_json)


if __name__ == "__main__":
    main()
