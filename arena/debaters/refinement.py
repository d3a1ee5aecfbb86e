"""Iterative refinement: critiques and rewrites of a draft, until a critique accepts it."""

from __future__ import annotations

from arena.debaters.agent_dialogue import AgentDialogue
from arena.debaters.answer_forms import REVIEW_WORDS, Review


async def refine(
    dialogue: AgentDialogue, draft: str, *, max_revisions: int, length: int, **variables: str
) -> str:
    """Rewrite a draft after critiques, until a critique accepts it or the cap is reached.

    An unusable critique or rewrite ends the work: the draft before it is returned, and the trace
    says so.

    Args:
        dialogue: dialogue whose prompts include `critique` and `revise`, and whose last turn is
            the Writer's draft.
        draft: the draft.
        max_revisions: cap on the critiques.
        length: length of a rewrite, in words (characters in Chinese).
        variables: further variables of the two prompts.
    """
    for number in range(1, max_revisions + 1):
        place = f"{number}/{max_revisions}"
        rewrite = await rewrite_once(dialogue, draft, place=place, length=length, **variables)
        if rewrite is None:
            return draft
        draft = rewrite
    dialogue.add_step("protocol", cap="max_revisions")
    return draft


async def rewrite_once(
    dialogue: AgentDialogue, draft: str, *, place: str, length: int, **variables: str
) -> str | None:
    """Ask for a critique of a draft and rewrite it; None where the draft stands.

    Args:
        dialogue: as in `refine`.
        draft: the draft.
        place: number of the round and of all rounds, `1/3`.
        length: length of a rewrite, in words (characters in Chinese).
        variables: further variables of the two prompts.
    """
    variables["count"] = str(dialogue.language.count(draft))
    if not await _criticise(dialogue, place, **variables):
        return None
    answer = dialogue.write("revise", agent="Writer", length=length, flag="", **variables)
    rewrite = await dialogue.attempt(answer, agent="Writer", fallback="the last draft stands")
    if rewrite is not None:
        dialogue.add_turn("Writer", rewrite)
        number = int(place.partition("/")[0])
        dialogue.add_step("Writer", marker="finished", round=number, answer=rewrite)
    return rewrite


async def _criticise(dialogue: AgentDialogue, place: str, **variables: str) -> bool:
    """Ask for a critique of the draft, and tell whether it asks for a rewrite.

    Args:
        dialogue: the dialogue.
        place: number of the round and of all rounds, `1/3`.
        variables: variables of the prompt.
    """
    number, _, rounds = place.partition("/")
    answer = dialogue.ask(
        "critique",
        Review,
        agent="Reviewer",
        length=dialogue.words(REVIEW_WORDS),
        flag="",
        round=number,
        rounds=rounds,
        **variables,
    )
    review = await dialogue.attempt(answer, agent="Reviewer", fallback="the draft stands")
    if review is None:
        return False
    dialogue.add_step("Reviewer", round=int(number), **review.as_step())
    if review.marker == "revise":
        dialogue.add_turn("Reviewer", f"{dialogue.term('revise')}\n{review.numbered()}")
    return review.marker == "revise"
