"""What viewers may do, sent by WebSocket as a browser sends it: buttons that are not drawn, too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus

from arena.store.database import Store
from dashboard import navigation
from dashboard.background import output_file
from tests.dashboard.handmade import Texts, make
from tests.dashboard.test_access import MAY_READ, SERVERS, VIEWERS, served
from tests.dashboard.test_rank_browser import ESSAYS
from tests.dashboard.test_speak_browser import CONFIG
from tests.dashboard.viewers import Request, Session, Viewer
from tests.support.console_script import arena
from tests.support.tournaments import SMALL

pytestmark = pytest.mark.slow

#: A word of all names and texts that a database has.
_STORED = "zebra"
_TEXTS = Texts(tournament="zebra-cup", motion="Zebras are horses", names=("zebra-1", "zebra-2"))
_RESULTS = [entry.path for entry in navigation.RESULTS]
#: What the page of a form says once it is checked.
_CHECKED = "What this does"
#: A tournament that is played quickly.
_SMALL = SMALL.replace("debatrix", "single")
#: What a viewer fills in on the page of a form, and the button that has it checked.
_FILLED: dict[str, tuple[dict[str, str], str]] = {
    "add-model": (
        {"provider": "the built-in simulator", "model": "weak", "name": "newcomer"},
        "FormSubmitter:model-Check and plan",
    ),
    "new-tournament": (
        {"new-file": "weekend.toml", "new-text": _SMALL.replace('"small"', '"second"')},
        "check",
    ),
}
#: The file that a form writes, and the tournament that it plays.
_WRITTEN = {"add-model": ("small.toml", "small"), "new-tournament": ("weekend.toml", "second")}
#: The requests of a browser that opens the page of a form, has it checked, and has it carried out
#: in one of two ways.
Presses = tuple[Request, Request, dict[str, Request]]


def _fill_folder(folder: Path) -> Path:
    """Fill a folder with a tournament's file for the forms, and a database; returns the latter."""
    (folder / "small.toml").write_text(_SMALL)
    return make(folder / "results.duckdb", _TEXTS).path


def _snapshot(folder: Path, pattern: str = "*") -> dict[Path, bytes]:
    """Files of a folder; a run that is started leaves its output there."""
    return {path: path.read_bytes() for path in folder.glob(pattern) if path.is_file()}


@pytest.fixture(scope="module")
def presses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Presses]:
    """What an administrator's browser sends for each form; all servers give the same ids."""
    folder = tmp_path_factory.mktemp("forms")
    with (
        pytest.MonkeyPatch.context() as patch,
        served(_fill_folder(folder), patch, "--admin") as opened,
        VIEWERS["admin link"](*opened).open_session() as session,
    ):
        return {entry.path: _fill_form(session, entry.path) for entry in navigation.FORMS}


def _fill_form(session: Session, page: str) -> Presses:
    """Fill in a form and have it checked; returns what was sent, and what would carry it out."""
    drawn = session.ask(Request(page=page))
    fields = {**drawn.find("selectbox"), **drawn.find("text_input"), **drawn.find("text_area")}
    texts, button = _FILLED[page]
    opened = Request(
        page_hash=drawn.page_hash, texts={fields[key].id: words for key, words in texts.items()}
    )
    check = replace(opened, button=drawn.find("button")[button].id)
    buttons = session.ask(check).find("button")
    acts = {
        key: replace(opened, button=buttons[key].id) for key in ("write-only", "write-and-play")
    }
    return opened, check, acts


#: Servers that every run of the slow tests asks for all pages; the others take minutes.
_OFTEN = ("read-only", "admin", "sign-in and admin")


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=() if kind in _OFTEN else pytest.mark.deep, id=kind)
        for kind in SERVERS
    ],
)
def test_each_page_and_form_sent_by_websocket_works_for_those_who_may_have_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, presses: dict[str, Presses], kind: str
) -> None:
    db = _fill_folder(tmp_path)
    before = _snapshot(tmp_path)
    faults: list[str] = []
    with served(db, monkeypatch, *SERVERS[kind]) as (address, link, provider):
        for name, make_viewer in VIEWERS.items():
            if name == "stranger" and "sign-in" not in kind:
                continue  # nobody is asked who they are
            viewer = make_viewer(address, link, provider)
            may_change = name == "admin link" and "admin" in kind
            if name not in MAY_READ[kind]:
                faults += _connect_in_vain(viewer, name)
                continue
            with viewer.open_session() as session:
                faults += [f"{name}: {page} shows nothing" for page in _find_empty_pages(session)]
                if may_change:
                    for page, sent in presses.items():
                        _use_form(session, page, sent, db, play=kind == "admin")
                else:
                    faults += [f"{name} has {gift}" for gift in _use_in_vain(session, presses)]
                    assert _snapshot(tmp_path) == before, f"{name} has changed something"
    assert faults == []


