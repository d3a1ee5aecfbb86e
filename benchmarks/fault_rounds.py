"""A tournament that is killed and disturbed again and again, beside the same undisturbed."""

from __future__ import annotations

import json
import os
import random
import signal
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from time import sleep
from typing import Any

import duckdb

from arena.registered import registered
from arena.store.database import Store
from tests.servers.faults import Fault, Faults
from tests.servers.openai_server import OpenAIServer, ServerSettings, serving_in_thread
from tests.support.console_script import environment
from tests.support.fork_server import places
from tests.support.forked_commands import Forked, Forker, Kill

CONFIGURATION = """
[tournament]
name = "night"
motions = "arena66"
categories = ["fact"]
seed = 7
[schedule]
matchups_per_pair = 1
concurrency = 4
[limits]
retries = 30
first_byte_seconds = 2.0
[models."openai/*"]
api_base = "env:ARENA_LOCAL_BASE_URL|none"
api_key = "env:ARENA_LOCAL_API_KEY|none"
usd_per_million = { input = 1.0, output = 1.0 }
concurrency = 8
[[participants]]
name = "agent4debate"
debater = "agent4debate"
model = "openai/local-model"
[[participants]]
name = "direct"
debater = "direct"
model = "openai/local-model"
[[participants]]
name = "cot"
debater = "cot"
model = "openai/local-model"
[[benches]]
name = "debatrix"
judge = "debatrix"
model = "openai/local-model"
runs = 1
[[benches]]
name = "single"
judge = "single"
model = "openai/local-model"
runs = 2
"""
#: What is compared, with the columns that may differ between two runs: a `record_hash` covers times
#: and costs, and `entry` is the order of writing.
_TABLES: Mapping[str, str] = {
    "debates": "replays, cost_usd, started_at, finished_at, record_hash",
    "speeches": "",
    "ballots": "seconds, cost_usd, record_hash, entry",
    "ballot_scores": "",
    "ratings": "created_at, record_hash",
}
RATES: Mapping[Fault, float] = {
    "rate_limit": 0.02,
    "server_error": 0.02,
    "drop": 0.02,
    "truncated": 0.02,
    "malformed": 0.01,
    "hang": 0.005,
}
_DELAY, _FASTER = 0.02, 50.0
#: A tenth of the runs has a full disk, and a tenth another program that holds the database.
_FULL_DISK, _HELD = 0.1, 0.1
_SIGKILL = -9


@dataclass(slots=True, kw_only=True)
class Counts:
    """What was done to the tournaments of some rounds, and what came of it.

    Attributes:
        kills: by place.
        requests, in_flight, twice: by place of the kill: requests that a killed run sent, calls
            that it had under way, and requests of it that were sent again later.
        most_over: by how many more were sent again than were under way, at the worst kill.
        faults: requests that the server failed, by kind.
        messages: runs that ended with an error, by message.
        differences: columns that differ from the undisturbed run.
        untidy: what `arena verify` or a run printed that it should not.
    """

    rounds: int = 0
    runs: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    requests: Counter[str] = field(default_factory=Counter)
    in_flight: Counter[str] = field(default_factory=Counter)
    twice: Counter[str] = field(default_factory=Counter)
    most_over: int = -1000
    faults: Counter[str] = field(default_factory=Counter)
    full_disks: int = 0
    held: int = 0
    verified: int = 0
    messages: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)
    untidy: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Killed:
    """What a killed run left.

    Attributes:
        place: where it was killed.
        in_flight: its calls under way, by the journals.
        requests: those it had sent that were answered, or cut off by the kill.
        end: the number of requests that the server had seen by then.
    """

    place: str
    in_flight: int
    requests: frozenset[str]
    end: int


def play_undisturbed(forker: Forker, folder: Path) -> Path:
    """Play the tournament without a fault; return its database."""
    (folder / "night.toml").write_text(CONFIGURATION, "utf-8")
    db = folder / "whole.duckdb"
    with serving_in_thread(ServerSettings()) as server:
        code, printed = forker.run(_Round(forker, server, db, random.Random(0)).command())
    assert code == 0, printed
    return db


