"""Records to rows and back: nothing is lost, and only what is unfinished changes."""

from __future__ import annotations

import json
import random
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from arena.debates.ballot import BallotRecord
from arena.records import Debate, Reference, Speech
from arena.store.database import Store
from arena.store.rows import (
    debate_rows,
    mark_debates,
    motion_rows,
    participant_rows,
    read_debates,
    read_speeches,
)
from arena.tournament.plan import TournamentPlan
from tests.support.tournaments import (
    code_error,
    commit,
    content,
    judged,
    motion,
    planned,
    played,
    speeches,
    unit,
)


@pytest.fixture
def stored(tmp_path: Path) -> tuple[Store, TournamentPlan]:
    return planned(tmp_path / "own.duckdb")


@pytest.fixture
def store(stored: tuple[Store, TournamentPlan]) -> Store:
    return stored[0]


@pytest.fixture
def debate(stored: tuple[Store, TournamentPlan]) -> Debate:
    return stored[1].debates[0]


def column(store: Store, table: str, name: str, debate: Debate) -> list[object]:
    frame = store.read(
        f"SELECT {name} AS found FROM {table} WHERE debate_id = $id", {"id": debate.debate_id}
    )
    return list(frame["found"])


def status(store: Store, debate: Debate) -> object:
    (found,) = column(store, "debates", "status", debate)
    return found


def test_a_motion_has_a_row_for_each_language() -> None:
    one = motion("fact-1", text="Tea is better", also="茶更好")
    en, zh = motion_rows([one], ["en", "zh"])
    assert (en["language"], en["text"], en["brief"]) == ("en", "Tea is better", _EMPTY)
    assert (zh["language"], zh["text"], zh["motion_id"]) == ("zh", "茶更好", "fact-1")
    assert motion_rows([one], ["zh"]) == [zh]


_EMPTY: dict[str, object] = {"pro": (), "con": ()}


def test_participants_and_pairings_become_rows(stored: tuple[Store, TournamentPlan]) -> None:
    store, plan = stored
    ann = plan.resolved.participants[0]
    row = participant_rows([ann], "t")[0]
    assert (row["participant_id"], row["name"], row["tournament"]) == (
        ann.participant_id,
        "ann",
        "t",
    )
    assert row["sampling"] == {"temperature": 0.2, "top_p": 0.75, "max_tokens": 4096}
    assert debate_rows(plan.debates)[0]["status"] == "planned"


def test_pairings_are_read_back_as_they_were(stored: tuple[Store, TournamentPlan]) -> None:
    store, plan = stored
    planned(store.path, content(name="second"))
    expected = sorted(plan.debates, key=lambda one: one.debate_id)
    assert read_debates(store, "small") == expected
    assert read_debates(store, "third") == []


def test_speeches_are_read_back_whole_and_in_speaking_order(store: Store, debate: Debate) -> None:
    cited = (
        Reference(number=1, origin="Bloom, 2015", excerpt="13 % \n 更好"),
        Reference(number=7, given=False),
    )
    first = Speech(
        side="pro",
        stage="constructive",
        text="支持 [1][7]",
        words=2,
        trimmed=True,
        references=cited,
        trace=({"agent": "writer", "round": 1},),
    )
    spoken = (first, *speeches()[1:])
    mixed = random.Random(3).sample(spoken, len(spoken))
    commit(store, replace(played(debate), speeches=tuple(mixed)))
    assert read_speeches(store, [debate.debate_id]) == {debate.debate_id: spoken}
    order = [(one.stage, one.side) for one in spoken]
    assert order[:2] == [("constructive", "pro"), ("constructive", "con")]
    assert order[-2:] == [("summary", "con"), ("summary", "pro")], "Con closes first"


def test_speeches_are_read_for_the_debates_that_are_asked_for(
    stored: tuple[Store, TournamentPlan],
) -> None:
    store, plan = stored
    one, other, silent = plan.debates[:3]
    commit(store, played(one), played(other))
    asked = [other.debate_id, silent.debate_id]
    assert read_speeches(store, asked) == {other.debate_id: speeches()}


