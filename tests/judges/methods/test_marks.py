"""`marks`: each essay by itself, and the means that a participant comes to."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from arena.errors import UnparseableReply
from arena.llm.request import Request
from arena.papers.essays.marks import to_ballot_scale
from arena.simulator import OfflineBackend
from arena.store.database import Store
from judges.methods.marks import MarksJudge
from ratings import CON_WINS, PRO_WINS, TIE
from tests.support.case_lists import for_every
from tests.support.command_line import done, refused
from tests.support.debate_seats import paths, texts
from tests.support.hostile_texts import HOSTILE, outside
from tests.support.one_sided_debates import EMPTY, REASONED
from tests.support.paired_answers import FIRST, SECOND, TASK, pair
from tests.support.scripted_backend import ScriptedBackend

pytestmark = pytest.mark.usefixtures("no_stored_boards")

JUDGE = MarksJudge(MarksJudge.Options())
PAPERS = MarksJudge(MarksJudge.Options(preset="paper"))


def marking(**marks: tuple[int, int]) -> ScriptedBackend:
    """A model that gives each side's essay its relevance and preference."""

    def script(request: Request) -> str:
        relevance, preference = marks[request.path.split("/")[-1]]
        return json.dumps({"reason": "So.", "relevance": relevance, "preference": preference})

    return ScriptedBackend(script)


async def test_each_essay_is_read_alone(tmp_path: Path) -> None:
    backend = marking(pro=(5, 2), con=(3, 4))
    judged = await JUDGE.judge(pair(backend, tmp_path))
    assert sorted(paths(backend)) == ["mark/con", "mark/pro"]
    for request in backend.requests:
        own = FIRST if request.path.endswith("pro") else SECOND
        assert (texts(request, "answer"), texts(request, "task")) == ([own], [TASK])
        assert "Answer A" not in request.text() and "Answer B" not in request.text()
    found = {one.dimension: (one.outcome, one.pro_mark, one.con_mark) for one in judged.verdicts}
    assert found == {
        "relevance": (PRO_WINS, to_ballot_scale(5), to_ballot_scale(3)),
        "preference": (CON_WINS, to_ballot_scale(2), to_ballot_scale(4)),
        "overall": (TIE, to_ballot_scale(3.5), to_ballot_scale(3.5)),
    }


def marking_one_by_one(**marks: tuple[int, int]) -> ScriptedBackend:
    """A model that gives each side's essay one mark at a time."""

    def script(request: Request) -> str:
        _, side, name = request.path.split("/")
        given = dict(zip(("relevance", "preference"), marks[side], strict=True))
        return json.dumps({"reason": f"For {name}.", "mark": given[name]})

    return ScriptedBackend(script)


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_with_the_preset_relevance_and_preference_are_two_calls(
    code: str, tmp_path: Path
) -> None:
    backend = marking_one_by_one(pro=(5, 2), con=(3, 4))
    judged = await PAPERS.judge(pair(backend, tmp_path, code=code))
    names = ("relevance", "preference")
    assert sorted(paths(backend)) == sorted(f"mark/{s}/{n}" for s in ("pro", "con") for n in names)
    assert PAPERS.forecast(PAPERS.options, 600).calls[0] == len(backend.requests) == 4
    for request in backend.requests:
        _, side, name = request.path.split("/")
        own = FIRST if side == "pro" else SECOND
        label = {"en": "answer", "zh": "回答"}[code]
        assert (request.task, texts(request, label)) == (f"judge.{name}", [own])
        assert request.schema is not None and list(request.schema.body["properties"])[1] == "mark"
        assert not [other for other in names if other != name and other in request.text()]
    found = {one.dimension: (one.pro_mark, one.con_mark) for one in judged.verdicts}
    assert found["relevance"] == (to_ballot_scale(5), to_ballot_scale(3))
    assert found["preference"] == (to_ballot_scale(2), to_ballot_scale(4))
    assert "For relevance. For preference." in judged.rationale


def test_a_bench_without_the_preset_is_stored_as_before() -> None:
    assert JUDGE.options.model_dump(mode="json") == {}
    assert PAPERS.options.model_dump(mode="json") == {"preset": "paper"}


@pytest.mark.parametrize("given", [(0, 3), (3, 6)])
async def test_marks_out_of_range_are_asked_again_and_then_fail(
    given: tuple[int, int], tmp_path: Path
) -> None:
    backend = marking(pro=given, con=(3, 3))
    with pytest.raises(UnparseableReply):
        await JUDGE.judge(pair(backend, tmp_path))
    assert paths(backend).count("mark/pro") == 2


