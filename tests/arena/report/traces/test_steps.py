"""How speeches were made, from a database whose figures were counted by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from arena.debates.play import DebateRecord
from arena.llm.request import FinishReason
from arena.read.traces import read_traces
from arena.records import Call, Debate, Reference, Speech
from arena.report.traces.steps import AgentShare, SpeechMaking, summarize_making
from arena.report.traces.trace_tables import making_tables
from tests.support.tournaments import (
    changed,
    commit,
    content,
    meeting,
    planned,
    played,
    speeches,
    unit,
)


def call(path: str, tokens: int, usd: float = 0.01) -> Call:
    """A call at a path, of half a second."""
    (made,) = unit("x", (path, usd)).calls
    return replace(made, output_tokens=tokens, seconds=0.5)


def asked(path: str, *answers: tuple[int, FinishReason]) -> Iterator[Call]:
    """One turn: its answers in order, tokens and why each ended."""
    for attempt, (tokens, reason) in enumerate(answers):
        yield replace(call(path, tokens), attempt=attempt, finish_reason=reason)


def made(debate: Debate, calls: list[Call], spoken: dict[tuple[str, str], Any]) -> DebateRecord:
    """A finished debate with these calls; some of its speeches have a trace and references."""

    def told(speech: Speech) -> Speech:
        return replace(speech, **spoken.get((speech.side, speech.stage), {}))

    record = played(debate)
    return replace(
        record,
        unit=replace(record.unit, calls=tuple(calls)),
        speeches=tuple(told(one) for one in speeches()),
    )


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], SpeechMaking]:
    """Ann (agent4debate) as Pro meets bob (mad) as Con; ann as Con meets cyd (direct)."""
    config = changed(content("ann", "bob", "cyd"), ["participants", 0, "debater"], "agent4debate")
    config = changed(config, ["participants", 1, "debater"], "mad")
    store, plan = planned(tmp_path_factory.mktemp("making") / "own.duckdb", config)
    pro, con = "pro/constructive", "con/rebuttal"
    first = [
        call(f"{pro}/searcher/1", 40),
        call(f"{pro}/searcher/2", 60),
        *asked(f"{pro}/writer/1", (10, "length"), (100, "stop"), (110, "stop")),
        *asked(f"{pro}/writer/2", (80, "stop")),
        call(f"{con}/affirmative/1", 30, 0.5),
        call(f"{con}/judge/1", 20, 0.0),
    ]
    ann = {
        "trace": (
            {"agent": "Searcher", "queries": ["a", "b", "c"], "failed": {"a": "no answer"}},
            {"agent": "Reviewer", "marker": "revise", "fault": "EmptyReply"},
            {"agent": "Writer", "fault": "EmptyReply"},
            {"agent": "protocol", "cap": "max_revisions"},
            {"agent": "protocol", "action": "again", "fault": "WrongLanguage"},
            {"agent": "protocol", "action": "clean", "removed": ["heading", "count"]},
            {"agent": "protocol", "action": "shorten", "from": 700},
            {"agent": "protocol", "action": "clean", "removed": ["heading"]},
            {"agent": "protocol", "action": "letter", "marks": 3},
        ),
        "references": (
            Reference(number=1, origin="x", excerpt="y"),
            Reference(number=7, given=False),
            Reference(number=8, given=False),
        ),
        "trimmed": True,
    }
    inner = {"agent": "protocol", "verdict": "negative", "fallback": False}
    bob = {
        ("con", "constructive"): {"trace": ({**inner, "disagreement": 0.5, "diversity": 30.0},)},
        ("con", "rebuttal"): {"trace": ({**inner, "disagreement": None, "diversity": 50.0},)},
        ("con", "summary"): {
            "trace": ({**inner, "verdict": "none", "disagreement": 1.0, "fallback": True},)
        },
    }
    commit(
        store,
        made(meeting(plan, "ann", "bob"), first, {("pro", "constructive"): ann, **bob}),
        made(
            meeting(plan, "cyd", "ann"),
            [call("pro/summary/writer/1", 7), call("con/constructive/writer/1", 30)],
            {("pro", "summary"): {"trace": ({"agent": "Search", "query": "what"},)}},
        ),
        played(meeting(plan, "bob", "ann"), "forfeit", forfeited="pro", costs=[(pro + "/x/1", 9)]),
    )
    stages = ("overall", "constructive", "rebuttal", "summary")
    rows = summarize_making(read_traces(store, plan.resolved.name), ["ann", "bob", "cyd"], stages)
    return {(one.participant, one.stage): one for one in rows}


def test_only_speeches_of_finished_debates_count(
    found: dict[tuple[str, str], SpeechMaking],
) -> None:
    assert {key: one.speeches for key, one in found.items() if key[1] == "overall"} == {
        ("ann", "overall"): 6, ("bob", "overall"): 3, ("cyd", "overall"): 3,
    }  # fmt: skip


def test_figures_are_means_per_speech_of_a_stage(
    found: dict[tuple[str, str], SpeechMaking],
) -> None:
    # two speeches: 4 turns of 6 answers in one (40, 60, 10 + 100 + 110, 80), 1 turn in the other
    one = found["ann", "constructive"]
    assert one.speeches == 2
    assert one.means == pytest.approx(
        {
            "turns": 5 / 2,
            "tokens": (40 + 60 + 220 + 80 + 30) / 2,
            "searches": 3 / 2,
            "revisions": 1 / 2,
            "repairs": 1 / 2,
            "lengthened": 1 / 2,
            "again": 1 / 2,
            "flagged": 2 / 2,
            "usd": 7 * 0.01 / 2,
            "seconds": 7 * 0.5 / 2,
        }
    )
    assert found["ann", "overall"].means["turns"] == pytest.approx(5 / 6)
    assert found["ann", "rebuttal"].means["usd"] == 0.0


def test_agents_are_those_of_the_paths(found: dict[tuple[str, str], SpeechMaking]) -> None:
    assert found["ann", "constructive"].agents == {
        "Searcher": AgentShare(turns=1.0, tokens=50.0),  # 2 turns on 2 speeches
        "Writer": AgentShare(turns=1.5, tokens=110.0),  # (220 + 80 + 30) / 3
    }
    assert found["bob", "rebuttal"].agents == {
        "Affirmative": AgentShare(turns=1.0, tokens=30.0),
        "Judge": AgentShare(turns=1.0, tokens=20.0),
    }


def test_a_search_is_a_query_whoever_asks_it(found: dict[tuple[str, str], SpeechMaking]) -> None:
    assert found["cyd", "summary"].means["searches"] == 1.0
    assert found["cyd", "overall"].means["searches"] == pytest.approx(1 / 3)


def test_what_went_wrong_is_told_once_a_speech(found: dict[tuple[str, str], SpeechMaking]) -> None:
    assert found["ann", "overall"].events == {
        "cap max_revisions": 1, "cut at the limit": 1, "failed search": 1, "fault EmptyReply": 1,
        "fault WrongLanguage": 1, "marks without a letter": 1, "removed count": 1,
        "removed heading": 1,
    }  # fmt: skip
    assert found["bob", "overall"].events == {"fallback": 1}


def test_what_went_wrong_is_headed_by_words(found: dict[tuple[str, str], SpeechMaking]) -> None:
    (table,) = (
        table
        for table in making_tables(list(found.values()), title="own")
        if table.title.endswith("caps and faults")
    )
    counted = dict(zip(table.head, table.rows[0], strict=True))
    words = ("reaches the limit of revisions", "empty answer", "wrong language", "failed search")
    assert [counted[head] for head in words] == ["1", "1", "1", "1"]


def test_inner_debates_are_tallied(found: dict[tuple[str, str], SpeechMaking]) -> None:
    inner = found["bob", "overall"].inner
    assert inner is not None
    assert inner.verdicts == {"affirmative": 0, "negative": 2, "none": 1}
    assert (inner.disagreement, inner.diversity) == (0.75, 40.0)
    assert found["ann", "overall"].inner is None


def test_the_published_figures_stand_below_ours(found: dict[tuple[str, str], SpeechMaking]) -> None:
    tables = {one.title: one for one in making_tables(list(found.values()), title="own")}
    team = tables["own · agents of agent4debate"]
    assert team.head[3:] == ("Searcher", "Analyzer", "Writer", "Reviewer")
    assert team.rows[2] == ("ann", "constructive", "turns", "1.00", "0.00", "1.50", "0.00")
    assert team.rows[3] == ("ann", "constructive", "tokens", "50", "", "110", "")
    assert team.rows[8:] == (
        ("published", "overall", "turns", "2.19", "1.00", "2.72", "2.49"),
        ("published", "overall", "tokens", "2,183", "795", "812", "416"),
        ("published", "constructive", "turns", "3.44", "1.00", "2.43", "2.17"),
        ("published", "rebuttal", "turns", "1.34", "1.00", "2.79", "2.58"),
        ("published", "summary", "turns", "1.26", "1.00", "3.09", "2.87"),
    )
    assert tables["own · inner debates"].rows[0] == (
        "bob", "overall", "0", "2", "1", "0.750", "40.0",
    )  # fmt: skip
    assert tables["own · inner debates"].rows[-1][2:6] == ("87", "104", "9", "0.988")


def test_participants_are_compared_on_one_line_each(
    found: dict[tuple[str, str], SpeechMaking],
) -> None:
    table = making_tables(list(found.values()), title="own")[0]
    assert [row[:3] for row in table.rows] == [
        ("ann", "overall", "6"), ("bob", "overall", "3"), ("cyd", "overall", "3"),
    ]  # fmt: skip
    column = table.head.index("again")
    assert [row[column] for row in table.rows] == ["0.17", "0.00", "0.00"]
    alone = making_tables([one for key, one in found.items() if key[0] == "ann"], title="own")[0]
    assert [row[1] for row in alone.rows] == ["overall", "constructive", "rebuttal", "summary"]
