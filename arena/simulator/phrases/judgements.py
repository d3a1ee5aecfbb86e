"""Sentences of a simulated judge, and the patterns by which it parses its own analyses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from arena.languages import LANGUAGES, Language

#: The last line of an analysis, and of a judgement.
TALLY = re.compile(r"^(?:Tally|小结)[ (（]+([^()（）]{1,20})[)）][:：].*?(-?\d+\.\d\d)[.。]$")
MARKS = re.compile(
    r"^(?:Marks|评分)[:：]\s*(?:Pro|正方|Answer A|回答甲)\s*(\d+\.\d\d).*?(\d+\.\d\d)[.。]$"
)
#: A point that a speaker made, as an analysis lists it.
POINT = re.compile(r"^\d+\. “(.+)”$", re.MULTILINE)
#: A point of the other side that a speaker answered.
ANSWERED = re.compile(r"^- “.*(?:in reply to “(.+)”\.|是对“(.+)”的回应。)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeWords:
    """The sentences of analyses and judgements in one language."""

    head: str
    points: str
    no_points: str
    replies: str
    reply: str
    no_replies: str
    weighing: str
    valid: str
    irrelevant: str
    never_given: str
    no_sources: str
    wording: str
    gaps: str
    tally: str
    totals: str
    ahead: str
    level: str
    panel: str
    marks: str
    counted: str


JUDGE_WORDS: Mapping[str, JudgeWords] = {
    "en": JudgeWords(
        head="Speech {number}, {speaker}; looked at for {dimension}.",
        points="Points made with a reason, and not made before: {count}.",
        no_points="It makes no new point that comes with a reason.",
        replies="Points of the other side that it answers: {count}.",
        reply="- “{said}” is said in reply to “{point}”.",
        no_replies="It answers nothing that the other side said.",
        weighing="Passages that weigh one consideration against another: {count}.",
        valid="References that were given and bear on what they are cited for: {numbers}.",
        irrelevant="References cited beside sentences to which they do not belong: {numbers}.",
        never_given="Cited without ever having been given: {numbers}.",
        no_sources="It cites nothing that can be checked.",
        wording=(
            "Variety of words {variety:.2f}, of sentence lengths {rhythm:.2f}, connection "
            "{connection:.2f}, freedom from repetition {freshness:.2f} (each of 1), in {words} "
            "words."
        ),
        gaps="Unfilled placeholders: {count}.",
        tally="Tally ({side}): strength {strength:.2f}.",
        totals="On {dimension}, Pro's speeches come to {pro:.2f} and Con's to {con:.2f} in all.",
        ahead="{side} is ahead.",
        level="Neither side is clearly ahead.",
        panel="Weighing {dimensions}, the balance of the marks is {balance:+.2f} for Pro.",
        marks="Marks: Pro {pro:.2f}, Con {con:.2f}.",
        counted=(
            "Counted for {side}: {points} points with a reason, {answered} answers to the other "
            "side, {strength:.2f} for references, {style:.2f} for wording."
        ),
    ),
    "zh": JudgeWords(
        head="第{number}篇发言，{speaker}；考察{dimension}。",
        points="有理由支持且此前未提出的论点：{count}个。",
        no_points="发言没有提出新的、有理由支持的论点。",
        replies="回应了对方的论点：{count}个。",
        reply="- “{said}”是对“{point}”的回应。",
        no_replies="发言没有回应对方说过的任何内容。",
        weighing="对双方考虑加以权衡之处：{count}处。",
        valid="确由检索提供、且与所在句子相关的资料：{numbers}。",
        irrelevant="所引资料与所在句子无关：{numbers}。",
        never_given="引用了从未提供过的资料：{numbers}。",
        no_sources="发言没有引用可以核查的资料。",
        wording=(
            "用词变化{variety:.2f}，句长变化{rhythm:.2f}，衔接{connection:.2f}，"
            "避免重复{freshness:.2f}（满分均为1），全文{words}字。"
        ),
        gaps="未填写的占位内容：{count}处。",
        tally="小结（{side}）：力度{strength:.2f}。",
        totals="在{dimension}方面，正方各篇发言合计{pro:.2f}，反方合计{con:.2f}。",
        ahead="{side}占优。",
        level="双方难分高下。",
        panel="综合{dimensions}，分差对正方为{balance:+.2f}。",
        marks="评分：正方{pro:.2f}，反方{con:.2f}。",
        counted=(
            "{side}：有理由的论点{points}个，对另一方的回应{answered}处，"
            "引用计{strength:.2f}，语言计{style:.2f}。"
        ),
    ),
}

_PAIR_WORDS: Mapping[str, JudgeWords] = {
    "en": replace(
        JUDGE_WORDS["en"],
        head="{speaker}, number {number}; looked at for {dimension}.",
        replies="Points of the other answer that it meets: {count}.",
        no_replies="It meets nothing that the other answer says.",
        totals="On {dimension}, Answer A comes to {pro:.2f} and Answer B to {con:.2f}.",
        level="Neither answer is clearly ahead.",
        panel="Weighing {dimensions}, the balance of the marks is {balance:+.2f} for Answer A.",
        marks="Marks: Answer A {pro:.2f}, Answer B {con:.2f}.",
        counted=(
            "Counted for {side}: {points} points with a reason, {answered} answers to the other, "
            "{strength:.2f} for references, {style:.2f} for wording."
        ),
    ),
    "zh": replace(
        JUDGE_WORDS["zh"],
        head="{speaker}，第{number}篇；考察{dimension}。",
        no_points="没有提出新的、有理由支持的论点。",
        replies="顾及另一篇论点之处：{count}处。",
        no_replies="没有顾及另一篇所写的任何内容。",
        no_sources="没有引用可以核查的资料。",
        totals="在{dimension}方面，回答甲合计{pro:.2f}，回答乙合计{con:.2f}。",
        level="两篇难分高下。",
        panel="综合{dimensions}，分差对回答甲为{balance:+.2f}。",
        marks="评分：回答甲{pro:.2f}，回答乙{con:.2f}。",
    ),
}


def words_of(language: Language) -> JudgeWords:
    """Return the sentences of a judge of debates, or of pairs, in a language."""
    paired = language.sides != LANGUAGES[language.code].sides
    return (_PAIR_WORDS if paired else JUDGE_WORDS)[language.code]
