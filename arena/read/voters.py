"""People who voted: numbered where results leave the machine, and without their words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from arena.config.resolved import ResolvedConfig
from arena.read.ballots import BallotRow
from arena.store.database import Store

_VOTERS: Final = """
    SELECT voter FROM ballots JOIN debates USING (debate_id)
    WHERE tournament = $tournament AND voter <> '' GROUP BY voter ORDER BY min(ballots.entry), voter
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Voters:
    """What stands in the place of the names of voters.

    Attributes:
        names: by the voter's own name.
        quoted: whether what they wrote beside their votes stays.
    """

    names: Mapping[str, str]
    quoted: bool = False

    @classmethod
    def of(
        cls, store: Store, resolved: ResolvedConfig, *, named: bool = False, quoted: bool = False
    ) -> Voters:
        """Number the people of a tournament in the order of their first votes.

        Judges of imported battles are no voters of ours: they keep their names and words.

        Args:
            named: whether people keep their names, too.
            quoted: whether they keep their words.
        """
        rows = store.plain_rows(_VOTERS, {"tournament": resolved.name})
        voters = [str(row["voter"]) for row in rows]
        keep = named or resolved.imported
        names = {
            voter: voter if keep else f"person {number}"
            for number, voter in enumerate(voters, start=1)
        }
        return cls(names=names, quoted=quoted or resolved.imported)

    def name(self, voter: str) -> str:
        """Return what stands in the place of a voter's name."""
        return self.names.get(voter, voter)

    def hide(self, ballot: BallotRow) -> BallotRow:
        """Return a ballot as it may leave the machine; one of a model stays as it is."""
        if not ballot.voter:
            return ballot
        named = replace(ballot, voter=self.name(ballot.voter))
        if self.quoted:
            return named
        verdicts = tuple(replace(verdict, comment="") for verdict in ballot.verdicts)
        return replace(named, rationale="", trace=(), verdicts=verdicts)
