"""People who voted: numbered where results leave the machine, and without their words."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from arena.read.ballots import BallotRow


@dataclass(slots=True)
class Voters:
    """Numbers for the people who voted, in the order in which they are met.

    Attributes:
        named: whether judges keep their names, as those of imported battles do.
    """

    named: bool
    numbers: dict[str, str] = field(default_factory=dict)

    def name(self, voter: str) -> str:
        """Return what stands in the place of a voter's name."""
        if self.named or not voter:
            return voter
        return self.numbers.setdefault(voter, f"person {len(self.numbers) + 1}")

    def hide(self, ballot: BallotRow) -> BallotRow:
        """Return a ballot without the name and the words of a person."""
        if self.named or not ballot.voter:
            return ballot
        verdicts = tuple(replace(verdict, comment="") for verdict in ballot.verdicts)
        name = self.name(ballot.voter)
        return replace(ballot, voter=name, rationale="", trace=(), verdicts=verdicts)
