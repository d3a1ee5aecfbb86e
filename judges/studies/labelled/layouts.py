"""The layouts in which labelled pairs are published, and how a row of each is read.

A layout is known by its columns, whose case does not matter. What the originals look like, and
which of them were seen, is said in docs/judges.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import isnan, nan

from arena.battles.winners import SHOWN_WORDS
from arena.records import digest
from arena.text import plain
from judges.studies.labelled.conversations import (
    Conversation,
    TurnFault,
    check_same_questions,
    format_background,
    format_turns,
    read_conversation,
)
from judges.studies.labelled.rows import Cells, RowEntry, RowFault, read_winner
from ratings import CON_WINS, PRO_WINS, TIE, outcome_of

#: Columns that a file of this project's own layout must have; and those that any file may have.
NEEDED = ("question", "answer_a", "answer_b", "winner")
OPTIONAL = ("id", "category", "language")

#: What stands for an answer that a published file has as an empty text: people judged it, too.
_EMPTY = {"en": "(no text)", "zh": "（没有文字）"}
_RESPONSES = ("response_a", "response_b")
_ANNOTATOR = re.compile(r"annotator\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairLayout:
    """One layout.

    Attributes:
        needed: its columns, by which it is known.
        third: columns of further answers, which no pair has.
    """

    title: str
    needed: tuple[str, ...]
    read: Callable[[Cells], RowEntry] = field(repr=False)
    third: tuple[str, ...] = ()
    used: tuple[str, ...] = ()

    def entry(self, cells: Cells) -> RowEntry:
        """Return what a row says; a row that cannot be used is a `RowFault`."""
        for column in self.third:
            if cells.word(column):
                raise cells.fault(
                    column, "a third answer; a pair has two: make a row of each pair of answers"
                )
        return self.read(cells)


def find_layout(columns: Sequence[str]) -> PairLayout | None:
    """Return the layout that a file's columns, in lower case, have; `None` for no known one."""
    return next((layout for layout in LAYOUTS if set(layout.needed) <= set(columns)), None)


def _read_plain(cells: Cells) -> RowEntry:
    """Read this project's own layout."""
    question, first, second = (cells.text(name) for name in ("question", "answer_a", "answer_b"))
    if "id" in cells.names and not cells.word("id"):
        raise cells.fault("id", "is empty; accepted: a text")
    item = cells.word("id")
    return RowEntry(
        question=question,
        first=first,
        second=second,
        votes=(cells.vote("winner"),),
        language=cells.language((question, first, second)),
        category=cells.word("category"),
        item=item,
        key=item,
    )


def _read_conversations(cells: Cells) -> RowEntry:
    """Read MT-Bench's human judgements: a vote of one judge on one turn of two conversations."""
    first, second = (_read_turns(cells, f"conversation_{letter}") for letter in "ab")
    turns = min(len(first.questions), len(second.questions))
    word = cells.word("turn").removesuffix(".0")
    if word and not (word.isdecimal() and 1 <= int(word) <= turns):
        raise cells.fault("turn", f"given {plain(word)[:60]!r}; accepted: 1 to {turns}")
    turn = int(word or 0)  # 0 where all are judged
    if turn:
        first, second = first.up_to(turn), second.up_to(turn)
    try:
        check_same_questions(first, second)
    except TurnFault as fault:
        raise RowFault(str(fault)) from None
    language = cells.language((*first.questions, *first.answers, *second.answers))
    names = cells.word("model_a"), cells.word("model_b")
    accepted = ", ".join((*SHOWN_WORDS, *filter(None, names)))
    number = cells.word("question_id")
    known = (number, *map(str, (turn, *sorted(names)))) if number and all(names) else ()
    return RowEntry(
        question=format_turns(first.questions, language),
        background=format_background(len(first.questions), language, last_only=bool(turn)),
        first=_format_answers(first.answers, language),
        second=_format_answers(second.answers, language),
        votes=(cells.vote("winner", partial(read_winner, models=names), accepted=accepted),),
        language=language,
        category=cells.word("category") or (f"turn {turn}" if turn else ""),
        item=":".join(known),
        key=":".join(known),
        names=names,
        cluster=number,
    )


def _read_turns(cells: Cells, column: str) -> Conversation:
    try:
        return read_conversation(cells.values.get(column))
    except TurnFault as fault:
        raise cells.fault(column, str(fault)) from None


def _format_answers(answers: Sequence[str], language: str) -> str:
    return format_turns([answer.strip() or _EMPTY[language] for answer in answers], language)


def _read_scores(cells: Cells) -> RowEntry:
    """Read the columns of the MORE/SAMRE paper's appendix D.1: the higher score has won."""
    scores = [_read_score(cells, f"model_{letter}_score") for letter in "ab"]
    votes = (outcome_of(scores[0] - scores[1]),)
    return _read_answers(cells, cells.text("question"), _RESPONSES, votes, item=cells.word("id"))


