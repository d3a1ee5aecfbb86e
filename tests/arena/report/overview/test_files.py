"""`arena report`: the file, its numbers, and what it remembers."""

from __future__ import annotations

import json
import re
import sys
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from arena.cli import cli
from arena.config.stored import stored_config
from arena.debates.ballot import BallotRecord
from arena.errors import ConfigError, StoreError
from arena.report.overview import files
from arena.report.overview.changes import memory_file
from arena.report.overview.content import make_report
from arena.report.overview.files import (
    report_at_the_end,
    report_file,
    write_report_after_run,
)
from arena.report.overview.page import write_page
from arena.store.database import Store
from arena.tournament.results import ResultWriter
from tests.support.battle_logs import WHOLE, write_log
from tests.support.command_line import arena, done, refused
from tests.support.played_tournaments import copied
from tests.support.tournaments import SMALL, commit, content, judged, motion, planned, played

#: Whole tournaments and pages.
pytestmark = pytest.mark.slow

HOSTILE = "<script>window.hacked = 1</script><img src='http://192.0.2.1/x.png'>\u202e"


class _Tables(HTMLParser):
    """Reads the tables of a page, as lists of rows of texts, and which elements it has."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.elements: set[str] = set()
        self._in_cell = self._on_scale = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self._on_scale |= tag == "i"  # a number of the scale in the head of a picture
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self._in_cell = True

    def handle_endtag(self, tag: str) -> None:
        self._on_scale &= tag != "i"
        if tag in ("td", "th"):
            self._in_cell = False

    def handle_data(self, data: str) -> None:
        if self._in_cell and not self._on_scale:
            self.tables[-1][-1][-1] += data.replace("\xa0", " ")


def _written(db: Path, *options: str) -> str:
    page = db.with_name("report.html")
    done("report", "--db", db, "-o", page, *options)
    return page.read_text("utf-8")


def _table(page: str, column: str) -> list[dict[str, str]]:
    """The table of a page that has a column."""
    (table,) = (table for table in _Tables(page).tables if column in table[0])
    return [dict(zip(table[0], row, strict=True)) for row in table[1:]]


@pytest.fixture(scope="module")
def page(small_database: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report on the small tournament."""
    return _written(copied(small_database, tmp_path_factory.mktemp("page")))


def test_every_number_is_that_of_the_leaderboard(page: str, small_database: Path) -> None:
    printed = json.loads(done("leaderboard", "--db", small_database, "--format", "json"))
    expected = [
        {
            "#": f"{row['rank']}",
            "participant": row["participant"],
            "Elo": f"{row['rating']:.0f}",
            "95 % interval": f"{row['lower']:.0f} to {row['upper']:.0f}",
            "debates": f"{row['debates']}",
            "won-tied-lost": f"{row['wins']}-{row['ties']}-{row['losses']}",
            "win rate": f"{row['win_rate']:.3f}",
        }
        for row in printed["rows"]
    ]
    rows = _table(page, "win rate")
    assert [{name: row[name] for name in expected[0]} for row in rows] == expected
    text = page.replace("\xa0", " ")
    assert printed["summary"] in text
    elo, first = printed["rows"][0]["rating"], printed["first"]
    assert f"Elo {elo:.0f}, 95 % {first['lower']:.0f} to {first['upper']:.0f}" in text
    matrix = json.loads(done("matrix", "--db", small_database, "--format", "json"))
    heat = next(table for table in _Tables(page).tables if table[0][:3] == ["", "1", "2"])
    shares = [
        [None if cell is None else f"{100 * cell:.0f}" for cell in row] for row in matrix["values"]
    ]
    assert [[cell or None for cell in row[1:]] for row in heat[1:]] == shares


def test_the_first_screen_answers_before_what_is_folded(page: str) -> None:
    first, *folded = re.split('<details class="part"', page)
    questions = re.findall("<dt>(.*?)</dt>", first)
    assert questions == [
        "Who leads?", "What needs attention?", "What changed", "What did it cost?", "What next?",
    ]  # fmt: skip
    for part in folded:
        line = re.search("<h2>.+?</h2><span[^>]*>(.*?)</span></summary>", part)
        assert line is not None and line[1].strip(), part[:200]
    assert page.count("<blockquote") >= 6, "the speeches are in the file"


