"""What every judge's prompt says of the debate itself, or of the task of a pair of answers."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from arena.judge import Hearing
from arena.prompts import Prompts, quote
from arena.records import Speech

_PROMPTS = files("judges") / "prompts"
#: Of pairs of answers, by whether they are to be in other words.
_PAIRS: Mapping[bool, Prompts] = {
    False: Prompts(_PROMPTS / "answers"),
    True: Prompts(_PROMPTS / "answers_reworded"),
}


def pair_prompts(hearing: Hearing) -> Prompts:
    """The prompts of every judge of pairs, in the wording that is asked for."""
    return _PAIRS[hearing.reworded]


def setting(hearing: Hearing) -> dict[str, str]:
    """The motion, its background, and how many speeches there are, as variables of a prompt.

    Of a pair the motion is the task: it may come from a stranger's file, so it is quoted.
    """
    if hearing.pair:
        task = quote(hearing.language.terms["task"], hearing.motion)
        return {"motion": task, "info_slide": _background(hearing)}
    return {
        "motion": hearing.motion,
        "info_slide": _background(hearing),
        "speeches": str(len(hearing.speeches)),
    }


def speaker(hearing: Hearing, speech: Speech) -> str:
    """Whose speech it is: side and stage, in the language of the debate; whose answer of a pair."""
    words = hearing.language
    if hearing.pair:
        return words.sides[speech.side]
    return f"{words.sides[speech.side]}, {words.stages[speech.stage]}"


def _background(hearing: Hearing) -> str:
    return hearing.info_slide or hearing.language.terms["no_slide"]
