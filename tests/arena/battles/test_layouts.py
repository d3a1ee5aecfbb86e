"""Published layouts of battle logs: a small file of each is read as it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from arena.battles.layouts import LAYOUTS
from arena.errors import ConfigError
from tests.support.battle_logs import read_log

_TALK = [{"role": "user", "content": "Is tea better?"}, {"role": "assistant", "content": "No."}]


def _arena(winner: str, at: float) -> dict[str, Any]:
    return {
        "question_id": f"q{at}", "model_a": "ann", "model_b": "bob", "winner": winner,
        "judge": "arena_user_1", "conversation_a": _TALK, "conversation_b": _TALK,
        "language": "English", "tstamp": at,
    }  # fmt: skip


def _alpaca(preference: float | None) -> dict[str, Any]:
    return {
        "instruction": "x", "output_1": "y", "generator_1": "ann", "output_2": "z",
        "generator_2": "bob", "annotator": "weighted", "preference": preference,
    }  # fmt: skip


def _vote(kind: str, states: list[dict[str, Any]], models: list[str]) -> dict[str, Any]:
    return {"tstamp": 1682351591.1, "type": kind, "models": models, "states": states, "ip": "::1"}


def _hard(*scores: str | None) -> dict[str, Any]:
    games = [{"score": score, "judgment": {"answer": "x"}} for score in scores]
    return {
        "uid": "u1", "category": "hard", "judge": "gpt", "model": "ann", "baseline": "bob",
        "games": games,
    }  # fmt: skip


def _mt_bench(first: str, second: str) -> dict[str, Any]:
    return {
        "question_id": 81, "model_1": "ann", "model_2": "bob", "g1_winner": first,
        "g2_winner": second, "judge": ["gpt-4", "pair-v2"], "turn": 1, "tstamp": 1687222222.2,
    }  # fmt: skip


def _comparia(chosen: str | None, *, equal: bool) -> dict[str, Any]:
    return {
        "timestamp": "2024-10-29 10:00:00", "model_a_name": "ann", "model_b_name": "bob",
        "chosen_model_name": chosen, "both_equal": equal, "conversation_a": _TALK,
    }  # fmt: skip


_ONE_HOT = "id,model_a,model_b,prompt,response_a,winner_model_a,winner_model_b,winner_tie\n"
_PGN = """\
[Event "F/S Return Match"]
[Date "1992.11.04"]
[White "ann"]
[Black "bob \\"b\\" \\\\"]
[Result "1/2-1/2"]

1. e4 e5 {a comment with [White "x"] in it}
2. Nf3 1/2-1/2

[White "bob"]
[Black "ann"]
[Result "0-1"]

0-1

[White "ann"]
[Black "bob"]
[Result "*"]