def test_a_finished_debate_never_changes(store: Store, debate: Debate) -> None:
    commit(store, played(debate, costs=[("pro/a", 0.5), ("con/a", 0.25)]))
    commit(store, played(debate, "void"), played(debate, "forfeit", forfeited="pro"))
    assert status(store, debate) == "finished"
    assert column(store, "debates", "cost_usd", debate) == [0.75]
    assert column(store, "debates", "replays", debate) == [0]
    assert len(column(store, "speeches", "text", debate)) == 6


def test_a_forfeit_keeps_its_reason_and_whose_it_is(store: Store, debate: Debate) -> None:
    commit(store, played(debate, "forfeit", forfeited="con"))
    commit(store, played(debate))
    assert status(store, debate) == "forfeit"
    assert column(store, "debates", "forfeited", debate) == ["con"]
    assert column(store, "debates", "reason", debate) == ["con, rebuttal: it ended so"]


def test_a_void_debate_is_counted_and_played_again(store: Store, debate: Debate) -> None:
    for _ in range(2):
        commit(store, played(debate, "void", costs=[("pro/a", 0.5)]))
    assert status(store, debate) == "void"
    assert column(store, "debates", "cost_usd", debate) == [0.0], "its journal still holds it"
    assert store.read("SELECT * FROM calls").empty
    commit(store, played(debate, costs=[("pro/a", 0.5)]))
    assert (status(store, debate), column(store, "debates", "replays", debate)) == ("finished", [2])
    assert column(store, "debates", "cost_usd", debate) == [0.5]


def test_one_record_changes_no_other_debate(stored: tuple[Store, TournamentPlan]) -> None:
    store, plan = stored
    commit(store, played(plan.debates[0]))
    others = {status(store, one) for one in plan.debates[1:]}
    assert others == {"planned"}


def test_only_what_waits_is_marked_as_being_played(stored: tuple[Store, TournamentPlan]) -> None:
    store, plan = stored
    waiting, void, finished, forfeit, other = plan.debates[:5]
    commit(store, played(void, "void"), played(finished))
    commit(store, played(forfeit, "forfeit", forfeited="pro"))
    ids = [one.debate_id for one in (waiting, void, finished, forfeit)]
    store.write(lambda link: mark_debates(link, ids, "playing"))
    found = [status(store, one) for one in (waiting, void, finished, forfeit, other)]
    assert found == ["playing", "playing", "finished", "forfeit", "planned"]


def ballot(store: Store, record: BallotRecord) -> tuple[object, object, object]:
    """Status, times asked and cost of a stored ballot."""
    (row,) = store.rows(
        "SELECT status, asked, cost_usd FROM ballots WHERE ballot_id = $id",
        {"id": record.ballot.ballot_id},
    )
    return row["status"], row["asked"], row["cost_usd"]


def outcomes(store: Store) -> list[float]:
    return list(store.read("SELECT outcome FROM ballot_scores ORDER BY dimension")["outcome"])


def test_a_valid_ballot_replaces_a_failed_one_and_both_are_paid(
    store: Store, debate: Debate
) -> None:
    failed = judged(debate, status="failed")
    commit(store, played(debate), failed)
    assert (ballot(store, failed), outcomes(store)) == (("failed", 1, 0.25), [])
    commit(store, judged(debate, 0.5, asked=2, source=0.0))
    assert (ballot(store, failed), outcomes(store)) == (("valid", 2, 0.5), [0.5, 0.0])
    assert column(store, "ballots", "reason", debate) == [""]


