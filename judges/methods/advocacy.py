"""Advocates: models that defend one side's case before a judge, alone or as a team."""

from __future__ import annotations

from dataclasses import dataclass

from arena.debates.transcript import render_transcript
from arena.judge import Hearing
from arena.languages import Side, other_side
from arena.languages.trim import trim
from arena.llm.concurrency import together
from arena.prompts import quote
from judges.methods.absences import Absences
from judges.methods.criteria import Scored, prompts
from judges.methods.setting import setting_variables


@dataclass(frozen=True, slots=True, kw_only=True)
class Advocate:
    """The advocate of one side at a hearing.

    Attributes:
        scored: what the judge scores, and so by which criteria the advocate is told to plead.
    """

    hearing: Hearing
    side: Side
    scored: Scored = "answers"

    async def plead(self, prompt: str, *, path: str, words: int, **variables: str) -> str:
        """Write a text by a prompt that shows the debate; otherwise like `write`."""
        language = self.hearing.language
        return await self.write(
            prompt,
            path=path,
            words=words,
            **setting_variables(self.hearing),
            transcript=render_transcript(self.hearing.speeches, language),
            opponent=language.sides[other_side(self.side)],
            flags=frozenset(("defences_scored",) if self.scored == "defences" else ()),
            **variables,
        )

    async def write(
        self,
        prompt: str,
        *,
        path: str,
        words: int,
        flags: frozenset[str] = frozenset(),
        **variables: str,
    ) -> str:
        """Write a text of at most `words` words (in Chinese, of 1.6 times as many characters).

        A longer one is cut at the end of a sentence, so that writing more gains nothing.
        """
        language = self.hearing.language
        every_variable = {
            "side": language.sides[self.side],
            "words": str(language.limit(words)),
            **variables,
        }
        rendered = prompts(self.hearing).render(prompt, language.code, every_variable, flags=flags)
        text = await self.hearing.model.write(rendered, path=path, words=language.limit(words))
        return trim(text, language.limit(words), language)

    def quote(self, text: str, *words: str) -> str:
        """Quote a text of this advocate for another prompt; `words` join the side in its label."""
        language = self.hearing.language
        return quote(language.terms["defence"], text, language.sides[self.side], *words)


#: The most words of one advocate's defence, and of the fused one.
DEFENCE, FUSED = 80, 150


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvocateTeam:
    """The advocates of one side.

    Attributes:
        absences: collects those that write nothing.
        place: what stands before the paths of their calls, such as `round/2/`.
    """

    advocate: Advocate
    size: int
    absences: Absences
    place: str = ""

    async def collect(self, prompt: str, **variables: str) -> dict[str, str]:
        """Return the defences that the advocates wrote, by number; the fault where none did."""
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

    async def plead(self, prompt: str, **variables: str) -> str:
        """Return one defence made of those that `collect` returns.

        Where nobody fuses them, they stand one after the other, cut at the same limit.
        """
        defences = await self.collect(prompt, **variables)
        advocate, path = self.advocate, f"{self._place}/aggregate"
        fusing = advocate.plead(
            "fuse",
            path=path,
            words=FUSED,
            count=str(len(defences)),
            defences="\n".join(advocate.quote(text, number) for number, text in defences.items()),
        )
        fused = await self.absences.attempt(fusing, path)
        if fused is not None:
            return fused
        language = advocate.hearing.language
        return trim("\n\n".join(defences.values()), language.limit(FUSED), language)

    @property
    def _place(self) -> str:
        return f"{self.place}{self.advocate.side}"
