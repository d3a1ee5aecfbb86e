"""Checks that a text is a speech, is in the debate's language and speaks for one side only.

The checks ask no model. They go by what the text consists of (`arena.debates.speech_content`);
phrases are one signal among several. A fault is certain only where clearly nothing was said in the
language of the debate; else it is doubtful: the text is asked for once more, then played, marked,
and judged. A speech that quotes, names or answers the other side, or a refusal, is no fault. How
often the checks are wrong is measured by `benchmarks/speech_checks.py`.
"""

from __future__ import annotations

import re
from itertools import pairwise

from arena.debates.speech_content import Content, known_share, read_content
from arena.debates.speech_phrases import COPIED, find_phrases, is_refusal
from arena.errors import BothSides, ContentFault, NoSpeech, Refusal, WrongLanguage
from arena.languages import SIDES, Language, Side, other_side

#: Shorter texts (words) pass the language check: a name or a number can be in any script.
_LEAST_WORDS = 12
#: A shorter labelled block (words) only recapitulates what a side said.
_LEAST_BLOCK_WORDS = 40
#: Share of the opponent's words from which a text speaks for both sides.
_LEAST_OPPONENT_SHARE = 0.25
#: Chinese characters that are as long as one English word.
_CHARACTERS_PER_WORD = 1.6

