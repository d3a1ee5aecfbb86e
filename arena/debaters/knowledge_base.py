"""The results of a side's searches, numbered once for the debate, and queries made from texts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from arena.languages import Side, sentences
from arena.languages.marks import MARKS
from arena.records import Reference
from arena.search.tool import Finding


class KnowledgeBase:
    """A side's motion knowledge base: the results of its searches, and which of them it kept.

    Args:
        side: whose results they are; its letter stands in their marks.

    Attributes:
        references: all results, numbered from 1 in the order in which they were found.
        conclusions: what the Searcher concluded, by question.
    """

    def __init__(self, side: Side) -> None:
        self._side = side
        self.references: list[Reference] = []
        self.conclusions: dict[str, str] = {}
        self._kept: set[int] = set()

    def add(self, findings: tuple[Finding, ...]) -> list[Reference]:
        """Number the findings and return them without repeats; known ones keep their number."""
        known = {(old.origin, old.excerpt): old for old in self.references}
        numbered: dict[int, Reference] = {}
        for finding in findings:
            key = (finding.origin, finding.excerpt)
            if key not in known:
                number = len(self.references) + 1
                known[key] = Reference(
                    number=number,
                    origin=finding.origin,
                    excerpt=finding.excerpt,
                    side=self._side,
                )
                self.references.append(known[key])
            numbered[known[key].number] = known[key]
        return list(numbered.values())

    def keep(self, numbers: list[int]) -> list[Reference]:
        """Keep the references of the given numbers, and return those that exist."""
        existing = [n for n in dict.fromkeys(numbers) if 1 <= n <= len(self.references)]
        self._kept.update(existing)
        return [self.references[n - 1] for n in existing]

    @property
    def kept(self) -> list[Reference]:
        """The references that were kept, by number."""
        return [self.references[n - 1] for n in sorted(self._kept)]


def trace_references(references: Iterable[Reference]) -> list[dict[str, Any]]:
    """Return references as JSON for a trace, by number."""
    ordered = sorted(references, key=lambda reference: reference.number)
    return [
        {"number": reference.number, "origin": reference.origin, "excerpt": reference.excerpt}
        for reference in ordered
    ]


#: The longest query, in characters, that search engines accept (Tavily's limit).
LONGEST_QUERY = 400

#: What a clause of greeting, thanks or address begins with.
_COURTESY = re.compile(
    r"(?:and )?(?:good (?:morning|afternoon|evening|day)|hello|hi|dear|ladies and gentlemen"
    r"|welcome to|(?:many )?thank you|thanks(?! to\b)"
    r"|(?:we|i)(?: would like to)? (?:thank|greet|welcome)"
    r"|(?:mr|mrs|ms|madam|mister|madame)\.? (?:chair|speaker|president)"
    r"|(?:honou?rable|esteemed|respected|distinguished|fellow|my fellow) (?:judges?|jury|chair"
    r"|audience|guests|opponents|colleagues|members|adjudicators|friends|debaters|ladies)"
    r"|it is (?:an honou?r|a pleasure|my pleasure)|my name is"
    r"|(?:judges|everyone|everybody|friends|(?:the )?chair\w*)(?=\s*[,!.:]))(?!\w)"
    r"|各位|尊敬的|敬爱的|亲爱的|大家好|你好|您好|谢谢|感谢|多谢|主席[，,好]|评委|女士们|先生们|朋友们"
    r"|对方辩友[，,好]|(?:早上|上午|中午|下午|晚上)好|很高兴|很荣幸|我是(?:正方|反方)",
    re.IGNORECASE,
)
#: A clause of a sentence with the mark that ends it.
_CLAUSE = re.compile(r"[^,，:：!！?？.。;；—]*(?:[,，:：!！?？.。;；—]+\s*|$)")
#: Words (in Chinese pairs of characters) without which a sentence says nothing to search for.
_FEWEST = 4
_WORD = re.compile(r"[\u3400-\u9fff]{2}|[^\W\u3400-\u9fff]+(?:['’-]\w+)*")


def opening(speech: str) -> str:
    """Return the first sentences of a speech with content as a query.

    Citations are left out, and at the beginning greetings, thanks and very short sentences.

    >>> opening("Good evening, judges. Wages rise year by year [P1]. So does output.")
    'Wages rise year by year. So does output.'
    >>> opening("Thank you. Wages rise.")
    'Wages rise.'
    """
    text = " ".join(MARKS.remove(speech).split())
    return _leading(_skip_courtesies(text))


def shorten_query(text: str) -> str:
    r"""Return a text as a query: its first sentences within the limit.

    >>> shorten_query("Wages rise.\nSo does output.")
    'Wages rise. So does output.'
    """
    return _leading(" ".join(text.split()))


def _leading(text: str) -> str:
    end = 0
    for sentence in sentences(text):
        after = text.index(sentence, end) + len(sentence)
        if after > LONGEST_QUERY:
            break
        end = after
    return text[: end or LONGEST_QUERY].strip()


def _skip_courtesies(text: str) -> str:
    """Return a text from its first sentence with content; all without courtesy if none has any."""
    end, courteous = 0, 0
    for sentence in sentences(text):
        start = text.index(sentence, end)
        end = start + len(sentence)
        rest = _without_courtesy(sentence)
        if len(_WORD.findall(rest)) >= _FEWEST:
            return text[end - len(rest) :]
        if not rest and courteous == start:
            courteous = min(end + 1, len(text))
    return text[courteous:].strip() or text


def _without_courtesy(sentence: str) -> str:
    """Return a sentence without the clauses of courtesy at its beginning."""
    place = 0
    while place < len(sentence) and _COURTESY.match(sentence, place):
        clause = _CLAUSE.match(sentence, place)
        assert clause is not None
        place = clause.end()
    return sentence[place:]
