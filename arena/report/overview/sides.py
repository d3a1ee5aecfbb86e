"""Whether a side has an advantage: its share of wins, and what that is worth in Elo points."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from arena.config.resolve import ResolvedConfig
from arena.languages import ENGLISH
from arena.languages.pair_words import contest_language
from ratings import (
    CON_WINS,
    PRO_WINS,
    TIE,
    Comparisons,
    EffectInterval,
    Model,
    RatingError,
    clustered_mean,
    confidence,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SideShare:
    """How often the first side wins.

    Attributes:
        category: of the motions, or `all`.
        wins, ties, losses: of the first side.
        share: of its wins, a tie as half; NaN without debates.
        lower, upper: ends of the 95 % interval; NaN where there is none.
    """

    category: str
    wins: int
    ties: int
    losses: int
    share: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SideAdvantage:
    """The advantage of the first side.

    Attributes:
        side: its name.
        shares: of all motions, then of each category with debates.
        effect: what the side is worth by the rating model, as a sentence; '' where unknown.
        sentence: the answer to whether there is one.
    """

    side: str
    shares: tuple[SideShare, ...]
    effect: str
    sentence: str


def side_advantage(
    resolved: ResolvedConfig, debates: pd.DataFrame, comparisons: Comparisons
) -> SideAdvantage:
    """Measure the advantage of the first side.

    Args:
        resolved: the tournament.
        debates: the main board's, as `compared_debates` returns them.
        comparisons: the main board's.
    """
    side = contest_language(ENGLISH, resolved.config.tournament.contest).sides["pro"]
    shares = tuple(_shares(debates, seed=resolved.config.tournament.seed))
    effect = _effect(comparisons)
    return SideAdvantage(
        side=side,
        shares=shares,
        effect=_format_effect(effect),
        sentence=_format_answer(side, shares[0], effect),
    )


def _shares(debates: pd.DataFrame, *, seed: int) -> Iterator[SideShare]:
    yield _share("all", debates, seed)
    categories = sorted(set(debates["category"])) if len(debates) else []
    if len(categories) > 1:
        for category in categories:
            yield _share(str(category), debates[debates["category"] == category], seed)


def _share(category: str, debates: pd.DataFrame, seed: int) -> SideShare:
    outcome = debates["outcome"].to_numpy(dtype=float)
    mean = clustered_mean(
        outcome, debates["matchup_id"].to_numpy(dtype=str), np.random.default_rng(seed)
    )
    return SideShare(
        category=category,
        wins=int((outcome == PRO_WINS).sum()),
        ties=int((outcome == TIE).sum()),
        losses=int((outcome == CON_WINS).sum()),
        share=mean.mean,
        lower=mean.lower,
        upper=mean.upper,
    )


def _effect(comparisons: Comparisons) -> EffectInterval | None:
    """Return what the side is worth in Elo points; `None` where that cannot be estimated."""
    if not len(comparisons):
        return None
    try:
        (effect,) = confidence(comparisons, Model(side=True)).effects
    except RatingError:
        return None
    return effect


def _format_effect(effect: EffectInterval | None) -> str:
    if effect is None:
        return ""
    return f"{effect.elo:+.0f} Elo (95 %: {effect.lower:.0f} to {effect.upper:.0f})"


def _format_answer(side: str, share: SideShare, effect: EffectInterval | None) -> str:
    if math.isnan(share.share):
        return "Nothing is judged yet."
    won = f"{side} won {100 * share.share:.0f} % (a tie counts as half)"
    if effect is None:
        return f"{won}."
    if effect.lower > 0:
        verdict = "Yes"
    elif effect.upper < 0:
        verdict = "No, a disadvantage"
    else:
        verdict = "That is open"
    return f"{verdict}: {won}; by the rating model it is worth {_format_effect(effect)}."
