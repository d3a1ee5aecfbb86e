"""What a voter fills in: the choice of each dimension, or right or wrong and marks for two answers.

People who judge answers and translations mark each of them from 1 to 5 and say whether it is right,
as in Liang et al. 2023 (arXiv 2305.19118). Tables, the command line and the page share the form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from arena.config.resolve import ResolvedConfig
from arena.languages import ENGLISH, SIDES
from arena.languages.pair_words import contest_language
from arena.plugins import inspect_judge
from arena.records import Bench
from ratings import CON_WINS, PRO_WINS, TIE, outcome_of

#: The range of the marks that people give to answers.
MARKS = (1, 5)
#: The range of all stored marks; a right answer has the highest, a wrong one the lowest.
_STORED = (1.0, 10.0)
#: The letters of the answers of Pro and Con.
_LETTERS = ("a", "b")

#: Pro's outcome by dimension, and the marks of both sides by dimension.
Decision = tuple[Mapping[str, float], Mapping[str, tuple[float, float]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """One thing that a vote decides.

    Attributes:
        name: of its column, as in `overall` or `mark_a`.
        choices: the value of each word that is accepted, in lower case.
        words: what a page shows for each of them.
        title: what a page asks; '' for the name.
    """

    name: str
    choices: Mapping[str, float]
    words: Sequence[str]
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotForm:
    """The form of all votes of one bench.

    Attributes:
        fields: in the order of a table's columns.
        instructions: what is to be written into them, as sentences.
        decide: what the values of all fields, by name, decide.
    """

    fields: tuple[FormField, ...]
    instructions: str
    decide: Callable[[Mapping[str, float]], Decision] = field(repr=False)

    @property
    def names(self) -> list[str]:
        """The names of its fields."""
        return [entry.name for entry in self.fields]


def make_form(resolved: ResolvedConfig, bench: Bench) -> BallotForm:
    """Return the form of the votes of a bench of people."""
    contest = resolved.config.tournament.contest
    if contest == "question":
        return _marking_form()
    sides = contest_language(ENGLISH, contest).sides
    names = sorted(_dimensions(bench), key=lambda name: name != "overall")
    return _choosing_form(names, choices(resolved), (sides["pro"], "Tie", sides["con"]))


def choices(resolved: ResolvedConfig) -> dict[str, float]:
    """Return the words for the winner of a debate or a pair of essays, each with Pro's outcome."""
    first, second = _LETTERS if resolved.config.tournament.contest == "essay" else SIDES
    return {first: PRO_WINS, "tie": TIE, second: CON_WINS}


def to_stored(mark: float) -> float:
    """Return a mark from 1 to 5 on the scale of stored marks, 1 to 10.

    >>> to_stored(1), to_stored(3), to_stored(5)
    (1.0, 5.5, 10.0)
    """
    return _STORED[0] + (mark - MARKS[0]) * _step()


def from_stored(mark: float) -> float:
    """Return a stored mark on the scale of people's marks, 1 to 5; NaN stays NaN."""
    return MARKS[0] + (mark - _STORED[0]) / _step()


def _step() -> float:
    return (_STORED[1] - _STORED[0]) / (MARKS[1] - MARKS[0])


def _dimensions(bench: Bench) -> tuple[str, ...]:
    return inspect_judge(bench.judge, bench.options).dimensions


def _choosing_form(
    names: Sequence[str], outcomes: Mapping[str, float], words: Sequence[str]
) -> BallotForm:
    """Return a form that asks who wins on each dimension."""
    return BallotForm(
        fields=tuple(FormField(name=name, choices=outcomes, words=words) for name in names),
        instructions=(
            "You see the sides, but not who speaks. Both sides carry an\n"
            "equal burden of proof: judge the text, not your own opinion.\n"
            "\n"
            "In the table next to this file, write into each of the columns\n"
            f"  {', '.join(names)}\n"
            "one of\n"
            f"  {', '.join(outcomes)}\n"
        ),
        decide=lambda values: (values, {}),
    )


def _marking_form() -> BallotForm:
    """Return a form that asks of two answers whether each is right, and for a mark of each."""
    low, high = MARKS
    marks = {str(mark): float(mark) for mark in range(low, high + 1)}
    fields = [
        entry
        for letter in _LETTERS
        for entry in (
            FormField(
                name=f"right_{letter}",
                choices={"right": 1.0, "wrong": 0.0},
                words=("Right", "Wrong"),
                title=f"Answer {letter.upper()} is",
            ),
            FormField(
                name=f"mark_{letter}",
                choices=marks,
                words=tuple(marks),
                title=f"Mark of answer {letter.upper()}, from {low}, useless, to {high}, excellent",
            ),
        )
    ]
    return BallotForm(
        fields=tuple(fields),
        instructions=(
            "You see two answers to each question, but not who gave\n"
            "them. Judge each answer by itself; both may be right, or wrong.\n"
            "\n"
            "In the table next to this file, write right or wrong into the columns\n"
            "  right_a, right_b\n"
            f"and a mark from {low} (useless) to {high} (excellent) into\n"
            "  mark_a, mark_b\n"
        ),
        decide=_compare_answers,
    )


def _compare_answers(values: Mapping[str, float]) -> Decision:
    """Return who wins: overall by being right, and on quality by the mark."""
    right = tuple(values[f"right_{letter}"] for letter in _LETTERS)
    quality = tuple(values[f"mark_{letter}"] for letter in _LETTERS)
    outcomes = {
        "overall": outcome_of(right[0] - right[1]),
        "quality": outcome_of(quality[0] - quality[1]),
    }
    marks = {
        "overall": (_STORED[bool(right[0])], _STORED[bool(right[1])]),
        "quality": (to_stored(quality[0]), to_stored(quality[1])),
    }
    return outcomes, marks
