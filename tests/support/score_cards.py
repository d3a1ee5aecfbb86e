"""Score cards and hearings for the judges with six criteria."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from arena.judge import Hearing
from arena.languages import language
from arena.llm.request import Backend
from arena.records import Speech
from judges.methods.criteria import CRITERIA
from tests.support.debate_seats import MOTION, SLIDE, language_model, speeches


def scores(*given: float) -> dict[str, float]:
    """One side's six scores in the order of the criteria; one number stands for all."""
    return dict(zip(CRITERIA, given if len(given) > 1 else given * 6, strict=True))


def card(pro: float = 12, con: float = 10, *, why: str = "Because.", **more: str) -> str:
    """A score card with the same score on every criterion."""
    return json.dumps({"judgement": why, "pro": scores(pro), "con": scores(con), **more})


def round_card(pro: float, con: float, feedback: str = "Go on.") -> str:
    """A card with feedback: each side's begins with its name."""
    return card(pro, con, pro_feedback=f"pro: {feedback}", con_feedback=f"con: {feedback}")


def changed(answer: str, side: str, **values: object) -> str:
    """A card with other values for one side; `None` leaves the field out."""
    document = json.loads(answer)
    fields: Mapping[str, object] = document[side] | values
    document[side] = {name: value for name, value in fields.items() if value is not None}
    return json.dumps(document)


#: What no judge may accept for a card.
INVALID = {
    "a score above twenty": changed(card(), "pro", depth=20.5),
    "a score below one": changed(card(), "con", depth=0),
    "a missing criterion": changed(card(), "con", clarity=None),
    "a score in words": changed(card(), "pro", relevance="twelve"),
    "a score that is no number": card().replace("12", "NaN"),
    "one side only": json.dumps({"judgement": "So.", "pro": scores(9)}),
    "no judgement": card(why=""),
    "prose": "Pro wins 84 to 77.",
}


def hearing(
    backend: Backend,
    folder: Path,
    *,
    code: str = "en",
    said: Sequence[Speech] = (),
    model: str = "scripted/model",
) -> Hearing:
    """A debate of six speeches, each with a text of its own unless given."""
    return Hearing(
        motion=MOTION,
        info_slide=SLIDE,
        language=language(code),
        speeches=said or speeches(),
        model=language_model(backend, folder, name=model),
    )
