"""One debate or ballot of a class with a simulated model, as packages test themselves."""

from __future__ import annotations

import asyncio

import pytest

from arena.debater import Debater, Draft, Turn
from arena.debaters.direct import Direct
from arena.errors import ContentFault, Refusal
from arena.tournament.tryout import try_debater, try_judge
from judges.methods.single import Single


class Broken(Debater):
    """A debater with a bug."""

    async def speak(self, turn: Turn) -> Draft:
        raise KeyError(turn.stage)


class Refusing(Debater):
    """A debater whose model refuses."""

    async def speak(self, turn: Turn) -> Draft:
        raise Refusal("no")


def test_it_is_the_same_debate_every_time() -> None:
    first, second = (asyncio.run(try_debater(Direct)) for _ in range(2))
    assert [speech.text for speech in first[0].speeches] == [
        speech.text for speech in second[0].speeches
    ]
    assert len(first[0].speeches) == 6 and len(first[1].calls) >= 6


def test_a_bug_and_a_forfeit_are_raised() -> None:
    with pytest.raises(KeyError, match="constructive"):
        asyncio.run(try_debater(Broken))
    with pytest.raises(ContentFault, match="no"):
        asyncio.run(try_debater(Refusing))


def test_a_judge_gives_a_verdict_on_each_of_its_dimensions() -> None:
    judgement, unit = asyncio.run(try_judge(Single))
    assert {verdict.dimension for verdict in judgement.verdicts} == set(
        Single(Single.Options()).dimensions
    )
    assert all(call.path.startswith("run/0/") for call in unit.calls)
