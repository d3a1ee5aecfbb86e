"""Battles as games of chess: what is written is read again."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.battles.games import format_games
from tests.support.battle_logs import read_log

_NAMES = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=20)


def test_quotes_in_a_game_are_escaped() -> None:
    frame = pd.DataFrame(
        {"pro": ['a "b"'], "con": ["c\\d"], "outcome": [0.5], "finished_at": [pd.NaT]}
    )
    (game,) = format_games(frame, event="e")
    assert '[White "a \\"b\\""]\n[Black "c\\\\d"]\n[Result "1/2-1/2"]\n\n1/2-1/2' in game
    assert '[Date "????.??.??"]' in game


@settings(max_examples=20, deadline=None)
@given(rows=st.lists(st.tuples(_NAMES, st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=5))
def test_written_games_are_read_again(
    tmp_path_factory: object, rows: list[tuple[str, float]]
) -> None:
    folder: Path = tmp_path_factory.mktemp("games")  # type: ignore[attr-defined]
    frame = pd.DataFrame(rows, columns=["pro", "outcome"]).assign(
        con=lambda table: table["pro"] + "x", finished_at=pd.Timestamp("1700-01-01", tz="UTC")
    )
    text = "".join(format_games(frame, event="e"))
    staged, read = read_log(folder / "a.pgn", text)
    assert read == [[name, f"{name}x", outcome] for name, outcome in rows]
    assert set(pd.read_parquet(staged.path)["finished_at"].dt.year) == {1700}


_GAME = '[White "{}"]\n[Black "{}"]\n[Result "{}"]\n\n1. e4 {} e5 {}\n\n'


def test_odd_games_stop_no_file(tmp_path: Path) -> None:
    odd = (
        ("sf", "sf", "1-0", ""), ("?", "sf", "1-0", ""), ("sf", "", "1-0", ""),
        ("sf", "lc0", "0\u20131", '{[%eval 0.3]\n[White "evil"]\n[Result "0-1"] }'),
        ("lc0", "sf", "½-½", '{one} {two\n\n[Black "evil"]} ; {three\n'),
    )  # fmt: skip
    text = "".join(_GAME.format(*game[:3], game[3], game[2]) for game in odd)
    staged, rows = read_log(tmp_path / "a.pgn", text)
    assert rows == [["sf", "lc0", 0.0], ["lc0", "sf", 0.5]]
    assert (staged.itself, staged.skipped) == (1, 2)
