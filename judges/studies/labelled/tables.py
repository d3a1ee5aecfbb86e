"""What an evaluation found, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isnan

from arena.console.output import titled
from arena.console.tables import Table
from arena.report.interval_text import method
from judges.studies.agreement.cells import number, p_value
from judges.studies.labelled.accuracy import Accuracy, Contrast
from judges.studies.labelled.concordance_tables import advocates_table, jurors_table
from judges.studies.labelled.paper_tables import paper_tables
from judges.studies.labelled.results import Worth
from judges.studies.labelled.rewording_table import rewordings_table
from judges.studies.labelled.rounds import Gaps


def tables(worth: Worth) -> Iterator[Table]:
    """All tables, those with nothing to show left out."""
    title = titled(worth.file, "judges against people", simulated=worth.simulated)
    yield _accuracies(worth, title)
    if worth.categories:
        yield _categories(worth.categories)
    if worth.contrasts:
        yield _contrasts(worth.contrasts)
    yield from paper_tables(worth)
    if any(one.apart for one in worth.models):
        yield _apart(worth)
    for one in worth.gaps:
        yield _gaps(one)
    if worth.advocates:
        yield advocates_table(worth.advocates)
    if worth.jurors:
        yield jurors_table(worth.jurors)
    if worth.rewordings:
        yield rewordings_table(worth.rewordings)


def _accuracies(worth: Worth, title: str) -> Table:
    head = (
        "judge", "pairs", "right", "accuracy", "95 % interval", "judge's ties", "people's ties",
        "flips", "missing", "USD", "USD a right one", "tokens a right one",
    )  # fmt: skip
    missing = any(one.missing for one in worth.accuracies)
    left = " What is missing has failed or is open; the same command asks again." if missing else ""
    return Table(
        title=title,
        head=head,
        rows=tuple(map(_accuracy, worth.accuracies)),
        notes=(
            "pairs: those that people have named a winner of; a judge's tie on one is not right. "
            "people's ties: on how many of the pairs that people call a tie the judge does too. "
            "Intervals: Wilson's, with the pairs of one question counted as one cluster. flips: "
            "share of ballots in both orders (swap = true) whose winner changed. USD and tokens a "
            f"right one: of all ballots on these pairs, per right verdict.{left}",
        ),
    )


def _accuracy(one: Accuracy) -> tuple[str, ...]:
    return (
        one.bench,
        str(one.pairs),
        str(one.right),
        number(one.share, ".3f"),
        "-" if isnan(one.lower) else f"{one.lower:.3f} to {one.upper:.3f}",
        str(one.ties),
        f"{one.even_right} of {one.even}" if one.even else "-",
        number(one.flip_rate, ".0%"),
        str(one.missing),
        f"{one.usd:.4f}",
        number(one.usd_per_right, ".5f"),
        number(one.tokens_per_right, ",.0f"),
    )


def _categories(found: Mapping[str, tuple[Accuracy, ...]]) -> Table:
    benches = [one.bench for one in next(iter(found.values()))]
    rows = tuple(
        (name or "-", *(f"{number(one.share, '.2f')} ({one.pairs})" for one in row))
        for name, row in found.items()
    )
    return Table(
        title="Accuracy by category (and of how many pairs)",
        head=("category", *benches),
        rows=rows,
    )


def _contrasts(found: tuple[Contrast, ...]) -> Table:
    head = ("first", "second", "pairs", "difference", "t", "p of t", "first alone", "second alone",
            "p of McNemar")  # fmt: skip
    rows = tuple(
        (
            *(one.first, one.second, str(one.pairs), number(one.difference, "+.3f")),
            *(number(one.t, ".2f"), p_value(one.t_p)),
            *(str(one.only_first), str(one.only_second), p_value(one.mcnemar_p)),
        )
        for one in found
    )
    return Table(
        title="Judges with each other, on the same pairs",
        head=head,
        rows=rows,
        labels=2,
        notes=(
            "difference: the second's accuracy minus the first's, with a paired t-test. alone: "
            "pairs that only one of them is right about, with McNemar's exact test. Both tests "
            "take the pairs as independent and are not corrected for their number.",
        ),
    )


def _apart(worth: Worth) -> Table:
    head = ("MORE", "SAMRE", "pairs", "|s1-s2| MORE", "|s1-s2| SAMRE", "difference",
            "95 % interval", "t", "p", "MORE larger")  # fmt: skip
    rows = tuple(
        (
            *(one.first, one.second, str(one.pairs)),
            *(f"{value:.1f}" for value in (one.first_mean, one.second_mean)),
            f"{one.difference:+.1f}",
            "-" if isnan(one.lower) else f"{one.lower:+.1f} to {one.upper:+.1f}",
            *(number(one.t, ".2f"), p_value(one.p), f"{one.larger:.0%}"),
        )
        for measured in worth.models
        for one in measured.apart
    )
    questions = [one.questions for measured in worth.models for one in measured.apart]
    return Table(
        title="How far apart the two answers' totals are: MORE against SAMRE",
        head=head,
        rows=rows,
        labels=2,
        notes=(
            "Totals run from 6 to 120. Theorem 1 of the paper says that MORE sets the answers "
            "further apart than debate in rounds; the difference tests it on these pairs, its "
            f"interval: {method('question', questions)}.",
        ),
    )


def _gaps(one: Gaps) -> Table:
    model = one.model
    rows = [(f"mean gap in round {n}", f"{gap:.3f}") for n, gap in enumerate(one.by_round, 1)]
    rows += [
        ("steps in which the gap grew", f"{model.grew} of {model.steps}"),
        (f"mean of Beta({model.a:g}, {model.b:g})", f"{model.mean:.3f}"),
        ("its variance", f"{model.variance:.5f}"),
    ]
    for tail in one.tails:
        bound = "does not hold" if isnan(tail.bound) else f"{tail.bound:.3f}"
        rows.append((f"P(G > {tail.threshold:g})", f"{tail.exact:.3f} (the paper's bound {bound})"))
    for reach in one.reached:
        mean = "" if isnan(reach.mean_round) else f", first in round {reach.mean_round:.1f}"
        rows.append((f"a gap of {reach.least:g}", f"in {reach.runs} of {model.runs} runs{mean}"))
    return Table(
        title=f"How the gap evolves: {one.bench}, {model.runs} runs without the stopping rule",
        head=("gap: |s1-s2| / 114", "value"),
        rows=tuple(rows),
        notes=(
            "The model counts how often the gap grew from one round to the next and says nothing "
            "of how far.",
        ),
    )
