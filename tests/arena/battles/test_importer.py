"""Imported battles: what is stored, that repeating adds nothing, and that they are rated."""

from __future__ import annotations

import csv
from pathlib import Path

import duckdb
import numpy as np
import pytest

from arena.battles.importer import ImportResult, import_battles
from arena.battles.source import form_of
from arena.battles.staging_table import ReadingOptions
from arena.boards.board import Board, board
from arena.boards.selecting import select_comparisons
from arena.boards.selection import Selection
from arena.config.stored import stored_config
from arena.errors import ConfigError, Locked
from arena.records import Ballot
from arena.store.database import Store
from arena.tournament.plan import make_plan
from ratings import Comparisons
from tests.support.battle_logs import PLAIN, WHOLE, write_log
from tests.support.command_line import done
from tests.support.tournaments import content, planned, resolved_of


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "own.duckdb")


def imported(
    store: Store, path: Path, *, tournament: str = "log", seed: int = 0, **renamed: str
) -> ImportResult:
    return import_battles(
        store, path, tournament=tournament, seed=seed, reading=ReadingOptions(renamed=renamed)
    )


def whole(store: Store, rows: object = WHOLE, name: str = "a.csv") -> ImportResult:
    return imported(store, write_log(store.path.with_name(name), rows))  # type: ignore[arg-type]


def rated(store: Store, **options: object) -> Board:
    selection = Selection(tournament="log", bench="imported", **options)  # type: ignore[arg-type]
    return board(store, stored_config(store, "log"), selection)


def read(store: Store, tournament: str) -> Comparisons:
    selection = Selection(tournament=tournament, bench="imported")
    return select_comparisons(store, stored_config(store, tournament), selection).comparisons


def test_a_battle_is_a_debate_with_one_ballot(store: Store) -> None:
    result = whole(store)
    assert (result.tournament, result.participants, result.ignored) == ("log", 3, ())
    assert (result.added, result.known, result.hints.group) == (5, 0, "")
    rows = store.rows(
        """
        SELECT d.debate_id, b.ballot_id, p.name AS pro, c.name AS con, d.status, d.language,
               m.text AS motion, m.category, m.motion_set, b.bench, b.run, b.voter, b.weight,
               s.dimension, s.outcome, s.pro_mark, s.con_mark
        FROM debates d JOIN ballots b USING (debate_id) JOIN ballot_scores s USING (ballot_id)
        JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
        JOIN participants p ON p.participant_id = d.pro
        JOIN participants c ON c.participant_id = d.con
        ORDER BY d.finished_at
        """
    )
    outcomes = {"model_a": 1.0, "model_b": 0.0, "tie": 0.5, "tie (bothbad)": 0.5}
    for row, given in zip(rows, WHOLE, strict=True):
        assert (row["pro"], row["con"]) == (given["model_a"], given["model_b"])
        assert (row["status"], row["bench"], row["run"]) == ("finished", "imported", 0)
        assert (row["motion_set"], row["dimension"]) == ("imported", "overall")
        for ours, theirs in (
            ("voter", "judge"), ("weight", "weight"), ("motion", "motion"),
            ("category", "category"), ("language", "language"), ("pro_mark", "score_a"),
            ("con_mark", "score_b"),
        ):  # fmt: skip
            assert row[ours] == given[theirs]
        assert row["outcome"] == outcomes[given["winner"]]
        ballot = Ballot(debate_id=row["debate_id"], bench="imported", run=0, status="valid")
        assert row["ballot_id"] == ballot.ballot_id


def test_groups_are_clusters_and_weights_count_as_they_are(store: Store) -> None:
    whole(store)
    imported(store, write_log(store.path.with_name("b.csv"), PLAIN), tournament="plain")
    for tournament, weights, sizes in (
        ("log", [0.25, 0.5, 1, 1, 2], [1, 1, 1, 2]),
        ("plain", [1] * 5, [1] * 5),
    ):
        found = read(store, tournament)
        assert sorted(found.weight.tolist()) == weights
        assert sorted(np.unique(found.cluster, return_counts=True)[1].tolist()) == sizes


