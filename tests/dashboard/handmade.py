"""A small database by hand: two participants, a few debates, ballots of one bench, one board."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd

from arena.boards.board import Board, Row
from arena.boards.exclusions import Uncounted
from arena.boards.selection import Scope, Selection
from arena.boards.states import BoardState, Participation, state_text
from arena.store.database import SCHEMA_VERSION, Store, insert
from ratings import Connectivity

CREATED = pd.Timestamp("2026-01-02T03:04:05Z")
STAGES = ("constructive", "rebuttal", "summary")


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """What a stranger could write into a database."""

    tournament: str = "handmade"
    motion: str = "Cats are better than dogs"
    speech: str = "Honourable judges, cats purr."
    origin: str = "Journal of Cats, 2020"
    excerpt: str = "Cats purr at 25 hertz."
    comment: str = "Pro gave evidence."
    bench: str = "bench"
    dimension: str = "source"
    names: tuple[str, str] = ("alpha", "beta")
    model: str = "openai/gpt-4o"
    reason: str = ""


#: Databases that were filled already, by their texts.
_FILLED: dict[Texts, bytes] = {}


def make(path: Path, texts: Texts | None = None) -> Store:
    """Fill a database: d1 and d2 finished (alpha wins both), d3 playing, d4 planned."""
    given = texts or Texts()
    store = Store(path)
    new = not store.exists()
    if new and given in _FILLED:
        path.write_bytes(_FILLED[given])
        return store
    tables = {
        "tournaments": [tournament(given)],
        "motions": [_motion(given)],
        "participants": [_participant(given, place) for place in range(2)],
        "debates": [_debate(given, number) for number in range(1, 5)],
        "speeches": [row for number in (1, 2) for row in _speeches(given, f"d{number}")],
        "ballots": [row for number in (1, 2) for row in _ballots(given, f"d{number}")],
        "ballot_scores": [row for number in (1, 2) for row in _scores(given, number)],
        "ratings": [_rating(given, place) for place in range(2)],
        "board_states": [state_row(given)],
    }

    def fill(link: duckdb.DuckDBPyConnection) -> None:
        for table, rows in tables.items():
            insert(link, table, rows)

    store.write(fill)
    if new:
        _FILLED[given] = path.read_bytes()
    return store


def make_empty(path: Path, *, tournament_row: bool = False) -> Store:
    """A database with its schema, and at most a tournament that has nothing scheduled."""
    store = Store(path)
    rows = [tournament(Texts())] if tournament_row else []
    store.write(lambda link: insert(link, "tournaments", rows))
    return store


def execute(store: Store, *statements: str) -> None:
    """Change a database by hand."""

    def run(link: duckdb.DuckDBPyConnection) -> None:
        for statement in statements:
            link.execute(statement)

    store.write(run)


def replace_states(store: Store, *rows: dict[str, Any]) -> None:
    """Store other boards in the place of those of a database."""

    def write(link: duckdb.DuckDBPyConnection) -> None:
        link.execute("DELETE FROM board_states")
        insert(link, "board_states", rows)

    store.write(write)


def tournament(texts: Texts) -> dict[str, Any]:
    """The row of a tournament with one bench of three runs."""
    bench = {"name": texts.bench, "judge": "debatrix", "model": "openai/gpt-4o-mini", "runs": 3}
    return {
        "tournament": texts.tournament,
        "config": {"benches": [bench]},
        "config_hash": "c",
        "seed": 7,
        "schema_version": SCHEMA_VERSION,
        "code_version": "0",
        "created_at": CREATED,
    }


def _motion(texts: Texts) -> dict[str, Any]:
    return {
        "motion_id": "m1",
        "motion_set": "own",
        "category": "value",
        "topic": "pets",
        "language": "en",
        "text": texts.motion,
        "info_slide": "",
        "brief": {"pro": [], "con": []},
    }


def _participant(texts: Texts, place: int) -> dict[str, Any]:
    return {
        "participant_id": f"p{place}",
        "tournament": texts.tournament,
        "name": texts.names[place],
        "debater": "direct",
        "model": texts.model,
        "options": {},
        "sampling": {},
    }


def _debate(texts: Texts, number: int) -> dict[str, Any]:
    pro, con = ("p0", "p1") if number % 2 else ("p1", "p0")
    return {
        "debate_id": f"d{number}",
        "matchup_id": f"u{(number + 1) // 2}",
        "tournament": texts.tournament,
        "motion_id": "m1",
        "language": "en",
        "leg": (number + 1) % 2,
        "repeat": (number - 1) // 2,
        "pro": pro,
        "con": con,
        "status": ("finished", "finished", "playing", "planned")[number - 1],
        "reason": texts.reason,
    }


def _speeches(texts: Texts, debate: str) -> list[dict[str, Any]]:
    reference = {"number": 1, "origin": texts.origin, "excerpt": texts.excerpt, "given": True}
    never = {"number": 9, "origin": "", "excerpt": "", "given": False}
    return [
        {
            "debate_id": debate,
            "side": side,
            "stage": stage,
            "text": f"{side} {stage}: {texts.speech}",
            "words": 5,
            "trimmed": stage == "summary",
            "references": [reference, never],
            "trace": [],
        }
        for side in ("pro", "con")
        for stage in STAGES
    ]


def _ballots(texts: Texts, debate: str) -> list[dict[str, Any]]:
    return [
        {
            "ballot_id": f"{debate}-{run}",
            "debate_id": debate,
            "bench": texts.bench,
            "run": run,
            "status": "valid",
        }
        for run in range(3)
    ]


def _scores(texts: Texts, number: int) -> list[dict[str, Any]]:
    outcome = 1.0 if number % 2 else 0.0
    return [
        {
            "ballot_id": f"d{number}-{run}",
            "dimension": dimension,
            "outcome": outcome,
            "pro_mark": 8.0,
            "con_mark": 6.0,
            "comment": texts.comment,
        }
        for run in range(3)
        for dimension in ("overall", texts.dimension)
    ]


def state_row(texts: Texts, *, dimension: str = "overall", players: int = 2) -> dict[str, Any]:
    """The row of a stored board: the first participant won both debates."""
    names = texts.names[:players]
    rows = tuple(
        Row(
            participant=name,
            **{key: _rating(texts, place)[key] for key in _BOTH},
            rank=place + 1,
            debates=2,
            wins=2 * (place == 0),
            ties=0,
            losses=2 * (place == 1),
            win_rate=float(place == 0),
            forfeits=0,
            usd_per_debate=0.0,
            usd_most=0.0,
            note="",
        )
        for place, name in enumerate(names)
    )
    board = Board(
        selection=Selection(tournament=texts.tournament, bench=texts.bench, dimension=dimension),
        rows=rows,
        comparisons=2,
        open=0,
        left_out=0,
        uncounted=Uncounted(),
        notes=(),
        effects=(),
        tie_groups=tuple((name,) for name in names),
        separated=(texts.names,) if players == 2 else (),
        connectivity=Connectivity(
            components=(names,),
            separated=(names,),
            **dict.fromkeys(("undefeated", "winless", "bridges", "unplayed"), ()),
            strongly_connected=True,
        ),
        penalty=None,
        simulated=False,
        caveat="",
        people=False,
        seed=7,
        data_hash="h",
    )
    own = Participation(ended=2, input_tokens=900.0, output_tokens=300.0)
    state = BoardState(
        board=board,
        entry=9,
        at=CREATED.to_pydatetime(),
        percentiles={},
        participations=dict.fromkeys(names, own),
        scope=Scope(
            runs={texts.bench: 3},
            participants={f"p{place}": name for place, name in enumerate(names)},
        ),
    )
    return {
        **_board_keys(texts, f"b-{dimension}", dimension),
        "entry": 9,
        "debates": 2,
        "content": state_text(state),
    }


#: What rows of boards and stored ratings have in common.
_BOTH = ("rating", "median", "lower", "upper", "rank_low", "rank_high", "tie_group")


def _board_keys(texts: Texts, board_id: str, dimension: str) -> dict[str, Any]:
    return {
        "board_id": board_id,
        "tournament": texts.tournament,
        "bench": texts.bench,
        "dimension": dimension,
        "category": "all",
        "created_at": CREATED,
    }


def _rating(texts: Texts, place: int) -> dict[str, Any]:
    middle = (1100.0, 900.0)[place]
    return {
        **_board_keys(texts, "b1", "overall"),
        "method": "weighted-bradley-terry",
        "participant": texts.names[place],
        "rating": middle,
        "median": middle,
        "lower": middle - 50,
        "upper": middle + 60,
        **dict.fromkeys(("rank_low", "rank_high", "tie_group"), place + 1),
        "comparisons": 2,
        "data_hash": "h",
        "seed": 7,
    }
