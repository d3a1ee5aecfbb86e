"""The points that an essay makes, five at most, as a model finds them."""

from __future__ import annotations

from importlib.resources import files
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from arena.languages import Language
from arena.llm.model import LanguageModel, schema_of
from arena.prompts import Prompts, quote

#: Points of an essay at most, as in Hu et al. 2024 (arXiv 2406.19643).
MOST = 5

_PROMPTS = Prompts(files("arena.essays") / "prompts")


class Points(BaseModel):
    """The points of an essay, each in a sentence; none where it makes none."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    points: Annotated[list[Annotated[str, Field(pattern=r"\S")]], Field(max_length=MOST)]


async def extract_points(
    text: str, language: Language, model: LanguageModel, *, path: str
) -> list[str]:
    """Ask a model for the points of an essay.

    Raises:
        ContentFault: the model refused, or its answer cannot be read, even after a repair.
    """
    variables = {
        "essay": quote(language.terms["essay"], text),
        "most": str(MOST),
        "schema": schema_of(Points).text(),
    }
    prompt = _PROMPTS.render("points", language.code, variables)
    return list((await model.ask(prompt, Points, path=path)).points)