def test_the_same_file_again_adds_nothing(store: Store) -> None:
    whole(store)
    tables = ("debates", "ballots", "ballot_scores", "motions", "participants", "tournaments")
    counts = [len(store.read(f"SELECT * FROM {one}")) for one in tables]
    for name in ("a.csv", "a.parquet", "a.jsonl"):
        again = whole(store, name=name)
        assert (again.added, again.known) == (0, 5)
    assert [len(store.read(f"SELECT * FROM {one}")) for one in tables] == counts


def test_rows_that_were_added_at_the_end_are_added(store: Store) -> None:
    whole(store, WHOLE[:3])
    result = whole(store)
    assert (result.added, result.known) == (2, 3)
    assert rated(store).comparisons == 5


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (WHOLE[:3], "are already stored, and the file ends before them"),
        ((*WHOLE[:2], WHOLE[3], WHOLE[2], WHOLE[4]), "the file differs from row 3 on"),
        (WHOLE[1:], "the file differs from row 1 on"),
    ],
)
def test_another_file_under_the_same_name_is_refused(
    store: Store, rows: tuple[object, ...], message: str
) -> None:
    whole(store)
    before = store.path.read_bytes()
    with pytest.raises(ConfigError) as caught:
        whole(store, rows)
    assert message in str(caught.value) and "--name" in str(caught.value)
    assert rated(store).comparisons == 5
    assert store.read("SELECT count(*) AS n FROM debates")["n"][0] == 5
    assert len(store.path.read_bytes()) == len(before)


def test_equal_rows_are_different_battles(store: Store) -> None:
    assert whole(store, [*PLAIN, *PLAIN]).added == 10
    assert rated(store).comparisons == 10


def test_nothing_is_written_where_a_row_is_bad(store: Store) -> None:
    bad = [*WHOLE, {**WHOLE[0], "winner": "nobody"}]
    with pytest.raises(ConfigError, match="row 6, column winner"):
        whole(store, bad)
    assert sorted(one.name for one in store.path.parent.iterdir()) == ["a.csv"]


def test_the_name_of_a_played_tournament_is_refused(store: Store) -> None:
    planned(store.path, content())
    with pytest.raises(ConfigError, match="'small' is a tournament that was played"):
        imported(store, write_log(store.path.with_name("a.csv"), PLAIN), tournament="small")

    def unbench(link: duckdb.DuckDBPyConnection) -> None:
        link.execute(
            "UPDATE tournaments SET config = json_merge_patch(config, '{\"benches\": []}')"
        )

    store.write(unbench)  # as of people's rankings alone
    with pytest.raises(ConfigError, match="'small' is a tournament that was played"):
        imported(store, write_log(store.path.with_name("a.csv"), PLAIN), tournament="small")
    with pytest.raises(ConfigError, match="cannot be the name of a tournament"):
        imported(store, write_log(store.path.with_name("a.csv"), PLAIN), tournament="*")


def test_the_name_of_imported_battles_cannot_be_played(store: Store) -> None:
    whole(store)
    with pytest.raises(ConfigError, match="holds imported battles under the name 'log'"):
        make_plan(resolved_of(content(name="log")), store)
    with pytest.raises(ConfigError, match="was imported, so there is nothing to play"):
        make_plan(stored_config(store, "log"), store)


def test_another_seed_under_a_stored_name_is_refused(store: Store) -> None:
    whole(store)
    path = store.path.with_name("a.csv")
    with pytest.raises(ConfigError, match="stored with seed 0; given was 3"):
        imported(store, path, seed=3)


def test_nothing_is_imported_while_a_tournament_is_played(store: Store) -> None:
    path = write_log(store.path.with_name("a.csv"), PLAIN)
    with store.runner_lock(), pytest.raises(Locked):
        imported(store, path)


def test_imported_battles_stand_beside_others(store: Store) -> None:
    planned(store.path, content())
    whole(store)
    imported(store, store.path.with_name("a.csv"), tournament="twice")
    assert rated(store).comparisons == 5
    counts = store.read("SELECT tournament, count(*) AS n FROM debates GROUP BY ALL ORDER BY ALL")
    assert counts["n"].tolist() == [5, 6, 5]


