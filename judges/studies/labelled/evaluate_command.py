"""`arena judges evaluate`: evaluate benches on pairs of answers that people have labelled."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from arena.battles.source import ACCEPTED
from arena.battles.winners import SHOWN_WORDS
from arena.config.resolve import resolve
from arena.config.resolved import ResolvedConfig
from arena.console.options import database, examples, judge_options, read_options
from arena.console.rehearsals import (
    PRESETS,
    choose_presets,
    print_calls,
    print_options,
    print_rehearsal,
    split_presets,
)
from arena.errors import ConfigError
from arena.output.formats import form, print_tables
from arena.records import digest
from arena.store.database import Store
from arena.text import counted
from arena.tournament.job import RunOptions
from arena.tournament.rehearsal import rehearse_ballot
from judges.studies.ballots import BallotRequest
from judges.studies.labelled.evaluation_plan import (
    example_benches,
    make_benches,
    mean_words,
    plan_ballots,
    plan_evaluation,
    read_benches,
)
from judges.studies.labelled.layouts import LAYOUTS, NEEDED, OPTIONAL
from judges.studies.labelled.pairs import (
    LabelledPair,
    PairFile,
    example_pairs,
    format_skipped,
    read_pairs,
)
from judges.studies.labelled.results import measure, result_tables
from judges.studies.paid_ballots import ballot_options, take_and_show

#: The value of `--prompts` for benches as they are.
_GIVEN = "given"


@click.command(
    "evaluate",
    epilog=examples(
        "arena judges evaluate pairs16 --benches offline --yes",
        "arena judges evaluate pairs.csv --judge single --judge samre --model openai/gpt-4o-mini",
        "arena judges evaluate votes.parquet --benches benches.toml --column question=prompt",
        "arena judges evaluate mt_bench.parquet --benches defences --model openai/gpt-4o --dry-run",
        "arena judges evaluate testset-v1.json --judge single --model openai/gpt-4o --skip-bad",
        "arena judges evaluate pairs.csv --judge more --model openai/gpt-4o --swap --usd 5",
        "arena judges evaluate pairs.csv --judge single --model openai/gpt-4o --reworded",
        "arena judges evaluate pairs16 --benches papers/more-samre --prompts both",
    ),
    help=f"""
    Measure how often judges name the winner that people named, on the labelled pairs of FILE.

    FILE is {ACCEPTED}, or the shipped example {", ".join(example_pairs())}. Its columns are
    {", ".join(NEEDED)} ({", ".join(SHOWN_WORDS[:3])}); and optionally:
    {", ".join(OPTIONAL)}. Published layouts are read as they are: {
        ", ".join(layout.title for layout in LAYOUTS[1:])
    }. Several rows on the same pair are several votes, of which the majority counts. All rows are
    checked before any model is called. If it is interrupted, it prints the command that
    continues (arena judges evaluate FILE with all of these options), which takes only the missing
    ballots.

    The judge samre asks five jurors unless `--option jurors=0` says otherwise; in its paper,
    juries lowered the accuracy of all six models.
    """,
)
@click.argument("file", type=click.Path(path_type=Path))
@database
@click.option(
    "--benches",
    metavar="TOML",
    help="A TOML file with [[benches]], or the shipped example "
    + ", ".join(example_benches())
    + ". --model puts its judges on another model.",
)
@click.option(
    "--judge",
    "judges",
    multiple=True,
    metavar="METHOD",
    help="A judging method, in place of --benches; may be repeated.",
)
@judge_options
@click.option("--runs", type=click.IntRange(1, 99), help="Ballots per pair; 1 by default.")
@click.option(
    "--swap",
    is_flag=True,
    help="Judge each pair in both orders; if the winner changes, it is a tie.",
)
@click.option(
    "--column",
    "renamed",
    metavar="OURS=THEIRS",
    multiple=True,
    help="Use the column THEIRS of FILE as the column OURS; may be repeated.",
)
@click.option(
    "--skip-bad",
    is_flag=True,
    help="Leave out rows that cannot be used; they are counted and named.",
)
@click.option(
    "--reworded",
    is_flag=True,
    help="Measure how many verdicts change when the judge is asked again, and when its prompts are "
    "reworded. Takes three times as many ballots.",
)
@click.option(
    "--prompts",
    "way",
    type=click.Choice([_GIVEN, *PRESETS]),
    help="Print options, calls and prompts of the judges on the first pair, and take no ballots: "
    'of the judges as given; or of those that can follow their paper, with preset = "paper", '
    "without it, or both. A simulated model answers, so no key is needed.",
)
@ballot_options
@form
def evaluate(  # noqa: PLR0913, PLR0917 - one parameter for each option
    file: Path,
    db: Path,
    form: str,
    renamed: tuple[str, ...],
    skip_bad: bool,  # noqa: FBT001 - a flag
    reworded: bool,  # noqa: FBT001 - a flag
    way: str | None,
    run_options: RunOptions,
    **how: Any,  # noqa: ANN401 - the options that name judges
) -> None:
    """Evaluate judges on labelled pairs."""
    content = read_pairs(file, dict(map(_parse_column, renamed)), skip_bad=skip_bad)
    if content.skipped:
        left = f"{len(content.skipped)} of {counted(content.rows, 'row')}"
        click.echo(f"{file}: {left} cannot be used:{format_skipped(content.skipped)}", err=True)
    resolved = _resolve_benches(content.pairs, how)
    if way is not None:
        _print_prompts(file.name, content, resolved, way)
        return
    store = Store(db)
    store.check()
    evaluation = plan_evaluation(file.name, content, resolved, reworded=reworded)

    def show() -> None:
        results = measure(store, evaluation)
        print_tables(list(result_tables(results)), results.content(), form)

    take_and_show(store, plan_ballots(store, evaluation), run_options, form=form, show=show)


def _resolve_benches(pairs: tuple[LabelledPair, ...], how: Mapping[str, Any]) -> ResolvedConfig:
    """Return the benches that the command's options ask for."""
    languages, words = sorted({pair.language for pair in pairs}), mean_words(pairs)
    for_judges = [name for name in ("options", "runs", "swap") if how[name]]
    if how["benches"]:
        if how["judges"] or for_judges:
            raise ConfigError(
                "--benches already describes the judges. Leave out --judge, --option, --runs and "
                "--swap; --model puts all of them on another model."
            )
        return read_benches(
            how["benches"], languages=languages, words=words, model=how["model"] or ""
        )
    if not how["judges"]:
        raise ConfigError(
            "no judges are named. Use --judge single --model openai/gpt-4o-mini, or --benches "
            f"FILE with [[benches]], or the simulated ones: --benches {example_benches()[0]}."
        )
    settings = {
        "runs": how["runs"] or 1,
        "swap": how["swap"],
        "options": read_options(how["options"]),
        **({"model": how["model"]} if how["model"] else {}),
    }
    return make_benches(how["judges"], settings, languages=languages, words=words)


