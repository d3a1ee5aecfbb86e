"""`rerank`: several drafts, of which the one with the highest mark is delivered.

He et al. 2023, arXiv 2305.04118, score translations with a trained estimator. There is none for
speeches, so the model itself gives the marks, also for answers to questions; for translations the
option `estimator` names one that estimates without a reference.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field, field_validator

from arena.debater import Draft, Turn
from arena.debaters.agent_dialogue import AgentDialogue
from arena.debaters.answer_forms import AnswerForm
from arena.debaters.best_of_n import LEFT_OUT, BestOfN, SampleCount, SampleOptions
from arena.debaters.question_answers import QUESTION_PROMPTS, sample_answers
from arena.errors import ContentFault
from arena.translation.estimators import Translation, read_estimator, source_of

#: Length of a mark with its reason, in words; the prompt asks for a reason of at most 30.
_MARK_WORDS = 50


class Options(SampleOptions):
    """Options of `rerank`.

    Attributes:
        samples: the number of drafts.
        estimator: what scores answers in contests of questions, `comet:MODEL`; the participant's
            model if empty.
    """

    later: ClassVar[tuple[str, ...]] = (*SampleOptions.later, "estimator")
    samples: SampleCount = 4
    estimator: str = ""

    @field_validator("estimator")
    @classmethod
    def _check_estimator(cls, text: str) -> str:
        if text and read_estimator(text).kind != "comet":
            raise ValueError(
                f"{text!r} compares with a reference, which no debater has. Name a model of COMET "
                "that needs none, such as comet:Unbabel/wmt22-cometkiwi-da"
            )
        return text


class Mark(AnswerForm):
    """The mark of one draft, and the reason for it."""

    draft: int
    reason: str
    mark: int = Field(ge=1, le=10)


class Marks(AnswerForm):
    """The marks of all drafts."""

    marks: list[Mark] = Field(min_length=1)


class Rerank(BestOfN):
    """A debater that delivers its draft with the highest mark, of equal ones the first."""

    Options = Options

    async def answer_question(self, turn: Turn) -> Draft:
        """Sample answers with their reasoning, and deliver the one with the highest mark."""
        dialogue = AgentDialogue(self.seat, turn, prompts=QUESTION_PROMPTS, roles=self.options)
        drafts: dict[int, str] = {}
        answers = await sample_answers(dialogue, self.options.samples)
        for number, answer in enumerate(answers, start=1):
            if isinstance(answer, ContentFault):
                dialogue.add_fallback("Writer", LEFT_OUT, answer)
                continue
            drafts[number] = answer.text
            dialogue.trace += answer.trace
            dialogue.add_turn("Writer", str(answer.trace[0]["reasoning"]), str(number))
            dialogue.add_quotation("draft", answer.text, str(number))
        if self.options.estimator and len(drafts) > 1:
            return await self._choose_by_estimate(dialogue, drafts)
        return await self.choose_draft(dialogue, drafts)

    async def _choose_by_estimate(
        self, dialogue: AgentDialogue, drafts: Mapping[int, str]
    ) -> Draft:
        """Return the translation with the highest estimate, of equal ones the first."""
        estimator, source = read_estimator(self.options.estimator), source_of(self.seat.motion)
        translations = [Translation(source=source, text=text) for text in drafts.values()]
        scores = await asyncio.to_thread(estimator.score, translations)
        estimates = dict(zip(drafts, scores, strict=True))
        best = min(estimates, key=lambda draft: (-estimates[draft], draft))
        shown = {str(draft): round(value, 4) for draft, value in estimates.items()}
        dialogue.add_step("Chooser", estimator=estimator.label, estimates=shown)
        dialogue.add_step("Chooser", chosen=best, of=len(drafts))
        return Draft(text=drafts[best], trace=dialogue.trace)

    async def choose(self, dialogue: AgentDialogue) -> int:
        """Ask once for the marks of all drafts and return the best one's number."""
        return await mark_drafts(dialogue, self.options.samples)


async def mark_drafts(dialogue: AgentDialogue, count: int) -> int:
    """Ask once for the marks of all drafts; return the best one's number, of equal ones the first.

    Args:
        dialogue: quotes the drafts.
        count: how many there are at most.

    Raises:
        ContentFault: the model refused to mark them, or its answer was unusable.
    """
    length = dialogue.words(_MARK_WORDS * count)
    answer = await dialogue.ask("rate", Marks, agent="Chooser", length=length)
    marks = {mark.draft: mark.mark for mark in answer.marks}
    dialogue.add_step("Chooser", marks={str(draft): marks[draft] for draft in sorted(marks)})
    return min(marks, key=lambda draft: (-marks[draft], draft))
