"""Models that refuse, say nothing, or speak in another language or for both: of every debater.

Whatever a debater is made of, its debate ends as a forfeit that names the fault, and only its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from arena.debater import Debater
from arena.debates.protocol import PlayedDebate, play
from arena.languages import SIDES, Side, other_side
from arena.llm.request import Completion, Request
from arena.plugins import debater_class
from tests.every import for_every
from tests.every_debater import CASES, saying
from tests.scripted import ScriptedBackend, completion
from tests.seats import seats

Model: TypeAlias = Callable[[Request], str | Completion]

ENGLISH = (
    "A shorter week keeps people healthy, because rest prevents the errors that tired staff make; "
    "the trials that were run in offices and in workshops found the same output in fewer hours, "
    "and fewer days of sick leave, so nobody loses and most people gain a great deal from it."
)
CHINESE = (
    "缩短工作周能让人保持健康，因为休息可以避免疲劳造成的失误；"
    "在办公室和车间进行的试点都发现，工时减少而产量不变，病假也更少，"
    "所以没有人吃亏，大多数人都从中受益，社会也因此更加稳定而富有活力。"
)
RIGHT = {"en": ENGLISH, "zh": CHINESE}
BOTH = {"en": f"Pro: {ENGLISH}\nCon: {ENGLISH}", "zh": f"正方：{CHINESE}\n反方：{CHINESE}"}


def refusing(code: str) -> Model:
    return lambda request: completion("I would rather not.", finish="refusal")


def silent(code: str) -> Model:
    return lambda request: ""


def foreign(code: str) -> Model:
    return saying(RIGHT["zh" if code == "en" else "en"])


def two_faced(code: str) -> Model:
    return saying(BOTH[code])


#: What a model does, and the errors by which the forfeit may be called.
BAD: Mapping[str, tuple[Callable[[str], Model], tuple[str, ...]]] = {
    "refuses": (refusing, ("Refusal",)),
    "says nothing": (silent, ("EmptyReply", "UnparseableReply")),
    "speaks another language": (foreign, ("WrongLanguage",)),
    "speaks for both": (two_faced, ("BothSides",)),
}

IN_BOTH: Sequence[tuple[str, Side]] = [("en", "pro"), ("zh", "con")]


async def against(case: str, bad: Model, folder: Path, side: Side, code: str) -> PlayedDebate:
    """A debate in which one side's model is bad, against a plain debater with a good one."""
    good = saying(RIGHT[code])
    backend = ScriptedBackend(
        lambda request: (bad if request.path.startswith(f"{side}/") else good)(request)
    )
    name, options = CASES[case]
    places = seats(backend, folder, code=code)
    debaters: dict[Side, Debater] = {}
    for seat_side in SIDES:
        framework = debater_class(name if seat_side == side else "direct")
        checked = framework.Options.model_validate(options if seat_side == side else {})
        debaters[seat_side] = framework(places[seat_side], checked)
    return await play(debaters)


@for_every(CASES, BAD, IN_BOTH)
async def test_a_bad_model_forfeits_by_the_name_of_its_fault(
    case: str, fault: str, code: str, side: Side, tmp_path: Path
) -> None:
    bad, names = BAD[fault]
    result = await against(case, bad(code), tmp_path, side, code)
    assert (result.status, result.forfeited) == ("forfeit", side)
    assert any(f"constructive: {name}" in result.reason for name in names), result.reason
    assert [speech.side for speech in result.speeches] == [other_side(side)]


@for_every(CASES, IN_BOTH)
async def test_a_good_one_finishes(case: str, code: str, side: Side, tmp_path: Path) -> None:
    result = await against(case, saying(RIGHT[code]), tmp_path, side, code)
    assert result.status == "finished" and len(result.speeches) == 6
    own = {speech.text for speech in result.speeches if speech.side == side}
    assert own == {RIGHT[code]}


@for_every(CASES, IN_BOTH)
async def test_a_speech_that_is_mended_is_noted_in_the_trace(
    case: str, code: str, side: Side, tmp_path: Path
) -> None:
    wrong, right = foreign(code), saying(RIGHT[code])

    def mends(request: Request) -> str | Completion:
        return (right if request.path.endswith("/again") else wrong)(request)

    result = await against(case, mends, tmp_path, side, code)
    assert result.status == "finished"
    for speech in result.speeches:
        if speech.side != side:
            continue
        again = [step for step in speech.trace if step.get("action") == "again"]
        assert [step["fault"] for step in again] == ["WrongLanguage"]
        assert speech.text == RIGHT[code]
