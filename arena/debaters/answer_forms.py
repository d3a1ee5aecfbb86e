"""Forms of the structured answers that several debaters ask for.

The JSON schema of a form, in which its name and its fields stand, is part of requests to models.
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, model_validator

from arena.llm.repair import contradiction

#: How an agent stands to the position or the draft before its own.
Stance: TypeAlias = Literal["agree", "partly", "disagree"]

#: Room for the reasoning before a decision, in words; the prompts ask for at most 60.
REASONING_WORDS: Final = 80
#: Length of a review: its reasoning and at most five suggestions, in words.
REVIEW_WORDS: Final = 400


class AnswerForm(BaseModel):
    """Base of the structured answers of debaters."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Reasoned(AnswerForm):
    """An answer after a short reasoning, which is not delivered; a model may leave it out."""

    reasoning: str = ""


class Review(Reasoned):
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

    def as_step(self) -> dict[str, Any]:
        """Return the fields of a trace's step: the review, and its stance to the draft."""
        stance: Stance = "agree" if self.marker == "accept" else "disagree"
        return {**self.model_dump(mode="json"), "stance": stance}

    def numbered(self) -> str:
        """Return the suggestions as numbered lines."""
        return "\n".join(f"{n}. {text}" for n, text in enumerate(self.suggestions, start=1))
