"""`arena serve`: the pages, served by Streamlit in a subprocess, by default to this machine."""

from __future__ import annotations

import os
import secrets
import shlex
import socket
import sys
import time
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import NoReturn

import click
from packaging.requirements import Requirement

from arena.boards.stored_boards import store_missing_boards
from arena.console.options import database, examples, tournament
from arena.errors import ConfigError
from arena.store.command_lines import command_line
from arena.store.database import Store
from dashboard import queries
from dashboard.access import (
    LOCAL,
    PROVIDER_VARIABLES,
    PageAccess,
    is_local,
    make_access,
    read_provider,
    write_secrets,
)
from dashboard.settings import (
    ACCESS,
    DATABASE,
    FOLDER,
    ONLY,
    RANK,
    SECRETS,
    SPEAK,
    TOURNAMENT,
    VOTE,
)
from dashboard.supervisor import Task, become_supervisor

#: Seconds between two looks for a database that does not exist yet.
_LOOK_SECONDS = 0.5
#: What libraries read when they are loaded. The matrices of a page are small: a second thread for
#: one costs more than it saves. And what a query or a viewer's thread needed for a moment goes back
#: to the system: Arrow's own allocator would keep it, and so would glibc's in more than two arenas.
_LIBRARIES = {
    "OPENBLAS_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "2",
    "MALLOC_MMAP_THRESHOLD_": "262144",
    "MALLOC_TRIM_THRESHOLD_": "262144",
}


@click.command(
    epilog=examples(
        "arena serve",
        "arena serve --db weekend.duckdb --port 8600",
        "arena serve --admin               forms to add models and begin tournaments",
        "arena serve --host 0.0.0.0 --read-only",
        "arena serve --host 0.0.0.0 --url https://arena.example.org --allow @example.org",
        "arena serve --voting --tournament weekend",
        "arena serve --ranking --tournament essays",
        "arena serve --speaking --port 8601",
    )
)
@database
@tournament
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=8501,
    show_default=True,
    help="Port on this machine.",
)
@click.option(
    "--host",
    metavar="ADDRESS",
    default=LOCAL,
    show_default=True,
    help="Address to listen on. All but this machine's own need --read-only or --allow.",
)
@click.option("--read-only", is_flag=True, help="Let everybody who reaches the address read.")
@click.option(
    "--allow",
    metavar="EMAIL|@DOMAIN",
    multiple=True,
    help="Let these people read, once they have signed in; may be repeated.",
)
@click.option(
    "--url",
    metavar="URL",
    help="Address that browsers use, for example behind a proxy that adds https.",
)
@click.option(
    "--admin",
    is_flag=True,
    help=f"Print a link, which works once, to forms that change files and spend money ({LOCAL}).",
)
@click.option(
    "--voting",
    is_flag=True,
    help="Serve only a page on which people vote on debates, without names (see arena vote).",
)
@click.option(
    "--ranking",
    is_flag=True,
    help="Serve only a page on which people rank essays, without names (see arena rank).",
)
@click.option(
    "--speaking",
    is_flag=True,
    help="Serve only a page on which people write the speeches that are due (see arena speak).",
)
def serve(  # noqa: PLR0913, PLR0917 - the options of a command
    db: Path,
    tournament: str | None,
    port: int,
    host: str,
    read_only: bool,  # noqa: FBT001 - a flag
    allow: tuple[str, ...],
    url: str | None,
    admin: bool,  # noqa: FBT001 - a flag
    voting: bool,  # noqa: FBT001 - a flag
    ranking: bool,  # noqa: FBT001 - a flag
    speaking: bool,  # noqa: FBT001 - a flag
) -> None:
    """Show leaderboards and debates in a browser.

    The pages update during a run. Without other options, only this machine can open the pages, and
    they change nothing. With --admin, one browser of this machine gets forms to add models and to
    begin tournaments. With --allow, people sign in with an OpenID Connect provider, which the
    variables ARENA_OIDC_METADATA_URL, ARENA_OIDC_CLIENT_ID and ARENA_OIDC_CLIENT_SECRET name.

    With --voting or --ranking, the only page takes people's votes or rankings and shows no names;
    with --speaking, it takes people's speeches and shows only what the speaker may see. Press
    Ctrl-C to stop.
    """
    _check_libraries()
    only = _page_alone(voting=voting, ranking=ranking, speaking=speaking)
    if only and (read_only or admin):
        option = "--read-only" if read_only else "--admin"
        raise ConfigError(
            f"{option} cannot be combined with --voting, --ranking or --speaking: their page takes "
            "something from people and has no forms for the administrator. Leave it out."
        )
    if only and not (is_local(host) or allow):
        raise ConfigError(
            f"--host {host} can be reached by other machines, and what people hand in would come "
            "from anybody. Add --allow EMAIL|@DOMAIN so that they sign in."
        )
    access = make_access(
        host=host,
        port=port,
        url=url,
        read_only=read_only,
        allow=allow,
        key=secrets.token_urlsafe(32) if admin else "",
    )
    provider = read_provider(os.environ) if access.allow else None
    _check_port(host, port)
    _wait_for_database(Store(db))
    _check_database(Store(db), tournament)
    _serve(db, tournament, access, provider, only=only)


