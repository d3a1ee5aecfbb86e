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
_QUESTIONS = Prompts(files("arena.debaters") / "prompts" / "answering")
_STANCES: Mapping[str, float] = {"agree": 0.0, "partly": 0.5, "disagree": 1.0}


class Proposal(Form):
    """The first position of a debate."""

    reasons: str
    speech: str = Field(pattern=r"\S")

    @property
    def text(self) -> str:
        """What it would have delivered."""
        return self.speech


class Position(Form):
    """A later position: how far it agrees with the one before, why, and the speech it wants."""

    stance: Literal["agree", "partly", "disagree"]
    reasons: str
    speech: str = Field(pattern=r"\S")

    @property
    def text(self) -> str:
        """What it would have delivered."""
        return self.speech


class AnswerProposal(Form):
    """The first position of a debate about a question."""

    reasons: str
    answer: str = Field(pattern=r"\S")

    @property
    def text(self) -> str:
        """What it would have delivered."""
        return self.answer


class AnswerPosition(Form):
    """A later position of a debate about a question."""

    stance: Literal["agree", "partly", "disagree"]
    reasons: str
    answer: str = Field(pattern=r"\S")

    @property
    def text(self) -> str:
        """What it would have delivered."""
        return self.answer


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


_Spoken = Proposal | Position | AnswerProposal | AnswerPosition
_Judged = TypeVar("_Judged", Verdict, Extraction)


class Rounds:
    """One inner debate: its positions so far, and the judge's last answer."""

    def __init__(self, seat: Seat, turn: Turn, *, level: int, models: Mapping[str, str]) -> None:
        self._question = turn.stage == "answer"
        prompts = _QUESTIONS if self._question else _PROMPTS
        self._work = Dialogue(seat, turn, prompts=prompts, models=models)
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
            stance = found.stance if isinstance(found, Position | AnswerPosition) else None
            if stance:
                self._disagreement.append(_STANCES[stance])
            self._work.note(
                _agent(debater),
                debater=debater,
                round=number,
                stance=stance,
                diversity=self._diversity(found.text),
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

    async def _position(self, debater: int) -> _Spoken | None:
        forms: tuple[type[_Spoken], type[_Spoken]] = (Proposal, Position)
        if self._question:
            forms = (AnswerProposal, AnswerPosition)
        name, form = ("argue", forms[1]) if self._said else ("propose", forms[0])
        return await self._work.attempt(
            name, form, agent=_agent(debater), switch=self._level, number=str(debater)
        )

    def _say(self, debater: int, number: int, found: _Spoken) -> None:
        head = (str(debater), self._work.term("round").format(number))
        if found.reasons.strip():
            self._work.say("Debater", found.reasons, *head)
        self._work.show("draft", found.text, self._work.term("Debater"), *head)
        self._said.append((debater, found.text))

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

    >>> from arena.languages import ENGLISH
    >>> diversity("The week is long.", "The week is long.", ENGLISH)
    0.0
    """
    tokenizer = "zh" if language.code == "zh" else "13a"
    score = sacrebleu.sentence_bleu(current, [initial], tokenize=tokenizer).score
    return round(max(0.0, 100.0 - score), 1)


def _agent(debater: int) -> str:
    return "Affirmative" if debater == 1 else "Negative"
