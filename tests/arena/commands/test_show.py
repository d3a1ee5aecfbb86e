"""`arena show`: one debate, whole."""

from __future__ import annotations

import json
import shutil
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from arena.llm.session import UnitRecord
from arena.records import Reference, Speech
from arena.store.database import Store, insert
from arena.store.rows import debate_rows
from tests.support.command_line import done, refused
from tests.support.tournaments import (
    commit,
    content,
    judged,
    meeting,
    motion,
    planned,
    played,
    speeches,
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with six debates; one of ann and bob is played, one of bob and cyd forfeited."""
    store, plan = planned(tmp_path_factory.mktemp("show") / "own.duckdb")
    debate, lost = meeting(plan, "ann", "bob"), meeting(plan, "bob", "cyd")
    first = Speech(
        side="pro",
        stage="constructive",
        text="Bell \x07 and turn \u202e [1]",
        words=5,
        trimmed=True,
        references=(Reference(number=1, origin="Bloom, 2015", excerpt="13 percent"),),
    )
    commit(store, replace(played(debate), speeches=(first, *speeches()[1:])))
    commit(store, played(lost, "forfeit", forfeited="con"))
    commit(store, judged(debate, 0.5, argument=1.0))
    twins = [replace(debate, debate_id=name, leg=5) for name in ("same-1", "same-2")]
    store.write(lambda link: insert(link, "debates", debate_rows(twins)))
    return store.path


def found(path: Path, pro: str, con: str) -> str:
    (row,) = Store(path).rows(
        "SELECT debate_id FROM debates d JOIN participants p ON p.participant_id = d.pro "
        "JOIN participants c ON c.participant_id = d.con WHERE p.name = $p AND c.name = $c "
        "AND leg < 2",
        {"p": pro, "c": con},
    )
    return str(row["debate_id"])


def test_a_transcript_is_whole_and_in_speaking_order(path: Path) -> None:
    debate = found(path, "ann", "bob")
    printed = done("show", debate, "--db", path)
    assert printed.startswith(f"Debate {debate} (finished), leg ")
    assert "Pro: ann (offline/fair)\nCon: bob (offline/fair)\n(simulated models)" in printed
    assert "On " in printed.splitlines()[1]
    places = [printed.index(one.text) for one in speeches()[1:]]
    assert places == sorted(places)
    assert "Bloom, 2015" in printed and "13 percent" in printed
    assert "(5, cut at the limit)" in printed


def test_text_of_a_model_cannot_touch_the_terminal(path: Path) -> None:
    printed = done("show", found(path, "ann", "bob"), "--db", path)
    assert "Bell  and turn  [1]" in printed


def test_verdicts_are_shown_and_the_judges_words_on_request(path: Path) -> None:
    debate = found(path, "ann", "bob")
    printed = done("show", debate, "--db", path)
    assert "bench, run 1, argument Pro (Pro 2, Con 9)" in printed
    assert "bench, run 1, overall  tie (Pro 2, Con 9)" in printed
    assert printed.index("argument Pro") < printed.index("overall  tie")
    assert "On argument." not in printed
    assert "On argument." in done("show", debate, "--db", path, "--ballots")


def test_the_result_and_its_reasons_stand_before_the_speeches(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    debate = meeting(plan, "ann", "bob")
    commit(store, played(debate), judged(debate, 1.0))
    printed = done("show", debate.debate_id, "--db", store.path)
    result, said = "Bench bench: ann won as Pro, 1 to 0 from 1 ballot.", printed.index("── Pro")
    assert printed.index(result) < said
    ballot = judged(debate, 1.0).ballot
    for verdict in ballot.verdicts:
        assert printed.index(verdict.comment) < said, "why, without --ballots"


def test_how_a_verdict_came_about_is_shown_with_the_words(tmp_path: Path, path: Path) -> None:
    store = Store(Path(shutil.copy(path, tmp_path / "copy.duckdb")))
    _, plan = planned(store.path)
    debate = meeting(plan, "cyd", "ann")
    taken = judged(debate)
    inner = {"agent": "jury", "members": [{"agent": "member", "number": 2}]}
    juror = {"agent": "juror", "background": "a \x1b[31mnurse\n", "pro": 71.66666}
    trace = (juror, {"agent": "x"}, inner)
    commit(store, played(debate), replace(taken, ballot=replace(taken.ballot, trace=trace)))
    printed = done("show", debate.debate_id, "--db", store.path, "--ballots")
    assert "    agent juror, background a [31mnurse , pro 71.67\n    agent x\n" in printed
    assert "\n    agent jury\n      agent member, number 2\n" in printed, "an inner jury's"
    assert "juror" not in done("show", debate.debate_id, "--db", store.path)


def test_a_forfeit_says_why(path: Path) -> None:
    printed = done("show", found(path, "bob", "cyd"), "--db", path)
    assert "(forfeit)" in printed
    assert "Reason: con, rebuttal: it ended so" in printed
    assert "none yet" in printed


def test_a_failed_ballot_says_why(tmp_path: Path, path: Path) -> None:
    store = Store(Path(shutil.copy(path, tmp_path / "copy.duckdb")))
    _, plan = planned(store.path)
    debate = meeting(plan, "cyd", "ann")
    commit(store, played(debate), judged(debate, status="failed"))
    printed = done("show", debate.debate_id, "--db", store.path)
    assert "bench, run 1: failed: UnparseableReply: no JSON" in printed


def test_a_prefix_is_enough(path: Path) -> None:
    debate = found(path, "ann", "bob")
    assert done("show", debate[:8], "--db", path) == done("show", debate, "--db", path)


def test_a_prefix_of_two_debates_is_refused_with_both(path: Path) -> None:
    message = refused("show", "same", "--db", path)
    assert message.startswith("'same' is the start of more than one id: ")
    assert "same-1" in message and "same-2" in message and "Give more digits." in message


@pytest.mark.parametrize("given", ["zz", "", "%", "_"])
def test_an_unknown_debate_is_refused(path: Path, given: str) -> None:
    message = refused("show", given, "--db", path)
    listing = f"arena debates --db {path}"
    assert message == f"{path}: no debate {given!r}. Debates are listed by: {listing}"


def test_requests_and_answers_are_shown_on_request(small_database: Path) -> None:
    debate = str(Store(small_database).rows("SELECT debate_id FROM debates")[0]["debate_id"])
    printed = done("show", debate, "--db", small_database, "--calls")
    rows = Store(small_database).rows(
        "SELECT path FROM calls WHERE unit = $id "
        "OR unit IN (SELECT ballot_id FROM ballots WHERE debate_id = $id)",
        {"id": debate},
    )
    assert len(rows) > 20, "two speakers' calls, and the judge's"
    assert all(f" {row['path']} (" in printed for row in rows)
    assert printed.count("[answer]") == len(rows)
    assert len(printed) > 10 * len(done("show", debate, "--db", small_database))


def test_a_chinese_debate_is_headed_in_chinese(tmp_path: Path) -> None:
    store, plan = planned(
        tmp_path / "own.duckdb", content(languages=["zh"]), [motion("fact-1", also="茶更好")]
    )
    commit(store, played(plan.debates[0]))
    printed = done("show", plan.debates[0].debate_id, "--db", store.path)
    assert "茶更好" in printed
    assert "正方" in printed and "反方" in printed


def test_how_speeches_were_made_is_shown_before_each(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    debate, lost = meeting(plan, "ann", "bob"), meeting(plan, "bob", "cyd")
    trace = ({"agent": "Writer", "marker": "finished"},)
    first = replace(speeches()[0], text="Wages rise.", trace=trace)
    whole = replace(played(debate), speeches=(first, *speeches()[1:]))
    whole = replace(
        whole, unit=with_answers(whole.unit, "pro/constructive/writer/1", "Wages rise.")
    )
    gone = played(lost, "forfeit", forfeited="con")
    gone = replace(gone, unit=with_answers(gone.unit, "con/rebuttal/writer/1", "I\x1b[2J cannot."))
    commit(store, whole, gone)
    printed = done("show", debate.debate_id, "--db", store.path, "--trace")
    assert (
        "── Pro, constructive, how it was made ──\n  Writer: draft 1\n"
        "    │ Wages rise.\n\n── Pro, constructive (3) ──\nWages rise."
    ) in printed
    assert printed.count("how it was made") == 6
    printed = done("show", lost.debate_id, "--db", store.path, "--trace")
    assert "── Con, rebuttal, how it was made, never delivered ──" in printed
    assert "    │ I[2J cannot." in printed and "\x1b" not in printed


def with_answers(unit: UnitRecord, path: str, answer: str) -> UnitRecord:
    """A unit whose one stored exchange is this answer."""
    call = {"path": path, "attempt": 0, "model": "offline/fair", "seed": 1}
    exchange = {**call, "messages": [], "answer": answer, "dropped": []}
    return replace(unit, exchanges=zlib.compress(json.dumps([exchange]).encode()))
