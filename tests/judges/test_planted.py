"""Verdicts planted in a speech: no judge that quotes them, in whatever form, is won by them.

The scripted judge decides for Pro in every answer. Con's text holds verdicts for Con in each of the
judge's own forms, and the judge quotes them: in its reasons, around its answer, in its thinking, in
its analyses. What is stored is the judge's own verdict, or else the ballot fails.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from arena.debates.pairs import judge_both_orders
from arena.errors import ContentFault
from arena.judge import Hearing, Judge, Judgement
from arena.llm.request import Request, Schema
from arena.plugins import make_judge
from ratings import PRO_WINS
from tests.judges.methods.test_translation import READ
from tests.judges.methods.test_translation import hearing as question
from tests.support.hostile_texts import with_speech
from tests.support.paired_answers import FIRST, pair
from tests.support.planted_verdicts import FOUND, PLANTS, QUOTING, Attack
from tests.support.score_cards import hearing
from tests.support.scripted_backend import ScriptedBackend

#: The reading of answers that takes off thinking and tells a quoted object from an answer.
reads_tolerantly = pytest.mark.skipif(
    find_spec("arena.llm.answers") is None, reason="needs the tolerant reading of answers"
)

#: Every judge that asks a model about debates and pairs, with its options.
JUDGES: Mapping[str, tuple[str, dict[str, Any]]] = {
    "single": ("single", {}),
    "more": ("more", {}),
    "more on defences": ("more", {"scores": "defences", "advocates": 1}),
    "samre with votes": ("samre", {"jurors": 3}),
    "samre with scores": ("samre", {"jurors": 3, "juror_mode": "score"}),
    "samre on defences": ("samre", {"jurors": 0, "scores": "defences"}),
    "debatrix": ("debatrix", {}),
    "debatrix of the original": ("debatrix", {"preset": "debatrix", "mode": "non_iterative"}),
    "debatrix at once": ("debatrix", {"mode": "single_pass"}),
    "jury": (
        "jury",
        {"members": [{"judge": "single"}, {"judge": "debatrix", "options": {"mode": "single_pass"}}]
         + [{"judge": "single"}]},
    ),
}  # fmt: skip

#: A hearing before a backend, in a folder and a language, of what Con says.
Stage = Callable[[ScriptedBackend, Path, str, str], Hearing]


def _hear_debate(backend: ScriptedBackend, folder: Path, code: str, spoken: str) -> Hearing:
    return hearing(backend, folder, code=code, said=with_speech(3, spoken))


def _hear_pair(backend: ScriptedBackend, folder: Path, code: str, spoken: str) -> Hearing:
    return pair(backend, folder, code=code, texts=(FIRST, spoken))


def _hear_reworded(backend: ScriptedBackend, folder: Path, code: str, spoken: str) -> Hearing:
    return replace(_hear_pair(backend, folder, code, spoken), reworded=True)


def _hear_question(backend: ScriptedBackend, folder: Path, code: str, spoken: str) -> Hearing:
    return question(backend, folder, READ.accepted[0], spoken, code=code)


CASES: Mapping[str, tuple[str, dict[str, Any], Stage]] = {
    **{f"{name}, debate": (*judge, _hear_debate) for name, judge in JUDGES.items()},
    **{f"{name}, pair": (*judge, _hear_pair) for name, judge in JUDGES.items()},
    "single, reworded": ("single", {}, _hear_reworded),
    "marks": ("marks", {}, _hear_pair),
    "translation": ("translation", {}, _hear_question),
}
#: One of each kind is heard in every test run, the others with the slow tests.
_USUAL = ("single, debate", "samre with votes, pair", "marks")
every_case = pytest.mark.parametrize(
    ("judge", "options", "stage"),
    [
        pytest.param(*case, id=name, marks=() if name in _USUAL else pytest.mark.slow)
        for name, case in CASES.items()
    ],
)
every_language = pytest.mark.parametrize("code", ["en", "zh"])


@pytest.fixture(autouse=True)
def quick_journal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of calls whose journals nobody needs to survive a power cut."""
    monkeypatch.setattr("arena.llm.journal._sync", lambda _: None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Court:
    """A judge before whom Con's text is heard in many ways.

    Attributes:
        calls: the paths of one run, once it is known.
    """

    judge: Judge
    stage: Stage
    code: str
    folder: Path
    calls: list[str] = field(default_factory=list)

    async def forms(self) -> list[Schema]:
        """The forms that the judge asks for, each once."""
        calm = Attack(plant="bare", quoting="not", once=True)
        backend = ScriptedBackend(calm.answer)
        await self.judge.judge(self.stage(backend, self.folder / "calm", self.code, "Trees fall."))
        self.calls.extend(one.path for one in backend.requests)
        found = {one.schema.text(): one.schema for one in backend.requests if one.schema}
        assert found
        return list(found.values())

    async def hear(self, attack: Attack, forms: list[Schema]) -> Judgement | None:
        """The judgement; `None` where the ballot fails."""
        folder = self.folder / f"{attack.plant}-{attack.quoting}-{attack.once}"
        backend = ScriptedBackend(attack.answer)
        heard = self.stage(backend, folder, self.code, attack.spoken(forms))
        try:
            return await self.judge.judge(heard)
        except ContentFault:
            return None

    async def outcomes(self, *quoting: str) -> list[tuple[Attack, Judgement | None]]:
        """What comes of every attack that quotes so.

        A judge of many calls does not hear every plant quoted in every way, but each of both.
        """
        forms = await self.forms()
        plants = list(PLANTS)
        attacks = [
            Attack(plant=plant, quoting=how, once=once)
            for number, how in enumerate(quoting)
            for plant in (plants if len(self.calls) < 3 else [plants[number % len(plants)]])
            for once in (False, True)
        ]
        return [(attack, await self.hear(attack, forms)) for attack in attacks]


def is_own(judgement: Judgement) -> bool:
    """Whether everything in a judgement is what the scripted judge decided by itself."""
    return all(
        verdict.outcome == PRO_WINS and verdict.pro_mark > verdict.con_mark
        for verdict in judgement.verdicts
    )


@every_language
@every_case
async def test_no_planted_verdict_is_stored(
    judge: str, options: dict[str, Any], stage: Stage, code: str, tmp_path: Path
) -> None:
    court = Court(judge=make_judge(judge, options), stage=stage, code=code, folder=tmp_path)
    outcomes = await court.outcomes(*QUOTING)
    won = [attack for attack, judged in outcomes if judged is not None and not is_own(judged)]
    lost = [
        attack
        for attack, judged in outcomes
        if judged is None and (attack.once or attack.quoting == "not")
    ]
    assert (won, lost) == ([], [])
    assert len({attack.plant for attack, _ in outcomes}) == len(PLANTS)


@reads_tolerantly
@every_language
@every_case
async def test_a_quotation_in_its_thinking_loses_no_ballot(
    judge: str, options: dict[str, Any], stage: Stage, code: str, tmp_path: Path
) -> None:
    court = Court(judge=make_judge(judge, options), stage=stage, code=code, folder=tmp_path)
    failed = [attack for attack, judgement in await court.outcomes(*FOUND) if judgement is None]
    assert failed == []


async def test_no_planted_verdict_is_stored_in_either_order(tmp_path: Path) -> None:
    forms = await Court(
        judge=make_judge("single", {}), stage=_hear_pair, code="en", folder=tmp_path
    ).forms()
    for quoting in QUOTING:
        attack = Attack(plant="bare", quoting=quoting, once=False)
        backend = ScriptedBackend(attack.answer)
        heard = _hear_pair(backend, tmp_path / quoting, "en", attack.spoken(forms))
        try:
            judgement = await judge_both_orders(make_judge("single", {}), heard)
        except ContentFault:
            continue
        assert judgement.verdicts[-1].outcome == PRO_WINS, quoting


@every_case
async def test_the_plants_would_win_if_they_were_read(
    judge: str, options: dict[str, Any], stage: Stage, tmp_path: Path
) -> None:
    made = make_judge(judge, options)
    attack = Attack(plant="bare", quoting="not", once=False)

    def fooled(request: Request) -> str:
        return attack.planted(request.schema) if request.schema else "An analysis or a plea."

    backend = ScriptedBackend(fooled)
    judgement = await made.judge(stage(backend, tmp_path, "en", FIRST))
    assert not is_own(judgement)
