"""`self_reflect`: a draft that the same model criticises and rewrites until it accepts it.

Shinn et al. 2023, "Reflexion", arXiv 2303.11366, as Liang et al. 2023 (arXiv 2305.19118) compare
their debates with it. The cap on the revisions is this project's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from arena.debater import Draft, Forecast, Seat, Turn
from arena.debaters.agent_dialogue import REVIEW_WORDS, AgentDialogue, Review
from arena.debaters.direct import (
    ANSWER_WORDS,
    DRAFT_PROMPTS,
    QUESTION_PROMPTS,
    Answered,
    answer_directly,
    draft_prompt,
)
from arena.debaters.roles import RoleDebater, RoleOptions
from arena.languages import CONTESTS, Contest
from arena.presets import PresetOptions


class Options(RoleOptions, PresetOptions):
    """The cap on critiques, each of which may lead to a rewrite.

    The paper has none; its preset has a high one, so that a draft ends.
    """

    roles = ("writer", "reviewer")
    later: ClassVar[tuple[str, ...]] = (*RoleOptions.later, "preset")
    paper: ClassVar[Mapping[str, Any]] = {"max_revisions": 10}
    max_revisions: int = Field(default=3, ge=0, le=20)


class SelfReflect(RoleDebater):
    """A debater that writes the draft of `direct` and revises it after critiques."""

    Options = Options
    contests: ClassVar[tuple[Contest, ...]] = CONTESTS

    def __init__(self, seat: Seat, options: Any) -> None:  # noqa: ANN401 - an Options
        super().__init__(seat, options)
        self._dialogue: AgentDialogue | None = None

    async def speak(self, turn: Turn) -> Draft:
        """Write a draft (or an answer), then revise it after at most `max_revisions` critiques."""
        seat, most = self.seat, self.options.max_revisions
        prompts = QUESTION_PROMPTS if turn.stage == "answer" else DRAFT_PROMPTS
        dialogue = AgentDialogue(seat, turn, prompts=prompts, roles=self.options)
        model, path = dialogue.model("Writer"), dialogue.next_path("Writer")
        if dialogue.is_question:
            draft = await answer_directly(seat, model, path)
        else:
            self._dialogue = dialogue
            draft = await model.write(draft_prompt(seat, turn), path=path, words=seat.words)
        _share(dialogue, draft)
        dialogue.add_step("Writer", marker="finished", round=0, answer=draft)
        text = await refine(dialogue, draft, max_revisions=most, length=seat.words)
        return Draft(text=text, trace=dialogue.trace)

    async def review(self, text: str, turn: Turn) -> Draft:  # noqa: ARG002 - the stage just made
        """Criticise the shortened speech, and rewrite it at most once."""
        dialogue = self._dialogue
        if dialogue is None or not self.options.max_revisions:
            return Draft(text=text)
        steps = len(dialogue.trace)
        dialogue.add_turn("Writer", text)
        rewrite = await rewrite_once(dialogue, text, place=(1, 1), length=self.seat.words)
        return Draft(text=text if rewrite is None else rewrite, trace=dialogue.trace[steps:])

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - an Options
        """Expect, per speech, a draft, one or more critiques, and a rewrite after most of them."""
        most = options.max_revisions
        calls = tuple(3.0 * (1 + n) for n in (min(1, most), min(3, 2 * most), 2 * most))
        speech = words * 1.4
        return Forecast.per_call(
            calls,
            read=(500 + 2 * speech, 700 + 4 * speech, 1000 + 9 * speech),
            said=(0.4 * speech, 0.7 * speech, 1.5 * speech),
        )


async def refine(
    dialogue: AgentDialogue, draft: str, *, max_revisions: int, length: int, **variables: str
) -> str:
    """Rewrite a draft after critiques, until a critique accepts it or the cap is reached.

    An unusable critique or rewrite ends the work: the draft before it is returned, and the trace
    says so.

    Args:
        dialogue: dialogue whose prompts include `critique` and `revise`, and whose last turn is
            the Writer's draft.
        length: length of a rewrite, in words (characters in Chinese); a short answer has its own.
        variables: further variables of the two prompts.
    """
    for number in range(1, max_revisions + 1):
        place = number, max_revisions
        rewrite = await rewrite_once(dialogue, draft, place=place, length=length, **variables)
        if rewrite is None:
            return draft
        draft = rewrite
    dialogue.add_step("protocol", cap="max_revisions")
    return draft


async def rewrite_once(
    dialogue: AgentDialogue, draft: str, *, place: tuple[int, int], length: int, **variables: str
) -> str | None:
    """Ask for a critique of a draft and rewrite it; None where the draft stands.

    Args:
        place: number of the round and of all rounds; the others are those of `refine`.
    """
    number, rounds = place
    if not dialogue.is_question:
        variables["count"] = str(dialogue.language.count(draft))
    review = await dialogue.attempt(
        dialogue.ask(
            "critique",
            Review,
            agent="Reviewer",
            length=dialogue.words(REVIEW_WORDS),
            round=str(number),
            rounds=str(rounds),
            **variables,
        ),
        agent="Reviewer",
        fallback="the answer stands" if dialogue.is_question else "the draft stands",
    )
    if review is None:
        return None
    dialogue.add_step("Reviewer", round=number, **review.as_step())
    if review.marker == "accept":
        return None
    suggestions = "\n".join(review.suggestions) if dialogue.is_question else review.numbered()
    dialogue.add_turn("Reviewer", f"{dialogue.term('revise')}\n{suggestions}")
    rewrite = await dialogue.attempt(
        _revise(dialogue, length, variables),
        agent="Writer",
        fallback="the last answer stands" if dialogue.is_question else "the last draft stands",
    )
    if rewrite is not None:
        _share(dialogue, rewrite)
        dialogue.add_step("Writer", marker="finished", round=number, answer=rewrite)
    return rewrite


async def _revise(dialogue: AgentDialogue, length: int, variables: dict[str, str]) -> str:
    if not dialogue.is_question:
        return await dialogue.write("revise", agent="Writer", length=length, **variables)
    length = dialogue.words(ANSWER_WORDS)
    return (await dialogue.ask("revise", Answered, agent="Writer", length=length)).answer


def _share(dialogue: AgentDialogue, draft: str) -> None:
    if dialogue.is_question:
        dialogue.add_quotation("draft", draft)
    else:
        dialogue.add_turn("Writer", draft)
