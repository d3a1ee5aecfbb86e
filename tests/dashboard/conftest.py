"""Fixtures: `arena serve` on a free port, a browser, and what its pages ask for."""

from __future__ import annotations

import random
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from tests.dashboard.playing import SMALL, vary
from tests.dashboard.watching import Watched
from tests.support.console_script import arena
from tests.support.played_tournaments import DATABASE, played_once

Serve: TypeAlias = Callable[[Path], str]

# A background job of a shell ignores SIGINT, and so would everything that it starts.
_SERVE = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from dashboard.command import serve; serve()"
)
expect.set_options(timeout=120_000)
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
VIEWPORT: ViewportSize = {"width": 1280, "height": 900}
_ADDRESS = re.compile(rb"http://127\.0\.0\.1:\d+")
_LINK = re.compile(rb"http://\S+/admin\?key=\S+")


def free_port() -> int:
    """A port of this machine that nobody listens on.

    It is below those that the system gives to clients: a client of such a port may be given the
    same one, and then is connected to itself.
    """
    for _ in range(100):
        port = random.randrange(18_000, 30_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    pytest.fail("no free port in 100 attempts")


@contextmanager
def serving(
    db: Path, port: int, *more: str, before: str = ""
) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """The command as a subprocess, and the address that it prints; Ctrl-C ends it.

    ``before`` is code that the subprocess runs first.
    """
    code = before + _SERVE
    command = [sys.executable, "-c", code, "--db", str(db), "--port", str(port), *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=db.parent) as child:
        try:
            yield child, _read_address(child)
        finally:
            child.send_signal(signal.SIGINT)
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                child.terminate()
                raise


def _read_address(child: subprocess.Popen[bytes]) -> str:
    """The address that the command prints, after what it may say of an older database."""
    assert child.stdout is not None
    while line := child.stdout.readline():
        if address := _ADDRESS.search(line):
            return address.group().decode()
    pytest.fail("the command ended without an address")


def read_link(child: subprocess.Popen[bytes]) -> str:
    """The link to the forms, which the command prints after the address."""
    assert child.stdout is not None
    link = _LINK.search(child.stdout.readline())
    assert link is not None
    return link.group().decode()


def _play(folder: Path, text: str, *options: str) -> None:
    (folder / "small.toml").write_text(text)
    words = ("run", "small.toml", "--yes", *options, "--db", DATABASE)
    code, printed = arena(*words, folder=folder)
    assert code == 0, printed


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a tournament, beside its file and its report; a copy for this worker."""
    text = SMALL.format(matchups=2)
    folder = played_once(tmp_path_factory, "pages", lambda folder: _play(folder, text))
    return Path(shutil.copytree(folder, tmp_path_factory.mktemp("played") / "copy")) / DATABASE


@pytest.fixture
def own(played: Path, tmp_path: Path) -> Path:
    """A copy of the played tournament's database, which a test may change."""
    return Path(shutil.copy(played, tmp_path))


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts the dashboard of a database; it ends with the test."""
    with ExitStack() as stack:
        yield lambda db: stack.enter_context(serving(db, free_port()))[1]


@pytest.fixture(scope="package")
def served(played: Path) -> Iterator[str]:
    """The address of one dashboard of the played tournament, for all tests that only read."""
    with serving(played, free_port()) as (_, address):
        yield address


@dataclass(frozen=True, slots=True, kw_only=True)
class Varied:
    """A dashboard with forms, of a tournament that was played in two runs.

    Attributes:
        db: its database; the tournament's file lies beside it.
        address: of the dashboard.
        link: to its forms, for whoever opens it first.
    """

    db: Path
    address: str
    link: str


@pytest.fixture(scope="package")
def varied(played: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Varied]:
    """The played tournament after a second run, with an ablation and another bench."""

    def play(folder: Path) -> None:
        shutil.copy(played, folder)
        _play(folder, vary(SMALL.format(matchups=2)), "--no-report")

    folder = played_once(tmp_path_factory, "varied", play)
    db = Path(shutil.copytree(folder, tmp_path_factory.mktemp("varied") / "copy")) / DATABASE
    with serving(db, free_port(), "--admin") as (child, address):
        yield Varied(db=db, address=address, link=read_link(child))


@contextmanager
def chromium() -> Iterator[Browser]:
    """The system's own browser: that without windows where it is installed, which costs less."""
    path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if path is None:
        pytest.fail("chromium is missing: apt-get install chromium")
    with sync_playwright() as playwright:
        result = playwright.chromium.launch(executable_path=path, args=_FLAGS)
        yield result
        result.close()


# Playwright keeps an event loop running in this thread, in which no other test can start its own.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport=VIEWPORT)
    context.set_default_timeout(60_000)
    yield context.new_page()
    context.close()


@pytest.fixture
def watched(page: Page) -> Iterator[Watched]:
    """The page, watched; the test fails for an error on it or a request to another machine."""
    found = Watched(page)
    yield found
    assert found.problems() == []
