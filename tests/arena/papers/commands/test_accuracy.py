"""A question contest from the command line: played, decided by correctness, counted."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from arena.store.database import Store
from tests.support.command_line import done, refused
from tests.support.toml_files import bench, player, toml_text

pytestmark = pytest.mark.usefixtures("no_stored_boards")

CONFIG = toml_text(
    tournament={
        "name": "asked",
        "contest": "question",
        "languages": ["en", "zh"],
        "motions": "puzzles10",
    },
    schedule={"matchups_per_pair": 2},
    participants=[
        player("strong", "cot", "offline/strong"),
        player("weak", "direct", "offline/weak"),
        player("voting", "self_consistency", "offline/fair"),
        player("rating", "rerank", "offline/fair"),
        player("reflecting", "self_reflect", "offline/fair"),
        player("debating", "mad"),
    ],
    benches=[bench("correctness")],
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "asked.toml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_question_contest_is_played_and_counted(file: Path) -> None:
    db = file.with_suffix(".duckdb")
    output = done("run", file, "--yes", "--db", db)
    assert "Played 60 debates, 0 forfeits; took 60 ballots." in output
    store = Store(db)
    assert store.rows("SELECT DISTINCT stage FROM speeches") == [{"stage": "answer"}]
    printed = done("accuracy", "--db", db, "--format", "csv")
    rows = {row["participant"]: row for row in csv.DictReader(io.StringIO(printed))}
    for name, row in rows.items():
        (counted,) = store.rows(
            "SELECT count(*) AS answers, avg(CASE WHEN lower(s.text) IN "
            "(SELECT lower(unnest(m.answers->>'$.accepted[*]'))) THEN 1.0 ELSE 0.0 END) AS share "
            "FROM speeches s JOIN debates d USING (debate_id) "
            "JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language "
            "JOIN participants p ON p.participant_id = if(side = 'pro', d.pro, d.con) "
            "WHERE p.name = $name",
            {"name": name},
        )
        assert counted["answers"] == int(row["answers"]) == 20
        assert counted["share"] == pytest.approx(float(row["accuracy"]))
    assert float(rows["strong"]["accuracy"]) > float(rows["weak"]["accuracy"])
    shown = done("accuracy", "--db", db)
    assert "accuracy · bench correctness · simulated models" in shown
    assert "arXiv 2305.19118" in shown and "0.36" in shown and "chrF" not in shown
    assert [rows[name]["published"] for name in ("debating", "strong")] == ["0.36", "0.24"]
    assert rows["weak"]["chrf"] == "nan"
    assert "no bench 'debatrix'" in refused("accuracy", "--db", db, "--bench", "debatrix")
    assert "Everything has been played: 60 debates" in done("run", file, "--yes", "--db", db)


def test_a_contest_has_debaters_and_judges_of_its_own(file: Path, tmp_path: Path) -> None:
    for old, new, message in (
        ('"cot"', '"agent4debate"', "Accepted here: cot, direct, human, mad, maps, rerank, "),
        ('"cot"', '"baseline"', "participants[1].debater: 'baseline' does not support"),
        ('"correctness"\nruns = 1', '"debatrix"\nmodel = "offline/fair"', "benches[1].judge"),
        ("runs = 1", "runs = 3", "gives the same verdict in every run. Write runs = 1."),
        (
            "runs = 1",
            'runs = 1\nmodel = "offline/fair"',
            "'correctness' uses no model. Remove the key.",
        ),
        ('contest = "question"', "", "benches[1].judge: 'correctness' does not support"),
        ('"puzzles10"', '"arena66"', "No question set 'arena66'"),
    ):
        assert old in CONFIG
        file.write_text(CONFIG.replace(old, new, 1), encoding="utf-8")
        assert message in refused("run", file, "--db", tmp_path / "none.duckdb"), message


def test_translations_are_decided_by_chrf_or_by_a_judge(file: Path) -> None:
    text = CONFIG[: CONFIG.index('[[participants]]\nname = "voting"')].replace(
        "puzzles10", "wordplay10"
    )
    benches = CONFIG[CONFIG.index("[[benches]]") :] + (
        '[[benches]]\nname = "meaning"\njudge = "translation"\nmodel = "offline/strong"\nruns = 1\n'
    )
    file.write_text(text + benches, encoding="utf-8")
    db = file.with_suffix(".duckdb")
    printed = done("run", file, "--yes", "--db", db)
    assert "Played 4 debates, 0 forfeits; took 8 ballots." in printed
    assert "arena accuracy" in printed
    for name in ("correctness", "meaning"):
        document = json.loads(done("accuracy", "--db", db, "--bench", name, "--format", "json"))
        found = document["accuracies"]
        assert (document["bench"], document["simulated"]) == (name, True)
        shares = {row["participant"]: row["accuracy"] for row in found}
        assert shares["strong"] > shares["weak"]
        assert all(20 < row["chrf"] <= 100 for row in found)
    assert "chrF (0 to 100)" in done("accuracy", "--db", db)


def test_a_tournament_of_debates_has_no_accuracy(small_database: Path) -> None:
    assert "asks no questions" in refused("accuracy", "--db", small_database)
