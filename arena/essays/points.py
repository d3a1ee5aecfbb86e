"""The points that an essay makes, five at most: taken by a model, or by a rule without one."""

from __future__ import annotations

from importlib.resources import files
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from arena.languages import Language
from arena.llm.model import LanguageModel, schema_of
from arena.prompts import Prompts, quote

#: As Hu et al. 2024 (arXiv 2406.19643) have it.
MOST = 5

_PROMPTS = Prompts(files("arena.essays") / "prompts")


class Points(BaseModel):
    """The points of an essay, each in a sentence; none where it makes none."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    points: Annotated[list[Annotated[str, Field(pattern=r"\S")]], Field(max_length=MOST)]


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
