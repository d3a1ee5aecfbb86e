"""Refusals in words: short answers in which a model declines to speak, in place of a speech.

Only an answer of which every sentence declines, apologises, explains or offers something else is
a refusal. A speech that rejects the motion, or quotes a refusal, is none.
"""

from __future__ import annotations

import re

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
