"""`arena vote`: people judge, without knowing who speaks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from arena.boards.votes import CONFIDENCE
from arena.console.options import database, encoding_option, examples, tournament
from arena.console.stored_tournament import open_stored
from arena.errors import ConfigError
from arena.people.sessions import BallotForm, Decision, VotingSession, voting_session
from arena.people.sheet_files import format_debates, format_vote_table, read_votes, write_files
from arena.people.voting import (
    SubmittedVote,
    VotingSheet,
    cast_votes,
    find_task,
    open_tasks,
    read_sheets,
    vote_progress,
    voting_tasks,
)
from arena.store.command_lines import command_line
from arena.text import counted, plain

_Command = TypeVar("_Command", bound=Callable[..., Any])
_bench = click.option(
    "--bench", metavar="NAME", help="A bench of people; the first one by default."
)
_READING, _TABLE = "debates.txt", "votes.csv"
_LISTED = 20


def _voter(*, required: bool) -> Callable[[_Command], _Command]:
    return click.option(
        "--voter",
        default="",
        required=required,
        metavar="PSEUDONYM",
        help="Pseudonym of the voter.",
    )


@click.group(
    epilog=examples(
        "arena vote list",
        "arena vote show 3f9a",
        "arena vote cast 3f9a overall=pro argument=pro source=tie language=con --voter ann",
        "arena vote sheet for-ann --voter ann",
        "arena vote import for-ann/votes.csv",
    )
)
def vote() -> None:
    """Vote on debates, pairs of essays, or answers to questions.

    The votes are the ballots of a bench of people (judge = "human"). Voters see the sides, but not
    who speaks. To vote in a browser, run: arena serve --voting
    """


@vote.command("list", epilog=examples("arena vote list", "arena vote list --voter ann"))
@database
@tournament
@_bench
@_voter(required=False)
def listing(db: Path, tournament: str | None, bench: str | None, voter: str) -> None:
    """List the debates that wait for votes, of anybody or of one voter."""
    session = _open_session(db, tournament, bench, voter)
    benches = [session.bench] if bench else session.resolved.people_benches
    for listed in benches:
        _list_tasks(replace(session, bench=listed))


@vote.command(epilog=examples("arena vote show 3f9a"))
@click.argument("debate")
@database
@tournament
@_bench
def show(debate: str, db: Path, tournament: str | None, bench: str | None) -> None:
    """Show a DEBATE (given by the start of its id) as voters read it, without names."""
    session = _open_session(db, tournament, bench)
    click.echo(_format_reading(session, read_sheets(session, [find_task(session, debate)])))


@vote.command(
    "cast",
    epilog=examples(
        "arena vote cast 3f9a overall=pro argument=pro source=tie language=con --voter ann",
        "arena vote cast 3f9a overall=tie argument=tie source=pro language=con --voter ann "
        "--confidence 2 --comment 'Both ran out of evidence.'",
    ),
)
@click.argument("debate")
@click.argument("decided", metavar="DIMENSION=CHOICE...", nargs=-1, required=True)
@database
@tournament
@_bench
@_voter(required=True)
@click.option(
    "--confidence",
    type=click.FloatRange(*CONFIDENCE),
    help="Confidence, from 1 (a guess) to 5 (certain).",
)
@click.option("--comment", default="", help="Why.")
@click.option(
    "--seconds", type=click.FloatRange(0), default=0.0, help="Seconds spent on the debate."
)
def cast_one(
    debate: str,
    decided: tuple[str, ...],
    db: Path,
    tournament: str | None,
    bench: str | None,
    **details: Any,  # noqa: ANN401 - the other fields of a vote
) -> None:
    """Cast a final vote on a DEBATE (given by the start of its id).

    Give pro, con or tie for every dimension; for a pair of essays a, b or tie; for two answers to
    a question right_a=right mark_a=5 right_b=wrong mark_b=2 (marks from 1 to 5).
    """
    session = _open_session(db, tournament, bench)
    task = find_task(session, debate)
    outcomes, marks = _read_choices(decided, session.form)
    vote = SubmittedVote(debate_id=task.debate_id, outcomes=outcomes, marks=marks, **details)
    _store_votes(session, [vote])


@vote.command(epilog=examples("arena vote sheet for-ann --voter ann", "arena vote sheet everybody"))
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@database
@tournament
@_bench
@_voter(required=False)
@click.option(
    "--all", "every", is_flag=True, help="Include debates that already have enough votes."
)
def sheet(  # noqa: PLR0913 - options of a command line
    folder: Path,
    db: Path,
    tournament: str | None,
    bench: str | None,
    voter: str,
    every: bool,  # noqa: FBT001 - a flag
) -> None:
    """Write the debates that wait for votes, and a table to fill in, into a FOLDER.

    A table is for one person; make one for every voter.
    """
    session = _open_session(db, tournament, bench, voter)
    tasks = [task for task in voting_tasks(session) if task.waits or (every and not task.voted)]
    if not tasks:
        click.echo(
            "No debate waits for votes, so nothing was written. Use --all to include every debate."
        )
        return
    sheets = read_sheets(session, tasks)
    table = format_vote_table(sheets, session.form, voter=voter)
    write_files(folder, {_READING: _format_reading(session, sheets), _TABLE: table})
    store_it = _command(session, "vote", "import", str(folder / _TABLE))
    click.echo(
        f"Wrote {folder / _READING} ({counted(len(sheets), 'debate')} to read, without names) and "
        f"{folder / _TABLE}.\n"
        f"When the table is filled in, store it with: {store_it}"
    )


@vote.command(
    "import",
    epilog=examples(
        "arena vote import for-ann/votes.csv",
        "arena vote import from-excel.csv --encoding cp1252",
    ),
)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@encoding_option
@database
@tournament
@_bench
def importing(
    file: Path, encoding: str, db: Path, tournament: str | None, bench: str | None
) -> None:
    """Store the votes from a FILE that `arena vote sheet` wrote and people filled in.

    If any row is faulty, nothing is stored and every fault is listed with its row and column.
    """
    session = _open_session(db, tournament, bench)
    votes, empty = read_votes(file, session.form, encoding=encoding)
    if empty or not votes:
        click.echo(f"{counted(empty, 'row')} without a vote.")
    if votes:
        _store_votes(session, votes)


def _open_session(
    db: Path, tournament: str | None, bench: str | None, voter: str = ""
) -> VotingSession:
    store, resolved = open_stored(db, tournament)
    return voting_session(store, resolved, bench, voter=voter)


def _list_tasks(session: VotingSession) -> None:
    """Print how many debates wait for votes of a bench, and the first of them."""
    bench = session.bench
    motions = {motion.motion_id: motion for motion in session.resolved.motions}
    every, waiting = voting_tasks(session), open_tasks(session)
    click.echo(
        f"Bench {bench.name}: {vote_progress(bench, every).words}; "
        f"{counted(len(waiting), 'debate')} {'waits' if len(waiting) == 1 else 'wait'} for "
        f"{'you' if session.person else 'votes'}."
    )
    for task in waiting[:_LISTED]:
        motion = motions[task.motion_id].wording(task.language.code).text
        click.echo(f"  {task.debate_id}  {counted(task.votes, 'vote')}  {plain(motion)}")
    if len(waiting) > _LISTED:
        sheets = _command(session, "vote", "sheet", "FOLDER")
        click.echo(f"  … and {len(waiting) - _LISTED} more: {sheets}")
    if waiting:
        show = _command(session, "vote", "show", waiting[0].debate_id[:8])
        click.echo(f"Read the first one with: {show}")


def _command(session: VotingSession, *words: str) -> str:
    """Return a command line on the bench of a session."""
    words = (*words, "--bench", session.bench.name)
    return command_line(*words, db=session.store.path, tournament=session.resolved.name)


def _format_reading(session: VotingSession, sheets: Sequence[VotingSheet]) -> str:
    return format_debates(sheets, session.form)


def _read_choices(decided: Sequence[str], form: BallotForm) -> Decision:
    """Return what arguments like `overall=pro` or `mark_a=4` decide.

    Raises:
        ConfigError: an argument names no field, one a second time, or no choice; or one lacks.
    """
    accepted = {entry.name: entry.choices for entry in form.fields}
    values: dict[str, float] = {}
    for argument in decided:
        name, _, choice = argument.partition("=")
        if name in values or choice.lower() not in accepted.get(name, ()):
            raise ConfigError(f"{argument!r}: {_format_accepted(form)}")
        values[name] = accepted[name][choice.lower()]
    if missing := [name for name in form.names if name not in values]:
        raise ConfigError(f"missing: {', '.join(missing)}. {_format_accepted(form)}")
    return form.decide(values)


def _format_accepted(form: BallotForm) -> str:
    """Format what the arguments of a vote may be."""
    choices = {", ".join(entry.choices) for entry in form.fields}
    if len(choices) == 1:
        return (
            f"write each of {', '.join(form.names)} once as DIMENSION=CHOICE, where CHOICE is one "
            f"of {choices.pop()}."
        )
    listed = "; ".join(f"{entry.name}={'|'.join(entry.choices)}" for entry in form.fields)
    return f"write each of these once: {listed}."


def _store_votes(session: VotingSession, votes: Sequence[SubmittedVote]) -> None:
    """Store votes, rate the boards anew, and print what was stored."""
    # To list what waits for votes, nothing is rated.
    from arena.boards.keep import keep_boards  # noqa: PLC0415
    from arena.boards.stored_boards import store_boards  # noqa: PLC0415

    cast_votes(session, votes)
    store_boards(session.store, session.resolved)
    keep_boards(session.store, session.resolved)
    people = {vote.voter for vote in votes}
    name = session.bench.name
    click.echo(
        f"Stored {counted(len(votes), 'vote')} of {counted(len(people), 'person', 'people')} for "
        f"bench {name}.\nBoard: {_command(session, 'leaderboard')}"
    )
