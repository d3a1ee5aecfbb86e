"""Judges of debates hear pairs of answers alike, in words of their own; and in both orders."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from arena.debates.pairs import answer_speech, hear_pair, judge_both_orders, winner_flipped
from arena.errors import ContentFault, UnparseableReply
from arena.judge import Judge
from arena.languages import SIDES, language
from arena.llm.request import Request
from arena.simulator import OfflineBackend
from judges.methods.criteria import total
from judges.methods.more import More
from judges.methods.single import Single
from ratings import CON_WINS, PRO_WINS, TIE
from tests.support.case_lists import for_every
from tests.support.debate_seats import language_model, paths, quoted, texts
from tests.support.hostile_texts import HOSTILE, outside
from tests.support.one_sided_debates import EMPTY, REASONED
from tests.support.paired_answers import FIRST, JUDGES, SECOND, TASK, comparing, pair, pair_card
from tests.support.score_cards import card
from tests.support.scripted_backend import ScriptedBackend, completion

#: What only a debate has.
OF_DEBATES = re.compile(
    r"\b(?:Pro|Con|debate\w*|speech\w*|motion|sides?)\b|[正反]方|辩论|辩题|发言"
)
LABEL = {"en": "answer", "zh": "回答"}
NAMES = {"en": ("Answer A", "Answer B"), "zh": ("回答甲", "回答乙")}


def _read(request: Request) -> slice:
    """Which of the two a request shows; a judge of `debatrix` reads them one after the other."""
    parts = request.path.split("/")
    if request.task == "judge.panel" or (
        parts[1:] == ["compare"] and "memory" in request.variables
    ):
        return slice(0)
    if request.task == "judge.analyse":
        number = int(parts[-1])
        return slice(0 if "transcript" in request.variables else number - 1, number)
    return slice(2)


@for_every(JUDGES, ["en", "zh"], [False, True])
async def test_a_pair_is_judged_in_its_own_words(
    name: str, code: str, reworded: bool, tmp_path: Path
) -> None:
    judge, calls = JUDGES[name]
    backend = ScriptedBackend(comparing(12, 10))
    judged = await judge.judge(pair(backend, tmp_path, code=code, reworded=reworded))
    assert len(backend.requests) == calls
    outcomes = [verdict.outcome for verdict in judged.verdicts]
    assert outcomes == [PRO_WINS] * len(judge.dimensions)
    for request in backend.requests:
        assert not OF_DEBATES.search(outside(request)), request.path
        if request.task == "advocate.recall":
            continue
        (task,) = quoted(request, {"en": "task", "zh": "任务"}[code])
        assert task.text == TASK
        shown = [(quote.words, quote.text) for quote in quoted(request, LABEL[code])]
        whole = [((NAMES[code][0],), FIRST), ((NAMES[code][1],), SECOND)]
        assert shown == whole[_read(request)]


@for_every(JUDGES.values())
def test_a_pair_is_forecast_as_two_answers(judge: Judge, calls: int) -> None:
    forecasts = judge.forecasts(judge.options, 600, 2, model="house/a")
    ranges = [forecast.calls for _, forecast in forecasts]
    assert sum(low for low, _, _ in ranges) <= calls <= sum(high for _, _, high in ranges)


@for_every(JUDGES)
async def test_the_other_answer_can_win(name: str, tmp_path: Path) -> None:
    judge, calls = JUDGES[name]
    backend = ScriptedBackend(comparing(8, 9))
    judged = await judge.judge(pair(backend, tmp_path))
    assert (judged.verdicts[-1].outcome, len(backend.requests)) == (CON_WINS, calls)
    assert total(judged.verdicts[-1].pro_mark) == pytest.approx(48)


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_comments_name_the_answers(code: str, tmp_path: Path) -> None:
    judged = await Single(Single.Options()).judge(
        pair(ScriptedBackend(comparing()), tmp_path, code=code)
    )
    first, second = NAMES[code]
    assert judged.verdicts[-1].comment == f"Because.\n{first} 72, {second} 60 (/120)"


@pytest.mark.parametrize(
    "message",
    [card(), pair_card(21), json.dumps({"judgement": "A.", "a": {}}), "A wins.", pair_card()[:-2]],
    ids=["a card of a debate", "out of range", "one answer", "prose", "a cut tail"],
)
async def test_an_invalid_card_is_asked_again_and_then_fails(message: str, tmp_path: Path) -> None:
    answers = iter([message, pair_card(8, 9)])
    judged = await Single(Single.Options()).judge(
        pair(ScriptedBackend(lambda _: next(answers)), tmp_path / "mended")
    )
    assert judged.verdicts[-1].outcome == CON_WINS
    failing = ScriptedBackend(lambda _: message)
    with pytest.raises(UnparseableReply):
        await Single(Single.Options()).judge(pair(failing, tmp_path / "failed"))
    assert len(failing.requests) == 2


@pytest.mark.parametrize("winner", ["Pro", "tie", "Answer A", None, ["A"]])
async def test_a_vote_names_a_or_b(winner: object, tmp_path: Path) -> None:
    wrong = json.dumps({"judgement": "So.", "winner": winner})
    backend = ScriptedBackend(comparing(answers={"juror/2": wrong, "juror/3": wrong}))
    with pytest.raises(UnparseableReply):
        await JUDGES["samre with votes"][0].judge(pair(backend, tmp_path))
    assert paths(backend).count("juror/2") == 2


async def test_jurors_of_pairs_are_traced_like_those_of_debates(tmp_path: Path) -> None:
    backend = ScriptedBackend(comparing(8, 9))
    judged = await JUDGES["samre with votes"][0].judge(pair(backend, tmp_path))
    votes = [step for step in judged.trace if step["agent"] == "juror"]
    assert [step["winner"] for step in votes] == ["Con"] * 3
    assert judged.verdicts[-1].comment.endswith("Answer A 0, Answer B 3")


#: What stands outside quotations in the requests of a judge, by its name and `reworded`.
_CALM: dict[tuple[str, bool], list[str]] = {}


async def calm_requests(name: str, folder: Path, reworded: bool) -> list[str]:
    """What a judge is asked about a plain pair, without its quotations."""
    if (name, reworded) not in _CALM:
        backend = ScriptedBackend(comparing())
        await JUDGES[name][0].judge(pair(backend, folder, reworded=reworded))
        _CALM[name, reworded] = [outside(request) for request in backend.requests]
    return _CALM[name, reworded]


@for_every(JUDGES, HOSTILE, [False, True])
async def test_hostile_answers_and_tasks_stay_in_their_quotations(
    name: str, kind: str, reworded: bool, tmp_path: Path
) -> None:
    (judge, calls), text = JUDGES[name], HOSTILE[kind]
    calm = await calm_requests(name, tmp_path / "calm", reworded)
    backend = ScriptedBackend(comparing())
    hostile = tmp_path / "hostile"
    await judge.judge(pair(backend, hostile, texts=(FIRST, text), task=text, reworded=reworded))
    assert len(backend.requests) == calls
    for plain, request in zip(calm, backend.requests, strict=True):
        assert outside(request) == plain
        assert [message.role for message in request.messages] == ["system", "user"]
        if request.task != "advocate.recall":
            assert texts(request, "answer") == [FIRST, text][_read(request)]
            assert texts(request, "task") == [text]


@for_every(JUDGES, ["en", "zh"])
async def test_simulated_judges_prefer_the_answer_that_argues(
    name: str, code: str, tmp_path: Path
) -> None:
    judge, calls = JUDGES[name]
    for first, second, outcome in (
        (REASONED, EMPTY, PRO_WINS),
        (EMPTY, REASONED, CON_WINS),
    ):
        hearing = pair(
            OfflineBackend(),
            tmp_path / str(outcome),
            code=code,
            texts=(first[code], second[code]),
            model="offline/good",
        )
        judged = await judge.judge(hearing)
        assert judged.verdicts[-1].outcome == outcome
        assert len(hearing.model.unit.calls) >= min(calls, 8)


@for_every(HOSTILE)
async def test_a_simulated_judge_reads_any_pair(kind: str, tmp_path: Path) -> None:
    text = HOSTILE[kind]
    hearing = pair(OfflineBackend(), tmp_path, texts=(text, FIRST), task=text, model="offline/weak")
    judged = await JUDGES["samre with votes"][0].judge(hearing)
    assert len(judged.verdicts) == 7


def test_a_pair_stands_in_its_order(tmp_path: Path) -> None:
    spoken = language("en")
    first, second = (answer_speech(side, side, spoken) for side in SIDES)
    with pytest.raises(ValueError, match="the first answer of a pair must be Pro's"):
        hear_pair(
            TASK,
            (second, first),
            language=spoken,
            model=language_model(ScriptedBackend(comparing()), tmp_path),
        )


def preferring(*texts_in_order: str) -> ScriptedBackend:
    """A judge that likes the text named first best, wherever it stands."""

    def script(request: Request) -> str:
        places = [texts_in_order.index(text) for text in texts(request, "answer")]
        return pair_card(*(15 - 3 * place for place in places))

    return ScriptedBackend(script)


async def test_what_wins_in_both_orders_wins(tmp_path: Path) -> None:
    for better, outcome in ((FIRST, PRO_WINS), (SECOND, CON_WINS)):
        worse = FIRST if better == SECOND else SECOND
        backend = preferring(better, worse)
        judged = await judge_both_orders(
            Single(Single.Options()), pair(backend, tmp_path / better[:10])
        )
        assert {verdict.outcome for verdict in judged.verdicts} == {outcome}
        marks = (judged.verdicts[-1].pro_mark, judged.verdicts[-1].con_mark)
        assert sorted(map(total, marks)) == [72, 90]
        assert winner_flipped(judged.trace) is False
        assert paths(backend) == ["order/given/judge", "order/exchanged/judge"]
        assert [texts(request, "answer") for request in backend.requests] == [
            [FIRST, SECOND],
            [SECOND, FIRST],
        ]


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_a_winner_that_flips_is_a_tie_and_both_orders_are_kept(
    code: str, tmp_path: Path
) -> None:
    backend = ScriptedBackend(comparing(12, 10))  # always the one that stands first
    judged = await judge_both_orders(Single(Single.Options()), pair(backend, tmp_path, code=code))
    assert {verdict.outcome for verdict in judged.verdicts} == {TIE}
    overall = judged.verdicts[-1]
    assert total(overall.pro_mark) == total(overall.con_mark) == 66
    assert winner_flipped(judged.trace) is True
    as_asked, exchanged = judged.trace
    assert (as_asked["order"], exchanged["order"]) == ("given", "exchanged")
    assert [verdict["outcome"] for verdict in as_asked["verdicts"]] == [PRO_WINS] * 7
    assert [verdict["outcome"] for verdict in exchanged["verdicts"]] == [CON_WINS] * 7
    first, second = overall.comment.split("\n")[1::2]
    assert first == second == f"{NAMES[code][0]} 72, {NAMES[code][1]} 60 (/120)"
    assert json.loads(json.dumps(judged.trace)) == list(judged.trace)


async def test_a_winner_in_one_order_alone_is_a_tie_that_did_not_flip(tmp_path: Path) -> None:
    answers = {"order/exchanged/judge": pair_card(10, 10)}
    judged = await judge_both_orders(
        Single(Single.Options()), pair(ScriptedBackend(comparing(answers=answers)), tmp_path)
    )
    assert judged.verdicts[-1].outcome == TIE
    assert winner_flipped(judged.trace) is False


async def test_one_order_that_fails_fails_the_ballot(tmp_path: Path) -> None:
    refused = {"order/exchanged/judge": completion("No.", finish="refusal")}
    backend = ScriptedBackend(comparing(answers=refused))
    with pytest.raises(ContentFault):
        await judge_both_orders(More(More.Options()), pair(backend, tmp_path))


async def test_a_jury_sits_in_both_orders(tmp_path: Path) -> None:
    judge, calls = JUDGES["jury"]
    backend = ScriptedBackend(comparing(12, 10))
    judged = await judge_both_orders(judge, pair(backend, tmp_path))
    assert len(backend.requests) == 2 * calls
    assert judged.verdicts[-1].outcome == TIE
    assert [len(step["steps"]) for step in judged.trace] == [3, 3]


def test_one_order_has_nothing_to_flip() -> None:
    assert winner_flipped(()) is None
    assert winner_flipped([{"agent": "juror", "winner": "Pro"}]) is None
