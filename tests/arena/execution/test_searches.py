"""A tournament's search, from its table in the file to the traces of its speeches."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from arena.config.load import parse_config
from arena.config.sections import SearchSection
from arena.errors import ConfigError, MissingKey
from arena.execution.searches import Searches, search_lines
from arena.languages import ENGLISH
from arena.search.bm25 import BriefSearch
from arena.search.documents import FolderSearch
from arena.search.tavily import TavilySearch
from arena.search.tool import NoSearch
from motions import Brief, Wording
from tests.servers.tavily_server import KEY, TavilyServer
from tests.servers.threads import in_thread
from tests.support.command_line import done, refused
from tests.support.console_script import ask
from tests.support.toml_files import bench, player, toml_text
from tests.support.tournaments import changed, content

pytestmark = pytest.mark.usefixtures("no_stored_boards")

WORDING = Wording(text="On tea", info_slide="", brief=Brief(pro=(), con=()))
Play: TypeAlias = Callable[[TavilyServer], tuple[str, Path]]
FRAMEWORKS = ("agent4debate", "baseline")


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "notes.md").write_text("The house would ban nothing. People should do more.", "utf-8")
    return folder


def searches(**section: object) -> Searches:
    return Searches(parse_config(changed(content(), ["search"], section), where="own.toml"))


@pytest.mark.parametrize(
    ("kind", "tool"), [("brief", BriefSearch), ("none", NoSearch), ("tavily", TavilySearch)]
)
def test_each_kind_of_search_has_its_tool(
    kind: str, tool: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", KEY)
    assert isinstance(searches(kind=kind).tool(WORDING, ENGLISH), tool)


def test_a_folder_is_one_tool_for_all_debates(documents: Path) -> None:
    made = searches(kind="folder", path=str(documents))
    first = made.tool(WORDING, ENGLISH)
    assert isinstance(first, FolderSearch) and made.tool(WORDING, ENGLISH) is first


@pytest.mark.parametrize(
    ("section", "variable"),
    [({}, "TAVILY_API_KEY"), ({"api_key": "env:OWN_TAVILY_KEY"}, "OWN_TAVILY_KEY")],
)
def test_a_missing_key_names_its_variable(section: dict[str, str], variable: str) -> None:
    with pytest.raises(MissingKey, match=f"is not set. Export it as {variable}"):
        searches(kind="tavily", **section)
    parsed = SearchSection.model_validate({"kind": "tavily", **section})
    with pytest.raises(MissingKey, match=f"Export it as {variable}"):
        search_lines(parsed)
    (line,) = search_lines(parsed, keys=False)
    assert line.startswith("search: Tavily at https://api.tavily.com")


def test_a_folder_that_is_gone_is_told_even_for_a_plan(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="does not exist"):
        search_lines(SearchSection(kind="folder", path=str(tmp_path / "gone")), keys=False)


def tournament(folder: Path, **search: str) -> Path:
    """Two frameworks that search, in one matchup, with one ballot each."""
    text = toml_text(
        tournament={"name": "small", "motions": "arena66", "seed": 7},
        schedule={"matchups_per_pair": 1},
        search=search,
        participants=[player(name, name) for name in FRAMEWORKS],
        benches=[bench("bench", "debatrix", "offline/strong")],
    )
    file = folder / "searching.toml"
    file.write_text(text, "utf-8")
    return file


def steps(db: Path, agent: str) -> list[dict[str, Any]]:
    """What the traces of all speeches say of an agent."""
    rows = ask(db, "SELECT trace FROM speeches ORDER BY ALL")
    return [step for (trace,) in rows for step in json.loads(str(trace)) if step["agent"] == agent]


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Play]:
    """Plays a tournament that searches a server on loopback; gives what it printed."""
    monkeypatch.setenv("TAVILY_API_KEY", KEY)

    def play(server: TavilyServer) -> tuple[str, Path]:
        with in_thread(server):
            file = tournament(tmp_path, kind="tavily", api_base="env:OWN_TAVILY|http://no")
            monkeypatch.setenv("OWN_TAVILY", server.url)
            printed = done("run", file, "--yes", "--db", tmp_path / "own.duckdb")
        return printed, tmp_path / "own.duckdb"

    yield play


def test_a_tournament_searches_the_web_and_its_traces_say_what(played: Play) -> None:
    server = TavilyServer(429, None, 500)
    printed, db = played(server)
    assert "2 debates rated" in printed and "failed" not in printed
    output = steps(db, "Search")
    assert len(output) == 6
    assert all(step["query"] and step["results"] for step in output)
    assert any(step["used"] for step in output)
    used = [one["origin"] for step in output for one in step["results"]]
    assert set(used) == {"A page, https://example.org/page"}
    assert {step["query"] for step in output} <= {query[:400] for query in server.asked}
    assert any(step["results"] for step in steps(db, "Searcher"))
    stored = db.read_bytes()
    assert KEY.encode() not in stored and b"own.toml" not in stored


def test_a_failing_search_changes_the_traces_and_not_the_end(played: Play) -> None:
    words = "Tavily: This request exceeds your plan's set usage limit."
    printed, db = played(TavilyServer(always=432))
    assert "2 debates rated" in printed
    assert ask(db, "SELECT DISTINCT status FROM debates") == [("finished",)]
    output = steps(db, "Search")
    assert len(output) == 6
    assert all(step["results"] == [] and step["failed"].startswith(words) for step in output)
    asked = [step for step in steps(db, "Searcher") if step["queries"]]
    assert asked and all(set(step["failed"]) == set(step["queries"]) for step in asked)
    count = len(output) + sum(len(step["queries"]) for step in asked)
    assert f"{count} searches failed, and the speeches were written without" in printed
    assert printed.count("a search failed, so the speech is written without its results") == 1
    assert words in printed


def test_an_empty_search_changes_the_traces_and_not_the_end(played: Play) -> None:
    printed, db = played(TavilyServer(pages=[]))
    assert "2 debates rated" in printed and "failed" not in printed
    output = steps(db, "Search")
    assert [(step["results"], "failed" in step) for step in output] == [([], False)] * 6
    assert all(step["kept"] == [] for step in steps(db, "Searcher"))


@pytest.mark.parametrize("command", ["run", "check"])
def test_without_a_key_the_variable_is_named_and_nothing_is_played(
    tmp_path: Path, command: str
) -> None:
    file = tournament(tmp_path, kind="tavily")
    db = tmp_path / "own.duckdb"
    options = ["--yes", "--db", str(db)] if command == "run" else []
    message = refused(command, file, *options)
    assert message.startswith(f"{file}: ")
    assert "TAVILY_API_KEY" in message and 'kind = "brief"' in message
    assert list(tmp_path.iterdir()) == [file]


def test_a_plan_needs_no_key(tmp_path: Path) -> None:
    file = tournament(tmp_path, kind="tavily")
    printed = done("run", file, "--dry-run", "--db", tmp_path / "own.duckdb")
    assert "search: Tavily at https://api.tavily.com" in printed


def test_motions_without_a_brief_are_named_where_somebody_searches(tmp_path: Path) -> None:
    motions = "".join(
        f'[[motion]]\nid = "m{number}"\ncategory = "value"\ntopic = "t"\n'
        f'[motion.en]\ntext = "This house would do {number}"\n'
        for number in range(1, 5)
    )
    (tmp_path / "own.toml").write_text(motions, encoding="utf-8")
    file, db = tournament(tmp_path, kind="brief"), tmp_path / "own.duckdb"
    shipped = done("check", file) + done("run", file, "--dry-run", "--db", db)
    assert "without a brief" not in shipped
    text = file.read_text("utf-8").replace('"arena66"', '"own.toml"')
    file.write_text(text, encoding="utf-8")
    line = (
        "  search: 4 of 4 motions without a brief (m1, m2, m3, …): there "
        f"{', '.join(sorted(FRAMEWORKS))} find nothing. "
    )
    assert line in done("check", file)
    assert line in done("run", file, "--dry-run", "--db", db)
    for other in ('kind = "none"', None):
        changed_text = (
            text.replace('kind = "brief"', other)
            if other
            else re.sub(r'debater = "\w+"', 'debater = "direct"', text)
        )
        file.write_text(changed_text, encoding="utf-8")
        assert "without a brief" not in done("check", file), "nobody searches a brief"


def test_a_folder_is_read_before_the_run_and_what_is_skipped_is_named(
    tmp_path: Path, documents: Path
) -> None:
    (documents / "empty.txt").touch()
    file = tournament(tmp_path, kind="folder", path="documents")
    lines = [
        f"  search: 1 excerpt of 1 document in {documents}",
        "  skipped: empty.txt: it contains no text",
    ]
    assert all(line in done("check", file).splitlines() for line in lines)
    printed = done("run", file, "--yes", "--db", tmp_path / "own.duckdb")
    assert all(line in printed.splitlines() for line in lines)
    found = [one for step in steps(tmp_path / "own.duckdb", "Search") for one in step["results"]]
    assert {one["origin"] for one in found} == {"notes.md"}


@pytest.mark.parametrize("command", ["run", "check"])
def test_a_folder_that_cannot_be_searched_is_told_before_anything_is_written(
    tmp_path: Path, command: str
) -> None:
    file = tournament(tmp_path, kind="folder", path="nowhere")
    options = ["--yes", "--db", str(tmp_path / "own.duckdb")] if command == "run" else []
    message = refused(command, file, *options)
    assert message.startswith(f"{file}: search.path: {tmp_path / 'nowhere'} does not exist.")
    assert list(tmp_path.iterdir()) == [file]
