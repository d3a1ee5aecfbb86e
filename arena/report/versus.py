"""Two participants against each other: who is better, points out of three, and the sides.

The form of the points is that of Tables 1 and 2 of Zhang et al. 2024 (arXiv 2408.04472).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.boards.next_debates import MOST_MATCHUPS, NextDebates, cheapest
from arena.boards.statements import circle_notes, format_at_once
from arena.output.formats import envelope
from arena.output.interval_text import format_interval_method
from arena.output.tables import Column, Table, tabulate
from arena.report.head_to_head import FULL, in_paper_order, points_of
from arena.text import counted, format_chance, format_interval, format_p, format_percent
from ratings import (
    FLIPS,
    CircleTest,
    Comparisons,
    Confidence,
    PairedTest,
    PairTest,
    clustered_mean,
    clustered_test,
    compare_pair,
    confidence,
    connectivity,
    look_for_circles,
    tally,
)

if TYPE_CHECKING:
    from arena.boards.selection import Selection
    from arena.config.resolved import ResolvedConfig
    from arena.report.pair_data import PairData

#: Participants up to which the board is computed beside the points: a second. Of 3,000 it takes
#: minutes.
_MOST_RATED = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """The first participant's points on one dimension.

    Attributes:
        points: mean per debate, out of three; the second has the rest.
        lower, upper: 95 % interval of that mean, by matchups; NaN with a single one.
    """

    dimension: str
    points: float
    lower: float
    upper: float
    test: PairedTest
    debates: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """The rating of the first less that of the second on the board, Elo points.

    Attributes:
        lower, upper: 95 % interval of the difference, as `Confidence.difference` has it.
        above: the name of whoever is settled to be above the other; '' for neither.
        superiority: the probability that the first is above the second, of this pair alone, at a
            single look.
        over_motions: whether it is for motions in general.
        every_look: whether the interval holds at every look.
        at_once: what settled orders hold for at once, in words.
        both_ways: whether all of it holds whether forfeits count as losses or not.
        own: whether the record of the two contradicts the ratings; None where they have not met.
        circles: whether results of the board run in circles (`Rated.circles`).
        categories: who is settled to be above on the motions of a category alone ('' for neither),
            by the categories in which the two met; empty where these are fewer than two.
        further: matchups of the two that would probably settle their order; None where it is
            settled, or where it would take more than `MOST_MATCHUPS`.
    """

    elo: float
    lower: float
    upper: float
    above: str
    superiority: float
    over_motions: bool
    every_look: bool
    at_once: str
    both_ways: bool
    own: PairTest | None
    circles: CircleTest | None
    categories: Mapping[str, str]
    further: NextDebates | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Versus:
    """Two participants, with those of their debates that are judged in full.

    Attributes:
        judging: whose verdicts count, here and on the board, in words.
        margins: by dimension, overall first; empty where they have not met.
        wins, ties, losses: verdicts for the first, for neither and for the second, overall.
        gap: on the overall board; None where `unknown` says why not.
        unknown: why their order is not known; '' where it is.
        as_pro: debates in which the first was Pro.
        as_con: those in which it was Con.
        single: matchups of which only one leg is judged.
    """

    first: str
    second: str
    judging: str
    margins: tuple[Margin, ...]
    wins: int
    ties: int
    losses: int
    gap: Gap | None
    unknown: str
    as_pro: int
    as_con: int
    matchups: int
    single: int

    @property
    def debates(self) -> int:
        """Number of debates between the two."""
        return self.as_pro + self.as_con


def versus(data: PairData, first: str, second: str, *, seed: int) -> Versus:
    """Compare two participants.

    Args:
        data: theirs.
        seed: of the intervals, and of the test where signs are drawn at random.
    """
    rows, board = data.frame, data.boards["all"]
    debates = rows.drop_duplicates("debate_id")
    legs = debates.groupby("matchup_id").size()
    as_pro = int((debates["pro"] == first).sum())
    dimensions = in_paper_order(sorted(rows["dimension"].unique()))[::-1]
    parts = ((name, rows[rows["dimension"] == name]) for name in dimensions)
    won = tally(board.only(_find_rows(board, first, second)))[:, board.names.index(first)]
    unknown = _explain_unknown(data, first, second)
    return Versus(
        first=first,
        second=second,
        judging=data.judging,
        margins=tuple(_margin(name, part, first, seed) for name, part in parts),
        wins=int(won[0]),
        ties=int(won[1]),
        losses=int(won[2]),
        gap=None if unknown else _measure_gap(data, first, second, seed),
        unknown=unknown,
        as_pro=as_pro,
        as_con=len(debates) - as_pro,
        matchups=len(legs),
        single=int((legs == 1).sum()),
    )


def format_answer(pair: Versus) -> str:
    """Say in one sentence who of the two is better, and how sure that is.

    All figures are of the better rated one against the other.
    """
    gap = pair.gap
    if gap is None:
        met = f"; {pair.first} won {_format_record(pair)}" if pair.margins else ""
        asked = f"whether {pair.first} is better than {pair.second}"
        return f"It is not known here {asked}: {pair.unknown}{met}."
    if gap.elo < 0:
        return format_answer(_turn(pair, gap))
    order = f"{pair.first} is better than {pair.second}"
    record = _format_record(pair) or "from debates with others, for the two have not met"
    elo = f"{gap.elo:+.0f} Elo points [95 %: {format_interval(gap.lower, gap.upper)}]"
    figures = f"{elo}, {record}{_format_own(gap)}{_format_categories(gap)}"
    if gap.above:
        return f"{order}, settled (95 %): {figures}."
    further = (
        f"{gap.further.amount} would probably settle it"
        if gap.further
        else f"more than {MOST_MATCHUPS} further matchups would be needed"
    )
    chance = format_chance(gap.superiority)
    return f"Whether {order} is not settled: {chance} chance; {figures}; {further}."


def versus_table(pair: Versus, *, title: str) -> Table:
    """Return a table with a row per dimension: the points of both participants."""
    notes = (_sides_note(pair), _method_note(pair)) if pair.margins else ()
    circles = circle_notes(pair.gap.circles) if pair.gap else ()
    lead, notes = (
        format_answer(pair),
        (*notes, _gap_note(pair), *(f"Note: {note}." for note in circles)),
    )
    return tabulate(_columns(pair), pair.margins, title=title, lead=lead, notes=filter(None, notes))


def _columns(pair: Versus) -> list[Column[Margin]]:
    first, second = pair.first, pair.second
    return [
        Column(head="dimension", key="dimension", read=lambda row: row.dimension, label=True),
        Column(head=first, key=first, read=lambda row: row.points, style=".2f", digits=4),
        Column(head=second, key=second, read=lambda row: FULL - row.points, style=".2f", digits=4),
        Column(key="lower", read=lambda row: row.lower, digits=4),
        Column(key="upper", read=lambda row: row.upper, digits=4),
        Column(
            head="95 % interval",
            read=lambda row: format_interval(row.lower, row.upper, ".2f", empty=""),
        ),
        Column(head="p", key="p", read=lambda row: row.test.p, style=format_p, digits=6),
        Column(head="debates", key="debates", read=lambda row: row.debates),
    ]


def versus_content(
    pair: Versus, resolved: ResolvedConfig, selection: Selection
) -> dict[str, object]:
    """Return the comparison, which counts the debates of a selection, as JSON objects."""
    about = {name: getattr(selection, name) for name in ("bench", "category", "language")}
    more = {"debates": pair.debates, "answer": format_answer(pair)}
    return envelope(resolved, **about) | asdict(pair) | more


def _margin(dimension: str, part: pd.DataFrame, first: str, seed: int) -> Margin:
    points, matchups = points_of(part, first), part["matchup_id"]
    mean = clustered_mean(points, matchups, np.random.default_rng(seed))
    return Margin(
        dimension=dimension,
        points=mean.mean,
        lower=mean.lower,
        upper=mean.upper,
        test=clustered_test(2 * points - FULL, matchups, np.random.default_rng(seed)),
        debates=part["debate_id"].nunique(),
    )


def _turn(pair: Versus, gap: Gap) -> Versus:
    """Return what a sentence says of a pair, of the second against the first."""
    turned = replace(
        gap,
        elo=-gap.elo,
        lower=-gap.upper,
        upper=-gap.lower,
        superiority=1 - gap.superiority,
        own=gap.own and replace(gap.own, predicted=1 - gap.own.predicted),
    )
    return replace(
        pair,
        first=pair.second,
        second=pair.first,
        wins=pair.losses,
        losses=pair.wins,
        gap=turned,
    )


def _format_record(pair: Versus) -> str:
    """Format how the debates of the two ended for the first; '' where there are none."""
    total = pair.wins + pair.ties + pair.losses
    if not total:
        return ""
    noun = "debate" if total == pair.debates else "verdict"
    share = f"{100 * (pair.wins + pair.ties / 2) / total:.0f} %"
    record = f"{pair.wins}-{pair.ties}-{pair.losses} won-tied-lost"
    return f"{share} of {counted(total, noun, style=',')} ({record})"


def _find_rows(board: Comparisons, first: str, second: str) -> NDArray[np.bool_]:
    """Return which comparisons are of the two, (N,)."""
    pair = [board.names.index(first), board.names.index(second)]
    return np.isin(board.first, pair) & np.isin(board.second, pair)


def _explain_unknown(data: PairData, first: str, second: str) -> str:
    """Explain why the order of two participants is not known; '' where it is."""
    board = data.boards["all"]
    rated = {board.names[k] for k in np.unique([board.first, board.second])}
    if unrated := [name for name in (first, second) if name not in rated]:
        return "; ".join(f"{name} is not rated: {data.unrated[name]}" for name in unrated)
    if len(board.names) > _MOST_RATED:
        return f"with {len(board.names):,} participants, arena matrix --elo computes it"
    if not any({first, second} <= {*part} for part in connectivity(board).components):
        return "no debates link them, not even through others"
    return ""


def _measure_gap(data: PairData, first: str, second: str, seed: int) -> Gap:
    rated = data.boards["all"]
    sure = confidence(rated)
    row, column = rated.names.index(first), rated.names.index(second)
    elo = float(sure.ratings.rating[row] - sure.ratings.rating[column])
    half = float(sure.difference[row, column])
    above, gamma = _find_above(sure, first, second), sure.ratings.gamma
    categories = {
        name: _find_above(confidence(board), first, second)
        for name, board in data.boards.items()
        if name != "all" and _find_rows(board, first, second).any()
    }
    return Gap(
        elo=elo,
        lower=elo - half,
        upper=elo + half,
        above=above,
        superiority=float(sure.superiority[row, column]),
        over_motions=sure.motions is not None and sure.motions.motions > 1,
        every_look=sure.pairing == "guided",
        at_once=format_at_once(sure),
        both_ways=sure.both_ways,
        own=compare_pair(rated, gamma, first, second, seed=seed),
        circles=look_for_circles(rated, gamma, seed=seed),
        categories=categories if len(categories) > 1 else {},
        further=None if above else cheapest(rated, sure, [(row, column)], data.usd),
    )


def _find_above(sure: Confidence, first: str, second: str) -> str:
    """Return the name of whoever is settled to be above the other; '' for neither."""
    row, column = sure.names.index(first), sure.names.index(second)
    if sure.settled[row, column]:
        return first
    return second if sure.settled[column, row] else ""


def _format_own(gap: Gap) -> str:
    """Format how far the record of the two is from the ratings, where that is no chance."""
    if gap.own is None or not gap.own.is_significant:
        return ""
    return (
        f", which contradicts the ratings: they predict {format_percent(gap.own.predicted)} "
        f"(p = {format_p(gap.own.p_value)})"
    )


def _format_categories(gap: Gap) -> str:
    """Format what is settled otherwise on the motions of single categories."""
    groups: dict[str, list[str]] = {}
    for category, above in gap.categories.items():
        if above != gap.above:
            groups.setdefault(above, []).append(category)
    motions = {above: f"{' and '.join(names)} motions" for above, names in groups.items()}
    return "".join(
        f"; on {words}, {above} is better, settled" if above else f"; open on {words}"
        for above, words in motions.items()
    )


def _sides_note(pair: Versus) -> str:
    debates = (
        f"{counted(pair.debates, 'debate')} in {counted(pair.matchups, 'matchup')}; "
        f"{pair.first} was Pro in {pair.as_pro} and Con in {pair.as_con}."
    )
    if pair.single:
        single = counted(pair.single, "matchup")
        return f"{debates} Of {single} only one debate is judged, so the sides are not balanced."
    return f"{debates} Both debates of each matchup are judged, so the sides are balanced."


def _method_note(pair: Versus) -> str:
    sampled = any(not margin.test.exact for margin in pair.margins)
    assignments = f"{FLIPS:,} random" if sampled else "all"
    clusters = [margin.test.differences for margin in pair.margins]
    several = pair.wins + pair.ties + pair.losses > pair.debates
    apart = "; every bench's verdict on a debate counts by itself" if several else ""
    interval = format_interval_method("matchup", clusters)
    return (
        f"Mean points per debate, out of three; a tie counts as half{apart}. Interval of "
        f"{pair.first}'s mean: {interval}. p: that test, two-sided, {assignments} assignments. "
        "Both are of these debates and motions alone, at a single look."
    )


def _gap_note(pair: Versus) -> str:
    gap = pair.gap
    if gap is None:
        return ""
    motions = ", for motions in general" if gap.over_motions else ""
    looks = ", at every look" if gap.every_look else ""
    lines = [
        f"The difference in Elo is that of the leaderboard of {pair.judging}, from all of its "
        f"debates{motions}; its 95 % "
        f"interval is of this pair alone{looks}. An order is settled for {gap.at_once} at once."
    ]
    if not gap.above:
        lines.append(
            "The chance is of this pair alone, at a single look, so it may be high while the order "
            "is open."
        )
    if gap.both_ways:
        lines.append(
            "Some forfeit more often than others, so interval, chance and settled orders hold "
            "whether forfeits count as losses or not."
        )
    return " ".join(lines)
