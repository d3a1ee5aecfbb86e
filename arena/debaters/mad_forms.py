"""Forms of the answers in the inner debate of `mad`, about speeches and about questions.

A speech follows its form as plain text; the short answer to a question is a field.
"""

from __future__ import annotations

from pydantic import Field

from arena.debaters.answer_forms import AnswerForm, Stance


class Proposal(AnswerForm):
    """The reasons of the first position."""

    reasons: str = ""


class Position(Proposal):
    """The reasons of a later position, and whether it agrees with the one before."""

    stance: Stance


class AnswerProposal(Proposal):
    """The first position of a debate about a question."""

    answer: str = Field(pattern=r"\S")


class AnswerPosition(Position):
    """A later position of a debate about a question."""

    answer: str = Field(pattern=r"\S")


class Extraction(AnswerForm):
    """The judge's choice from the whole debate: `supported` is a debater's number, 0 for nobody."""

    reason: str = ""
    supported: int


class Verdict(Extraction):
    """The judge's decision after a round: whether the debate is settled."""

    settled: bool


class AnswerExtraction(Extraction):
    """The judge's choice in a debate about a question."""

    answer: str


class AnswerVerdict(Verdict):
    """The judge's decision in a debate about a question."""

    answer: str
