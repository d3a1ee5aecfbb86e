"""Words for the winner in battle logs: those that are known, and numbers whose meaning is told."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from arena.battles.columns import Columns, Shape
from arena.battles.layouts import SKIP
from arena.battles.source import Source, sql_text
from arena.battles.spellings import DASHES
from arena.errors import ConfigError
from ratings import CON_WINS, PRO_WINS, TIE

#: What does not matter in words for the winner, besides case.
WORD_SIGNS: Final = r"[\s_()\[\]]"
#: Accepted words for the winner without such signs, with the outcome of the first named.
WINNERS: Final[Mapping[str, float]] = {
    "a": PRO_WINS, "b": CON_WINS, "tie": TIE,
    **dict.fromkeys(
        ("1", "1.0", "modela", "model1", "answera", "answer1", "responsea", "response1",
         "assistanta", "assistant1", "first", "white", "a>b", "a>>b", "b<a", "b<<a", "1-0", "1:0"),
        PRO_WINS,
    ),
    **dict.fromkeys(
        ("2", "2.0", "modelb", "model2", "answerb", "answer2", "responseb", "response2",
         "assistantb", "assistant2", "second", "black", "b>a", "b>>a", "a<b", "a<<b", "0-1", "0:1"),
        CON_WINS,
    ),
    **dict.fromkeys(
        ("1.5", "a=b", "b=a", "tied", "draw", "equal", "bothbad", "tiebothbad", "tieinconsistent",
         "bothgood", "neither", "1/2-1/2", "½-½", "1/2", "½"),
        TIE,
    ),
}  # fmt: skip
#: Those that messages name.
SHOWN_WORDS: Final = ("a", "b", "tie", "1", "2", "a>b", "b>a", "a=b", "both_bad", "1-0", "0-1")


def read_word(word: str) -> float | None:
    r"""Return the outcome of the first named that a word for the winner stands for.

    >>> read_word("Tie (bothbad)"), read_word("[[B]]"), read_word("1\u20130"), read_word("unclear")
    (0.5, 0.0, 1.0, None)
    """
    return WINNERS.get(re.sub(DASHES, "-", re.sub(WORD_SIGNS, "", word)).lower())


#: What the words for the winner can be mapped to by `--winner`; a row may also hold no verdict.
NO_VERDICT: Final = -1.0
#: The outcome of a row that compares a participant with itself.
ITSELF: Final = -2.0
MEANINGS: Final[Mapping[str, float]] = {
    "model_a": PRO_WINS, "left": PRO_WINS, "model_b": CON_WINS, "right": CON_WINS, "tie": TIE,
    "skip": NO_VERDICT,
}  # fmt: skip
#: A number in place of a word, as Python's and DuckDB's expressions read it.
_NUMBER: Final = r"[-+]?(\d+(\.\d*)?|\.\d+)"
#: The numbers that are read where no other one stands for a winner.
_OWN_NUMBERS: Final = (1.0, 1.5, 2.0)
_SHOWN_NUMBERS: Final = 6


def unread_numbers(words: Iterable[str], told: Collection[str] = ()) -> tuple[str, ...]:
    """Return the numbers among words for the winner that nobody can read, in their order.

    1 and 2 are the first and the second, but not where 0 or 3 occurs: then they may be anything,
    and a word that is told does not tell what the others mean.

    >>> unread_numbers(["2", "1", "tie"]), unread_numbers(["2", "1", "0"], told=["0"])
    ((), ('1', '2'))
    """
    numbers = {word: float(word) for word in words if re.fullmatch(_NUMBER, word, re.ASCII)}
    if set(numbers.values()) <= set(_OWN_NUMBERS):
        return ()
    return tuple(sorted(set(numbers) - set(told), key=lambda word: (numbers[word], word)))


def explain_numbers(numbers: Collection[str], *, column: str, option: str) -> str:
    """Return the sentence on numbers that cannot be read.

    Args:
        option: by which a user says what a word means.
    """
    words = list(numbers)[:_SHOWN_NUMBERS]
    more = len(numbers) - len(words)
    listed = ", ".join(words) + (f" and {more:,} more" if more else "")
    options = " ".join(f"{option} {word}=…" for word in words) + (" …" if more else "")
    return (
        f"column {column}: numbers stand for winners, and what these mean is not known: {listed}. "
        "1, 2 and 1.5 are the first, the second and a tie only where no other number occurs: files "
        f"count from 0, too, or use 0 or -1. Say what each of them means: {options}, with "
        f"{', '.join(MEANINGS)} for …."
    )


def check_numbers(source: Source, columns: Columns, winners: Mapping[str, str]) -> None:
    """Check that all numbers in the column of winners have a meaning.

    Args:
        winners: what the user has told about words.

    Raises:
        ConfigError: they have not.
    """
    shape, place = columns.shape, columns.place
    word, first, second = (
        f"trim({source.columns[place[name]]})" for name in ("winner", shape.first, shape.second)
    )
    words = source.values(
        word,
        where=f"regexp_full_match({word}, {sql_text(_NUMBER)}) "
        f"AND {word} IS DISTINCT FROM {first} AND {word} IS DISTINCT FROM {second}",
    )
    unread = unread_numbers(words, {word.strip() for word in winners})
    if unread:
        raise ConfigError(
            f"{source.path}: {explain_numbers(unread, column=place['winner'], option='--winner')}"
        )


def outcome_case(shape: Shape, winners: Mapping[str, str]) -> str:
    """Return the SQL of a CASE that reads the winner: a word, or the name of who won.

    Who meets itself has no verdict. Then what the user says comes first, then the shape's words,
    names, and the words of others.
    """
    told = " ".join(
        f"WHEN coalesce(given_winner, '') = {sql_text(word.strip())} THEN {MEANINGS[meaning]}"
        for word, meaning in winners.items()
    )
    word = f"regexp_replace(given_winner, {sql_text(WORD_SIGNS)}, '', 'g')"
    word = f"regexp_replace({word}, {sql_text(DASHES)}, '-', 'g')"
    own, others = (
        " ".join(f"WHEN lower({text}) = {sql_text(word)} THEN {outcome}" for word, outcome in words)
        for text, words in (
            ("given_winner", [*shape.outcomes.items(), (SKIP, NO_VERDICT), ("*", NO_VERDICT)]),
            (word, WINNERS.items()),
        )
    )
    exact, folded = (
        " ".join(
            f"WHEN {form.format('winner')} = {form.format(place)} THEN {outcome}"
            for place, outcome in (("first", PRO_WINS), ("second", CON_WINS))
        )
        for form in ("given_{}", "lower(nfc_normalize(given_{}))")
    )
    itself = f"WHEN given_first = given_second THEN {ITSELF}"
    return f"CASE {itself} {told} {own} {exact} {others} {folded} END"
