"""What a language calls the two answers of a pair: no sides, no speeches, and a task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from arena.languages import LANGUAGES, Language, Side

_SIDES: Mapping[str, Mapping[Side, str]] = {
    "en": {"pro": "Answer A", "con": "Answer B"},
    "zh": {"pro": "回答甲", "con": "回答乙"},
}
_TERMS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "speech": "answer",
        "task": "task",
        "refute": "Write an essay that refutes this proposition: {}",
        "as_given": "In the order given",
        "exchanged": "With the answers exchanged (Answer A is then Answer B)",
        "never_given": "never given to this writer",
    },
    "zh": {
        "speech": "回答",
        "task": "任务",
        "refute": "写一篇文章，反驳这一命题：{}",
        "as_given": "按原来的顺序",
        "exchanged": "两篇对调之后（回答甲此时为回答乙）",
        "never_given": "从未提供给这位作者",
    },
}
_PAIRED = {
    code: replace(spoken, sides=_SIDES[code], terms={**spoken.terms, **_TERMS[code]})
    for code, spoken in LANGUAGES.items()
}


def of_pairs(spoken: Language) -> Language:
    """A language whose words for the sides and for a speech are those of a pair of answers."""
    return _PAIRED[spoken.code]


def of_contest(spoken: Language, contest: str | None) -> Language:
    """A language with the words of a contest: those of pairs unless it is a debate."""
    return spoken if contest in (None, "debate") else of_pairs(spoken)
