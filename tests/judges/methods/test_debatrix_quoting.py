"""`debatrix`: nothing that a debater or a judge wrote leaves its quotation or names a debater."""

from __future__ import annotations

import json
import string
from collections.abc import Mapping
from pathlib import Path

from arena.debates.ballot import take_ballot
from arena.debates.transcript import render_reference
from arena.languages import Side, language
from arena.llm.journal import Journal
from arena.prompts import Quote
from arena.records import BallotCall, Participant, Reference, Sampling, Speech
from arena.records import Bench as BenchRecord
from judges.methods.debatrix import DIMENSIONS, Mode, Options
from tests.support.case_lists import for_every
from tests.support.debate_seats import ORDER, quoted, request_at, texts
from tests.support.debatrix_script import CALLS_ON_A_DEBATE, Bench, judge
from tests.support.hostile_texts import HOSTILE, outside, with_speech
from tests.support.scripted_backend import ScriptedAccess, ScriptedBackend
from tests.support.scripted_ballots import assignment

PLAIN = Options()
#: What was asked about the plain speeches, by options and language; tests only read it.
_CALM: dict[tuple[Options, str], ScriptedBackend] = {}


async def calm_requests(
    folder: Path, options: Options = PLAIN, *, code: str = "en"
) -> ScriptedBackend:
    """What is asked about speeches that try nothing."""
    if (options, code) not in _CALM:
        backend = ScriptedBackend(Bench())
        await judge(backend, folder / "calm", options, code=code)
        _CALM[options, code] = backend
    return _CALM[options, code]


@for_every(HOSTILE, ["en", "zh"])
async def test_a_hostile_speech_stays_in_its_quotation(
    kind: str, code: str, tmp_path: Path
) -> None:
    text, hostile = HOSTILE[kind], ScriptedBackend(Bench())
    calm = await calm_requests(tmp_path, code=code)
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
        assert [message.role for message in request.messages] == ["system", "user"]


@for_every(
    HOSTILE,
    [
        ("non_iterative", "analyse/4", 3),
        ("non_iterative", "analyse/6", 3),
        ("single_pass", "compare", 3),
    ],
)
async def test_a_hostile_speech_stays_in_its_quotation_where_all_are_raw(
    kind: str, mode: Mode, path: str, place: int, tmp_path: Path
) -> None:
    text, hostile = HOSTILE[kind], ScriptedBackend(Bench())
    options = Options(mode=mode)
    calm = await calm_requests(tmp_path, options)
    await judge(hostile, tmp_path / "hostile", options, said=with_speech(place, text))
    for name in DIMENSIONS:
        request = request_at(hostile, f"{name}/{path}")
        assert texts(request, "speech")[place] == text
        assert outside(request) == outside(request_at(calm, f"{name}/{path}"))


@for_every(HOSTILE)
async def test_a_hostile_speech_reaches_no_other_request(kind: str, tmp_path: Path) -> None:
    hostile, calm = ScriptedBackend(Bench()), await calm_requests(tmp_path)
    await judge(hostile, tmp_path / "hostile", said=with_speech(3, HOSTILE[kind]))
    other = {
        request.path: request.text()
        for request in hostile.requests
        if not request.path.endswith("/analyse/4")
    }
    assert len(other) == CALLS_ON_A_DEBATE - len(DIMENSIONS)
    plain = {request.path: request.text() for request in calm.requests}
    assert other == {path: text for path, text in plain.items() if path in other}


@for_every(HOSTILE)
async def test_what_a_judge_wrote_is_quoted_to_the_next(kind: str, tmp_path: Path) -> None:
    text = HOSTILE[kind]
    answer = text.strip(f"{string.whitespace}\u200d")  # blanks without width are blanks, too
    answers = {
        "source/analyse/2": answer,
        "source/compare": json.dumps(
            {"judgement": text, "pro_mark": 5, "con_mark": 5, "winner": "tie"}
        ),
    }
    hostile, calm = ScriptedBackend(Bench(answers)), await calm_requests(tmp_path)
    await judge(hostile, tmp_path / "hostile")
    for path, label in (
        ("source/analyse/3", "analysis"),
        ("source/compare", "analysis"),
        ("overall/panel", "judgement"),
    ):
        request = request_at(hostile, path)
        shown = texts(request, label)[1]
        assert shown == (text if label == "judgement" else answer)
        assert outside(request) == outside(request_at(calm, path))


@for_every(HOSTILE)
async def test_a_hostile_source_stays_among_the_references(kind: str, tmp_path: Path) -> None:
    page = Reference(number=1, origin="A page", excerpt=HOSTILE[kind])
    cited = (page, Reference(number=4, given=False))
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
            text="\n".join(render_reference(source, language("en")) for source in cited),
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
    speeches = tuple(
        Speech(side=side, stage=stage, text="Said.", words=1, trimmed=True, trace=trace)
        for side, stage in ORDER
    )
    bench = BenchRecord(name="bench-77", judge="debatrix", model="judges/own", sampling=Sampling())
    backend, debate = ScriptedBackend(Bench()), assignment(NAMELESS, mark="-77")
    taken = await take_ballot(
        debate,
        speeches,
        BallotCall(bench=bench, run=1),
        access=ScriptedAccess(backend),
        journal=Journal(tmp_path),
    )
    assert len(backend.requests) == CALLS_ON_A_DEBATE
    assert taken.ballot.reason == ""
    secrets = ["Nameless", "secretlab", "agent4debate", "-77", debate.debate.pro, debate.debate.con]
    for request in backend.requests:
        seen = "\n".join([request.text(), request.path, *request.variables.values()])
        assert not [secret for secret in secrets if secret in seen]
        assert request.model == "judges/own"
