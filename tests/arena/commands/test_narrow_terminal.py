"""Reading commands on a terminal of 80 columns: no table has a column of single words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.console import Console

from arena.debates.ballot import BallotRecord
from arena.debates.play import DebateRecord
from arena.output.tables import Table, as_text
from tests.support.command_line import arena
from tests.support.tournaments import SMALL, changed, commit, content, judged, planned, played

#: Letters from which on a line is not taken for a column of single words.
_LONG = 18
_NAMES = [f"agent4debate-with-search-and-reviewer-{k:02}" for k in range(20)]


@pytest.fixture(autouse=True)
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of 80 columns without colours."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(Console, "is_terminal", True)


@pytest.fixture(scope="module", params=[7, 20])
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament in which calls cost money, and one participant forfeits each debate."""
    config = changed(content(*_NAMES[: request.param]), ["benches", 0, "runs"], 2)
    store, plan = planned(tmp_path_factory.mktemp("narrow") / "own.duckdb", config)
    silent = next(p.participant_id for p in plan.resolved.participants if p.name == _NAMES[3])
    records: list[DebateRecord | BallotRecord] = []
    for place, debate in enumerate(plan.debates):
        if silent in (debate.pro, debate.con):
            records.append(
                played(debate, "forfeit", forfeited="pro" if debate.pro == silent else "con")
            )
            continue
        records.append(played(debate, costs=[("pro/x", 0.1), ("con/x", 0.1)]))
        stronger = float(debate.pro < debate.con) if place % 4 else 0.5
        records += [judged(debate, stronger, run=run) for run in range(2)]
    commit(store, *records)
    return store.path


def find_cramped(printed: str) -> list[str]:
    """Return the lines that, like the one before, have nothing but single short words.

    They begin with blanks: they continue the cells of a row whose label is above.
    """
    lines = [
        re.split(r" {2,}", line.strip()) if re.match(r" {8,}\S", line) else []
        for line in printed.splitlines()
    ]
    cramped = [
        bool(pieces) and all(len(piece) < _LONG and " " not in piece for piece in pieces)
        for pieces in lines
    ]
    return [
        " | ".join(pieces)
        for pieces, before, now in zip(lines[1:], cramped, cramped[1:], strict=False)
        if before and now
    ]


def test_a_column_of_single_words_is_found() -> None:
    row = ("ann", "not rated: all debates were forfeited")
    table = Table(title="", head=("participant", "note"), rows=(row,), wraps=(False, True))
    assert find_cramped(as_text(table, width=22)), "this narrow, nothing else is possible"
    assert not find_cramped(as_text(table, width=40))


@pytest.mark.parametrize(
    "words",
    [
        ("leaderboard",),
        ("leaderboard", "--diagnostics"),
        ("leaderboard", "--beside"),
        ("list",),
        ("status",),
        ("debates",),
        ("versus", *_NAMES[:2]),
        ("matrix",),
        ("motions", "results"),
        ("judges",),
        ("influence",),
        pytest.param(("calibrate",), marks=pytest.mark.slow),
        ("models",),
        ("trace",),
        pytest.param(("paper-tables",), marks=pytest.mark.slow),
        ("plan", "--usd", "20"),
        ("verify",),
    ],
    ids=" ".join,
)
def test_no_table_has_a_column_of_single_words(path: Path, words: tuple[str, ...]) -> None:
    result = arena(*words, "--db", path)
    assert result.exit_code != 2, result.output
    assert find_cramped(result.stdout) == []


def test_a_wave_has_none(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    text = SMALL.replace("matchups_per_pair = 1", 'kind = "swiss"')
    for old, new in zip(("strong", "fair", "weak"), _NAMES, strict=False):
        text = text.replace(f'name = "{old}"', f'name = "{new}"')
    file.write_text(text, "utf-8")
    result = arena("plan", file, "--db", tmp_path / "new.duckdb")
    assert not result.exit_code, result.output
    assert find_cramped(result.stdout) == []
