"""Who may open which page, by HTTP and by WebSocket, for each kind of server and viewer."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from arena.errors import ConfigError
from dashboard import navigation
from dashboard.access import (
    CLIENT,
    METADATA,
    SECRET,
    PageAccess,
    make_access,
    read_provider,
    take_secrets,
    write_secrets,
)
from dashboard.admin import AdminDoor
from dashboard.guard import is_allowed
from tests.dashboard.conftest import free_port, read_link, serving
from tests.dashboard.handmade import make
from tests.dashboard.viewers import Viewer
from tests.servers import oidc_server

READ = ("/", *(f"/{entry.path}" for entry in navigation.RESULTS))
FORMS = tuple(f"/{entry.path}" for entry in navigation.FORMS)
#: What is on a page that only the administrator gets, in a folder without files.
_FORM_WORDS = {"add-model": "There is no tournament", "new-tournament": "Its text, to change"}
_PUBLIC = dict(host="0.0.0.0", port=8501, url=None, read_only=False, allow=(), key="")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "Add --read-only"),
        ({"host": "192.0.2.7"}, "Add --read-only"),
        ({"host": "example.org"}, "Add --read-only"),
        ({"key": "k", "read_only": True}, "cannot be combined"),
        ({"key": "k"}, "--admin works on 127.0.0.1 only"),
        ({"key": "k", "allow": ("@example.org",)}, "--admin works on 127.0.0.1 only"),
        ({"allow": ("ada",)}, "not an e-mail address"),
        ({"allow": ("@",)}, "not an e-mail address"),
        ({"read_only": True, "url": "arena.example.org"}, "--url"),
        ({"read_only": True, "url": "https://arena.example.org/results"}, "without a path"),
    ],
)
def test_pages_are_not_opened_to_people_whom_nobody_let_in(
    options: dict[str, object], words: str
) -> None:
    with pytest.raises(ConfigError, match=re.escape(words)):
        make_access(**{**_PUBLIC, **options})  # type: ignore[arg-type]


def test_the_hosts_of_a_server_are_known_where_it_has_a_name() -> None:
    assert PageAccess().hosts == ("127.0.0.1", "localhost")
    assert make_access(**{**_PUBLIC, "read_only": True}).hosts == ()  # type: ignore[arg-type]
    named = make_access(
        **{**_PUBLIC, "allow": ["@Example.org"], "url": "https://Arena.example.org/"}  # type: ignore[arg-type]
    )
    assert named.hosts == ("127.0.0.1", "localhost", "0.0.0.0", "arena.example.org")
    assert named.allow == ("@example.org",)


def test_the_link_to_the_forms_works_once_and_only_from_this_machine() -> None:
    door = AdminDoor("right", 8501)
    here = {"host": "127.0.0.1:8501"}
    assert door.fits("right") and not door.fits("wrong")
    assert door.enter("wrong") == "" and not door.admits({door.cookie: ""}, here)
    session = door.enter("right")
    assert session and door.enter("right") == "" and not door.fits("right")
    assert not door.admits({door.cookie: "\xff"}, here)
    assert door.admits({door.cookie: session}, here)
    assert not door.admits({door.cookie: session + "x"}, here)
    assert not door.admits({}, here)
    assert not door.admits({door.cookie: session}, {"host": "arena.example.org"})
    assert not door.admits({door.cookie: session}, here | {"x-forwarded-for": "192.0.2.7"})
    assert not AdminDoor("", 8501).exists and AdminDoor("", 8501).enter("") == ""


def test_only_addresses_and_domains_of_the_list_are_let_in() -> None:
    allow = ("ada@example.org", "@example.com")
    for email in ("ada@example.org", "anybody@example.com"):
        assert is_allowed(email, allow)
    for email in ("eve@example.org", "a@b.example.com", "example.com", "@example.org", "", "a@"):
        assert not is_allowed(email, allow)


def test_the_secrets_file_is_for_its_user_alone_and_goes_once_it_is_read() -> None:
    environment = {METADATA: "https://id.example.org", CLIENT: "me", SECRET: 'a"b\\ü😀'}
    file = write_secrets(read_provider(environment), "https://arena.example.org")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    auth = take_secrets(str(file))["auth"]
    assert auth["client_secret"] == environment[SECRET]
    assert auth["redirect_uri"] == "https://arena.example.org/oauth2callback"
    assert len(auth["cookie_secret"]) == 64
    assert not file.exists()
    with pytest.raises(ConfigError, match=f"{CLIENT}, {SECRET} are not set"):
        read_provider({METADATA: "https://id.example.org"})


@contextmanager
def served(
    db: Path, monkeypatch: pytest.MonkeyPatch, *options: str
) -> Iterator[tuple[str, str, oidc_server.OidcServer]]:
    """A server, the link to its forms ('' without), and the provider of its sign-in."""
    with oidc_server.signing_in() as provider:
        monkeypatch.setenv("TMPDIR", str(db.parent))
        monkeypatch.setenv(METADATA, provider.metadata)
        monkeypatch.setenv(CLIENT, oidc_server.CLIENT)
        monkeypatch.setenv(SECRET, oidc_server.SECRET)
        with serving(db, free_port(), *options) as (child, address):
            yield address, read_link(child) if "--admin" in options else "", provider


SERVERS = {
    "as it is": (),
    "read-only": ("--read-only",),
    "admin": ("--admin",),
    "sign-in": ("--allow", "ada@example.org"),
    "sign-in and admin": ("--allow", "ada@example.org", "--admin"),
}
_ALL = {"anonymous", "signed in", "admin link", "stranger"}
#: Who may read, by server.
MAY_READ = {
    **dict.fromkeys(("as it is", "read-only", "admin"), _ALL),
    "sign-in": {"signed in"},
    "sign-in and admin": {"signed in", "admin link"},
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", SERVERS)
def test_each_page_and_action_for_each_viewer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    store = make(tmp_path / "results.duckdb")
    faults: list[str] = []
    with served(store.path, monkeypatch, *SERVERS[kind]) as (address, link, provider):
        for name, make_viewer in VIEWERS.items():
            viewer = make_viewer(address, link, provider)
            may_read = name in MAY_READ[kind]
            may_change = name == "admin link" and "admin" in kind
            faults += [f"{name}: {fault}" for fault in _look(viewer, may_read, may_change)]
        assert list(tmp_path.glob("arena-sign-in-*")) == []
    assert faults == []


def _look(viewer: Viewer, may_read: bool, may_change: bool) -> Iterator[str]:
    """Ask for every page both ways, and yield what is not as it should be."""
    for path in READ:
        if (viewer.status(path) == 200) != may_read:
            yield f"GET {path} gives {viewer.status(path)}"
    for path in FORMS:
        if (viewer.status(path) == 200) != may_change:
            yield f"GET {path} gives {viewer.status(path)}"
    drawn = viewer.draw("")
    if may_read and "Leaderboard" not in drawn:
        yield "no leaderboard by WebSocket"
    if not may_read and drawn != "403":
        yield "a WebSocket is opened"
    for page, words in _FORM_WORDS.items():
        if (words in viewer.draw(page)) != may_change:
            yield f"the form of {page} is {'missing' if may_change else 'drawn'}"
    if viewer.draw("", origin="http://127.0.0.1:9") != "403":
        yield "a page of another server may connect"


def _signed_in(name: str) -> Callable[[str, str, oidc_server.OidcServer], Viewer]:
    def make_viewer(address: str, _: str, provider: oidc_server.OidcServer) -> Viewer:
        viewer = Viewer(address=address)
        provider.person = {"email": f"{name}@example.org", "email_verified": True}
        viewer.sign_in()
        return viewer

    return make_viewer


def _with_link(address: str, link: str, _: oidc_server.OidcServer) -> Viewer:
    viewer = Viewer(address=address)
    link = link or f"{address}/admin?key="
    for method in ("HEAD", "GET"):  # as previews of messages do
        looked = httpx.request(method, link)
        assert looked.status_code in (200, 403) and not looked.cookies
    viewer.enter(link)
    assert Viewer(address=address).enter(link).status_code == 403, "it works once"
    assert Viewer(address=address).get(link).status_code == 403
    return viewer


VIEWERS: dict[str, Callable[[str, str, oidc_server.OidcServer], Viewer]] = {
    "anonymous": lambda address, _, __: Viewer(address=address),
    "signed in": _signed_in("Ada"),
    "stranger": _signed_in("eve"),
    "admin link": _with_link,
}


@pytest.mark.slow
def test_an_address_that_is_not_verified_and_a_forged_cookie_read_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make(tmp_path / "results.duckdb")
    with served(store.path, monkeypatch, "--allow", "@example.org") as (address, _, provider):
        for person in ({"email": "ada@example.org"}, {"email_verified": True}):
            provider.person = person
            viewer = Viewer(address=address)
            viewer.sign_in()
            assert viewer.status("/") == 401
        forged = Viewer(address=address)
        forged.cookies.set("_streamlit_user", "eyJlbWFpbCI6ImFkYUBleGFtcGxlLm9yZyJ9.x.y")
        assert forged.status("/") == 401 and forged.draw("") == "403"
        page = Viewer(address=address).get(address).text
        assert "Sign in" in page and oidc_server.SECRET not in page
        assert Viewer(address=address).status("/_stcore/health") == 200
        assert Viewer(address=address).status("/_stcore/host-config") == 401
