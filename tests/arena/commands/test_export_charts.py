from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.output import pictures
from tests.support.command_line import done, refused


def test_charts_are_a_page_with_their_data_beside_it(
    small_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "find_spec", lambda _: None)
    page = tmp_path / "charts.html"
    arguments = ("export", page, "--what", "charts", "--db", small_database)
    assert pictures.NO_PICTURES in done(*arguments)
    text = page.read_text("utf-8")
    for name in ("ratings", "course", "win-rates"):
        rows = json.loads((tmp_path / f"charts-{name}.json").read_text("utf-8"))
        assert rows and "participant" in rows[0]
        assert f'"filename": "charts-{name}"' in text
    assert "--force" in refused(*arguments)
    done(*arguments, "--force")


def test_charts_that_would_replace_data_are_refused(small_database: Path, tmp_path: Path) -> None:
    (tmp_path / "charts-ratings.json").write_text("mine", "utf-8")
    page = tmp_path / "charts.html"
    message = refused("export", page, "--what", "charts", "--db", small_database)
    assert "charts-ratings.json: already exists" in message
    assert (tmp_path / "charts-ratings.json").read_text("utf-8") == "mine"
    assert not (tmp_path / "charts.html").exists()
