"""`more`: three advocates a side and an aggregator, blind to the other side, then one judge."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from arena.errors import ContentFault, EmptyReply, UnparseableReply
from arena.languages import SIDES, Side, language, other_side
from arena.llm.request import Completion, Request
from arena.prompts import Quote
from arena.simulator import OfflineBackend
from judges.methods.criteria import total
from judges.methods.more import More, Options
from ratings import CON_WINS, PRO_WINS
from tests.support.case_lists import for_every
from tests.support.debate_seats import GatheringBackend, paths, quoted, request_at, speeches, texts
from tests.support.hostile_texts import HOSTILE, outside, with_speech
from tests.support.one_sided_debates import one_sided
from tests.support.score_cards import INVALID, card, hearing
from tests.support.scripted_backend import ScriptedBackend, completion

JUDGE = More(Options())


class Court:
    """Every advocate says its own path; the judge scores 12 to 10, or as a test says by path."""

    def __init__(self, answers: dict[str, str | Completion] | None = None) -> None:
        self.answers = answers or {}

    def __call__(self, request: Request) -> str | Completion:
        if f"{request.path}#{request.attempt}" in self.answers:
            return self.answers[f"{request.path}#{request.attempt}"]
        formal = request.task in ("judge.criteria", "judge.defences")
        said = card() if formal else f"Said at {request.path}."
        return self.answers.get(request.path, said)


async def test_a_run_is_nine_calls_and_the_judge_is_the_last(tmp_path: Path) -> None:
    backend = ScriptedBackend(Court())
    judged = await JUDGE.judge(hearing(backend, tmp_path))
    advocates = [f"{side}/advocate/{k}" for side in SIDES for k in (1, 2, 3)]
    assert sorted(paths(backend)[:6]) == sorted(advocates)
    assert sorted(paths(backend)[6:8]) == ["con/aggregate", "pro/aggregate"]
    assert paths(backend)[8:] == ["judge"]
    assert len(backend.requests) == More.forecast(Options(), 600).calls[0]
    assert [one.task for one in backend.requests] == [
        *["advocate.defend"] * 6,
        *["advocate.fuse"] * 2,
        "judge.criteria",
    ]
    overall = judged.verdicts[-1]
    assert tuple(one.dimension for one in judged.verdicts) == JUDGE.dimensions
    assert (overall.outcome, total(overall.pro_mark), total(overall.con_mark)) == (1.0, 72, 60)


async def test_all_six_advocates_work_at_once(tmp_path: Path) -> None:
    def advocate(request: Request) -> bool:
        return request.task == "advocate.defend"

    backend = GatheringBackend(Court(), together=6, among=advocate)
    await JUDGE.judge(hearing(backend, tmp_path))
    assert backend.gathered == 6


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("side", SIDES)
async def test_a_side_sees_the_debate_and_nothing_of_the_other_sides_advocates(
    side: Side, code: str, tmp_path: Path
) -> None:
    backend = ScriptedBackend(Court())
    await JUDGE.judge(hearing(backend, tmp_path, code=code))
    spoken, said = language(code), [one.text for one in speeches()]
    own = [one for one in backend.requests if one.path.startswith(f"{side}/")]
    assert len(own) == 4
    for request in own:
        assert texts(request, spoken.terms["speech"]) == said
        assert request.variables["side"] == spoken.sides[side]
        assert request.variables["opponent"] == spoken.sides[other_side(side)]
        assert f"Said at {other_side(side)}" not in request.text()
    for number in (1, 2, 3):
        request = request_at(backend, f"{side}/advocate/{number}")
        assert texts(request, spoken.terms["defence"]) == []
        assert request.variables["words"] == str(spoken.limit(80))
    fused = request_at(backend, f"{side}/aggregate")
    assert fused.variables["words"] == str(spoken.limit(150))
    assert quoted(fused, spoken.terms["defence"]) == [
        Quote(
            label=spoken.terms["defence"],
            words=(spoken.sides[side], str(number)),
            text=f"Said at {side}/advocate/{number}.",
        )
        for number in (1, 2, 3)
    ]


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_judge_sees_the_debate_and_both_fused_defences(code: str, tmp_path: Path) -> None:
    backend = ScriptedBackend(Court())
    await JUDGE.judge(hearing(backend, tmp_path, code=code))
    spoken, request = language(code), request_at(backend, "judge")
    assert texts(request, spoken.terms["speech"]) == [one.text for one in speeches()]
    assert quoted(request, spoken.terms["defence"]) == [
        Quote(
            label=spoken.terms["defence"],
            words=(spoken.sides[side],),
            text=f"Said at {side}/aggregate.",
        )
        for side in SIDES
    ]
    assert "/advocate/" not in request.text()


@pytest.mark.parametrize("number", [1, 5])
async def test_the_number_of_advocates_is_an_option(number: int, tmp_path: Path) -> None:
    options = Options(advocates=number)
    backend = ScriptedBackend(Court())
    await More(options).judge(hearing(backend, tmp_path))
    assert len(backend.requests) == 2 * number + 3 == More.forecast(options, 600).calls[0]
    assert len(quoted(request_at(backend, "con/aggregate"), "defence")) == number


async def test_a_long_plea_is_cut_at_a_sentence(tmp_path: Path) -> None:
    long = "Ten words stand in this sentence that goes on so. " * 40
    answers: dict[str, str | Completion] = {"pro/advocate/2": long, "con/aggregate": long}
    backend = ScriptedBackend(Court(answers))
    await JUDGE.judge(hearing(backend, tmp_path))
    second = texts(request_at(backend, "pro/aggregate"), "defence")[1]
    assert len(second.split()) == 80 and second.endswith(" so.")
    assert len(texts(request_at(backend, "judge"), "defence")[1].split()) == 150


@pytest.mark.parametrize("answer", INVALID.values(), ids=INVALID)
async def test_an_invalid_card_is_asked_again_and_then_fails(answer: str, tmp_path: Path) -> None:
    mended = ScriptedBackend(Court({"judge#0": answer, "judge#1": card(8, 9)}))
    judged = await JUDGE.judge(hearing(mended, tmp_path / "mended"))
    assert judged.verdicts[-1].outcome == CON_WINS
    with pytest.raises(UnparseableReply):
        await JUDGE.judge(hearing(ScriptedBackend(Court({"judge": answer})), tmp_path / "failed"))


REFUSED = completion("No.", finish="refusal")


@pytest.mark.parametrize("answer", [REFUSED, ""])
async def test_a_judge_that_says_nothing_fails_the_ballot(
    answer: str | Completion, tmp_path: Path
) -> None:
    with pytest.raises(ContentFault):
        await JUDGE.judge(hearing(ScriptedBackend(Court({"judge": answer})), tmp_path))


@pytest.mark.parametrize("answer", [REFUSED, ""])
async def test_the_other_advocates_plead_for_one_who_says_nothing(
    answer: str | Completion, tmp_path: Path
) -> None:
    backend = ScriptedBackend(Court({"pro/advocate/2": answer, "pro/advocate/1": ""}))
    judged = await JUDGE.judge(hearing(backend, tmp_path))
    fused = quoted(request_at(backend, "pro/aggregate"), "defence")
    assert [(one.words, one.text) for one in fused] == [(("Pro", "3"), "Said at pro/advocate/3.")]
    assert [one["path"] for one in judged.trace] == ["pro/advocate/1", "pro/advocate/2"]
    assert judged.trace[0]["agent"] == "missing"
    assert str(judged.trace[0]["reason"]).startswith("EmptyReply: ")
    assert judged.rationale == (
        "Because.\n(Judged without what the model did not deliver: pro/advocate/1, pro/advocate/2.)"
    )
    assert judged.verdicts[-1].comment == "Because.\nPro 72, Con 60 (/120)"


async def test_a_side_that_nobody_pleads_for_fails_the_ballot(tmp_path: Path) -> None:
    silent: dict[str, str | Completion] = {f"con/advocate/{number}": "" for number in (1, 2, 3)}
    with pytest.raises(EmptyReply):
        await JUDGE.judge(hearing(ScriptedBackend(Court(silent)), tmp_path))


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_defences_that_nobody_fuses_stand_as_they_are_within_the_limit(
    code: str, tmp_path: Path
) -> None:
    long = {
        "en": "Ten words stand in this sentence that goes on so. ",
        "zh": "这句话正好十个字吧。",
    }
    answers: dict[str, str | Completion] = {
        "con/aggregate": REFUSED,
        **{f"con/advocate/{number}": long[code] * 8 for number in (1, 2, 3)},
    }
    backend = ScriptedBackend(Court(answers))
    judged = await JUDGE.judge(hearing(backend, tmp_path, code=code))
    spoken = language(code)
    pro, con = texts(request_at(backend, "judge"), spoken.terms["defence"])
    assert pro == "Said at pro/aggregate."
    assert 0.8 * spoken.limit(150) < spoken.count(con) <= spoken.limit(150)
    assert "con/aggregate" in judged.rationale and len(judged.trace) == 1


PAPERS = More(Options(scores="defences"))


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_defences_may_be_what_is_scored(code: str, tmp_path: Path) -> None:
    backends = {}
    for judge in (JUDGE, PAPERS):
        backend = backends[judge] = ScriptedBackend(Court())
        judged = await judge.judge(hearing(backend, tmp_path / judge.options.scores, code=code))
        assert judged.verdicts[-1].outcome == PRO_WINS
        assert len(backend.requests) == 9
    ours, papers = (request_at(backend, "judge") for backend in backends.values())
    assert (ours.task, papers.task) == ("judge.criteria", "judge.defences")
    criteria = {"en": "applied to the defences, not", "zh": "用于双方的辩护，而不是"}[code]
    for request in backends[PAPERS].requests:
        assert criteria in request.text()
    assert not [one for one in backends[JUDGE].requests if criteria in one.text()]


def test_an_option_with_its_default_is_not_stored() -> None:
    assert Options().model_dump(mode="json") == {"advocates": 3}
    assert PAPERS.options.model_dump(mode="json") == {"scores": "defences", "advocates": 3}
    with pytest.raises(ValidationError, match="'defences' or 'answers'"):
        Options.model_validate({"scores": "sides"})


@for_every(HOSTILE.values())
async def test_hostile_speeches_and_pleas_stay_in_their_quotations(
    text: str, tmp_path: Path
) -> None:
    calm, hostile = ScriptedBackend(Court()), ScriptedBackend(Court({"con/advocate/3": text}))
    await JUDGE.judge(hearing(calm, tmp_path / "calm"))
    await JUDGE.judge(hearing(hostile, tmp_path / "hostile", said=with_speech(3, text)))
    for request in hostile.requests:
        assert outside(request) == outside(request_at(calm, request.path))
        assert texts(request, "speech")[3] == text
        assert [one.role for one in request.messages] == ["system", "user"]


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("judge", [JUDGE, PAPERS], ids=["answers", "defences"])
async def test_simulated_models_play_every_part(code: str, judge: More, tmp_path: Path) -> None:
    for better, outcome in (("pro", PRO_WINS), ("con", CON_WINS)):
        given = hearing(
            OfflineBackend(),
            tmp_path / better,
            code=code,
            said=one_sided(code, better),
            model="offline/good",
        )
        judged = await judge.judge(given)
        assert judged.verdicts[-1].outcome == outcome
        exchanged = [call for call in given.model.unit.calls if call.task == "advocate.fuse"]
        assert len(exchanged) == 2
