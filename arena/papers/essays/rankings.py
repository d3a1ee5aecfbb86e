"""People's rankings of K essays: as files, stored as ballots on all pairs of a sheet, and scored.

The score is that of Hu et al. 2024 (Debate-to-Write, arXiv 2406.19643): K − rank + 1, ties allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pandas as pd

from arena.boards.selection import Selection
from arena.config.resolved import ResolvedConfig
from arena.config.stored import stored_config
from arena.debates.transcript import render_reference
from arena.errors import ConfigError, VotesRefused
from arena.papers.essays.rank_sheets import (
    BENCH,
    DIMENSION,
    RankSheet,
    rankings_tournament,
    read_sheets,
)
from arena.people.sessions import VotingSession, voting_session
from arena.people.sheet_files import RULE, TableRow, format_table, read_entries, read_table
from arena.people.voting import SubmittedVote, cast_votes, voting_tasks
from arena.read.ballots import read_ballots
from arena.read.debates import read_debates as stored_debates
from arena.read.tournaments import find_tournament
from arena.records import digest
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.text import counted, plain
from ratings import CON_WINS, PRO_WINS, outcome_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """One person's ranking of a sheet.

    Attributes:
        ranks: by dimension and letter; a lower number is better, equal numbers are ties.
        where: file and row that it comes from, the head of messages: `ranks.csv: row 2, `.
    """

    sheet_id: str
    voter: str
    ranks: Mapping[str, Mapping[str, float]]
    where: str = ""


def ranking_session(store: Store, resolved: ResolvedConfig, *, voter: str = "") -> VotingSession:
    """Open the session of a person who ranks essays.

    Args:
        resolved: a contest of essays, or the tournament that holds its sheets.

    Raises:
        ConfigError: no sheets were made of these essays.
    """
    if not resolved.config.tournament.ranks:
        name = rankings_tournament(resolved.name)
        if find_tournament(store, name) is None:
            sheet = ("rank", "sheet", "FOLDER")
            raise ConfigError(
                f"tournament {resolved.name!r} has no sheets of essays to rank. Make them first: "
                f"{command_line(*sheet, db=store.path, tournament=resolved.name)}"
            )
        resolved = stored_config(store, name)
    return voting_session(store, resolved, BENCH, voter=voter)


def open_sheets(session: VotingSession) -> list[RankSheet]:
    """Return the sheets that lack rankings and that the person of a session has not ranked.

    Those with the fewest rankings stand first; among equals, every person has an order of their
    own.
    """
    tasks = {task.debate_id: task for task in voting_tasks(session)}
    waiting: list[tuple[int, str, RankSheet]] = []
    for sheet in read_sheets(session.store, session.resolved):
        pairs = [tasks[debate_id] for debate_id in sheet.pairs.values()]
        if all(pair.waits for pair in pairs):
            votes = min(pair.votes for pair in pairs)
            waiting.append((votes, digest(session.person, sheet.sheet_id), sheet))
    return [sheet for _, _, sheet in sorted(waiting, key=lambda item: item[:2])]


def store_rankings(session: VotingSession, rankings: Sequence[Ranking]) -> int:
    """Store rankings as ballots on the pairs of their sheets, all or none.

    Args:
        session: in the tournament that holds the sheets, for its bench of people.

    Returns:
        The number of ballots.

    Raises:
        VotesRefused: somebody ranks a sheet twice, or gives no pseudonym.
    """
    known = {sheet.sheet_id: sheet for sheet in read_sheets(session.store, session.resolved)}
    voters = {ranking.voter for ranking in rankings}
    voted = {
        voter: {
            task.debate_id for task in voting_tasks(replace(session, person=voter)) if task.voted
        }
        for voter in voters
    }
    faults = [
        f"{ranking.where}voter: {ranking.voter!r} has already ranked sheet {ranking.sheet_id}"
        for ranking in rankings
        if voted[ranking.voter] & set(known[ranking.sheet_id].pairs.values())
    ]
    if faults:
        raise VotesRefused(faults)
    votes = [
        SubmittedVote(
            debate_id=debate_id,
            voter=ranking.voter,
            # The essay with the lower rank wins.
            outcomes={
                name: outcome_of(ranking.ranks[name][second] - ranking.ranks[name][first])
                for name in session.dimensions
            },
            where=ranking.where,
        )
        for ranking in rankings
        for (first, second), debate_id in known[ranking.sheet_id].pairs.items()
    ]
    cast_votes(session, votes)
    return len(votes)


def score_rankings(store: Store, ranked: ResolvedConfig) -> pd.DataFrame:
    """Return the mean scores of stored rankings, by dimension and participant, the best first.

    Columns: dimension, participant, score (the mean of K − rank + 1, with 1 + the number of better
    essays as the rank: the Borda score with ties as Debate-to-Write counts them), first (share of
    rankings in which nothing is better), rankings (their number), essays (mean K).
    """
    selection = Selection(tournament=ranked.name, bench=BENCH)
    pairs = {pair.debate_id: pair for pair in stored_debates(store, selection)}
    verdicts = (
        (pair.matchup_id, ballot.voter, verdict.dimension, verdict.outcome, pair.pro, pair.con)
        for ballot in read_ballots(store, selection)
        if ballot.status == "valid"
        for pair in [pairs[ballot.debate_id]]
        for verdict in ballot.verdicts
    )
    columns = ["sheet", "voter", "dimension", "outcome", "pro", "con"]
    rows = pd.DataFrame(verdicts, columns=columns)
    sides = [
        rows.assign(participant=rows[side], lost=rows["outcome"] == loss)
        for side, loss in (("pro", CON_WINS), ("con", PRO_WINS))
    ]
    places = (
        pd.concat(sides)
        .groupby(["dimension", "sheet", "voter", "participant"], as_index=False)
        .agg(lost=("lost", "sum"), met=("lost", "size"))
    )
    places = places.assign(
        essays=places["met"] + 1,
        score=places["met"] + 1 - places["lost"],
        first=(places["lost"] == 0).astype(float),
    )
    means = places.groupby(["dimension", "participant"], as_index=False).agg(
        score=("score", "mean"),
        first=("first", "mean"),
        rankings=("score", "size"),
        essays=("essays", "mean"),
    )
    order = ["dimension", "score", "participant"]
    return means.sort_values(order, ascending=[True, False, True], ignore_index=True)


_RANKED = (DIMENSION, "overall")
_COLUMNS = ("sheet", "essay", "voter", *_RANKED)


def format_rank_table(sheets: Sequence[RankSheet], *, voter: str = "") -> str:
    """Return a CSV table to fill in: a row per essay, with empty columns for its ranks."""
    return format_table(
        _COLUMNS,
        ([sheet.sheet_id, letter, voter, "", ""] for sheet in sheets for letter in sheet.essays),
    )


def format_essays(sheets: Sequence[RankSheet]) -> str:
    """Return essays as plain text, without names, below instructions on how to rank them."""
    head = (
        f"To rank: {counted(len(sheets), 'sheet')} of essays on one task each, without names.\n"
        "In the table next to this file, give every essay of a sheet a rank: 1 is the best, and\n"
        f"equal ranks are ties. Give ranks for {DIMENSION} and for overall quality.\n"
        "The column voter holds your pseudonym. If you do not rank a sheet, leave its rows empty.\n"
    )
    return head + "".join(f"{line}\n" for sheet in sheets for line in _sheet_lines(sheet))


def read_rankings(
    file: Path, sheets: Sequence[RankSheet], *, encoding: str = ""
) -> tuple[list[Ranking], int]:
    """Return the rankings of a filled table, and the number of its sheets without a ranking.

    Raises:
        VotesRefused: a cell holds what is not accepted, or a ranking lacks an essay; every fault
            is listed.
        ConfigError: the file cannot be read, or has other columns.
    """
    groups: dict[tuple[str, str], list[TableRow]] = {}
    for row in read_table(file, _COLUMNS, encoding=encoding):
        groups.setdefault((row.cell("sheet"), row.cell("voter")), []).append(row)
    by_id = {sheet.sheet_id: sheet for sheet in sheets}
    return read_entries(groups.values(), partial(_read_ranking, sheets=by_id))


def _read_ranking(rows: Sequence[TableRow], sheets: Mapping[str, RankSheet]) -> Ranking | None:
    """Return one person's ranking of a sheet; `None` where no rank is filled in."""
    if not any(row.cell(name) for row in rows for name in _RANKED):
        return None
    if faults := list(_find_faults(rows, sheets)):
        raise VotesRefused(faults)
    first = rows[0]
    return Ranking(
        sheet_id=first.cell("sheet"),
        voter=first.cell("voter"),
        ranks={
            name: {row.cell("essay").upper(): float(row.cell(name)) for row in rows}
            for name in _RANKED
        },
        where=first.where,
    )


