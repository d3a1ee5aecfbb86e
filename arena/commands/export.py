"""`arena export`: write battles, games, leaderboards, whole debates and case studies."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pandas as pd

from arena.battles.columns import SHAPES
from arena.battles.exporter import FORMATS, battle_table, board_table, replace_file, write_table
from arena.battles.games import format_games
from arena.boards.board import board
from arena.boards.comparisons import compared_debates
from arena.boards.exclusions import uncounted
from arena.boards.matrix import matrix
from arena.boards.method import STORED, Method
from arena.boards.participation import participation
from arena.boards.rating_history import rating_history
from arena.boards.selecting import check_selection, participant_ids, scope, select_comparisons
from arena.boards.selection import select
from arena.console.options import database, examples, selection, tournament
from arena.console.rating_options import rating_method
from arena.console.stored_tournament import open_stored
from arena.errors import ConfigError
from arena.integrations.exporting import TARGETS, Exporting, load_integration
from arena.output.pictures import NO_PICTURES, can_draw
from arena.read.schedule_results import read_schedule_result
from arena.report.case_studies import case_studies, html, markdown
from arena.report.chart_files import board_charts, write_charts
from arena.report.debate_documents import (
    debate_documents,
    debate_ids,
    debate_languages,
    find_debate_ids,
    json_line,
    read_translations,
)
from arena.report.leaderboard import board_json, format_summary
from arena.text import counted

if TYPE_CHECKING:
    from arena.boards.selection import Selection
    from arena.config.resolved import ResolvedConfig
    from arena.store.database import Store

#: What can be written, and the formats of each.
_FORMATS = {
    "battles": (*FORMATS, ".pgn"),
    "leaderboard": (".csv", ".json", ".parquet"),
    "debates": (".jsonl",),
    "case-studies": (".md", ".html"),
    "charts": (".html",),
}
#: Whole debates have the ballots of every bench on all dimensions.
_WHOLE = ("debates", "case-studies")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """What an export writes besides its selection: options of single kinds of files.

    Attributes:
        debates: the starts of ids.
        translations: a file of them, for case studies.
        file: what is written, once it is complete.
        force: whether to replace files that exist.
    """

    shape: str
    method: Method
    debates: tuple[str, ...]
    translations: Path | None
    file: Path
    force: bool


_OWN_OPTIONS = ("shape", "method", "debates", "translations")


@click.command(
    "export",
    short_help="Export battles, the leaderboard or the debates as a file.",
    epilog=examples(
        "arena export battles.csv",
        "arena export votes.parquet --shape sides --bench all",
        "arena export board.json --what leaderboard --category policy",
        "arena export board.csv --what leaderboard --intervals bootstrap",
        "arena export games.pgn --force",
        "arena export charts.html --what charts --bench debatrix",
        "arena export debates.jsonl --what debates --language en",
        "arena export cases.html --what case-studies --debate 3f9a --debate 77c0",
        "arena export hub --what dataset",
        "arena export http://127.0.0.1:4318 --what otel",
    ),
)
@click.argument("target", metavar="FILE", default="")
@database
@tournament
@selection
@rating_method
@click.option(
    "--what",
    type=click.Choice([*_FORMATS, *TARGETS]),
    default="battles",
    show_default=True,
    help="Battles: .csv, .jsonl, .parquet, .pgn; leaderboard: .csv, .json, .parquet; debates: "
    ".jsonl; case studies: .md, .html; charts: .html; "
    f"{'; '.join(f'{what}: {target}' for what, target in TARGETS.items())}.",
)
@click.option(
    "--shape",
    type=click.Choice(list(SHAPES)),
    default="models",
    show_default=True,
    help="Columns of battles: model_a, model_b, winner (arena) or left, right, winner (sides).",
)
@click.option(
    "--debate",
    "debates",
    metavar="ID",
    multiple=True,
    help="Of debates and case studies: only this debate, by the start of its id; may be repeated.",
)
@click.option(
    "--translations",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Of case studies: translated debates as JSON lines, shown beside the original.",
)
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
def export(
    target: str,
    db: Path,
    tournament: str | None,
    what: str,
    force: bool,  # noqa: FBT001 - a flag
    **options: Any,  # noqa: ANN401 - a selection, and what `_Wanted` has
) -> None:
    """Export the battles, the leaderboard or the debates of a tournament.

    The ending of FILE selects the format. Battles are the results that the leaderboard is computed
    from: one row per debate, with its weight and its cluster (group). `arena import` reproduces the
    leaderboard from them. In PGN they are games of chess without moves, for chess rating tools,
    which ignore weights.

    Charts are a page that loads nothing, with the data of each chart as JSON beside it, and as SVG
    and PNG where the package kaleido is installed.

    Debates are written whole, one per line: motion, speeches with their references and the steps of
    their making, and ballots. Case studies are for readers: the speeches of the debates named by
    --debate, in two languages side by side if there are two: from --translations FILE (lines of
    `--what debates` with their texts translated), or from a debate of the same pair in the other
    language.

    The other kinds are for other people's tools: docs/integrations.md.
    """
    file = Path(target)
    if what in _FORMATS:
        _check_file(what, target)
    own = {name: options.pop(name) for name in _OWN_OPTIONS}
    wanted = _Wanted(**own, file=file, force=force)
    _check_options(what, wanted, options)
    tool = load_integration(what, target) if what in TARGETS else None
    store, resolved = open_stored(db, tournament)
    selected = select(resolved, **options)
    if tool:
        check_selection(store, resolved, selected)
        exporting = Exporting(
            store=store, resolved=resolved, selection=selected, target=target, force=force
        )
        click.echo(tool.export(exporting))
    else:
        with replace_file(file, force=force) as temporary:
            written = _EXPORTS[what](store, resolved, selected, temporary, wanted)
        click.echo(f"{written} written to {file}.")
    if what not in _WHOLE:
        for line in uncounted(store, selected, scope(resolved)).lines(db, resolved.name):
            click.echo(line)


def _check_file(what: str, target: str) -> None:
    """Check that the name of a file fits what is written to it."""
    if not target:
        raise ConfigError(
            "arena export needs a file to write to. Name one: arena export battles.csv"
        )
    if Path(target).suffix.lower() not in _FORMATS[what]:
        raise ConfigError(
            f"{target}: --what {what} needs a file name that ends in one of "
            f"{', '.join(_FORMATS[what])}."
        )


def _check_options(what: str, wanted: _Wanted, filters: dict[str, Any]) -> None:
    """Check that options fit what is written; whole debates have the ballots of every bench."""
    if what in _WHOLE:
        filters["bench"] = filters["bench"] or "all"
        if filters["dimension"] != "overall":
            raise click.UsageError(
                "--dimension selects battles and leaderboards; debates are written with their "
                "verdicts on all dimensions"
            )
    elif wanted.debates:
        raise click.UsageError("--debate belongs to --what debates and --what case-studies")
    if what != "leaderboard" and wanted.method != STORED:
        raise click.UsageError(
            "--method, --intervals, --anchor and the terms of the rating model belong to --what "
            "leaderboard"
        )
    if wanted.translations and what != "case-studies":
        raise click.UsageError("--translations belongs to --what case-studies")
    if what == "case-studies" and not wanted.debates:
        raise click.UsageError(
            "--what case-studies needs --debate ID, which may be repeated; `arena debates` lists "
            "the ids"
        )


def _export_debates(
    store: Store, resolved: ResolvedConfig, selected: Selection, path: Path, wanted: _Wanted
) -> str:
    check_selection(store, resolved, selected)
    ids = debate_ids(store, selected)
    if wanted.debates:
        ids = find_debate_ids(store, resolved.name, wanted.debates)
    with path.open("w", encoding="utf-8") as file:
        documents = debate_documents(store, resolved, selected, ids)
        file.writelines(map(json_line, documents))
    return counted(len(ids), "debate")


def _export_case_studies(
    store: Store, resolved: ResolvedConfig, selected: Selection, path: Path, wanted: _Wanted
) -> str:
    check_selection(store, resolved, selected)
    ids = find_debate_ids(store, resolved.name, wanted.debates)
    translated = wanted.translations
    translations = (
        read_translations(translated, debate_languages(store, resolved.name, ids))
        if translated
        else []
    )
    studies = list(case_studies(store, resolved, selected, ids, translations))
    write = html if path.suffix.lower() == ".html" else markdown
    path.write_text(write(studies), encoding="utf-8")
    return counted(len(studies), "case study", "case studies")


def _export_battles(
    store: Store, resolved: ResolvedConfig, selected: Selection, path: Path, wanted: _Wanted
) -> str:
    check_selection(store, resolved, selected)
    compared = compared_debates(store, selected, scope(resolved))
    if path.suffix.lower() == ".pgn":
        with path.open("w", encoding="utf-8") as file:
            file.writelines(format_games(compared, event=resolved.name))
        return counted(len(compared), "game", style=",")
    write_table(battle_table(compared, SHAPES[wanted.shape], resolved), path)
    return counted(len(compared), "battle", style=",")


def _export_leaderboard(
    store: Store, resolved: ResolvedConfig, selected: Selection, path: Path, wanted: _Wanted
) -> str:
    leaderboard = board(store, resolved, selected, wanted.method)
    if path.suffix.lower() == ".json":
        schedule = read_schedule_result(store, resolved, leaderboard)
        path.write_text(board_json(leaderboard, schedule=schedule), encoding="utf-8")
    else:
        write_table(board_table(leaderboard), path)
    return f"The leaderboard of {counted(len(leaderboard.rows), 'participant')}"


def _export_charts(
    store: Store, resolved: ResolvedConfig, selected: Selection, path: Path, wanted: _Wanted
) -> str:
    rated = board(store, resolved, selected)
    if not rated.comparisons:
        raise ConfigError(f"There is nothing to draw: {format_summary(rated)}")
    own = participation(store, selected, participant_ids(resolved))
    frame = pd.DataFrame(
        [{**_COSTS, **own.get(row.participant, {}), **asdict(row)} for row in rated.rows]
    )
    compared = select_comparisons(store, resolved, selected).comparisons
    elo = {row.participant: row.rating for row in rated.rows}
    charts = list(
        board_charts(
            frame,
            rating_history(store, resolved, selected),
            matrix(compared, elo, kind="observed") if len(elo) > 1 else None,
        )
    )
    title = f"{resolved.name}, {selected.bench}"
    written = write_charts(path, charts, title=title, beside=wanted.file, force=wanted.force)
    for file in written:
        click.echo(f"{file}")
    if not can_draw():
        click.echo(NO_PICTURES)
    return counted(len(charts), "chart")


#: The costs of a participant whose debates are not counted.
_COSTS = {"input_tokens": 0.0, "output_tokens": 0.0, "usd_error": 0.0, "tokens_error": 0.0}
_EXPORTS = {
    "charts": _export_charts,
    "battles": _export_battles,
    "leaderboard": _export_leaderboard,
    "debates": _export_debates,
    "case-studies": _export_case_studies,
}
