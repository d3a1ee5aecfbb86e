"""The speeches, essays and answers of a tournament, each with its debate and a bench's ballots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from arena.boards.selection import Selection
from arena.read.ballots import BallotRow, read_ballots
from arena.read.debates import DebateRow, read_debates, seat
from arena.read.selected import Narrowing
from arena.records import Speech
from arena.store.database import Store
from arena.store.motions import make_answers
from arena.store.rows import read_speeches
from motions import Answers

#: The mark of a right answer; a wrong one has the lowest.
RIGHT: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSpeech:
    """A speech, an essay or an answer.

    Attributes:
        ballots: the valid ones of a bench; empty where none was asked for.
    """

    debate: DebateRow
    speech: Speech
    ballots: tuple[BallotRow, ...]

    @property
    def expected(self) -> Answers | None:
        """The right and wrong answers; None where it answers no question."""
        return make_answers(self.debate.answers)

    @property
    def participant(self) -> str:
        """The name of whoever gave it."""
        return seat(self.debate, self.speech.side)

    @property
    def options(self) -> Mapping[str, Any]:
        """The options of whoever gave it."""
        is_pro = self.speech.side == "pro"
        return self.debate.pro_options if is_pro else self.debate.con_options

    @property
    def debater(self) -> str:
        """The framework of whoever gave it."""
        is_pro = self.speech.side == "pro"
        return self.debate.pro_debater if is_pro else self.debate.con_debater

    def marks(self, dimension: str) -> list[float | None]:
        """Return its marks on a dimension, one of each ballot with a verdict on it."""
        verdicts = (ballot.verdict(dimension) for ballot in self.ballots)
        return [
            verdict.pro_mark if self.speech.side == "pro" else verdict.con_mark
            for verdict in verdicts
            if verdict is not None
        ]


def read_judged_speeches(
    store: Store, tournament: str, *, bench: str = ""
) -> Iterator[JudgedSpeech]:
    """Read the speeches of a tournament's finished debates, in the order of the debates' ids.

    Those of a debate stand as they were given.

    Args:
        bench: whose ballots are read; '' for none.
    """
    selection = Selection(tournament=tournament, bench=bench)
    finished = Narrowing(statuses=("finished",))
    debates = read_debates(store, selection, finished)
    speeches = read_speeches(store, [debate.debate_id for debate in debates])
    ballots: dict[str, list[BallotRow]] = {}
    for ballot in read_ballots(store, selection, finished) if bench else ():
        if ballot.status == "valid":
            ballots.setdefault(ballot.debate_id, []).append(ballot)
    for debate in sorted(debates, key=lambda debate: debate.debate_id):
        for speech in speeches.get(debate.debate_id, ()):
            own = tuple(ballots.get(debate.debate_id, ()))
            yield JudgedSpeech(debate=debate, speech=speech, ballots=own)