def _find_faults(rows: Sequence[TableRow], sheets: Mapping[str, RankSheet]) -> Iterator[str]:
    """Yield what is wrong with the rows of one ranking."""
    first = rows[0]
    sheet = sheets.get(first.cell("sheet"))
    if sheet is None:
        yield first.fault("sheet", f"there is no sheet {first.cell('sheet')!r}")
        return
    letters = list(sheet.essays)
    seen: set[str] = set()
    for row in rows:
        letter = row.cell("essay").upper()
        if letter not in letters or letter in seen:
            problem = "is listed twice" if letter in seen else f"is not one of {', '.join(letters)}"
            yield row.fault("essay", f"{row.cell('essay')!r} {problem}")
        seen.add(letter)
        yield from _find_rank_faults(row, last=len(letters))
    if missing := [letter for letter in letters if letter not in seen]:
        yield first.fault("essay", f"the ranking lacks {', '.join(missing)}")


def _find_rank_faults(row: TableRow, *, last: int) -> Iterator[str]:
    for name in _RANKED:
        rank = row.cell(name)
        if not (rank.isascii() and rank.isdigit() and int(rank) >= 1):
            yield row.fault(name, f"{rank!r} is not a rank; accepted: 1 (the best) to {last}")
        elif int(rank) > last:
            yield row.fault(name, f"{rank!r} is more than {last}, the last rank")


def _sheet_lines(sheet: RankSheet) -> Iterator[str]:
    yield f"\n{RULE}\nsheet {sheet.sheet_id}\n{RULE}\n\n{plain(sheet.task)}"
    for letter, essay in sheet.essays.items():
        yield f"\n-- sheet {sheet.sheet_id}: essay {letter} --\n\n{plain(essay.text)}"
        for reference in essay.references:
            yield f"  {plain(render_reference(reference, sheet.language))}"
