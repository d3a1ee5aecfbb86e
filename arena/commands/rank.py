"""`arena rank`: people rank K anonymous essays on one motion."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote

import click
import pandas as pd

from arena.boards.board import store_boards
from arena.config.resolve import ResolvedConfig
from arena.config.stored import stored_config
from arena.console.options import database, examples, tournament
from arena.console.output import form, print_tables, titled
from arena.console.stored import db_option, open_stored
from arena.console.tables import Table
from arena.debates.transcript import render_reference
from arena.errors import ConfigError, VotesRefused
from arena.essays.rank_sheets import DIMENSION, RankSheet, gather, ranked_name, sheets
from arena.essays.rankings import Ranking, cast_rankings, scores
from arena.people.vote_files import RULE, read_table, write_files
from arena.store.database import Store
from arena.text import counted, plain

_READING, _TABLE = "essays.txt", "ranks.csv"
_RANKED = (DIMENSION, "overall")
_COLUMNS = ("sheet", "essay", "voter", *_RANKED)


@click.group(
    epilog=examples(
        "arena rank sheet for-ann --voter ann",
        "arena rank import for-ann/ranks.csv",
        "arena rank show",
    )
)
def rank() -> None:
    """Let people rank the essays of an essay contest, all on one motion at once, blind.

    A ranking becomes a ballot on every pair of its essays, in a tournament of its own
    ("NAME ranked"), with boards like any other.
    """


@rank.command(epilog=examples("arena rank sheet for-ann --voter ann", "arena rank sheet everybody"))
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@database
@tournament
@click.option("--voter", default="", metavar="PSEUDONYM", help="Who ranks.")
@click.option(
    "--people",
    type=click.IntRange(1, 99),
    default=1,
    show_default=True,
    help="Rankings that a sheet needs before it counts; said the first time.",
)
def sheet(folder: Path, db: Path, tournament: str | None, voter: str, people: int) -> None:
    """Write essays without names, and a table for their ranks, into a FOLDER.

    A sheet has one essay of every participant that wrote on its motion; 1 is the best rank, and
    equal ranks are ties. Sheets that were made stay as they are; new motions are added.
    """
    store, resolved = open_stored(db, tournament)
    if source := resolved.config.tournament.ranks:
        resolved = stored_config(store, source)
    ranked = gather(store, resolved, people=people)
    found = sheets(store, ranked)
    write_files(folder, {_READING: _reading(found), _TABLE: _table(found, voter)})
    click.echo(
        f"Wrote {folder / _READING} ({counted(len(found), 'sheet')}, without names) and "
        f"{folder / _TABLE}.\nFilled in: arena rank import {folder / _TABLE}{db_option(db)}"
    )


@rank.command("import", epilog=examples("arena rank import for-ann/ranks.csv"))
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@database
@tournament
def importing(file: Path, db: Path, tournament: str | None) -> None:
    """Store the rankings of a FILE that `arena rank sheet` wrote and people filled in.

    All of them, or none: every fault is listed with its row and column.
    """
    store, ranked = _ranked(db, tournament)
    rankings, empty = _rankings(file, sheets(store, ranked))
    if empty:
        click.echo(f"{counted(empty, 'sheet')} without a ranking.")
    if rankings:
        ballots = cast_rankings(store, ranked, rankings)
        store_boards(store, ranked)
        click.echo(
            f"Stored {counted(len(rankings), 'ranking')} as {counted(ballots, 'ballot')} on pairs."
            f"\nNext: arena rank show{db_option(db)}   "
            f"arena leaderboard -t {quote(ranked.name)}{db_option(db)}"
        )


@rank.command(epilog=examples("arena rank show", "arena rank show --format json"))
@database
@tournament
@form
def show(db: Path, tournament: str | None, form: str) -> None:
    """Show what rankings come to: the mean of K - rank + 1, and the share ranked first.

    For three essays Debate-to-Write publishes (end to end, with a plan, by its debate): 2.05, 2.21
    and 2.31 for persuasiveness, 1.99, 2.13 and 2.47 overall.
    """
    store, ranked = _ranked(db, tournament)
    found = scores(store, ranked)
    simulated = ranked.simulated
    content = {
        "tournament": ranked.name,
        "simulated": simulated,
        "scores": found.to_dict("records"),
    }
    title = titled(ranked.name, simulated=simulated)
    print_tables([_scores_table(found, title)], content, form)


def _scores_table(found: pd.DataFrame, title: str) -> Table:
    nothing = "Nobody has ranked anything yet: arena rank sheet FOLDER"
    return Table(
        title=title,
        head=("dimension", "participant", "score", "first", "rankings", "essays"),
        rows=tuple(
            (
                row["dimension"],
                row["participant"],
                f"{row['score']:.2f}",
                f"{row['first']:.1%}",
                str(row["rankings"]),
                f"{row['essays']:.3g}",
            )
            for row in found.to_dict("records")
        ),
        labels=2,
        notes=(nothing,) if found.empty else (),
    )


def _ranked(db: Path, tournament: str | None) -> tuple[Store, ResolvedConfig]:
    """The tournament of rankings: the named one, or that of the named (or newest) essays."""
    store, resolved = open_stored(db, tournament)
    if resolved.config.tournament.ranks:
        return store, resolved
    stored = store.rows(
        "SELECT tournament FROM tournaments WHERE tournament = $name",
        {"name": ranked_name(resolved.name)},
    )
    if not stored:
        raise ConfigError(
            f"no essays of tournament {resolved.name!r} are set out to be ranked. Do so first: "
            "arena rank sheet FOLDER"
        )
    return store, stored_config(store, ranked_name(resolved.name))


def _rankings(file: Path, known: Sequence[RankSheet]) -> tuple[list[Ranking], int]:
    """The rankings of a table, and how many of its sheets have none."""
    rows = read_table(file, _COLUMNS, optional=())
    by_id = {one.sheet_id: one for one in known}
    groups: dict[tuple[str, str], list[tuple[int, dict[str, str]]]] = {}
    for number, row in rows:
        groups.setdefault((row["sheet"], row["voter"]), []).append((number, row))
    rankings: list[Ranking] = []
    faults: list[str] = []
    empty = 0
    for (sheet_id, voter), group in groups.items():
        if not any(row[name] for _, row in group for name in _RANKED):
            empty += 1
            continue
        found = list(_flaws(file, group, by_id.get(sheet_id)))
        faults += found
        if not found:
            ranks = {
                name: {row["essay"].upper(): float(row[name]) for _, row in group}
                for name in _RANKED
            }
            where = f"{file.name}: row {group[0][0]}, "
            rankings.append(Ranking(sheet_id=sheet_id, voter=voter, ranks=ranks, where=where))
    if faults:
        raise VotesRefused(faults)
    return rankings, empty


def _flaws(
    file: Path, group: Sequence[tuple[int, Mapping[str, str]]], sheet: RankSheet | None
) -> Iterator[str]:
    """What is wrong with the rows of one ranking."""
    first, top = group[0]
    if sheet is None:
        yield f"{file.name}: row {first}, sheet: no sheet {top['sheet']!r} is set out"
        return
    letters = list(sheet.essays)
    seen: set[str] = set()
    for number, row in group:
        letter = row["essay"].upper()
        where = f"{file.name}: row {number}, "
        if letter not in letters or letter in seen:
            what = "stands twice" if letter in seen else f"is none of {', '.join(letters)}"
            yield f"{where}essay: {row['essay']!r} {what}"
        seen.add(letter)
        for name in _RANKED:
            if not (row[name].isascii() and row[name].isdigit() and 1 <= int(row[name])):
                yield f"{where}{name}: {row[name]!r} is no rank: 1, the best, to {len(letters)}"
            elif int(row[name]) > len(letters):
                yield f"{where}{name}: {row[name]!r} is more than {len(letters)}, the last rank"
    if lacking := [one for one in letters if one not in seen]:
        yield f"{file.name}: row {first}, essay: the ranking lacks {', '.join(lacking)}"


def _table(found: Sequence[RankSheet], voter: str) -> str:
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for one in found:
        writer.writerows([one.sheet_id, letter, voter, "", ""] for letter in one.essays)
    return made.getvalue()


def _reading(found: Sequence[RankSheet]) -> str:
    head = (
        f"To rank: {counted(len(found), 'sheet')} of essays on one task each. Nobody is named.\n"
        "In the table beside this text, give every essay of a sheet a rank: 1 is the best, and\n"
        f"equal ranks are ties, once for its {DIMENSION} and once for its overall quality. The\n"
        "column voter holds your pseudonym. Leave the rows of a sheet that you do not rank empty.\n"
    )
    return head + "".join(f"{line}\n" for one in found for line in _lines(one))


def _lines(one: RankSheet) -> Iterator[str]:
    yield f"\n{RULE}\nsheet {one.sheet_id}\n{RULE}\n\n{plain(one.task)}"
    for letter, essay in one.essays.items():
        yield f"\n-- sheet {one.sheet_id}: essay {letter} --\n\n{plain(essay.text)}"
        for reference in essay.references:
            yield f"  {plain(render_reference(reference, one.language))}"
