"""What the judge of `more` and `samre` scores: the advocates' defences, or what they defend.

In the paper (Bandi and Harrasse 2024, arXiv 2410.04663, section 3 and appendix C.2) the judge
scores the defences. Scoring the sides of the debate, or the answers, themselves is a variant of
this project.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer

Scored: TypeAlias = Literal["defences", "answers"]


#: Both kinds of scores, the paper's first.
SCORED: tuple[Scored, Scored] = ("defences", "answers")


class ScoredOptions(BaseModel):
    """Options of a judge that hears advocates.

    Attributes:
        scores: what the judge scores: the advocates' `defences`, as in the paper, or the `answers`
            themselves (in a debate, the sides' speeches), where a defence only points things out.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    #: Options that benches were stored without: with their default they are left out.
    later_options: ClassVar[tuple[str, ...]] = ("scores",)
    scores: Scored = "answers"

    @model_serializer(mode="wrap")
    def _leave_out_default(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # Benches that were stored before these options existed keep their identity.
        options: dict[str, Any] = serialize(self)
        for name in self.later_options:
            if options[name] == type(self).model_fields[name].default:
                del options[name]
        return options


def read_scored(options: Mapping[str, Any]) -> Scored:
    """Return what a bench scores, from its stored options.

    >>> read_scored({"advocates": 3}), read_scored({"scores": "defences"})
    ('answers', 'defences')
    """
    return "defences" if options.get("scores") == "defences" else "answers"
