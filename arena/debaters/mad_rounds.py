"""The inner debate of `mad`: its rounds, and the answers of its debaters and its judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Literal, TypeVar

import sacrebleu
from pydantic import Field

from arena.debater import Seat, Turn
from arena.debaters.agent_dialogue import AgentDialogue
from arena.debaters.answer_forms import AnswerForm
from arena.debaters.question_answers import QUESTION_PROMPTS
from arena.languages import Language
from arena.prompts import Prompts
from arena.records import Step

_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "mad")
#: How far a position disagrees with the one before it, from 0 to 1.
_DISAGREEMENTS: Mapping[str, float] = {"agree": 0.0, "partly": 0.5, "disagree": 1.0}


class Proposal(AnswerForm):
    """The first position of a debate about a speech."""

    reasons: str
    speech: str = Field(pattern=r"\S")

    @property
    def text(self) -> str:
        """The speech that it proposes."""
        return self.speech


class Position(AnswerForm):
    """A later position: whether it agrees with the one before, why, and the speech it proposes."""

    stance: Literal["agree", "partly", "disagree"]
    reasons: str
    speech: str = Field(pattern=r"\S")

    @property
    def text(self) -> str:
        """The speech that it proposes."""
        return self.speech


class AnswerProposal(AnswerForm):
    """The first position of a debate about a question."""

    reasons: str
    answer: str = Field(pattern=r"\S")

    @property
    def text(self) -> str:
        """The answer that it proposes."""
        return self.answer


class AnswerPosition(AnswerForm):
    """A later position of a debate about a question."""

    stance: Literal["agree", "partly", "disagree"]
    reasons: str
    answer: str = Field(pattern=r"\S")

    @property
    def text(self) -> str:
        """The answer that it proposes."""
        return self.answer


class Verdict(AnswerForm):
    """The judge's answer after a round: `supported` is a debater's number, 0 for nobody."""

    reason: str
    settled: bool
    supported: int
    answer: str


class Extraction(AnswerForm):
    """The judge's answer from the whole debate."""

    reason: str
    supported: int
    answer: str


_Proposed = Proposal | Position | AnswerProposal | AnswerPosition
_JudgeForm = TypeVar("_JudgeForm", Verdict, Extraction)


class InnerDebate:
    """One inner debate: the texts proposed so far, and the judge's last answer.

    Args:
        seat: the side's seat.
        turn: the speech to be made.
        level: disagreement that is asked for, 0 to 3.
        models: model names of the agents that do not use the participant's model.
    """

    def __init__(self, seat: Seat, turn: Turn, *, level: int, models: Mapping[str, str]) -> None:
        self._question = turn.stage == "answer"
        prompts = QUESTION_PROMPTS if self._question else _PROMPTS
        self._dialogue = AgentDialogue(seat, turn, prompts=prompts, models=models)
        self._level = f"level_{level}"
        self._proposals: list[tuple[int, str]] = []  # the debater's number and its text
        self._disagreements: list[float] = []
        self._answer, self._supported = "", 0

    @property
    def trace(self) -> Sequence[Step]:
        """The steps of the debate."""
        return self._dialogue.trace

    async def play_round(self, number: int, debaters: int) -> None:
        """Ask every inner debater for its position; unusable answers are skipped."""
        for debater in range(1, debaters + 1):
            position = await self._ask_debater(debater)
            if position is None:
                continue
            self._add_position(debater, number, position)
            stance = position.stance if isinstance(position, Position | AnswerPosition) else None
            if stance:
                self._disagreements.append(_DISAGREEMENTS[stance])
            self._dialogue.add_step(
                _agent(debater),
                debater=debater,
                round=number,
                stance=stance,
                diversity=self._diversity(position.text),
            )

    async def settle(self, number: int) -> bool:
        """Ask the judge, in its discriminative mode, whether the debate has found the answer.

        An unusable or empty verdict does not end the debate.
        """
        verdict = await self._ask_judge("judge", Verdict)
        if verdict is None:
            return False
        settled = verdict.settled and self._set_answer(verdict.answer, verdict.supported)
        self._dialogue.add_step(
            "Judge",
            mode="discriminative",
            round=number,
            settled=settled,
            supported=_agent(verdict.supported) if self._last_text(verdict.supported) else "none",
        )
        return settled

    async def extract(self, number: int) -> None:
        """Ask the judge, in its extractive mode, for the best answer of the whole debate."""
        extraction = await self._ask_judge("extract", Extraction)
        if extraction is None:
            return
        usable = self._set_answer(extraction.answer, extraction.supported)
        self._dialogue.add_step(
            "Judge",
            mode="extractive",
            round=number,
            supported=_agent(self._supported) if usable else "none",
            diversity=self._diversity(self._answer) if usable else None,
        )

    def add_cap(self) -> None:
        """Add to the trace that the last round did not settle the debate."""
        self._dialogue.add_step("protocol", cap="max_rounds")

    def answer(self) -> str:
        """Return the judge's last answer; where it gave none, the last text proposed.

        Raises:
            ContentFault: no inner debater gave a usable answer.
        """
        if not self._proposals:
            assert self._dialogue.last_fault is not None
            raise self._dialogue.last_fault
        fallback = not self._answer
        text = self._answer or self._proposals[-1][1]
        shares = self._disagreements
        self._dialogue.add_step(
            "protocol",
            verdict=_agent(self._supported).lower() if self._supported else "none",
            fallback=fallback,
            disagreement=round(sum(shares) / len(shares), 3) if shares else None,
            diversity=self._diversity(text),
        )
        return text

    async def _ask_debater(self, debater: int) -> _Proposed | None:
        forms: tuple[type[_Proposed], type[_Proposed]] = (Proposal, Position)
        if self._question:
            forms = (AnswerProposal, AnswerPosition)
        name, form = ("argue", forms[1]) if self._proposals else ("propose", forms[0])
        return await self._dialogue.ask_or_skip(
            name, form, agent=_agent(debater), flag=self._level, number=str(debater)
        )

    def _add_position(self, debater: int, number: int, position: _Proposed) -> None:
        head = (str(debater), self._dialogue.term("round").format(number))
        if position.reasons.strip():
            self._dialogue.add_turn("Debater", position.reasons, *head)
        self._dialogue.add_quotation("draft", position.text, self._dialogue.term("Debater"), *head)
        self._proposals.append((debater, position.text))

    async def _ask_judge(self, name: str, form: type[_JudgeForm]) -> _JudgeForm | None:
        if not self._proposals:
            return None
        return await self._dialogue.ask_or_skip(name, form, agent="Judge")

    def _set_answer(self, answer: str, supported: int) -> bool:
        """Set the judge's answer, or the last text of the debater that it supports.

        Returns:
            False where both are empty.
        """
        text = answer.strip() or self._last_text(supported)
        if text:
            self._answer = text
            self._supported = supported if self._last_text(supported) else 0
        return bool(text)

    def _last_text(self, debater: int) -> str:
        texts = (text for number, text in reversed(self._proposals) if number == debater)
        return next(texts, "")

    def _diversity(self, text: str) -> float | None:
        if not self._proposals:
            return None
        return diversity(self._proposals[0][1], text, self._dialogue.language)


def diversity(initial: str, current: str, language: Language) -> float:
    """Return how far an answer differs from the initial one: 100 minus their BLEU, 0 to 100.

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
