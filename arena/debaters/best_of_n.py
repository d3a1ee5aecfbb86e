"""Best of n: several independent drafts of a speech, one of which is chosen.

A draft is the speech that `direct` would deliver, sampled anew: debaters of this kind differ from
`direct` only in the choice.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from importlib.resources import files
from typing import Annotated, Any, ClassVar, Final

from pydantic import Field

from arena.debater import Draft, Forecast, Turn
from arena.debaters.agent_dialogue import AgentDialogue
from arena.debaters.direct import draft_prompt
from arena.debaters.roles import RoleDebater, RoleOptions
from arena.debaters.samples import gather_samples
from arena.errors import ContentFault, UnparseableReply
from arena.languages import CONTESTS, Contest
from arena.prompts import Prompts
from arena.records import Sampling

#: Prompts of debaters with a single writer, whose drafts are those of `direct`.
DRAFT_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "drafting")

LEFT_OUT: Final = "the draft is left out"
SampleCount = Annotated[int, Field(ge=1, le=20)]


class SampleOptions(RoleOptions):
    """The number of drafts that are sampled."""

    roles = ("writer", "chooser")
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
        """Sample `samples` drafts of the speech (or of the answer) and choose one.

        Raises:
            ContentFault: every draft failed.
        """
        if turn.stage == "answer":
            return await self.answer_question(turn)
        dialogue = AgentDialogue(self.seat, turn, prompts=DRAFT_PROMPTS, roles=self.options)
        drafts = await self._sample_drafts(turn, dialogue)
        for number, text in drafts.items():
            dialogue.add_quotation("draft", text, str(number))
        return await self.choose_draft(dialogue, drafts)

    @abstractmethod
    async def answer_question(self, turn: Turn) -> Draft:
        """Sample `samples` answers to a question and choose one."""

    async def choose_draft(self, dialogue: AgentDialogue, drafts: Mapping[int, str]) -> Draft:
        """Return the best draft; a single draft is returned without asking.

        Args:
            dialogue: the dialogue, which quotes the drafts.
            drafts: the drafts by number, at least one.
        """
        best = next(iter(drafts))
        if len(drafts) > 1:
            choice = self._choose_among(dialogue, drafts)
            answer = await dialogue.attempt(choice, agent="Chooser", fallback="the first draft")
            best = best if answer is None else answer
        dialogue.add_step("Chooser", chosen=best, of=len(drafts))
        return Draft(text=drafts[best], trace=dialogue.trace)

    async def _choose_among(self, dialogue: AgentDialogue, drafts: Mapping[int, str]) -> int:
        number = await self.choose(dialogue)
        if number not in drafts:
            raise UnparseableReply(f"there is no draft {number}.")
        return number

    @abstractmethod
    async def choose(self, dialogue: AgentDialogue) -> int:
        """Return the number of the best draft in the dialogue.

        Raises:
            ContentFault: the model refused to choose, or its answer was unusable.
        """

    async def _sample_drafts(self, turn: Turn, dialogue: AgentDialogue) -> Mapping[int, str]:
        prompt = draft_prompt(self.seat, turn)
        paths = [dialogue.next_path("Writer") for _ in range(self.options.samples)]
        model, length = dialogue.model("Writer"), self.seat.words
        samples = await gather_samples(
            model.write(prompt, path=path, words=length) for path in paths
        )
        drafts: dict[int, str] = {}
        for number, sample in enumerate(samples, start=1):
            if isinstance(sample, ContentFault):
                dialogue.add_fallback("Writer", LEFT_OUT, sample)
            else:
                drafts[number] = sample
                dialogue.add_step("Writer", marker="finished", draft=number)
        if dialogue.last_fault is not None and not drafts:
            raise dialogue.last_fault
        return drafts

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
