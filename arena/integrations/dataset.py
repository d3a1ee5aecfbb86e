"""A folder in the layout of Hugging Face datasets: tables in Parquet, and a card that names them.

Its battles are what the leaderboard is computed from; `arena import` reads them again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from arena.battles.columns import MODELS
from arena.battles.exporter import battle_table, board_table, write_table
from arena.boards.board import Board, board
from arena.boards.comparisons import compared_debates
from arena.boards.selecting import scope
from arena.integrations.arrow_tables import arrow_schema, arrow_table
from arena.integrations.exporting import Exporting, fill_folder
from arena.output.tables import escape_markdown
from arena.read.ballots import BallotRow, read_ballots
from arena.read.debates import DebateRow
from arena.read.selected import Narrowing
from arena.read.speeches import SpeechRow, read_speeches
from arena.read.voters import Voters
from arena.report.leaderboard import format_summary
from arena.text import as_sentence, counted

#: What each table holds; a table without a row is not written.
_TABLES: Final = {
    "debates": "the ended debates: motion, sides, status, winner by the board's bench",
    "speeches": "their speeches, in the order of speaking, with references and the steps of making",
    "ballots": "the ballots on them by all benches, each with its verdicts on every dimension",
    "battles": "what the leaderboard is computed from; `arena import` reads it",
    "leaderboard": "ratings in Elo points with 95 % intervals, and ranks",
}
#: Columns that are of no use elsewhere: places in code, and what depends on the selected bench.
_LEFT_OUT: Final = ("traceback", "outcomes", "by_majority")

_CARD: Final = """\
---
# license: none is set; choose one before you publish
pretty_name: "{name}"
{languages}tags:
- debate
- llm-evaluation
{simulated_tag}configs:
{configs}---

# {name}

Debates between debate systems, judged and rated by debate-arena. The board: {title}. {summary}

{caveat}People who voted are numbered; what they wrote beside their votes is left out.

| configuration | rows | what it holds |
| --- | ---: | --- |
{tables}

```python
from datasets import load_dataset

{example} = load_dataset("FOLDER", "{example}", split="train")
```

`arena import FOLDER --name again` stores the battles, and `arena leaderboard -t again` shows the
same ratings and intervals.
"""


def export(exporting: Exporting) -> str:
    """Write the tables of a tournament and their card into a folder."""
    target = Path(exporting.target)
    with fill_folder(target, force=exporting.force) as folder:
        (folder / "data").mkdir()
        rated = board(exporting.store, exporting.resolved, exporting.selection)
        counts = {**_write_records(exporting, folder), **_write_board(exporting, rated, folder)}
        (folder / "README.md").write_text(_card(exporting, rated, counts), encoding="utf-8")
    written = (
        f"{counted(rows, name.removesuffix('s'), style=',')}"
        for name, rows in counts.items()
        if name != "leaderboard"
    )
    return f"{', '.join(written)} and the leaderboard written to {target}."


def _write_records(exporting: Exporting, folder: Path) -> dict[str, int]:
    """Write debates, speeches and ballots; returns the rows of each."""
    voters = Voters.of(exporting.store, exporting.resolved)
    selection = replace(exporting.selection, bench="all", dimension="overall", without=())
    kinds = {"debates": DebateRow, "speeches": SpeechRow, "ballots": BallotRow}
    counts = dict.fromkeys(kinds, 0)
    schemas = {name: arrow_schema(kind, without=_LEFT_OUT) for name, kind in kinds.items()}
    schemas["debates"] = schemas["debates"].append(pa.field("winner", pa.string()))
    writers: dict[str, pq.ParquetWriter] = {}
    for debates in exporting.batches():
        narrowing = Narrowing(ids=tuple(debate.debate_id for debate in debates))
        ballots = read_ballots(exporting.store, selection, narrowing)
        speeches = read_speeches(exporting.store, selection, narrowing)
        rows: dict[str, Iterable[object]] = {
            "debates": debates,
            "speeches": map(_without_speakers, speeches),
            "ballots": map(voters.hide, ballots),
        }
        for name, records in rows.items():
            table = arrow_table(records, schemas[name])
            if table.num_rows and name not in writers:
                writers[name] = pq.ParquetWriter(_table_file(folder, name), schemas[name])
            if table.num_rows:
                writers[name].write_table(table)
            counts[name] += table.num_rows
    for writer in writers.values():
        writer.close()
    return counts


def _without_speakers(speech: SpeechRow) -> SpeechRow:
    """Return a speech without the names of people who spoke for a participant."""
    trace = tuple(
        {key: value for key, value in step.items() if key != "speaker"} for step in speech.trace
    )
    return replace(speech, trace=trace)


def _write_board(exporting: Exporting, rated: Board, folder: Path) -> dict[str, int]:
    """Write the battles and the leaderboard; returns the rows of each."""
    resolved = exporting.resolved
    compared = compared_debates(exporting.store, exporting.selection, scope(resolved))
    tables = {"leaderboard": board_table(rated)}
    if len(compared):
        voters = Voters.of(exporting.store, resolved)
        compared = compared.assign(voter=compared["voter"].map(voters.name))
        tables = {"battles": battle_table(compared, MODELS, resolved), **tables}
    for name, table in tables.items():
        write_table(table, _table_file(folder, name))
    return {"battles": len(compared), "leaderboard": len(rated.rows)}


def _table_file(folder: Path, name: str) -> Path:
    return folder / "data" / f"{name}.parquet"


def _card(exporting: Exporting, rated: Board, counts: dict[str, int]) -> str:
    resolved = exporting.resolved
    names = [name for name in _TABLES if counts[name]]
    configs = "".join(
        f"- config_name: {name}\n  data_files: data/{name}.parquet\n" for name in names
    )
    languages = "".join(f"- {language}\n" for language in resolved.languages)
    return _CARD.format(
        name=resolved.name,
        languages=f"language:\n{languages}" if languages else "",
        simulated_tag="- simulated\n" if resolved.simulated else "",
        configs=configs,
        title=escape_markdown(exporting.selection.title),
        summary=escape_markdown(format_summary(rated)),
        caveat=f"**Caution: {as_sentence(escape_markdown(rated.caveat))}** "
        if rated.caveat
        else "",
        tables="\n".join(f"| {name} | {counts[name]:,} | {_TABLES[name]} |" for name in names),
        example=names[0],
    )
