"""Languages of debates: words for sides, stages and pairs, length of texts, sentences."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any, Literal

from arena.errors import ConfigError

Side = Literal["pro", "con"]
Stage = Literal["constructive", "rebuttal", "summary", "answer"]

SIDES: tuple[Side, Side] = ("pro", "con")
#: The stages of a debate; the other contests have one stage only, `answer`.
STAGES: tuple[Stage, Stage, Stage] = ("constructive", "rebuttal", "summary")
#: Number of speeches of a debate, both sides together.
SPEECHES = 2 * len(STAGES)
ANSWER: Stage = "answer"

#: What participants do: debate a motion, refute it in an essay each, or answer a question.
Contest = Literal["debate", "essay", "question"]
CONTESTS: tuple[Contest, ...] = ("debate", "essay", "question")

#: A bracketed list of numbers, each of which may have a label: `[2]`, `[P2, P7]`, `[正2]`.
BRACKETED_NUMBERS = r"\[(?:[^\W\d_]{0,3}\s?\d+(?:[,，、;； ]++|(?=\])))+\]"
#: The end of a sentence, with the closing quotes and citation marks that belong to it.
_SENTENCE_END = re.compile(
    rf"(?<![.!?])[.!?。！？]+[\"'”’）)]*(?:\s*{BRACKETED_NUMBERS})*(?=\s|[^\x00-\x7f]|$)\s*"
)
_BRACKETED = re.compile(BRACKETED_NUMBERS)
_IDEOGRAPH = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
#: Sentences with fewer words (8 characters in Chinese) make no point.
_SHORT = 5
_OTHER_WORD = re.compile(r"[^\W\u3400-\u9fff\uf900-\ufaff]+(?:['’-]\w+)*")


def other_side(side: Side) -> Side:
    """Return the opponent's side."""
    return "con" if side == "pro" else "pro"


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """One language of debates.

    Attributes:
        code: its name in motion sets and configurations, `en`.
        name: what its speakers call it.
        marks: the letter of each side in citation marks, `P` in `[P3]`.
        terms: other words that are used in prompts, by English keys.
        per_word: units of length per English word: 1 in English, 1.6 characters in Chinese, so
            that a limit of 600 words is one of 960 characters.
    """

    code: str
    name: str
    sides: Mapping[Side, str]
    marks: Mapping[Side, str]
    stages: Mapping[Stage, str]
    terms: Mapping[str, str]
    per_word: float

    def limit(self, words: int) -> int:
        """Convert a limit in words to this language's units (words, or characters in Chinese)."""
        return round(words * self.per_word)

    def count(self, text: str) -> int:
        """Count the length of a text: words, or in Chinese characters plus foreign words.

        The label of a citation mark has no length: `[P3]` counts as much as `[3]`.
        """
        if self.code == "zh":
            text = _BRACKETED.sub(self._unlabel, text)
            return len(_IDEOGRAPH.findall(text)) + len(_OTHER_WORD.findall(text))
        return len(text.split())

    def _unlabel(self, mark: re.Match[str]) -> str:
        text = mark[0]
        for letter in self.marks.values():
            text = text.replace(letter, "")
        return text