def _connect_in_vain(viewer: Viewer, name: str) -> Iterator[str]:
    """Yield a fault where a viewer may connect: without a connection, nothing can be sent."""
    try:
        with viewer.open_session():
            yield f"{name} may open a WebSocket"
    except InvalidStatus as refused:
        assert refused.response.status_code == 403


def _find_empty_pages(session: Session) -> Iterator[str]:
    """Yield the pages of results that show nothing of the database."""
    for page in _RESULTS:
        if _STORED not in session.ask(Request(page=page, query="debate=d1")).text:
            yield page


def _use_in_vain(session: Session, presses: Mapping[str, Presses]) -> Iterator[str]:
    """Send all that an administrator's browser sends; yield what is answered as if to that one."""
    for page, (opened, check, acts) in presses.items():
        for request in (check, *acts.values()):
            answer = session.ask(request)
            if answer.page_hash == opened.page_hash or _CHECKED in answer.text:
                yield page


def _use_form(session: Session, page: str, sent: Presses, db: Path, *, play: bool) -> None:
    """Send the same as the administrator: the file is written, and played where that is asked."""
    opened, check, acts = sent
    file, tournament = _WRITTEN[page]
    before = _snapshot(db.parent, "*.toml")
    session.ask(opened)
    assert _CHECKED in session.ask(check).text
    assert _snapshot(db.parent, "*.toml") == before, "a check writes nothing"
    answer = session.ask(acts["write-and-play" if play else "write-only"])
    written = _snapshot(db.parent, "*.toml")
    assert {path.name for path in written if written[path] != before.get(path)} == {file}
    if not play:
        assert "The file is written." in answer.text and not output_file(db).exists()
        return
    while "all is done" not in answer.text:
        answer = session.ask(Request(page="tournament", query=f"tournament={tournament}"))
    assert f"Tournament '{tournament}'" in output_file(db).read_text("utf-8")
    debates = (
        "SELECT count(*) AS ended FROM debates WHERE tournament = $name AND status = 'finished'"
    )
    assert Store(db).rows(debates, {"name": tournament})[0]["ended"] >= 6


_VOTES = f"""{SMALL.partition("[[benches]]")[0]}[[benches]]
name = "people"
judge = "human"
runs = 1
"""
#: By the page that takes something from people: the option that serves it, the tournament that
#: waits for it, what the names that it hides have in common, and the query of what it has taken.
_ALONE = {
    "vote": ("--voting", _VOTES, "offline/", "SELECT 1 FROM ballots WHERE voter = 'ann'"),
    "rank": ("--ranking", ESSAYS, "hidden-", "SELECT 1 FROM ballots WHERE voter = 'ann'"),
    "speak": ("--speaking", CONFIG, "offline/", "SELECT 1 FROM drafts WHERE handed_in"),
}


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=() if page == "vote" else pytest.mark.deep) for page in _ALONE],
)
def test_a_page_alone_takes_something_from_those_who_may_open_it_and_shows_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, presses: dict[str, Presses], page: str
) -> None:
    option, text, hidden, query = _ALONE[page]
    db, file = tmp_path / "results.duckdb", tmp_path / "own.toml"
    file.write_text(text)
    assert arena("run", file, "--yes", "--db", db)[0] == 0
    if page == "rank":
        assert arena("rank", "sheet", tmp_path / "sheets", "--sample", "1", "--db", db)[0] == 0
    before = _snapshot(tmp_path)
    faults: list[str] = []
    with served(db, monkeypatch, option, "--allow", "ada@example.org") as opened:
        for name in ("anonymous", "stranger", "admin link"):
            faults += _connect_in_vain(VIEWERS[name](*opened), name)
        with VIEWERS["signed in"](*opened).open_session() as session:
            own = session.ask(Request(page=page)).page_hash
            for other in (*_RESULTS, *presses, *_ALONE):
                answer = session.ask(Request(page=other))
                if answer.page_hash != own or hidden in answer.text:
                    faults.append(f"{other} is shown")
            faults += [f"{gift} is shown" for gift in _use_in_vain(session, presses)]
            assert _snapshot(tmp_path) == before
            _hand_in(session, page)
    assert faults == []
    assert len(Store(db).rows(query)) == 1


def _hand_in(session: Session, page: str) -> None:
    """Give a pseudonym where one is asked for, fill in what follows, and hand it in."""
    drawn = session.ask(Request(page=page))
    texts = {field.id: "ann" for field in drawn.find("text_input").values()}
    drawn = session.ask(Request(page=page, texts=texts))
    texts |= {field.id: field.options[0] for field in drawn.find("radio").values()}
    texts |= {field.id: "Trams first." for field in drawn.find("text_area").values()}
    (button,) = (
        button.id for button in drawn.find("button").values() if button.label.startswith("Submit")
    )
    session.ask(Request(page=page, texts=texts, button=button))
