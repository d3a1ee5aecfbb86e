"""`samre`: pleading in rounds, feedback, the stopping rule; who sees what, and who waits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import ContentFault
from arena.judge import Judgement
from arena.languages import SIDES, Side, language, other_side
from arena.llm.request import Completion, Request
from arena.prompts import Quote
from judges.methods.criteria import total
from judges.methods.rounds import Round, RoundCard, is_settled
from judges.methods.samre import Options, Samre
from ratings import CON_WINS, PRO_WINS, TIE
from tests.support.debate_seats import GatheringBackend, paths, quoted, request_at, speeches, texts
from tests.support.hostile_texts import outside
from tests.support.score_cards import card, changed, hearing, round_card, scores
from tests.support.scripted_backend import ScriptedBackend, completion

ALONE = Options(jurors=0)
SPLIT = [(12, 10), (10, 12), (12, 10), (10, 12)]


class Chamber:
    """Advocates say their own path; the judge scores by round; answers by path come first."""

    def __init__(
        self,
        rounds: Sequence[tuple[float, float]] = (),
        answers: dict[str, str | Completion] | None = None,
    ) -> None:
        self.rounds = rounds or [(12, 10)] * 12
        self.answers = answers or {}

    def __call__(self, request: Request) -> str | Completion:
        for key in (f"{request.path}#{request.attempt}", request.path):
            if key in self.answers:
                return self.answers[key]
        if request.task in ("judge.round", "judge.pleas"):
            return round_card(*self.rounds[int(request.path.split("/")[1]) - 1], request.path)
        return f"Said at {request.path}."


async def run(
    chamber: Chamber, folder: Path, options: Options = ALONE, *, code: str = "en"
) -> tuple[Judgement, ScriptedBackend]:
    backend = ScriptedBackend(chamber)
    return await Samre(options).judge(hearing(backend, folder, code=code)), backend


def round_paths(number: int) -> list[str]:
    recalled = [f"round/{number}/{side}/recall" for side in SIDES] if number > 1 else []
    argued = [f"round/{number}/{side}/argue" for side in SIDES]
    return [*recalled, *argued, f"round/{number}/judge"]


async def test_two_rounds_that_agree_are_eight_calls(tmp_path: Path) -> None:
    judged, backend = await run(Chamber(), tmp_path)
    assert paths(backend) == [*round_paths(1), *round_paths(2)]
    assert [one.task for one in backend.requests] == [
        *["advocate.argue"] * 2,
        "judge.round",
        *["advocate.recall"] * 2,
        *["advocate.argue"] * 2,
        "judge.round",
    ]
    assert len(backend.requests) == Samre.forecast(ALONE, 600).calls[0]
    assert judged.trace == (
        {"agent": "judge", "round": 1, "pro": 72.0, "con": 60.0},
        {"agent": "judge", "round": 2, "pro": 72.0, "con": 60.0},
    )


@pytest.mark.parametrize(
    ("rounds", "held"),
    [
        ([(12, 10), (12, 11), (1, 9), (1, 9)], 2),
        ([(10, 12), (9, 12), (12, 1), (12, 1)], 2),
        ([(12, 10), (10, 12), (10, 12), (12, 10)], 3),
        ([(10, 10), (10, 10), (12, 1), (12, 1)], 2),
        ([(10, 10), (12, 10), (11, 10), (1, 10)], 3),
        ([(12, 10), (10, 10), (12, 10), (10, 10)], 4),
        (SPLIT, 4),
    ],
)
async def test_it_stops_when_two_rounds_in_a_row_agree(
    rounds: list[tuple[float, float]], held: int, tmp_path: Path
) -> None:
    judged, backend = await run(Chamber(rounds), tmp_path)
    assert paths(backend) == [path for n in range(1, held + 1) for path in round_paths(n)]
    assert len(judged.trace) == held
    _, all_of_them = await run(
        Chamber(rounds), tmp_path / "all", Options(jurors=0, early_stop=False)
    )
    assert paths(all_of_them) == [path for n in range(1, 5) for path in round_paths(n)]


@given(st.lists(st.tuples(st.integers(1, 20), st.integers(1, 20)), min_size=1, max_size=6))
def test_the_rule_is_that_of_the_paper(given: list[tuple[int, int]]) -> None:
    held = [
        Round(
            number=number,
            arguments={"pro": "", "con": ""},
            card=RoundCard.model_validate_json(round_card(pro, con)),
        )
        for number, (pro, con) in enumerate(given, start=1)
    ]
    difference = [6 * (pro - con) for pro, con in given]
    paper = len(given) > 1 and difference[-1] * difference[-2] > 0
    two_ties = len(given) > 1 and difference[-1] == difference[-2] == 0
    assert is_settled(held) == (paper or two_ties)


async def test_marks_are_the_mean_over_the_rounds(tmp_path: Path) -> None:
    first = changed(round_card(10, 10), "pro", accuracy=20)
    second = changed(round_card(10, 10), "con", accuracy=12, depth=12)
    answers: dict[str, str | Completion] = {"round/1/judge": first, "round/2/judge": second}
    judged, _ = await run(Chamber(answers=answers), tmp_path, Options(jurors=0, rounds=2))
    found = {one.dimension: one for one in judged.verdicts}
    assert (total(found["overall"].pro_mark), total(found["overall"].con_mark)) == (65, 62)
    assert {name: one.outcome for name, one in found.items()} == {
        "relevance": TIE,
        "accuracy": PRO_WINS,
        "depth": CON_WINS,
        "clarity": TIE,
        "reasoning": TIE,
        "effectiveness": TIE,
        "overall": PRO_WINS,
    }
    assert found["overall"].comment.endswith(
        "Pro 65, Con 62 (/120)\nround 1: Pro 70, Con 60\nround 2: Pro 60, Con 64"
    )


async def test_the_mean_decides_not_the_last_round(tmp_path: Path) -> None:
    judged, _ = await run(Chamber([(20, 5), (9, 10), (9, 10)]), tmp_path)
    assert judged.verdicts[-1].outcome == PRO_WINS


@pytest.mark.parametrize("number", [1, 2, 3])
async def test_both_advocates_plead_at_once(number: int, tmp_path: Path) -> None:
    def arguing(request: Request) -> bool:
        return request.path.startswith(f"round/{number}/") and request.path.endswith("/argue")

    backend = GatheringBackend(Chamber(SPLIT), together=2, among=arguing)
    await Samre(ALONE).judge(hearing(backend, tmp_path))
    assert backend.gathered == 2


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("side", SIDES)
async def test_what_an_advocate_sees(side: Side, code: str, tmp_path: Path) -> None:
    _, backend = await run(Chamber(SPLIT), tmp_path, code=code)
    spoken, other = language(code), other_side(side)
    said = [one.text for one in speeches()]
    for number in range(1, 5):
        request = request_at(backend, f"round/{number}/{side}/argue")
        assert texts(request, spoken.terms["speech"]) == said
        assert (request.variables["round"], request.variables["rounds"]) == (str(number), "4")
        assert request.variables["words"] == str(spoken.limit(100))
        assert f"round/{number}/{other}/argue" not in request.text()
        if number == 1:
            assert request.text().count(spoken.terms["nothing_yet"]) == 3
            continue
        last = number - 1
        named = spoken.terms["round"].format(last)
        assert quoted(request, spoken.terms["defence"]) == [
            Quote(
                label=spoken.terms["defence"],
                words=(spoken.sides[side],),
                text=f"Said at round/{number}/{side}/recall.",
            ),
            Quote(
                label=spoken.terms["defence"],
                words=(spoken.sides[other], named),
                text=f"Said at round/{last}/{other}/argue.",
            ),
        ]
        assert texts(request, spoken.terms["feedback"]) == [f"{side}: round/{last}/judge"]
        assert "72" not in outside(request), "scores are the judge's alone"


async def test_an_advocate_sums_up_its_own_arguments_only(tmp_path: Path) -> None:
    _, backend = await run(Chamber(SPLIT), tmp_path)
    for side in SIDES:
        for number in (2, 3, 4):
            request = request_at(backend, f"round/{number}/{side}/recall")
            assert [one.text for one in quoted(request, "defence")] == [
                f"Said at round/{k}/{side}/argue." for k in range(1, number)
            ]
            assert texts(request, "speech") == []
            assert request.variables["words"] == "50"


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_what_the_judge_sees(code: str, tmp_path: Path) -> None:
    _, backend = await run(Chamber(SPLIT), tmp_path, code=code)
    spoken = language(code)
    pro, con = (spoken.sides[side] for side in SIDES)
    for number in range(1, 5):
        request = request_at(backend, f"round/{number}/judge")
        assert texts(request, spoken.terms["speech"]) == [one.text for one in speeches()]
        assert texts(request, spoken.terms["defence"]) == [
            f"Said at round/{number}/{side}/argue." for side in SIDES
        ]
        assert (request.variables["round"], request.variables["rounds"]) == (str(number), "4")
        earlier = [
            f"{spoken.terms['round'].format(k)}: {pro} {6 * a:g}, {con} {6 * b:g}"
            for k, (a, b) in enumerate(SPLIT[: number - 1], start=1)
        ]
        assert request.variables["earlier"] == ("\n".join(earlier) or spoken.terms["nothing_yet"])


async def test_long_words_are_cut_at_a_sentence(tmp_path: Path) -> None:
    long = "Ten words stand in this sentence that goes on so. " * 40
    answers: dict[str, str | Completion] = {
        "round/1/judge": round_card(12, 10, long),
        "round/1/con/argue": long,
        "round/2/pro/recall": long,
    }
    _, backend = await run(Chamber(answers=answers), tmp_path)
    request = request_at(backend, "round/2/pro/argue")
    assert [len(text.split()) for text in texts(request, "defence")] == [50, 100]
    assert len(texts(request, "feedback")[0].split()) <= 50


@pytest.mark.parametrize("given", [{}, {"pro_feedback": "", "con_feedback": ""}])
async def test_scores_without_feedback_count(given: dict[str, str], tmp_path: Path) -> None:
    answers: dict[str, str | Completion] = {"round/1/judge": card(10, 12, **given)}
    judged, backend = await run(Chamber([(10, 12)] * 2, answers), tmp_path)
    assert judged.verdicts[-1].outcome == CON_WINS
    assert not [one for one in backend.requests if one.attempt], "no repair is asked for"
    assert texts(request_at(backend, "round/2/pro/argue"), "feedback") == ["(Nothing yet.)"]
    schema = request_at(backend, "round/1/judge").schema
    assert schema is not None
    fields = ["judgement", "pro_feedback", "con_feedback", "pro", "con"]
    assert list(schema.body["properties"]) == schema.body["required"] == fields


SILENT = pytest.mark.parametrize("answer", [completion("No.", finish="refusal"), ""])


@SILENT
async def test_an_advocate_who_says_nothing_in_a_later_round_keeps_its_argument(
    answer: str | Completion, tmp_path: Path
) -> None:
    _, backend = await run(Chamber(SPLIT, {"round/2/con/argue": answer}), tmp_path)
    assert texts(request_at(backend, "round/2/judge"), "defence") == [
        "Said at round/2/pro/argue.",
        "Said at round/1/con/argue.",
    ]
    assert texts(request_at(backend, "round/3/pro/argue"), "defence")[-1] == (
        "Said at round/1/con/argue."
    )


@SILENT
async def test_an_advocate_without_a_summary_reads_its_own_arguments(
    answer: str | Completion, tmp_path: Path
) -> None:
    judged, backend = await run(Chamber(SPLIT, {"round/3/con/recall": answer}), tmp_path)
    assert texts(request_at(backend, "round/3/con/argue"), "defence") == [
        *(f"Said at round/{number}/con/argue." for number in (1, 2)),
        "Said at round/2/pro/argue.",
    ]
    assert judged.trace[-1]["path"] == "round/3/con/recall"
    assert "round/3/con/recall" in judged.rationale
    assert len([one for one in judged.trace if one["agent"] == "judge"]) == 4


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_defences_may_be_what_is_scored(code: str, tmp_path: Path) -> None:
    options = Options(jurors=0, scores="defences")
    judged, backend = await run(Chamber(SPLIT), tmp_path, options, code=code)
    assert len(judged.trace) == 4
    asked = [request_at(backend, f"round/{number}/judge") for number in range(1, 5)]
    assert {one.task for one in asked} == {"judge.pleas"}
    apart = {"en": "set them further apart", "zh": "比上一轮拉得更开"}[code]
    assert [apart in one.text() for one in asked] == [False, True, True, True]
    criteria = {"en": "applied to the defences, not", "zh": "用于双方的辩护，而不是"}[code]
    pleading = [one for one in backend.requests if one.task == "advocate.argue"]
    assert all(criteria in one.text() for one in [*asked, *pleading])
    _, ours = await run(Chamber(SPLIT), tmp_path / "ours", code=code)
    assert not [one for one in ours.requests if criteria in one.text() or apart in one.text()]


@pytest.mark.parametrize("place", ["round/1/pro/argue", "round/2/judge"])
@SILENT
async def test_whoever_says_nothing_fails_the_ballot(
    place: str, answer: str | Completion, tmp_path: Path
) -> None:
    with pytest.raises(ContentFault):
        await run(Chamber(answers={place: answer}), tmp_path)


def test_totals_are_those_of_the_scores() -> None:
    result = RoundCard.model_validate_json(round_card(20, 1))
    assert (result.pro.total, result.con.total) == (120, 6)
    assert result.pro.model_dump() == scores(20)
