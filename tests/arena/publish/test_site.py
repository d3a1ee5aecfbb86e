"""A published site: its figures are those of the commands, and its links lead somewhere."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

from arena.publish import addresses
from arena.read.run_status import read_status
from arena.store.database import Store
from tests.dashboard.handmade import execute
from tests.support.battle_logs import WHOLE
from tests.support.command_line import done, refused
from tests.support.console_script import ask
from tests.support.played_tournaments import played_once


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.attributes: set[str] = set()

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes |= {name for name, _ in attrs}
        self.found += [value for name, value in attrs if name in ("href", "src") and value]


@pytest.fixture(scope="session")
def site(small_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the small tournament; for reading only."""

    def publish(folder: Path) -> None:
        done("publish", folder / "site", "--db", small_database)

    return played_once(tmp_path_factory, "small-site", publish) / "site"


def table(site: Path, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((site / "data" / f"{name}.csv").read_text("utf-8"))))


def test_the_figures_are_those_of_the_commands(site: Path, small_database: Path) -> None:
    printed = done("leaderboard", "--db", small_database, "--format", "json")
    main = "boards/bench/overall-all"
    assert json.loads((site / "data" / f"{main}.json").read_text()) == json.loads(printed)
    as_csv = done("leaderboard", "--db", small_database, "--format", "csv")
    assert (site / "data" / f"{main}.csv").read_text() == as_csv
    matrix = json.loads(done("matrix", "--db", small_database, "--format", "json"))
    assert json.loads((site / "data" / "win-rates.json").read_text()) == matrix
    answer = done("versus", "strong", "weak", "--db", small_database)
    text = re.sub(r"<[^>]+>", " ", (site / addresses.pair_page("weak", "strong")).read_text())
    sentence = " ".join(answer.splitlines()[2:5])[:60]
    assert sentence in " ".join(text.replace("\u00a0", " ").split())
    debates = table(site, "debates")
    stored = ask(small_database, "SELECT count(*) FROM debates WHERE status = 'finished'")
    assert len(debates) == stored[0][0]


