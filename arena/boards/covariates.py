"""Covariates of a rating model: the length of speeches, their references, and model families."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.boards.comparisons import ComparisonSet
from arena.boards.selecting import select_comparisons
from arena.boards.selection import Selection
from arena.config.resolved import ResolvedConfig
from arena.errors import ConfigError
from arena.languages import SIDES
from arena.plugins import model_families
from arena.records import family_of
from arena.store.database import Store
from ratings import Model, own_family

#: How much the advantage of a side may vary between motions, in Elo points, in models with motions.
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


def _sums(rows: pd.DataFrame, quantity: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sums over Pro's and over Con's speeches; 0 where these are not known."""
    sums = rows.reindex(columns=[f"{side}_{quantity}" for side in SIDES]).fillna(0)
    pro, con = sums.to_numpy(dtype=float).T
    return pro, con


def _length(rows: pd.DataFrame, resolved: ResolvedConfig) -> NDArray[np.float64]:
    """Return log2 of Pro's words over Con's."""
    pro, con = _sums(rows, "words")
    return np.asarray(np.log2(np.maximum(pro, 1) / np.maximum(con, 1)))


def _references(rows: pd.DataFrame, resolved: ResolvedConfig) -> NDArray[np.float64]:
    """Return how many more references Pro gave than Con."""
    pro, con = _sums(rows, "references")
    return np.asarray(pro - con)


def _own_family(rows: pd.DataFrame, resolved: ResolvedConfig) -> NDArray[np.float64]:
    """Return which side is of the judge's own model family: 1 Pro, -1 Con, 0 neither or both.

    The judges and the participants of imported battles count as models of their names.
    """
    if resolved.imported:
        voters = rows["voter"].unique()
        judge_families = rows["voter"].map({voter: family_of(str(voter)) for voter in voters})
    else:
        judge_families = rows["bench"].map({bench.name: bench.family for bench in resolved.benches})
    is_known = judge_families != ""
    judges = judge_families.str.lower().where(is_known, _UNKNOWN_FAMILY).tolist()
    families = {
        participant.name: model_families([participant]) for participant in resolved.participants
    }
    first, second = (
        [judge if judge in families[name] else "" for judge, name in zip(judges, side, strict=True)]
        for side in (rows["pro"], rows["con"])
    )
    return own_family(judges, first, second)


_FUNCTIONS: Mapping[str, Callable[[pd.DataFrame, ResolvedConfig], NDArray[np.float64]]] = {
    "length": _length,
    "references": _references,
    "own-family": _own_family,
}
#: One unit of each covariate, in words.
COVARIATES: Mapping[str, str] = {
    "length": "twice the words",
    "references": "one more reference",
    "own-family": "a judge of one's own family of models",
}
#: Why a covariate may be the same on both sides of every debate.
_NEVER_DIFFERS = {
    "length": "the speeches of both sides are equally long, or none are stored",
    "references": "the speeches of both sides have equally many references, or none are stored",
    "own-family": "no judge's model family is that of one side's models only",
}


def select_with_covariates(
    store: Store,
    resolved: ResolvedConfig,
    selection: Selection,
    *,
    covariates: Collection[str] = tuple(COVARIATES),
    by_motion: bool = True,
) -> ComparisonSet:
    """Read the comparisons of a selection with covariates; raises like `select_comparisons`.

    Covariates that are the same on both sides of every debate are left out.
    """
    selected = select_comparisons(
        store, resolved, selection, by_motion=by_motion, by_judge="own-family" in covariates
    )
    comparisons = selected.comparisons
    names = pd.CategoricalDtype(list(comparisons.names))
    rows = selected.rows.assign(
        pro=pd.Categorical.from_codes(comparisons.first, dtype=names),
        con=pd.Categorical.from_codes(comparisons.second, dtype=names),
    )
    if not (resolved.imported or {*covariates} <= {"own-family"}):
        speeches = store.read(_SPEECHES, {"tournament": resolved.name})
        rows = rows.merge(speeches, on="debate_id", how="left")
    computed = [name for name in _FUNCTIONS if name in covariates and len(rows)]
    values = {name: _FUNCTIONS[name](rows, resolved) for name in computed}
    differing = {name: value for name, value in values.items() if value.any()}
    return replace(selected, comparisons=comparisons.described(covariates=differing))


def select_for_model(
    store: Store,
    resolved: ResolvedConfig,
    selection: Selection,
    model: Model,
    *,
    by_motion: bool = False,
) -> ComparisonSet:
    """Read the comparisons of a selection with the covariates that a model has.

    Args:
        by_motion: whether to name motions even if the model needs none.

    Raises:
        ConfigError: a covariate of the model is the same on both sides of every debate, or the
            tournament lacks what is selected (see `select_comparisons`).
    """
    by_motion = by_motion or model.motion_spread is not None
    selected = select_with_covariates(
        store, resolved, selection, covariates=model.covariates, by_motion=by_motion
    )
    if not len(selected.comparisons):
        empty = selected.comparisons.described(covariates=dict.fromkeys(model.covariates, ()))
        return replace(selected, comparisons=empty)
    for name in model.covariates:
        if name not in selected.comparisons.covariates:
            raise ConfigError(
                f"the covariate {name} cannot be estimated here: {_NEVER_DIFFERS[name]}."
            )
    return selected


def format_effect(name: str) -> str:
    """Format the name of a model's term as what its effect is the worth of.

    >>> format_effect("side"), format_effect("length")
    ('the side (Pro)', 'twice the words')
    """
    return COVARIATES.get(name, f"the {name} (Pro)")
