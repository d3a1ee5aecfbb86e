"""Terms of a rating model that need more of a debate than its outcome: length, references, kin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.entry import Entry
from arena.errors import ConfigError
from arena.languages import SIDES
from arena.records import IMPORTED, family_of, kin
from arena.selection import scope
from arena.store import Store
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


def _length(rows: pd.DataFrame, entry: Entry) -> NDArray[np.float64]:
    """How many times Pro's words are twice Con's; 0 where speeches are not known."""
    pro, con = _both(rows, "words")
    return np.asarray(np.log2(np.maximum(pro, 1) / np.maximum(con, 1)))


def _references(rows: pd.DataFrame, entry: Entry) -> NDArray[np.float64]:
    """How many more references Pro gave than Con; 0 where speeches are not known."""
    pro, con = _both(rows, "references")
    return np.asarray(pro - con)


def _both(rows: pd.DataFrame, what: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What the speeches of Pro and of Con have of something; 0 where they are not known."""
    pro, con = (rows[f"{side}_{what}"].fillna(0).to_numpy(dtype=float) for side in SIDES)
    return pro, con


def _own_family(rows: pd.DataFrame, entry: Entry) -> NDArray[np.float64]:
    """Of imported battles, judges and participants are taken for models of their names."""
    families = {one.name: one.family or family_of(one.model) for one in entry.benches}
    judged_by = [
        family_of(str(voter)) if bench == IMPORTED else families[bench]
        for bench, voter in zip(rows["bench"], rows["voter"], strict=True)
    ]
    judges = [family.lower() or _UNKNOWN_FAMILY for family in judged_by]
    related = {
        one.name: kin([one.name if one.debater == IMPORTED else one.model])
        for one in entry.participants
    }
    first, second = (
        [judge if judge in related[name] else "" for judge, name in zip(judges, side, strict=True)]
        for side in (rows["pro"], rows["con"])
    )
    return own_family(judges, first, second)


_VALUES: Mapping[str, Callable[[pd.DataFrame, Entry], NDArray[np.float64]]] = {
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
    "own-family": "no judge is of the family of one side's model and not of the other's",
}


def needs_terms(model: Model) -> bool:
    """Whether a model asks for more than outcomes and sides."""
    return bool(model.covariates) or model.motion_spread is not None


def described(store: Store, entry: Entry, debates: pd.DataFrame) -> Comparisons:
    """Comparisons with their motions, and with every covariate that differs between sides.

    Args:
        store: holds the speeches.
        entry: the tournament.
        debates: as `compared_debates` gives them; comparisons are in their order.
    """
    speeches = store.read(_SPEECHES, {"tournament": entry.name})
    rows = debates.merge(speeches, on="debate_id", how="left")
    found = Comparisons.of(
        rows["pro"],
        rows["con"],
        rows["outcome"],
        rows["weight"],
        rows["matchup_id"],
        scope(entry).names,
    )
    values = {name: value(rows, entry) for name, value in _VALUES.items()} if len(rows) else {}
    return found.described(
        motion=rows["motion_id"].astype(str),
        covariates={name: one for name, one in values.items() if one.any()},
    )


def with_terms(store: Store, entry: Entry, debates: pd.DataFrame, model: Model) -> Comparisons:
    """Comparisons with all that a model asks for.

    Raises:
        ConfigError: a covariate of the model is the same on both sides of every debate.
    """
    found = described(store, entry, debates)
    if not len(found):
        return found.described(covariates=dict.fromkeys(model.covariates, ()))
    for name in model.covariates:
        if name not in found.covariates:
            raise ConfigError(f"the covariate {name} says nothing here: {_NEVER[name]}.")
    return found


def effect_said(name: str) -> str:
    """Say what a term of a model is the worth of.

    >>> effect_said("side"), effect_said("length")
    ('the side (Pro)', 'twice the words')
    """
    return COVARIATES.get(name, f"the {name} (Pro)")
