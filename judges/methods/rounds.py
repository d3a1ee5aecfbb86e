"""Rounds of `samre`: both advocates argue, then a judge scores them and gives feedback."""

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
from judges.methods.pair_forms import PAIRED
from judges.methods.setting import setting_variables
from ratings import outcome_of

#: The most words of an argument, of the judge's feedback to a side, and of an advocate's summary
#: of its earlier arguments.
ARGUMENT, FEEDBACK, HISTORY = 100, 50, 50
#: Each advocate recalls and argues, the judge scores; in the first round nothing is recalled.
CALLS_PER_ROUND, CALLS_IN_FIRST_ROUND = 5, 3

#: Variables of an advocate's prompt that show the earlier rounds.
_RECALLED = ("history", "feedback", "opposing")


class RoundCard(Card):
    """A score card with feedback to each advocate."""

    pro_feedback: str = Field(min_length=1)
    con_feedback: str = Field(min_length=1)


class PairRoundCard(RoundCard):
    """A score card of a pair of answers with feedback to each advocate."""

    model_config = PAIRED


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A round: the argument of each side, and the judge's card."""

    number: int
    arguments: dict[Side, str]
    card: RoundCard

    @property
    def outcome(self) -> float:
        """Pro's outcome by the totals."""
        return outcome_of(round(self.card.pro.total - self.card.con.total, 9))

    def feedback(self, side: Side) -> str:
        """Return the judge's feedback to a side."""
        return self.card.pro_feedback if side == "pro" else self.card.con_feedback


def is_settled(rounds: Sequence[Round]) -> bool:
    """Tell whether the last two rounds agree on who is ahead, two exact ties included."""
    return len(rounds) > 1 and rounds[-1].outcome == rounds[-2].outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Court:
    """One hearing with an advocate of each side and a judge.

    Attributes:
        limit: the most rounds; stands in every prompt.
    """

    hearing: Hearing
    limit: int

    async def hold_round(self, earlier: Sequence[Round]) -> Round:
        """Hold the round after some earlier ones.

        Raises:
            ContentFault: the judge or an advocate could not be understood.
            InfrastructureFault: the provider failed for good.
        """
        number = len(earlier) + 1
        pro, con = await together(*(self._argue(side, earlier) for side in SIDES))
        arguments: dict[Side, str] = {"pro": pro, "con": con}
        language = self.hearing.language
        form = PairRoundCard if self.hearing.pair else RoundCard
        variables = {
            **setting_variables(self.hearing),
            **self._round_variables(number),
            "transcript": render_transcript(self.hearing.speeches, language),
            "earlier": "\n".join(map(self.format_totals, earlier)) or language.terms["nothing_yet"],
            "pleas": self._quote_round(number, arguments),
            "words": str(language.limit(FEEDBACK)),
            "schema": schema_of(form).text(),
        }
        prompt = prompts(self.hearing).render("round", language.code, variables)
        card = await self.hearing.model.ask(prompt, form, path=f"round/{number}/judge")
        return Round(number=number, arguments=arguments, card=card)

    def format_totals(self, held: Round) -> str:
        """Format a round's totals on one line."""
        language = self.hearing.language
        totals = {"pro": held.card.pro.total, "con": held.card.con.total}
        scores = ", ".join(f"{language.sides[side]} {totals[side]:g}" for side in SIDES)
        return f"{self._round_label(held.number)}: {scores}"

    def quote_arguments(self, rounds: Sequence[Round]) -> str:
        """Quote the arguments of some rounds for a prompt."""
        return "\n".join(self._quote_round(held.number, held.arguments) for held in rounds)

    async def _argue(self, side: Side, earlier: Sequence[Round]) -> str:
        """Return a side's argument in the round after some earlier ones."""
        advocate = Advocate(hearing=self.hearing, side=side)
        number = len(earlier) + 1
        recalled = {name: self.hearing.language.terms["nothing_yet"] for name in _RECALLED}
        if earlier:
            recalled = await self._recall(advocate, earlier)
        return await advocate.plead(
            "argue",
            path=f"round/{number}/{side}/argue",
            words=ARGUMENT,
            **self._round_variables(number),
            **recalled,
        )

    async def _recall(self, advocate: Advocate, earlier: Sequence[Round]) -> dict[str, str]:
        """Return what an advocate's prompt shows of earlier rounds.

        That is a summary of its own arguments, and the judge's feedback and the other side's
        argument in the last round.
        """
        language, side, last = self.hearing.language, advocate.side, earlier[-1]
        arguments = [
            advocate.quote(held.arguments[side], self._round_label(held.number)) for held in earlier
        ]
        history = await advocate.write(
            "recall",
            path=f"round/{len(earlier) + 1}/{side}/recall",
            words=HISTORY,
            arguments="\n".join(arguments),
        )
        feedback = trim(last.feedback(side), language.limit(FEEDBACK), language)
        opponent = Advocate(hearing=self.hearing, side=other_side(side))
        return {
            "history": advocate.quote(history),
            "feedback": quote(language.terms["feedback"], feedback),
            "opposing": opponent.quote(
                last.arguments[opponent.side], self._round_label(last.number)
            ),
        }

    def _quote_round(self, number: int, arguments: dict[Side, str]) -> str:
        """Quote both sides' arguments of one round for a prompt."""
        label = self._round_label(number)
        return "\n".join(
            Advocate(hearing=self.hearing, side=side).quote(arguments[side], label)
            for side in SIDES
        )

    def _round_variables(self, number: int) -> dict[str, str]:
        return {"round": str(number), "rounds": str(self.limit)}

    def _round_label(self, number: int) -> str:
        return self.hearing.language.terms["round"].format(number)
