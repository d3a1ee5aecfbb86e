"""`arena diversity` on an essay contest: figures, what is left out, and what models are paid."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

from arena.config.load import load_config
from arena.config.resolve import resolve
from arena.config.stored import stored_config
from arena.llm.budget import Budget
from arena.papers.commands import diversity
from arena.papers.essays.measurement import MeasurementProgress
from arena.store.database import Store
from arena.store.spending import read_spending, unit_prefix
from arena.tournament.models import Models
from tests.servers.openai_server import ServerSettings, serving_in_thread
from tests.support.command_line import arena, done, refused
from tests.support.played_tournaments import copied, played_once
from tests.support.toml_files import bench, player, toml_text
from tests.support.tournaments import changed, content, planned

pytestmark = pytest.mark.usefixtures("no_stored_boards")

CONFIG = toml_text(
    tournament={
        "name": "written",
        "contest": "essay",
        "languages": ["en", "zh"],
        "motions": "refutation64",
        "most_motions": 2,
    },
    limits={"words": 60},
    schedule={"matchups_per_pair": 8},
    models={
        "openai/own-embeddings": {
            "api_base": "env:OWN_EMBEDDINGS|http://127.0.0.1:9/v1",
            "usd_per_million": {"input": 0.5, "output": 0.0},
        }
    },
    participants=[
        player("direct"),
        player("planned", "cot_plan"),
    ],
    benches=[bench("single", "single", "offline/fair")],
)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two propositions in two languages, on each four essays of both participants."""

    def play(folder: Path) -> None:
        file = folder / "written.toml"
        file.write_text(CONFIG, "utf-8")
        printed = done("run", file, "--yes", "--db", folder / "written.duckdb")
        assert "Played 16 debates" in printed and "arena diversity" in printed

    folder = played_once(tmp_path_factory, "written", play)
    return copied(folder / "written.duckdb", tmp_path_factory.mktemp("written"))


def test_seven_or_what_everybody_has_is_compared(db: Path) -> None:
    document = json.loads(done("diversity", "--db", db, "--format", "json"))
    assert document["simulated"] and (document["embedding"], document["points"]) == (
        "embedded",
        "sentences",
    )
    assert [one["participant"] for one in document["participants"]] == ["direct", "planned"]
    for one in document["participants"]:
        assert (one["propositions"], one["essays"]) == (4, 4)
        for figure in one["figures"].values():
            assert 0 <= figure["mean"] <= 100 and figure["lower"] < figure["mean"] < figure["upper"]
    assert document["published"]["direct"]["self_bleu"] == 24.54
    two = json.loads(done("diversity", "--db", db, "--essays", 2, "--format", "json"))
    # More references can only make a text more alike to them.
    for few, many in zip(two["participants"], document["participants"], strict=True):
        assert few["figures"]["self_bleu"]["mean"] < many["figures"]["self_bleu"]["mean"]


def test_the_table_says_what_was_compared_and_how(db: Path) -> None:
    printed = done("diversity", "--db", db, "--participant", "planned")
    (one,) = json.loads(
        done("diversity", "--db", db, "--participant", "planned", "--format", "json")
    )["participants"]
    for figure in one["figures"].values():
        half = (figure["upper"] - figure["lower"]) / 2
        assert f"{figure['mean']:.1f} ± {half:.1f}" in printed
    assert "written · diversity · simulated models" in printed and "direct  " in printed
    assert "4 essays of each participant" in printed and "hashed words" in printed
    assert "published, for orientation" in printed and "arXiv 2406.19643" in printed


def test_more_essays_than_there_are_are_refused_with_what_to_do(db: Path) -> None:
    message = refused("diversity", "--db", db, "--essays", 7)
    assert "the largest number is 4" in message and "matchups_per_pair" in message
    assert "Known: direct, planned" in refused("diversity", "--db", db, "--participant", "plan")
    assert "has no provider" in refused("diversity", "--db", db, "--embedding", "mine")


def test_what_models_measure_is_stored_and_not_paid_twice(db: Path) -> None:
    how = ("--embedding", "offline/strong", "--points", "offline/good", "--db", db)
    first = done("diversity", *how)
    assert "8 of 8 sets" in first and "Points: offline/good." in first
    again = done("diversity", *how)
    assert "sets" not in again and "Points: offline/good." in again
    store = Store(db)
    (stored,) = store.rows("SELECT count(*) AS n, min(essays) AS m FROM diversity")
    assert stored == {"n": 8, "m": 4}
    calls = store.rows(
        "SELECT task, count(*) AS n FROM calls JOIN diversity USING (unit) GROUP BY 1 ORDER BY 1"
    )
    assert [one["task"] for one in calls] == ["embed", "extract.points"]
    assert calls[1]["n"] == 8 * 4


