"""Iterative refinement: critiques and rewrites of a draft, until a critique accepts it."""

from __future__ import annotations

from arena.debaters.agent_dialogue import AgentDialogue
from arena.debaters.answer_forms import Review
from arena.errors import ContentFault, Refusal


async def refine(
    dialogue: AgentDialogue, draft: str, *, max_revisions: int, **variables: str
) -> str:
    """Rewrite a draft after critiques, until a critique accepts it or the cap is reached.

    An unusable critique or rewrite ends the work: the draft before it is returned, and the trace
    names the fault.

    Args:
        dialogue: dialogue whose prompts include `critique` and `revise`, and whose last turn is
            the Writer's draft.
        draft: the draft.
        max_revisions: cap on the critiques.
        variables: further variables of the two prompts.

    Raises:
        Refusal: the model refused.
    """
    for number in range(1, max_revisions + 1):
        rounds = {"round": str(number), "rounds": str(max_revisions)}
        review = await dialogue.ask_or_skip(
            "critique", Review, agent="Reviewer", **rounds, **variables
        )
        if review is None:
            return draft
        dialogue.add_step("Reviewer", marker=review.marker, suggestions=review.suggestions)
        if review.marker == "accept":
            return draft
        lines = [f"{n}. {suggestion}" for n, suggestion in enumerate(review.suggestions, start=1)]
        dialogue.add_turn("Reviewer", "\n".join([dialogue.term("revise"), *lines]))
        try:
            draft = await dialogue.write("revise", agent="Writer", **variables)
        except Refusal:
            raise
        except ContentFault as fault:
            dialogue.add_fault("Writer", fault)
            return draft
        dialogue.add_turn("Writer", draft)
        dialogue.add_step("Writer", marker="finished")
    dialogue.add_step("protocol", cap="max_revisions")
    return draft
