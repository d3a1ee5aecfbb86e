"""Advocates: models that defend one side's case before a judge."""

from __future__ import annotations

from dataclasses import dataclass

from arena.debates.protocol import trim
from arena.debates.transcript import render_transcript
from arena.judge import Hearing
from arena.languages import Side, other_side
from arena.prompts import quote
from judges.methods.criteria import prompts
from judges.methods.scored import Scored
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

        Args:
            prompt: its name among the prompts of the criteria.
            path: of the call.
            words: the limit.
            flags: of the prompt.
            variables: those of the prompt beside the side and the limit.

        Raises:
            ContentFault: the model refused, or wrote nothing.
            InfrastructureFault: the provider failed for good.
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
