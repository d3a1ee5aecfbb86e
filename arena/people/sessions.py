"""The session of a person: a stored tournament, and who votes, ranks or speaks in it.

`arena vote`, `arena rank`, `arena speak` and the pages of the dashboard all begin with one, and ask
`arena.people.voting` and `arena.people.speeches` what is open in it.
"""

from __future__ import annotations

from dataclasses import dataclass

from arena.boards.selecting import dimensions, find_bench
from arena.config.resolve import ResolvedConfig
from arena.errors import ConfigError
from arena.people.ballot_forms import BallotForm, make_form
from arena.records import Bench
from arena.store.command_lines import command_line
from arena.store.database import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonSession:
    """A stored tournament, and the person who works on it.

    Attributes:
        person: a voter's pseudonym or a speaker's name; '' for everybody.
    """

    store: Store
    resolved: ResolvedConfig
    person: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VotingSession(PersonSession):
    """The session of a voter.

    Attributes:
        bench: a bench of people, for which the votes are cast.
    """

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
        store: the database of the tournament.
        resolved: the tournament.
        bench: the name of a bench of people; the first of them by default.
        voter: a pseudonym; '' for everybody.

    Raises:
        ConfigError: there is no such bench of people, or the tournament has nothing to read.
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
