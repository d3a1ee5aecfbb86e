"""However many debates are queued, few files are open: journals belong to debates under way."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from arena.config.load import parse_config
from arena.config.resolve import resolve
from arena.debates.ballot import BallotRecord
from arena.debates.play import DebateRecord
from arena.llm.budget import Budget
from arena.store.database import Store
from arena.tournament.models import Models
from arena.tournament.plan import make_plan, store_plan
from arena.tournament.run import Run
from tests.support.console_script import ARENA, environment
from tests.support.toml_files import bench, player, toml_text

pytestmark = [pytest.mark.usefixtures("no_stored_boards"), pytest.mark.slow]

DESCRIPTORS = Path("/proc/self/fd")
CONCURRENCY = 64


class Counter:
    """Counts open files at each result."""

    def __init__(self) -> None:
        self.most = self.debates = 0

    def debate(self, record: DebateRecord) -> None:
        self.debates += record.status == "finished"
        self._count()

    def ballot(self, record: BallotRecord) -> None:
        self._count()

    def note(self, text: str) -> None:
        """Ignore it."""

    def _count(self) -> None:
        self.most = max(self.most, len(os.listdir(DESCRIPTORS)))


@pytest.mark.skipif(not DESCRIPTORS.exists(), reason="/proc lists the open files")
async def test_hundreds_of_debates_open_as_many_journals_as_are_under_way(tmp_path: Path) -> None:
    content = {
        "tournament": {"name": "many", "seed": 3, "contest": "question", "motions": "wordplay10"},
        "schedule": {"matchups_per_pair": 15},
        "participants": [
            {
                "name": f"p{number}",
                "debater": "direct",
                "model": "offline/fair",
                "sampling": {"temperature": 0.1 * number},
            }
            for number in range(5)
        ],
        "benches": [{"name": "judge", "judge": "correctness", "runs": 1}],
    }
    resolved = resolve(parse_config(content, where="x"), where="x")
    store, counter = Store(tmp_path / "many.duckdb"), Counter()
    plan = make_plan(resolved, store)
    store_plan(plan, store)
    assert len(plan.open) == 300
    before = len(os.listdir(DESCRIPTORS))
    models = Models(resolved.config, resolved.motions, budget=Budget())
    await Run(plan, store, models, counter, concurrency=CONCURRENCY).play()
    assert counter.debates == 300
    assert counter.most - before <= 2 * CONCURRENCY + 32, "journals of debates and ballots"
    assert len(os.listdir(DESCRIPTORS)) <= before + 8, "all journals are closed"


QUESTIONS = toml_text(
    tournament={"name": "files", "seed": 3, "contest": "question", "motions": "wordplay10"},
    schedule={"matchups_per_pair": 100},
    participants=[
        player("a", "direct", "offline/fair"),
        player("b"),
    ],
    benches=[bench("judge", "correctness")],
)


def limited(folder: Path, *, soft: int, hard: int) -> tuple[int, str]:
    """Play 200 contests at once where so many files may be open."""
    file, db = folder / "files.toml", folder / "files.duckdb"
    file.write_text(QUESTIONS, "utf-8")
    command = f"ulimit -Sn {soft}; ulimit -Hn {hard}; exec {ARENA} run {file} --yes --db {db}"
    run = subprocess.run(
        ["/bin/sh", "-c", f"{command} --concurrency 200"],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    return run.returncode, run.stdout + run.stderr


@pytest.mark.skipif(os.name != "posix", reason="the limit is one of POSIX systems")
def test_the_system_s_limit_is_raised_where_it_can_be(tmp_path: Path) -> None:
    code, printed = limited(tmp_path, soft=100, hard=4096)
    assert code == 0, printed
    assert "Played 200 debates" in printed


@pytest.mark.skipif(os.name != "posix", reason="the limit is one of POSIX systems")
def test_a_limit_that_cannot_be_raised_is_one_message(tmp_path: Path) -> None:
    code, printed = limited(tmp_path, soft=100, hard=100)
    assert code == 2, printed
    assert "too many files are open. Lower `concurrency` under [schedule]" in printed
    assert "Traceback" not in printed
