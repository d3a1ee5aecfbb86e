"""Advocates: they defend a side's case before a judge, in a prompt of their own side."""

from __future__ import annotations

from dataclasses import dataclass

from arena.debates.protocol import trim
from arena.debates.transcript import render_transcript
from arena.judge import Hearing
from arena.languages import Side, other_side
from arena.prompts import quote
from judges.methods.criteria import prompts
from judges.methods.setting import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Advocate:
    """Whoever speaks for one side at a hearing."""

    hearing: Hearing
    side: Side

    async def plead(self, prompt: str, *, path: str, words: int, **variables: str) -> str:
        """A text on the debate, which its prompt shows; otherwise like `write`."""
        language = self.hearing.language
        return await self.write(
            prompt,
            path=path,
            words=words,
            **setting(self.hearing),
            transcript=render_transcript(self.hearing.speeches, language),
            opponent=language.sides[other_side(self.side)],
            **variables,
        )

    async def write(self, prompt: str, *, path: str, words: int, **variables: str) -> str:
        """A text of at most `words` words (characters in Chinese: 1.6 for a word).

        A longer one is cut at the end of a sentence: whoever writes more gains nothing by it.

        Args:
            prompt: its name among the prompts of the criteria.
            path: of the call.
            words: the limit.
            variables: what the prompt needs beside the side and the limit.

        Raises:
            ContentFault: the model refused, or wrote nothing.
            InfrastructureFault: the provider failed for good.
        """
        language = self.hearing.language
        given = {
            "side": language.sides[self.side],
            "words": str(language.limit(words)),
            **variables,
        }
        rendered = prompts(self.hearing).render(prompt, language.code, given)
        text = await self.hearing.model.write(rendered, path=path)
        return trim(text, language.limit(words), language)

    def quoted(self, text: str, *words: str) -> str:
        """A text of this advocate as it stands in another prompt."""
        language = self.hearing.language
        return quote(language.terms["defence"], text, language.sides[self.side], *words)
