"""`debatrix`: nothing that a debater or a judge wrote leaves its quotation or names a debater."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from arena.debates.ballot import BallotCall, take_ballot
from arena.debates.transcript import render_reference
from arena.languages import Side, language
from arena.llm.journal import Journal
from arena.prompts import Quote
from arena.records import Bench as BenchRecord
from arena.records import Participant, Reference, Sampling, Speech
from judges.methods.debatrix import Options
from judges.methods.debatrix_reading import Mode
from tests.bench import DIMENSIONS, Bench, judge
from tests.hostile import HOSTILE, outside, with_speech
from tests.scripted import ScriptedAccess, ScriptedBackend
from tests.seats import ORDER, quoted, request_at, texts
from tests.taking import assignment

every_text = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)


@every_text
@pytest.mark.parametrize("code", ["en", "zh"])
async def test_a_hostile_speech_stays_in_its_quotation(
    text: str, code: str, tmp_path: Path
) -> None:
    calm, hostile = ScriptedBackend(Bench()), ScriptedBackend(Bench())
    await judge(calm, tmp_path / "calm", code=code)
    await judge(hostile, tmp_path / "hostile", code=code, said=with_speech(3, text))
    spoken = language(code)
    for name in DIMENSIONS:
        path = f"{name}/analyse/4"
        request = request_at(hostile, path)
        words = (spoken.sides["con"], spoken.stages["rebuttal"])
        assert quoted(request, spoken.terms["speech"]) == [
            Quote(label=spoken.terms["speech"], words=words, text=text)
        ]
        assert outside(request) == outside(request_at(calm, path))
        assert [one.role for one in request.messages] == ["system", "user"]


@every_text
@pytest.mark.parametrize(
    ("mode", "path", "place"),
    [
        ("non_iterative", "analyse/4", 3),
        ("non_iterative", "analyse/6", 3),
        ("single_pass", "compare", 3),
    ],
)
async def test_a_hostile_speech_stays_in_its_quotation_where_all_are_raw(
    text: str, mode: Mode, path: str, place: int, tmp_path: Path
) -> None:
    calm, hostile = ScriptedBackend(Bench()), ScriptedBackend(Bench())
    options = Options(mode=mode)
    await judge(calm, tmp_path / "calm", options)
    await judge(hostile, tmp_path / "hostile", options, said=with_speech(place, text))
    for name in DIMENSIONS:
        request = request_at(hostile, f"{name}/{path}")
        assert texts(request, "speech")[place] == text
        assert outside(request) == outside(request_at(calm, f"{name}/{path}"))


@every_text
async def test_a_hostile_speech_reaches_no_other_request(text: str, tmp_path: Path) -> None:
    calm, hostile = ScriptedBackend(Bench()), ScriptedBackend(Bench())
    await judge(calm, tmp_path / "calm")
    await judge(hostile, tmp_path / "hostile", said=with_speech(3, text))
    other = {
        one.path: one.text() for one in hostile.requests if not one.path.endswith("/analyse/4")
    }
    assert len(other) == 19
    assert other == {one.path: one.text() for one in calm.requests if one.path in other}


@every_text
async def test_what_a_judge_wrote_is_quoted_to_the_next(text: str, tmp_path: Path) -> None:
    answers = {
        "source/analyse/2": text.strip(),
        "source/compare": json.dumps(
            {"judgement": text, "pro_mark": 5, "con_mark": 5, "winner": "tie"}
        ),
    }
    calm, hostile = ScriptedBackend(Bench()), ScriptedBackend(Bench(answers))
    await judge(calm, tmp_path / "calm")
    await judge(hostile, tmp_path / "hostile")
    for path, label in (
        ("source/analyse/3", "analysis"),
        ("source/compare", "analysis"),
        ("overall/panel", "judgement"),
    ):
        request = request_at(hostile, path)
        shown = texts(request, label)[1]
        assert shown == (text if label == "judgement" else text.strip())
        assert outside(request) == outside(request_at(calm, path))


@every_text
async def test_a_hostile_source_stays_among_the_references(text: str, tmp_path: Path) -> None:
    cited = (Reference(number=1, origin="A page", excerpt=text), Reference(number=4, given=False))
    backend = ScriptedBackend(Bench())
    await judge(backend, tmp_path, said=with_speech(2, "As shown [1] [4].", *cited))
    request = request_at(backend, "source/analyse/3")
    assert quoted(request, "speech") == [
        Quote(label="speech", words=("Pro", "rebuttal"), text="As shown [1] [4].")
    ]
    assert quoted(request, "References") == [
        Quote(
            label="References",
            words=("Pro", "rebuttal"),
            text="\n".join(render_reference(one, language("en")) for one in cited),
        )
    ]


async def test_references_stand_resolved_beside_the_speech(tmp_path: Path) -> None:
    cited = (Reference(number=2, origin="A", excerpt="B."), Reference(number=9, given=False))
    backend = ScriptedBackend(Bench())
    await judge(backend, tmp_path, said=with_speech(0, "As shown [2] [9].", *cited))
    for name in DIMENSIONS:
        shown = texts(request_at(backend, f"{name}/analyse/1"), "References")
        assert shown == ["[2] A — B.\n[9] never given to this speaker"]


async def test_a_forged_list_of_references_is_the_speakers_text(tmp_path: Path) -> None:
    backend = ScriptedBackend(Bench())
    text = HOSTILE["forged references"]
    await judge(backend, tmp_path, said=with_speech(2, text))
    for name in DIMENSIONS:
        assert quoted(request_at(backend, f"{name}/analyse/3"), "References") == []


#: Participants whose names and models are easy to find.
NAMELESS: Mapping[Side, Participant] = {
    "pro": Participant(name="Nameless-Alice", debater="direct", model="secretlab/alice-9"),
    "con": Participant(name="Nameless-Bob", debater="agent4debate", model="secretlab/bob-9"),
}


async def test_no_request_of_a_judge_says_who_debates(tmp_path: Path) -> None:
    trace = ({"agent": "Writer", "model": "secretlab/alice-9", "name": "Nameless-Alice"},)
    said = tuple(
        Speech(side=side, stage=stage, text="Said.", words=1, trimmed=True, trace=trace)
        for side, stage in ORDER
    )
    bench = BenchRecord(name="bench-77", judge="debatrix", model="judges/own", sampling=Sampling())
    backend, debate = ScriptedBackend(Bench()), assignment(NAMELESS, mark="-77")
    taken = await take_ballot(
        debate,
        said,
        BallotCall(bench=bench, run=1),
        access=ScriptedAccess(backend),
        journal=Journal(tmp_path),
    )
    assert len(backend.requests) == 22
    assert taken.ballot.reason == ""
    secrets = ["Nameless", "secretlab", "agent4debate", "-77", debate.debate.pro, debate.debate.con]
    for request in backend.requests:
        seen = "\n".join([request.text(), request.path, *request.variables.values()])
        assert not [secret for secret in secrets if secret in seen]
        assert request.model == "judges/own"
