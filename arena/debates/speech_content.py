"""What a text consists of: words that exist, words on a task, words that argue, its motion's words.

The signals are densities and shares, none of which a single phrase can move far. They read a text
once and ask no model. English words are looked up in the dictionary of simplemma (Barbaresi 2026,
MIT); Chinese has no blanks between words, so its characters are counted.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from arena.languages import Language

_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_IDEOGRAPH = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
#: Marks of code, of data and of forms to be filled in, and what is no mark in a speech's Markdown.
_SYMBOL = re.compile(r"[{}<>=|\\`$@;\[\]\"]|_(?=\w|_)")
_BLANKS = re.compile(r"\s+")

#: Words on the task and on whoever set it: writing, requests, helping, machines, the judging.
_TASK_EN = re.compile(
    r"""\b(?:speech(?:es)?|drafts?|essays?|versions?|word[ ]count|writ(?:e|ing|ten)|rewrite
    |requests?|requested|prompts?|assistant|language[ ]model|helps?|helpful|assist(?:ance)?
    |provided?|clarify|confirm|paste|outline[sd]?|instructions?|constraints?|users?|response
    |generat(?:e|ed|ing)|files?|documents?|server|errors?|usage|technical|formats?
    |paragraphs?|headings?|structured?|tone|audience|topics?|revis(?:e|ed)|edit(?:ed)?|adjust
    |shorten|feedback|drafting|inbox|moment|try[ ]again|winners?|scores?|teams?|speakers?
    |delivery|greeting|closing|sentences?|opinions
    |summar(?:y|ies|ised)|title|attached?|upload(?:ed)?|loading|session|log[ ]in|contact)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_BESIDE_EN = re.compile(
    r"""\b(?:you|your|please|sorry|apolog\w{2,5}|unable|unfortunately|let[ ]me|I(?:['’]ll|['’]m
    |['’]d)|sure|okay|sides?|motion|debates?|judges?|arguments?|points?|AI|model|questions?
    |words|proposition|opposition|first|second|good|great|thanks?|happy|hope|love)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_TASK_ZH = re.compile(
    r"发言稿?|稿|字数|抱歉|对不起|无法|不能提供|辩题|评委|系统|用户|提供|撰写|生成|助手|模型|列表|论点"
    r"|论据|题目|格式|要求|思路|结构|资料|立论|陈词|赛制|打分|环节|写|您|请求|重试|服务|不便|字以|修改"
)
_BESIDE_ZH = re.compile(r"请|正方|反方|帮|希望|谢谢|好的|满意|以上|以下|可以|首先|其次|加油|不错")
#: Words that are said to whoever asked, which weigh where a text has no word of its motion:
#: declining, chatting, excuses, faults of a service.
_ASIDE_EN = re.compile(
    r"""\b(?:neutral|impartial|even-handed|stances?|one-sided|persuasive|contents?|guidelines|topic
    |declin(?:e|ing)|comfortable|participat(?:e|ing)|tak(?:e|ing)[ ](?:part|sides)|weigh[ ]in
    |inconvenience|patience|glitch|wrong|connection|time[ds]?[ -]?out|retry|reload|refresh|busy
    |unavailable|maintenance|overloaded|support|administrator|account|subscription|chat\w*|hello|hi
    |hey|welcome|glad|today|myself|prefer|discuss(?:ing)?|offer|share|talk(?:ing)?|understand(?:ing)?
    |later|again|available|asking|reply|mistake|my[ ]end|home[ ]page|subject|matter|balanced
    |sources?|views?|perspectives?|I|me|my)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_ASIDE_ZH = re.compile(
    r"中立|立场|话题|敏感|聊|回复|见谅|谅解|故障|异常|超时|刷新|登录|客服|维护|繁忙|稍后|稍等"
    r"|等一会|一会儿|不好意思|给您|语气|润色|全文|行不行|内容|我(?!们|方)|你"
)
#: Words that weigh, oppose, demand or give a reason.
_ARGUES_EN = re.compile(
    r"""\b(?:because|since|therefore|thus|hence|if|but|yet|should|must|ought|why|than|instead
    |unless|although|though|while|whereas|nor|not|no|never|nobody|none|nothing|neither|only|every
    |rather|worse|better|more|less|fewer|costs?|pays?|paid|fair|right|rights|wrong|freedom|law
    |laws|harms?|people|public|opponents?|our|us|we|who|whose|cannot|still|even|ban|state|children)
    \b""",
    re.IGNORECASE | re.VERBOSE,
)
_ARGUES_ZH = re.compile(
    r"因为|所以|如果|岂|矣|故当|但|却|应当|应该|必须|才|不|而|难道|凭什么|对方|我们|我方|更|就|谁"
    r"|只|吗|无|没|何|让|比|会"
)
#: What remarks are about besides, and the share of words on the task in those.
_REMARK = re.compile(
    r"\b(?:rebuttals?|constructive|changes|modif\w{1,8}|anything[ ]else|expand|limit|end|thanks?"
    r"|thank[ ]you)\b|谢谢|不客气|帮助|调整|完|字",
    re.IGNORECASE,
)
_LEAST_REMARK = 0.09
#: Words of motions that every text has.
_COMMON = frozenset(
    """this house would should believes that the and for with from not all more their than them
    they his her you your our are was have has into about thinks prefers supports regrets opposes
    ban make give use its can will over does who what world than time times day days year years one
    way ways new good first end life people own more""".split()
)
_COMMON_ZH = frozenset("应该当禁止的是不可以要人更比会有在和")
#: Words that join others into sentences.
_JOINING = frozenset(
    """the of to and a in is it you that he was for on are with as i his they be at one have this
    from or had by not but what all were we when your can there an which she do their if will
    up about out then them these so some her would make him into has more no way could my than
    been who its now did get may our how those only any own too very should must where why
    while because just also much every such nor yet us me said am""".split()
)
_JOINING_ZH = frozenset(
    "的了是在不有也就都和与及或但而却把被让对从向为以因所其之这那我你您他她它们谁么什吗呢吧啊得地着过会能要可应"
    "该没无很更最只才又还个一些人说若如则于"
)
_STEM = 5
#: Words in common with what the other side said that count as one in common with the motion.
_HEARD = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What a text consists of.

    Attributes:
        length: words of letters, or Chinese characters and words beside them.
        known: share of the words that exist in the language, 0 to 1; 1 of no words, and in Chinese.
        distinct: number of different words.
        entropy: bytes that the text takes when it is compressed, by its bytes; low of repetition.
        task: words on the task in ten words; aside: those said to whoever asked; arguing: those
            that argue.
        joining: share of words that join others into sentences, 0 to 1.
        shared: how many of the motion's own words (in Chinese pairs of characters) it has; of
            none, a quarter of those of what the other side said.
        has_motion: whether the motion is known.
        symbols: share of marks of code and data in all characters; digits: of digits.
    """

    length: int
    known: float
    distinct: int
    entropy: float
    task: float
    aside: float
    arguing: float
    joining: float
    shared: int
    has_motion: bool
    symbols: float
    digits: float


def read_content(text: str, language: Language, *, motion: str = "", heard: str = "") -> Content:
    """Read what a text consists of.

    >>> from arena.languages import ENGLISH
    >>> content = read_content("We must close zoos, because cages harm.", ENGLISH, motion="Zoos")
    >>> content.known, content.shared, content.arguing > 3 * content.task
    (1.0, 1, True)
    """
    is_chinese = language.code == "zh"
    words = [word.lower() for word in _WORD.findall(text)]
    characters = _IDEOGRAPH.findall(text)
    units = characters + words if is_chinese else words
    length = len(units)
    tens = max(1.0, length / (10 * language.per_word))
    task, beside = (_TASK_ZH, _BESIDE_ZH) if is_chinese else (_TASK_EN, _BESIDE_EN)
    arguing = _ARGUES_ZH if is_chinese else _ARGUES_EN
    aside = _ASIDE_ZH if is_chinese else _ASIDE_EN
    joining = _JOINING_ZH if is_chinese else _JOINING
    own = _key_words(text, language)
    solid = _BLANKS.sub("", text)
    raw = text.encode("utf-8", "replace")
    return Content(
        length=length,
        known=1.0 if is_chinese else known_share(words),
        distinct=len(set(units)),
        entropy=len(zlib.compress(raw)) / max(1, len(raw)),
        task=(_count(task, text, motion) + _count(beside, text, motion) / 2) / tens,
        aside=_count(aside, text, motion) / tens,
        arguing=_count(arguing, text) / tens,
        joining=sum(unit in joining for unit in units) / max(1, length),
        shared=len(own & _key_words(motion, language))
        or len(own & _key_words(heard, language)) // _HEARD,
        has_motion=bool(motion),
        symbols=_count(_SYMBOL, solid) / max(1, len(solid)),
        digits=sum(map(str.isdigit, solid)) / max(1, len(solid)),
    )


def is_about_task(words: str) -> bool:
    """Tell whether a few words, of either language, are on the task, such as a remark on a text.

    >>> is_about_task("Let me know if you need any changes to the speech.")
    True
    >>> is_about_task("Let me know if there is one city that went back.")
    False
    """
    length = max(10.0, len(_WORD.findall(words)) + len(_IDEOGRAPH.findall(words)) / 1.6)
    task = sum(_count(pattern, words) for pattern in (_TASK_EN, _TASK_ZH, _REMARK))
    beside = _count(_BESIDE_EN, words) + _count(_BESIDE_ZH, words)
    return task > 0 and (task + beside / 2) / length >= _LEAST_REMARK


def _count(pattern: re.Pattern[str], text: str, motion: str = "") -> int:
    """Count what a pattern finds in a text; words that the motion is about do not count."""
    motion = motion.casefold()
    return sum(word[0].casefold()[:_STEM] not in motion for word in pattern.finditer(text))


def known_share(words: Iterable[str]) -> float:
    """Return the share of English words, in lower case, that exist; 1 of none."""
    long = [word for word in words if len(word) > 1]
    return sum(map(_is_known, long)) / len(long) if long else 1.0


@lru_cache(maxsize=50_000)
def _is_known(word: str) -> bool:
    from simplemma import is_known  # noqa: PLC0415 - its dictionary takes half a second to load

    return bool(is_known(word, lang="en"))


def _key_words(text: str, language: Language) -> set[str]:
    """Return the beginnings of a text's own words, or its pairs of Chinese characters."""
    if language.code == "zh":
        characters = "".join(_IDEOGRAPH.findall(text))
        return {a + b for a, b in pairwise(characters) if not {a, b} <= _COMMON_ZH}
    words = (word.lower() for word in _WORD.findall(text))
    return {word[:_STEM] for word in words if len(word) > 2 and word not in _COMMON}
