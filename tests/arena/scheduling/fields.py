"""Fields to draw from, and what is counted in a draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

from hypothesis import settings
from hypothesis import strategies as st

from arena.records import Debate
from arena.scheduling.dealing import Field
from motions import Category, Motion
from tests.support.tournaments import motion

CATEGORIES: tuple[Category, ...] = ("fact", "policy", "value")


def motion_set(each: int) -> list[Motion]:
    """So many motions of each category."""
    return [motion(f"{name}-{n}", name, also="辩题") for name in CATEGORIES for n in range(each)]


@st.composite
def fields(draw: st.DrawFn) -> Field:
    """Two to six participants, up to twelve motions in equal parts, one or two languages."""
    names = st.text("abcdef0123456789", min_size=1, max_size=6)
    return Field(
        tournament="t",
        seed=draw(st.integers(0, 2**63 - 1)),
        participants=draw(st.lists(names, min_size=2, max_size=6, unique=True)),
        motions=motion_set(draw(st.integers(1, 4))),
        languages=draw(st.sampled_from([["en"], ["zh"], ["en", "zh"]])),
    )


FIELDS = fields()
MATCHUPS = st.integers(1, 8)
draws = settings(max_examples=40, deadline=None)


def spread(counts: Iterable[object], keys: Iterable[object]) -> int:
    """How far the most frequent key is above the rarest."""
    found = Counter(counts)
    each = [found[key] for key in keys]
    return max(each) - min(each)


def first_legs(debates: Sequence[Debate]) -> list[Debate]:
    return [one for one in debates if one.leg == 0]


def pairs(field: Field) -> list[frozenset[str]]:
    return [frozenset(pair) for pair in combinations(field.participants, 2)]


def of_pair(debates: Sequence[Debate], pair: frozenset[str]) -> list[Debate]:
    return [one for one in first_legs(debates) if {one.pro, one.con} == pair]


def category(debate: Debate) -> str:
    return debate.motion_id.partition("-")[0]
