"""Rounds of `samre`, and of `more` in rounds: both sides argue, and a judge scores them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import ConfigDict

from arena.judge import Hearing, Judgement
from arena.languages import SIDES, Side, other_side
from arena.languages.trim import trim
from arena.llm.concurrency import together
from arena.prompts import quote
from judges.methods.absences import Absences
from judges.methods.advocacy import Advocate, AdvocateTeam
from judges.methods.criteria import Card, Reasons, Scored, ask_for_form, verdicts
from judges.methods.setting import PAIRED
from ratings import outcome_of

#: The most words of an argument, of the judge's feedback to a side, and of an advocate's summary
#: of its earlier arguments.
ARGUMENT, FEEDBACK, HISTORY = 100, 50, 50
#: Each advocate recalls and argues, the judge scores; in the first round nothing is recalled.
CALLS_PER_ROUND, CALLS_IN_FIRST_ROUND = 5, 3

#: Variables of an advocate's prompt that show the earlier rounds.
_RECALLED = ("history", "feedback", "opposing")


#: The judge's prompt, by what it scores.
_PROMPTS = {"answers": "round", "defences": "round_defences"}


class Feedback(Reasons):
    """A judge's reasons and its feedback to each advocate.

    The model is asked for feedback; without it, the scores still count.
    """

    model_config = ConfigDict(
        json_schema_extra=lambda schema: schema.update(required=list(schema["properties"]))
    )
    pro_feedback: str = ""
    con_feedback: str = ""


class RoundCard(Card, Feedback):
    """A score card with feedback to each advocate; the scores come last."""


class PairRoundCard(RoundCard):
    """A score card of a pair of answers with feedback to each advocate."""

    model_config = PAIRED


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A round: the argument of each side, the judge's card, and any feedback to both sides."""

    number: int
    arguments: dict[Side, str]
    card: RoundCard
    shared: str = ""

    @property
    def outcome(self) -> float:
        """Pro's outcome by the totals."""
        return outcome_of(round(self.card.pro.total - self.card.con.total, 9))

    def feedback(self, side: Side) -> str:
        """Return the judge's feedback to a side; empty where it gave none."""
        return self.card.pro_feedback if side == "pro" else self.card.con_feedback


