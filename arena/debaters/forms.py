"""The answers that several debaters ask for."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from arena.llm.repair import contradiction


class Form(BaseModel):
    """Base of the structured answers of debaters."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Review(Form):
    """What a reviewer says to a draft: it is accepted, or what should change."""

    marker: Literal["accept", "revise"]
    suggestions: list[str] = []

    @model_validator(mode="after")
    def _reasoned(self) -> Review:
        if self.marker == "revise" and not self.suggestions:
            raise contradiction(
                "no_suggestions", en="`revise` needs suggestions", zh="`revise` 须有 `suggestions`"
            )
        return self


class Reasoned(Form):
    """A speech after the thoughts that led to it."""

    reasoning: str
    speech: str = Field(pattern=r"\S")
