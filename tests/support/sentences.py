"""What is true of a board, recomputed the obvious way, beside what its sentences say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

import numpy as np

from ratings import Comparisons

Pair = tuple[str, str]
Content = Mapping[str, Any]
#: The relation of who is linked to whom.
Links = dict[str, set[str]]


class Truth:
    """What the comparisons and the numbers of a board (its JSON) say."""

    def __init__(self, comparisons: Comparisons, content: Content) -> None:
        self.content = content
        self.rows = [row for row in content["rows"] if row["debates"]]
        self.names = [row["participant"] for row in self.rows]
        self.row = {row["participant"]: row for row in content["rows"]}
        self.settled: set[Pair] = {(better, worse) for better, worse in content["separated"]}
        names = comparisons.names
        self.games = [
            (names[i], names[j], outcome)
            for i, j, outcome in zip(
                comparisons.first, comparisons.second, comparisons.outcome, strict=True
            )
        ]
        self.comparisons = comparisons
        self.groups = self._group(self.games)

    def _group(self, games: Sequence[tuple[str, str, float]]) -> list[set[str]]:
        """The groups of those who are linked by games, of all who are rated."""
        group = {name: {name} for name in self.names}
        for first, second, _ in games:
            if group[first] is not group[second]:
                joined = group[first] | group[second]
                group |= dict.fromkeys(joined, joined)
        return list({id(part): part for part in group.values()}.values())

    def is_one_sided(self) -> bool:
        """Whether some of a linked board never lost or tied to the rest."""
        beaten: Links = {name: {name} for name in self.names}
        for first, second, outcome in self.games:
            beaten[first] |= {second} if outcome > 0 else set()
            beaten[second] |= {first} if outcome < 1 else set()
        for _ in self.names:
            beaten = {
                name: set().union(*(beaten[o] for o in near)) for name, near in beaten.items()
            }
        return any(len(reached) < len(self.names) for reached in beaten.values())

    def links(self, larger: str, smaller: str) -> list[set[str]]:
        """The groups without the games of a pair."""
        pair = {larger, smaller}
        return self._group([game for game in self.games if {game[0], game[1]} != pair])

    def met(self, one: str, other: str) -> int:
        """How many games a pair has."""
        return sum({first, second} == {one, other} for first, second, _ in self.games)

    def rivals(self) -> list[str]:
        """Who is not settled to be below the first."""
        return [name for name in self.names[1:] if (self.names[0], name) not in self.settled]

    def ranks(self, name: str) -> tuple[int, int]:
        """The best and the worst rank that settled orders leave."""
        above = sum(worse == name for _, worse in self.settled)
        below = sum(better == name for better, _ in self.settled)
        return 1 + above, len(self.names) - below

    def tie_groups(self) -> list[list[str]]:
        """The groups of those who are not separated from the first of them."""
        left, groups = list(self.names), []
        while left:
            groups.append([name for name in left if (left[0], name) not in self.settled])
            left = [name for name in left if name not in groups[-1]]
        return groups

    def apart(self, low: str, high: str) -> list[Pair]:
        """The pairs whose bars do not overlap and whose order is not settled, from the top."""
        return [
            (one, other)
            for one, other in permutations(self.names, 2)
            if self.row[one][low] > self.row[other][high] and (one, other) not in self.settled
        ]

    def is_better_than_predicted(self, one: str, other: str) -> bool:
        """Whether somebody won a larger share against another than the ratings predict."""
        gap = self.row[one]["rating"] - self.row[other]["rating"]
        c, names = self.comparisons, self.comparisons.names
        won = weight = 0.0
        for i, j, outcome, each in zip(c.first, c.second, c.outcome, c.weight, strict=True):
            if {names[i], names[j]} == {one, other}:
                won += each * (outcome if names[i] == one else 1 - outcome)
                weight += each
        return bool(won / weight > 1 / (1 + np.exp(-gap * np.log(10) / 400)))


def check_leader(truth: Truth, clause: str) -> bool:
    """Whether what is said of the first is true."""
    first, rivals = truth.names[0], truth.rivals()
    printed = {row["participant"]: f"{row['rating']:.0f}" for row in truth.rows}
    placed = [n for n in truth.names if truth.row[n]["rank"] is not None]
    level = [n for n in placed if n in rivals and printed[n] == printed[first]]
    if said := re.fullmatch(r"nobody leads, for no debates link the groups (.*)", clause):
        parts = [re.sub(r" and \d+ more$", "", part) for part in said[1].split(" | ")]
        islands = sorted(truth.groups, key=len, reverse=True)
        shown = [any({*part.split(", ")} <= island for island in islands) for part in parts]
        return len(islands) > 1 and all(shown) and len(parts) == min(len(islands), 4)
    if len(truth.groups) > 1:
        return False
    if clause == f"{first} is first beyond doubt":
        return not rivals
    if clause == f"{', '.join([first, *level])} are level at the top":
        return bool(level)
    said = re.fullmatch(
        rf"{first} leads, but is not separated from (.*?)( and (\d+) more)?", clause
    )
    if not said or level or not rivals:
        return False
    listed = said[1].split(", ")
    return listed == rivals[: len(listed)] and len(listed) + int(said[3] or 0) == len(rivals)


def format_count(pairs: Sequence[Pair]) -> str:
    """The number of pairs with the name of the first."""
    first = " and ".join(pairs[0])
    return (
        f"1 pair ({first}) has" if len(pairs) == 1 else f"{len(pairs)} pairs (first {first}) have"
    )


def _check_summary(truth: Truth, said: re.Match[str]) -> bool:
    everybody = len(truth.content["rows"])
    pairs = everybody * (everybody - 1) // 2
    looked = truth.content["pairing"] in {"mixed", "guided"} or truth.content["plan"]["share"] < 1
    return (
        int(said[1]) == len(truth.games)
        and (int(said[2]), int(said[3])) == (len(truth.settled), pairs)
        and (said[4] == "all pairs and looks") == looked
        and check_leader(truth, said[5])
    )


def _check_open(truth: Truth, said: re.Match[str]) -> bool:
    could = {name: truth.ranks(name) for name in truth.names}
    expected = {name: ranks for name, ranks in could.items() if ranks[0] == 1}
    found = {
        name: (1, int(worst))
        for name, worst in re.findall(r"(\w+) (?:could be )?1st (?:or|to) (\d+)", said[1])
    }
    if many := re.fullmatch(r"(\d+) of (\d+) could be 1st: (.*?)( and \d+ more)?", said[1]):
        listed = many[3].split(", ")
        return listed == list(expected)[:5] and int(many[1]) == len(expected) > 5
    return found == expected and len(expected) > 1


def _check_first(truth: Truth, said: re.Match[str]) -> bool:
    first, top = truth.content["first"], truth.rows[0]
    ends = f"{first['lower']:.0f}", f"{first['upper']:.0f}"
    return (
        said.groups()[:3] == (top["participant"], *ends)
        and (said[4] is not None) == (first["name"] in truth.content["connectivity"]["undefeated"])
        and first["lower"] <= top["lower"] < top["rating"] < first["upper"]
        and len(truth.groups) == 1
        and first["contenders"] == sum(truth.ranks(name)[0] == 1 for name in truth.names) > 1
    )


def _check_groups(truth: Truth, said: re.Match[str]) -> bool:
    groups = truth.tie_groups()
    if sum(map(len, groups)) <= 10:
        return [part.split(", ") for part in said[1].split(" | ")] == groups
    found = re.findall(r"\((\d+), from (\w+)\)", said[1])
    return found == [(str(len(group)), group[0]) for group in groups if len(group) > 1]


def _check_motions(truth: Truth, said: re.Match[str]) -> bool:
    effect = truth.content["motions"]
    figures = [f"{effect[key]:.0f}" for key in ("spread", "motions", "width", "width_of_these")]
    if list(said.groups()) != figures or len(truth.rows) < len(truth.row):
        return list(said.groups()) == figures  # who is not rated has an interval that is not shown
    width = np.mean([row["upper"] - row["lower"] for row in truth.rows])
    return bool(abs(width - effect["width"]) < 0.01)


def _check_one_motion(truth: Truth, said: re.Match[str]) -> bool:
    c = truth.comparisons
    return c.motion is not None and len(np.unique(c.motion)) == 1


def _check_planned(truth: Truth, said: re.Match[str]) -> bool:
    share = truth.content["plan"]["share"]
    return truth.content["pairing"] == "planned" and (
        share == 1 if said[1] is None else f"{100 * min(share, 0.99):.0f}" == said[1]
    )


def _check_disconnected(truth: Truth, said: re.Match[str]) -> bool:
    groups = {frozenset(part.split(", ")) for part in said[1].split("; ")}
    return len(groups) > 1 and groups == set(map(frozenset, truth.groups))


def _check_leaf(truth: Truth, said: re.Match[str]) -> bool:
    leaf, other, number = said.groups()
    opponents = {n for a, b, _ in truth.games for n in (a, b) if leaf in (a, b)} - {leaf}
    return opponents == {other} and truth.met(leaf, other) == int(number)


def _check_bridge(truth: Truth, said: re.Match[str]) -> bool:
    names, smaller, larger, number = said.groups()
    without = truth.links(larger, smaller)
    cut_off = set(names.split(", "))
    return cut_off in without and smaller in cut_off and truth.met(smaller, larger) == int(number)


def _check_circle(truth: Truth, said: re.Match[str]) -> bool:
    p, a, b, c = said[1], said[2], said[3], said[4]
    tested = truth.content["circles"]["p_value"]
    ring = ((a, b), (b, c), (c, a)) if a else ()
    return (
        tested <= 0.05
        and f"{tested:.3f}" == p
        and all(truth.is_better_than_predicted(*pair) for pair in ring)
    )


def _check_apart(truth: Truth, said: re.Match[str]) -> bool:
    looks = truth.content["pairing"] == "mixed" or truth.content["plan"]["share"] < 1
    pairs = truth.apart("lower", "upper")
    return bool(pairs) and said[1] == format_count(pairs) and (said[2] is not None) == looks


_N = r"(\d+)"
#: Every sentence of a board, and what must be true of it.
SENTENCES: dict[str, Callable[[Truth, re.Match[str]], bool]] = {
    rf"{_N} debates? rated\. The order of {_N} of {_N} pairs? is settled \(95 %, (.*) at once\); "
    r"(.*)\.": _check_summary,
    r"First place is open: (.*)\.": _check_open,
    r"The highest of several estimates is too high on average\. Allowing for that, (\w+): (-?\d+) "
    r"to (-?\d+)(; it won every comparison, so the upper end is the prior's .*)?\.": _check_first,
    r"Not separated from the first of their group: (.*)\.": _check_groups,
    r"Note: all debates are on one motion: intervals .*\.": _check_one_motion,
    rf"Note: participants differ by ±{_N} Elo points from motion to motion \({_N} motions\); .* "
    rf"intervals are {_N} points wide on average, .* would be {_N} .*": _check_motions,
    rf"Note: (?:{_N} % of the planned matchups are played|results guided who met whom, but the "
    r"number of matchups was planned|; their number was changed).*": _check_planned,
    r"Note: who met whom, or when play ended, followed from results, so settled .*": (
        lambda truth, _: truth.content["pairing"] == "mixed"
    ),
    r"Note: who met whom, or when play ended, followed from results alone.*": (
        lambda truth, _: truth.content["pairing"] == "guided"
    ),
    r"Note: disconnected: ratings compare only within each of these groups: (.*); matchups .*": (
        _check_disconnected
    ),
    r"Note: one-sided: .*": lambda truth, _: len(truth.groups) == 1 and truth.is_one_sided(),
    rf"Note: (\w+) is compared with nobody but (\w+) \({_N} comparisons?\)\.": _check_leaf,
    r"Note: (.*) are compared with the rest by (\w+) against (\w+) alone "
    rf"\({_N} comparisons?\)\.": _check_bridge,
    rf"Note: {_N} more pairs? carr(?:y|ies) a comparison alone\.": (
        lambda truth, said: len(truth.content["connectivity"]["bridges"]) == 3 + int(said[1])
    ),
    r"Note: results run in circles more than chance explains \(p = ([\d.]+)\)(?:: (\w+) does "
    r"better against (\w+), \w+ against (\w+) and .* predict)?, so .*": _check_circle,
    r"Note: (.*) intervals that do not overlap and an order that is not settled: an interval is of "
    r"one rating alone(, at one look)?, an order is settled for .* at once\.": _check_apart,
}


def untrue(truth: Truth, lines: Sequence[str]) -> Iterator[str]:
    """Yield the sentences that are not true of a board, or not known here."""
    for line in lines:
        matches = [(check, re.fullmatch(form, line)) for form, check in SENTENCES.items()]
        checks = [check(truth, said) for check, said in matches if said]
        if not checks or not all(checks):
            yield line


def missing(truth: Truth, lines: Sequence[str]) -> Iterator[str]:
    """Yield what a board had to say and did not."""
    text = "\n".join(lines)
    for is_due, words in (
        (len(truth.groups) > 1, "disconnected"),
        (len(truth.groups) == 1 and truth.is_one_sided(), "one-sided"),
        (bool(truth.apart("lower", "upper")), "do not overlap"),
        (sum(truth.ranks(name)[0] == 1 for name in truth.names) > 1, "First place is open"),
        (any(len(group) > 1 for group in truth.tie_groups()), "first of their group"),
        ((truth.content["circles"] or {"p_value": 1})["p_value"] <= 0.05, "run in circles"),
        (truth.content["pairing"] in {"mixed", "guided"}, "followed from results"),
    ):
        if is_due != (words in text):
            yield f"{words}: {'missing' if is_due else 'not due'}"
