"""A speech as text on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from arena.debates.transcript import format_remarks, shown_speech
from arena.text import plain

if TYPE_CHECKING:
    from arena.languages import Language
    from arena.records import Speech


def print_speech(speech: Speech, spoken: Language) -> None:
    """Print a speech with its references."""
    labels = [spoken.sides[speech.side]]
    labels += [] if speech.stage == "answer" else [spoken.stages[speech.stage]]
    head = f"{', '.join(labels)} ({speech.words}{format_remarks(speech)})"
    click.secho(f"\n── {head} ──", bold=True)
    text, references = shown_speech(speech, spoken)
    click.echo(plain(text))
    if references:
        click.echo(f"\n{spoken.terms['references']}:")
        for reference in references:
            click.echo(f"  {plain(reference)}")
