"""What the statements of a board hold for: how many looks, pairs and motions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Protocol

from arena.boards.ranks import format_names
from arena.text import counted, format_percent

if TYPE_CHECKING:  # what states what holds for ratings computes none
    from arena.boards.method import Method
    from arena.boards.rating import Rated
    from arena.config.resolved import ResolvedConfig
    from ratings import CircleTest, MotionEffect, Pairing, PlanProgress


class Stated(Protocol):
    """Ratings with statements: a board, `Rated` or `ratings.Confidence`."""

    @property
    def motions(self) -> MotionEffect | None:
        """What motions add."""

    @property
    def pairing(self) -> Pairing:
        """What orders, ranks and intervals hold for (`ratings.Confidence.pairing`)."""

    @property
    def plan(self) -> PlanProgress:
        """How far the plan is played."""

    @property
    def both_ways(self) -> bool:
        """Whether statements hold whether forfeits count as losses or not."""


_FOLLOWED: Final = "who met whom, or when play ended, followed from results"
_PAIRING_NOTES: Final[dict[Pairing, str]] = {
    "fixed": "",
    "planned": "results guided who met whom, but the number of matchups was planned, so settled "
    "orders and ranks are those of the end of the plan",
    "mixed": f"{_FOLLOWED}, so settled orders and ranks hold at every look; intervals are for one "
    "look, of one rating",
    "guided": f"{_FOLLOWED} alone, so intervals, orders and ranks hold at every look, and "
    "intervals are wider than those of pairs that were fixed beforehand",
}


_BOTH_WAYS: Final = (
    "some forfeit more often than others, and whoever forfeits where it is about to lose is rated "
    "too high: intervals, ranks and settled orders hold whether forfeits count as losses or not"
)


def motion_notes(effect: MotionEffect | None) -> Iterator[str]:
    """Yield what is to be said of motions; nothing where they do not matter or have no names."""
    if effect is not None and effect.motions == 1:
        yield "all debates are on one motion: intervals and ranks are for this motion alone"
    if effect is not None and effect.spread:
        yield (
            f"participants differ by ±{effect.spread:.0f} Elo points from motion to motion "
            f"({counted(effect.motions, 'motion')}); ranks and intervals are for motions in "
            f"general; intervals are {effect.width:.0f} points wide on average, for these motions "
            f"alone they would be {effect.width_of_these:.0f} (--cluster matchup)"
        )


def describe_circles(circles: CircleTest | None) -> str:
    """Return that results run in circles, which no rating can express; '' where they do not."""
    if circles is None or not circles.is_significant:
        return ""
    example = ""
    if circles.circle:
        a, b, c = circles.circle.names
        example = (
            f": {a} does better against {b}, {b} against {c} and {c} against {a} than their "
            "ratings predict"
        )
    return (
        f"results run in circles more than chance explains (p = {circles.p_value:.3f}){example}, "
        "so no rating tells who wins such pairs"
    )


def circle_notes(circles: CircleTest | None) -> Iterator[str]:
    """Yield where results run in circles, and what shows all pairs."""
    if sentence := describe_circles(circles):
        yield f"{sentence}; all pairs: arena matrix --residual"


def format_at_once(stated: Stated) -> str:
    """Format what settled orders and ranks hold for at once."""
    is_one_look = stated.pairing in {"fixed", "planned"} and stated.plan.share == 1
    return "all pairs" if is_one_look else "all pairs and looks"


def interval_notes(stated: Stated) -> tuple[str, ...]:
    """Return what intervals, orders and ranks hold for, where that is not the usual."""
    return (
        *motion_notes(stated.motions),
        *filter(None, [_pairing_note(stated)]),
        *([_BOTH_WAYS] * stated.both_ways),
    )


def pairing_notes(resolved: ResolvedConfig, method: Method, rated: Rated) -> Iterator[str]:
    """Yield what the statements of the board hold for, if it is not a plan that was fixed."""
    if method.anytime:
        yield (
            "as asked by --anytime, intervals, orders and ranks hold at every look, whatever "
            "decided who met whom"
        )
    elif rated.pairing == "fixed" and resolved.imported and rated.first:
        yield (
            "how these pairs were chosen is not known, so statements are those for pairs chosen "
            "without regard to results; if results decided it (Swiss or adaptive pairing, or an "
            "end at a favourable look), use --anytime"
        )
    elif note := _pairing_note(rated):
        yield note
    if rated.both_ways:
        yield _BOTH_WAYS


def _pairing_note(stated: Stated) -> str:
    """Return what orders, ranks and intervals hold for; '' for pairs that were fixed beforehand."""
    note, plan = _PAIRING_NOTES[stated.pairing], stated.plan
    if plan.share < 1:
        played = format_percent(min(plan.share, 0.99))
        note = (
            f"{played} of the planned matchups are played: settled orders and ranks hold at every "
            "look until the end of the plan, where less evidence is needed"
        )
    if plan.changes:
        times = "once" if plan.changes == 1 else f"{plan.changes} times"
        note += f"; their number was changed {times}, so orders need more evidence"
    if plan.newcomers:
        names = format_names(list(plan.newcomers))
        note += (
            f"{'; ' * bool(note)}{names} came later: the order of the others rests on the debates "
            "among them, and that of a newcomer on the plan of its own matchups"
        )
    return note
