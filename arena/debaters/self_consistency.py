"""`self_consistency`: several drafts, of which the one that agrees most with the rest is delivered.

Wang et al. 2022, "Self-Consistency Improves Chain of Thought Reasoning", arXiv 2203.11171, count
equal answers, as this debater does for questions. Speeches cannot be counted, so the model says
which draft agrees most with the others.
"""

from __future__ import annotations

from collections import Counter

from arena.answers import normalise
from arena.debater import Draft, Turn
from arena.debaters.agent_dialogue import AgentDialogue
from arena.debaters.answer_forms import AnswerForm
from arena.debaters.best_of_n import BestOfN
from arena.debaters.question_answers import sample_answers


class Agreement(AnswerForm):
    """Where the drafts agree, and the number of the draft that agrees most."""

    reason: str
    chosen: int


class SelfConsistency(BestOfN):
    """A debater that chooses among its drafts by agreement, not by quality."""

    async def answer_question(self, turn: Turn) -> Draft:  # noqa: ARG002
        """Sample answers and deliver the most frequent one, of equally frequent ones the first."""
        samples = await sample_answers(self.seat, self.options.samples)
        answers = [answer for answer in samples if isinstance(answer, Draft)]
        votes = Counter(normalise(answer.text) for answer in answers)
        most = max(votes.values())
        winner = next(answer for answer in answers if votes[normalise(answer.text)] == most)
        trace = [step for answer in answers for step in answer.trace]
        return Draft(text=winner.text, trace=[*trace, {"agent": "Chooser", "votes": dict(votes)}])

    async def choose(self, dialogue: AgentDialogue) -> int | None:
        """Ask once which draft agrees most with the others."""
        answer = await dialogue.ask_or_skip("agree", Agreement, agent="Chooser")
        return answer.chosen if answer else None
