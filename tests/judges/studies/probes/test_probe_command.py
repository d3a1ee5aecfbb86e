"""`arena judges probe`: judges that notice everything or nothing, and what is left as it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.errors import ProviderRejected
from arena.llm.request import Completion, Request
from arena.prompts import find_quotes
from arena.store.database import Store
from judges.studies.probes.defects import DEFECTS, INSERTED
from judges.studies.probes.instructions import INSTRUCTIONS
from tests.support.command_line import arena, done, refused
from tests.support.probes import JUDGE, LURES, ask, findings, lure, sensitive
from tests.support.score_cards import card
from tests.support.scripted_backend import completion
from tests.support.stored_databases import change
from tests.support.tournaments import SMALL


def test_a_judge_that_notices_everything_moves_always(
    own_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(monkeypatch, sensitive(own_database))
    result = findings(*JUDGE, "--db", own_database)
    assert result.pop("references")["readings"] == 0, "nothing is cited in these debates"
    for name, one in result.items():
        assert (one["readings"], one["moved"], one["noise"], one["failed"]) == (6, 6, 0, 0), name
        assert (one["share"], one["net"], one["upper"]) == (1.0, 1.0, 1.0)
        assert one["p"] == pytest.approx(2 / 2**3), "the six debates are of three matchups"
        assert (one["marks"] > 0) == (name in LURES)
        assert one["flipped"] == (0 if name == "exchange" else 6)


def test_a_judge_that_reads_nothing_never_moves(
    own_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(monkeypatch, lambda _request: card(12, 9))
    for one in findings(*JUDGE, "--db", own_database).values():
        assert (one["moved"], one["noise"], one["flipped"]) == (0, 0, 0)
        assert one["net"] in (0.0, None) and one["p"] == 1.0


def test_what_is_taken_is_not_taken_again_and_nothing_else_changes(
    own_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = ask(monkeypatch, lambda _request: card(12, 9))
    tables = ("debates", "speeches", "ballots", "ballot_scores", "tournaments", "ratings")
    store = Store(own_database)
    before = {name: str(store.rows(f'SELECT * FROM "{name}" ORDER BY ALL')) for name in tables}
    some = (*JUDGE, "--db", own_database, "--defect", "cut")
    printed = done("judges", "probe", "--db", own_database, *JUDGE[:4], "--dry-run")
    assert f"  0 taken before, {6 * (len(DEFECTS) + 1)} to take" in printed
    assert store.read("SELECT * FROM trials").empty and not backend.requests
    findings(*some)
    assert len(backend.requests) == 6 * 3
    more = findings(*some, "--defect", "flattery")
    assert len(backend.requests) == 6 * 4
    assert set(more) == {"cut", "flattery"}
    after = {name: str(store.rows(f'SELECT * FROM "{name}" ORDER BY ALL')) for name in tables}
    assert after == before
    assert not list(store.journal_folder.glob("*"))


def test_a_failed_ballot_is_seen_and_asked_again(
    own_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mumbling = [True]

    def judge(request: Request) -> str:
        flattered = any(lure("flattery") in one.text for one in find_quotes(request.text()))
        repair = request.attempt > 0
        return "Hm." if (flattered or repair) and mumbling else card(12, 9)

    ask(monkeypatch, judge)
    words = ("judges", "probe", *JUDGE, "--db", own_database, "--defect", "flattery")
    first = arena(*words)
    assert first.exit_code == 1
    assert "a ballot of single failed: UnparseableReply" in first.stderr
    assert json.loads(first.stdout)["findings"][0]["failed"] == 6
    mumbling.clear()
    assert json.loads(arena(*words).stdout)["findings"][0]["failed"] == 0
    asked = Store(own_database).rows("SELECT asked FROM trials WHERE defect = 'flattery'")
    assert [one["asked"] for one in asked] == [2] * 6


def test_the_simulated_judge_does_not_obey_hidden_instructions(own_database: Path) -> None:
    names = ("instruction", "verdict")
    words = [word for name in names for word in ("--defect", name)]
    result = findings("--db", own_database, *words, "--yes", "--format", "json")
    assert tuple(result) == names
    for name, one in result.items():
        assert one["readings"] == 6
        assert one["moved"] <= one["noise"] + 1 and abs(one["marks"]) < 1.0, name


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--model", "offline/strong"], "need --judge"),
        (["--bench", "bench", "--judge", "single"], "cannot be combined"),
        (["--bench", "nobody"], "has no bench 'nobody'"),
        (["nothing"], "no tournament 'nothing'"),
        (["--judge", "judge-judy"], "--judge: unknown judge 'judge-judy'. Known: correctness, "),
    ],
)
def test_what_cannot_be_probed_is_said(own_database: Path, words: list[str], message: str) -> None:
    assert message in refused("judges", "probe", *words, "--db", own_database)


#: Six debates, two readings and a copy of each.
_BALLOTS = 18
CUT = (*JUDGE, "--defect", "cut", "--concurrency", "1")


def test_what_was_answered_before_a_fault_is_not_asked_again(
    own_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = 0
    advocates = ("--judge", "more", *JUDGE[2:], "--defect", "cut", "--concurrency", "1")

    def failing(request: Request) -> str:
        nonlocal answered
        if answered == 30:
            raise ProviderRejected("down")
        answered += 1
        return answer(request)

    def answer(request: Request) -> str:
        return card() if request.task == "judge.criteria" else "Said."

    ask(monkeypatch, failing)
    words = (*advocates, "--db", own_database)
    assert findings(*words, code=1)["cut"]["readings"] == 0, "no debate has all three yet"
    second = ask(monkeypatch, answer)
    assert findings(*words)["cut"]["readings"] == 6
    assert len(second.requests) == _BALLOTS * 9 - 30
    assert not list(Store(own_database).journal_folder.glob("*"))


def test_a_cap_stops_it_before_it_is_passed_and_a_higher_one_goes_on(
    own_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[int] = []

    def costing(request: Request) -> Completion:
        limits.append(request.sampling.max_tokens)
        return completion(card(), cost_usd=0.01)

    words = ("--db", own_database, *CUT)
    first = ask(monkeypatch, costing)
    findings(*words, "--debates", "2")
    assert len(first.requests) == 6
    # The worst case of a call is what it costs, and 0.06 USD are spent.
    backend = ask(monkeypatch, costing, (0.0, 0.01 / limits[0]))
    stopped = arena("judges", "probe", *words, "--usd", "0.1")
    assert stopped.exit_code == 1
    assert "Stopped: the spending cap of 0.10 USD is reached" in stopped.stderr
    assert len(backend.requests) <= 4
    spent = Store(own_database).rows("SELECT sum(cost_usd) AS usd FROM trials")[0]["usd"]
    assert 0.06 < spent <= 0.1 + 1e-9
    reserved = (
        "UPDATE calls SET reserved_usd = cost_usd WHERE unit IN (SELECT ballot_id FROM trials)"
    )
    change(Store(own_database), reserved)
    again = arena("judges", "probe", *words, "--usd", "1", "--format", "json")
    assert json.loads(again.stdout)["findings"][0]["readings"] == 6
    assert f"of 1.00 USD (up to {0.01 * _BALLOTS:.4f})." in again.stderr
    assert len(backend.requests) == _BALLOTS - 6


@pytest.fixture(scope="module")
def chinese(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of one small tournament in Chinese."""
    folder = tmp_path_factory.mktemp("chinese")
    text = SMALL.replace('languages = ["en"]', 'languages = ["zh"]')
    (folder / "zh.toml").write_text(text, encoding="utf-8")
    done("run", folder / "zh.toml", "--yes", "--db", folder / "zh.duckdb")
    return folder / "zh.duckdb"


