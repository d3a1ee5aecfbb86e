"""Rounds of pleading before a judge: both advocates at once, then scores and feedback."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from arena.debates.protocol import trim
from arena.debates.transcript import render_transcript
from arena.judge import Hearing
from arena.languages import SIDES, Side, other_side
from arena.llm.concurrency import together
from arena.llm.model import schema_of
from arena.prompts import quote
from judges.methods.advocacy import Advocate
from judges.methods.criteria import Card, prompts
from judges.methods.paired import PAIRED
from judges.methods.setting import setting
from ratings import outcome_of

#: Words of an argument, of the judge's feedback to each side, and of an advocate's own summary.
ARGUMENT, FEEDBACK, HISTORY = 100, 50, 50
#: Each advocate recalls and argues, the judge scores; in the first round nothing is recalled.
CALLS_OF_A_ROUND, CALLS_OF_THE_FIRST = 5, 3


class RoundCard(Card):
    """A score card with what the judge tells each advocate."""

    pro_feedback: str = Field(min_length=1)
    con_feedback: str = Field(min_length=1)


class PairRoundCard(RoundCard):
    """The same of a pair of answers."""

    model_config = PAIRED


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What happened in a round: what each side argued, and the judge's card."""

    number: int
    arguments: dict[Side, str]
    card: RoundCard

    @property
    def outcome(self) -> float:
        """Pro's outcome by the totals."""
        return outcome_of(round(self.card.pro.total - self.card.con.total, 9))

    def feedback(self, side: Side) -> str:
        """What the judge told a side."""
        return self.card.pro_feedback if side == "pro" else self.card.con_feedback


def settled(rounds: Sequence[Round]) -> bool:
    """Whether the last two rounds agree on who is ahead, two exact ties included."""
    return len(rounds) > 1 and rounds[-1].outcome == rounds[-2].outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Court:
    """One hearing with an advocate of each side and a judge.

    Attributes:
        limit: the most rounds there can be; everybody is told.
    """

    hearing: Hearing
    limit: int

    async def hold(self, before: Sequence[Round]) -> Round:
        """The round after those before.

        Raises:
            ContentFault: somebody could not be understood.
            InfrastructureFault: the provider failed for good.
        """
        number = len(before) + 1
        pro, con = await together(*(self._argue(side, before) for side in SIDES))
        arguments: dict[Side, str] = {"pro": pro, "con": con}
        language = self.hearing.language
        form = PairRoundCard if self.hearing.pair else RoundCard
        given = {
            **setting(self.hearing),
            **self._place(number),
            "transcript": render_transcript(self.hearing.speeches, language),
            "earlier": "\n".join(map(self.told, before)) or language.terms["nothing_yet"],
            "pleas": self._pleas(number, arguments),
            "words": str(language.limit(FEEDBACK)),
            "schema": schema_of(form).text(),
        }
        prompt = prompts(self.hearing).render("round", language.code, given)
        card = await self.hearing.model.ask(prompt, form, path=f"round/{number}/judge")
        return Round(number=number, arguments=arguments, card=card)

    def told(self, held: Round) -> str:
        """A round's totals on one line."""
        language = self.hearing.language
        totals = {"pro": held.card.pro.total, "con": held.card.con.total}
        scores = ", ".join(f"{language.sides[side]} {totals[side]:g}" for side in SIDES)
        return f"{self._named(held.number)}: {scores}"

    def pleas(self, rounds: Sequence[Round]) -> str:
        """What was argued in some rounds, as it stands in a prompt."""
        return "\n".join(self._pleas(one.number, one.arguments) for one in rounds)

    async def _argue(self, side: Side, before: Sequence[Round]) -> str:
        advocate = Advocate(hearing=self.hearing, side=side)
        number = len(before) + 1
        known = {name: self.hearing.language.terms["nothing_yet"] for name in _KNOWN}
        if before:
            known = await self._known(advocate, before)
        return await advocate.plead(
            "argue",
            path=f"round/{number}/{side}/argue",
            words=ARGUMENT,
            **self._place(number),
            **known,
        )

    async def _known(self, advocate: Advocate, before: Sequence[Round]) -> dict[str, str]:
        """What an advocate knows of earlier rounds; nothing of the other side's in this one."""
        language, side, last = self.hearing.language, advocate.side, before[-1]
        own = [advocate.quoted(one.arguments[side], self._named(one.number)) for one in before]
        history = await advocate.write(
            "recall",
            path=f"round/{len(before) + 1}/{side}/recall",
            words=HISTORY,
            arguments="\n".join(own),
        )
        heard = trim(last.feedback(side), language.limit(FEEDBACK), language)
        other = Advocate(hearing=self.hearing, side=other_side(side))
        return {
            "history": advocate.quoted(history),
            "feedback": quote(language.terms["feedback"], heard),
            "opposing": other.quoted(last.arguments[other.side], self._named(last.number)),
        }

    def _pleas(self, number: int, arguments: dict[Side, str]) -> str:
        return "\n".join(
            Advocate(hearing=self.hearing, side=side).quoted(arguments[side], self._named(number))
            for side in SIDES
        )

    def _place(self, number: int) -> dict[str, str]:
        return {"round": str(number), "rounds": str(self.limit)}

    def _named(self, number: int) -> str:
        return self.hearing.language.terms["round"].format(number)


_KNOWN = ("history", "feedback", "opposing")
