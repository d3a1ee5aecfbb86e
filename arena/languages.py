"""What differs between the languages of a debate: words for the roles, how length is counted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from arena.errors import ConfigError

Side = Literal["pro", "con"]
Stage = Literal["constructive", "rebuttal", "summary", "answer"]

SIDES: tuple[Side, Side] = ("pro", "con")
#: The stages of a debate; the other contests have the one stage `answer`.
STAGES: tuple[Stage, Stage, Stage] = ("constructive", "rebuttal", "summary")
#: Of a debate, both sides together.
SPEECHES = 2 * len(STAGES)
ANSWER: Stage = "answer"

#: What participants do: debate a motion, both refute it in an essay, or answer a question (the
#: last two have one stage, `answer`).
Contest = Literal["debate", "essay", "question"]
CONTESTS: tuple[Contest, ...] = ("debate", "essay", "question")

#: The end of a sentence, with the closing quotes and citation marks that belong to it.
_SENTENCE_END = re.compile(
    r"[.!?。！？]+[\"'”’）)]*(?:\s*\[\d[\d,，、 ]*\])*(?=\s|[^\x00-\x7f]|$)\s*"
)
_IDEOGRAPH = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_OTHER_WORD = re.compile(r"[^\W\u3400-\u9fff\uf900-\ufaff]+(?:['’-]\w+)*")


def other_side(side: Side) -> Side:
    """The opponent's side."""
    return "con" if side == "pro" else "pro"


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """One language of debates.

    Attributes:
        code: its key in motion sets and configurations.
        sides: the word for each side.
        stages: the word for each stage.
        terms: other words that stand in prompts, by their English key.
        per_word: length units per word of a limit given in words (Chinese counts
            1.6 characters for a word: 600 words are 960 characters).
    """

    code: str
    sides: Mapping[Side, str]
    stages: Mapping[Stage, str]
    terms: Mapping[str, str]
    per_word: float

    def limit(self, words: int) -> int:
        """A limit of `words` in this language's units (words, or characters in Chinese)."""
        return round(words * self.per_word)

    def count(self, text: str) -> int:
        """The length of a text: words, or in Chinese characters plus foreign words."""
        if self.code == "zh":
            return len(_IDEOGRAPH.findall(text)) + len(_OTHER_WORD.findall(text))
        return len(text.split())


def sentences(text: str) -> list[str]:
    """A text's sentences, in order, without the blanks between them.

    >>> sentences("One. [2] Two? 三。四！")
    ['One. [2]', 'Two?', '三。', '四！']
    """
    text = text.strip()
    ends = [0, *(found.end() for found in _SENTENCE_END.finditer(text)), len(text)]
    cut = [text[start:end].strip() for start, end in zip(ends, ends[1:], strict=False)]
    return [part for part in cut if part]


ENGLISH = Language(
    code="en",
    sides={"pro": "Pro", "con": "Con"},
    stages={
        "constructive": "constructive",
        "rebuttal": "rebuttal",
        "summary": "summary",
        "answer": "answer",
    },
    terms={
        "speech": "speech",
        "turn": "turn",
        "material": "material",
        "analysis": "analysis",
        "judgement": "judgement",
        "draft": "draft",
        "defence": "defence",
        "feedback": "feedback",
        "round": "round {}",
        "results": "results",
        "references": "References",
        "never_given": "never given to this speaker",
        "brief": "motion brief",
        "nothing_said": "(Nothing has been said yet.)",
        "nothing_found": "(Nothing was found.)",
        "nothing_yet": "(Nothing yet.)",
        "no_slide": "(No further background is given.)",
        "question": "question",
        "reference": "reference",
        "translation": "translation",
        "essay": "essay",
        "query": "Query",
        "conclusions": "Conclusions",
        "others": "Others",
        "weight": "weight",
        "Searcher": "Searcher",
        "Analyzer": "Analyzer",
        "Writer": "Writer",
        "Reviewer": "Reviewer",
        "Debater": "Debater",
        "Member": "Member",
        "Critic": "Critic",
        "plan": "plan",
        "persona": "persona",
        "candidates": "candidates",
        "acknowledgment": "Acknowledged",
        "claim": "Claim",
        "reasons": "Reasons and evidence",
        "concession": "Concession",
        "accepted": "The draft is accepted.",
        "revise": "Please revise:",
        "needs_material": "Material is needed for this claim:",
        "argument": "argument",
        "source": "source",
        "language": "language",
        "overall": "overall",
        "about_argument": (
            "how well each side argues: clear and distinct claims that are reasoned and "
            "supported, points of the other side answered, no contradiction, a case that "
            "decides the motion"
        ),
        "about_source": (
            "how well each side supports what it says with sources: references that were "
            "really given to the speaker, that fit the statement they stand beside, that can "
            "be relied on, and that are used rather than only named"
        ),
        "about_language": (
            "how well each side speaks: clear, well-ordered, varied and fitting language, "
            "free of repetition, filler and unfinished passages"
        ),
    },
    per_word=1.0,
)

CHINESE = Language(
    code="zh",
    sides={"pro": "正方", "con": "反方"},
    stages={"constructive": "立论", "rebuttal": "驳论", "summary": "总结", "answer": "作答"},
    terms={
        "speech": "发言",
        "turn": "讨论",
        "material": "资料",
        "analysis": "分析",
        "judgement": "评判",
        "draft": "稿件",
        "defence": "辩护",
        "feedback": "反馈",
        "round": "第{}轮",
        "results": "结果",
        "references": "参考资料",
        "never_given": "从未提供给这位发言人",
        "brief": "辩题资料",
        "nothing_said": "（尚无人发言。）",
        "nothing_found": "（没有找到任何资料。）",
        "nothing_yet": "（暂无内容。）",
        "no_slide": "（没有更多背景说明。）",
        "question": "问题",
        "reference": "参考译文",
        "translation": "译文",
        "essay": "文章",
        "query": "检索",
        "conclusions": "结论",
        "others": "其他",
        "weight": "权重",
        "Searcher": "检索员",
        "Analyzer": "分析员",
        "Writer": "撰稿人",
        "Reviewer": "审稿人",
        "Debater": "辩手",
        "Member": "成员",
        "Critic": "质疑者",
        "plan": "提纲",
        "persona": "人物",
        "candidates": "候选人",
        "acknowledgment": "承认",
        "claim": "主张",
        "reasons": "理由与依据",
        "concession": "让步",
        "accepted": "稿件通过。",
        "revise": "请修改：",
        "needs_material": "以下主张需要资料：",
        "argument": "论证",
        "source": "来源",
        "language": "语言",
        "overall": "总体",
        "about_argument": (
            "双方论证的质量：主张是否清楚而互不重复，是否有推理和支撑，"
            "是否回应了对方的论点，前后有无矛盾，立论能否真正决定辩题的胜负"
        ),
        "about_source": (
            "双方运用来源的质量：所引资料是否确实提供给了发言人，是否与所支持的说法相符，"
            "是否可靠，是否真正用于论证而不只是提及"
        ),
        "about_language": (
            "双方语言的质量：表达是否清楚、有条理、富于变化且得体，有无重复、空话和未完成的段落"
        ),
    },
    per_word=1.6,
)

LANGUAGES: Mapping[str, Language] = {"en": ENGLISH, "zh": CHINESE}


def language(code: str) -> Language:
    """The language of a code.

    Raises:
        ConfigError: the code is not one of LANGUAGES.
    """
    try:
        return LANGUAGES[code]
    except KeyError:
        known = ", ".join(LANGUAGES)
        raise ConfigError(f"unknown language {code!r}. Accepted: {known}.") from None
