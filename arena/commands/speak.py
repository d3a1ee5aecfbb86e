"""`arena speak`: people read what was said, and hand in their speeches."""

from __future__ import annotations

from pathlib import Path

import click

from arena.console.options import database, examples, tournament
from arena.console.speech_text import print_speech
from arena.console.stored_tournament import open_stored
from arena.people.sessions import PersonSession
from arena.people.sheet_files import read_text
from arena.people.speeches import (
    TASKS,
    Due,
    due_speeches,
    find_due,
    hand_in,
    length_unit,
    save_draft,
)
from arena.text import plain


@click.command(
    epilog=examples(
        "arena speak                            list the speeches that are due",
        "arena speak 3f9a                       show what the speaker may see",
        "arena speak 3f9a --file speech.txt --draft",
        "arena speak 3f9a --file speech.txt     submit",
    )
)
@click.argument("debate", required=False)
@database
@tournament
@click.option(
    "--side",
    type=click.Choice(["pro", "con"]),
    help="The side to speak for; needed if both sides are people.",
)
@click.option(
    "--file",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="UTF-8 text file with the speech. It is submitted, and cannot be changed afterwards.",
)
@click.option("--draft", is_flag=True, help="Save the file as a draft only.")
def speak(  # noqa: PLR0913 - options of a command line
    debate: str | None,
    db: Path,
    tournament: str | None,
    side: str | None,
    file: Path | None,
    draft: bool,  # noqa: FBT001 - a flag
) -> None:
    """Write a speech for a DEBATE that waits for a person.

    DEBATE is the start of a debate's id; without it, the speeches that are due are listed. To write
    speeches in a browser, run: arena serve --speaking
    """
    store, resolved = open_stored(db, tournament)
    waiting = due_speeches(PersonSession(store=store, resolved=resolved))
    if debate is None:
        _list(waiting)
        return
    due = find_due(waiting, debate, side)
    if file is None:
        _show(due)
        return
    text = read_text(file)
    (save_draft if draft else hand_in)(store, due, text)
    length = due.length(text)
    if draft:
        click.echo(
            f"Saved as a draft ({length}). To submit it, run the same command without --draft."
        )
    else:
        click.echo(f"Submitted ({length}). A run in progress continues the debate;")
        click.echo("otherwise run: arena resume")


def _list(waiting: tuple[Due, ...]) -> None:
    if not waiting:
        click.echo("No debate is waiting for a person.")
        return
    for due in waiting:
        drafted = ", a draft is saved" if due.draft else ""
        click.echo(
            f"{due.debate_id[:8]}  {plain(due.speaker)}: {due.place}{drafted}: {plain(due.task)}"
        )
    click.echo(f"\nRead the debate so far with: arena speak {waiting[0].debate_id[:8]}")


def _show(due: Due) -> None:
    click.echo(f"{TASKS[due.contest]}: {plain(due.task)}")
    if due.info_slide:
        click.echo(plain(due.info_slide))
    for speech in due.disclosed:
        print_speech(speech, due.language)
    unit = length_unit(due.language)
    click.secho(f"\n── {due.speaker} speaks: {due.place} ──", bold=True)
    if due.draft:
        click.echo(f"Draft ({due.language.count(due.draft)} {unit}):\n{plain(due.draft)}\n")
    click.echo(f"At most {due.limit} {unit}. Submit your speech with:")
    click.echo(f"  arena speak {due.debate_id[:8]} --side {due.side} --file speech.txt")