_IDEOGRAPH = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]+(?:['’-][A-Za-z\u00c0-\u024f]+)*")
#: Letters of any other script: kana, Hangul, Cyrillic, Greek, Arabic and so on.
_OTHER_SCRIPT = re.compile(r"[^\W\d_A-Za-z\u00c0-\u024f\u3400-\u9fff\uf900-\ufaff]")

#: Quoted text with its marks; of some 300 words at most.
QUOTATION = re.compile(
    r"“[^”]{0,2000}+”|‘[^’\n]{0,2000}+’(?!\w)|\"[^\"\n]*\"|「[^」]{0,2000}+」|『[^』]{0,2000}+』"
    r"|《[^》]{0,2000}+》|«[^»]{0,2000}+»"
)
_ADDRESS = re.compile(r"https?://\S+|www\.\S+")
#: A line of a list of sources, or a line quoted as in Markdown.
_SOURCE_LINE = re.compile(r"^[ \t]*(?:\[[^\W\d_]{0,3}\d{1,3}\]|>).*$", re.MULTILINE)

_EMPHASIS = r"(?:\*{1,3}|_{1,2})?"
_STAGE = (
    r"(?:(?:opening|closing|first|second|third)[ \t]++)?"
    r"(?:constructive|rebuttal|summary|statement|speech|立论|驳论|总结|陈词|发言|[一二三四]辩)"
    r"(?:[ \t]++(?:speech|statement)|陈词|发言|稿)?"
)
#: A side as a speaker label at the start of a line: plain, emphasised, in brackets or as a
#: heading, optionally with its stage, and followed by a colon or the end of the line.
_LABEL = re.compile(
    rf"^[ \t]*+(?:#{{1,6}}[ \t]++)?{_EMPHASIS}[【\[（(]?[ \t]*+(?:the[ \t]++)?"
    r"(?:(?P<pro>pro|affirmative|proposition|正方)|(?:con|negative|opposition|反方))"
    r"(?:[ \t]++(?:side|team|speaker|debater))?"
    rf"(?:[ \t]*+[-–—:：,，(（·]?[ \t]*+{_STAGE}[)）]?)?"
    rf"[ \t]*+[】\]）)]?{_EMPHASIS}[ \t]*+(?:[:：][ \t]*+{_EMPHASIS}|$)",
    re.IGNORECASE | re.MULTILINE,
)


#: Share of the length asked for that a speech has at least, and the length (words) that is asked
#: of every speech whose limit is at least twice as long.
_LEAST_SHARE, _LEAST_LENGTH = 0.05, 8

#: What stands where a text is to be put in.
_PLACEHOLDER = re.compile(
    r"""[\[【<{(][ ]?(?:insert|your|add|write|enter|fill|describe|provide|placeholder|speech
    |argument|name|topic|此处|在此|请|插入|填写|待)[^\]】>})\n]{0,150}[\]】>})]""",
    re.IGNORECASE | re.VERBOSE,
)
#: Where a word is to be put in, in a text that is all there otherwise; sources are not.
_SLOT = re.compile(r"_{4,}|\bX{3}\b|[\[【](?!\w?\d+[\]】])(?:(?!\d{4})[^\[\]【】\n]){2,40}[\]】]")
#: Words for each slot of a text that is to be filled in.
_WORDS_PER_SLOT = 12
#: Words (in Chinese 1.6 characters each) from which the content of a text is judged.
_LEAST_CONTENT = 5
#: By how much words on the task outweigh words that argue (of which each counts this share), in
#: ten words, in a text that is no speech, of 60 words at most; what is added for each word more,
#: and for each of three words that it shares with its motion.
_TASK, _ARGUING, _TASK_LONGER, _TASK_SHARED = 0.45, 0.35, 1 / 200, 0.1
#: Shares of marks of code, of digits, of words that exist, from which a text is doubtful.
_MOST_SYMBOLS, _MOST_DIGITS, _LEAST_KNOWN = 0.09, 0.25, 0.65
#: The share of a text in another script, or of words that do not exist, from which its language
#: is another.
_MOST_FOREIGN = 0.5
#: A text of so many words that compresses to less, with a smaller share of different words, repeats
#: itself; with so few of them, it says nothing else.
_LEAST_REPEATED, _LEAST_ENTROPY, _LEAST_DISTINCT, _FEW_WORDS = 40, 0.3, 0.1, 12
#: By how much words on the task and half of those said to whoever asked outweigh words that argue,
#: in a text that shares no word with its motion; as much again for each that it shares.
_ASIDE = 0.25
#: Words from which a text that shares none, one or more words with its motion is on another matter,
#: unless it has so many words that argue in ten.
_LEAST_MATTER, _LEAST_ARGUING = 25, (0.3, 0.1, 0.0)
#: Shares of words that join others, from which words are sentences.
_LEAST_JOINING, _MOST_JOINING = {"en": 0.2, "zh": 0.1}, 0.8


def find_no_speech(
    text: str, language: Language, *, words: int, motion: str = "", heard: str = ""
) -> NoSpeech | None:
    """Return why a text is no speech at all; None where it may be one.

    >>> from arena.languages import ENGLISH
    >>> fault = find_no_speech("Could you please provide the motion?", ENGLISH, words=10)
    >>> fault.reason, fault.doubtful
    ('it asks for something instead of speaking', False)

    Args:
        words: the length that is allowed, in the units of the language.
        motion: what the speech is about; '' where that is not known.
        heard: what the other side has said so far.
    """
    text = text.strip().lstrip("#* ")
    content = read_content(text, language, motion=motion, heard=heard)
    if reason := _nothing_said(text, content, language, words):
        return NoSpeech(reason, excerpt=_excerpt(text))
    weight = content.task - _ARGUING * content.arguing
    phrase = find_phrases(text, language)
    if phrase and phrase.is_whole and weight >= _TASK:
        return NoSpeech(phrase.meaning, excerpt=_excerpt(text))
    reason = _doubt(text, content, language, words)
    if not reason and phrase and weight >= _TASK / 2:
        reason = phrase.meaning
    return NoSpeech(reason, excerpt=_excerpt(text), doubtful=True) if reason else None


def _nothing_said(text: str, content: Content, language: Language, words: int) -> str:
    """Return why clearly nothing was said; '' where something may be."""
    least = min(_LEAST_LENGTH * language.per_word, words / 2)
    length = language.count(text)
    noun = "characters" if language.code == "zh" else "words"
    rest = language.count(_PLACEHOLDER.sub("", text))
    faults = {
        f"it has {length} {noun} where up to {words} were asked for": length < least,
        f"it has {content.length} {noun} of letters": content.length < least,
        "it has placeholders instead of a text": rest < min(length, max(1.0, least)),
        "it repeats the same few words": _repeats(content) and content.distinct <= _FEW_WORDS,
    }
    return next((fault for fault, found in faults.items() if found), "")


def _doubt(text: str, content: Content, language: Language, words: int) -> str:
    """Return why a text may be no speech; '' where there is no doubt."""
    length = language.count(text)
    long = length / language.per_word
    weight = content.task - _ARGUING * content.arguing
    limit = _TASK + max(0.0, long - 60) * _TASK_LONGER + min(3, content.shared) * _TASK_SHARED
    noun = "characters" if language.code == "zh" else "words"
    has_content = long >= _LEAST_CONTENT
    faults = {
        f"it has {length} {noun} where up to {words} were asked for": length < _LEAST_SHARE * words,
        "it has placeholders instead of a text": _is_template(text, language, length),
        "it copies the prompt": COPIED.search(text) is not None,
        "it is an object or code": has_content and content.symbols >= _MOST_SYMBOLS,
        "it consists of numbers": has_content and content.digits >= _MOST_DIGITS,
        "its words are of no language": long >= _LEAST_WORDS and content.known < _LEAST_KNOWN,
        "it repeats itself": _repeats(content),
        "it is about the task, not about the motion": has_content and weight >= limit,
        "its words form no sentences": long >= _LEAST_MATTER
        and not _LEAST_JOINING[language.code] <= content.joining <= _MOST_JOINING,
        "it says nothing on its motion": has_content and _is_aside(content, long),
        "it is on another matter than the motion": long >= _LEAST_MATTER
        and content.arguing < _LEAST_ARGUING[min(content.shared, 2)]
        and content.has_motion,
    }
    return next((fault for fault, found in faults.items() if found), "")


def _is_aside(content: Content, long: float) -> bool:
    """Tell whether a text has few words of its motion, and many that are said to whoever asked."""
    weight = content.task + content.aside / 2 - _ARGUING * content.arguing
    limit = _ASIDE * (1 + content.shared) + max(0.0, long - 60) * _TASK_LONGER
    return content.has_motion and weight >= limit


def _repeats(content: Content) -> bool:
    is_long = content.length >= _LEAST_REPEATED
    is_poor = content.distinct < _LEAST_DISTINCT * content.length
    return is_long and is_poor and content.entropy < _LEAST_ENTROPY


def _is_template(text: str, language: Language, length: int) -> bool:
    slots = len(_SLOT.findall(text))
    many = slots > 2 and length < slots * _WORDS_PER_SLOT * language.per_word
    return many or language.count(_PLACEHOLDER.sub("", text)) < length / 2


def resembles(shorter: str, draft: str) -> bool:
    """Tell whether a text can be a shortened draft: at least half of its words stand in that."""
    own, known = _shingles(shorter), _shingles(draft)
    return 2 * len(own & known) >= len(own)


def _shingles(text: str) -> set[str]:
    """Return the longer words of a text, and the pairs of its Chinese characters."""
    text = text.lower()
    characters = "".join(_IDEOGRAPH.findall(text))
    pairs = {first + second for first, second in pairwise(characters)}
    return {word for word in _LATIN.findall(text) if len(word) > 3} | pairs


def speech_fault(
    text: str, side: Side, language: Language, *, words: int, motion: str = "", heard: str = ""
) -> ContentFault | None:
    """Return why a text is no speech of a side in a language, or None where it is one.

    Args:
        words: the length that is allowed, in the units of the language.
        motion: what the speech is about; '' where that is not known.
        heard: what the other side has said so far.
    """
    if is_refusal(text, language):
        return Refusal(f"the text declines to speak: {_excerpt(text)}")
    share = foreign_share(text, language) or unknown_share(text, language)
    if share > _MOST_FOREIGN:
        return WrongLanguage(f"{share:.0%} of the speech is not in the language {language.code!r}.")
    if speaks_for_both(text, side):
        return BothSides("the text contains speeches of both sides.")
    return find_no_speech(text, language, words=words, motion=motion, heard=heard)


def _excerpt(text: str) -> str:
    return " ".join(text.split())[:200]


def foreign_share(text: str, language: Language) -> float:
    """Return the share (0 to 1) of a text that is not in the script of its language.

    Quotations, web addresses and lists of sources are not counted, and a text of less than 12
    words has a share of 0. Languages that share a script are not told apart.

    >>> from arena.languages import language
    >>> foreign_share("四天工作制提高效率，也让员工更健康，因此值得推广。", language("en"))
    1.0
    >>> foreign_share("OECD 与 IMF 的研究都支持四天工作制提高效率的结论。", language("zh")) < 0.3
    True
    """
    own = _own_words(text)
    ideographs = len(_IDEOGRAPH.findall(own)) / _CHARACTERS_PER_WORD
    latin = float(len(_LATIN.findall(own)))
    other = len(_OTHER_SCRIPT.findall(own)) / _CHARACTERS_PER_WORD
    total = ideographs + latin + other
    if total < _LEAST_WORDS:
        return 0.0
    return (total - (ideographs if language.code == "zh" else latin)) / total


def unknown_share(text: str, language: Language) -> float:
    """Return the share (0 to 1) of the words of a text that do not exist in its language.

    Quotations and sources are not counted, a text of less than 12 words has a share of 0, and so
    has one in Chinese, whose words are not parted.
    """
    words = [word.lower() for word in _LATIN.findall(_own_words(text))]
    if language.code == "zh" or len(words) < _LEAST_WORDS:
        return 0.0
    return 1.0 - known_share(part for word in words for part in re.split(r"['’-]", word))


def speaks_for_both(text: str, side: Side) -> bool:
    """Tell whether a text holds speeches of both sides, each after its speaker's label.

    Both sides need a block of at least 40 words after a label at the start of a line, so that
    headings and lists of clashes with a line for each side are no fault; quotations do not count.
    """
    labels = list(_LABEL.finditer(text))
    ends = [*(label.start() for label in labels[1:]), len(text)]
    blocks = [  # what follows each label: the side and the length in words
        (
            "pro" if label["pro"] else "con",
            _count_words(_own_words(text[label.end() : end])),
        )
        for label, end in zip(labels, ends[: len(labels)], strict=True)
    ]
    if {speaker for speaker, _ in blocks} != set(SIDES):
        return False
    opponent_words = [words for speaker, words in blocks if speaker == other_side(side)]
    own_words = [words for speaker, words in blocks if speaker == side]
    share = sum(opponent_words) / max(1.0, _count_words(_own_words(text)))
    return share >= _LEAST_OPPONENT_SHARE and all(
        max(words) >= _LEAST_BLOCK_WORDS for words in (opponent_words, own_words)
    )


def labels_both_sides(text: str) -> bool:
    """Tell whether lines of a text begin with the labels of both sides."""
    return len({bool(label["pro"]) for label in _LABEL.finditer(text)}) == len(SIDES)


def _own_words(text: str) -> str:
    """Remove quotations, web addresses and lists of sources from a text."""
    for pattern in (_SOURCE_LINE, _ADDRESS, QUOTATION):
        text = pattern.sub(" ", text)
    return text


def _count_words(text: str) -> float:
    return len(_IDEOGRAPH.findall(text)) / _CHARACTERS_PER_WORD + len(_LATIN.findall(text))
