"""How long commands take on 100,000 debates, beside a bare DuckDB scan of the same tables.

    python benchmarks/large.py [--json] [--short]

The debates are made, not played: a tournament of 20 participants is planned, and SQL fills in its
speeches, calls and ballots (short ones, whose outcomes are hashes) and makes their hashes. *Scan*
reads every column of the tables that the command has to read, `bit_xor(hash(table))`, in a process
that only imports DuckDB; *start* is `arena --version`. All in the same run, the median of five, in
seconds.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from arena.config.load import parse_config  # noqa: E402 - the project, when run as a script
from arena.config.resolve import resolve  # noqa: E402
from arena.store.database import Store  # noqa: E402
from arena.store.seals import seal_all  # noqa: E402
from arena.tournament.plan import make_plan, store_plan  # noqa: E402
from benchmarks.reporting import report  # noqa: E402

_ARENA = Path(sys.executable).with_name("arena")
_PARTICIPANTS = 20
_REPEATS = 5
_ALL = (
    "tournaments", "motions", "participants", "debates", "speeches", "calls", "exchanges",
    "ballots", "ballot_scores",
)  # fmt: skip
#: The commands, and the tables that each has to read.
COMMANDS: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "list": (["list"], ("tournaments", "participants", "debates", "ballots")),
    "status": (["status"], ("tournaments", "participants", "debates", "ballots")),
    "leaderboard": (
        ["leaderboard"],
        ("tournaments", "motions", "participants", "debates", "calls", "ballots", "ballot_scores"),
    ),
    "resume, nothing to do": (
        ["resume", "--yes", "--no-report"],
        ("tournaments", "motions", "participants", "debates", "ballots"),
    ),
    "verify": (["verify"], _ALL),
}
_SCAN = """
import sys, duckdb
with duckdb.connect(sys.argv[1], read_only=True) as link:
    for table in sys.argv[2:]:
        link.execute(f"SELECT bit_xor(hash({table})) FROM {table}").fetchall()
"""

#: Plays every planned debate: short speeches, two calls a side, one ballot; none of it is real.
_FILL = (
    """UPDATE debates SET status = 'finished', cost_usd = 0.004,
       started_at = TIMESTAMPTZ '2025-01-01 00:00:00+00', finished_at =
       TIMESTAMPTZ '2025-01-01 00:00:00+00' + to_seconds(CAST(hash(debate_id) % 864000 AS INT))""",
    """INSERT INTO speeches BY NAME SELECT debate_id, side, stage, '[]' AS trace, 150 AS words,
       repeat(substr(sha256(debate_id || side || stage), 1, 16) || ' ', 60) AS text,
       FALSE AS trimmed, '[]' AS "references"
       FROM debates, unnest(['pro', 'con']) s(side),
       unnest(['constructive', 'rebuttal', 'summary']) t(stage)""",
    """INSERT INTO ballots BY NAME SELECT substr(sha256('["' || debate_id || '","bench",0]'), 1, 16)
       AS ballot_id, debate_id, 'bench' AS bench, 0 AS run, 'valid' AS status,
       repeat(substr(sha256(debate_id), 1, 16) || ' ', 20) AS rationale, 0.001 AS cost_usd
       FROM debates""",
    """INSERT INTO ballot_scores BY NAME SELECT ballot_id, dimension, 7 AS pro_mark, 6 AS con_mark,
       (hash(ballot_id || dimension) % 3) / 2 AS outcome, 'So.' AS comment
       FROM ballots, unnest(['overall', 'source', 'language', 'argument']) d(dimension)""",
    """INSERT INTO calls BY NAME SELECT unit, path, 0 AS attempt, 'write' AS task,
       substr(sha256(unit || path), 1, 16) AS prompt_hash, 'offline/good' AS model,
       900 AS input_tokens, 200 AS output_tokens, 0 AS cached_tokens, 0 AS reasoning_tokens,
       0.001 AS cost_usd, 1.5 AS seconds, 0 AS retries, 'stop' AS finish_reason
       FROM (SELECT debate_id AS unit, unnest(['pro/a/1', 'pro/b/1', 'con/a/1', 'con/b/1']) AS path
             FROM debates UNION ALL SELECT ballot_id, 'run/0/judge' FROM ballots)""",
    """INSERT INTO exchanges BY NAME SELECT unit, 1 AS part,
       CAST(repeat(sha256(unit), 8) AS BLOB) AS requests_and_answers
       FROM (SELECT debate_id AS unit FROM debates UNION ALL SELECT ballot_id FROM ballots)""",
)


def make_database(
    path: Path, debates: int, *, participants: int = _PARTICIPANTS, gauntlet: bool = False
) -> Store:
    """Make a database with a tournament of at least so many finished debates.

    Args:
        path: of the database.
        debates: how many at least.
        participants: how many.
        gauntlet: whether only the first of them meets the others, rather than all meet all.
    """
    pairs = participants - 1 if gauntlet else participants * (participants - 1) // 2
    digits = len(str(participants - 1))
    content: dict[str, Any] = {
        "tournament": {"name": "large", "seed": 1, "languages": ["en"], "motions": "arena66"},
        "schedule": {"matchups_per_pair": max(1, -(-debates // (2 * pairs)))},
        "participants": [
            {"name": f"p{number:0{digits}}", "debater": "direct", "model": "offline/good"}
            for number in range(participants)
        ],
        "benches": [{"name": "bench", "judge": "debatrix", "model": "offline/good", "runs": 1}],
    }
    if gauntlet:
        first = content["participants"][0]["name"]
        content["schedule"] |= {"kind": "gauntlet", "newcomers": [first]}
    resolved = resolve(parse_config(content, where="large"), where="large")
    store = Store(path)
    store_plan(make_plan(resolved, store), store)

    def fill(connection: Any) -> None:  # noqa: ANN401 - a DuckDB connection
        for statement in _FILL:
            connection.execute(statement)
        seal_all(connection)

    store.write(fill)
    return store


def measure(store: Store, *, repeats: int) -> Iterator[dict[str, object]]:
    """Yield a row per command: its median, and that of a bare scan of the tables that it reads."""
    debates = int(store.read("SELECT count(*) AS n FROM debates")["n"][0])
    start = _median([str(_ARENA), "--version"], repeats)
    for name, (words, tables) in COMMANDS.items():
        command = [str(_ARENA), *words, "--db", str(store.path)]
        seconds = _median(command, repeats)
        scan = _median([sys.executable, "-c", _SCAN, str(store.path), *tables], repeats)
        yield {
            "case": name,
            "debates": f"{debates:,}",
            "seconds": round(seconds, 2),
            "of which start": round(start, 2),
            "scan": round(scan, 2),
            "seconds / scan": round(seconds / scan, 1),
        }


def _median(command: Sequence[str], repeats: int) -> float:
    """Return the median of the seconds that a command takes."""
    measured = []
    for _ in range(repeats):
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        measured.append(time.perf_counter() - started)
    return statistics.median(measured)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One object per line and case.")
@click.option("--short", is_flag=True, help="2,000 debates, each command once.")
def main(*, as_json: bool, short: bool) -> None:
    """Measure the commands on a made database."""
    with tempfile.TemporaryDirectory() as folder:
        store = make_database(Path(folder) / "large.duckdb", 2_000 if short else 100_000)
        report(measure(store, repeats=1 if short else _REPEATS), as_json=as_json)


if __name__ == "__main__":
    main()
