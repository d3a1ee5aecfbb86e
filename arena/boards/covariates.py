"""Terms of a rating model that need more of a debate than its outcome: length, references, kin."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.boards.comparisons import ComparisonSet, Selection
from arena.boards.selection import pick
from arena.config.resolve import ResolvedConfig
from arena.debates.families import related
from arena.errors import ConfigError
from arena.languages import SIDES
from arena.records import family_of
from arena.store.database import Store
from ratings import Comparisons, Model, own_family

#: Elo points; how much the side may differ between motions where a model has them differ.
MOTION_SPREAD: Final = 100.0

_SPEECHES = """
    SELECT debate_id,
           sum(words) FILTER (side = 'pro') AS pro_words,
           sum(words) FILTER (side = 'con') AS con_words,
           sum(json_array_length("references")) FILTER (side = 'pro') AS pro_references,
           sum(json_array_length("references")) FILTER (side = 'con') AS con_references
    FROM speeches JOIN debates USING (debate_id)
    WHERE tournament = $tournament GROUP BY debate_id
"""
_UNKNOWN_FAMILY = "?"


def _length(rows: pd.DataFrame, resolved: ResolvedConfig) -> NDArray[np.float64]:
    """How many times Pro's words are twice Con's; 0 where speeches are not known."""
    pro, con = _both(rows, "words")
    return np.asarray(np.log2(np.maximum(pro, 1) / np.maximum(con, 1)))


def _references(rows: pd.DataFrame, resolved: ResolvedConfig) -> NDArray[np.float64]:
    """How many more references Pro gave than Con; 0 where speeches are not known."""
    pro, con = _both(rows, "references")
    return np.asarray(pro - con)


def _both(rows: pd.DataFrame, what: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What the speeches of Pro and of Con have of something; 0 where they are not known."""
    known = rows.reindex(columns=[f"{side}_{what}" for side in SIDES]).fillna(0)
    pro, con = known.to_numpy(dtype=float).T
    return pro, con


def _own_family(rows: pd.DataFrame, resolved: ResolvedConfig) -> NDArray[np.float64]:
    """Of imported battles, judges and participants are taken for models of their names."""
    families = {one.name: one.family for one in resolved.benches}
    judged_by = (
        rows["voter"].map({one: family_of(str(one)) for one in rows["voter"].unique()})
        if resolved.imported
        else rows["bench"].map(families)
    )
    judges = judged_by.str.lower().where(judged_by != "", _UNKNOWN_FAMILY).tolist()
    families_of = {one.name: related([one]) for one in resolved.participants}
    first, second = (
        [
            judge if judge in families_of[name] else ""
            for judge, name in zip(judges, side, strict=True)
        ]
        for side in (rows["pro"], rows["con"])
    )
    return own_family(judges, first, second)


_VALUES: Mapping[str, Callable[[pd.DataFrame, ResolvedConfig], NDArray[np.float64]]] = {
    "length": _length,
    "references": _references,
    "own-family": _own_family,
}
#: What one unit of each covariate is, in words.
COVARIATES: Mapping[str, str] = {
    "length": "twice the words",
    "references": "one more reference",
    "own-family": "a judge of one's own family of models",
}
_NEVER = {
    "length": "speeches of both sides are as long, or none are stored",
    "references": "speeches of both sides have as many, or none are stored",
    "own-family": "no judge is of the family of one side's models and not of the other's",
}


def described(
    store: Store,
    resolved: ResolvedConfig,
    selection: Selection,
    *,
    covariates: Collection[str] = tuple(COVARIATES),
    by_motion: bool = True,
) -> ComparisonSet:
    """What a selection holds, with those covariates that differ between sides; raises like `pick`.

    Args:
        store: holds the speeches.
        resolved: the tournament.
        selection: of its comparisons.
        covariates: names of those to look for.
        by_motion: whether to name motions.
    """
    judges = "own-family" in covariates
    found = pick(store, resolved, selection, by_motion=by_motion, by_judge=judges)
    rows = found.rows.assign(**_sides(found.comparisons))
    if not (resolved.imported or {*covariates} <= {"own-family"}):
        speeches = store.read(_SPEECHES, {"tournament": resolved.name})
        rows = rows.merge(speeches, on="debate_id", how="left")
    known = [name for name in _VALUES if name in covariates and len(rows)]
    values = {name: _VALUES[name](rows, resolved) for name in known}
    differing = {name: one for name, one in values.items() if one.any()}
    return replace(found, comparisons=found.comparisons.described(covariates=differing))


def with_terms(
    store: Store,
    resolved: ResolvedConfig,
    selection: Selection,
    model: Model,
    *,
    by_motion: bool = False,
) -> ComparisonSet:
    """What a selection holds, with all that a model asks for; raises like `pick`.

    Args:
        store: holds the speeches.
        resolved: the tournament.
        selection: of its comparisons.
        model: that will be fitted.
        by_motion: whether to name motions, where the model does not ask for them.

    Raises:
        ConfigError: a covariate of the model is the same on both sides of every debate.
    """
    by_motion = by_motion or model.motion_spread is not None
    found = described(store, resolved, selection, covariates=model.covariates, by_motion=by_motion)
    if not len(found.comparisons):
        nothing = found.comparisons.described(covariates=dict.fromkeys(model.covariates, ()))
        return replace(found, comparisons=nothing)
    for name in model.covariates:
        if name not in found.comparisons.covariates:
            raise ConfigError(f"the covariate {name} says nothing here: {_NEVER[name]}.")
    return found


def _sides(comparisons: Comparisons) -> dict[str, pd.Categorical]:
    """The names of the two of each row."""
    known = pd.CategoricalDtype(list(comparisons.names))
    return {
        side: pd.Categorical.from_codes(places, dtype=known)
        for side, places in (("pro", comparisons.first), ("con", comparisons.second))
    }


def effect_said(name: str) -> str:
    """Say what a term of a model is the worth of.

    >>> effect_said("side"), effect_said("length")
    ('the side (Pro)', 'twice the words')
    """
    return COVARIATES.get(name, f"the {name} (Pro)")