def is_settled(rounds: Sequence[Round]) -> bool:
    """Tell whether the last two rounds agree on who is ahead, two exact ties included."""
    return len(rounds) > 1 and rounds[-1].outcome == rounds[-2].outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Court:
    """One hearing with an advocate of each side and a judge.

    Attributes:
        limit: the most rounds; stands in every prompt.
        absences: collects what the model does not deliver.
        advocates: how many argue for each side in each round; what several write is fused.
    """

    hearing: Hearing
    limit: int
    absences: Absences
    scored: Scored = "answers"
    advocates: int = 1

    async def hold_round(self, earlier: Sequence[Round]) -> Round:
        """Hold the round after some earlier ones."""
        number = len(earlier) + 1
        pro, con = await together(*(self._argue(side, earlier) for side in SIDES))
        arguments: dict[Side, str] = {"pro": pro, "con": con}
        language = self.hearing.language
        card = await ask_for_form(
            self.hearing,
            _PROMPTS[self.scored],
            PairRoundCard if self.hearing.pair else RoundCard,
            {
                **self._round_variables(number),
                "earlier": self.list_totals(earlier) or language.terms["nothing_yet"],
                "pleas": self._quote_arguments(number, arguments),
                "words": str(language.limit(FEEDBACK)),
            },
            path=f"round/{number}/judge",
            flags=frozenset(("later",) if earlier and self.scored == "defences" else ()),
        )
        return Round(number=number, arguments=arguments, card=card)

    def format_totals(self, held: Round) -> str:
        """Format a round's totals on one line."""
        language = self.hearing.language
        totals = {"pro": held.card.pro.total, "con": held.card.con.total}
        scores = ", ".join(f"{language.sides[side]} {totals[side]:g}" for side in SIDES)
        return f"{self._round_label(held.number)}: {scores}"

    def list_totals(self, rounds: Sequence[Round]) -> str:
        """Return the totals of some rounds for a prompt, a line each."""
        return "\n".join(map(self.format_totals, rounds))

    def quote_rounds(self, rounds: Sequence[Round]) -> str:
        """Quote the arguments and the judge's feedback of some rounds for a prompt."""
        sides = self.hearing.language.sides
        return "\n".join(
            text
            for held in rounds
            for text in (
                self._quote_arguments(held.number, held.arguments),
                *(self._quote_feedback(held, side, sides[side]) for side in SIDES),
            )
        )

    async def _argue(self, side: Side, earlier: Sequence[Round]) -> str:
        """Return a side's argument after some earlier rounds; if it is missing, the last one."""
        advocate = self._advocate(side)
        place = f"round/{len(earlier) + 1}/"
        recalled = {name: self.hearing.language.terms["nothing_yet"] for name in _RECALLED}
        if earlier:
            recalled = await self._recall(advocate, earlier)
        variables = {**self._round_variables(len(earlier) + 1), **recalled}
        path = f"{place}{side}/argue"
        if self.advocates > 1:
            team = AdvocateTeam(
                advocate=advocate, size=self.advocates, absences=self.absences, place=place
            )
            arguing = team.plead("argue", **variables)
        else:
            arguing = advocate.plead("argue", path=path, words=ARGUMENT, **variables)
        argument = await self.absences.attempt(arguing, path)
        if argument is None and not earlier:
            raise self.absences.faults[path]
        return argument or earlier[-1].arguments[side]

    async def _recall(self, advocate: Advocate, earlier: Sequence[Round]) -> dict[str, str]:
        """Return what an advocate's prompt shows of earlier rounds.

        That is a summary of its own arguments (or these themselves where it is missing), and the
        judge's feedback and the other side's argument in the last round.
        """
        side, last = advocate.side, earlier[-1]
        arguments = "\n".join(
            advocate.quote(held.arguments[side], self._round_label(held.number)) for held in earlier
        )
        path = f"round/{len(earlier) + 1}/{side}/recall"
        recalling = advocate.write("recall", path=path, words=HISTORY, arguments=arguments)
        history = await self.absences.attempt(recalling, path)
        opponent = self._advocate(other_side(side))
        return {
            "history": arguments if history is None else advocate.quote(history),
            "feedback": self._quote_feedback(last, side),
            "opposing": opponent.quote(
                last.arguments[opponent.side], self._round_label(last.number)
            ),
        }

    def _quote_arguments(self, number: int, arguments: dict[Side, str]) -> str:
        """Quote both sides' arguments of one round for a prompt."""
        label = self._round_label(number)
        return "\n".join(self._advocate(side).quote(arguments[side], label) for side in SIDES)

    def _quote_feedback(self, held: Round, side: Side, *words: str) -> str:
        """Quote the judge's feedback to a side, cut at its limit; `words` stand in the label."""
        language = self.hearing.language
        feedback = trim(held.feedback(side), language.limit(FEEDBACK), language)
        label = (*words, self._round_label(held.number))
        return quote(language.terms["feedback"], feedback or language.terms["nothing_yet"], *label)

    def _advocate(self, side: Side) -> Advocate:
        return Advocate(hearing=self.hearing, side=side, scored=self.scored)

    def _round_variables(self, number: int) -> dict[str, str]:
        return {"round": str(number), "rounds": str(self.limit)}

    def _round_label(self, number: int) -> str:
        return self.hearing.language.terms["round"].format(number)


async def hold_rounds(court: Court, *, early_stop: bool = False) -> list[Round]:
    """Hold as many rounds as the court's limit, or until two in a row agree; like `hold_round`."""
    rounds: list[Round] = []
    while len(rounds) < court.limit and not (early_stop and is_settled(rounds)):
        rounds.append(await court.hold_round(rounds))
    return rounds


def judge_rounds(court: Court, rounds: Sequence[Round]) -> Judgement:
    """Return the judge's own judgement: the mean scores of its rounds."""
    *criteria, overall = verdicts([held.card for held in rounds], court.hearing.language)
    comment = "\n".join([overall.comment, *map(court.format_totals, rounds)])
    return Judgement(
        verdicts=(*criteria, replace(overall, comment=comment)),
        rationale=rounds[-1].card.judgement,
        trace=tuple(
            {
                "agent": "judge",
                "round": held.number,
                "pro": held.card.pro.total,
                "con": held.card.con.total,
            }
            for held in rounds
        ),
    )
