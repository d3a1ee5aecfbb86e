"""Numbers that stand for winners: read only where they can mean one thing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.battles.winners import unread_numbers
from arena.errors import ConfigError
from tests.support.battle_logs import read_log


def _log(path: Path, words: Sequence[object]) -> Path:
    frame = pd.DataFrame({"model_a": "ann", "model_b": "bob", "winner": words})
    write = frame.to_parquet if path.suffix == ".parquet" else partial(frame.to_csv, index=False)
    write(path)
    return path


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
@pytest.mark.parametrize(
    "words", [[0, 1, 2], [1, 0], [1, 2, 3], [-1, 0, 1], [2.0, 1.0, 0.0], [1, 0.5], [2, 1, 7]]
)
def test_numbers_of_another_coding_are_asked_about_all_at_once(
    tmp_path: Path, name: str, words: list[float]
) -> None:
    path = _log(tmp_path / name, words)
    with pytest.raises(ConfigError) as caught:
        read_log(path)
    written = (
        [str(word) for word in pd.read_parquet(path)["winner"]]
        if "q" in name
        else (path.read_text().split()[1:])
    )
    each = [word.rpartition(",")[2] for word in written]
    assert all(f"--winner {word}=…" in str(caught.value) for word in each)
    with pytest.raises(ConfigError, match=f"is not known: {each[1]}"):
        read_log(path, winners={word: "model_a" for word in each if word != each[1]})
    meant = dict(zip(each, ("model_a", "model_b", "tie"), strict=False))
    _, rows = read_log(path, winners=meant)
    assert [outcome for *_, outcome in rows] == [1.0, 0.0, 0.5][: len(words)]


def test_numbers_of_our_own_and_names_are_read(tmp_path: Path) -> None:
    assert [row[2] for row in read_log(_log(tmp_path / "a.csv", [1, 2, 1.5]))[1]] == [1, 0, 0.5]
    text = "model_a,model_b,winner\n0,1,0\n1,0,0\n"
    assert read_log(tmp_path / "b.csv", text)[1] == [["0", "1", 1.0], ["1", "0", 0.0]]


@given(st.lists(st.sampled_from(["1", "2", "1.5", "2.0", "0", "3", "-1", "tie", "a"])))
def test_all_numbers_are_read_or_all_but_those_that_are_told(words: list[str]) -> None:
    numbers = {word for word in words if word not in ("tie", "a")}
    expected = set() if numbers <= {"1", "2", "1.5", "2.0"} else numbers
    assert set(unread_numbers(words)) == expected
    assert set(unread_numbers(words, told=["0"])) == expected - {"0"}


def test_scores_that_contradict_winners_are_counted(tmp_path: Path) -> None:
    head = "model_a,model_b,winner,score_a,score_b\n"
    staged, _ = read_log(
        tmp_path / "a.csv", head + "a,b,a,3,9\nb,c,c,9,2\na,b,a,9,1\na,b,tie,1,2\n"
    )
    assert (staged.contradicted, staged.scored) == (2, 3)
