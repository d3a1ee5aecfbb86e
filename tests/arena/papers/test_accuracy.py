"""`arena accuracy` against a table worked by hand: questions, and translations that people mark."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.languages import SIDES
from arena.records import Speech, Verdict
from arena.translation.estimators import CandidateTranslation, Estimator
from motions import Answers, Brief, Motion, Wording
from tests.support.command_line import done
from tests.support.tournaments import commit, content, judged, named, planned, played

NUMBER = Answers(accepted=("96",), wrong=("100",))
READING = Answers(accepted=("He was fired.",), wrong=("He was fried.",), translation=True)
#: Each participant's answers to both questions, one in each seat: ann errs once, bob three times.
ANSWERS = {
    "ann": {"first": ("96", "96"), "second": ("96", "100")},
    "bob": {"first": ("100", "100"), "second": ("100", "96")},
}
#: Translations: ann's are word for word the reference or share no letter with it.
READINGS = {
    "ann": {"first": ("He was fired.", "He was fired."), "second": ("He was fired.", "???")},
    "bob": {"first": ("???", "???"), "second": ("???", "???")},
}


def question(name: str, answers: Answers) -> Motion:
    text = Wording(text=f"On {name}", info_slide="", brief=Brief(pro=(), con=()), answers=answers)
    return Motion(
        motion_id=name, motion_set="own", category="question", topic="", wordings={"en": text}
    )


def stored(
    path: Path,
    answers: Answers,
    texts: Mapping[str, Mapping[str, Sequence[str]]],
    quality: Mapping[str, float] | None = None,
) -> Path:
    """A contest in which these texts were answered; people gave everybody these marks, 1 to 10."""
    config = content("ann", "bob", contest="question")
    config["participants"][1]["debater"] = "mad"
    config["benches"] = [{"name": "correctness", "judge": "correctness", "runs": 1}]
    questions = [question(name, answers) for name in ("first", "second")]
    config["schedule"]["matchups_per_pair"] = 2
    store, plan = planned(path, config, questions)
    names, seen, records = named(plan), dict[tuple[str, str], int](), list[Any]()
    for debate in plan.debates:
        writers = {"pro": names[debate.pro], "con": names[debate.con]}
        said, right = {}, {}
        for side in SIDES:
            key = writers[side], debate.motion_id
            said[side] = texts[key[0]][key[1]][seen.get(key, 0)]
            right[side] = said[side] in answers.accepted
            seen[key] = seen.get(key, 0) + 1
        speeches = tuple(Speech(side=s, stage="answer", text=said[s], words=1) for s in SIDES)
        verdicts = [
            Verdict(
                dimension="overall",
                outcome=0.5 + (right["pro"] - right["con"]) / 2,
                pro_mark=10 if right["pro"] else 1,
                con_mark=10 if right["con"] else 1,
                comment="",
            )
        ]
        if quality:
            marks = {side: quality[writers[side]] for side in SIDES}
            verdicts.append(
                replace(
                    verdicts[0],
                    dimension="quality",
                    outcome=0.5,
                    pro_mark=marks["pro"],
                    con_mark=marks["con"],
                )
            )
        record = judged(debate)
        ballot = replace(record.ballot, bench="correctness", verdicts=tuple(verdicts))
        unit = replace(record.unit, unit_id=ballot.ballot_id)
        records += [
            replace(played(debate), speeches=speeches),
            replace(record, ballot=ballot, unit=unit),
        ]
    commit(store, *records)
    return store.path


def rows(db: Path, *options: str) -> dict[str, dict[str, str]]:
    printed = done("accuracy", "--db", db, "--format", "csv", *options)
    return {row["participant"]: row for row in csv.DictReader(io.StringIO(printed))}


def test_accuracy_is_the_share_of_right_answers(tmp_path: Path) -> None:
    db = stored(tmp_path / "own.duckdb", NUMBER, ANSWERS)
    found = rows(db)
    assert list(found) == ["ann", "bob"], "the best first"
    columns = ("accuracy", "answers", "questions", "chrf", "mark", "published")
    # of four answers ann has three right and bob one; published: 0.20 asked directly, 0.36 of MAD
    assert [found["ann"][column] for column in columns] == ["0.75", "4", "2", "nan", "nan", "0.2"]
    assert [found["bob"][column] for column in columns] == ["0.25", "4", "2", "nan", "nan", "0.36"]
    # what is right for one is as often wrong for the other: the intervals mirror each other
    for end, other in (("lower", "upper"), ("upper", "lower")):
        assert float(found["ann"][end]) == pytest.approx(1 - float(found["bob"][other]))
    assert float(found["ann"]["lower"]) < 0.75 < float(found["ann"]["upper"])
    shown = done("accuracy", "--db", db).splitlines()
    head = next(line for line in shown if line.startswith("participant"))
    assert head.split() == ["participant", "accuracy", "95", "%", "interval", "answers",
                            "questions", "published"]  # fmt: skip


def test_translations_have_their_likeness_and_peoples_marks(tmp_path: Path) -> None:
    marks = {"ann": 10.0, "bob": 3.25}
    found = rows(stored(tmp_path / "own.duckdb", READING, READINGS, marks))
    # three of four are the reference itself (100), one has nothing of it (0)
    assert [float(found["ann"][name]) for name in ("accuracy", "chrf")] == [0.75, 75.0]
    assert [float(found["bob"][name]) for name in ("accuracy", "chrf")] == [0.0, 0.0]
    # of 1 to 10, ten is 5 of 1 to 5, and 3.25 is a quarter of the way: 2
    assert [float(found[name]["mark"]) for name in ("ann", "bob")] == [5.0, 2.0]


def test_an_estimators_column_is_the_mean_over_all_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def score(_: Estimator, translations: Sequence[CandidateTranslation]) -> list[float]:
        asked.extend(one.text for one in translations)
        return [len(one.text) / 10 for one in translations]

    monkeypatch.setattr(Estimator, "score", score)
    db = stored(tmp_path / "own.duckdb", READING, READINGS)
    found = rows(db, "--metric", "comet:own")
    # 13 letters three times and 3 once are 42 of four answers; three letters every time
    assert [float(found[name]["comet:own"]) for name in ("ann", "bob")] == pytest.approx(
        [1.05, 0.3]
    )
    assert len(asked) == 4, "what is said twice of a question is scored once"
    assert "COMET" in done("accuracy", "--db", db, "--metric", "comet:own")
