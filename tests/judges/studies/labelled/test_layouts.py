"""Published layouts: what is read of each, which rows are refused, and what several votes say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.errors import ConfigError
from judges.studies.labelled.pairs import LabelledPair, PairFile, read_pairs
from tests.support.command_line import arena, done
from tests.support.debate_seats import texts
from tests.support.hostile_texts import outside
from tests.support.labelled_layouts import (
    JUDGEBENCH,
    LLMBAR,
    PANDALM,
    PUBLISHED,
    REWARDBENCH,
    SCORES,
    Row,
    mt_bench,
    turns,
    write_rows,
)
from tests.support.paired_answers import comparing
from tests.support.probes import ask


def read(rows: list[Row], folder: Path, ending: str = "jsonl", **options: bool) -> PairFile:
    return read_pairs(write_rows(rows, folder / f"rows.{ending}"), {}, **options)


def refusal(rows: list[Row], folder: Path, ending: str = "jsonl") -> str:
    with pytest.raises(ConfigError) as refused:
        read(rows, folder, ending)
    return str(refused.value)


def outcomes(pairs: tuple[LabelledPair, ...]) -> list[tuple[str, float, tuple[float, ...]]]:
    return [(pair.item, pair.outcome, pair.votes) for pair in pairs]


@pytest.mark.parametrize("ending", ["parquet", "jsonl", "json", "csv"])
def test_votes_on_conversations_are_gathered_by_question_turn_and_models(
    ending: str, tmp_path: Path
) -> None:
    content = read(mt_bench(pairs=16), tmp_path, ending)
    assert (content.rows, len(content.pairs), content.votes) == (48, 16, 48)
    assert content.layout == "MT-Bench's human judgements"
    first, later = content.pairs[0], content.pairs[15]
    assert first.item == "81:1:alpaca-13b:claude-v1"
    assert (first.outcome, first.votes) == (1.0, (1.0, 1.0, 0.0)), "exchanged in the second row"
    assert first.question == "What is known of topic 81, and why does it matter?"
    assert first.first == "alpaca-13b says x of topic 81, with reasons."
    assert (later.item, later.category) == ("81:2:alpaca-13b:claude-v1", "turn 2")
    assert later.question.startswith("Turn 1:\nWhat is known of topic 81")
    assert "\n\nTurn 2:\nAnd more about that?" in later.question
    assert "Compare the answers to turn 2 alone" in later.background and not first.background
    assert later.second.startswith("Turn 1:\nclaude-v1 says x")
    assert "\n\nTurn 2:\nclaude-v1 says y" in later.second
    assert {pair.cluster for pair in content.pairs} == {"81"}, "one question, both turns"


def test_without_a_turn_the_whole_conversation_is_judged(tmp_path: Path) -> None:
    rows = [{key: row[key] for key in ("conversation_a", "conversation_b", "winner")}
            for row in mt_bench()]  # fmt: skip
    pair = read(rows, tmp_path).pairs[0]
    assert pair.background.endswith("Compare the answers to all turns together.")
    assert pair.votes == (1.0, 1.0, 0.0), "the texts alone say that it is the same pair"


def test_chinese_turns_have_chinese_headings(tmp_path: Path) -> None:
    asked = "为什么夏天比冬天热，冬天比夏天冷？请说明理由。"
    row = {"conversation_a": turns(asked, "因为地轴是倾斜的。", "还有阳光更直。"),
           "conversation_b": turns(asked, "不知道。", "真的不知道为什么。"), "winner": "model_a",
           "language": "Chinese", "turn": 2}  # fmt: skip
    (pair,) = read([row], tmp_path).pairs
    assert pair.language == "zh"
    assert "只比较对第 2 轮的回答" in pair.background
    assert pair.first == "第 1 轮：\n因为地轴是倾斜的。\n\n第 2 轮：\n还有阳光更直。"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("scores", [("1", 0.0, (0.0,)), ("2", 1.0, (1.0,))]),
        ("judgebench", [("5b0c", 0.0, (0.0,)), ("5b0d", 1.0, (1.0,))]),
        ("llmbar", [("1", 0.0, (0.0,)), ("2", 1.0, (1.0,))]),
        ("pandalm", [("0", 1.0, (1.0, 1.0, 0.5)), ("1", 0.5, (0.0, 1.0, 0.5))]),
    ],
)
def test_published_layouts_are_read_as_they_are(
    name: str, expected: list[tuple[str, float, tuple[float, ...]]], tmp_path: Path
) -> None:
    ending, rows = PUBLISHED[name]
    content = read(rows, tmp_path, ending)
    assert outcomes(content.pairs) == expected and not content.skipped


def test_an_empty_or_odd_answer_that_people_judged_stays(tmp_path: Path) -> None:
    first, second = read(PANDALM, tmp_path, "json").pairs
    assert (first.question, first.second) == ("Make it short.\n\nA long line.", "(no text)")
    assert (second.question, second.first) == ("Is it true?", "true")


def test_categories_are_sources_and_subsets(tmp_path: Path) -> None:
    pairs = read(JUDGEBENCH, tmp_path).pairs
    assert [pair.category for pair in pairs] == ["mmlu-pro-law", "livebench-math"]
    assert read(REWARDBENCH, tmp_path).pairs[0].category == "math-prm"


def test_the_better_answer_of_rewardbench_does_not_always_stand_first(tmp_path: Path) -> None:
    pairs = read(REWARDBENCH, tmp_path, "parquet").pairs
    assert len(pairs) == 12 and {pair.outcome for pair in pairs} == {1.0, 0.0}
    for pair in pairs:
        better = pair.first if pair.outcome == 1.0 else pair.second
        assert better.startswith("Because of")
    again = read(REWARDBENCH[::-1], tmp_path, "jsonl").pairs
    assert {(p.item, p.outcome) for p in again} == {(p.item, p.outcome) for p in pairs}


def test_rows_of_our_own_layout_with_one_text_are_votes(tmp_path: Path) -> None:
    row = {"question": "Why?", "answer_a": "So.", "answer_b": "No.", "winner": "1"}
    other = {**row, "answer_a": "No.", "answer_b": "So.", "winner": "2"}
    (pair,) = read([row, other, {**row, "winner": "tie"}], tmp_path).pairs
    assert (pair.outcome, pair.votes) == (1.0, (1.0, 1.0, 0.5))


def changed(rows: list[Row], **changes: object) -> list[Row]:
    """The rows with changes to the second one."""
    return [rows[0], {**rows[1], **changes}, *rows[2:]]


ASKED = "What is known of topic 81, and why does it matter?"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (changed(SCORES, Response_C="Yes."), "row 2, column Response_C: a third answer; a pair"),
        (changed(LLMBAR, output_3="It is 7."), "row 2, column output_3: a third answer"),
        (changed(REWARDBENCH, rejected=["No.", "Not so.", "Never."]),
         "row 2, column rejected: has 3 answers; a pair has one in each column"),
        (changed(mt_bench(), conversation_c=turns(ASKED, "x")),
         "row 2, column conversation_c: a third answer"),
        (changed(mt_bench(), conversation_a=turns(ASKED, "x")),
         "row 2, turns out of step: other texts than in row 1"),
        (changed(mt_bench(), conversation_b=turns("Other?", "x", "y")),
         "row 2, turns out of step: the question of turn 1 differs"),
        (changed(mt_bench(), conversation_b=turns(ASKED, "x", "y")[1:]),
         "row 2, column conversation_b: turns out of step: message 1 is by 'assistant'"),
        (changed(mt_bench(), conversation_b=turns(ASKED, "x", "y")[:3]),
         "row 2, column conversation_b: turns out of step: the last question has no answer"),
        (changed(mt_bench(), turn=3), "row 2, column turn: given '3'; accepted: 1 to 2"),
        (changed(mt_bench(), conversation_a="Hello."), "is no list of turns; accepted: a list"),
        (changed(mt_bench(), winner="model_c"),
         "row 2, column winner: given 'model_c'; accepted: a, b, tie"),
        (changed(JUDGEBENCH, label="C>A"), "row 2, column label: given 'C>A'; accepted: a, b"),
        (changed(LLMBAR, label=0), "row 2, column label: given '0'; accepted: a, b, tie, 1, 2"),
        (changed(PANDALM, annotator2=3), "row 2, column annotator2: given '3'; accepted: 1 (the"),
        (changed(SCORES, Model_A_Score="x"), "row 2, column Model_A_Score: given 'x'; accepted"),
        (changed(PANDALM, idx=0), "row 2, column idx: given '0', which is also the id of row 1"),
    ],
)  # fmt: skip
def test_a_row_that_cannot_be_used_is_named_with_its_remedy(
    rows: list[Row], message: str, tmp_path: Path
) -> None:
    output = refusal(rows, tmp_path)
    assert message in output
    assert "or leave them out with --skip-bad" in output


def test_a_winner_may_be_the_name_of_its_model(tmp_path: Path) -> None:
    rows = changed(mt_bench(pairs=1), winner="alpaca-13b")
    assert read(rows, tmp_path).pairs[0].votes == (1.0, 1.0, 0.0)
    message = refusal(changed(mt_bench(pairs=1), winner="gpt-9"), tmp_path)
    assert "given 'gpt-9'" in message and "claude-v1, alpaca-13b" in message


def test_bad_rows_are_skipped_counted_and_named(tmp_path: Path) -> None:
    rows = changed(mt_bench(pairs=2), winner="model_c")
    content = read(rows, tmp_path, skip_bad=True)
    assert (len(content.pairs), content.votes, len(content.skipped)) == (2, 5, 1)
    words = ("judges", "evaluate", tmp_path / "rows.jsonl", "--db", tmp_path / "x.duckdb")
    single = ("--judge", "single", "--model", "offline/good", "--yes", "--skip-bad")
    result = arena(*words, *single)
    assert result.exit_code == 0, result.output
    assert "1 of 6 rows cannot be used:\n  row 2, column winner" in result.stderr
    shown = " ".join(result.stdout.split())
    assert "6 rows, 5 votes, read as MT-Bench's human judgements; 1 row skipped" in shown
    assert "1 row could not be used and left out: row 2, column winner" in shown
    assert json.loads(arena(*words, *single, "--format", "json").stdout)["skipped"][0].startswith(
        "row 2"
    )


def test_a_file_without_a_usable_row_is_refused_even_then(tmp_path: Path) -> None:
    rows = [{**row, "label": 3} for row in LLMBAR]
    with pytest.raises(ConfigError, match="2 of 2 rows cannot be used, so no pair was judged"):
        read(rows, tmp_path, skip_bad=True)


def test_a_file_of_no_layout_lists_them(tmp_path: Path) -> None:
    message = refusal([{"x": 1}], tmp_path)
    assert "no column question, answer_a, answer_b, winner; it has: x" in message
    assert "LLMBar: input, output_1, output_2, label" in message


@pytest.mark.parametrize("name", list(PUBLISHED))
def test_every_layout_is_judged_and_judged_again_for_nothing(name: str, tmp_path: Path) -> None:
    ending, rows = PUBLISHED[name]
    file = write_rows(rows, tmp_path / f"{name}.{ending}")
    words = ("judges", "evaluate", file, "--db", tmp_path / "x.duckdb", "--judge", "single",
             "--model", "offline/good", "--yes")  # fmt: skip
    first = arena(*words, "--format", "json").stdout
    assert sum(row["missing"] for row in json.loads(first)["accuracies"]) == 0
    assert ", 0 to take" in done(*words, "--dry-run")
    assert arena(*words, "--format", "json").stdout == first


def test_a_judge_is_told_outside_the_quoted_task_which_turn_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = ask(monkeypatch, comparing(12, 10))
    file = write_rows(mt_bench(pairs=16), tmp_path / "mt.parquet")
    result = arena("judges", "evaluate", file, "--db", tmp_path / "x.duckdb", "--judge", "single",
                   "--model", "offline/good", "--yes")  # fmt: skip
    assert result.exit_code == 0, result.output
    told = [outside(request) for request in backend.requests]
    assert sum("Compare the answers to turn 2 alone" in text for text in told) == 1
    assert sum("topic 81" in text for text in told) == 0, "the task itself is quoted"
    (second,) = [r for r in backend.requests if "turn 2 alone" in r.text()]
    assert texts(second, "task")[0].startswith("Turn 1:\nWhat is known of topic 81")
    assert texts(second, "answer")[0].startswith("Turn 1:\nalpaca-13b says x")
