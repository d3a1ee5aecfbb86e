"""Debates between a side that argues and one that says nothing, in both languages."""

from __future__ import annotations

from arena.records import Speech
from tests.support.debate_seats import ORDER, speech

REASONED = {
    "en": (
        "Shade lowers summer temperatures in dense districts, because leaves evaporate water. "
        "Measurements in Lyon found streets four degrees cooler.\n\n"
        "Roots slow storm water, so that sewers overflow less often. For example, Portland "
        "reported fewer floods after a planting programme."
    ),
    "zh": (
        "树荫能降低密集城区夏季的气温，因为叶片会蒸发水分。里昂的测量发现街道气温低了四度。\n\n"
        "树根能减缓雨水径流，因此下水道较少溢流。例如，波特兰在植树计划之后报告内涝减少。"
    ),
}
EMPTY = {
    "en": "We like it. It is good. It is good. It is good.",
    "zh": "我们喜欢它。它很好。它很好。它很好。",
}


def one_sided(code: str, better: str) -> list[Speech]:
    """Six speeches, those of one side reasoned and those of the other empty."""
    return [
        speech(side, stage, (REASONED if side == better else EMPTY)[code]) for side, stage in ORDER
    ]
