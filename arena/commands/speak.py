"""`arena speak`: the speeches of people."""

from __future__ import annotations

from pathlib import Path

import click

from arena.config.stored import stored_config
from arena.console.options import database, examples, tournament
from arena.console.speech_text import print_speech
from arena.errors import ConfigError
from arena.people.speeches import TASKS, Due, due_speeches, hand_in, length_unit, save_draft
from arena.store.database import Store
from arena.text import plain


@click.command(
    epilog=examples(
        "arena speak                            what is waited for",
        "arena speak 3f9a                       what the speaker may see",
        "arena speak 3f9a --file speech.txt --draft",
        "arena speak 3f9a --file speech.txt     for good",
    )
)
@click.argument("debate", required=False)
@database
@tournament
@click.option("--side", type=click.Choice(["pro", "con"]), help="Where both sides are people.")
@click.option(
    "--file",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The speech, as UTF-8 text: it is handed in, and not changed any more.",
)
@click.option("--draft", is_flag=True, help="Keep the file as a draft only.")
def speak(  # noqa: PLR0913 - options of a command line
    debate: str | None,
    db: Path,
    tournament: str | None,
    side: str | None,
    file: Path | None,
    draft: bool,  # noqa: FBT001 - a flag
) -> None:
    """Speak in a DEBATE (a prefix of its id) that waits for a person.

    In a browser: arena serve --speaking
    """
    store = Store(db)
    store.check()
    due = due_speeches(store, stored_config(store, tournament))
    if debate is None:
        _list(due)
        return
    chosen = _choose(due, debate, side)
    if file is None:
        _show(chosen)
        return
    text = _text(file)
    (save_draft if draft else hand_in)(store, chosen, text)
    length = chosen.length(text)
    if draft:
        click.echo(f"Kept as a draft ({length}). Hand it in: the same without --draft.")
    else:
        click.echo(f"Handed in ({length}). A run that is going on plays the debate on;")
        click.echo("else: arena resume")


def _list(due: tuple[Due, ...]) -> None:
    if not due:
        click.echo("No debate waits for a person.")
    for one in due:
        drafted = ", a draft is kept" if one.draft else ""
        click.echo(
            f"{one.debate_id[:8]}  {plain(one.speaker)}: {one.place}{drafted}: {plain(one.task)}"
        )
    if due:
        click.echo(f"\nRead what was said: arena speak {due[0].debate_id[:8]}")


def _choose(due: tuple[Due, ...], prefix: str, side: str | None) -> Due:
    found = [one for one in due if one.debate_id.startswith(prefix) and side in (None, one.side)]
    if not found:
        whose = f" of {side}" if side else ""
        raise ConfigError(
            f"no debate {prefix!r} waits for a speech{whose}. `arena speak` lists those that wait."
        )
    if len(found) > 1:
        listed = ", ".join(f"{one.debate_id} ({one.side})" for one in found[:3])
        raise ConfigError(
            f"{prefix!r} fits more than one speech: {listed}. Give more digits, or --side."
        )
    return found[0]


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
    click.echo(f"At most {due.limit} {unit}. Hand it in:")
    click.echo(f"  arena speak {due.debate_id[:8]} --side {due.side} --file speech.txt")


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ConfigError(f"{file}: cannot be read: {reason}.") from None
