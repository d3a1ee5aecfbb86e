"""Rows in every published layout of labelled pairs, made after their documentation."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd

Row = dict[str, Any]

#: The names of models in the files.
MODELS = ("alpaca-13b", "claude-v1", "gpt-3.5-turbo", "gpt-4", "llama-13b", "vicuna-13b-v1.2")


def turns(question: str, *answers: str) -> list[dict[str, str]]:
    """A conversation in which every question but the first asks for more."""
    messages = []
    for number, answer in enumerate(answers, start=1):
        asked = question if number == 1 else f"And more about that? ({number}) {question}"
        messages += [{"role": "user", "content": asked}, {"role": "assistant", "content": answer}]
    return messages


def mt_bench(pairs: int = 2, votes: int = 3, *, wins: Sequence[str] = ("a", "a", "b")) -> list[Row]:
    """Votes on turn 1 or 2 of two models' conversations; every second one names B first.

    Args:
        pairs: number of pairs of models, questions and turns.
        votes: of different people on each.
        wins: who wins in the first, second and third vote: the model that is first by name, or not.
    """
    rows = []
    for question, turn, (first, second) in _meetings(pairs):
        told = {
            model: turns(
                f"What is known of topic {question}, and why does it matter?",
                *(f"{model} says {part} of topic {question}, with reasons." for part in "xy"),
            )
            for model in (first, second)
        }
        for vote in range(votes):
            names = (first, second) if vote % 2 == 0 else (second, first)
            wanted = wins[vote % len(wins)]
            winner = "tie" if wanted == "tie" else {"a": first, "b": second}[wanted]
            rows.append({
                "question_id": question, "model_a": names[0], "model_b": names[1],
                "winner": "tie" if winner == "tie" else "model_" + "ab"[names.index(winner)],
                "judge": f"expert_{vote}", "conversation_a": told[names[0]],
                "conversation_b": told[names[1]], "turn": turn,
            })  # fmt: skip
    return rows


def _meetings(pairs: int) -> Iterator[tuple[int, int, tuple[str, str]]]:
    meetings = ((turn, models) for turn in (1, 2) for models in combinations(MODELS, 2))
    every = list(meetings)
    for number in range(pairs):
        turn, models = every[number % len(every)]
        yield 81 + number // len(every), turn, models


SCORES: list[Row] = [
    {"Question": "Why?", "Response_A": "So.", "Response_B": "Because of that.", "Model_A_Score": 0,
     "Model_B_Score": 1},
    {"Question": "How?", "Response_A": "Thus.", "Response_B": "No.", "Model_A_Score": 1,
     "Model_B_Score": 0},
]  # fmt: skip
JUDGEBENCH: list[Row] = [
    {"pair_id": "5b0c", "original_id": "7", "source": "mmlu-pro-law", "question": "Which is it?",
     "response_model": "gpt-4o-2024-05-13", "response_A": "It is one.", "response_B": "It is two.",
     "label": "B>A"},
    {"pair_id": "5b0d", "original_id": None, "source": "livebench-math", "question": "How many?",
     "response_model": "gpt-4o-2024-05-13", "response_A": "There are six.",
     "response_B": "There are nine.", "label": "A>B"},
]  # fmt: skip
LLMBAR: list[Row] = [
    {"input": "Say what it means.", "output_1": "She was.", "output_2": "She changed.", "label": 2},
    {"input": "Add both.", "output_1": "It is 5.", "output_2": "It is 6.", "label": 1},
]  # fmt: skip
PANDALM: list[Row] = [
    {"idx": 0, "motivation_app": "Mail", "cmp_key": "bloom-7b_llama-7b",
     "instruction": "Make it short.", "input": "A long line.", "response1": "A line.",
     "response2": "", "annotator1": 1, "annotator2": 1, "annotator3": 0},
    {"idx": 1, "motivation_app": "Mail", "cmp_key": "bloom-7b_opt-7b",
     "instruction": "Is it true?", "input": "", "response1": True, "response2": "It is not.",
     "annotator1": 2, "annotator2": 1, "annotator3": 0},
]  # fmt: skip
REWARDBENCH: list[Row] = [
    {"prompt": f"Why is it number {number}?", "chosen": f"Because of {number}.",
     "chosen_model": "gpt-4", "rejected": "No.", "rejected_model": "alpaca-13b",
     "subset": "alpacaeval-easy" if number % 2 else "math-prm", "id": number}
    for number in range(12)
]  # fmt: skip
#: The ending that each layout is published with, and its rows.
PUBLISHED: Mapping[str, tuple[str, list[Row]]] = {
    "mt-bench": ("parquet", mt_bench()),
    "scores": ("csv", SCORES),
    "judgebench": ("jsonl", JUDGEBENCH),
    "llmbar": ("json", LLMBAR),
    "pandalm": ("json", PANDALM),
    "rewardbench": ("parquet", REWARDBENCH),
}


def write_rows(rows: Sequence[Row], file: Path) -> Path:
    """The rows in the form that a file's name says."""
    match file.suffix:
        case ".csv":
            pd.DataFrame(rows).to_csv(file, index=False)
        case ".parquet":
            pd.DataFrame(rows).to_parquet(file)
        case ".json":
            file.write_text(json.dumps(rows, ensure_ascii=False), "utf-8")
        case _:
            lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            file.write_text("".join(lines), "utf-8")
    return file