def test_how_a_verdict_came_about_is_stored_with_it(store: Store, debate: Debate) -> None:
    steps = ({"agent": "judge", "round": 1, "pro": 72.5}, {"agent": "juror", "background": "农民"})
    first, second = judged(debate, status="failed"), judged(debate, asked=2)
    assert first.ballot.trace == ()
    commit(store, played(debate), first)
    assert column(store, "ballots", "trace", debate) == ["[]"]
    commit(store, replace(second, ballot=replace(second.ballot, trace=steps)))
    (found,) = column(store, "ballots", "trace", debate)
    assert json.loads(str(found)) == list(steps)


def test_a_ballot_that_fails_again_is_counted(store: Store, debate: Debate) -> None:
    commit(store, judged(debate, status="failed"))
    commit(store, judged(debate, status="failed", asked=2))
    assert ballot(store, judged(debate)) == ("failed", 2, 0.5)
    parts = store.read("SELECT part FROM exchanges ORDER BY part")
    assert list(parts["part"]) == [1, 2], "the exchanges of both are kept"


@pytest.mark.parametrize("asked", [1, 2])
def test_nothing_replaces_a_valid_ballot(store: Store, debate: Debate, asked: int) -> None:
    commit(store, judged(debate, 1.0))
    commit(store, judged(debate, 0.0, asked=asked))
    commit(store, judged(debate, status="failed", asked=asked))
    assert ballot(store, judged(debate)) == ("valid", 1, 0.25)
    assert outcomes(store) == [1.0]


def test_calls_and_exchanges_are_kept_by_unit(store: Store, debate: Debate) -> None:
    said = [{"path": "pro/a", "answer": "Ja — 对"}]
    record = replace(played(debate), unit=unit(debate.debate_id, ("pro/a", 0.5), ("con/a", 0.0)))
    packed = replace(record.unit, exchanges=zlib.compress(json.dumps(said).encode()))
    for _ in range(2):
        commit(store, replace(record, unit=packed))
    calls = store.rows("SELECT unit, path, cost_usd FROM calls ORDER BY path")
    assert [(row["path"], row["cost_usd"]) for row in calls] == [("con/a", 0.0), ("pro/a", 0.5)]
    (row,) = store.rows("SELECT unit, requests_and_answers AS blob FROM exchanges")
    assert row["unit"] == debate.debate_id
    assert json.loads(zlib.decompress(row["blob"])) == said


def test_an_error_is_replaced_and_a_failed_ballot_keeps_its_cost(
    store: Store, debate: Debate
) -> None:
    def row() -> tuple[object, ...]:
        names = ("status", "asked", "cost_usd", "traceback")
        (found,) = zip(*(column(store, "ballots", name, debate) for name in names), strict=True)
        return found

    def erred(asked: int) -> BallotRecord:
        made = judged(debate, status="error", asked=asked)
        return replace(made, ballot=replace(made.ballot, cost_usd=0.0), error=code_error())

    commit(store, played(debate), erred(0))
    assert row() == ("error", 0, 0.0, "Traceback")
    commit(store, judged(debate, status="failed", asked=1))
    assert row() == ("failed", 1, 0.25, "")
    commit(store, erred(0))
    assert row() == ("failed", 1, 0.25, ""), "an earlier one comes too late"
    commit(store, erred(1))
    assert row() == ("error", 1, 0.25, "Traceback")
    commit(store, judged(debate, asked=2))
    assert row() == ("valid", 2, 0.5, "")
    commit(store, erred(2))
    assert row() == ("valid", 2, 0.5, "")


def test_a_debate_in_error_gives_way_and_its_speeches_are_written_anew(
    store: Store, debate: Debate
) -> None:
    first = replace(played(debate, "error"), speeches=speeches("Before.")[:2])
    commit(store, first)
    assert status(store, debate) == "error"
    assert len(column(store, "speeches", "text", debate)) == 2
    store.write(lambda link: mark_debates(link, [debate.debate_id], "playing"))
    assert status(store, debate) == "playing"
    commit(store, played(debate))
    assert read_speeches(store, [debate.debate_id]) == {debate.debate_id: speeches()}
