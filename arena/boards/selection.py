"""Which comparisons a board counts: a selection of them, and the benches and participants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig

#: The debates that are resampled together: both legs of a matchup, all on a motion, or each alone;
#: `auto` is the matchup, with statements for motions in general (`ratings.intervals.motions`).
Cluster = Literal["auto", "matchup", "motion", "debate"]

_CLUSTER_NOTES: Mapping[Cluster, str] = {
    "matchup": "intervals and ranks are for these motions alone, not for motions in general",
    "motion": "intervals count all debates on a motion as one observation",
    "debate": "intervals count each debate as an observation of its own, although legs are related",
}

#: Where queries find debates with their motions, and what they ask of a selected one; the values
#: are those of `Selection.parameters`.
DEBATES: Final = "debates JOIN motions USING (motion_id, language)"
OF_KIND: Final = """tournament = $tournament
    AND $category IN ('all', category) AND $language IN ('all', language)"""
IN_WINDOW: Final = """($since IS NULL OR finished_at >= $since)
    AND ($until IS NULL OR finished_at < $until)"""
#: The beginning of a query: the finished debates of a selection, of participants with the ids
#: `$ids`, as the table `chosen`.
CHOSEN_DEBATES: Final = f"""
    WITH chosen AS (
        SELECT debate_id, matchup_id, pro, con FROM {DEBATES}
        WHERE status = 'finished' AND {OF_KIND} AND {IN_WINDOW}
          AND list_contains(CAST($ids AS TEXT[]), pro) AND list_contains(CAST($ids AS TEXT[]), con)
    )
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """A selection of a tournament's comparisons.

    Attributes:
        bench: a bench's name, or `all`.
        category: a category of motions, or `all`.
        language: a code, or `all`.
        since: selects debates that finished then or later.
        until: selects debates that finished before.
        without: benches and judges (the voters of ballots) to leave out.
        cluster: the debates that intervals count as one observation and resample together.
        entry: selects ballots that were stored up to the writing of this number (`ballots.entry`),
            of imported battles the first so many rows; None for all. A board of an earlier time
            is computed again with it.
    """

    tournament: str
    bench: str
    dimension: str = "overall"
    category: str = "all"
    language: str = "all"
    since: datetime | None = None
    until: datetime | None = None
    without: tuple[str, ...] = ()
    cluster: Cluster = "auto"
    entry: int | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of queries that select debates."""
        names = ("tournament", "category", "language", "since", "until")
        return {name: getattr(self, name) for name in names}

    @property
    def title(self) -> str:
        """The selection in words, as the title of a table."""
        without = [f"without {', '.join(self.without)}"] if self.without else []
        motions = [f"{self.category} motions", *self._language_and_window(), *without]
        return " · ".join([self.tournament, self.judging, self.dimension, *motions])

    @property
    def judging(self) -> str:
        """The benches in words."""
        return "all benches" if self.bench == "all" else f"bench {self.bench}"

    @property
    def clustering(self) -> tuple[str, ...]:
        """A note on what intervals count as one observation, if the user chose it."""
        return () if self.cluster == "auto" else (_CLUSTER_NOTES[self.cluster],)

    @property
    def narrowing(self) -> tuple[str, ...]:
        """The conditions on debates in words; empty where all of a tournament are selected."""
        category = () if self.category == "all" else (f"{self.category} motions",)
        return (*category, *self._language_and_window())

    def _language_and_window(self) -> list[str]:
        language = [] if self.language == "all" else [f"in {self.language}"]
        return [*language, *self.window]

    @property
    def window(self) -> tuple[str, ...]:
        """The window of time in words; empty where there is none."""
        ends = ("since", self.since), ("until", self.until)
        return tuple(f"{word} {format_moment(at)}" for word, at in ends if at is not None)


def select(resolved: ResolvedConfig, *, bench: str | None = None, **options: Any) -> Selection:  # noqa: ANN401
    """Make a selection of a tournament's comparisons.

    Args:
        bench: its name; None for the default one.
        options: the other fields of `Selection`.
    """
    return Selection(tournament=resolved.name, bench=bench or resolved.board_benches[0], **options)


def format_moment(at: datetime) -> str:
    """Format a time: the date, with hours and minutes unless it is midnight."""
    return f"{at:%Y-%m-%d}" if at.hour == at.minute == 0 else f"{at:%Y-%m-%d %H:%M}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The benches and participants whose comparisons count.

    Attributes:
        runs: planned runs by bench; a debate with fewer valid ballots gives no comparison. 0 where
            verdicts were imported: any ballot gives one, and nobody waits for others.
        participants: names by id; two ids of one name are one participant.
        imported: whether these are imported battles: one verdict each, in a table of their own.
        majority: the benches whose votes decide by majority.
        by_ballot: the benches whose ballots count one by one.
        partial: the benches (of people) whose debates count from their first ballot on.
    """

    runs: Mapping[str, int]
    participants: Mapping[str, str]
    imported: bool = False
    majority: frozenset[str] = frozenset()
    by_ballot: frozenset[str] = frozenset()
    partial: frozenset[str] = frozenset()

    @property
    def names(self) -> tuple[str, ...]:
        """The participants' names, sorted."""
        return tuple(sorted(set(self.participants.values())))
