"""`self_consistency`: several drafts, of which the one that agrees most with the rest is delivered.

Wang et al. 2022, "Self-Consistency Improves Chain of Thought Reasoning", arXiv 2203.11171, count
equal answers, as this debater does for questions. Speeches cannot be counted, so the model says
which draft agrees most with the others.
"""

from __future__ import annotations

from collections import Counter
from functools import partial

from arena.answers import normalise
from arena.debater import Draft, Turn
from arena.debaters.agent_dialogue import REASONING_WORDS, AgentDialogue, AnswerForm
from arena.debaters.best_of_n import BestOfN, sample_answers
from arena.debaters.cot import answer_with_reasoning
from arena.debaters.direct import QUESTION_PROMPTS


class Agreement(AnswerForm):
    """Where the drafts agree, and the number of the draft that agrees most."""

    reason: str
    chosen: int


class SelfConsistency(BestOfN):
    """A debater that chooses among its drafts by agreement, not by quality."""

    async def answer_question(self, turn: Turn) -> Draft:
        """Sample answers and deliver the most frequent one, of equally frequent ones the first."""
        dialogue = AgentDialogue(self.seat, turn, prompts=QUESTION_PROMPTS, roles=self.options)
        sample = partial(answer_with_reasoning, paper=bool(self.options.preset))
        samples = await sample_answers(dialogue, self.options.samples, sample)
        answers = [answer for _, answer in dialogue.usable(samples)]
        votes = Counter(normalise(answer.text) for answer in answers)
        most = max(votes.values())
        winner = next(answer for answer in answers if votes[normalise(answer.text)] == most)
        trace = [*dialogue.trace, *(step for answer in answers for step in answer.trace)]
        return Draft(text=winner.text, trace=[*trace, {"agent": "Chooser", "votes": dict(votes)}])

    async def choose(self, dialogue: AgentDialogue) -> int:
        """Ask once which draft agrees most with the others."""
        length = dialogue.words(REASONING_WORDS)
        answer = await dialogue.ask("agree", Agreement, agent="Chooser", length=length)
        return answer.chosen
