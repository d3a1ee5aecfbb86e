"""People judge answers and translations: right or wrong, and marks from 1 to 5, blind."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.people.sessions import from_stored, to_stored
from arena.store.database import Store
from tests.support.command_line import done, refused
from tests.support.csv_tables import Rows, rows_of, with_value, without, write
from tests.support.played_tournaments import played_once
from tests.support.translation_estimators import installed

#: Whole tournaments and pages.
pytestmark = pytest.mark.slow

CONFIG = """
[tournament]
name = "answers"
contest = "question"
languages = ["en"]
motions = "{motions}"
seed = 7
[[participants]]
name = "hidden-good"
debater = "direct"
model = "offline/good"
[[participants]]
name = "hidden-weak"
debater = "direct"
model = "offline/weak"
[[benches]]
name = "people"
judge = "human"
runs = 2
"""
RIGHT_WINS = {"right_a": "right", "mark_a": "5", "right_b": "wrong", "mark_b": "2"}


@pytest.fixture(scope="module", params=["puzzles10", "wordplay10"])
def finished(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament of questions, or of translations, that waits for people's votes."""

    def play(folder: Path) -> None:
        file = folder / "answers.toml"
        file.write_text(CONFIG.format(motions=request.param), encoding="utf-8")
        printed = done("run", file, "--yes", "--db", folder / "own.duckdb")
        assert "wait for people's votes: arena vote list" in printed

    return played_once(tmp_path_factory, f"answers-{request.param}", play) / "own.duckdb"


@pytest.fixture
def db(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(finished, tmp_path / "own.duckdb"))


def filled(db: Path, folder: Path, voter: str, **choice: str) -> Rows:
    """The table of a sheet with the same choice in every row."""
    done("vote", "sheet", folder, "--voter", voter, "--db", db)
    return [row | choice for row in rows_of(folder / "votes.csv")]


def test_a_sheet_is_blind_and_its_marks_are_the_accuracy(db: Path, tmp_path: Path) -> None:
    good = _sides(db, "hidden-good")
    for voter, mark in (("ann", "2"), ("bea", "4")):
        rows = filled(db, tmp_path / voter, voter)
        assert list(rows[0])[2:6] == ["right_a", "mark_a", "right_b", "mark_b"]
        text = (tmp_path / voter / "debates.txt").read_text("utf-8")
        assert "hidden" not in text and "offline" not in text
        assert "You see two answers to each question, but not who gave" in text
        assert "Answer A" in text and "Answer B" in text
        for row in rows:
            letter, other = ("a", "b") if good[row["debate"]] == "pro" else ("b", "a")
            row |= {f"right_{letter}": "Right", f"mark_{letter}": "5"}
            row |= {f"right_{other}": "wrong", f"mark_{other}": mark}
        printed = done("vote", "import", write(tmp_path / f"{voter}.csv", rows), "--db", db)
        assert f"Stored {len(rows)} votes of 1 person for bench people." in printed
    table = done("accuracy", "--bench", "people", "--format", "csv", "--db", db).splitlines()
    keys = table[0].split(",")
    by_name = {line.split(",")[0]: dict(zip(keys, line.split(","), strict=True)) for line in table}
    assert float(by_name["hidden-good"]["accuracy"]) == 1
    assert float(by_name["hidden-good"]["mark"]) == pytest.approx(5)
    assert float(by_name["hidden-weak"]["accuracy"]) == 0
    assert float(by_name["hidden-weak"]["mark"]) == pytest.approx(3), "the mean of 2 and 4"
    text = " ".join(done("accuracy", "--bench", "people", "--db", db).split())
    assert "mark the mean of their marks from 1 to 5" in text
    board = done("leaderboard", "--dimension", "quality", "--format", "csv", "--db", db)
    assert board.splitlines()[1].split(",")[1] == "hidden-good"
    assert "the sum of the votes decides" in " ".join(done("leaderboard", "--db", db).split())


def _sides(db: Path, name: str) -> dict[str, str]:
    rows = Store(db).rows(
        "SELECT debate_id, if(p.participant_id = pro, 'pro', 'con') AS side FROM debates "
        "JOIN participants p ON p.name = $name",
        {"name": name},
    )
    return {row["debate_id"]: row["side"] for row in rows}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without("mark_b"), "missing column 'mark_b'"),
        (with_value(0, right_a="yes"), "row 2, right_a: 'yes' is not one of right, wrong"),
        (with_value(0, mark_b="6"), "row 2, mark_b: '6' is not one of 1, 2, 3, 4, 5"),
        (with_value(0, mark_b=""), "row 2, mark_b: '' is not one of 1, 2, 3, 4, 5"),
    ],
)
def test_a_table_with_a_fault_is_refused_whole(
    db: Path, tmp_path: Path, change: Callable[[Rows], Rows], message: str
) -> None:
    rows = filled(db, tmp_path / "ann", "ann", **RIGHT_WINS)
    assert message in refused("vote", "import", write(tmp_path / "v.csv", change(rows)), "--db", db)
    assert Store(db).rows("SELECT count(*) AS n FROM ballots")[0]["n"] == 0