def _check_libraries() -> None:
    """Check that the libraries are of versions that have what `dashboard/private.py` imports."""
    for requirement in map(Requirement, metadata.requires("debate-arena") or ()):
        if requirement.name in ("streamlit", "starlette", "uvicorn"):
            installed = metadata.version(requirement.name)
            if not requirement.specifier.contains(installed):
                wanted = f"{requirement.name}{requirement.specifier}"
                raise ConfigError(
                    f"{requirement.name} {installed} is installed, and the pages need "
                    f"{wanted}. Install it: {shlex.quote(sys.executable)} -m pip install "
                    f"{shlex.quote(wanted)}"
                )


def _page_alone(*, voting: bool, ranking: bool, speaking: bool) -> str:
    """Return the page that is served alone; '' for those of results."""
    alone = {"--voting": VOTE * voting, "--ranking": RANK * ranking, "--speaking": SPEAK * speaking}
    requested = [option for option, page in alone.items() if page]
    if len(requested) > 1:
        raise ConfigError(
            f"{' and '.join(requested)} cannot be combined. Keep one of them, and serve the others "
            "with commands of their own on another --port."
        )
    return "".join(alone.values())


def _serve(
    db: Path,
    tournament: str | None,
    access: PageAccess,
    provider: Mapping[str, str] | None,
    *,
    only: str,
) -> NoReturn:
    """Serve the pages; from here on, the program is their supervisor."""
    kept = {name: value for name, value in os.environ.items() if name not in PROVIDER_VARIABLES}
    file = write_secrets(provider, access.url) if provider else None
    settings = {
        DATABASE: str(db.resolve()),
        TOURNAMENT: tournament or "",
        ONLY: only,
        ACCESS: access.to_text(),
        SECRETS: str(file or ""),
        FOLDER: str(Path.cwd()),
    }
    task = Task(
        command=(sys.executable, "-P", "-m", "dashboard.connections"),
        host={"0.0.0.0": LOCAL, "::": "::1"}.get(access.host, access.host),  # noqa: S104
        port=access.port,
        lines=tuple(_describe_addresses(db, access)),
        file=str(file or ""),
    )
    become_supervisor(task, {**_LIBRARIES, **kept, **settings})


def _describe_addresses(db: Path, access: PageAccess) -> Iterator[str]:
    """Yield the lines that say where the pages are, and who may open them."""
    yield f"Dashboard of {db}: {access.url}  (press Ctrl-C to stop)"
    if access.key:
        yield f"Forms, by a link that works once: {access.url}/admin?key={access.key}"
    if access.allow:
        yield f"Who may sign in: {', '.join(access.allow)}"
        if access.url.startswith("http:") and not is_local(access.host):
            yield (
                "Without https, others on the way can read what is sent: put a proxy in front, and "
                "name its address with --url."
            )


def _wait_for_database(store: Store) -> None:
    """Wait for the first run to make the database; a file of somebody else's ends that."""
    store.check()
    if not store.empty():
        return
    begin = command_line("run", db=store.path)
    click.echo(
        f"{store.path} does not exist yet. The pages are served as soon as a run has begun, for "
        f"example: {begin}  (press Ctrl-C to stop)"
    )
    while store.empty():
        time.sleep(_LOOK_SECONDS)


def _check_database(store: Store, tournament: str | None) -> None:
    store.check()
    if stored := store_missing_boards(store):
        click.echo(f"Stored the boards of an older version anew: {', '.join(stored)}.")
    names = [row.tournament for row in queries.tournaments(store)]
    if tournament is not None and tournament not in names:
        listed = ", ".join(names) or "none yet"
        raise ConfigError(f"{store.path}: no tournament {tournament!r}. Stored: {listed}.")


def _check_port(host: str, port: int) -> None:
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except socket.gaierror:
        raise ConfigError(f"--host {host}: no address of this machine.") from None
    except OSError as error:
        raise ConfigError(
            f"port {port} of {host} cannot be used ({error.strerror}). Choose another with --port."
        ) from None