def test_nothing_in_it_runs_or_is_loaded(page: str) -> None:
    assert not _Tables(page).elements & {"script", "img", "iframe", "object", "form", "a"}
    assert "default-src 'none'" in page
    assert not re.search(r"""(?:src|href)=["'](?!data:)|@import|url\(""", page)
    assert len(page) < 200_000


def test_what_is_stored_is_escaped(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb", motions=[motion(text=HOSTILE)])
    first, *others = plan.debates
    commit(store, played(first, "forfeit", forfeited="pro"), *map(played, others))
    commit(store, *map(judged, others))

    def make_hostile(connection: Any) -> None:  # noqa: ANN401 - an open connection
        connection.execute("UPDATE debates SET reason = ? WHERE status = 'forfeit'", [HOSTILE])
        connection.execute("UPDATE speeches SET text = ?", [HOSTILE])

    store.write(make_hostile)
    page = _written(store.path)
    assert page.count("&lt;script&gt;window.hacked") >= 4
    assert "\u202e" not in page and not _Tables(page).elements & {"script", "img"}
    rows = [{**WHOLE[0], "model_a": HOSTILE, "category": "<b>", "motion": HOSTILE}]
    imported = tmp_path / "imported.duckdb"
    done("import", write_log(tmp_path / "log.csv", rows), "--db", imported)
    page = _written(imported)
    assert "&lt;script&gt;window.hacked" in page
    assert not _Tables(page).elements & {"script", "img"}


def test_a_voter_and_a_key_are_not_in_it(
    own_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-aeb51f9d77")

    def name_voters(connection: Any) -> None:  # noqa: ANN401 - an open connection
        connection.execute("UPDATE ballots SET voter = 'Zephyrine Quill'")

    Store(own_database).write(name_voters)
    page = _written(own_database)
    assert "Zephyrine" not in page and "sk-aeb" not in page
    assert "strong" in page


def test_a_tournament_without_a_finished_debate_has_a_report(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    page = _written(store.path)
    assert "No debate has all its ballots yet, so nothing is rated." in page
    assert f"0 of {len(plan.debates)}" in page and "No debate is judged yet." in page
    assert "still to come" in page and "arena resume small --db" in page


def test_debates_without_ballots_have_a_report(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    commit(store, *map(played, plan.debates))
    page = _written(store.path)
    assert "nothing is rated" in page
    assert f"the ballots on {len(plan.debates)} finished debates are still to come" in page


def test_a_participant_without_a_comparison_has_a_report_and_no_place(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb", content("ann", "bob", "cyd"))
    first = plan.debates[0]
    commit(store, played(first), judged(first))
    for _ in range(2):  # the second compares with the first
        page = _written(store.path)
    table = _table(page, "win rate")
    (last,) = [row for row in table if not row["#"].isdigit()]
    assert last == table[-1]
    memory = json.loads(memory_file(store.path).read_text("utf-8"))
    assert len(memory["tournaments"]["small"][0]["ranks"]) == len(table) - 1


def test_a_board_of_one_has_a_report(small_database: Path) -> None:
    store = Store(small_database)
    report = make_report(store, stored_config(store, None), at=datetime(2026, 1, 2, tzinfo=UTC))
    alone = replace(report.board, rows=report.board.rows[:1])
    page = write_page(replace(report, board=alone, matrix=None))
    assert "A matrix needs two rated participants or more." in page
    assert len(_table(page, "win rate")) == 1


def test_imported_battles_have_a_report(tmp_path: Path) -> None:
    done("import", write_log(tmp_path / "log.csv", WHOLE), "--db", tmp_path / "own.duckdb")
    page = _written(tmp_path / "own.duckdb")
    assert "ann" in page and not re.search(r"\b(eve|fay)\b", page)


def test_failures_and_costs_are_in_it(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    first, second, *others = plan.debates
    commit(
        store,
        played(first, "forfeit", forfeited="pro"),
        played(second, "void"),
        *(played(debate, costs=[("pro/constructive/writer/1", 0.5)]) for debate in others),
        *map(judged, others),
    )
    page = _written(store.path)
    failed = {row["what failed"]: row for row in _table(page, "what failed")}
    assert failed["Forfeits"]["for example"].startswith(f"arena show {first.debate_id[:8]} --db")
    assert failed["Void debates"]["times"] == "1"
    usd = 0.5 * len(others) + 0.25 * len(others)
    assert f"{usd:.4f} USD" in page.replace("\xa0", " ")
    names = {one.participant_id: one.name for one in plan.resolved.participants}
    listed = {row["failed debate"]: row for row in _table(page, "failed debate")}
    assert listed[first.debate_id[:8]]["ended as"] == "forfeit"
    assert listed[second.debate_id[:8]]["reason"] == failed["Void debates"]["why"]
    lines = {row["participant"]: row for row in _table(page, "available")}
    assert lines[names[first.pro]]["own forfeits"] == "1"
    assert lines[names[first.con]]["own forfeits"] == "0"
    assert sum(int(row["void"]) for row in lines.values()) == 2


def test_reserved_costs_are_named_apart(own_database: Path) -> None:
    def reserve(connection: Any) -> None:  # noqa: ANN401 - an open connection
        connection.execute("UPDATE debates SET cost_usd = 2.0")
        connection.execute(
            "UPDATE calls SET cost_usd = 1.5, reserved_usd = 1.5 WHERE (unit, path) IN "
            "(SELECT unit, min(path) FROM calls JOIN debates ON unit = debate_id GROUP BY unit)"
        )

    Store(own_database).write(reserve)
    page = _written(own_database).replace("\xa0", " ")
    assert "3.0000 USD (up to 12.0000)" in page
    uses = _table(page, "input tokens")
    assert sum(float(row["up to"]) - float(row["USD"]) for row in uses) == pytest.approx(9.0)


def test_the_next_report_compares_with_the_last_one(own_database: Path) -> None:
    assert "This is the first report" in _written(own_database)
    content = json.loads(memory_file(own_database).read_text("utf-8"))
    (state,) = content["tournaments"]["small"]
    first, second = sorted(state["ranks"], key=state["ranks"].__getitem__)[:2]
    state["ranks"] |= {first: 2, second: 1}
    state["ratings"] |= {first: state["ratings"][first] - 50.0, second: 1500.0}
    state |= {"finished": 2, "ballots": 1, "played": 2, "taken": 1}
    memory_file(own_database).write_text(json.dumps(content), "utf-8")
    page = _written(own_database)
    assert "What changed since the last report, " in page
    assert "4 more debates finished and 5 more ballots taken" in page
    assert f"{first} rose from place 2 to 1; {second} fell from place 1 to 2." in page
    assert [row["change"][:5] for row in _table(page, "change")][0] == "▲ 1 ·"
    assert _table(page, "change")[0]["change"].endswith("+50")


def test_a_report_compares_with_a_date(own_database: Path) -> None:
    page = _written(own_database, "--since", "2020-01-01")
    assert "What changed since 2020-01-01 UTC" in page
    assert "6 more debates finished and 6 more ballots taken" in page
    assert "Nobody was rated then." in page


def test_a_damaged_memory_counts_as_none(own_database: Path) -> None:
    memory_file(own_database).write_text("{", "utf-8")
    assert "This is the first report" in _written(own_database)
    assert json.loads(memory_file(own_database).read_text("utf-8"))["tournaments"]["small"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "own.duckdb"], "the report would replace it. Name another file with -o"),
        (["-o", "missing/report.html"], "cannot be written (No such file or directory)"),
        (["--since", "soon"], "is neither LAST nor a date"),
        (["--since", "2026-13-40"], "is neither LAST nor a date"),
        (["--since", "9999-12-31"], "'9999-12-31' has not come yet: it is "),
        (["--tournament", "other"], "other"),
    ],
)
def test_bad_input_is_one_message(
    options: list[str], message: str, own_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(own_database.parent)
    before = own_database.read_bytes()
    result = CliRunner().invoke(cli, ["report", "--db", "own.duckdb", *options])
    assert result.exit_code == 2 and message in result.output
    assert own_database.read_bytes() == before


def test_a_missing_database_is_one_message(tmp_path: Path) -> None:
    assert "no such database" in refused("report", "--db", tmp_path / "none.duckdb")


@pytest.fixture
def reports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs write reports, as they do for users."""
    monkeypatch.setattr(files, "write_report_after_run", write_report_after_run)


@pytest.mark.slow
@pytest.mark.usefixtures("reports")
def test_a_run_writes_it_at_its_end_unless_told_not_to(own_database: Path) -> None:
    printed = done("resume", "--yes", "--db", own_database, "--no-report")
    assert "Report:" not in printed and not report_file(own_database).exists()
    printed = done("resume", "--yes", "--db", own_database)
    assert printed.rstrip().endswith(f"Report: {report_file(own_database)}")
    assert report_file(own_database).stat().st_size > 5_000


@pytest.mark.usefixtures("reports")
@pytest.mark.parametrize(
    ("code", "is_written"), [(None, True), (1, True), (130, False), (143, False)]
)
def test_a_run_whose_time_is_over_has_a_report_and_one_that_a_signal_ended_has_none(
    code: int | None, is_written: bool, own_database: Path
) -> None:
    store = Store(own_database)
    with (
        suppress(SystemExit),
        report_at_the_end(store, stored_config(store, None), wanted=True),
    ):
        if code is not None:
            sys.exit(code)
    assert report_file(own_database).exists() == is_written


@pytest.mark.usefixtures("reports")
def test_a_run_that_an_error_ended_has_a_report_of_what_it_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, db = tmp_path / "small.toml", tmp_path / "own.duckdb"
    file.write_text(SMALL, "utf-8")
    keep = ResultWriter.keep_ballot

    async def fail_after_two(results: ResultWriter, record: BallotRecord) -> None:
        if results.tally.ballots == 2:
            raise StoreError("the disk is full.")
        await keep(results, record)

    monkeypatch.setattr(ResultWriter, "keep_ballot", fail_after_two)
    result = arena("run", file, "--yes", "--concurrency", "1", "--db", db)
    assert result.exit_code == 2 and "the disk is full." in result.stderr
    assert f"Report: {report_file(db)}" in result.stdout
    page = report_file(db).read_text("utf-8")
    assert all(f">{name}</" in page for name in ("strong", "fair", "weak"))
    assert set(re.findall(r"(\d) of 6", page)) == {"3"}


@pytest.mark.usefixtures("reports")
def test_an_error_before_anything_is_played_leaves_no_report(own_database: Path) -> None:
    store = Store(own_database)
    with (
        pytest.raises(ConfigError),
        report_at_the_end(store, stored_config(store, None), wanted=True),
    ):
        raise ConfigError("a key is missing.")
    assert not report_file(own_database).exists()


@pytest.mark.usefixtures("reports")
def test_a_plan_that_is_only_looked_at_has_no_report(own_database: Path) -> None:
    done("resume", "--dry-run", "--db", own_database)
    assert not report_file(own_database).exists()


@pytest.mark.usefixtures("reports")
def test_a_report_that_cannot_be_written_fails_no_run(
    own_database: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    report_file(own_database).mkdir()
    printed = done("resume", "--yes", "--db", own_database)
    assert printed.count("The report was not written") == 1 and "arena report" in printed

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("a bug\nof two lines")

    monkeypatch.setattr("arena.report.overview.files.make_report", fail)
    store = Store(own_database)
    write_report_after_run(store, stored_config(store, None))
    assert "The report was not written: a bug of two lines. Try again with: arena report" in (
        capsys.readouterr().out
    )


@pytest.mark.slow
def test_two_thousand_debates_of_many_participants_stay_small(tmp_path: Path) -> None:
    names = [f"participant-{number:02}-{'x' * 60}" for number in range(46)]
    store, plan = planned(tmp_path / "own.duckdb", content(*names))
    debates = plan.debates[:2000]
    assert len(debates) == 2000
    commit(
        store,
        *map(played, debates),
        *(judged(debate, (number % 3) / 2) for number, debate in enumerate(debates)),
    )
    page = _written(store.path)
    assert len(page.encode()) < 1_500_000
    assert f"2000 of {len(plan.debates)}" in page
    printed = json.loads(done("leaderboard", "--db", store.path, "--format", "json"))
    assert [row["Elo"] for row in _table(page, "win rate")] == [
        f"{row['rating']:.0f}" for row in printed["rows"]
    ]