@for_every(HOSTILE.values())
async def test_hostile_essays_stay_in_their_quotations(text: str, tmp_path: Path) -> None:
    for judge, script in ((JUDGE, marking), (PAPERS, marking_one_by_one)):
        calm, hostile = (script(pro=(3, 3), con=(3, 3)) for _ in range(2))
        folder = tmp_path / script.__name__
        await judge.judge(pair(calm, folder / "calm"))
        await judge.judge(pair(hostile, folder / "hostile", texts=(text, text), task=text))
        assert [outside(one) for one in hostile.requests] == [outside(one) for one in calm.requests]
    read = await JUDGE.judge(
        pair(OfflineBackend(), tmp_path / "read", texts=(text, FIRST), model="offline/weak")
    )
    assert len(read.verdicts) == 3


@pytest.mark.parametrize("judge", [JUDGE, PAPERS], ids=["ours", "the paper's"])
@pytest.mark.parametrize("code", ["en", "zh"])
async def test_a_simulated_judge_prefers_the_essay_that_argues(
    code: str, judge: MarksJudge, tmp_path: Path
) -> None:
    given = pair(
        OfflineBackend(),
        tmp_path,
        code=code,
        texts=(REASONED[code], EMPTY[code]),
        model="offline/good",
    )
    judged = await judge.judge(given)
    assert judged.verdicts[-1].outcome == PRO_WINS


CONFIG = """
[tournament]
name = "marked"
contest = "essay"
motions = "arena66"
categories = ["value"]
[limits]
words = 50
[[participants]]
name = "direct"
debater = "direct"
model = "offline/good"
[[participants]]
name = "other"
debater = "debate_to_write"
model = "offline/weak"
options = { personas = false }
[[benches]]
name = "marks"
judge = "marks"
model = "offline/good"
runs = 1
"""


def test_the_means_of_participants_are_told(tmp_path: Path, small_database: Path) -> None:
    (tmp_path / "own.toml").write_text(CONFIG, encoding="utf-8")
    db = tmp_path / "own.duckdb"
    done("run", tmp_path / "own.toml", "--yes", "--db", db)
    document = json.loads(done("marks", "--format", "json", "--db", db))
    assert document["simulated"] and len(document["marks"]) == 4
    for one in document["marks"]:
        assert 1 <= one["mark"] <= 5 and one["essays"] == 2 and one["lower"] is None
    direct = next(one for one in document["marks"] if one["participant"] == "direct")
    rows = Store(db).rows(
        "SELECT if(p.name = 'direct', s.pro_mark, s.con_mark) AS mark FROM ballot_scores s "
        "JOIN ballots USING (ballot_id) JOIN debates d USING (debate_id) "
        "JOIN participants p ON p.participant_id = d.pro WHERE s.dimension = 'relevance'"
    )
    assert to_ballot_scale(direct["mark"]) == pytest.approx(sum(one["mark"] for one in rows) / 2)
    assert {
        (one["dimension"], one["participant"], one["published"]) for one in document["marks"]
    } == {
        ("relevance", "direct", 3.56),
        ("preference", "direct", 3.63),
        ("relevance", "other", 3.81),
        ("preference", "other", 3.75),
    }
    assert "relevance" in done("marks", "--db", db)
    assert "is not a bench of the judge" in refused("marks", "--bench", "single", "--db", db)
    assert 'contest = "essay"' in refused("marks", "--db", small_database)


def test_essays_that_nobody_marked_can_be_marked_as_the_message_says(tmp_path: Path) -> None:
    unmarked = CONFIG.replace('judge = "marks"', 'judge = "single"').replace('"marks"', '"pairs"')
    (tmp_path / "own.toml").write_text(unmarked, encoding="utf-8")
    db = tmp_path / "own.duckdb"
    done("run", tmp_path / "own.toml", "--yes", "--db", db)
    message = refused("marks", "--db", db)
    command = re.search(r"arena (rejudge .*) --model MODEL (--runs 1)", message)
    assert command is not None, message
    asked = shlex.split(" ".join(command.groups()))
    done(*asked, "--model", "offline/good", "--yes", "--db", db)
    assert len(json.loads(done("marks", "--format", "json", "--db", db))["marks"]) == 4
