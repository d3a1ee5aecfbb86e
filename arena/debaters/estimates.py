"""The choice among translations by a trained estimator that needs no reference."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator

from arena.debater import Draft
from arena.debaters.agent_dialogue import AgentDialogue
from arena.translation.estimators import Translation, read_estimator, source_of


def _check_estimator(text: str) -> str:
    if text and read_estimator(text).kind != "comet":
        raise ValueError(
            f"{text!r} compares with a reference, which no debater has. Name a model of COMET "
            "that needs none, such as comet:Unbabel/wmt22-cometkiwi-da"
        )
    return text


#: An estimator as an option of a debater, `comet:MODEL`; empty for none.
EstimatorName = Annotated[str, AfterValidator(_check_estimator)]


async def choose_by_estimate(
    dialogue: AgentDialogue, drafts: Mapping[int, str], estimator: str
) -> Draft:
    """Return the translation with the highest estimate, of equal ones the first.

    Args:
        dialogue: whose question asks for the translation; the trace gets the estimates.
        drafts: the translations by number, at least one.
        estimator: as `EstimatorName`, not empty.

    Raises:
        ConfigError: the estimator is not installed, or fails.
    """
    trained, source = read_estimator(estimator), source_of(dialogue.seat.motion)
    translations = [Translation(source=source, text=text) for text in drafts.values()]
    scores = await asyncio.to_thread(trained.score, translations)
    estimates = dict(zip(drafts, scores, strict=True))
    best = min(estimates, key=lambda draft: (-estimates[draft], draft))
    shown = {str(draft): round(value, 4) for draft, value in estimates.items()}
    dialogue.add_step("Chooser", estimator=trained.label, estimates=shown)
    dialogue.add_step("Chooser", chosen=best, of=len(drafts))
    return Draft(text=drafts[best], trace=dialogue.trace)
