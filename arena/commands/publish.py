"""`arena publish`: write a tournament as a static site."""

from __future__ import annotations

from pathlib import Path

import click

from arena.console.options import database, examples, tournament
from arena.console.stored_tournament import open_stored
from arena.console.waiting import show_computing
from arena.errors import ConfigError
from arena.publish.content import ASKED_FOR, LEFT_OUT, Wanted
from arena.publish.site import publish
from arena.text import counted


def _read_url(_context: click.Context, _option: click.Parameter, url: str) -> str:
    """Check that an address is one of the web, and end it with a slash."""
    if url and not url.startswith(("https://", "http://")):
        raise ConfigError(
            f"--url {url!r}: accepted is an address of the web, as https://example.org/debates/."
        )
    return url if not url or url.endswith("/") else f"{url}/"


@click.command(
    "publish",
    epilog=examples(
        "arena publish site",
        "arena publish site --db weekend.duckdb --url https://example.org/debates/",
        "arena publish site --without speeches --without costs",
    ),
)
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
@database
@tournament
@click.option(
    "--without",
    type=click.Choice(LEFT_OUT),
    multiple=True,
    help="Leave this out; may be repeated. `rationales` are the judges' words. Without speeches, "
    "rationales or costs the report, which quotes them, is left out, too.",
)
@click.option(
    "--with",
    "including",
    type=click.Choice(ASKED_FOR),
    multiple=True,
    help="Publish this, too: what people wrote beside their votes, or the names of voters. By "
    "default voters are numbered, and their comments are left out.",
)
@click.option(
    "--url",
    default="",
    callback=_read_url,
    metavar="URL",
    help="Where the site will stand: social previews of links need it.",
)
def publish_command(
    folder: Path,
    db: Path,
    tournament: str | None,
    without: tuple[str, ...],
    including: tuple[str, ...],
    url: str,
) -> None:
    """Write a tournament as a static site, or update one.

    The site needs no server: it opens from a disk, and works below any address of a web server. It
    has all boards, the win rates, a page for every participant, pair, debate, motion and judge,
    the costs, the report, JSON and CSV beside each table, and what has changed since the last
    publication. Only files that have changed are written.
    """
    store, resolved = open_stored(db, tournament)
    wanted = Wanted(without=frozenset(without), including=frozenset(including), url=url)
    with show_computing("Making the pages"):
        made = publish(store, resolved, folder, wanted)
    removed = f", {made.removed:,} removed" if made.removed else ""
    click.echo(
        f"Site: {folder / 'index.html'} ({counted(made.files, 'file', style=',')}, "
        f"{made.size / 1e6:.1f} MB; {made.written:,} written{removed})"
    )
    for sentence in made.sentences if made.written else ():
        click.echo(sentence)
