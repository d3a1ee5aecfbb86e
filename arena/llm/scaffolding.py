"""The words that models put around an answer: introductions, titles, word counts, remarks.

Each pattern matches at the start or at the end of a text, and what it matches can be removed. They
are narrow: a sentence that a speaker could say is left alone. Models mix languages here, so the
patterns of all languages apply to every text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

#: A kind of scaffolding and a pattern for it.
Scaffold: TypeAlias = tuple[str, re.Pattern[str]]

_MARK = r"(?:\*{1,3}|_{1,3})?"
_HEADING = rf"(?:\#{{1,6}}[ \t]+)?{_MARK}"
_COLON = rf"[ \t]*+[:：]{_MARK}"
_OPEN, _CLOSE = r"[\[(（【]", r"[\])）】]"
_SENTENCE_END = r"(?<=[.!?…。！？\"”’)）\]*])"
_LINE_END = r"[ \t]*+\n\s*"
#: A line break with the blanks around it; begun once only in a run of them, however long.
_NEW_LINE = r"(?<!\s)[^\S\n]*+\n\s*+"

_SIDE = (
    r"(?:(?:the[ ])?(?:pro|con|affirmative|negative|proposition|opposition)(?:[ ](?:side|team))?)"
)
_SIDE_ZH = r"(?:正方|反方)"
_COUNT = r"""(?:
    (?:(?:total|final|approximate)[ ])?(?:word[ ]count|words|length|number[ ]of[ ]words)
        [ \t]*+(?:[:：]|is)[ \t]*+(?:approximately|approx\.?|about|around|~|≈)?[ \t]*+\d[\d,]*
        (?:[ ]?/[ ]?\d+)?(?:[ ]words)?
    | (?:approximately|approx\.?|about|around|~|≈)?[ \t]*+\d[\d,]*(?:[ ]?/[ ]?\d+)?[ \t]*+words
        (?:[ ]in[ ]total)?
    | (?:总?字数|全文|总计|合计)[ \t]*+(?:[:：]|为|约|共){0,3}[ \t]*+\d+[ \t]*+(?:个?汉?字)?
    | [共约]{0,2}[ \t]*+\d+[ \t]*+个?汉?字
)"""

# Introductions, such as "Sure! Here is the constructive speech for Pro:".
_YES = r"""(?:sure(?:[ ]thing)?|certainly|of[ ]course|absolutely|okay|ok|alright|understood
    |got[ ]it|no[ ]problem|gladly)"""
_YES_ZH = r"(?:(?:好的|好|当然(?:可以)?|没问题|可以|明白了?|收到|了解)[，,。！!、：:\s]*)"
_HERE = r"(?:here(?:['’]s|[ ]is)|below[ ]is|(?:the[ ])?following[ ]is)"
_HERE_ZH = r"(?:以下|下面|这)就?[是为]"
_ADJECTIVES = r"""(?:(?:constructive|rebuttal|summary|opening|closing|debate|final|revised
    |shortened|shorter|corrected|rewritten|translated|full|complete|edited|english|chinese|own|new
    |\d+-word)[ ]){0,4}"""
_INTRODUCTION = rf"""{_MARK}(?:{_YES}[!.,:;—–-]*\s+)?
    (?:as[ ](?:the[ ]|an?[ ])?[^\n:,.]{{1,60}},[ ])?
    {_HERE}[ ](?:the|my|your|our|an?|{_SIDE}['’]s)[ ]{_ADJECTIVES}"""
_DETAILS = rf"""(?:
    [ ](?:for|of|by|from)[ ]{_SIDE} | [ ]in[ ](?:english|chinese) | [ ]as[ ]requested
    | [ ](?:for|on|against|supporting|opposing)[ ](?:the|this)[ ](?:motion|proposition|stage)
    | [ ](?:in|of|within|under|with|at)[ ][^\n:.]{{0,30}}\d+[ ]words | [ ]?\(\d+[ ]words\)
){{0,4}}"""
_TEXT_ZH = r"""(?:发言稿?|陈词|立论稿|驳论稿|演讲稿?|辩词|短文|正文|稿件|修改稿|译文
    |修改后的版本|压缩后的版本)"""
_PREAMBLES = (
    rf"{_INTRODUCTION}(?:speech|essay|draft){_DETAILS}{_COLON}\s*",
    rf"""{_INTRODUCTION}(?:statement|constructive|rebuttal|summary|version|text|revision)
        {_DETAILS}{_COLON}{_LINE_END}""",
    rf"""{_YES}[!.,:]+[ ]{_HERE}[ ][^\n:.]{{0,40}}
        \b(?:answer|response|reply|json|constructive|rebuttal|summary|statement)\b
        [^\n:.]{{0,40}}{_COLON}\s*""",
    rf"{_YES}[!.,:]+[ ]{_HERE}[ ][^\n:.]{{0,80}}{_COLON}{_LINE_END}",
    rf"{_YES}[!.]*{_LINE_END}",
    rf"""{_YES}[!.,][ ]I(?:['’]ll|[ ]can|[ ]will|(?:['’]d|[ ]would)[ ]be[ ](?:happy|glad)[ ]to)[ ]
        (?:help|assist|do[ ]that)[^\n]{{0,60}}\n\s*""",
    rf"""I(?:['’]ve|[ ]have)[ ]
        (?:written|prepared|drafted|shortened|revised|rewritten|corrected)[ ]
        (?:the|my|your|an?)[ ]{_ADJECTIVES}(?:speech|statement|essay|draft|text)
        [^\n:]{{0,60}}{_COLON}{_LINE_END}""",
    rf"""{_MARK}{_YES_ZH}?{_HERE_ZH}(?:(?!对方|对手)[^\n，。：:！!]){{0,20}}?{_TEXT_ZH}
        (?:[（(][^）)\n]{{0,20}}[）)])?{_COLON}\s*""",
    rf"""{_YES_ZH}{_HERE_ZH}(?:(?!对方|对手)[^\n，。：:！!]){{0,16}}
        (?:立论|驳论|总结|回答|答案|回复|JSON){_COLON}\s*""",
    rf"{_YES_ZH}?(?:我方?的?|{_SIDE_ZH}的?|修改后的?)?{_TEXT_ZH}如下{_COLON}\s*",
    rf"""(?:好的|当然可以|没问题|明白了?|收到)
        (?:[，,！!](?:没问题|我?明白了?|收到|我来写|我来帮[您你]))?[。！!]?{_LINE_END}""",
)

# Titles, such as "**Con – Rebuttal Speech**", and labels, such as "Rebuttal:".
_KIND = r"(?:speech|statement|constructive|rebuttal|summary|essay|introduction)"
_TITLE_WORD = rf"(?:{_KIND}|opening|closing|final|debate|revised|shortened|draft|round|stage)"
_TITLE = rf"""(?=[^\n]*{_KIND})
    (?:(?:{_SIDE}(?:['’]s)?|{_TITLE_WORD}|for|by|of[ ]{_SIDE}|my|the|{_COUNT}|\d)
    [ \t]*+[-–—:：,()|/]{{0,2}}[ \t]*+){{1,9}}"""
_TITLE_ZH = rf"""(?:{_SIDE_ZH}(?:[一二三四]辩)?的?[ \t]*+[-–—·:：]?[ \t]*+)?
    (?:开篇|开场|总结|立论|驳论|结辩|修改后的?|压缩后的?|辩论|最终){{0,3}}
    (?:立论|驳论|总结|结辩|陈词|发言|发言稿|演讲稿|辩词|稿|正文|引言|开场白)
    (?:陈词|发言|稿|阶段|部分)?"""
_HEADINGS = (
    rf"{_HEADING}[\[(]?{_TITLE}[\])]?{_MARK}(?:{_COLON})?{_LINE_END}",
    rf"{_HEADING}{_OPEN}?(?:{_TITLE_ZH}|{_SIDE_ZH}|{_SIDE}){_CLOSE}?{_MARK}(?:{_COLON})?{_LINE_END}",
    rf"""{_HEADING}(?:{_SIDE}(?:['’]s)?[ ]?[-–—:]?[ ]?)?(?:{_TITLE_WORD}[ ]){{0,3}}
        (?:speech|(?<=[ ])statement|constructive|rebuttal|summary|essay)
        (?:[ ](?:for|by|of)[ ]{_SIDE})?{_MARK}{_COLON}[ \t]*+""",
    rf"{_HEADING}【?{_TITLE_ZH}】?{_MARK}{_COLON}[ \t]*+",
    rf"""{_HEADING}(?:(?:debate[ ])?(?:motion|topic)|title|辩题|题目|标题|议题)
        {_MARK}{_COLON}[^\n]{{1,200}}\n\s*""",
)

# Remarks to whoever asked for the speech.
_REMARK = r"""(?:
    I[ ]hope[ ](?:this|that|it)(?:[ ](?:speech|text|version|essay|answer|response|draft))?[ ]
        (?:helps|is[ ]helpful|meets[ ]your|works[ ]for[ ]you|is[ ]what[ ]you|fits[ ]your)
    | (?:please[ ])?let[ ]me[ ]know[ ](?:(?:if|whether)[ ](?:you|there|any|this|that|I)|what[ ]you)
    | (?:please[ ])?feel[ ]free[ ]to[ ]
        (?:let|reach|adjust|modify|edit|request|ask[ ](?:me|if|for))
    | (?:would|do)[ ]you[ ](?:like|want)[ ]me[ ]to[ ]
        (?:adjust|modify|revise|edit|expand|shorten|write|prepare|draft|continue)
    | is[ ]there[ ]anything[ ]else[ ](?:I|you)
    | if[ ]you(?:['’]d|[ ]would)?[ ](?:like|need|want|have)[ ][^\n]{0,60}
        (?:adjust|modif|revis|edit|changes|another[ ]version|anything[ ]else|questions|assistance)
        [^\n]{0,40}(?:let[ ]me[ ]know|I[ ]can|I['’](?:d|ll)|feel[ ]free)
    | (?:please[ ])?note(?:[ ]that|:)[ ](?:this|the|above)[ ](?:speech|text|essay)[^\n]{0,60}
        \b(?:words?|limit|written|generated|fictional)\b
    | this[ ](?:speech|version|text|essay)[ ](?:is|has|contains|comes[ ]to|stays)
        (?:[ ]\w+){0,4}[ ]\d+[ ]words
    | 希望(?:这|以上|本|此)[篇份段个]?(?:发言|内容|回答|稿件|文字|版本|修改|陈词)[^\n。]{0,6}
        (?:对[您你]有所?帮助|符合[您你]?的?要求)
    | 如果?[您你]?还?(?:有|需要?)[^\n。]{0,20}(?:问题|修改|调整|帮助|意见|要求)?[^\n。]{0,6}[，,]
        (?:请|欢迎|可以)?(?:随时|告诉我|告知|联系)
    | 需要我再?(?:帮|修改|调整|继续|缩短|写)[^\n。]{0,20}吗
    | (?:注|备注|说明)[:：][^\n]{0,60}(?:\d+[ ]?字|本篇?发言)
    | 以上(?:发言|内容|文字|稿件)?[^\n。]{0,6}\d+[ ]?字
)"""
_END = r"(?:end[ ]of[ ](?:the[ ]|my[ ])?speech|end|发言(?:完毕|结束|完)|全文完|完|结束)"


def _compile(patterns: Mapping[str, Sequence[str]]) -> Sequence[Scaffold]:
    return tuple(
        (kind, re.compile(pattern, re.IGNORECASE | re.VERBOSE))
        for kind in patterns
        for pattern in patterns[kind]
    )


#: Scaffolding at the start of a text.
OPENINGS = _compile(
    {
        "preamble": [rf"\A{pattern}" for pattern in _PREAMBLES],
        "count": [rf"\A{_MARK}{_OPEN}?{_COUNT}{_CLOSE}?{_MARK}[.。]?{_LINE_END}"],
        "heading": [rf"\A{pattern}" for pattern in _HEADINGS],
    }
)
#: Scaffolding at the end of a text.
ENDINGS = _compile(
    {
        "count": [
            rf"{_NEW_LINE}{_MARK}{_OPEN}?[ \t]*+{_COUNT}[ \t]*+[.。]?{_CLOSE}?{_MARK}[.。]?\Z",
            rf"{_SENTENCE_END}\s*+{_MARK}{_OPEN}[ \t]*+{_COUNT}[ \t]*+[.。]?{_CLOSE}{_MARK}\Z",
        ],
        "remark": [
            rf"{_NEW_LINE}{_MARK}{_OPEN}?{_REMARK}[^\n]{{0,300}}\Z",
            rf"{_SENTENCE_END}\s*+{_MARK}{_OPEN}[ \t]*+{_END}[ \t]*+[.。]?{_CLOSE}{_MARK}\Z",
            rf"{_NEW_LINE}(?:-+[ \t]*+)?end[ ]of[ ](?:the[ ]|my[ ])?speech[ \t]*+(?:-+|\.)?\Z",
        ],
    }
)
#: Layers of scaffolding that are taken off at most.
MOST_LAYERS: Final = 20
#: A line that introduces what follows it.
_INTRODUCING_LINE = re.compile(r"\A[^\n]{0,80}[:：][ \t]*+\n\s*")


def is_scaffolding(text: str) -> bool:
    r"""Tell whether a text consists of introductions and remarks alone.

    >>> is_scaffolding("Here is my decision:\n\nI hope this helps!")
    True
    >>> is_scaffolding("Here is my decision:\n\nWork pays.")
    False
    """
    for _ in range(MOST_LAYERS):
        before, text = text, f"\n{text.strip()}"
        for _, pattern in ENDINGS:
            text = pattern.sub("", text)
        text = f"{text.strip()}\n"
        for kind, pattern in OPENINGS:
            text = pattern.sub("", text) if kind == "preamble" else text
        text = _INTRODUCING_LINE.sub("", text).strip()
        if text == before:
            break
    return not any(character.isalnum() for character in text)