def test_any_subset_is_rated(store: Store) -> None:
    whole(store)
    resolved = stored_config(store, "log")
    assert (resolved.categories, resolved.languages) == (("coding", "math"), ("en", "zh"))
    assert rated(store, category="coding").comparisons == 2
    assert rated(store, language="zh").comparisons == 2
    result = rated(store, without=("eve",))
    assert (result.comparisons, result.left_out, result.open) == (2, 3, 0)
    with pytest.raises(ConfigError, match="unknown category 'wit'. Accepted: all, coding, math."):
        rated(store, category="wit")
    with pytest.raises(ConfigError, match="Known: imported, eve, fay."):
        rated(store, without=("gus",))


def test_a_simulated_log_is_known_as_such(store: Store) -> None:
    whole(store, [{**row, "simulated": "true"} for row in PLAIN])
    assert rated(store).simulated
    imported(store, write_log(store.path.with_name("b.csv"), PLAIN), tournament="real")
    real = stored_config(store, "real")
    assert not board(store, real, Selection(tournament="real", bench="imported")).simulated


def test_a_log_is_rated_as_its_rows_would_be(store: Store) -> None:
    rng = np.random.default_rng(1)
    strength = rng.normal(size=6)
    pairs = [(i, j) for i in range(6) for j in range(6) if i != j] * 8
    chance = [1 / (1 + np.exp(strength[j] - strength[i])) for i, j in pairs]
    rows = [
        {
            "left": f"m{i}",
            "right": f"m{j}",
            "winner": "tie" if rng.random() < 0.2 else ["right", "left"][int(rng.random() < p)],
        }
        for (i, j), p in zip(pairs, chance, strict=True)
    ]
    whole(store, rows)
    outcome = {"left": 1.0, "tie": 0.5, "right": 0.0}
    plain = Comparisons.of(
        [row["left"] for row in rows],
        [row["right"] for row in rows],
        [outcome[row["winner"]] for row in rows],
    )
    assert read(store, "log").data_hash == plain.data_hash


def test_forms_are_known_by_their_names() -> None:
    names = {"a.csv": "csv", "a.b.TSV": "csv", "a.jsonl.gz": "json", "a.parquet": "parquet"}
    assert {one: form_of(Path(one)) for one in names} == names


_LOG = """\
model_a,model_b,winner
ann,bob,model_a
bob,cid,tie
cid,ann,model_b
"""


@pytest.fixture
def stored_log(tmp_path: Path) -> Path:
    log = tmp_path / "log.csv"
    log.write_text(_LOG, "utf-8")
    done("import", log, "--db", tmp_path / "own.duckdb")
    return tmp_path / "own.duckdb"


def test_imported_battles_are_done(stored_log: Path) -> None:
    text = done("status", "--db", stored_log)  # the exit code is 0
    assert "all is done" in text
    assert "debates: 3 finished" in text and "ballots: 3 valid" in text


def test_a_report_on_imported_battles_has_a_board_and_nothing_to_read(stored_log: Path) -> None:
    page = stored_log.with_name("report.html")
    done("report", "--db", stored_log, "-o", page)
    text = page.read_text("utf-8")
    assert "Which of 3 participants is best? 3 battles were imported" in text
    assert "The battles were imported without their speeches." in text
    assert "ann" in text and "arena show" not in text


def test_an_exported_log_has_no_formulas_and_is_imported_as_it_was(tmp_path: Path) -> None:
    db, out = tmp_path / "a.duckdb", tmp_path / "out.csv"
    names = {"ann": "=1+1", "bob": "@sum(A1)", "cyd": "'-x"}
    rows = [{key: names.get(value, value) for key, value in row.items()} for row in PLAIN]
    log = write_log(tmp_path / "log.jsonl", rows)
    done("import", log, "--db", db)
    done("export", out, "--db", db)
    with out.open(encoding="utf-8") as file:
        written = {row["model_a"] for row in csv.DictReader(file)}
    assert written == {"'=1+1", "'@sum(A1)", "''-x"}
    done("import", out, "--db", db, "--name", "again")
    first, again = (done("leaderboard", "--db", db, "-t", name) for name in ("log", "again"))
    assert first.splitlines()[1:6] == again.splitlines()[1:6] and "=1+1" in again
