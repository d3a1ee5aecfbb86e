"""The points that an essay makes, five at most: taken by a model, or by a rule without one."""

from __future__ import annotations

from importlib.resources import files
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from arena.languages import Language, sentences
from arena.llm.model import LanguageModel, schema_of
from arena.prompts import Prompts, quote

#: As Hu et al. 2024 (arXiv 2406.19643) have it.
MOST = 5
#: Shorter sentences, in words (Chinese: characters by 1.6), make no point.
_SHORT = 5

_PROMPTS = Prompts(files("arena.essays") / "prompts")


class Points(BaseModel):
    """The points of an essay, each in a sentence; none where it makes none."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    points: Annotated[list[Annotated[str, Field(pattern=r"\S")]], Field(max_length=MOST)]


def leading_sentences(text: str, language: Language) -> list[str]:
    """The first sentence of each paragraph; of fewer than five paragraphs the longest beside them.

    A rule in the place of a reader: it takes sentences as they stand, and nothing else is known
    of them than that they open a paragraph or are long.
    """
    paragraphs = [sentences(one) for one in text.split("\n") if one.strip()]
    told = [
        [one for one in paragraph if language.count(one) >= _SHORT * language.per_word]
        for paragraph in paragraphs
    ]
    first = [paragraph[0] for paragraph in told if paragraph][:MOST]
    others = [one for paragraph in told for one in paragraph[1:]]
    longest = sorted(others, key=language.count, reverse=True)[: MOST - len(first)]
    return [one for paragraph in told for one in paragraph if one in first or one in longest][:MOST]


async def extracted(text: str, language: Language, model: LanguageModel, *, path: str) -> list[str]:
    """The points of an essay as a model finds them.

    Raises:
        ContentFault: it refused, or could not be understood, repair included.
    """
    variables = {
        "essay": quote(language.terms["essay"], text),
        "most": str(MOST),
        "schema": schema_of(Points).text(),
    }
    prompt = _PROMPTS.render("points", language.code, variables)
    return list((await model.ask(prompt, Points, path=path)).points)
