"""What prompts in other words change, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from arena.console.tables import Table
from arena.report.interval_text import method
from judges.studies.agreement.cells import interval, number, p_value
from judges.studies.labelled.rewording import Rewording


def rewordings_table(found: Sequence[Rewording]) -> Table:
    """A row per bench."""
    questions = [one.clusters for one in found]
    missing = any(one.missing for one in found)
    left = " Pairs without all three verdicts are left out." if missing else ""
    return Table(
        title="Sensitivity to the wording of the prompts",
        head=(
            "judge", "pairs", "changed", "95 % interval", "by chance", "net", "95 % of net", "p",
            "kappa", "kappa by chance", "accuracy", "in other words", "p of accuracy",
        ),
        rows=tuple(map(_row, found)),
        notes=(
            "changed: pairs on which prompts in other words lead to another verdict; its interval "
            "is Wilson's, by questions. by chance: those on which the same prompts do, asked "
            f"again. net: the difference, paired; its interval: {method('question', questions)}; "
            "p: McNemar's exact test. kappa: Cohen's, of "
            "the first verdicts with those in other words, and with those by the same prompts "
            "again, which is the most to be expected. accuracy: of the pairs that people have "
            "named a winner of, by the prompts as they are and in other words, with McNemar's "
            f"exact test.{left}",
        ),
    )  # fmt: skip


def _row(one: Rewording) -> tuple[str, ...]:
    if not one.readings:
        return (one.bench, "0", *["-"] * 11)
    net = "-" if isnan(one.net_lower) else f"{one.net_lower:+.0%} to {one.net_upper:+.0%}"
    return (
        *(one.bench, str(one.readings), f"{one.moved} ({one.share:.0%})"),
        *(f"{one.lower:.0%} to {one.upper:.0%}", str(one.noise), f"{one.net:+.0%}", net),
        *(p_value(one.p), interval(one.kappa), interval(one.kappa_again)),
        number(one.right / one.told if one.told else float("nan"), ".3f"),
        number(one.right_others / one.told if one.told else float("nan"), ".3f"),
        p_value(one.right_p),
    )
