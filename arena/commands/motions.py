"""`arena motions`: list the shipped sets, show or check motions, and say what they told."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click

from arena.console.near_repeats import near_repeat_lines
from arena.console.options import check_target, database, examples, target_option, tournament
from arena.console.stored_tournament import open_stored
from arena.errors import ConfigError, UnknownName
from arena.languages import LANGUAGES, SIDES, language
from arena.output.formats import console, envelope, format_option, print_tables, titled
from arena.output.tables import Column, as_records, as_text, tabulate
from arena.text import counted, plain
from motions import (
    BriefPoint,
    Motion,
    MotionError,
    MotionSet,
    load,
    shipped,
)
from motions.published_propositions import read_published_propositions

_CATEGORIES = ("fact", "policy", "value")
_set = click.option(
    "--set",
    "source",
    metavar="SET",
    help="A shipped motion set, or the path of a CSV, JSONL or TOML file or a folder of them.",
)


@click.group(
    epilog=examples(
        "arena motions list",
        "arena motions show arena66-fact-01",
        "arena motions check mine.csv",
        "arena motions import figure11.txt --to propositions.jsonl",
        "arena motions results",
    )
)
def motions() -> None:
    """List, show, check and import motions, and see what they told.

    docs/motions.md describes the format.
    """


@motions.command("list", epilog=examples("arena motions list", "arena motions list --set arena66"))
@_set
def listing(source: str | None) -> None:
    """List the shipped motion sets, or the motions of one set."""
    if source is not None:
        _print_motions(load(source))
        return
    for name in shipped():
        _print_counts(load(name).motions, title=name)
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
    help="Language to show; by default the motion's first.",
)
def show(motion: str, source: str | None, code: str | None) -> None:
    """Show a MOTION (given by its id) with its info slide and its brief."""
    chosen = _find_motion(motion, [source] if source else shipped())
    code = code or _first_language(chosen)
    wording, spoken = chosen.wording(code), language(code)
    about = ", ".join(filter(None, (chosen.category, chosen.topic, chosen.motion_set)))
    click.echo(f"{chosen.motion_id} ({about}; in {', '.join(chosen.wordings)})")
    click.secho(plain(wording.text), bold=True)
    click.echo(plain(wording.info_slide) or spoken.terms["no_slide"])
    for side in SIDES:
        _print_points(spoken.sides[side], getattr(wording.brief, side))


@motions.command(
    epilog=examples(
        "arena motions results",
        "arena motions results --bench debatrix --format csv > motions.csv",
    )
)
@database
@tournament
@click.option("--bench", metavar="NAME", help="Whose verdicts count; the first one by default.")
@format_option("table", "markdown", "csv", "json")
def results(db: Path, tournament: str | None, bench: str | None, form: str) -> None:
    """Print what the motions of a tournament tell: which separate the strong from the weak.

    "stronger won" is the share of the debates of two with different ratings that the one with the
    higher rating won (a tie counts as half), with its 95 % interval by matchups. A motion whose
    interval holds 50 % says nothing of who is better; "by side" counts debates of matchups in
    which the same side won both.
    """
    # Imported late: the other commands of this group need neither pandas nor ratings.
    from arena.report.debate_list import read_debates  # noqa: PLC0415
    from arena.report.motion_list import (  # noqa: PLC0415
        format_pro_share,
        format_tellers,
        motion_table,
        tabulate_motions,
    )

    store, resolved = open_stored(db, tournament)
    known = dict.fromkeys([*resolved.board_benches, "all"])
    if bench is not None and bench not in known:
        raise UnknownName(kind="bench", given=bench, known=list(known))
    bench = bench or resolved.board_benches[0]
    state = read_debates(store, resolved.name, bench)
    found = motion_table(state.frame, state.rating)
    title = titled(resolved.name, f"bench {bench}", "motions", caveat=resolved.caveat)
    notes = filter(None, (format_tellers(found), format_pro_share(found)))
    table = tabulate_motions(found, title=title, notes=notes)
    content = envelope(resolved, bench=bench) | {"motions": as_records(table)}
    print_tables([table], content, form)


@motions.command(
    epilog=examples("arena motions check mine.csv", "arena motions check mine.jsonl --language zh")
)
@click.argument("file")
@click.option(
    "--language",
    "languages",
    type=click.Choice(list(LANGUAGES)),
    multiple=True,
    help="Require a text in this language of every motion; may be repeated.",
)
def check(file: str, languages: tuple[str, ...]) -> None:
    """Check the motions of FILE (CSV, JSONL, TOML or a folder) for errors."""
    try:
        checked = load(file, languages=languages)
    except MotionError as error:
        raise _listed(file, error) from None
    _print_counts(checked.motions, title=f"{file}: no faults found.")
    for line in near_repeat_lines(checked.motions):
        click.echo(f"Note: {line}.")
    click.echo(f'Next: write motions = "{file}" under [tournament] of a configuration')


@motions.command(
    "import", epilog=examples("arena motions import figure11.txt --to propositions.jsonl")
)
@click.argument("file", type=click.Path(path_type=Path))
@target_option("motion file")
def import_propositions(file: Path, target: Path) -> None:
    """Import the propositions of FILE, as the authors of Debate-to-Write list theirs.

    FILE is a JSON list or JSON Lines of statements with topics, or the text of the paper's Figure
    11. Statements of what should be done become policy motions, all others value motions.
    """
    check_target(target, "imported motions")
    name = re.sub(r"[^A-Za-z0-9]+", "-", target.stem).strip("-") or "proposition"
    try:
        entries = read_published_propositions(file, name=name)
    except MotionError as error:
        raise _listed(str(file), error) from None
    lines = (json.dumps(entry, ensure_ascii=False) for entry in entries)
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    _print_counts(
        load(target).motions, title=f"{target}: {counted(len(entries), 'motion')} written."
    )
    click.echo(f'Next: write motions = "{target}" under [tournament] of a configuration')


def _listed(file: str, error: MotionError) -> MotionError:
    """Return an error that lists all of its faults, a line each."""
    if not error.faults:
        return error
    listed = "\n".join(f"  {plain(str(fault))}" for fault in error.faults)
    message = f"{file}: {counted(len(error.faults), 'fault')}:\n{listed}"
    return MotionError(message, error.faults)


def _print_counts(motions: Sequence[Motion], *, title: str) -> None:
    """Print how many motions there are by category and language."""
    groups = [
        (category, [motion for motion in motions if category in (motion.category, "all")])
        for category in (*_CATEGORIES, "all")
    ]
    click.echo(title)
    click.echo(as_text(tabulate(_count_columns(), groups), width=console().width))


def _count_columns() -> Iterator[Column[tuple[str, list[Motion]]]]:
    def in_language(code: str) -> Callable[[tuple[str, list[Motion]]], int]:
        return lambda group: sum(code in motion.wordings for motion in group[1])

    yield Column(head="category", read=lambda group: group[0], label=True)
    yield Column(head="motions", read=lambda group: len(group[1]))
    for code in LANGUAGES:
        yield Column(head=code, read=in_language(code))
    yield Column(head="with a brief", read=lambda group: sum(map(_has_brief, group[1])))


def _has_brief(motion: Motion) -> bool:
    return all(wording.brief.pro for wording in motion.wordings.values())


def _print_motions(motions: MotionSet) -> None:
    """Print one line for each motion, as soon as it is known."""
    width = max(len(motion.motion_id) for motion in motions.motions)
    for motion in motions.motions:
        code = _first_language(motion)
        languages = ",".join(motion.wordings)
        head = f"{motion.motion_id:<{width}}  {motion.category:<6}  {languages:<5}"
        click.echo(f"{head}  {plain(motion.wordings[code].text)}")


def _first_language(motion: Motion) -> str:
    return next(code for code in LANGUAGES if code in motion.wordings)


def _find_motion(motion_id: str, sources: Sequence[str]) -> Motion:
    known = {motion.motion_id: motion for source in sources for motion in load(source).motions}
    if motion_id in known:
        return known[motion_id]
    near = ", ".join(difflib.get_close_matches(motion_id, known, n=3))
    hint = f"Similar ids: {near}. " if near else ""
    raise ConfigError(
        f"no motion {motion_id!r} in {', '.join(sources)}. {hint}"
        f"`arena motions list --set {sources[0]}` lists its motions."
    )


def _print_points(side: str, points: Sequence[BriefPoint]) -> None:
    if points:
        click.secho(f"\n{side}", bold=True)
    for number, point in enumerate(points, start=1):
        origin = f" ({plain(point.source)})" if point.source else ""
        click.echo(f"{number}. {plain(point.claim)}\n   {plain(point.evidence)}{origin}")
