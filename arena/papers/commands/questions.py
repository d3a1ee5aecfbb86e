"""`arena questions`: list the shipped question sets, check a file, import published ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click

from arena.console.options import check_target, examples, target_option
from arena.errors import ConfigError
from arena.languages import LANGUAGES
from arena.output.formats import console
from arena.output.tables import Column, as_text, tabulate
from arena.text import counted, plain
from motions import (
    Fault,
    MotionError,
    MotionSet,
    load_questions,
    read_published_questions,
    shipped_questions,
)

#: Faults that are listed, before only their number is given.
_LISTED = 10


@click.group(
    short_help="List, check and import question sets.",
    epilog=examples(
        "arena questions list",
        "arena questions check mine.jsonl",
        "arena questions import CIAR.json --to ciar.jsonl",
    ),
)
def questions() -> None:
    """List question sets, check your own, and import published ones.

    docs/debaters.md describes the format.
    """


@questions.command("list", epilog=examples("arena questions list"))
def listing() -> None:
    """List the shipped question sets."""
    sets = [load_questions(name) for name in shipped_questions()]
    click.echo(as_text(tabulate(list(_columns()), sets), width=console().width))
    click.echo('Next: write contest = "question" and motions = "NAME" under [tournament]')


@questions.command(epilog=examples("arena questions check mine.jsonl"))
@click.argument("file", type=click.Path(path_type=Path))
def check(file: Path) -> None:
    """Check the questions of FILE (JSON Lines) for errors."""
    try:
        checked = load_questions(file)
    except MotionError as error:
        raise MotionError(_listed(str(file), error.faults) or str(error), error.faults) from None
    click.echo(f"{file}: no faults found.")
    click.echo(as_text(tabulate(list(_columns()), [checked]), width=console().width))


@questions.command(
    "import",
    epilog=examples(
        "arena questions import CIAR.json --to ciar.jsonl",
        'arena questions import "lexical ambiguity.csv" --to lexical.jsonl',
        "arena questions import MAD_Debate_Process --to lexical200.jsonl --skip-bad",
    ),
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@target_option("question set")
@click.option(
    "--skip-bad", is_flag=True, help="Leave out items that cannot be used, after naming them."
)
def import_questions(files: tuple[Path, ...], target: Path, skip_bad: bool) -> None:  # noqa: FBT001 - a flag
    """Import FILES: question sets as other projects publish them.

    Three layouts are told apart: the counter-intuitive arithmetic of Multi-Agents-Debate
    (CIAR.json), the CSV files of Common MT, and a folder of the debates on Common MT that
    Multi-Agents-Debate publishes. Sentences to translate are written with the task in English and
    in Chinese.
    """
    check_target(target, "question sets")
    imported = read_published_questions(files)
    named = _listed("The published files", imported.faults)
    if not imported.questions:
        raise ConfigError(f"{named}\nNo question is left to be written.".lstrip())
    if named and not skip_bad:
        remedy = "Correct them, or leave these items out with --skip-bad."
        raise MotionError(f"{named}\n{remedy}", imported.faults)
    if named:
        click.echo(f"{named}\nLeft out: {counted(len(imported.faults), 'item')}.", err=True)
    lines = (json.dumps(line, ensure_ascii=False) for line in imported.lines)
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    click.echo(f"{target}: {counted(imported.questions, 'question')} written.")
    click.echo(f'Next: write contest = "question" and motions = "{target}" under [tournament]')


def _listed(where: str, faults: Sequence[Fault]) -> str:
    """Return a line for each of the first faults under their number; "" for none."""
    if not faults:
        return ""
    shown = [f"  {plain(str(fault))}" for fault in faults[:_LISTED]]
    if len(faults) > _LISTED:
        shown.append(f"  and {len(faults) - _LISTED} more")
    return "\n".join([f"{where}: {counted(len(faults), 'fault')}:", *shown])


def _columns() -> Iterator[Column[MotionSet]]:
    def in_language(code: str) -> Callable[[MotionSet], int]:
        return lambda read: sum(code in motion.wordings for motion in read.motions)

    yield Column(head="set", read=lambda read: read.name, style=plain, label=True)
    yield Column(head="asks for", read=_task, label=True)
    yield Column(head="questions", read=lambda read: len(read.motions))
    for code in LANGUAGES:
        yield Column(head=code, read=in_language(code))


def _task(read: MotionSet) -> str:
    answers = [wording.answers for motion in read.motions for wording in motion.wordings.values()]
    translations = {answer.translation for answer in answers if answer}
    return " and ".join(
        word for flag, word in ((False, "answers"), (True, "translations")) if flag in translations
    )
