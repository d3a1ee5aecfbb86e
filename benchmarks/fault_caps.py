"""A tournament of 5 USD under a cap of 1 USD: what is billed, and what that buys.

What is asked of every case: no more than the cap is billed, by the server's own count, and at least
four fifths of what is billed bought rated debates. Where runs are killed, that is four fifths of
what their reservations leave of the cap.

It has 180 debates, so that a debate is some hundredths of the cap: the last money of a cap that no
whole debate fits into is no loss that could be measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from arena.llm.journal import Journal
from arena.store.database import Store
from tests.servers.faults import Fault, Faults
from tests.servers.openai_server import OpenAIServer, ServerSettings, serving_in_thread
from tests.support.console_script import ask, environment
from tests.support.forked_commands import Forked, Forker, Kill

CAP, WHOLE = 1.0, 5.0
#: The least part of the money that has to buy rated debates.
_LEAST_SHARE = 0.8
#: Seconds that a run may take, at one debate at a time on a busy machine.
_LONGEST = 1800.0
#: Matchups of each pair: of the tournament, and of the fifth of it by which its price is measured.
_MATCHUPS, _MEASURED = 30, 6
#: USD per million tokens at which the tournament is measured before its price is set.
_UNIT_PRICE = 1.0
_RATES: Mapping[Fault, float] = {
    "drop": 0.02,
    "malformed": 0.02,
    "truncated": 0.02,
    "rate_limit": 0.02,
    "server_error": 0.02,
}
_CONFIGURATION = """
[tournament]
name = "capped"
motions = "arena66"
categories = ["fact"]
seed = 7
[schedule]
matchups_per_pair = {matchups}
{limits}
[models."openai/*"]
api_base = "env:ARENA_LOCAL_BASE_URL|none"
api_key = "env:ARENA_LOCAL_API_KEY|none"
usd_per_million = {{ input = {price}, output = {price} }}
concurrency = 8
[[participants]]
name = "direct"
debater = "direct"
model = "openai/local-model"
sampling = {{ max_tokens = 600 }}
[[participants]]
name = "cot"
debater = "cot"
model = "openai/local-model"
sampling = {{ max_tokens = 600 }}
[[participants]]
name = "warm"
debater = "direct"
model = "openai/local-model"
sampling = {{ max_tokens = 600, temperature = 0.9 }}
[[benches]]
name = "single"
judge = "single"
model = "openai/local-model"
runs = 2
sampling = {{ max_tokens = 600 }}
"""
#: What was billed for the debates that have all their ballots, with these, and their number.
_RATED = """
    WITH rated AS (
        SELECT debate_id FROM debates JOIN ballots AS b USING (debate_id)
        WHERE debates.status = 'finished'
        GROUP BY debate_id HAVING bool_and(b.status = 'valid') AND count(*) = 2
    ), units AS (
        SELECT debate_id AS unit FROM rated UNION ALL
        SELECT ballot_id FROM ballots JOIN rated USING (debate_id)
    )
    SELECT coalesce(sum(cost_usd - reserved_usd), 0), (SELECT count(*) FROM rated)
    FROM calls JOIN units USING (unit)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """How a capped tournament is disturbed.

    Attributes:
        at_once: debates at the same time.
        kills: runs that are killed before the last.
        usage: what the server says of the tokens of its answers.
    """

    at_once: int
    kills: int = 0
    usage: Literal["present", "absurd"] = "present"

    @property
    def name(self) -> str:
        """How the table calls it."""
        kills = {0: "", 1: ", one kill"}.get(self.kills, f", {self.kills} kills")
        return f"{self.at_once} at once{kills}{', absurd usage' * (self.usage == 'absurd')}"