def _read_score(cells: Cells, column: str) -> float:
    word = cells.word(column)
    try:
        score = float(word)
    except ValueError:
        score = nan
    if isnan(score):
        shown = repr(plain(word)[:60]) if word else "nothing"
        raise cells.fault(column, f"given {shown}; accepted: a number, 1 for the winner, else 0")
    return score


def _read_judgebench(cells: Cells) -> RowEntry:
    votes = (cells.vote("label"),)
    entry = _read_answers(cells, cells.text("question"), _RESPONSES, votes, kind="source")
    return _with_key(entry, cells, "pair_id")


def _read_llmbar(cells: Cells) -> RowEntry:
    votes, columns = (cells.vote("label"),), ("output_1", "output_2")
    return _read_answers(cells, cells.text("input"), columns, votes, item=cells.word("id"))


def _read_pandalm(cells: Cells) -> RowEntry:
    """Read PandaLM's test set: an instruction with an input, and the votes of its annotators."""
    parts = (cells.word("instruction"), cells.word("input"))
    question = "\n\n".join(filter(None, parts)) or cells.text("instruction")
    outcomes = {"1": PRO_WINS, "2": CON_WINS, "0": TIE}
    accepted = "1 (the first), 2 (the second), 0 (a tie)"
    votes = tuple(
        cells.vote(column, lambda word: outcomes.get(word.removesuffix(".0")), accepted=accepted)
        for column in cells.names
        if _ANNOTATOR.fullmatch(column) and cells.word(column)
    )
    if not votes:
        raise cells.fault("annotator1", "no vote; accepted: 1, 2, 0 (a tie) of at least one")
    entry = _read_answers(cells, question, ("response1", "response2"), votes)
    return _with_key(entry, cells, "idx")


def _read_rewardbench(cells: Cells) -> RowEntry:
    """Read RewardBench's rows, whose better answer always stands first: here a hash decides.

    So a judge who likes the first answer gains nothing.
    """
    item = ":".join(filter(None, (cells.word("subset"), cells.word("id"))))
    columns = ("chosen", "rejected")
    entry = _read_answers(
        cells, cells.text("prompt"), columns, (PRO_WINS,), item=item, kind="subset"
    )
    stays = int(digest(entry.question, entry.first, entry.second), 16) % 2 == 0
    return entry if stays else entry.exchanged()


def _with_key(entry: RowEntry, cells: Cells, column: str) -> RowEntry:
    """Return an entry that is known by a column's id, where it has one."""
    number = cells.word(column)
    return replace(entry, item=number, key=number, key_column=column)


def _read_answers(
    cells: Cells,
    question: str,
    columns: tuple[str, str],
    votes: tuple[float, ...],
    *,
    item: str = "",
    kind: str = "",
) -> RowEntry:
    """Return the entry of a question and two columns of answers, of which one may be empty.

    `kind` is the column that names the category of a row without `category`.
    """
    empty = _EMPTY[cells.language([question])]
    first, second = (cells.text(name, empty=empty) for name in columns)
    return RowEntry(
        question=question,
        first=first,
        second=second,
        votes=votes,
        language=cells.language((question, first, second)),
        category=cells.word("category") or cells.word(kind),
        item=item,
    )


#: All layouts; the first one that a file's columns fit is taken.
LAYOUTS = (
    PairLayout(
        title="question, answers and winner",
        needed=NEEDED,
        third=tuple(f"answer_{end}" for end in "cdef"),
        read=_read_plain,
    ),
    PairLayout(
        title="MT-Bench's human judgements",
        needed=("conversation_a", "conversation_b", "winner"),
        third=tuple(f"conversation_{end}" for end in "cdef"),
        read=_read_conversations,
        used=("turn", "question_id", "model_a", "model_b"),
    ),
    PairLayout(
        title="MORE/SAMRE's scores (appendix D.1)",
        needed=("question", "response_a", "response_b", "model_a_score", "model_b_score"),
        third=tuple(f"response_{end}" for end in "cdef"),
        read=_read_scores,
    ),
    PairLayout(
        title="JudgeBench",
        needed=("question", "response_a", "response_b", "label"),
        third=tuple(f"response_{end}" for end in "cdef"),
        read=_read_judgebench,
        used=("pair_id", "source"),
    ),
    PairLayout(
        title="LLMBar",
        needed=("input", "output_1", "output_2", "label"),
        third=tuple(f"output_{end}" for end in "3456"),
        read=_read_llmbar,
    ),
    PairLayout(
        title="PandaLM's test set",
        needed=("instruction", "input", "response1", "response2", "annotator1"),
        third=tuple(f"response{end}" for end in "3456"),
        read=_read_pandalm,
        used=("idx",),
    ),
    PairLayout(
        title="RewardBench",
        needed=("prompt", "chosen", "rejected"),
        read=_read_rewardbench,
        used=("subset", "id"),
    ),
)