def test_points_of_the_papers_preset_are_measured_for_themselves(db: Path) -> None:
    how = ("--points", "offline/good", "--db", db)
    ours = done("diversity", *how)
    papers = done("diversity", *how, "--preset", "paper")
    assert "8 of 8 sets" in papers and "Points: offline/good (preset paper)." in papers
    assert "sets" not in done("diversity", *how, "--preset", "paper")
    assert "Points: offline/good." in ours
    stored = Store(db).rows(
        "SELECT points_by, count(*) AS n FROM diversity WHERE embedding = 'embedded' GROUP BY 1"
    )
    assert {row["points_by"]: row["n"] for row in stored} == {
        "offline/good": 8,
        "offline/good (preset paper)": 8,
    }
    message = refused("diversity", "--preset", "paper", "--db", db)
    assert message.startswith("--preset paper: a rule picks the points. Name the model")


def test_what_is_not_measured_is_continued_by_the_complete_command(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = MeasurementProgress(stopped="the cap is reached")
    monkeypatch.setattr(diversity, "run_paid", lambda *_: stopped)
    message = refused("diversity", "--points", "offline/good", "--yes", "--db", db)
    assert message == (
        f"the cap is reached. Continue with: arena diversity --points offline/good --yes --db {db}"
    )


def spent(db: Path) -> float:
    """What the tournament has cost so far, in USD."""
    return read_spending(Store(db), "written").whole.usd


def test_what_was_measured_counts_under_the_tournaments_cap(db: Path) -> None:
    before = spent(db)
    with duckdb.connect(str(db)) as link:
        link.execute(
            "INSERT INTO diversity VALUES ('u', 'written', 'direct', 'm', 'en', 2, 'e', 'p', "
            "1, 1, NULL, 0, 0, 0.25, now(), ''), "
            "('v', 'another', 'direct', 'm', 'en', 2, 'e', 'p', 1, 1, NULL, 0, 0, 9.0, now(), '')"
        )
    assert spent(db) == pytest.approx(before + 0.25)


def test_what_was_measured_when_it_was_killed_counts_too(db: Path) -> None:
    before, folder = spent(db), Store(db).journal_folder
    journals = [folder / f"{unit_prefix(name)}x.jsonl" for name in ("written", "no")]
    for journal in journals:
        journal.parent.mkdir(exist_ok=True)
        sent = {"event": "start", "path": "embed/1", "attempt": 0, "usd": 0.5}
        journal.write_text(json.dumps(sent) + "\n", "utf-8")
    assert spent(db) == pytest.approx(before + 0.5)
    for journal in journals:
        journal.unlink()


def test_the_files_settings_reach_an_embedding_model(db: Path) -> None:
    resolved = stored_config(Store(db), None)
    model = "openai/own-embeddings"
    models = Models(resolved.config, (), budget=Budget(), further=(model,))
    assert models.price(model) == (0.5e-6, 0.0)
    asked = arena("diversity", "--embedding", model, "--db", db)
    assert asked.exit_code == 2 and "8 sets of essays to measure" in asked.stderr
    assert (
        "confirmation is needed, but the input is not a terminal. Add --yes to start without "
        "asking" in asked.stderr
    )


def test_a_servers_embeddings_are_paid_journalled_and_counted(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = "openai/own-embeddings"
    store, before = Store(db), spent(db)
    with serving_in_thread(ServerSettings(models=("own-embeddings",))) as server:
        monkeypatch.setenv("OWN_EMBEDDINGS", server.url)
        printed = done("diversity", "--embedding", model, "--yes", "--db", db)
        asked = server.ledger.http_requests
        again = done("diversity", "--embedding", model, "--yes", "--db", db)
        assert asked == server.ledger.http_requests == 1 + 8  # the first looks whether it answers
    assert f"Embedding: {model}." in printed and f"Embedding: {model}." in again
    (calls,) = store.rows(
        "SELECT count(*) AS n, sum(input_tokens) AS tokens, sum(c.cost_usd) AS usd FROM calls c "
        "JOIN diversity d USING (unit) WHERE d.embedding = $model",
        {"model": model},
    )
    assert calls["n"] == 8 and calls["tokens"] > 0
    assert calls["usd"] == pytest.approx(calls["tokens"] * 0.5e-6)
    assert spent(db) == pytest.approx(before + calls["usd"])
    assert not list(store.journal_folder.glob("diversity-*"))


def test_the_first_motions_are_taken_categories_in_turn(tmp_path: Path) -> None:
    file = tmp_path / "few.toml"
    chosen = []
    for most in (2, 5):
        file.write_text(CONFIG.replace("most_motions = 2", f"most_motions = {most}"), "utf-8")
        chosen.append([one.motion_id for one in resolve(load_config(file), where="few").motions])
    assert chosen[1][:2] == chosen[0] and len(chosen[1]) == 5
    file.write_text(CONFIG.replace("most_motions = 2", "most_motions = 0"), "utf-8")
    assert "most_motions" in refused("run", file, "--db", tmp_path / "none.duckdb")


def test_without_essays_it_says_where_they_come_from(tmp_path: Path) -> None:
    config = changed(content(contest="essay"), ["benches", 0, "judge"], "single")
    unwritten, _ = planned(tmp_path / "essays.duckdb", config)
    printed = done("diversity", "--db", unwritten.path)
    assert "No participant has written twice" in printed and "arena resume small --db" in printed
    spoken, _ = planned(tmp_path / "debates.duckdb")
    assert "has no essays" in refused("diversity", "--db", spoken.path)
