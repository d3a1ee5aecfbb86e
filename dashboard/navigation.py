"""The list of the pages: their addresses and titles, and which of them are served together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from streamlit.navigation.page import StreamlitPage

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

#: The pages that are served together, by path.
Links = Mapping[str, StreamlitPage]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEntry:
    """A page of the dashboard.

    Attributes:
        title: its name in the navigation bar.
        show: draws it, with links to the pages that are served with it.
        listed: whether the navigation bar shows it.
    """

    path: str
    title: str
    show: Callable[[Links], None]
    listed: bool = True


#: The pages of results; the first is the one that `/` shows.
RESULTS = (
    PageEntry(
        path="leaderboard",
        title="Leaderboard",
        show=lambda links: leaderboard.page(links.get("participants")),
    ),
    PageEntry(
        path="win-rates",
        title="Win rates",
        show=lambda links: win_rates.page(links.get("head-to-head")),
    ),
    PageEntry(
        path="head-to-head",
        title="Head to head",
        show=lambda links: head_to_head.page(links.get("transcript")),
        listed=False,
    ),
    PageEntry(
        path="debates", title="Debates", show=lambda links: debates.page(links.get("transcript"))
    ),
    PageEntry(
        path="participants",
        title="Participants",
        show=lambda links: participants.page(
            links.get("head-to-head"), links.get("transcript"), links.get("debates")
        ),
    ),
    PageEntry(
        path="motions",
        title="Motions",
        show=lambda links: motions.page(links.get("debates")),
    ),
    PageEntry(
        path="transcript",
        title="Transcript",
        show=lambda links: transcript.page(
            links.get("debates"), links.get("transcript"), links.get("motions")
        ),
        listed=False,
    ),
    PageEntry(path="judges", title="Judges", show=judges.page),
    PageEntry(path="tournament", title="Tournament", show=tournament.page),
    PageEntry(path="costs", title="Costs", show=costs.page),
)
#: The pages that take votes, rankings or speeches. Each is served alone: voters must not read who
#: spoke, nor speakers what others have said on their motion.
ALONE = {
    VOTE: PageEntry(path="vote", title="Vote", show=lambda _: vote.page()),
    RANK: PageEntry(path="rank", title="Rank", show=lambda _: rank.page()),
    SPEAK: PageEntry(path="speak", title="Speak", show=lambda _: speak.page()),
}


#: The pages of forms, which only the administrator gets; the first is where the link leads.
FORMS: tuple[PageEntry, ...] = (
    PageEntry(path="add-model", title="Add a model", show=add_model.page),
    PageEntry(path="new-tournament", title="New tournament", show=new_tournament.page),
)


def served_pages(only: str, *, admin: bool = False) -> tuple[PageEntry, ...]:
    """Return the pages that are served together.

    Args:
        only: a key of `ALONE` for that page alone; '' for those of results.
        admin: whether the viewer may use forms.
    """
    if only in ALONE:
        return (ALONE[only],)
    return (*RESULTS, *FORMS) if admin else RESULTS
