"""Forms of the structured answers that several debaters ask for.

The JSON schema of a form, in which its name and its fields stand, is part of requests to models.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from arena.llm.repair import contradiction


class AnswerForm(BaseModel):
    """Base of the structured answers of debaters."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Review(AnswerForm):
    """A reviewer's decision on a draft: accept it, or revise it as suggested."""

    marker: Literal["accept", "revise"]
    suggestions: list[str] = []

    @model_validator(mode="after")
    def _check_suggestions(self) -> Review:
        if self.marker == "revise" and not self.suggestions:
            raise contradiction(
                "no_suggestions", en="`revise` needs suggestions", zh="`revise` 须有 `suggestions`"
            )
        return self


class Reasoned(AnswerForm):
    """A speech after the reasoning that led to it."""

    reasoning: str
    speech: str = Field(pattern=r"\S")
