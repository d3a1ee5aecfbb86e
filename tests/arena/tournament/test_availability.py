"""Which debates go ahead while nothing is known of their models."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from typing import Any

import pytest

from arena.config.load import parse_config
from arena.config.resolve import resolve
from arena.errors import InfrastructureFault, ProviderRejected
from arena.llm.budget import Budget
from arena.llm.traffic import circuit_breaker
from arena.llm.traffic.traffic import Traffic
from arena.records import Debate
from arena.tournament.availability import DebaterAvailability
from arena.tournament.models import Models
from arena.tournament.paid_work import WorkSlots, WorkTally, work_through
from tests.support.tournaments import bare_debate
from tests.support.virtual_time import now, run_at_once

CONFIGURATION = {
    "tournament": {"name": "scouts", "categories": ["fact"]},
    "participants": [
        {"name": "a", "debater": "direct", "model": "openai/good"},
        {"name": "b", "debater": "direct", "model": "openai/missing"},
        {"name": "c", "debater": "direct", "model": "offline/good"},
        {"name": "d", "debater": "direct", "model": "mistral/elsewhere"},
    ],
    "benches": [{"name": "judge", "judge": "debatrix", "model": "offline/good"}],
}
SPEECH_SECONDS = 10.0


class Field:
    """Debates among three participants, of whose models one may be missing."""

    def __init__(self) -> None:
        resolved = resolve(parse_config(CONFIGURATION, where="x"), where="x")
        self.models = Models(resolved.config, resolved.motions, budget=Budget())
        self.ids = {person.name: person.participant_id for person in resolved.participants}
        self.model = {person.participant_id: person.model for person in resolved.participants}
        self.availability = DebaterAvailability(
            self.models, {person.participant_id: person for person in resolved.participants}
        )
        self.slots = WorkSlots(100)
        self.started: list[tuple[str, float]] = []
        self.speeches: list[str] = []

    def debate(self, pro: str, con: str) -> Debate:
        debate = bare_debate(self.ids[pro], self.ids[con])
        return replace(debate, debate_id=f"{pro}-{con}")

    async def play(self, pro: str, con: str, *, calls: bool = True) -> str:
        """Each side speaks once; a missing model is found out when it is called."""
        debate = self.debate(pro, con)
        try:
            async with self.availability.lead(debate, self.slots):
                self.started.append((debate.debate_id, now()))
                for side in (debate.pro, debate.con):
                    if calls and self.model[side].startswith("openai/"):
                        await self.speak(self.model[side])
        except ProviderRejected:
            return "planned"
        return "played"

    async def speak(self, model: str) -> None:
        async with self.models.gate(model).open():
            if model == "openai/missing":
                await asyncio.sleep(0.5)
                raise ProviderRejected(f"{model}: 404", remedy="model")
            await asyncio.sleep(SPEECH_SECONDS)
            self.speeches.append(model)

    async def play_all(self, pairs: Sequence[tuple[str, str]]) -> list[str]:
        return await asyncio.gather(*(self.play(*pair) for pair in pairs))


class FieldWithAbsence(Field):
    """The address of `openai/good` is away for the first hour of what is played."""

    def __init__(self) -> None:
        super().__init__()
        self.models.traffic = Traffic(clock=now)
        self.ended: list[tuple[str, float]] = []
        self.failures = 0
        self.absence = (0.0, 3600.0)
        self.playing = self.most_playing = 0

    async def speak(self, model: str) -> None:
        while True:
            try:
                async with self.models.gate(model).open():
                    if model == "openai/good" and self.absence[0] <= now() < self.absence[1]:
                        self.failures += 1
                        raise InfrastructureFault("down", kind="unreachable")
                    await asyncio.sleep(SPEECH_SECONDS)
                return
            except InfrastructureFault:
                await asyncio.sleep(1.0)

    async def take(self, pair: tuple[str, str]) -> None:
        debate = self.debate(*pair)
        async with self.availability.lead(debate, self.slots):
            self.playing += 1
            self.most_playing = max(self.playing, self.most_playing)
            for side in (debate.pro, debate.con):
                if not self.model[side].startswith("offline/"):
                    await self.speak(self.model[side])
            self.playing -= 1
        self.ended.append((debate.debate_id, now()))


def run(pairs: Sequence[tuple[str, str]]) -> tuple[Field, list[str]]:
    async def play() -> tuple[Field, list[str]]:
        field = Field()
        return field, await field.play_all(pairs)

    return run_at_once(play())


def test_a_missing_model_is_found_out_before_others_speak_for_nothing() -> None:
    field, outcomes = run([("a", "b"), ("b", "a")] * 8)
    assert outcomes == ["planned"] * 16
    assert field.speeches == ["openai/good"], "one speech of the scout"


@pytest.mark.parametrize("pairs", [[("a", "b")] * 8, [("c", "b")] * 8, [("b", "c")] * 8])
def test_wherever_the_missing_model_sits(pairs: list[tuple[str, str]]) -> None:
    field, outcomes = run(pairs)
    assert outcomes == ["planned"] * 8
    assert len(field.speeches) <= 1


def test_the_others_start_when_their_models_have_answered() -> None:
    field, outcomes = run([("a", "c"), ("c", "a"), ("a", "c")] * 4)
    assert outcomes == ["played"] * 12
    first = [moment for _, moment in field.started].count(0.0)
    assert first == 1
    assert {moment for _, moment in field.started} == {0.0, SPEECH_SECONDS}


def test_a_scout_that_comes_back_without_a_word_hands_on() -> None:
    async def play() -> list[str]:
        field = Field()
        silent = field.play("a", "c", calls=False)  # all of its calls were in the journal
        others = [field.play("a", "c") for _ in range(2)]
        return await asyncio.gather(silent, *others)

    assert run_at_once(play()) == ["played"] * 3


def test_debates_of_an_absent_model_leave_their_seats_to_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(circuit_breaker, "TRY_SECONDS", (5.0, 300.0))
    pairs = [("a", "c"), ("d", "c")] * 40

    async def play() -> FieldWithAbsence:
        field = FieldWithAbsence()
        field.slots = WorkSlots(4)
        await work_through(pairs, field.take, WorkTally(), slots=field.slots)
        return field

    field = run_at_once(play())
    ended = {name: [end for other, end in field.ended if other == name] for name in ("a-c", "d-c")}
    assert [len(ends) for ends in ended.values()] == [40, 40]
    assert max(ended["d-c"]) < 3600.0 < max(ended["a-c"]), "the others did not wait for it"
    assert field.failures < 30


def test_debates_under_way_lend_their_seats_when_their_address_goes_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(circuit_breaker, "TRY_SECONDS", (5.0, 300.0))
    pairs = [("a", "a")] * 8 + [("d", "d")] * 40 + [("a", "d")] * 4

    async def play() -> FieldWithAbsence:
        field = FieldWithAbsence()
        field.absence, field.slots = (25.0, 3600.0), WorkSlots(4)

        work = work_through(pairs, field.take, WorkTally(), slots=field.slots)
        await asyncio.wait_for(work, 10 * 3600)
        assert all([await at_once(field.slots.take()) for _ in range(4)]), "all are given back"
        assert not await at_once(field.slots.take()), "and no more"
        return field

    field = run_at_once(play())
    ended = {name: [end for other, end in field.ended if other == name] for name in ("a-a", "d-d")}
    assert [len(ends) for ends in ended.values()] == [8, 40] and len(field.ended) == 52
    assert max(ended["d-d"]) < 3600.0 < max(ended["a-a"]), "the others did not wait for it"
    assert field.most_playing <= 2 * 4, "as many again as there are slots, at most"


async def at_once(waiting: Coroutine[Any, Any, None]) -> bool:
    try:
        await asyncio.wait_for(waiting, 0.01)
    except TimeoutError:
        return False
    return True


def test_simulated_models_need_no_scout() -> None:
    async def play() -> set[float]:
        field = Field()
        await field.play_all([("c", "c")] * 5)
        return {moment for _, moment in field.started}

    assert run_at_once(play()) == {0.0}
