"""`arena paper-tables`: one tournament in the form of the paper, in two forms."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from arena.papers.published import published_tables
from tests.support.command_line import done, refused
from tests.support.tournaments import changed, content, decide, planned

#: Whole tournaments and pages.
pytestmark = pytest.mark.slow

TITLES = [
    "bench-Elo overall and by category (Tables 3, 4)",
    "bench-Elo: 95 % intervals about the median (Table 7)",
    "bench-Elo: predicted win rate of row against column, % (Figure 3)",
    "bench: points out of 3, frameworks and ablations on one model (Tables 1, 2)",
    "bench: points out of 3, pairs on different models (as Table 5)",
    "bench-Elo: convergence with the number of debates",
    "Consistency of judges, overall outcome (Table 6)",
    "Interactions per speech of agent4debate, by stage (Table 8)",
    "Completion tokens per answer of an agent (Table 9)",
]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Overall ann beats bob, bob beats cyd, and ann and cyd tie; on source it is reversed."""
    config = changed(content("ann", "bob", "cyd"), ["schedule", "matchups_per_pair"], 6)
    config = changed(config, ["participants", 2, "model"], "offline/good")
    store, plan = planned(tmp_path_factory.mktemp("tables") / "own.duckdb", config)
    decide(store, plan, ann_bob="ann", bob_cyd="bob")
    return store.path


@pytest.fixture(scope="module")
def markdown(path: Path) -> str:
    return done("paper-tables", "--db", path, "--format", "markdown")


def rows(markdown: str, title: str) -> list[list[str]]:
    """The rows of one table, without its head."""
    section = markdown.partition(f"## {title}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_every_table_of_the_paper_has_its_section(path: Path, markdown: str) -> None:
    assert re.findall(r"^## (.*)$", markdown, re.MULTILINE) == TITLES
    head = markdown.partition("\n## ")[0]
    assert head.startswith("# small\n\nSimulated models: these figures describe the built-in")
    assert "3 participants, 36 finished debates on 3 motions, languages: en." in head
    made = f"arena paper-tables --format markdown -t small --db {path}"
    assert f"Made by `{made}`." in head


def test_both_forms_hold_the_same_cells(path: Path, markdown: str) -> None:
    text = done("paper-tables", "--db", path)
    cells = {cell for title in TITLES for row in rows(markdown, title) for cell in row}
    assert not [cell for cell in cells if cell not in text]
    assert [title for title in TITLES if title in text] == TITLES


def test_nothing_is_wider_than_eighty_columns(path: Path) -> None:
    lines = done("paper-tables", "--db", path).splitlines()
    assert [line for line in lines if len(line) > 80] == []


def test_ratings_and_intervals_are_those_of_the_boards(path: Path, markdown: str) -> None:
    for column, category in enumerate(("all", "fact", "policy", "value"), start=1):
        printed = done("leaderboard", "--db", path, "--category", category, "--format", "json")
        for row in json.loads(printed)["rows"]:
            (rating,) = (
                one[column] for one in rows(markdown, TITLES[0]) if one[0] == row["participant"]
            )
            (interval,) = (
                one[column] for one in rows(markdown, TITLES[1]) if one[0] == row["participant"]
            )
            assert int(rating) == pytest.approx(row["rating"], abs=0.51)
            median, up, down = map(int, re.split(r" \+|/−", interval))
            assert median == pytest.approx(row["median"], abs=0.51)
            assert up == pytest.approx(row["upper"] - row["median"], abs=0.51)
            assert down == pytest.approx(row["median"] - row["lower"], abs=0.51)


def test_points_are_told_apart_by_model(markdown: str) -> None:
    # ann and bob are on one model; language and argument were not judged
    assert rows(markdown, TITLES[3]) == [["ann", "bob", "0.00", "", "", "3.00"]]
    assert rows(markdown, TITLES[4]) == [
        ["bob", "cyd", "0.00", "", "", "3.00"],
        ["ann", "cyd", "1.50", "", "", "1.50"],
    ]


def test_what_is_missing_is_said(markdown: str) -> None:
    assert "Two benches are needed to compare them: add another \\[\\[benches\\]\\]" in markdown
    assert "No speech of agent4debate with all four agents is stored." in markdown
    assert "No participant of agent4debate takes part." in markdown


def test_before_the_first_ballot_it_says_so(tmp_path: Path) -> None:
    store, _ = planned(tmp_path / "own.duckdb")
    printed = done("paper-tables", "--db", store.path)
    assert "No debate has all its ballots yet, so nothing is rated." in printed
    assert "3 participants, 0 finished debates" in printed


@pytest.mark.parametrize(
    ("option", "given", "message"),
    [
        ("--bench", "jury", "tournament 'small' has no bench 'jury'. Known: bench."),
        ("-t", "big", "no tournament 'big'. Stored: small."),
    ],
)
def test_an_unknown_name_is_refused_with_the_known_ones(
    path: Path, option: str, given: str, message: str
) -> None:
    assert message in refused("paper-tables", "--db", path, option, given)


def test_published_figures_stand_behind_ours_and_say_that_they_are_not(path: Path) -> None:
    printed = done("paper-tables", "--db", path, "--format", "markdown", "--published")
    titles = re.findall(r"^## (.*)$", printed, re.MULTILINE)
    ours = [title for title in titles if not title.endswith("(published, not measured here)")]
    assert ours == TITLES
    place = titles.index(TITLES[0])
    assert titles[place + 1].startswith("Debatrix-Elo, overall and by category")
    assert titles[place + 2].startswith("Human-Elo, overall and by category")
    assert len(titles) - len(ours) == 6, "all but that of people, who do not debate here"
    assert "published: Zhang et al. 2024 (arXiv 2408.04472), Table 3." in printed
    assert "| Gemini-1.5-Pro | 1034.15 | 1154.93 | 1231.98 | 1075.30 |" in printed
    assert "published, not measured here" not in done("paper-tables", "--db", path)


def test_the_papers_figures_add_up_as_it_says() -> None:
    tables = published_tables("agent4debate")
    assert list(tables) == [f"T{number}" for number in range(1, 8)]
    for name, pairs in (("T1", 2), ("T2", 3), ("T5", 1)):
        for column in tables[name].columns[1:]:
            points = list(tables[name].numbers(column).values())
            sums = [sum(points[2 * pair : 2 * pair + 2]) for pair in range(pairs)]
            assert sums == pytest.approx([3.0] * pairs), f"{name}, {column}: not out of 3"
    for name in ("T3", "T4", "T7"):
        assert len(tables[name].rows) == 10