*
"""
A, B, TIE = ["ann", "bob", 1.0], ["ann", "bob", 0.0], ["ann", "bob", 0.5]
#: The name of a file, its content, its rows as they are read, and the number that has no verdict.
PUBLISHED: dict[str, tuple[str, Any, list[list[Any]], int]] = {
    "Chatbot Arena": ("a.json", [_arena("model_a", 1682351591.13), _arena("tie (bothbad)", 1.7e9)],
                      [A, TIE], 0),
    "Arena, 140k": ("a.jsonl", [_arena("both_bad", 1.7e9), _arena("model_b", 1.7e9)], [TIE, B], 0),
    "Kaggle": ("a.csv", _ONE_HOT + '0,ann,bob,"[""hi, you""]",r,1,0,0\n1,ann,bob,p,r,0,0,1\n',
               [A, TIE], 0),
    "AlpacaEval": ("a.json", [_alpaca(n) for n in (1.0, 2.0, 1.5, None, 1.93, 1.2, 0)],
                   [A, B, TIE, B, A, TIE], 1),
    "Arena-Hard": ("a.jsonl", [_hard("A>>B", "B>A"), _hard(None, "A=B"), _hard()],
                   [["bob", "ann", 1.0], B, TIE], 2),
    "MT-bench": ("a.jsonl", [_mt_bench("model_1", "model_1"), _mt_bench("tie", "error")],
                 [A, ["bob", "ann", 0.0], TIE], 1),
    "FastChat's log": (
        "a.jsonl",
        [
            _vote("leftvote", [{"model_name": "ann"}, {"model_name": "bob"}], ["", ""]),
            _vote("chat", [], []),
            _vote("bothbad_vote", [], ["ann", "bob"]),
            _vote("rightvote", [{}, {}], ["ann", "bob"]),
        ],
        [A, TIE, B],
        1,
    ),
    "ComparIA": ("a.jsonl", [_comparia("bob", equal=False), _comparia(None, equal=True),
                             _comparia(None, equal=False)], [B, TIE], 1),
    "winner and loser": ("a.csv", "winner,loser\nbob,ann\nann,bob\n", [B, A], 0),
    "players": ("a.csv", "Player 1;Player 2;Result\nann;bob;1-0\nann;bob;½-½\n", [A, TIE], 0),
    "games": ("a.pgn", _PGN, [["ann", 'bob "b" \\', 0.5], ["bob", "ann", 0.0]], 1),
}  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_layout_is_read(tmp_path: Path, name: str) -> None:
    file, content, rows, skipped = PUBLISHED[name]
    text = content
    if isinstance(content, list):
        lines = map(json.dumps, content)
        text = "\n".join(lines) if file.endswith("jsonl") else json.dumps(content)
    staged, read = read_log(tmp_path / file, text)
    assert (read, staged.skipped) == (rows, skipped)


def test_every_layout_has_a_test() -> None:
    heads = (str(content).casefold().replace("_", "") for _, content, *_ in PUBLISHED.values())
    text = " ".join((*heads, "chosenmodel rejectedmodel"))
    assert all(need in text for layout in LAYOUTS for need in layout.needs)


def test_lists_in_parquet_are_read_as_in_json(tmp_path: Path) -> None:
    pd.DataFrame([_hard("A>>B", "B>A")]).to_parquet(tmp_path / "a.parquet")
    assert read_log(tmp_path / "a.parquet")[1] == [["bob", "ann", 1.0], B]


def test_both_games_of_a_judgment_are_one_observation(tmp_path: Path) -> None:
    staged, _ = read_log(tmp_path / "a.jsonl", json.dumps(_hard("A>B", "A>B")))
    assert pd.read_parquet(staged.path)["cluster"].tolist() == ["u1", "u1"]


@pytest.mark.parametrize("cells", ["1,1,0", "0,0,0", "x,0,0"])
def test_a_row_without_just_one_winner_is_refused(tmp_path: Path, cells: str) -> None:
    with pytest.raises(ConfigError, match=f"winner_tie: given '{cells.replace(',', ', ')}'"):
        read_log(tmp_path / "a.csv", f"{_ONE_HOT}0,ann,bob,p,r,{cells}\n")


@pytest.mark.parametrize(
    ("word", "outcome"),
    [
        *((word, 1.0) for word in ("A>>B", "A > B", "[[A]]", "Model A", "1", "1.0", "ANN", "B<A")),
        *((word, 0.0) for word in ("B>>A", "assistant_b", "2.0", "bob", "A<<B", "0-1", "model_2")),
        *(
            (word, 0.5)
            for word in (
                "both_bad",
                "BothBad",
                "Tie (both bad)",
                "[[A=B]]",
                "Draw",
                "1/2-1/2",
                "1.5",
            )
        ),
    ],
)
def test_words_of_others_for_the_winner_are_read(tmp_path: Path, word: str, outcome: float) -> None:
    text = f"model_a,model_b,winner\nann,bob,{word}\n"
    assert read_log(tmp_path / "a.csv", text)[1] == [["ann", "bob", outcome]]


def test_a_user_says_what_other_words_mean(tmp_path: Path) -> None:
    text = "model_a,model_b,winner\nann,bob,x=1\nann,bob,0\nann,bob,?\nann,bob,\nann,bob,1\n"
    path = tmp_path / "a.csv"
    with pytest.raises(ConfigError, match="Say what each of them means: --winner 0=… --winner 1="):
        read_log(path, text)
    with pytest.raises(ConfigError, match="for others: --winner THEIRS=OURS"):
        read_log(path, winners={"0": "tie", "1": "tie"})
    winners = {"x=1": "tie", "0": "model_b", "?": "skip", "": "skip", "1": "right"}
    staged, rows = read_log(path, winners=winners)
    assert (rows, staged.skipped) == ([TIE, B, B], 2)
    with pytest.raises(ConfigError, match="none of its rows has a verdict"):
        read_log(path, winners=dict.fromkeys(winners, "skip"))
