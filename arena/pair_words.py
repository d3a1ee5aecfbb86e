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
        "nothing_said": "(Nothing yet.)",
        "as_given": "In the order given",
        "exchanged": "With the answers exchanged (Answer A is then Answer B)",
        "never_given": "never given to this writer",
        "about_argument": (
            "how well each answer argues: clear and distinct points that serve the task, that are "
            "reasoned and supported, and that meet what could be said against them, without "
            "contradiction"
        ),
        "about_source": (
            "how well each answer supports what it says with sources: references that were really "
            "given to its writer, that fit the statement they stand beside, that can be relied on, "
            "and that are used rather than only named"
        ),
        "about_language": (
            "how well each answer is written: clear, well-ordered, varied and fitting language, "
            "free of repetition, filler and unfinished passages"
        ),
    },
    "zh": {
        "speech": "回答",
        "task": "任务",
        "refute": "写一篇文章，反驳这一命题：{}",
        "nothing_said": "（暂无内容。）",
        "as_given": "按原来的顺序",
        "exchanged": "两篇对调之后（回答甲此时为回答乙）",
        "never_given": "从未提供给这位作者",
        "about_argument": (
            "每篇回答论证的质量：论点是否清楚、互不重复而切合任务，是否有推理和支撑，"
            "是否顾及可能的反驳，前后有无矛盾"
        ),
        "about_source": (
            "每篇回答运用来源的质量：所引资料是否确实提供给了作者，是否与所支持的说法相符，"
            "是否可靠，是否真正用于论证而不只是提及"
        ),
        "about_language": (
            "每篇回答语言的质量：表达是否清楚、有条理、富于变化且得体，有无重复、空话和未完成的段落"
        ),
    },
}
_PAIRED = {
    code: replace(spoken, sides=_SIDES[code], terms={**spoken.terms, **_TERMS[code]})
    for code, spoken in LANGUAGES.items()
}


def of_pairs(spoken: Language) -> Language:
    """A language whose words for the sides and for a speech are those of a pair of answers."""
    return _PAIRED[spoken.code]


def task_of(spoken: Language, contest: str, motion: str) -> str:
    """What is to be done in a contest: the motion itself, but of an essay, what is to be written.

    Args:
        spoken: a language with the words of the contest.
        contest: the tournament's.
        motion: its text, or the question's.
    """
    return spoken.terms["refute"].format(motion) if contest == "essay" else motion


def of_contest(spoken: Language, contest: str | None) -> Language:
    """A language with the words of a contest: those of pairs unless it is a debate."""
    return spoken if contest in (None, "debate") else of_pairs(spoken)
