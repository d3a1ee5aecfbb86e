"""Phrases of texts that are no speeches: refusals, questions back, remarks on a speech.

They are one signal among several (see `arena.debates.speech_checks`): a text is refused for none of
them where the rest of it argues.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from arena.languages import Language, sentences

#: The longest refusal: 60 words, or 120 characters in Chinese.
_LONGEST = {"en": 60, "zh": 120}

_CANNOT = r"""(?:cannot|can['’]?t|can[ ]not|won['’]?t|will[ ]not|must[ ]decline[ ]to|decline[ ]to
    |would[ ]rather[ ]not|would[ ]prefer[ ]not[ ]to|(?:am|['’]m)[ ](?:unable|not[ ]able)[ ]to
    |(?:am|['’]m)[ ]not[ ](?:going|comfortable|willing)(?:[ ]to)?|have[ ]to[ ]decline(?:[ ]to)?
    |do(?:n['’]t|[ ]not)[ ]feel[ ]comfortable)"""
_TASK = r"""(?:help(?:ing)?|assist(?:ing)?|comply(?:ing)?|fulfil(?:l)?(?:ing)?|complet(?:e|ing)
    |continu(?:e|ing)|provid(?:e|ing)|creat(?:e|ing)|generat(?:e|ing)|produc(?:e|ing)
    |writ(?:e|ing)|offer(?:ing)?|deliver(?:ing)?|engag(?:e|ing)|participat(?:e|ing)
    |discuss(?:ing)?|tak(?:e|ing)|do(?:ing)?)"""
_STOP = r"(?=[.!?,;:]|\Z)"
_THIS = rf"""(?:(?:this|that|it|such)(?:{_STOP}|(?=[ ](?:an?[ ])?(?:request|task|topic|motion
    |position|side|debate|speech|essay|subject|kind|type|sort|content|argument|for|because|as)\b))
    |your[ ]request\b)"""
_OBJECT = rf"""(?:
    (?:[ ]you)?[ ](?:(?:with|in|on|to|for|against|about)[ ]){{0,2}}{_THIS}
    | [ ](?:in|with)[ ](?:the|a)[ ](?:debate|request|task|topic)\b
    | [ ](?:an?[ ]|the[ ]|any[ ])?(?:requested[ ]|persuasive[ ]|one-sided[ ]|debate[ ]){{0,2}}
        (?:speech|essay|content|arguments?|response|request)
        (?:{_STOP}|[ ](?:for|against|in|on|that)\b)
    | [ ](?:an?[ ]|any[ ]|either[ ])?(?:political[ ]|personal[ ])?(?:sides?|stance|position)
        (?:{_STOP}|[ ](?:on|in)\b)
    | [ ](?:so|part){_STOP}
)"""
_SORRY = r"""(?:I(?:['’]m|[ ]am)[ ](?:very[ ]|really[ ]|so[ ])?(?:sorry|afraid)|I[ ]apologi[sz]e
    |sorry|apologies|unfortunately)"""
_BUT = r"[^.]{0,20}?[,;–—-]?[ ](?:but[ ]|that[ ])?"
_AN_AI = r"""as[ ]an?[ ](?:AI|artificial[ ]intelligence|(?:large[ ])?language[ ]model)
    (?:[ ](?:language[ ])?(?:model|assistant|system|chatbot))?
    (?:[ ](?:developed|created|trained|made|designed)[ ][^,.]{0,40})?,"""
_AN_AI_ZH = r"作为(?:一个|一名|一款)?(?:AI|人工智能|大?语言模型)(?:语言模型|助手|模型|系统)?[，,]"
_SORRY_ZH = r"(?:很抱歉|非常抱歉|抱歉|对不起|不好意思|很遗憾)"
_I_ZH = r"我(?!方|们)"

#: Sentences that decline.
_DECLINES = re.compile(
    rf"""(?:
    (?:{_SORRY}{_BUT})?(?:{_AN_AI}[ ])?I[ ]?{_CANNOT}[ ]{_TASK}{_OBJECT}
    | I[ ]?{_CANNOT}[ ]argu(?:e|ing)(?:[ ](?:for|against|in[ ]favou?r[ ]of))?[ ]
        (?:this|that|either|any)(?:[ ](?:motion|position|side|topic|claim))?[.!]?\Z
    | {_SORRY}{_BUT}(?:{_AN_AI}[ ])?I[ ]?{_CANNOT}[ ]
        (?:argu(?:e|ing)[ ](?:for|against|in)|writ(?:e|ing)|support(?:ing)?[ ]th|defend(?:ing)?[ ]th
        |advocat(?:e|ing)|promot(?:e|ing)|provid(?:e|ing)|engag(?:e|ing)|participat(?:e|ing))
    | {_AN_AI}[ ]I[ ]?(?:{_CANNOT}|do(?:n['’]t|[ ]not))[ ]
    | I[ ](?:must|have[ ]to|respectfully)[ ](?:refuse|decline)
        (?:{_STOP}|[ ]to[ ]{_TASK}|[ ](?:this|that|your)[ ]request)
    | {_SORRY_ZH}[，,！!]?(?:作为[^，,。]{{0,20}}[，,])?{_I_ZH}[^，,。]{{0,4}}
        (?:无法|不能|没法|不便|不会|拒绝)
        (?:为[您你]|帮助|帮[您你]|协助|满足|提供|完成|生成|撰写|创作|参与|讨论|选择|替|代表|就|为|继续)
    | {_AN_AI_ZH}{_I_ZH}[^。]{{0,6}}(?:无法|不能|没有|不会|不便|不持|不选)
    | {_I_ZH}[^，,。]{{0,4}}(?:无法|不能|没法|不便|拒绝)(?:为[您你]|帮[您你]|协助[您你]?|满足|完成)
        [^，,。]{{0,6}}(?:请求|要求|任务|提供|撰写|写|生成)
    )""",
    re.IGNORECASE | re.VERBOSE,
)
#: Sentences that stand beside one that declines: apologies, explanations, offers.
_GOES_WITH = re.compile(
    rf"""(?:
    {_SORRY}\b[^.]{{0,40}}[.!]?\Z
    | (?:(?:however|but|instead),?[ ])?I(?:[ ](?:can|could|would|am)|['’]d|['’]m)[ ]
        (?:be[ ]|happy[ ]|glad[ ]|also[ ]|instead[ ]|only[ ]|just[ ]){{0,3}}
        (?:help|assist|offer|provide|discuss|happy|glad|to[ ]|designed|programmed|an[ ]AI
        |a[ ]language|here[ ]to)
    | (?:please|let[ ]me[ ]know|if[ ]you|is[ ]there|would[ ]you|perhaps[ ]I|thank[ ]you)\b
    | {_AN_AI}
    | I[ ](?:do(?:n['’]t|[ ]not)[ ](?:have|hold|take)|strive|aim|try|was[ ]designed)\b
    | my[ ](?:purpose|guidelines|role|goal|instructions|developers)\b
    | (?:this|it|that|such[ ]\w+|the[ ](?:topic|request|content|motion))
        (?:[ ](?:topic|request|content))?[ ](?:is|goes|would|violates|could|may|might)[ ][^.]*
        (?:guidelines|polic(?:y|ies)|harmful|appropriate|sensitive|unethical|offensive)
    | [^。]{{0,4}}{_SORRY_ZH}[^。]{{0,10}}[。！!]?\Z
    | (?:如果|若|如)?[您你](?:有|需要|可以|愿意|想|希望) | 请
    | 我(?:可以|很乐意|愿意|会尽力|只能|只是|是一[个名款])
    | (?:这|该|此类)[^。]{{0,12}}(?:违反|不符合|敏感|有害|不适当|不合适)
    | {_AN_AI_ZH}
    )""",
    re.IGNORECASE | re.VERBOSE,
)


def is_refusal(text: str, language: Language) -> bool:
    """Tell whether a whole answer is a short refusal to speak.

    >>> from arena.languages import ENGLISH
    >>> is_refusal("I'm sorry, but I can't help with that.", ENGLISH)
    True
    >>> is_refusal("I cannot accept the motion. It hurts the poor.", ENGLISH)
    False
    """
    if language.count(text) > _LONGEST[language.code]:
        return False
    parts = sentences(text)
    declines = [_DECLINES.match(part) is not None for part in parts]
    return any(declines) and all(
        is_decline or _GOES_WITH.match(part)
        for part, is_decline in zip(parts, declines, strict=True)
    )


#: Openings of what is no speech whatever follows: thinking, feedback, advice, the task itself.
_OPENS = re.compile(
    r"""(?:
    the[ ]user[ ](?:wants|asks|asked|needs|is[ ]asking|has[ ]asked)
    | (?:okay|ok|alright|hmm)[,.]?[ ](?:let[ ]me|so[ ](?:the[ ]user|I[ ](?:need|have)))[ ]
    | (?:great|good|excellent|nice)[ ](?:speech|job|draft|essay|work)[!.]
    | (?:feedback|comments|suggestions|tips|advice)[ ](?:on|for)[ ](?:a|an|the|this|your)\b
    | (?:score|rating|grade):[ ]?\d | changes[ ]made: | (?:strengths|weaknesses):
    | (?:to[ ]write|writing|how[ ]to[ ]write|when[ ]writing)[ ]an?[ ](?:\w+[ ]){0,2}
        (?:speech|rebuttal|summary)\b
    | (?:this[ ]is[ ]a|the)[ ]speech(?:[ ]in[ ]the[ ]making|[.:,])
    | I(?:['’]m|[ ]am)[ ]ready[ ]to[ ](?:work|edit|help|assist|answer|start|write)\b
    | you[ ]are[ ](?:the|a)[ ](?:\w+[ ])?(?:speaker|debater)[ ](?:on|for|of)\b
    | before[ ]I[ ](?:begin|start|write|can)[^.?!]{0,40}(?:question|need|confirm|clarif|know)
    | (?:好的[，,]|嗯[，,])?用户(?:需要|要求|想|希望) | (?:本|该|这个)任务(?:要求|是)
    | (?:写好|撰写|要写)一?篇?[^。]{0,8}(?:稿|发言)[，,] | (?:修改|改进)?建议[：:]
    )""",
    re.IGNORECASE | re.VERBOSE,
)
#: What stands in our prompts only, the marks of quotations first: a small model copies them.
COPIED = re.compile(
    r"""</?[0-9a-f]{10}>|<\w+[ ][0-9a-f]{10}[ ]?[|>]|JSON[ ]object[ ]on[ ]a[ ]line
    |words[ ]of[ ]continuous[ ]prose|(?:no|without)[ ]headings?,[ ]quotation[ ]marks
    |(?:at[ ]most[ ]\d+[ ]words|\d{1,9}[ ]words;[ ]at[ ]most[ ]\d+[ ]are[ ]allowed)
    |what['’]s[ ]your[ ]next[ ]question""",
    re.IGNORECASE | re.VERBOSE,
)
#: Sentences that ask the user for something, and those that stand beside them.
_ASKS = re.compile(
    r"""(?:(?:sure|certainly|of[ ]course|okay|ok|hello|hi)[!,.][ ])?(?:
    (?:could|can|would|will)[ ]you[ ](?:please[ ]|kindly[ ])?(?:provide|share|clarify|specify|give
        |send|tell|paste|state|confirm|let[ ]me[ ]know)
    | please[ ](?:provide|share|clarify|specify|give|send|tell|paste|state|confirm|let[ ]me[ ]know)
    | (?:what|which)[ ](?:is|are|was)[ ](?:the|your)[ ](?:motion|topic|side|stage|debate|question)
    | I[ ](?:(?:will|would|['’]ll|['’]d)[ ])?(?:need|require|do(?:n['’]t|[ ]not)[ ](?:have|see))[ ]
    | (?:shall|should)[ ]I[ ](?:go[ ]ahead|write|argue|include|continue)
    | (?:do|would)[ ]you[ ](?:want|like)[ ](?:the|me|a|this)[ ]
    | (?:how[ ]many[ ]words|which[ ]side)[ ](?:should|would|do|am)[ ](?:I|you)\b
    | let[ ]me[ ]know[ ] | how[ ](?:can|may)[ ]I[ ](?:help|assist)
    | (?:请|能否|可以)(?:您|你)?(?:先)?(?:提供|告诉|说明|给出|补充|确认)
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_ASKS_WITH = re.compile(
    r"""(?:it[ ](?:seems|looks|appears)|also,[ ]
    |I[ ](?:can|could|am|hope)[ ]|without[ ]|once[ ](?:you|I)|then[ ]I|thank[ ]you|sure|hello
    |certainly|of[ ]course|I(?:['’]m|['’]d|['’]ll|[ ]am|[ ]will|[ ]would|[ ]can)[ ]
    |您好|你好|好的|谢谢|收到|我(?:会|将|可以|很|需要))""",
    re.IGNORECASE | re.VERBOSE,
)
#: Sentences on a speech instead of in it.
_REMARKS = re.compile(
    r"""(?:
    (?:this|the|your)[ ](?:(?:debate|constructive|rebuttal|summary|original|revised|shortened
        |above|given|provided|following)[ ]){0,2}(?:speech|essay|text|draft|passage|response)
        (?:[ ](?:above|you[ ]provided|provided|below))?[ ]
        (?:is|has|was|contains|lacks|needs|should|could|can[ ]be|must|exceeds|seems|appears
        |effectively|clearly|provides|presents|does|uses|makes|covers|focuses)\b
    | to[ ](?:shorten|improve|revise|edit|strengthen)[ ](?:this|the|your|it)\b
    | here[ ]are[ ](?:some|a[ ]few|several|the)[ ](?:suggestions|ways|tips|changes|edits)
    | you[ ](?:should|could|can|may|might|need[ ]to)[ ](?:also[ ]|then[ ]|consider[ ])?
        (?:remov|cut|shorten|rewrit|revis|edit|add|includ|us(?:e|ing)|try|focus|replac)
    | I(?:['’]ve|[ ]have)?[ ](?:suggest|recommend|shortened|removed|revised|edited|condensed)\b
    | the[ ](?:author|writer)[ ] | I[ ]would[ ](?:remove|cut|shorten|rephrase)[ ]
    | one[ ]thing[ ]you[ ](?:might|could)
    | you(?:['’]re|['’]ve|[ ]are|[ ]have|[ ]were)[ ](?:asked|used|given)\b
    | do[ ]not[ ](?:exceed|introduce|invent|mention)[ ] | (?:output|write|return)[ ]only[ ]
    | (?:use|stay|address|anticipate|avoid|respond)[ ](?:a[ ]clear|within|the[ ](?:judge|time|word
        |arguments[ ]of)|counter|personal|to[ ]the[ ]arguments|evidence[ ]to[ ]support)
    | (?:这篇|该|此|您的|你的|本篇|上述)(?:辩论)?(?:发言稿?|演讲稿?|稿子?|文章|陈词|文本)
        (?:共|有|过长|太长|很|较|是|需要|应|缺|超过|的字数|可以|存在)
    | (?:建议|可以考虑|您可以|你可以)(?:删|缩|改|增|精简|补)
    )""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """What the phrases of a text say it is, instead of a speech.

    Attributes:
        is_whole: whether every sentence of the text is such a phrase, so that nothing else is said.
    """

    meaning: str
    is_whole: bool = False


def find_phrases(text: str, language: Language) -> Phrase | None:
    """Find what the phrases of a text say it is; None where they say nothing.

    >>> from arena.languages import ENGLISH
    >>> find_phrases("Could you please provide the motion?", ENGLISH)
    Phrase(meaning='it asks for something instead of speaking', is_whole=True)
    """
    parts = sentences(text)
    if language.count(text) <= _LONGEST[language.code] and _only_asks(parts):
        return Phrase("it asks for something instead of speaking", is_whole=True)
    remarks = sum(_REMARKS.match(part) is not None for part in parts)
    lines = [line.strip(" *_:：") for line in text.splitlines() if line.strip()]
    faults = {
        "it is about the task instead of a speech": _OPENS.match(text) is not None,
        "it speaks about a speech instead of being one": 2 * remarks >= max(1, len(parts)),
        "it has headings without a text": len(lines) > 2
        and all(_is_heading(line, language) for line in lines),
    }
    return next((Phrase(meaning) for meaning, found in faults.items() if found), None)


def _only_asks(parts: Sequence[str]) -> bool:
    asks = [_ASKS.match(part) is not None for part in parts]
    beside = [ask or _ASKS_WITH.match(part) for part, ask in zip(parts, asks, strict=True)]
    return any(asks) and all(beside)


def _is_heading(line: str, language: Language) -> bool:
    return language.count(line) <= 8 * language.per_word and line[-1:] not in ".!?…。！？;；"