def play_round(  # noqa: PLR0913 - a round and how it is played
    forker: Forker, whole: Path, counts: Counts, *, kills: int, seed: int, workers: int = 0
) -> None:
    """Play the tournament under faults, killed at most so often, and compare it.

    Args:
        forker: starts the runs.
        whole: the undisturbed database; the disturbed one is put beside it.
        counts: are added to.
        kills: after so many, the tournament is played to its end.
        seed: of the faults and of the moments.
        workers: processes that play, which are killed, too; 0 for none.
    """
    settings = ServerSettings(delay_seconds=_DELAY, faults=Faults(rates=RATES, seed=seed))
    db = whole.with_name(f"round-{seed}.duckdb")
    with serving_in_thread(settings) as server:
        _Round(forker, server, db, random.Random(seed), workers).play(counts, kills)
    counts.rounds += 1
    counts.faults.update(
        seen.fate for seen in server.ledger.requests if seen.fate not in ("answered", "lost")
    )
    counts.differences += [f"round {seed}: {text}" for text in find_differences(db, whole)]


class _Round:
    """One tournament under faults."""

    def __init__(
        self,
        forker: Forker,
        server: OpenAIServer,
        db: Path,
        rng: random.Random,
        workers: int = 0,
    ) -> None:
        self._forker, self._server, self._db, self._rng = forker, server, db, rng
        self._workers = workers
        self._killed: list[_Killed] = []
        self._places = places()

    def command(
        self, *words: str, kill: Kill | None = None, largest_file: int | None = None
    ) -> Forked:
        """Return a command on the database; without words, the one that plays on."""
        executor = f"processes:{self._workers}" if self._workers else "local"
        run = ("run", str(self._db.with_name("night.toml")), "--yes", "--executor", executor)
        return Forked(
            words=(*(words or run), "--db", str(self._db)),
            env=environment(self._server.url),
            output=f"{self._db}.printed",
            kill=kill,
            largest_file=largest_file,
            faster=_FASTER,
        )

    def play(self, counts: Counts, kills: int) -> None:
        """Play to the end."""
        while self._run(counts, disturb=len(self._killed) < kills):
            pass
        self._count_repeats(counts)
        if "verify" in registered("arena.commands"):
            code, printed = self._forker.run(self.command("verify"))
            counts.verified += code == 0
            counts.untidy += [printed] if code else []

    def _run(self, counts: Counts, *, disturb: bool) -> bool:
        """Play on once; return whether the tournament is still open."""
        rng, before = self._rng, len(self._server.ledger.requests)
        full = self._db.exists() and disturb
        full = full and (not counts.full_disks or rng.random() < _FULL_DISK)
        held = self._db.exists() and disturb and rng.random() < _HELD
        kill = self._draw_kill(counts) if disturb and not full else None
        limit = _largest(self._db) + rng.randrange(2**18) if full else None
        holder = self._hold(rng.uniform(0.2, 1.0)) if held else None
        with self._killing_workers(counts) if disturb and self._workers else nullcontext():
            code, printed = self._forker.run(self.command(kill=kill, largest_file=limit))
        if holder is not None:
            self._forker.wait(holder)
        self._wait_for_server()
        counts.runs, counts.held = counts.runs + 1, counts.held + held
        counts.full_disks += full and code != 0
        if code == _SIGKILL and kill is not None:
            self._note_kill(counts, kill.place, before)
        elif code:
            counts.messages[_format_message(printed)] += 1
        if "Traceback" in printed or (code < 0 and code != _SIGKILL):
            counts.untidy.append(printed)
        return code != 0

    @contextmanager
    def _killing_workers(self, counts: Counts) -> Iterator[None]:
        """Kill a worker of the run now and then, as long as the block runs."""
        ended = Event()

        def kill() -> None:
            while not ended.wait(self._rng.uniform(0.5, 12.0)):
                if pids := sorted(_find_workers()):
                    with suppress(ProcessLookupError):
                        os.kill(self._rng.choice(pids), signal.SIGKILL)
                        counts.kills["a worker"] += 1

        killer = Thread(target=kill)
        killer.start()
        try:
            yield
        finally:
            ended.set()
            killer.join()

    def _draw_kill(self, counts: Counts) -> Kill:
        """Draw a moment at one of the places that have seen the fewest kills."""
        rng, fewest = self._rng, min(counts.kills[place] for place in self._places)
        place = rng.choice([place for place in self._places if counts.kills[place] == fewest])
        most_visits, most_seconds = {
            "anywhere": (1, 1.5),
            "a commit": (8, 0.05),
            "judging": (6, 0.4),
            "a board": (3, 0.2),
        }.get(place, (1, 0.02))
        number, seconds = rng.randint(1, most_visits), rng.uniform(0.0, most_seconds)
        return Kill(place=place, number=number, seconds=seconds)

    def _hold(self, seconds: float) -> int:
        words = ("hold", str(self._db), str(seconds))
        return self._forker.start(Forked(words=words, output=f"{self._db}.held"))

    def _wait_for_server(self) -> None:
        """Wait until the server has noticed that its caller is gone."""
        for _ in range(500):
            if not self._server.ledger.in_flight:
                return
            sleep(0.01)

    def _note_kill(self, counts: Counts, place: str, before: int) -> None:
        sent = self._server.ledger.requests[before:]
        kept = frozenset(seen.digest for seen in sent if seen.fate in ("answered", "lost"))
        pending = count_calls_in_flight(self._db)
        counts.kills[place] += 1
        counts.requests[place] += len(sent)
        counts.in_flight[place] += pending
        end = before + len(sent)
        self._killed.append(_Killed(place=place, in_flight=pending, requests=kept, end=end))

    def _count_repeats(self, counts: Counts) -> None:
        """Compare, kill by kill, what was sent again with what was under way."""
        sent = [seen.digest for seen in self._server.ledger.requests]
        for killed in self._killed:
            twice = len(killed.requests & set(sent[killed.end :]))
            counts.twice[killed.place] += twice
            counts.most_over = max(counts.most_over, twice - killed.in_flight)