def test_one_vote_is_cast_from_the_command_line(db: Path) -> None:
    debate = Store(db).rows("SELECT debate_id FROM debates ORDER BY 1")[0]["debate_id"]
    given = [f"{name}={choice}" for name, choice in RIGHT_WINS.items()]

    def cast(*words: str) -> tuple[str | Path, ...]:
        return ("vote", "cast", debate, *words, "--voter", "ann", "--db", db)

    message = refused(*cast(*given[:3]))
    assert "missing: mark_b. write each of these once: right_a=right|wrong; mark_a=1|2|3" in message
    assert "'mark_a=9': write each of these once" in refused(*cast("mark_a=9", *given[2:]))
    assert "Stored 1 vote" in done(*cast(*given))
    rows = Store(db).rows("SELECT * FROM ballot_scores ORDER BY dimension")
    assert [
        (row["dimension"], row["outcome"], row["pro_mark"], row["con_mark"]) for row in rows
    ] == [("overall", 1.0, 10.0, 1.0), ("quality", 1.0, 10.0, 3.25)]


def test_a_bench_of_people_is_added_to_answers(db: Path) -> None:
    words = ("rejudge", "--judge", "human", "--runs", "1", "--yes", "--db", db)
    assert "Bench more waits for" in done(*words, "--name", "more")
    message = refused(*words, "--name", "third", "--option", 'dimensions=["style"]')
    assert "people mark answers on `overall` (right or wrong) and `quality`" in message


def test_marks_fit_the_scale_of_all_ballots() -> None:
    assert [to_stored(mark) for mark in range(1, 6)] == [1, 3.25, 5.5, 7.75, 10]
    assert [from_stored(to_stored(mark)) for mark in range(1, 6)] == [1, 2, 3, 4, 5]


def test_estimators_score_translations_besides_chrf(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = filled(db, tmp_path / "ann", "ann", **RIGHT_WINS)
    done("vote", "import", write(tmp_path / "v.csv", rows), "--db", db)
    metric = ("accuracy", "--metric", "comet:Unbabel/wmt22-comet-da", "--db", db)
    assert "write an estimator with its model" in refused(*metric[:2], "comet", *metric[3:])
    with installed(tmp_path, monkeypatch) as checkpoint:
        if not _asks_translations(db):
            assert "scores translations, and this tournament asks for none" in refused(*metric)
            return
        text = " ".join(done(*metric, "--metric", f"bleurt:{checkpoint}").split())
        assert "COMET (Unbabel/wmt22-comet-da): mean score of the translations" in text
        assert f"BLEURT ({checkpoint})" in text.replace("- ", "-") and "chrF (0 to 100)" in text
        content = json.loads(done(*metric, "--format", "json"))["accuracies"]
        table = done(*metric, "--format", "csv").splitlines()
    label = "COMET (Unbabel/wmt22-comet-da)"
    scores = {row["participant"]: row["estimates"][label] for row in content}
    assert table[0].endswith(",comet:Unbabel/wmt22-comet-da")
    assert scores == pytest.approx(_shares_of_words(db)), "as the stand-in scores them"


def _shares_of_words(db: Path) -> dict[str, float]:
    """The mean share of words that a participant's translations have in common with a reference."""
    rows = Store(db).rows(
        "SELECT p.name, s.text, m.answers FROM speeches s JOIN debates d USING (debate_id) "
        "JOIN participants p ON p.participant_id = if(s.side = 'pro', d.pro, d.con) "
        "JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language"
    )
    shares: dict[str, list[float]] = {}
    for row in rows:
        words = row["text"].lower().split()
        known = [reference.lower().split() for reference in json.loads(row["answers"])["accepted"]]
        best = max(sum(word in those for word in words) / len(words) for those in known)
        shares.setdefault(row["name"], []).append(best)
    return {name: sum(values) / len(values) for name, values in shares.items()}


def _asks_translations(db: Path) -> bool:
    return "Translate" in Store(db).rows("SELECT text FROM motions LIMIT 1")[0]["text"]
