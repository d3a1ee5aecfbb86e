"""Fixed words that mark the parts of texts which simulated agents write for each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """The labels of outlines, reviews and choices in one language; `{}` is a placeholder."""

    definition: str
    criterion: str
    support: str
    they_say: str
    answer: str
    ours: str
    add: str
    cite: str
    reply: str
    missing: str
    fill: str
    lengthen: str
    short: str
    unknown: str
    chosen: str


LABELS: Mapping[str, Labels] = {
    "en": Labels(
        definition="Definition: ",
        criterion="Criterion: ",
        support=" Evidence: ",
        they_say="They say: “{}”.",
        answer=" Answer: ",
        ours="We say: “{}”.",
        add="Add this argument: ",
        cite="Support the claim with reference [{}]: ",
        reply="Answer the point “{}”.",
        missing="Missing: ",
        fill="Remove the placeholder “{}”.",
        lengthen="Develop the argument further.",
        short="A simulated model answers briefly: nothing more is known about this.",
        unknown="unknown",
        chosen="Draft {} argues most.",
    ),
    "zh": Labels(
        definition="定义：",
        criterion="标准：",
        support="依据：",
        they_say="对方说：“{}”。",
        answer="回应：",
        ours="我方说：“{}”。",
        add="补充这一论点：",
        cite="请用资料[{}]支持这一主张：",
        reply="请回应“{}”这一点。",
        missing="缺少：",
        fill="请删去占位内容“{}”。",
        lengthen="请进一步展开论证。",
        short="模拟模型简短作答：对此没有更多可说的。",
        unknown="不知道",
        chosen="第{}份论证最充分。",
    ),
}