def _find_workers() -> Iterator[int]:
    """Yield the worker processes of this machine."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if "arena.execution.processes" in (folder / "cmdline").read_text():
                yield int(folder.name)


def count_calls_in_flight(db: Path) -> int:
    """Count the calls that were sent and whose answers a database's journals do not have."""
    pending = set[tuple[str, str, int]]()
    folder = Store(db).journal_folder
    for file in folder.glob("*.jsonl") if folder.is_dir() else []:
        for line in file.read_text("utf-8").splitlines():
            event: dict[str, Any] = json.loads(line)
            key = (file.name, event["path"], event["attempt"])
            (pending.add if event["event"] == "start" else pending.discard)(key)
    return len(pending)


def find_differences(db: Path, whole: Path) -> list[str]:
    """Return the tables in which two databases differ, with the number of rows."""
    texts = list[str]()
    with duckdb.connect() as link:
        link.execute(f"ATTACH '{db}' AS disturbed (READ_ONLY)")
        link.execute(f"ATTACH '{whole}' AS whole (READ_ONLY)")
        for table, excluded in _TABLES.items():
            columns = f"* EXCLUDE ({excluded})" if excluded else "*"
            for first, second in (("disturbed", "whole"), ("whole", "disturbed")):
                row = link.execute(
                    f"SELECT count(*) FROM (SELECT {columns} FROM {first}.{table} "
                    f"EXCEPT ALL SELECT {columns} FROM {second}.{table})"
                ).fetchone()
                if row is not None and row[0]:
                    texts.append(f"{row[0]} rows of {table} only in the {first} database")
    return texts


def _largest(db: Path) -> int:
    files = [db, db.with_name(db.name + ".wal"), *Store(db).journal_folder.glob("*")]
    return max((file.stat().st_size for file in files if file.exists()), default=0)


def _format_message(printed: str) -> str:
    """Return the last line that a run printed, without the names of files."""
    lines = [line for line in printed.splitlines() if line.strip()]
    return lines[-1].replace(str(Path.home()), "~") if lines else "(nothing)"
