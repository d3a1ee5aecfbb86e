"""The rounds of `mad`: what its debaters and its judge are asked, and what they left behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Literal, TypeVar

import sacrebleu
from pydantic import Field

from arena.debater import Seat, Turn
from arena.debaters.dialogue import Dialogue
from arena.debaters.forms import Form
from arena.languages import Language
from arena.prompts import Prompts
from arena.records import Step

_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "mad")
_STANCES: Mapping[str, float] = {"agree": 0.0, "partly": 0.5, "disagree": 1.0}


class Proposal(Form):
    """The first position of a debate."""

    reasons: str
    speech: str = Field(pattern=r"\S")


class Position(Form):
    """A later position: how far it agrees with the one before, why, and the speech it wants."""

    stance: Literal["agree", "partly", "disagree"]
    reasons: str
    speech: str = Field(pattern=r"\S")


class Verdict(Form):
    """The judge's answer after a round: `supported` is a debater's number, 0 for nobody."""

    reason: str
    settled: bool
    supported: int
    answer: str


class Extraction(Form):
    """The judge's answer from the whole debate."""

    reason: str
    supported: int
    answer: str


_Judged = TypeVar("_Judged", Verdict, Extraction)


class Rounds:
    """One inner debate: its positions so far, and the judge's last answer."""

    def __init__(self, seat: Seat, turn: Turn, *, level: int, models: Mapping[str, str]) -> None:
        self._work = Dialogue(seat, turn, prompts=_PROMPTS, models=models)
        self._level = f"level_{level}"
        self._said: list[tuple[int, str]] = []
        self._disagreement: list[float] = []
        self._answer, self._supported = "", 0

    @property
    def trace(self) -> Sequence[Step]:
        """The steps of the debate."""
        return self._work.trace

    async def play(self, number: int, debaters: int) -> None:
        """One round: every debater in turn. One who can't be understood is passed over."""
        for debater in range(1, debaters + 1):
            found = await self._position(debater)
            if found is None:
                continue
            self._say(debater, number, found)
            stance = found.stance if isinstance(found, Position) else None
            if stance:
                self._disagreement.append(_STANCES[stance])
            self._work.note(
                _agent(debater),
                debater=debater,
                round=number,
                stance=stance,
                diversity=self._diversity(found.speech),
            )

    async def settle(self, number: int) -> bool:
        """Whether the judge, in its discriminative mode, has found the answer.

        A verdict that is empty or cannot be understood does not end the debate.
        """
        found = await self._judged("judge", Verdict) if self._said else None
        if found is None:
            return False
        settled = found.settled and self._take(found.answer, found.supported)
        self._work.note(
            "Judge",
            mode="discriminative",
            round=number,
            settled=settled,
            supported=_agent(found.supported) if self._last(found.supported) else "none",
        )
        return settled

    async def extract(self, number: int) -> None:
        """The judge, in its extractive mode, takes the best answer from the whole debate."""
        found = await self._judged("extract", Extraction) if self._said else None
        if found is None:
            return
        taken = self._take(found.answer, found.supported)
        self._work.note(
            "Judge",
            mode="extractive",
            round=number,
            supported=_agent(self._supported) if taken else "none",
            diversity=self._diversity(self._answer) if taken else None,
        )

    def note_cap(self) -> None:
        """Say in the trace that the rounds were over before anything was settled."""
        self._work.note("protocol", cap="max_rounds")

    def answer(self) -> str:
        """The judge's last answer; where it gave none, the last speech proposed.

        Raises:
            ContentFault: no debater proposed one.
        """
        if not self._said:
            assert self._work.last is not None
            raise self._work.last
        fallback = not self._answer
        text = self._answer or self._said[-1][1]
        shares = self._disagreement
        self._work.note(
            "protocol",
            verdict=_agent(self._supported).lower() if self._supported else "none",
            fallback=fallback,
            disagreement=round(sum(shares) / len(shares), 3) if shares else None,
            diversity=self._diversity(text),
        )
        return text

    async def _position(self, debater: int) -> Proposal | Position | None:
        asked = {"number": str(debater)}
        if not self._said:
            return await self._work.attempt(
                "propose", Proposal, agent=_agent(debater), switch=self._level, **asked
            )
        return await self._work.attempt(
            "argue", Position, agent=_agent(debater), switch=self._level, **asked
        )

    def _say(self, debater: int, number: int, found: Proposal | Position) -> None:
        head = (str(debater), self._work.term("round").format(number))
        if found.reasons.strip():
            self._work.say("Debater", found.reasons, *head)
        self._work.show("draft", found.speech, self._work.term("Debater"), *head)
        self._said.append((debater, found.speech))

    async def _judged(self, name: str, form: type[_Judged]) -> _Judged | None:
        return await self._work.attempt(name, form, agent="Judge")

    def _take(self, answer: str, supported: int) -> bool:
        """Keep an answer of the judge's, or the last speech of the debater whom it supports."""
        text = answer.strip() or self._last(supported)
        if text:
            self._answer = text
            self._supported = supported if self._last(supported) else 0
        return bool(text)

    def _last(self, debater: int) -> str:
        return next((text for one, text in reversed(self._said) if one == debater), "")

    def _diversity(self, text: str) -> float | None:
        return diversity(self._said[0][1], text, self._work.language) if self._said else None


def diversity(initial: str, current: str, language: Language) -> float:
    """How far an answer has moved from the initial one: 100 minus their BLEU, 0 to 100.

    Yin et al. 2020, as Liang et al. 2023 (arXiv 2305.19118) use it; higher is more diverse.

    >>> diversity("The week is long.", "The week is long.", language("en"))
    0.0
    """
    tokenizer = "zh" if language.code == "zh" else "13a"
    score = sacrebleu.sentence_bleu(current, [initial], tokenize=tokenizer).score
    return round(max(0.0, 100.0 - score), 1)


def _agent(debater: int) -> str:
    return "Affirmative" if debater == 1 else "Negative"