_TROUBLES: tuple[tuple[int, Literal["present", "absurd"]], ...] = (
    (0, "present"),
    (0, "absurd"),
    (1, "present"),
    (5, "absurd"),
)
CASES = tuple(
    Case(at_once=at_once, kills=kills, usage=usage)
    for kills, usage in _TROUBLES
    for at_once in (1, 8, 64)
)
#: One of each number of debates at once, each disturbed in another way.
SHORT_CASES = (
    Case(at_once=1, usage="absurd"),
    Case(at_once=8, kills=1),
    Case(at_once=64),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a capped tournament cost, in USD.

    Attributes:
        billed: by the server's count; answers that broke off at the most that they can cost.
        answered: the part of it that arrived.
        reserved: what the tournament counts for answers whose bill it does not know.
        rated: the part of `answered` that bought debates with all their ballots.
        debates: their number.
        message: the last message of the last run.
    """

    case: Case
    billed: float
    answered: float
    reserved: float
    rated: float
    debates: int
    message: str

    @property
    def share(self) -> float:
        """The part of the bill that bought rated debates; after a kill, of what it has left."""
        return self.rated / (self.left if self.case.kills else self.billed)

    @property
    def left(self) -> float:
        """What the reservations leave of the cap."""
        return CAP - self.reserved

    @property
    def misses(self) -> list[str]:
        """What it misses of what is asked of it, a sentence each."""
        misses = []
        if self.billed > CAP:
            misses.append(f"{self.case.name}: {self.billed:.4f} USD of {CAP:.2f} were billed.")
        if self.share < _LEAST_SHARE:
            misses.append(
                f"{self.case.name}: {100 * self.share:.1f} % of the money bought rated debates, "
                f"not {100 * _LEAST_SHARE:.0f} %."
            )
        return misses


def measure_price(forker: Forker, folder: Path) -> float:
    """Return the USD per million tokens at which the whole tournament costs about 5 USD."""
    db = folder / "unit.duckdb"
    with serving_in_thread(_settings(_UNIT_PRICE)) as server:
        code, printed = forker.run(_command(db, server, _UNIT_PRICE, limits="", matchups=_MEASURED))
    assert code == 0, printed
    return _UNIT_PRICE * WHOLE * _MEASURED / _MATCHUPS / server.ledger.answered_usd


def play_capped(forker: Forker, folder: Path, case: Case, price: float) -> Result:
    """Play a tournament until its cap is reached."""
    db = folder / f"{case.name.replace(' ', '-')}.duckdb"
    with serving_in_thread(_settings(price, usage=case.usage, seed=case.at_once)) as server:
        for number in range(case.kills):
            kill = Kill(place="judging", number=2, seconds=0.05 * (number + 1))
            command = _command(db, server, price, at_once=case.at_once, kill=kill)
            forker.run(command, seconds=_LONGEST)
        last = _command(db, server, price, at_once=case.at_once)
        code, printed = forker.run(last, seconds=_LONGEST)
        assert code == 1, printed
        ledger = server.ledger
    ((rated, debates),) = ask(db, _RATED)
    return Result(
        case=case,
        billed=ledger.answered_usd + ledger.lost_worst_usd,
        answered=ledger.answered_usd,
        reserved=_read_reserved(db),
        rated=float(str(rated)),
        debates=int(str(debates)),
        message=next(line for line in printed.splitlines() if "cap of" in line),
    )


def row_of(result: Result) -> dict[str, object]:
    """Return the row of the table."""
    return {
        "case": result.case.name,
        "billed USD": round(result.billed, 3),
        "answered": round(result.answered, 3),
        "reserved": round(result.reserved, 3),
        "left": round(result.left, 3),
        "rated": round(result.rated, 3),
        "share": round(result.share, 2),
        "debates": result.debates,
    }


def run_cases(forker: Forker, folder: Path, *, cases: Sequence[Case] = CASES) -> Iterator[Result]:
    """Play each of the cases."""
    price = measure_price(forker, folder)
    for case in cases:
        yield play_capped(forker, folder, case, price)


def _settings(
    price: float, *, usage: Literal["present", "absurd"] = "present", seed: int = 1
) -> ServerSettings:
    return ServerSettings(
        delay_seconds=0.02,
        usd_per_token=(price / 1e6, price / 1e6),
        usage=usage,
        faults=Faults(rates=_RATES, seed=seed),
    )


def _command(  # noqa: PLR0913 - what tells the runs apart
    db: Path,
    server: OpenAIServer,
    price: float,
    *,
    limits: str = f"[limits]\nusd = {CAP}",
    at_once: int = 8,
    kill: Kill | None = None,
    matchups: int = _MATCHUPS,
) -> Forked:
    file = db.with_suffix(".toml")
    text = _CONFIGURATION.format(price=price, limits=limits, matchups=matchups)
    file.write_text(text, "utf-8")
    words = ("run", str(file), "--yes", "--db", str(db), "--concurrency", str(at_once))
    env = environment(server.url)
    return Forked(words=words, env=env, output=f"{db}.printed", kill=kill, faster=50.0)


def _read_reserved(db: Path) -> float:
    """Add up what is counted for answers whose bill is not known: stored, and in journals."""
    ((stored,),) = ask(db, "SELECT coalesce(sum(reserved_usd), 0) FROM calls")
    charges = Journal(Store(db).journal_folder).charges_by_unit().values()
    return float(str(stored)) + sum(charge.reserved for charge in charges)
