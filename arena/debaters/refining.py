"""Draft, critique, rewrite: the loop of debaters that work on a text until it satisfies."""

from __future__ import annotations

from arena.debaters.dialogue import Dialogue
from arena.debaters.forms import Review
from arena.errors import ContentFault, Refusal


async def refine(dialogue: Dialogue, draft: str, *, most: int, **variables: str) -> str:
    """A draft after critiques and rewrites, until a critique accepts it or `most` were made.

    The draft is the Writer's last turn. A critique that cannot be understood, and a rewrite that
    says nothing, leave the draft as it is; the trace names them.

    Args:
        dialogue: has the prompts `critique` and `revise`.
        draft: what is worked on.
        most: cap on the critiques.
        variables: what the two prompts need besides.

    Raises:
        Refusal: the model declined.
    """
    for number in range(1, most + 1):
        rounds = {"round": str(number), "rounds": str(most)}
        review = await dialogue.attempt("critique", Review, agent="Reviewer", **rounds, **variables)
        if review is None:
            return draft
        dialogue.note("Reviewer", marker=review.marker, suggestions=review.suggestions)
        if review.marker == "accept":
            return draft
        listed = [f"{n}. {one}" for n, one in enumerate(review.suggestions, start=1)]
        dialogue.say("Reviewer", "\n".join([dialogue.term("revise"), *listed]))
        try:
            draft = await dialogue.write("revise", agent="Writer", **variables)
        except Refusal:
            raise
        except ContentFault as fault:
            dialogue.missed("Writer", fault)
            return draft
        dialogue.say("Writer", draft)
        dialogue.note("Writer", marker="finished")
    dialogue.note("protocol", cap="max_revisions")
    return draft
