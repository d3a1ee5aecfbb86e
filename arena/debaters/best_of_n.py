"""Best of n: several independent drafts of a speech, one of which is chosen.

A draft is the speech that `direct` would deliver, sampled anew: debaters of this kind differ from
`direct` only in the choice.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeAlias

from pydantic import Field

from arena.debater import Draft, Forecast, Seat, Turn
from arena.debaters.agent_dialogue import AgentDialogue, gather_samples
from arena.debaters.direct import DRAFT_PROMPTS, draft_prompt
from arena.debaters.roles import RoleDebater, RoleOptions
from arena.errors import ContentFault, UnparseableReply
from arena.languages import CONTESTS, Contest
from arena.presets import PresetOptions
from arena.records import Sampling

if TYPE_CHECKING:  # models are called only in a debate
    from arena.llm.model import LanguageModel

#: Asks for one answer to a question: from the seat, the model and the call's path.
Sample: TypeAlias = "Callable[[Seat, LanguageModel, str], Awaitable[Draft]]"
SampleCount = Annotated[int, Field(ge=1, le=20)]


class SampleOptions(RoleOptions, PresetOptions):
    """The number of drafts that are sampled, and whether answers are sampled as in the paper."""

    roles = ("writer", "chooser")
    later: ClassVar[tuple[str, ...]] = (*RoleOptions.later, "preset")
    samples: SampleCount = 5


class BestOfN(RoleDebater):
    """Base of debaters that sample drafts at the same time and choose one of them.

    A draft that fails (a refusal, or nothing said) is left out, and the trace says so. Where the
    choice is unusable or names no draft, the first draft is taken.
    """

    Options: ClassVar[type[RoleOptions]] = SampleOptions
    contests: ClassVar[tuple[Contest, ...]] = CONTESTS
    #: Drafts have to differ: Wang et al. 2022 (arXiv 2203.11171) sample at 0.7.
    sampling = Sampling(temperature=0.7)

    async def speak(self, turn: Turn) -> Draft:
        """Sample `samples` drafts of the speech (or of the answer) and choose one."""
        if turn.stage == "answer":
            return await self.answer_question(turn)
        dialogue = AgentDialogue(self.seat, turn, prompts=DRAFT_PROMPTS, roles=self.options)
        prompt, length = draft_prompt(self.seat, turn), self.seat.words
        paths = [dialogue.next_path("Writer") for _ in range(self.options.samples)]
        model = dialogue.model("Writer")
        samples = await gather_samples(
            model.write(prompt, path=path, words=length) for path in paths
        )
        drafts: dict[int, str] = {}
        for number, text in dialogue.usable(samples):
            drafts[number] = text
            dialogue.add_step("Writer", marker="finished", draft=number)
        for number, text in drafts.items():
            dialogue.add_quotation("draft", text, str(number))
        return await self.choose_draft(dialogue, drafts)

    @abstractmethod
    async def answer_question(self, turn: Turn) -> Draft:
        """Sample `samples` answers to a question and choose one."""

    async def choose_draft(self, dialogue: AgentDialogue, drafts: Mapping[int, str]) -> Draft:
        """Return the best draft; a single draft is returned without asking.

        Args:
            drafts: the drafts by number, at least one.
        """
        best = next(iter(drafts))
        if len(drafts) > 1:
            choice = self._choose_known(dialogue, drafts)
            answer = await dialogue.attempt(choice, agent="Chooser", fallback="the first draft")
            best = best if answer is None else answer
        dialogue.add_step("Chooser", chosen=best, of=len(drafts))
        return Draft(text=drafts[best], trace=dialogue.trace)

    @abstractmethod
    async def choose(self, dialogue: AgentDialogue) -> int:
        """Return the number of the best draft in the dialogue.

        Raises:
            ContentFault: the model refused to choose, or its answer was unusable.
        """

    async def _choose_known(self, dialogue: AgentDialogue, drafts: Mapping[int, str]) -> int:
        number = await self.choose(dialogue)
        if number not in drafts:
            raise UnparseableReply(f"there is no draft {number}.")
        return number

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401
        """Expect, per speech, the drafts and a choice where there are several."""
        drafts = options.samples
        calls = 3.0 * (drafts + (drafts > 1))
        speech = words * 1.4
        read = (2 * speech, 3.2 * speech, 5 * speech)
        return Forecast.per_call(
            (3.0 * drafts, calls, calls),
            read=(400 + read[0], 600 + read[1], 1000 + read[2]),
            said=(0.4 * speech, 0.7 * speech, 1.6 * speech),
        )


async def sample_answers(
    dialogue: AgentDialogue, count: int, sample: Sample
) -> list[Draft | ContentFault]:
    """Ask the Writer of a dialogue for several answers at the same time.

    Returns:
        the answers in order; a failed one is represented by its fault.

    Raises:
        ContentFault: all answers failed.
    """
    paths = [dialogue.next_path("Writer") for _ in range(count)]
    model = dialogue.model("Writer")
    answers = await gather_samples(sample(dialogue.seat, model, path) for path in paths)
    faults = [answer for answer in answers if isinstance(answer, ContentFault)]
    if len(faults) == count:
        raise faults[0]
    return answers
