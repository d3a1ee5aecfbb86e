"""`arena speak`: people read what was said, and hand in their speeches as text or recordings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from arena.config.load import read_text
from arena.console.options import database, examples, tournament
from arena.console.repetition import repeated_command
from arena.console.speech_text import print_speech
from arena.console.stored_tournament import open_stored
from arena.errors import ConfigError
from arena.people.sessions import PersonSession
from arena.people.speakers import check_speaker_name
from arena.people.speeches import (
    TASKS,
    Due,
    due_speeches,
    find_due,
    format_due_time,
    length_unit,
)
from arena.people.submissions import hand_in, open_due, save_draft
from arena.people.transcription import Transcript, read_recording, transcribe
from arena.store.command_lines import command_line
from arena.text import format_duration, plain

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command(
    epilog=examples(
        "arena speak                            list the speeches that are due",
        "arena speak 3f9a                       show what the speaker may see",
        "arena speak 3f9a --file speech.txt --draft",
        "arena speak 3f9a --file speech.txt     submit",
        "arena speak 3f9a --audio speech.mp3 --speaker ann",
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
    "--speaker",
    default="",
    metavar="NAME",
    help="Who speaks, for a participant of several people.",
)
@click.option(
    "--file",
    "file",
    type=_FILE,
    help="UTF-8 text file with the speech. It is submitted, and cannot be changed afterwards.",
)
@click.option(
    "--audio",
    type=_FILE,
    help="Recording of the speech, transcribed by the service that the tournament's file names.",
)
@click.option("--draft", is_flag=True, help="Save the file or the transcript as a draft only.")
def speak(  # noqa: PLR0913 - options of a command line
    debate: str | None,
    *,
    db: Path,
    tournament: str | None,
    side: str | None,
    speaker: str,
    file: Path | None,
    audio: Path | None,
    draft: bool,
) -> None:
    """Write a speech for a DEBATE that waits for a person.

    DEBATE is the start of a debate's id; without it, the speeches that are due are listed, with
    --speaker those of one person. To write speeches in a browser, run: arena serve --speaking
    """
    if file and audio:
        raise ConfigError("--file and --audio were both given. Submit a text or a recording.")
    store, resolved = open_stored(db, tournament)
    session = PersonSession(store=store, resolved=resolved)
    if debate is None:
        check_speaker_name(resolved, speaker)
        _list(due_speeches(replace(session, person=speaker)), session)
        return
    waiting = due_speeches(session)
    due = find_due(waiting, debate, side)
    if file is None and audio is None:
        _show(open_due(store, due, speaker), session)
        return
    if due.closed:
        named = ("--speaker", "NAME") if due.speakers else ()
        opening = _command(session, "speak", due.debate_id[:8], *named)
        raise ConfigError(
            f"debate {due.debate_id[:8]} was not opened yet. Opening it starts the preparation: "
            f"{opening}"
        )
    if audio is not None:
        transcript = transcribe(read_recording(audio), resolved, due.language)
        _submit_recording(session, due, transcript, speaker=speaker, draft=draft)
    elif file is not None:
        text = read_text(file)
        (save_draft if draft else hand_in)(store, due, text, speaker=speaker)
        _print_outcome(session, due, text, draft=draft)


def _submit_recording(
    session: PersonSession, due: Due, transcript: Transcript, *, speaker: str, draft: bool
) -> None:
    """Save a transcript, so that it need not be paid for again, and hand it in."""
    store = session.store
    save_draft(store, due, transcript.text, speaker=speaker, making=transcript.making)
    click.echo(f"Transcript:\n{plain(transcript.text)}\n")
    if not draft:
        try:
            hand_in(store, due, transcript.text, speaker=speaker, making=transcript.making)
        except ConfigError as error:
            raise ConfigError(f"{error} The transcript is saved as a draft.") from None
    _print_outcome(session, due, transcript.text, draft=draft)


def _print_outcome(session: PersonSession, due: Due, text: str, *, draft: bool) -> None:
    length = due.length(text)
    if draft:
        submit = repeated_command(session.store.path, without="--draft")
        click.echo(f"Saved as a draft ({length}). Submit it with: {submit}")
    else:
        resume = command_line("resume", session.resolved.name, db=session.store.path)
        click.echo(f"Submitted ({length}). A run in progress continues the debate;")
        click.echo(f"otherwise run: {resume}")


def _list(waiting: tuple[Due, ...], session: PersonSession) -> None:
    if not waiting:
        click.echo("No debate is waiting for a person.")
        return
    for due in waiting:
        drafted = ", a draft is saved" if due.draft else ""
        until = f", until {format_due_time(due.due_time)}" if due.due_time else ""
        speaker = plain(due.speaker)
        speaker += f" ({', '.join(map(plain, due.speakers))})" if due.speakers else ""
        task = _format_closed(due) if due.closed else plain(due.task)
        click.echo(f"{due.debate_id[:8]}  {speaker}: {due.place}{drafted}{until}: {task}")
    first = waiting[0]
    named = ("--speaker", "NAME") if first.closed and first.speakers else ()
    speak = _command(session, "speak", first.debate_id[:8], *named)
    click.echo(f"\nRead the debate so far with: {speak}")


def _command(session: PersonSession, *words: str) -> str:
    """Return a command line on the tournament of a session."""
    return command_line(*words, db=session.store.path, tournament=session.resolved.name)


def _format_closed(due: Due) -> str:
    """Format what stands in the place of a motion that its speaker has not opened."""
    return f"(opening the motion starts the preparation of {format_duration(due.preparation)})"


def _show(due: Due, session: PersonSession) -> None:
    click.echo(f"{TASKS[due.contest]}: {plain(due.task)}")
    if due.info_slide:
        click.echo(plain(due.info_slide))
    for speech in due.disclosed:
        print_speech(speech, due.language)
    unit = length_unit(due.language)
    click.secho(f"\n── {due.speaker} speaks: {due.place} ──", bold=True)
    if due.draft:
        click.echo(f"Draft ({due.language.count(due.draft)} {unit}):\n{plain(due.draft)}\n")
    if due.due_time:
        click.echo(f"Until {format_due_time(due.due_time)}.")
    click.echo(f"At most {due.limit} {unit}. Submit your speech with:")
    named = ("--speaker", "NAME") if due.speakers else ()
    words = ("speak", due.debate_id[:8], "--side", due.side, *named, "--file", "speech.txt")
    click.echo(f"  {_command(session, *words)}")
