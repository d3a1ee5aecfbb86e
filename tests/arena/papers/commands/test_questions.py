"""`arena questions`: sets listed, files checked, published sets imported and played."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from motions import load_questions
from tests.support.command_line import done, refused

HEAD = "chinese_source,english_target_correct,english_target_wrong"
GOOD = "他丢了面子。,He lost face.,He dropped his noodles."
SAME = "他走了。,He left.,He left."


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "lexical ambiguity.csv"
    path.write_text("\n".join([HEAD, GOOD, SAME]) + "\n", encoding="utf-8")
    return path


def test_the_shipped_sets_are_listed_with_what_they_ask_for() -> None:
    rows = [line.split() for line in done("questions", "list").splitlines()]
    assert ["puzzles50", "answers", "50", "50", "50"] in rows
    assert ["wordplay10", "translations", "10", "10", "10"] in rows


def test_a_file_is_checked_and_every_fault_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text('{"question": "2 + 2?", "answers": ["4"]}\n', encoding="utf-8")
    assert "no faults found" in done("questions", "check", path)
    path.write_text('{"question": "2 + 2?"}\n{"question": "", "answers": ["1"]}\n', "utf-8")
    message = refused("questions", "check", path)
    assert "2 faults" in message and "line 1" in message and "line 2" in message
    assert "No question set" in refused("questions", "check", tmp_path / "none.jsonl")


def test_a_bad_item_is_named_and_skipped_only_on_request(csv: Path, tmp_path: Path) -> None:
    target = tmp_path / "lexical.jsonl"
    message = refused("questions", "import", csv, "--to", target)
    assert "line 3: row 2: 'He left.' is given both as right and as wrong." in message
    assert "--skip-bad" in message and not target.exists()
    printed = done("questions", "import", csv, "--to", target, "--skip-bad")
    assert f"{target}: 1 question written." in printed
    (question,) = load_questions(target).motions
    assert question.motion_id == "lexical-ambiguity-001"
    assert question.wording("zh").text == "请把这句话译成英文：他丢了面子。"
    answers = question.wording("en").answers
    assert answers and answers.translation and answers.wrong == ("He dropped his noodles.",)


def test_an_imported_set_can_be_played(tmp_path: Path) -> None:
    published = tmp_path / "CIAR.json"
    item = {"question": "What is 7 - 5?", "answer": ["2"], "incorrect answer": ["3"]}
    published.write_text(json.dumps([item]), encoding="utf-8")
    done("questions", "import", published, "--to", tmp_path / "ciar.jsonl")
    participants = "".join(
        f'[[participants]]\nname = "{debater}"\ndebater = "{debater}"\nmodel = "offline/good"\n'
        for debater in ("direct", "maps")
    )
    file = tmp_path / "asked.toml"
    file.write_text(
        '[tournament]\nname = "asked"\ncontest = "question"\nmotions = "ciar.jsonl"\n'
        f'{participants}[[benches]]\nname = "right"\njudge = "correctness"\nruns = 1\n',
        encoding="utf-8",
    )
    assert "Played 2 debates, 0 forfeits" in done(
        "run", file, "--yes", "--db", tmp_path / "a.duckdb"
    )


def test_what_cannot_be_imported_or_written_is_refused(csv: Path, tmp_path: Path) -> None:
    assert "Name a file .jsonl" in refused("questions", "import", csv, "--to", tmp_path / "a.csv")
    existing = tmp_path / "there.jsonl"
    existing.touch()
    assert "the file exists" in refused("questions", "import", csv, "--to", existing)
    target = tmp_path / "new.jsonl"
    missing = refused("questions", "import", tmp_path / "none.json", "--to", target)
    assert "no such file; accepted: a JSON list of questions" in missing
    csv.write_text(f"{HEAD}\n{SAME}\n", encoding="utf-8")
    nothing = refused("questions", "import", csv, "--to", target, "--skip-bad")
    assert "No question is left" in nothing and not target.exists()
