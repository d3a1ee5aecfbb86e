"""`rerank`: several drafts, of which the one with the highest mark is delivered.

He et al. 2023, arXiv 2305.04118, score translations with a trained estimator. There is none for
speeches, so the model itself gives the marks, also for answers to questions; for translations the
option `estimator` names one that estimates without a reference.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

from pydantic import AfterValidator, Field

from arena.debater import Draft, Seat, Turn
from arena.debaters.agent_dialogue import AgentDialogue, AnswerForm
from arena.debaters.best_of_n import BestOfN, SampleCount, SampleOptions, sample_answers
from arena.debaters.cot import answer_with_reasoning
from arena.debaters.direct import QUESTION_PROMPTS, answer_directly
from arena.translation.estimators import CandidateTranslation, read_estimator, source_of

if TYPE_CHECKING:  # models are called only in a debate
    from arena.llm.model import LanguageModel


def _check_estimator(text: str) -> str:
    if text and read_estimator(text).kind != "comet":
        raise ValueError(
            f"{text!r} compares with a reference, which no debater has. Name a model of COMET "
            "that needs none, such as comet:Unbabel/wmt22-cometkiwi-da"
        )
    return text


#: An estimator as an option of a debater, `comet:MODEL`; empty for none.
EstimatorName = Annotated[str, AfterValidator(_check_estimator)]


#: The estimator of Liang et al. 2023 (arXiv 2305.19118), as one of its authors has published it.
PAPER_ESTIMATOR: Final = "comet:zwhe99/wmt21-comet-qe-da"

#: Length of a mark with its reason, in words; the prompt asks for a reason of at most 30.
_MARK_WORDS = 50


class Options(SampleOptions):
    """Options of `rerank`.

    Attributes:
        estimator: what scores answers in contests of questions, `comet:MODEL`; the participant's
            model if empty. The preset, which samples answers without reasoning, names one.
    """

    later: ClassVar[tuple[str, ...]] = (*SampleOptions.later, "estimator")
    paper: ClassVar[Mapping[str, Any]] = {"estimator": PAPER_ESTIMATOR}
    samples: SampleCount = 4
    estimator: EstimatorName = ""


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
        sample = _answer_plainly if self.options.preset else answer_with_reasoning
        answers = await sample_answers(dialogue, self.options.samples, sample)
        for number, answer in dialogue.usable(answers):
            drafts[number] = answer.text
            dialogue.trace += answer.trace
            if "reasoning" in answer.trace[0]:
                dialogue.add_turn("Writer", str(answer.trace[0]["reasoning"]), str(number))
            dialogue.add_quotation("draft", answer.text, str(number))
        if self.options.estimator and len(drafts) > 1:
            return await choose_by_estimate(dialogue, drafts, self.options.estimator)
        return await self.choose_draft(dialogue, drafts)

    async def choose(self, dialogue: AgentDialogue) -> int:
        """Ask once for the marks of all drafts and return the best one's number."""
        return await mark_drafts(dialogue, self.options.samples)


async def _answer_plainly(seat: Seat, model: LanguageModel, path: str) -> Draft:
    answer = await answer_directly(seat, model, path)
    return Draft(text=answer, trace=[{"agent": "Writer", "marker": "finished"}])


async def mark_drafts(dialogue: AgentDialogue, count: int) -> int:
    """Ask once for the marks of all drafts; return the number of the best (and first) one."""
    length = dialogue.words(_MARK_WORDS * count)
    answer = await dialogue.ask("rate", Marks, agent="Chooser", length=length)
    marks = {mark.draft: mark.mark for mark in answer.marks}
    dialogue.add_step("Chooser", marks={str(draft): marks[draft] for draft in sorted(marks)})
    return min(marks, key=lambda draft: (-marks[draft], draft))


async def choose_by_estimate(
    dialogue: AgentDialogue, drafts: Mapping[int, str], estimator: str
) -> Draft:
    """Return the translation with the highest estimate, of equal ones the first.

    Args:
        dialogue: whose question asks for the translation; the trace gets the estimates.
        drafts: the translations by number, at least one.
        estimator: as `EstimatorName`, not empty.
    """
    trained, source = read_estimator(estimator), source_of(dialogue.seat.motion)
    translations = [CandidateTranslation(source=source, text=text) for text in drafts.values()]
    scores = await asyncio.to_thread(trained.score, translations)
    estimates = dict(zip(drafts, scores, strict=True))
    best = min(estimates, key=lambda draft: (-estimates[draft], draft))
    shown = {str(draft): round(value, 4) for draft, value in estimates.items()}
    dialogue.add_step("Chooser", estimator=trained.label, estimates=shown)
    dialogue.add_step("Chooser", chosen=best, of=len(drafts))
    return Draft(text=drafts[best], trace=dialogue.trace)
