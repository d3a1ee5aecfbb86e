"""The list of the pages: their addresses and titles, and which of them are served together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dashboard.settings import RANK, SPEAK, VOTE
from dashboard.views import (
    add_model,
    costs,
    debates,
    head_to_head,
    judges,
    leaderboard,
    motions,
    new_tournament,
    participants,
    rank,
    speak,
    tournament,
    transcript,
    vote,
    win_rates,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEntry:
    """A page of the dashboard.

    Attributes:
        listed: whether the navigation bar shows it.
    """

    path: str
    title: str
    show: Callable[[], None]
    listed: bool = True


#: The pages of results; the first is the one that `/` shows.
RESULTS = (
    PageEntry(path="leaderboard", title="Leaderboard", show=leaderboard.page),
    PageEntry(path="win-rates", title="Win rates", show=win_rates.page),
    PageEntry(path="head-to-head", title="Head to head", show=head_to_head.page, listed=False),
    PageEntry(path="debates", title="Debates", show=debates.page),
    PageEntry(path="participants", title="Participants", show=participants.page),
    PageEntry(path="motions", title="Motions", show=motions.page),
    PageEntry(path="transcript", title="Transcript", show=transcript.page, listed=False),
    PageEntry(path="judges", title="Judges", show=judges.page),
    PageEntry(path="tournament", title="Tournament", show=tournament.page),
    PageEntry(path="costs", title="Costs", show=costs.page),
)
#: The pages that take votes, rankings or speeches. Each is served alone: voters must not read who
#: spoke, nor speakers what others have said on their motion.
ALONE = {
    VOTE: PageEntry(path="vote", title="Vote", show=vote.page),
    RANK: PageEntry(path="rank", title="Rank", show=rank.page),
    SPEAK: PageEntry(path="speak", title="Speak", show=speak.page),
}
#: The pages of forms, which only the administrator gets; the first is where the link leads.
FORMS = (
    PageEntry(path="add-model", title="Add a model", show=add_model.page),
    PageEntry(path="new-tournament", title="New tournament", show=new_tournament.page),
)


def served_pages(only: str, *, admin: bool = False) -> tuple[PageEntry, ...]:
    """Return the pages that are served together.

    Args:
        only: a key of `ALONE` for that page alone; '' for those of results.
    """
    if only in ALONE:
        return (ALONE[only],)
    return (*RESULTS, *FORMS) if admin else RESULTS
