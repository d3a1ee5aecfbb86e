"""Several advocates of one side, who plead at the same time, and whose texts are fused into one."""

from __future__ import annotations

from dataclasses import dataclass

from arena.debates.protocol import trim
from arena.llm.concurrency import together
from judges.methods.absences import Absences
from judges.methods.advocacy import Advocate

#: The most words of one advocate's defence, and of the fused one.
DEFENCE, _FUSED = 80, 150


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """The advocates of one side.

    Attributes:
        advocate: any of them.
        size: how many there are.
        absences: collects those that write nothing.
        place: what stands before the paths of their calls, such as `round/2/`.
    """

    advocate: Advocate
    size: int
    absences: Absences
    place: str = ""

    async def collect(self, prompt: str, **variables: str) -> dict[str, str]:
        """Return the defences that the advocates wrote, by their number.

        Args:
            prompt: its name among the prompts of the criteria.
            variables: those of the prompt, the same for all.

        Raises:
            ContentFault: none wrote any.
            InfrastructureFault: the provider failed for good.
        """
        numbers = [str(number) for number in range(1, self.size + 1)]
        paths = {number: f"{self._place}/advocate/{number}" for number in numbers}
        texts = await together(
            *(
                self.absences.attempt(
                    self.advocate.plead(prompt, path=path, words=DEFENCE, **variables), path
                )
                for path in paths.values()
            )
        )
        defences = {number: text for number, text in zip(numbers, texts, strict=True) if text}
        if not defences:
            raise self.absences.faults[paths[numbers[0]]]
        return defences

    async def fuse(self, defences: dict[str, str]) -> str:
        """Return one defence made of several.

        Where nobody fuses them, they stand one after the other, cut at the same limit.

        Raises:
            InfrastructureFault: the provider failed for good.
        """
        advocate, path = self.advocate, f"{self._place}/aggregate"
        fusing = advocate.plead(
            "fuse",
            path=path,
            words=_FUSED,
            count=str(len(defences)),
            defences="\n".join(advocate.quote(text, number) for number, text in defences.items()),
        )
        fused = await self.absences.attempt(fusing, path)
        if fused is not None:
            return fused
        language = advocate.hearing.language
        return trim("\n\n".join(defences.values()), language.limit(_FUSED), language)

    @property
    def _place(self) -> str:
        return f"{self.place}{self.advocate.side}"
