"""Rounds of `more` and `samre` as in their paper (`preset = "paper"`).

Bandi and Harrasse 2024, arXiv 2410.04663, appendices C and E. The second side's advocates read what
the first side's have argued in the same round; advocates of one side plead one after the other and
read each other. The judge scores in one call, with feedback to each side, and gives feedback to
both in another; both calls, like the advocates of `samre` and its jurors, read the arguments,
scores and feedback of all earlier rounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from arena.debates.transcript import render_transcript
from arena.judge import Hearing
from arena.languages import SIDES, Side, other_side
from arena.languages.trim import trim
from arena.llm.request import Form
from arena.llm.schemas import schema_of
from arena.prompts import Prompts, Rendered, quote
from judges.methods.advocacy import DEFENCE, FUSED, Advocate
from judges.methods.rounds import ARGUMENT, FEEDBACK, Court, PairRoundCard, Round, RoundCard
from judges.methods.setting import REASON_WORDS, setting_variables

_PROMPTS = Prompts(files("judges") / "prompts" / "advocates_paper")
#: With an advocate of each side: both argue, and the judge scores and gives feedback.
CALLS_PER_PAPER_ROUND = 4
#: The judge's prompt, by what it scores.
_SCORING = {"defences": "score", "answers": "score_answers"}


def _render(hearing: Hearing, name: str, variables: Mapping[str, str]) -> Rendered:
    """Render a prompt of the paper's way, for a debate or for a pair of answers."""
    setting = setting_variables(hearing)
    shown = {
        "motion": setting["motion"],
        "info_slide": setting["info_slide"],
        "transcript": render_transcript(hearing.speeches, hearing.language),
    }
    flags = frozenset(("pair",) if hearing.pair else ())
    return _PROMPTS.render(name, hearing.language.code, {**shown, **variables}, flags=flags)


