"""The folder of a site: what it takes, and that it is left as it was where a publication fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import ConfigError
from arena.publish.folder import Manifest, SiteFolder


def put(path: Path, files: dict[str, str]) -> SiteFolder:
    """Publish some files."""
    folder = SiteFolder(path, "night")
    with folder.update():
        for address, text in files.items():
            folder.add(address, text.encode())
        folder.finish(folder.before)
    return folder


def contents(path: Path) -> dict[str, str]:
    return {
        str(file.relative_to(path)): file.read_text()
        for file in sorted(path.rglob("*"))
        if file.is_file() and file.name != "site.json"
    }


def test_only_what_changed_is_written_and_what_is_gone_is_removed(tmp_path: Path) -> None:
    site = tmp_path / "site"
    first = put(site, {"index.html": "a", "pairs/x/y.html": "b", "pairs/x/z.html": "c"})
    assert (first.written, first.removed) == (3, 0)
    kept = site / "index.html"
    before = kept.stat().st_ino
    again = put(site, {"index.html": "a", "pairs/q/y.html": "d"})
    assert (again.written, again.removed) == (1, 2)
    assert kept.stat().st_ino == before
    assert contents(site) == {"index.html": "a", "pairs/q/y.html": "d"}
    assert not (site / "pairs" / "x").exists()


def test_a_file_that_somebody_changed_is_written_again(tmp_path: Path) -> None:
    put(tmp_path / "site", {"index.html": "a"})
    (tmp_path / "site" / "index.html").write_text("vandal")
    assert put(tmp_path / "site", {"index.html": "a"}).written == 1
    assert contents(tmp_path / "site") == {"index.html": "a"}


def test_what_servers_and_version_control_keep_there_stays(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / ".git").mkdir(parents=True)
    (site / ".git" / "config").write_text("own")
    (site / "CNAME").write_text("example.org")
    put(site, {"index.html": "a"})
    assert contents(site) == {".git/config": "own", "CNAME": "example.org", "index.html": "a"}


def test_a_folder_stays_as_it_was_where_making_a_page_fails(tmp_path: Path) -> None:
    site = tmp_path / "site"
    put(site, {"index.html": "a"})
    folder = SiteFolder(site, "night")
    with pytest.raises(ZeroDivisionError), folder.update():
        folder.add("index.html", b"b")
        raise ZeroDivisionError
    assert contents(site) == {"index.html": "a"}
    new = SiteFolder(tmp_path / "new", "night")
    with pytest.raises(ZeroDivisionError), new.update():
        new.add("index.html", b"b")
        raise ZeroDivisionError
    assert not (tmp_path / "new").exists()


def test_a_publication_that_was_cut_off_is_followed_by_another(tmp_path: Path) -> None:
    site = tmp_path / "site"
    folder = SiteFolder(site, "night")
    with pytest.raises(KeyboardInterrupt), folder.update():
        folder.add("index.html", b"a")
        (site / "site.json").write_text(Manifest(tournament="night").model_dump_json())
        raise KeyboardInterrupt
    (site / ".publishing").mkdir(parents=True, exist_ok=True)  # as a kill leaves it
    (site / ".publishing" / "old.html").write_text("half")
    put(site, {"index.html": "b"})
    assert contents(site) == {"index.html": "b"}


def test_what_is_not_ours_is_refused_and_stays(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "thesis.tex").write_text("ten years")
    with pytest.raises(ConfigError, match=r"not of a site \(thesis.tex\).*empty one"):
        SiteFolder(own, "night")
    with pytest.raises(ConfigError, match="is a file"):
        SiteFolder(own / "thesis.tex", "night")
    put(tmp_path / "site", {"index.html": "a"})
    with pytest.raises(ConfigError, match="site of tournament 'night', not of 'day'"):
        SiteFolder(tmp_path / "site", "day")
    assert contents(own) == {"thesis.tex": "ten years"}


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be written"):
        put(tmp_path / "file" / "site", {"index.html": "a"})