def sentences(text: str) -> list[str]:
    """Split a text into its sentences, without the blanks between them.

    >>> sentences("One. [2] Two? 三。四！")
    ['One. [2]', 'Two?', '三。', '四！']
    """
    text = text.strip()
    ends = [0, *(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]
    parts = [text[start:end].strip() for start, end in zip(ends, ends[1:], strict=False)]
    return [part for part in parts if part]


def leading_sentences(text: str, language: Language, *, most: int = 5) -> list[str]:
    """Pick the first sentence of each paragraph, then the longest others, in the text's order.

    A simple rule instead of a model that finds a text's main points.

    Args:
        text: paragraphs, one per line.
        language: measures the length of sentences; very short ones are left out.
        most: how many sentences to pick at most.
    """
    paragraphs = [
        [
            sentence
            for sentence in sentences(line)
            if language.count(sentence) >= _SHORT * language.per_word
        ]
        for line in text.split("\n")
    ]
    first = [paragraph[0] for paragraph in paragraphs if paragraph][:most]
    others = [sentence for paragraph in paragraphs for sentence in paragraph[1:]]
    longest = sorted(others, key=language.count, reverse=True)[: most - len(first)]
    picked = {*first, *longest}
    return [sentence for paragraph in paragraphs for sentence in paragraph if sentence in picked][
        :most
    ]


#: The file of each language's words, by code.
FILES: Mapping[str, str] = {"en": "english.toml", "zh": "chinese.toml"}
_TABLES = {
    code: tomllib.loads((files("arena.languages") / name).read_text("utf-8"))
    for code, name in FILES.items()
}
#: Tables of these files that are no fields of a `Language`.
_OTHER_TABLES = ("pair", "making")

LANGUAGES: Mapping[str, Language] = {
    code: Language(**{key: value for key, value in table.items() if key not in _OTHER_TABLES})
    for code, table in _TABLES.items()
}
ENGLISH, CHINESE = LANGUAGES["en"], LANGUAGES["zh"]


def language(code: str) -> Language:
    """Return the language with a code.

    Raises:
        ConfigError: the code is not one of LANGUAGES.
    """
    try:
        return LANGUAGES[code]
    except KeyError:
        known = ", ".join(LANGUAGES)
        raise ConfigError(f"unknown language {code!r}. Accepted: {known}.") from None


def _make_pair_language(language: Language) -> Language:
    pair = _TABLES[language.code]["pair"]
    terms = {**language.terms, **pair["terms"]}
    return replace(language, sides=pair["sides"], marks=pair["marks"], terms=terms)


_PAIR_LANGUAGES = {code: _make_pair_language(language) for code, language in LANGUAGES.items()}


def pair_language(language: Language) -> Language:
    """Return a language with the words for a pair of answers instead of sides and speeches."""
    return _PAIR_LANGUAGES[language.code]


def contest_language(language: Language, contest: str | None) -> Language:
    """Return a language with the words of a contest: those of pairs unless it is a debate."""
    return language if contest in (None, "debate") else pair_language(language)


def task_text(language: Language, contest: str, motion: str) -> str:
    """Return the task of a contest in words: the motion itself, or the essay that refutes it."""
    return language.terms["refute"].format(motion) if contest == "essay" else motion


@dataclass(frozen=True, slots=True, kw_only=True)
class MakingWords:
    """The words of one language in which readers are shown how a speech was made.

    Attributes:
        phrases: what agents do, by key; with `{}` where something is filled in.
        fallbacks: what was done without an answer, by the English words in traces.
        caps: what a limit counts, by the option that sets it.
    """

    phrases: Mapping[str, str]
    agents: Mapping[str, str]
    fallbacks: Mapping[str, str]
    caps: Mapping[str, str]
    faults: Mapping[str, str]

    def phrase(self, key: str, *values: object) -> str:
        """Return a phrase with its values filled in."""
        return self.phrases[key].format(*values)

    def agent(self, name: str) -> str:
        """Return the name of an agent; one that is unknown keeps the name in the trace."""
        return self.agents.get(name, name)

    def fallback(self, name: str) -> str:
        """Return what was done without an answer; one that is unknown stays as in the trace."""
        return self.fallbacks.get(name, name)

    def cap(self, option: str) -> str:
        """Say which limit is reached; of an option that is unknown, it names the option."""
        return self.phrase("cap", self.caps.get(option, option))

    def fault(self, name: str) -> str:
        """Return what was wrong with an answer; what is unknown keeps the name in the trace."""
        return self.faults.get(name, name)


def _read_making_words(table: Mapping[str, Any]) -> MakingWords:
    tables = {key: value for key, value in table.items() if not isinstance(value, str)}
    return MakingWords(phrases={key: table[key] for key in table.keys() - tables}, **tables)


_MAKING_WORDS = {code: _read_making_words(table["making"]) for code, table in _TABLES.items()}


def making_words(language: Language) -> MakingWords:
    """Return the words of a language in which readers are shown how a speech was made."""
    return _MAKING_WORDS[language.code]
