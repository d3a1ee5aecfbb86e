"""The pages of a tournament of thousands: they open, say what they show, and break nowhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import expect

from arena.boards.selection import Selection
from arena.boards.states import BoardState, Participation, read_state, state_text
from arena.store.database import Store
from benchmarks.large import make_database
from tests.dashboard.conftest import Serve
from tests.dashboard.handmade import Texts, execute, make, replace_states, state_row
from tests.dashboard.watching import Watched

pytestmark = pytest.mark.slow

MANY = 3_000
#: What stands on each page.
_WORDS = {
    "leaderboard": "5998 debates rated at",
    "win-rates": "Only the best 100 are drawn",
    "head-to-head": "p0000 was Pro in 1",
    "debates": "The first 1,000 of them are listed",
    "participants": "Won 2999, tied 0 and lost 2999",
    "motions": "Pro won",
    "judges": "5998 valid ballots",
    "tournament": "They are not drawn for more than 500 participants.",
    "costs": "What the next debates will cost",
}
#: The page of a tournament ends with a table of all that have been rated twice.
_LONG_MS = 120_000


def make_many(path: Path, names: Sequence[str] = ()) -> Store:
    """Make a tournament of 3,000, one of whom meets all others, with a board made by hand.

    Args:
        names: of the participants, if there are to be others.
    """
    store = make_database(path, 0, participants=len(names) or MANY, gauntlet=True)
    made = [row["name"] for row in store.rows("SELECT name FROM participants ORDER BY name")]
    for old, name in zip(made, names, strict=False):
        execute(
            store,
            f"UPDATE participants SET name = '{name}' WHERE name = '{old}'",
            f"""UPDATE tournaments
                SET config = replace(CAST(config AS TEXT), '"{old}"', '"{name}"')""",
        )
    rows = store.rows("SELECT participant_id, name FROM participants ORDER BY name")
    participants = {str(row["participant_id"]): str(row["name"]) for row in rows}
    state = _rate(make(path.with_name("pattern.duckdb")), participants)
    entry = store.rows("SELECT max(entry) AS entry FROM ballots")[0]["entry"]
    row = state_row(Texts(tournament="large"))
    content = state_text(replace(state, entry=entry))
    replace_states(store, {**row, "entry": entry, "debates": 2 * (MANY - 1), "content": content})
    return store


def _rate(pattern: Store, participants: dict[str, str]) -> BoardState:
    """Return a state in which participants, by their ids, stand in the order of their names."""
    names = list(participants.values())
    state = read_state(pattern, Selection(tournament="handmade", bench="bench"))
    assert state is not None
    first = state.board.rows[0]
    rows = tuple(
        replace(
            first,
            rank=place + 1,
            participant=name,
            rating=1500.0 - place / 3,
            lower=1400.0 - place / 3,
            upper=1600.0 - place / 3,
            debates=2 * (MANY - 1) if place == 0 else 2,
            wins=MANY - 1 if place == 0 else 1,
            losses=MANY - 1 if place == 0 else 1,
        )
        for place, name in enumerate(names)
    )
    selection = replace(state.board.selection, tournament="large")
    groups = tuple((name,) for name in names)
    own = tuple(names)
    board = replace(
        state.board,
        selection=selection,
        rows=rows,
        comparisons=2 * (MANY - 1),
        tie_groups=groups,
        separated=(),
        connectivity=replace(state.board.connectivity, components=(own,), separated=(own,)),
    )
    taken = Participation(ended=2, input_tokens=900.0, output_tokens=300.0)
    scope = replace(state.scope, participants=participants, runs={selection.bench: 1})
    return replace(state, board=board, participations=dict.fromkeys(names, taken), scope=scope)


@pytest.mark.deep
def test_thousands_of_participants_have_their_results(
    tmp_path: Path, serve: Serve, watched: Watched
) -> None:
    address = serve(make_many(tmp_path / "results.duckdb").path)
    for path, words in _WORDS.items():
        page = watched.open(f"{address}/{path}")
        expect(page.get_by_text(re.compile(re.escape(words))).first).to_be_visible()
        expect(page.get_by_test_id("stException")).to_have_count(0)
        if path == "tournament":
            table = page.locator(".st-key-wide-comparison").get_by_test_id("stDataFrame")
            expect(table).to_be_visible(timeout=_LONG_MS)
