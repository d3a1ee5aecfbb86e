"""Fields like a stored tournament: measured values beside those of the command line."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from arena.scheduling.simulation.field import FieldPlan
from arena.text import counted
from arena.tournament.similar_field import SimilarField
from ratings.model.fitting import ELO_PER_GAMMA


def merge_plans(measured: FieldPlan, stated: FieldPlan, *, stated_by: Collection[str]) -> FieldPlan:
    """Return what was measured, but for what the command line names.

    Args:
        measured: in a tournament.
        stated: by the command line, defaults included.
        stated_by: the names of the options that were given.
    """
    judging = replace(
        measured.judging,
        **{
            field: getattr(stated.judging, field)
            for option, field in _JUDGING.items()
            if option in stated_by
        },
    )
    own = {
        field: getattr(stated, field)
        for option, fields in _FIELD.items()
        if option in stated_by
        for field in fields
    }
    if own.get("participants", measured.participants) != measured.participants:
        own = {"usd": (), "prices": _ratio(measured), **own}
    return replace(measured, cycles=stated.cycles, judging=judging, **own)


def format_similar(similar: SimilarField | None, plan: FieldPlan) -> Iterator[str]:
    """Yield a note on what the simulated fields have from a tournament; none without one."""
    if similar is None:
        return
    judging = plan.judging
    assumed = f" Not measured but assumed: {', '.join(similar.assumed)}." * bool(similar.assumed)
    yield (
        f"Like {counted(similar.debates, 'judged debate')}: strengths spread by "
        f"{plan.spread * ELO_PER_GAMMA:.0f} Elo, side {judging.side:+.0f} Elo, ties "
        f"{judging.tie:.2f}, ICC {judging.icc:.2f}, a ballot {judging.usd:.3g} USD.{assumed}"
    )


def _ratio(plan: FieldPlan) -> float:
    return max(plan.usd) / min(plan.usd) if plan.usd else plan.prices


#: The fields of `Judging` and of `FieldPlan` that options of `arena simulate` state.
_JUDGING = {
    "runs": "runs",
    "icc": "icc",
    "side": "side",
    "ties": "tie",
    "noise": "noise",
    "ballot_usd": "usd",
}
_FIELD = {
    "participants": ("participants",),
    "elo": ("participants", "strengths"),
    "spread": ("spread",),
    "prices": ("prices", "usd"),
}