async def ask_as_in_paper(
    hearing: Hearing, name: str, form: type[Form], variables: Mapping[str, str], *, path: str
) -> Form:
    """Ask a judge or a juror to fill in a form."""
    rendered = _render(hearing, name, {**variables, "schema": schema_of(form).text()})
    words = hearing.language.limit(REASON_WORDS)
    return await hearing.model.ask(rendered, form, path=path, words=words)


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperCourt(Court):
    """One hearing in the paper's order.

    Attributes:
        heard: whether somebody reads the feedback of the last round, as jurors do.
    """

    heard: bool

    async def hold_round(self, earlier: Sequence[Round]) -> Round:
        """Hear the first side, then the second; then score, and give feedback where it is read."""
        number = len(earlier) + 1
        arguments: dict[Side, str] = {}
        for side in SIDES:
            opposing = self._quote_opposing(other_side(side), arguments, earlier)
            arguments[side] = await self._argue_before(side, earlier, opposing)
        pleas = {
            **self._memory(earlier),
            **self._round_variables(number),
            "pleas": self._quote_arguments(number, arguments),
        }
        card, feedback = await self._score(pleas, number), ""
        if self.heard or number < self.limit:
            feedback = await self._advise(pleas, number)
        return Round(number=number, arguments=arguments, card=card, shared=feedback)

    def quote_rounds(self, rounds: Sequence[Round]) -> str:
        """Quote the arguments of some rounds for a prompt, each with all feedback on them."""
        return "\n".join(
            text
            for held in rounds
            for text in (
                self._quote_arguments(held.number, held.arguments),
                self._quote_all_feedback(held),
            )
        )

    async def _score(self, variables: Mapping[str, str], number: int) -> RoundCard:
        form = PairRoundCard if self.hearing.pair else RoundCard
        asked = {**variables, "words": str(self.hearing.language.limit(FEEDBACK))}
        path = f"round/{number}/judge"
        return await ask_as_in_paper(self.hearing, _SCORING[self.scored], form, asked, path=path)

    async def _advise(self, variables: Mapping[str, str], number: int) -> str:
        """Return the judge's feedback to both sides; empty where it gives none."""
        path = f"round/{number}/feedback"
        advising = self._write("feedback", path, FEEDBACK, variables)
        return await self.absences.attempt(advising, path) or ""

    async def _argue_before(self, side: Side, earlier: Sequence[Round], opposing: str) -> str:
        """Return a side's argument in the next round; if it is missing, that of the round before.

        Args:
            opposing: the other side's last argument, quoted.
        """
        number = len(earlier) + 1
        known = {**self._name(side), "opposing": opposing, "feedback": self._quote_last(earlier)}
        if self.advocates > 1:
            return await self._plead(side, earlier, known)
        path = f"round/{number}/{side}/argue"
        variables = {**known, **self._memory(earlier), **self._round_variables(number)}
        argument = await self.absences.attempt(
            self._write("argue", path, ARGUMENT, variables), path
        )
        if argument is None and not earlier:
            raise self.absences.faults[path]
        return argument or earlier[-1].arguments[side]

    async def _plead(self, side: Side, earlier: Sequence[Round], known: Mapping[str, str]) -> str:
        """Have a team plead, one after the other, and fuse what they wrote."""
        place, advocate = f"round/{len(earlier) + 1}/{side}", self._advocate(side)
        before = [
            advocate.quote(held.arguments[side], self._round_label(held.number)) for held in earlier
        ]
        written: dict[str, str] = {}
        paths = [f"{place}/advocate/{number}" for number in range(1, self.advocates + 1)]
        for number, path in enumerate(paths, start=1):
            own = [advocate.quote(text, name) for name, text in written.items()]
            variables = {
                **known,
                "number": str(number),
                "count": str(self.advocates),
                "history": "\n".join([*before, *own]) or self._nothing_yet,
            }
            text = await self.absences.attempt(
                self._write("defend", path, DEFENCE, variables), path
            )
            written |= {str(number): text} if text else {}
        if not written and not earlier:
            raise self.absences.faults[paths[0]]
        if not written:
            return earlier[-1].arguments[side]
        others = {name: known[name] for name in ("side", "opponent", "feedback")}
        return await self._fuse(advocate, written, others, path=f"{place}/aggregate")

    async def _fuse(
        self, advocate: Advocate, written: Mapping[str, str], known: Mapping[str, str], *, path: str
    ) -> str:
        """Return one defence of several; where nobody fuses them, they stand one after another."""
        language = self.hearing.language
        variables = {
            **known,
            "count": str(len(written)),
            "defences": "\n".join(advocate.quote(text, name) for name, text in written.items()),
        }
        fused = await self.absences.attempt(self._write("fuse", path, FUSED, variables), path)
        return fused or trim("\n\n".join(written.values()), language.limit(FUSED), language)

    async def _write(self, name: str, path: str, words: int, variables: Mapping[str, str]) -> str:
        """Write a text of at most `words` words (in Chinese, of 1.6 times as many characters)."""
        language = self.hearing.language
        limit = language.limit(words)
        rendered = _render(self.hearing, name, {**variables, "words": str(limit)})
        text = await self.hearing.model.write(rendered, path=path, words=limit)
        return trim(text, limit, language)

    def _memory(self, earlier: Sequence[Round]) -> dict[str, str]:
        """Return what is remembered of earlier rounds: arguments and feedback, and the totals."""
        return {
            "memory": self.quote_rounds(earlier) or self._nothing_yet,
            "totals": self.list_totals(earlier) or self._nothing_yet,
        }

    def _quote_last(self, earlier: Sequence[Round]) -> str:
        return self._quote_all_feedback(earlier[-1]) if earlier else self._nothing_yet

    def _quote_all_feedback(self, held: Round) -> str:
        """Quote a round's feedback to each side, which came with the scores, and that to both."""
        language = self.hearing.language
        shared = held.shared or self._nothing_yet
        return "\n".join(
            (
                *(self._quote_feedback(held, side, language.sides[side]) for side in SIDES),
                quote(language.terms["feedback"], shared, self._round_label(held.number)),
            )
        )

    def _quote_opposing(
        self, side: Side, arguments: Mapping[Side, str], earlier: Sequence[Round]
    ) -> str:
        """Quote the last argument of a side: of this round where it has been made, else before."""
        number = len(earlier) + (side in arguments)
        if not number:
            return self._nothing_yet
        argument = arguments.get(side) or earlier[-1].arguments[side]
        return self._advocate(side).quote(argument, self._round_label(number))

    def _name(self, side: Side) -> dict[str, str]:
        sides = self.hearing.language.sides
        return {"side": sides[side], "opponent": sides[other_side(side)]}

    @property
    def _nothing_yet(self) -> str:
        return self.hearing.language.terms["nothing_yet"]
