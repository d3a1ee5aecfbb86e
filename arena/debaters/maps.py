"""`maps`: a question is studied from several aspects, each gives an answer, and the best is chosen.

He et al. 2023, "Exploring Human-Like Translation Strategy with Large Language Models", arXiv
2305.04118: multi-aspect prompting and selection. Before a text is translated, its keywords, its
topics and similar examples are written down; each aspect leads to a translation, and one more is
made without any. The paper selects by a trained estimate of quality, or by asking the model; here
the model marks the candidates, as in `rerank`, unless the option `estimator` names a trained one.
The prompts serve questions that ask for something else as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, Literal, TypeAlias

from pydantic import Field, field_validator

from arena.answers import normalise
from arena.debater import Draft, Forecast, Turn
from arena.debaters.agent_dialogue import AgentDialogue, AnswerForm, gather_samples
from arena.debaters.best_of_n import BestOfN
from arena.debaters.direct import ANSWER_WORDS, QUESTION_PROMPTS, Answered, question_prompt
from arena.debaters.rerank import PAPER_ESTIMATOR, EstimatorName, choose_by_estimate, mark_drafts
from arena.debaters.roles import RoleOptions
from arena.errors import ContentFault
from arena.languages import Contest
from arena.presets import PresetOptions
from arena.prompts import quote
from arena.records import Sampling

#: What a question is studied for, in the order of the paper.
Aspect: TypeAlias = Literal["keywords", "topics", "demonstrations"]
#: Room for the notes on one aspect, in words.
_NOTES_WORDS: Final = 150


class Keyword(AnswerForm):
    """A phrase of the question, and what it means in its place."""

    source: str
    meaning: str


class Keywords(AnswerForm):
    """The phrases on which the answer hangs."""

    keywords: list[Keyword]


class Topics(AnswerForm):
    """What the question deals with."""

    topics: list[str]


class Example(AnswerForm):
    """A similar question with its answer, or a similar text with its translation."""

    question: str
    answer: str


class Demonstrations(AnswerForm):
    """Similar examples."""

    demonstrations: list[Example]


#: The form of the notes on an aspect, and one of them as a line.
_FORMS: Mapping[Aspect, tuple[type[AnswerForm], str]] = {
    "keywords": (Keywords, "{0.source} = {0.meaning}"),
    "topics": (Topics, "{0}"),
    "demonstrations": (Demonstrations, "{0.question} => {0.answer}"),
}


class Options(RoleOptions, PresetOptions):
    """Options of `maps`.

    Attributes:
        estimator: what chooses among translations, `comet:MODEL`; the chooser if empty. The preset
            names one.
    """

    roles = ("analyst", "writer", "chooser")
    later: ClassVar[tuple[str, ...]] = (*RoleOptions.later, "estimator", "preset")
    paper: ClassVar[Mapping[str, Any]] = {"estimator": PAPER_ESTIMATOR}
    estimator: EstimatorName = ""
    aspects: tuple[Aspect, ...] = Field(default=tuple(_FORMS), min_length=1)

    @field_validator("aspects")
    @classmethod
    def _check_repeats(cls, aspects: tuple[Aspect, ...]) -> tuple[Aspect, ...]:
        if len(set(aspects)) < len(aspects):
            raise ValueError("an aspect is listed twice")
        return aspects


class Maps(BestOfN):
    """A debater for translations and other questions: study, several answers, selection."""

    Options = Options
    contests: ClassVar[tuple[Contest, ...]] = ("question",)
    sampling = Sampling(temperature=0.0)

    async def answer_question(self, turn: Turn) -> Draft:
        """Study the question, answer it with the notes on each aspect and without, and choose.

        Notes that cannot be used lead to no answer; answers that cannot are left out.
        """
        dialogue = AgentDialogue(self.seat, turn, prompts=QUESTION_PROMPTS, roles=self.options)
        notes = await self._study(dialogue)
        drafts = await self._answer(dialogue, notes)
        if len({normalise(text) for text in drafts.values()}) == 1:
            drafts = dict([next(iter(drafts.items()))])
        if self.options.estimator and len(drafts) > 1:
            return await choose_by_estimate(dialogue, drafts, self.options.estimator)
        return await self.choose_draft(dialogue, drafts)

    async def choose(self, dialogue: AgentDialogue) -> int:
        """Ask once for the marks of all answers and return the best one's number."""
        return await mark_drafts(dialogue, 1 + len(self.options.aspects))

    async def _study(self, dialogue: AgentDialogue) -> Mapping[str, Sequence[str]]:
        """Ask for the notes on all aspects at the same time; return those that have any."""
        aspects: Sequence[Aspect] = self.options.aspects
        forms = [(aspect, _FORMS[aspect]) for aspect in aspects]
        model, length = dialogue.model("Analyst"), dialogue.words(_NOTES_WORDS)
        results = await gather_samples(
            model.ask(
                question_prompt(self.seat, aspect, form),
                form,
                path=dialogue.next_path("Analyst"),
                words=length,
            )
            for aspect, (form, _) in forms
        )
        notes: dict[str, Sequence[str]] = {}
        for aspect, result in zip(aspects, results, strict=True):
            if isinstance(result, ContentFault):
                dialogue.add_fallback("Analyst", f"no notes on {aspect}", result)
                continue
            lines = [_FORMS[aspect][1].format(note) for note in getattr(result, aspect)]
            lines = [line for line in lines if line.strip()]
            dialogue.add_step("Analyst", aspect=aspect, notes=lines)
            if lines:
                notes[aspect] = lines
        return notes

    async def _answer(
        self, dialogue: AgentDialogue, notes: Mapping[str, Sequence[str]]
    ) -> dict[int, str]:
        """Ask for an answer without notes, and one with each aspect's; return them by number."""
        materials = [quote(dialogue.term("material"), "\n".join(lines)) for lines in notes.values()]
        prompts = [question_prompt(self.seat, "plain", Answered)] + [
            question_prompt(self.seat, "informed", Answered, material=material)
            for material in materials
        ]
        model, length = dialogue.model("Writer"), dialogue.words(ANSWER_WORDS)
        results = await gather_samples(
            model.ask(prompt, Answered, path=dialogue.next_path("Writer"), words=length)
            for prompt in prompts
        )
        aspects, drafts = ["plain", *notes], {}
        for number, result in dialogue.usable(results):
            aspect, drafts[number] = aspects[number - 1], result.answer
            if aspect in notes:
                dialogue.add_turn("Analyzer", "\n".join(notes[aspect]), str(number))
            dialogue.add_quotation("draft", result.answer, str(number))
            dialogue.add_step("Writer", draft=number, aspect=aspect, answer=result.answer)
        return drafts

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401, ARG003 - an Options
        """Expect the notes, an answer more than there are aspects, and most often a choice."""
        aspects = len(options.aspects)
        calls = float(2 * aspects + 1)
        return Forecast.per_call(
            (calls, calls + 0.7, calls + 1),
            read=(200, 350, 900),
            said=(20, 80, 300),
        )