def test_every_link_leads_to_a_file_of_the_site(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    for page in pages:
        links = _Links()
        links.feed(page.read_text("utf-8"))
        assert "style" not in links.attributes and "onclick" not in links.attributes
        for link in links.found:
            target = (page.parent / (link.partition("#")[0] or page.name)).resolve()
            assert not link.startswith(("http", "/", "javascript"))
            assert target.is_file() and target.is_relative_to(site.resolve()), (page, link)
    linked = len(pages)
    assert linked > 20


def test_a_page_lets_in_nothing_but_the_site(site: Path) -> None:
    for page in site.rglob("*.html"):
        policy = re.search(r'Policy" content="([^"]*)"', page.read_text("utf-8"))
        assert policy is not None
        assert policy[1].startswith("default-src 'none'; style-src 'self'")
        assert "unsafe" not in policy[1] and "data:" not in policy[1]


def test_a_site_names_no_folder_of_this_machine(site: Path, small_database: Path) -> None:
    for file in site.rglob("*"):
        if file.suffix in {".html", ".json", ".csv", ".xml", ".tex", ".md"}:
            text = file.read_text("utf-8")
            assert str(small_database.parent) not in text, file
            assert "/home/" not in text and "/tmp/" not in text, file


def test_a_second_publication_writes_nothing(
    small_database: Path, site: Path, tmp_path: Path
) -> None:
    del site
    own = tmp_path / "site"
    done("publish", own, "--db", small_database)
    before = {file: file.stat().st_mtime_ns for file in own.rglob("*")}
    assert ", 0 written" in done("publish", own, "--db", small_database).replace("; 0", ", 0")
    assert {file: file.stat().st_mtime_ns for file in own.rglob("*")} == before


def test_new_results_are_a_change(own_database: Path, tmp_path: Path) -> None:
    _forget_last_matchup(own_database)
    done("publish", tmp_path / "site", "--db", own_database)
    first = json.loads((tmp_path / "site" / "site.json").read_text())
    done("resume", "--db", own_database, "--yes")
    printed = done("publish", tmp_path / "site", "--db", own_database)
    second = json.loads((tmp_path / "site" / "site.json").read_text())
    assert [each["data_hash"] for each in second["publications"]] == [
        first["state"]["data_hash"],
        second["state"]["data_hash"],
    ]
    assert "2 more debates finished" in printed
    feed = ElementTree.parse(tmp_path / "site" / "feed.xml").getroot()
    atom = {"a": "http://www.w3.org/2005/Atom"}
    titles = [entry.findtext("a:title", "", atom) for entry in feed.findall("a:entry", atom)]
    assert titles[0].startswith("2 more debates") and titles[1].startswith("First publication")
    ids = {entry.findtext("a:id", "", atom) for entry in feed.findall("a:entry", atom)}
    assert len(ids) == 2


def _forget_last_matchup(database: Path) -> None:
    last = (
        "(SELECT debate_id FROM debates WHERE matchup_id = (SELECT max(matchup_id) FROM debates))"
    )
    statements = (
        f"DELETE FROM ballot_scores WHERE ballot_id IN "
        f"(SELECT ballot_id FROM ballots WHERE debate_id IN {last})",
        f"DELETE FROM ballots WHERE debate_id IN {last}",
        f"DELETE FROM speeches WHERE debate_id IN {last}",
        "UPDATE debates SET status = 'planned', finished_at = NULL, started_at = NULL "
        f"WHERE debate_id IN {last}",
    )
    execute(Store(database), *statements)


def test_files_are_as_the_manifest_says(site: Path) -> None:
    manifest = json.loads((site / "site.json").read_text())
    found = {
        str(file.relative_to(site)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in site.rglob("*")
        if file.is_file() and file.name != "site.json"
    }
    assert manifest["files"] == found


def test_the_picture_has_the_size_of_previews(site: Path) -> None:
    with Image.open(site / "board.png") as picture:
        assert picture.size == (1200, 630)
        assert len(picture.convert("RGB").getcolors(100_000) or []) > 10
    svg = ElementTree.parse(site / "board.svg").getroot()
    words = [text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert "strong" in words and "simulated models" in " ".join(map(str, words))


def test_what_is_left_out_stands_nowhere(small_database: Path, tmp_path: Path) -> None:
    speech = str(ask(small_database, "SELECT text FROM speeches ORDER BY ALL LIMIT 1")[0][0])
    comment = str(ask(small_database, "SELECT max(comment) FROM ballot_scores")[0][0])
    without = [f"--without={part}" for part in ("speeches", "rationales", "costs")]
    done("publish", tmp_path / "site", "--db", small_database, *without)
    files = [file for file in (tmp_path / "site").rglob("*.[hjc]*") if file.name != "site.json"]
    text = "\n".join(file.read_text("utf-8") for file in files)
    assert speech[:60] not in text and comment[:60] not in text
    assert not re.search("usd", text, re.IGNORECASE)
    assert not (tmp_path / "site" / addresses.REPORT).exists()
    assert not (tmp_path / "site" / addresses.COSTS).exists()


def test_a_battle_log_is_published_with_its_board(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    hostile = "<script>window.hacked = 1</script>"
    rows = [
        {**row, "model_b": hostile if row["model_b"] == "bob" else row["model_b"]} for row in WHOLE
    ]
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    db = tmp_path / "log.duckdb"
    done("import", log, "--db", db)
    done("publish", tmp_path / "site", "--db", db)
    page = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert "ann" in page and hostile not in page and "&lt;script&gt;" in page
    assert not (tmp_path / "site" / addresses.DEBATES).exists()


def test_several_judges_of_a_log_are_compared(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    rows = [
        f"{number},{pro},{con},{judge},{'model_a' if (number + shift) % 3 else 'model_b'}"
        for number, (pro, con) in enumerate([("ann", "bob"), ("bob", "cyd"), ("cyd", "ann")] * 8)
        for shift, judge in enumerate(("eve", "fay <i>"))
    ]
    log.write_text("debate,model_a,model_b,judge,winner\n" + "\n".join(rows) + "\n")
    done("import", log, "--db", tmp_path / "log.duckdb")
    done("publish", tmp_path / "site", "--db", tmp_path / "log.duckdb")
    debates = table(tmp_path / "site", "debates")
    assert {row["split"] for row in debates} == {"True", "False"} and len(debates) == 24
    judges = (tmp_path / "site" / addresses.JUDGES).read_text("utf-8")
    for judge in ("eve", "fay <i>"):
        words = ("leaderboard", "--side", "--bench", judge, "--format", "json")
        printed = json.loads(done(*words, "--db", tmp_path / "log.duckdb"))
        effect = printed["effects"][0]["elo"]
        told = judge.replace("<", "&lt;").replace(">", "&gt;")
        assert f"To {told} it is worth {effect:+.0f} Elo to speak for Pro" in judges


def test_voters_are_numbered_and_their_words_left_out(own_database: Path, tmp_path: Path) -> None:
    execute(
        Store(own_database),
        "UPDATE ballots SET voter = 'Ida Noddack', rationale = 'my word'",
    )
    done("publish", tmp_path / "site", "--db", own_database)
    text = "\n".join(file.read_text("utf-8") for file in (tmp_path / "site").rglob("debates/*"))
    assert "person 1" in text and "Ida" not in text and "my word" not in text
    done("publish", tmp_path / "site", "--db", own_database, "--with=voters", "--with=comments")
    text = "\n".join(file.read_text("utf-8") for file in (tmp_path / "site").rglob("debates/*"))
    assert "Ida Noddack" in text and "my word" in text


def test_an_address_of_the_site_makes_previews(small_database: Path, tmp_path: Path) -> None:
    url = "https://example.org/night"
    done("publish", tmp_path / "site", "--db", small_database, "--url", url)
    page = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert f'property="og:image" content="{url}/board.png"' in page
    message = refused("publish", tmp_path / "other", "--db", small_database, "--url", "ftp://x")
    assert "https://" in message and not (tmp_path / "other").exists()


def test_nothing_is_published_before_there_is_a_board(own_database: Path, tmp_path: Path) -> None:
    execute(Store(own_database), "DELETE FROM ballot_scores", "DELETE FROM ballots")
    message = refused("publish", tmp_path / "site", "--db", own_database)
    assert "no board to publish yet" in message and "arena status" in message
    assert not (tmp_path / "site").exists()


def test_a_tournament_that_is_being_played_is_not_published(
    small_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "arena.publish.site.read_status",
        lambda *given, **more: replace(read_status(*given, **more), outcome="running"),
    )
    message = refused("publish", tmp_path / "site", "--db", small_database)
    assert "is being played" in message and not (tmp_path / "site").exists()
