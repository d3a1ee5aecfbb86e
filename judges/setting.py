"""What every judge's prompt says of the debate itself."""

from __future__ import annotations

from arena.judge import Hearing
from arena.records import Speech


def setting(hearing: Hearing) -> dict[str, str]:
    """The motion, its background, and how many speeches there are, as variables of a prompt."""
    return {
        "motion": hearing.motion,
        "info_slide": hearing.info_slide or hearing.language.terms["no_slide"],
        "speeches": str(len(hearing.speeches)),
    }


def speaker(hearing: Hearing, speech: Speech) -> str:
    """Whose speech it is: side and stage, in the language of the debate."""
    words = hearing.language
    return f"{words.sides[speech.side]}, {words.stages[speech.stage]}"