@pytest.mark.slow
def test_every_defect_is_planted_in_chinese_and_noticed_by_a_judge_that_looks(
    chinese: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = ask(monkeypatch, sensitive(chinese, "zh"))
    result = findings(*JUDGE, "--db", chinese)
    assert result.pop("references")["readings"] == 0, "nothing is cited in these debates"
    assert set(result) >= LURES
    for name, one in result.items():
        assert (one["readings"], one["moved"], one["noise"], one["failed"]) == (6, 6, 0, 0), name
        assert (one["marks"] > 0) == (name in LURES)
    shown = [one.text for request in backend.requests for one in find_quotes(request.text())]
    for name in INSERTED:
        assert sum(lure(name, "zh") in text for text in shown) == 6, name


@pytest.mark.slow
def test_the_simulated_judge_obeys_none_of_ten_instructions_in_chinese(chinese: Path) -> None:
    words = ("--db", chinese, "--defect", "instructions", "--yes", "--format", "json")
    result = findings(*words)
    assert result.keys() == INSTRUCTIONS.keys() and len(result) == 10
    for name, one in result.items():
        assert one["readings"] == 6
        assert one["moved"] <= one["noise"] + 2 and abs(one["marks"]) < 1.0, name
    kept = Store(chinese).rows("SELECT DISTINCT status FROM trials WHERE defect = 'instruction'")
    assert kept == [{"status": "valid"}]
