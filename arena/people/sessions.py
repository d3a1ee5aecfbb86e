"""The session of a person: a stored tournament, who votes, ranks or speaks in it, and their form.

`arena vote`, `arena rank`, `arena speak` and the pages of the dashboard all begin with one, and ask
`arena.people.voting` and `arena.people.speeches` what is open in it. People who judge answers and
translations mark each of them from 1 to 5 and say whether it is right, as in Liang et al. 2023
(arXiv 2305.19118); the others choose the winner of each dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from arena.config.resolved import ResolvedConfig, dimensions, find_bench
from arena.errors import ConfigError
from arena.languages import ENGLISH, SIDES
from arena.languages.language import contest_language
from arena.records import Bench
from arena.store.command_lines import command_line
from arena.store.database import Store
from ratings import CON_WINS, PRO_WINS, TIE, outcome_of

#: The range of the marks that people give to answers.
MARKS = (1, 5)
#: The range of all stored marks; a right answer has the highest, a wrong one the lowest.
_STORED = (1.0, 10.0)
_STEP = (_STORED[1] - _STORED[0]) / (MARKS[1] - MARKS[0])
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
    names = sorted(dimensions(bench), key=lambda name: name != "overall")
    outcomes, words = choices(resolved), (sides["pro"], "Tie", sides["con"])
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


def choices(resolved: ResolvedConfig) -> dict[str, float]:
    """Return the words for the winner of a debate or a pair of essays, each with Pro's outcome."""
    first, second = _LETTERS if resolved.config.tournament.contest == "essay" else SIDES
    return {first: PRO_WINS, "tie": TIE, second: CON_WINS}


def to_stored(mark: float) -> float:
    """Return a mark from 1 to 5 on the scale of stored marks, 1 to 10.

    >>> to_stored(1), to_stored(3), to_stored(5)
    (1.0, 5.5, 10.0)
    """
    return _STORED[0] + (mark - MARKS[0]) * _STEP


def from_stored(mark: float) -> float:
    """Return a stored mark on the scale of people's marks, 1 to 5; NaN stays NaN."""
    return MARKS[0] + (mark - _STORED[0]) / _STEP


def _marking_form() -> BallotForm:
    """Return a form that asks of two answers whether each is right, and for a mark of each."""
    low, high = MARKS
    marks = {str(mark): float(mark) for mark in range(low, high + 1)}
    fields: list[FormField] = []
    for letter in _LETTERS:
        fields += (
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
    right_a, right_b = (values[f"right_{letter}"] for letter in _LETTERS)
    mark_a, mark_b = (values[f"mark_{letter}"] for letter in _LETTERS)
    outcomes = {"overall": outcome_of(right_a - right_b), "quality": outcome_of(mark_a - mark_b)}
    marks = {
        "overall": (_STORED[bool(right_a)], _STORED[bool(right_b)]),
        "quality": (to_stored(mark_a), to_stored(mark_b)),
    }
    return outcomes, marks


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonSession:
    """A stored tournament, and the person who works on it."""

    store: Store
    resolved: ResolvedConfig
    person: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VotingSession(PersonSession):
    """The session of a voter."""

    bench: Bench

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The dimensions that every vote decides."""
        return dimensions(self.bench)

    @property
    def form(self) -> BallotForm:
        """What every voter fills in."""
        return make_form(self.resolved, self.bench)


def voting_session(
    store: Store, resolved: ResolvedConfig, bench: str | None = None, *, voter: str = ""
) -> VotingSession:
    """Open the session of a voter.

    Args:
        bench: the name of a bench of people; the first of them by default.
    """
    return VotingSession(
        store=store, resolved=resolved, bench=people_bench(store, resolved, bench), person=voter
    )


def people_bench(store: Store, resolved: ResolvedConfig, name: str | None) -> Bench:
    """Return a bench of people by its name; the first of them where no name is given.

    Raises:
        ConfigError: the tournament has no bench of people; or the named bench is unknown or not
            one of people; or the tournament has nothing to read.
    """
    resolved.require_speeches()
    benches = resolved.people_benches
    if not benches:
        people = ("--judge", "human", "--runs", "3")
        raise ConfigError(
            f"tournament {resolved.name!r} has no bench of people. Add one: "
            f"{command_line('rejudge', resolved.name, *people, db=store.path)}"
        )
    if name is None:
        return benches[0]
    named = find_bench(resolved, name)
    if named not in benches:
        names = ", ".join(bench.name for bench in benches)
        raise ConfigError(f"bench {name!r} is not a bench of people. Benches of people: {names}.")
    return named
