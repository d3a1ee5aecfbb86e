"""`arena mad`: rounds of a played tournament, its levels, and what is refused."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from tests.support.command_line import done, refused
from tests.support.played_tournaments import copied, played_tournament
from tests.support.toml_files import bench, player, toml_text
from tests.support.translation_estimators import installed

#: What the debaters are told of levels 0 to 3, with either preset.
LEVEL_WORDS = (
    "come to one answer",
    "disagree about most of it",
    "what counts is to find the right answer",
    "disagree about every single point",
)
CONFIG = toml_text(
    tournament={"name": "rounds", "contest": "question", "motions": "puzzles10"},
    schedule={"kind": "gauntlet", "newcomers": ["cot"], "matchups_per_pair": 4},
    participants=[
        player("cot", "cot", "offline/weak"),
        player("reflect", "self_reflect", "offline/fair"),
        player(
            "mad",
            "mad",
            "offline/fair",
            options={"models": {"judge": "offline/strong", "negative": "offline/strong"}},
        ),
        player(
            "all-rounds", "mad", "offline/fair", options={"adaptive_break": False, "max_rounds": 2}
        ),
    ],
    benches=[bench("correctness")],
)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played_tournament(tmp_path_factory, "mad-rounds", CONFIG)


def rows(*arguments: str | Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(done("mad", *arguments, "--format", "csv"))))


def test_disagreement_counts_what_chain_of_thought_gets_wrong(db: Path) -> None:
    every = rows("disagreement", "--all", "--db", db)
    assert {row["participant"] for row in every} == {"reflect", "mad", "all-rounds"}
    assert all(0 <= float(row["disagreement"]) <= 1 for row in every)
    fixed = [row for row in every if row["participant"] == "all-rounds"]
    assert [(row["iteration"], row["answers"]) for row in fixed] == [("1", "8"), ("2", "8")]
    wrong = rows("disagreement", "--db", db)
    assert sum(int(row["answers"]) for row in wrong) < sum(int(row["answers"]) for row in every)
    shown = done("mad", "disagreement", "--db", db)
    assert "that cot gets wrong." in shown and "simulated models" in shown


def test_quality_ends_with_what_was_delivered(db: Path) -> None:
    accuracy = json.loads(done("accuracy", "--db", db, "--format", "json"))["accuracies"]
    delivered = {
        row["participant"]: float(row["accuracy"])
        for row in rows("quality", "--db", db)
        if not row["iteration"]
    }
    assert delivered == {
        row["participant"]: pytest.approx(row["accuracy"], abs=1e-6)
        for row in accuracy
        if row["participant"] != "cot"
    }
    fixed = [
        row["iteration"]
        for row in rows("quality", "--db", db)
        if row["participant"] == "all-rounds"
    ]
    assert fixed == ["0", "1", "2", ""]
    assert "published" in done("mad", "quality", "--db", db)


@pytest.mark.slow
def test_translations_are_scored_by_an_estimator_after_each_iteration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, own = tmp_path / "rounds.toml", tmp_path / "own.duckdb"
    text = CONFIG.replace("puzzles10", "wordplay10").replace("matchups_per_pair = 4", "")
    file.write_text(text, encoding="utf-8")
    done("run", file, "--yes", "--db", own)
    metric = "comet:Unbabel/wmt22-comet-da"
    with installed(tmp_path, monkeypatch):
        printed = rows("quality", "--db", own, "--metric", metric)
        shown = done("mad", "quality", "--db", own, "--metric", metric)
    assert all(0 <= float(row[metric]) <= 1 and row["chrf"] for row in printed)
    assert "COMET (Unbabel/wmt22-comet-da): mean score" in shown
    assert "write an estimator" in refused("mad", "quality", "--db", own, "--metric", "comet")


def test_an_estimator_needs_translations(db: Path) -> None:
    message = refused("mad", "quality", "--db", db, "--metric", "comet:Unbabel/wmt22-comet-da")
    assert "this tournament asks for none" in message


def test_verdicts_are_those_of_the_traces(db: Path) -> None:
    document = json.loads(done("mad", "verdicts", "--db", db, "--format", "json"))
    by_name = {row["participant"]: row for row in document["rows"]}
    assert by_name["mad"]["judge_model"] == by_name["mad"]["negative_model"] == "offline/strong"
    assert by_name["mad"]["affirmative_model"] == "offline/fair"
    for row in by_name.values():
        assert row["affirmative"] + row["negative"] + row["none"] == row["answers"] == 8
    assert by_name["all-rounds"]["own_model"] is None
    assert [table["id"] for table in document["published"]] == ["T7", "E5"]
    assert document["published"][0]["rows"][3] == ["4", "Turbo", "GPT-4", "GPT-4", 52, 136, 12]


def test_bias_is_what_accuracy_leaves(db: Path) -> None:
    accuracy = json.loads(done("accuracy", "--db", db, "--format", "json"))["accuracies"]
    right = {row["participant"]: row["accuracy"] for row in accuracy}
    for row in rows("bias", "--db", db):
        assert float(row["bias"]) == pytest.approx(100 * (1 - right[row["participant"]]))
    shown = done("mad", "bias", "--db", db)
    assert "29.0" in shown and "49.7" in shown and "not measured here" in shown


def test_the_papers_tables_of_questions_are_those_of_rounds(db: Path) -> None:
    printed = done("paper-tables", "--db", db, "--format", "markdown")
    assert "24 finished pairs of answers on 10 questions" in printed
    assert "## correctness: verdicts by models (Table 7)" in printed
    assert "debatrix" not in printed and "Elo" not in printed


@pytest.mark.slow
def test_levels_are_played_and_compared_by_one_command(tmp_path: Path) -> None:
    file, db = tmp_path / "rounds.toml", tmp_path / "own.duckdb"
    file.write_text(
        CONFIG.replace('"puzzles10"', '"puzzles10"\nmost_motions = 2'), encoding="utf-8"
    )
    printed = done("mad", "levels", file, "--participant", "mad", "--yes", "--db", db)
    assert "rounds-levels · levels of disagreement" in printed and "0.988" in printed
    levels = rows("levels", "--db", db)
    assert [(row["participant"], row["level"], row["answers"]) for row in levels] == [
        ("mad-level-0", "0", "4"),
        ("mad-level-1", "1", "4"),
        ("mad-level-2", "2", "12"),
        ("mad-level-3", "3", "4"),
    ]
    again = done("mad", "levels", file, "--participant", "mad", "--yes", "--db", db)
    assert "Everything has been played" in again


def test_the_prompts_of_all_levels_are_printed_by_either_preset(tmp_path: Path) -> None:
    file = tmp_path / "rounds.toml"
    file.write_text(CONFIG, encoding="utf-8")
    words = ("mad", "levels", file, "--participant", "mad", "--prompts")
    heads, levels = [], []
    for preset in ("paper", "default"):
        printed = done(*words, "--preset", preset)
        _, *prompts = re.split(r"^══ mad-level-(?=\d)", printed, flags=re.MULTILINE)
        heads.append([prompt[0] for prompt in prompts])
        levels += [[told for told in LEVEL_WORDS if told in prompt] for prompt in prompts]
        assert ("moderator" in printed) is (preset == "paper")
    assert heads == [list("0123")] * 2 and levels == [[told] for told in LEVEL_WORDS] * 2
    assert "need a FILE" in refused("mad", "levels", "--preset", "paper")


def test_what_cannot_be_shown_is_refused(db: Path, tmp_path: Path) -> None:
    assert "no bench 'debatrix'" in refused("mad", "quality", "--bench", "debatrix", "--db", db)
    assert "'nobody'" in refused("mad", "disagreement", "--wrong-by", "nobody", "--db", db)
    both = refused("mad", "disagreement", "--wrong-by", "cot", "--all", "--db", db)
    assert "exclude each other" in both
    file = tmp_path / "rounds.toml"
    file.write_text(CONFIG, encoding="utf-8")
    assert "'reflect'" in refused("mad", "levels", file, "--participant", "reflect", "--yes")
    without = CONFIG.replace('debater = "mad"', 'debater = "rerank"').replace("options = {", "#")
    file.write_text(without, encoding="utf-8")
    assert "has the debater 'mad'" in refused("mad", "levels", file, "--yes")
    assert "is 'debate'" in refused("mad", "levels", "offline", "--yes")


def test_a_tournament_of_debates_has_no_right_answers(small_database: Path) -> None:
    for command in ("quality", "bias", "levels"):
        assert "asks no questions" in refused("mad", command, "--db", small_database)
    assert "Give --all" in refused("mad", "disagreement", "--db", small_database)
    assert "No rounds are stored" in done("mad", "verdicts", "--db", small_database)


def test_answers_of_an_older_database_have_no_rounds(db: Path, tmp_path: Path) -> None:
    from arena.store.database import Store
    from tests.support.stored_databases import change

    old = copied(db, tmp_path)
    change(Store(old), "UPDATE speeches SET trace = '[]'")
    assert "No rounds are stored" in done("mad", "disagreement", "--all", "--db", old)