def _print_prompts(file: str, content: PairFile, resolved: ResolvedConfig, way: str) -> None:
    """Print options, calls and prompts on the first pair of each language.

    Of benches that differ in name and model alone, only the first is shown.
    """
    firsts: dict[str, LabelledPair] = {}
    for pair in content.pairs:
        firsts.setdefault(pair.language, pair)
    first = replace(content, pairs=tuple(firsts.values()))
    shown = [
        (preset, request)
        for preset in split_presets(None if way == _GIVEN else way)
        for request in _requests_by_kind(file, first, resolved, preset)
    ]
    if not shown:
        raise ConfigError(
            f"--prompts {way}: none of the judges has a paper's preset. Accepted here: "
            f"--prompts {_GIVEN}."
        )
    order = [request.bench.name for _, request in shown]
    for preset, request in sorted(shown, key=lambda pair: order.index(pair[1].bench.name)):
        bench = request.bench
        title = f"{bench.name}, {preset}" if preset else bench.name
        print_options(title, bench)
        rehearsal = asyncio.run(rehearse_ballot(bench, request.assignment, request.speeches))
        print_calls(title, rehearsal)
        print_rehearsal(title, rehearsal, every=False)


def _requests_by_kind(
    file: str, content: PairFile, resolved: ResolvedConfig, preset: str | None
) -> Iterator[BallotRequest]:
    """Yield the first request of each language and kind of bench.

    Args:
        preset: chosen for those that have one, and the others are left out; None for all as given.
    """
    names = frozenset(bench.name for bench in resolved.benches)
    if preset:
        config, names = choose_presets(resolved.config, preset)
        resolved = resolve(config, where=resolved.where, motions=())
    seen: set[str] = set()
    for request in plan_evaluation(file, content, resolved).plain_requests:
        bench, language = request.bench, request.assignment.debate.language
        kind = digest(replace(bench, name="", model="").specification, language)
        if bench.name in names and kind not in seen:
            seen.add(kind)
            yield request


def _parse_column(option: str) -> tuple[str, str]:
    """Split OURS=THEIRS."""
    ours, equals, theirs = option.partition("=")
    if not equals:
        raise ConfigError(f"--column {option}: write OURS=THEIRS, for example question=prompt.")
    return ours, theirs
