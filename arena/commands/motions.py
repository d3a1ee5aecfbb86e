"""`arena motions`: the shipped sets, one motion, and whether a file of one's own is right."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

import click
from rich.table import Table

from arena.console.options import examples
from arena.console.screen import console
from arena.errors import ConfigError
from arena.languages import LANGUAGES, SIDES, language
from arena.text import plain
from motions import Motion, MotionError, MotionSet, Point, load, shipped

_CATEGORIES = ("fact", "policy", "value")
_set = click.option(
    "--set", "source", metavar="SET", help="A shipped set, or a CSV, JSONL or TOML file or folder."
)


@click.group(
    epilog=examples(
        "arena motions list", "arena motions show arena66-fact-01", "arena motions check mine.csv"
    )
)
def motions() -> None:
    """List and show motions, and check a motion file of your own (docs/motions.md)."""


@motions.command("list", epilog=examples("arena motions list", "arena motions list --set arena66"))
@_set
def listing(source: str | None) -> None:
    """List the shipped motion sets with their counts, or the motions of one set."""
    if source is not None:
        _motions(load(source))
        return
    for name in shipped():
        _counts(load(name).motions, title=name)
    click.echo("Next: arena motions list --set NAME   arena motions show MOTION")


@motions.command(
    epilog=examples(
        "arena motions show arena66-fact-01",
        "arena motions show arena66-fact-01 --language zh",
        "arena motions show tea --set mine.csv",
    )
)
@click.argument("motion")
@_set
@click.option(
    "--language",
    "code",
    type=click.Choice(list(LANGUAGES)),
    help="In this language; by default the first that it has.",
)
def show(motion: str, source: str | None, code: str | None) -> None:
    """Show a MOTION (its id) with its info slide and its brief."""
    found = _find(motion, [source] if source else shipped())
    code = code or next(one for one in LANGUAGES if one in found.wordings)
    wording, spoken = found.wording(code), language(code)
    about = ", ".join(filter(None, (found.category, found.topic, found.motion_set)))
    click.echo(f"{found.motion_id} ({about}; in {', '.join(found.wordings)})")
    click.secho(plain(wording.text), bold=True)
    click.echo(plain(wording.info_slide) or spoken.terms["no_slide"])
    for side in SIDES:
        _points(spoken.sides[side], getattr(wording.brief, side))


@motions.command(
    epilog=examples("arena motions check mine.csv", "arena motions check mine.jsonl --language zh")
)
@click.argument("file")
@click.option(
    "--language",
    "languages",
    type=click.Choice(list(LANGUAGES)),
    multiple=True,
    help="Each motion must have a text in it; may be given more than once.",
)
def check(file: str, languages: tuple[str, ...]) -> None:
    """See that the motions of FILE (CSV, JSONL or TOML, or a folder) can be played."""
    try:
        found = load(file, languages=languages)
    except MotionError as error:
        if not error.faults:
            raise
        listed = "\n".join(f"  {plain(str(fault))}" for fault in error.faults)
        many = "1 fault" if len(error.faults) == 1 else f"{len(error.faults)} faults"
        raise MotionError(f"{file}: {many}:\n{listed}", error.faults) from None
    _counts(found.motions, title=f"{file}: nothing is wrong.")
    click.echo(f'Next: motions = "{file}" under [tournament] of a configuration')


def _counts(found: Sequence[Motion], *, title: str) -> None:
    """A table of motions by category and language."""
    click.echo(title)
    table = Table(box=None, pad_edge=False)
    table.add_column("category")
    for name in ("motions", *LANGUAGES, "with a brief"):
        table.add_column(name, justify="right")
    for category in (*_CATEGORIES, "all"):
        chosen = [one for one in found if category in (one.category, "all")]
        spoken = [sum(code in one.wordings for one in chosen) for code in LANGUAGES]
        briefs = sum(all(w.brief.pro for w in one.wordings.values()) for one in chosen)
        table.add_row(category, *map(str, (len(chosen), *spoken, briefs)))
    console().print(table)
    click.echo()


def _motions(found: MotionSet) -> None:
    """One line each; a table would read all of a long set before it prints the first."""
    width = max(len(one.motion_id) for one in found.motions)
    for one in found.motions:
        code = next(code for code in LANGUAGES if code in one.wordings)
        head = f"{one.motion_id:<{width}}  {one.category:<6}  {','.join(one.wordings):<5}"
        click.echo(f"{head}  {plain(one.wordings[code].text)}")


def _find(motion_id: str, sources: Sequence[str]) -> Motion:
    known = {one.motion_id: one for source in sources for one in load(source).motions}
    if motion_id in known:
        return known[motion_id]
    near = ", ".join(difflib.get_close_matches(motion_id, known, n=3))
    hint = f"Close to it: {near}. " if near else ""
    raise ConfigError(
        f"no motion {motion_id!r} in {', '.join(sources)}. {hint}"
        f"`arena motions list --set {sources[0]}` lists its motions."
    )


def _points(side: str, points: Sequence[Point]) -> None:
    if points:
        click.secho(f"\n{side}", bold=True)
    for number, point in enumerate(points, start=1):
        origin = f" ({plain(point.source)})" if point.source else ""
        click.echo(f"{number}. {plain(point.claim)}\n   {plain(point.evidence)}{origin}")
