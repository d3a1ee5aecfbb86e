"""Several independent drafts of a speech, and a choice among them.

A draft is `direct`'s speech, sampled anew: debaters that choose differ from it in the choice only.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from arena.debater import Debater, Draft, Forecast, Turn
from arena.debaters.dialogue import Dialogue
from arena.debaters.direct import draft_prompt
from arena.errors import ContentFault
from arena.llm.concurrency import together
from arena.prompts import Prompts
from arena.records import Sampling

#: Prompts of debaters with one writer, who drafts as `direct` does.
PROMPTS = Prompts(files("arena.debaters") / "prompts" / "drafting")


class Choosing(Debater):
    """Drafts side by side, one of which becomes the speech; its options have `samples`.

    A draft that fails (a refusal, nothing said) is left out, and the trace says so. A choice that
    cannot be understood, or names no draft, falls back to the first draft.
    """

    #: Drafts have to differ: Wang et al. 2022 (arXiv 2203.11171) sample at 0.7.
    sampling = Sampling(temperature=0.7)

    async def speak(self, turn: Turn) -> Draft:
        """`samples` drafts at once, then the choice.

        Raises:
            ContentFault: every draft failed, or the choice was refused.
        """
        work = Dialogue(self.seat, turn, prompts=PROMPTS)
        drafts = await self._drafts(turn, work)
        for number, text in drafts.items():
            work.show("draft", text, str(number))
        return await self.settle(work, drafts)

    async def settle(self, work: Dialogue, drafts: Mapping[int, str]) -> Draft:
        """The draft that is chosen from those in the dialogue; one needs no choice.

        Args:
            work: the dialogue.
            drafts: the same by their numbers, at least one.

        Raises:
            ContentFault: the choice was refused.
        """
        first = chosen = next(iter(drafts))
        fallback = False
        if len(drafts) > 1:
            named = await self.choose(work)
            fallback = named not in drafts
            chosen = first if named is None or fallback else named
        work.note("Chooser", chosen=chosen, of=len(drafts), fallback=fallback)
        return Draft(text=drafts[chosen], trace=work.trace)

    @abstractmethod
    async def choose(self, work: Dialogue) -> int | None:
        """The number of the best draft in the dialogue; `None` where the model names none."""

    async def _drafts(self, turn: Turn, work: Dialogue) -> Mapping[int, str]:
        paths = [work.path("Writer") for _ in range(self.options.samples)]
        found = await together(*(self._sample(turn, path) for path in paths))
        for number, (_, fault) in enumerate(found, start=1):
            if fault is None:
                work.note("Writer", marker="finished", draft=number)
            else:
                work.missed("Writer", fault)
        drafts = {n: text for n, (text, fault) in enumerate(found, start=1) if fault is None}
        if work.last is not None and not drafts:
            raise work.last
        return drafts

    async def _sample(self, turn: Turn, path: str) -> tuple[str, ContentFault | None]:
        try:
            return await self.seat.model.write(draft_prompt(self.seat, turn), path=path), None
        except ContentFault as fault:
            return "", fault

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401
        """Per speech the drafts, and a choice where there are several."""
        drafts = options.samples
        calls = 3.0 * (drafts + (drafts > 1))
        speech = words * 1.4
        read = (2 * speech, 3.2 * speech, 5 * speech)
        return Forecast.per_call(
            (3.0 * drafts, calls, calls),
            read=(400 + read[0], 600 + read[1], 1000 + read[2]),
            said=(0.4 * speech, 0.7 * speech, 1.6 * speech),
        )
