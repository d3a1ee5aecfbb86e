"""The authors' published translations and debates: what is read, measured and refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.errors import ConfigError
from arena.papers.rounds.author_records import (
    count_ends,
    describe_changes,
    measure_methods,
    read_records,
)
from arena.translation.estimators import read_estimator
from tests.support.author_records import RIGHT, WRONG, write_records
from tests.support.command_line import done, refused
from tests.support.translation_estimators import installed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_records(tmp_path)


def test_methods_are_measured_beside_the_published_figures(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    estimator = read_estimator("comet:Unbabel/wmt22-comet-da")
    with installed(folder, monkeypatch):
        plain, mad = measure_methods(read_records(folder), [estimator])
    assert (plain.method, mad.method) == ("GPT-3.5-Turbo", "mad")
    assert plain.accuracy == 0 and mad.accuracy == pytest.approx(10 / 11)
    assert mad.lower < mad.accuracy < mad.upper and plain.chrf < mad.chrf < 100
    assert mad.published == {"COMET": 82.0, "BLEURT": 70.9, "score": 3.78, "accuracy": 79.5}
    assert plain.estimates[estimator.label] < mad.estimates[estimator.label] < 1


def test_ends_are_counted_by_round_and_side(folder: Path) -> None:
    records = read_records(folder)
    assert [one.final for one in records.debates[:3]] == [WRONG, RIGHT, RIGHT], "2 before 10"
    counts = [(row.debates, row.affirmative, row.negative, row.both) for row in count_ends(records)]
    assert counts == [(1, 1, 0, 0), (9, 0, 1, 8), (1, 0, 1, 0)], "extracted: the negative's"
    assert "equal the first one: 1 of 11." in describe_changes(records)


def test_the_command_prints_and_exports_them(folder: Path) -> None:
    printed = done("mad", "records", folder)
    assert "settled after round 2" in printed and "published accuracy" in printed
    content = json.loads(done("mad", "records", folder, "--format", "json"))
    assert [row["debates"] for row in content["ends"]] == [1, 9, 1]
    assert {row["published_accuracy"] for row in content["methods"]} == {62.5, 79.5}


def test_what_is_no_such_folder_is_refused(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    empty = tmp_path_factory.mktemp("empty")
    assert "data/CommonMT/Lexical_Ambiguity of a copy of" in refused("mad", "records", empty)
    (folder / "output" / "mad").write_text("One.\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"output/mad: 1 line for 11 debates"):
        read_records(folder)
    (folder / "MAD_Debate_Process" / "3.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"3\.json: source: Field required"):
        read_records(folder)
