"""The tables of an essay contest, worked by hand: `arena paper-tables`, `marks`, `diversity`."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd
import pytest

from arena.config.stored import stored_config
from arena.debates.ballot import BallotRecord
from arena.languages import SIDES, Side
from arena.papers.essays.diversity import MeasuringModels, measuring_unit_id
from arena.papers.essays.marks import to_ballot_scale
from arena.papers.essays.rank_sheets import SheetChoice, read_sheets, store_sheets
from arena.papers.essays.rankings import Ranking, ranking_session, store_rankings
from arena.papers.essays.sets import choose_sets, read_essays
from arena.records import Debate, Speech, Step, Verdict
from arena.store.database import Store, insert
from tests.support.command_line import done
from tests.support.tournaments import commit, content, judged, motion, named, planned, played

#: The rows of each table, its head first, and the text of its section, by its title.
Tables: TypeAlias = dict[str, tuple[list[list[str]], str]]
#: Relevance and preference of the two essays of each writer: their means are 4.5 and 3, 2 and 5.
MARKS = {"ann": ((4, 2), (5, 4)), "bob": ((1, 5), (3, 5))}
#: The numbered turns of a discussion, of which two go back beyond the turn before them.
TRACE: Sequence[Step] = (
    {"agent": "Member", "turn": 1, "answers": 0, "stance": "opens"},
    {"agent": "Member", "turn": 2, "answers": 1, "stance": "supports"},
    {"agent": "Critic", "turn": 3, "answers": 1, "stance": "opposes"},
    {"agent": "Member", "turn": 4, "answers": 2, "stance": "supports"},
    {"agent": "Critic", "marker": "persuaded"},
)
#: A pool of which a team is chosen; its texts would move the cursor.
POOL: Step = {
    "agent": "Personas",
    "pool": [
        {"description": "A cook.", "claim": "It costs."},
        {"description": "A\x1b[2J nurse\n| of ours.", "claim": "It hurts."},
        {"description": "A judge.", "claim": "It fails."},
    ],
    "chosen": [2, 1],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two essays of ann and bob on one proposition; ann's are alike, bob's share no word."""
    config = content("ann", "bob", contest="essay", categories=["fact"])
    config["participants"][1] |= {"debater": "debate_to_write", "options": {"flow": True}}
    config["benches"] = [{"name": "marks", "judge": "marks", "model": "offline/fair", "runs": 1}]
    folder = tmp_path_factory.mktemp("essay-tables")
    store, plan = planned(folder / "own.duckdb", config, [motion()])
    names = named(plan)
    records: list[Any] = []
    for number, debate in enumerate(plan.debates):
        writers: dict[Side, str] = {"pro": names[debate.pro], "con": names[debate.con]}
        essays = tuple(essay(side, writers[side], number) for side in SIDES)
        records += [replace(played(debate), speeches=essays), marked(debate, writers, number)]
    commit(store, *records)
    return store.path


def essay(side: Side, writer: str, number: int) -> Speech:
    different = ("Cats sleep on warm stones today.", "Dogs bark at every passing train.")
    texts = {"ann": "Wages rise year by year everywhere.", "bob": different[number]}
    trace = (POOL, *TRACE) if writer == "bob" else ()
    return Speech(side=side, stage="answer", text=texts[writer], words=2, trace=tuple(trace))


def marked(debate: Debate, writers: Mapping[Side, str], number: int) -> BallotRecord:
    """A ballot of the bench that marks."""
    record = judged(debate)
    marks = {side: MARKS[writers[side]][number] for side in SIDES}
    verdicts = [
        Verdict(
            dimension=dimension,
            outcome=0.5,
            pro_mark=to_ballot_scale(marks["pro"][place]),
            con_mark=to_ballot_scale(marks["con"][place]),
            comment="",
        )
        for place, dimension in enumerate(("relevance", "preference"))
    ]
    overall = replace(record.ballot.verdicts[0], outcome=0.5)
    ballot = replace(record.ballot, bench="marks", verdicts=(overall, *verdicts))
    return replace(record, ballot=ballot, unit=replace(record.unit, unit_id=ballot.ballot_id))


@pytest.fixture(scope="module")
def tables(made: Path) -> Tables:
    """The tables of the contest as it was made."""
    return sections(made)


@pytest.fixture
def db(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made, tmp_path / "own.duckdb"))


def sections(db: Path, *options: str) -> Tables:
    """The rows of each table, its head first, and the text of its section, by its title."""
    printed = done("paper-tables", "--db", db, "--format", "markdown", *options)
    by_title: Tables = {}
    for section in printed.split("\n## ")[1:]:
        title, _, body = section.partition("\n")
        lines = [line.strip("|").split("|") for line in body.splitlines() if line[:1] == "|"]
        rows = [[cell.strip() for cell in line] for line in lines]
        by_title[title] = ([*rows[:1], *rows[2:]], body)
    return by_title


QUALITY = "marks: quality and diversity of essays (Table 1)"
RANKED = "People's rankings of essays: score / ranked first (Table 2)"
TEAMS = "Personas chosen for essays on the same proposition (Figure 3)"
FLOW = "Flow of the planning discussions: which turn takes up which (Figure 2)"


def test_an_essay_contest_has_the_tables_of_its_own_paper(made: Path, tables: Tables) -> None:
    ours = [title for title in tables if "published" not in title]
    assert ours == [QUALITY, RANKED, FLOW, TEAMS]
    assert [title for title in tables if "published, not measured here" in title] == [
        title for title in tables if title not in ours
    ]
    assert not [title for title in tables if "Elo" in title or "agent4debate" in title]
    head = done("paper-tables", "--db", made)
    assert "2 participants, 2 finished pairs of essays on 1 proposition," in head
    assert max(len(line) for line in head.splitlines() if not line.startswith("arena ")) <= 80


def test_quality_and_diversity_stand_in_one_table(tables: Tables) -> None:
    rows, notes = tables[QUALITY]
    assert rows[0] == [
        "participant", "relevance ↑", "preference ↑", "self-BLEU ↓", "self-Emb ↓", "persp. ↓",
    ]  # fmt: skip
    assert rows[1] == ["ann", "4.50", "3.00", "100.00", "100.00", "100.00"]
    assert rows[2][:3] == ["bob", "2.00", "5.00"]
    assert all(float(cell) < 10 for cell in rows[2][3:]), "his essays share no word"
    assert rows[2][4] == rows[2][5], "of one sentence each, the essay is its only point"
    assert "2 essays of each participant on each proposition; their wording alone" in notes


def rows_of(printed: str) -> list[list[str]]:
    """The cells of the first table of some markdown, its head first."""
    table = printed[printed.index("\n|") :].lstrip().partition("\n\n")[0].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    return [*cells[:1], *cells[2:]]


def test_marks_are_means_of_one_to_five(made: Path) -> None:
    rows = rows_of(done("marks", "--db", made, "--format", "markdown"))
    assert rows[0] == ["mark", "participant", "mean", "95 % interval", "essays", "published"]
    # of 4 and 5, and of 1 and 3; of 5 and 5, and of 2 and 4; one proposition has no interval
    assert rows[1:] == [
        ["relevance", "ann", "4.50", "-", "2", "3.56"],
        ["relevance", "bob", "2.00", "-", "2", "3.89"],
        ["preference", "bob", "5.00", "-", "2", "3.91"],
        ["preference", "ann", "3.00", "-", "2", "3.63"],
    ]


def test_diversity_of_two_essays_is_what_they_share(made: Path) -> None:
    rows = rows_of(done("diversity", "--db", made, "--format", "markdown"))
    assert rows[0] == [
        "participant", "propositions", "points", "self-BLEU", "self-Emb", "perspective",
    ]  # fmt: skip
    assert rows[1] == ["ann", "1", "1.0", "100.0", "100.0", "100.0"]
    # Bob's essays of seven tokens share the full stop: one unigram in 7, no bigram in 6, no
    # trigram in 5, none of four in 4, which are smoothed to a half, a quarter and an eighth.
    bleu = 100 * (1 / 7 * 1 / (2 * 6) * 1 / (4 * 5) * 1 / (8 * 4)) ** (1 / 4)
    assert rows[2][:4] == ["bob", "1", "1.0", f"{bleu:.1f}"] == ["bob", "1", "1.0", "6.6"]
    assert rows[2][4] == rows[2][5]


def test_what_models_have_measured_is_taken(db: Path) -> None:
    store = Store(db)
    means = MeasuringModels(embedding="openai/vectors", points="openai/reader")
    for participant, figures in (("ann", (24.5, 87.25, 73.125)), ("bob", (1.0, 2.0, None))):
        measure(store, means, participant, *figures)
    rows, notes = sections(db)[QUALITY]
    assert rows[1] == ["ann", "4.50", "3.00", "24.50", "87.25", "73.12"]
    assert rows[2] == ["bob", "2.00", "5.00", "1.00", "2.00", "-"]
    assert "Embedding: openai/vectors; points: openai/reader." in notes
    papers = MeasuringModels(embedding="openai/vectors", points="openai/reader", preset="paper")
    assert MeasuringModels.stored(papers.embedding, papers.points_by) == papers
    assert MeasuringModels.stored(means.embedding, means.points_by) == means


def test_a_measurement_of_some_essays_alone_is_not_taken(db: Path) -> None:
    measure(Store(db), MeasuringModels(embedding="openai/vectors"), "ann", 1.0, 2.0, 3.0)
    rows, notes = sections(db)[QUALITY]
    assert rows[1][3:] == ["100.00"] * 3 and "openai/vectors" not in notes


def measure(
    store: Store,
    means: MeasuringModels,
    participant: str,
    self_bleu: float,
    self_emb: float,
    perspective: float | None,
) -> None:
    """Store the measurement of a participant's essays."""
    (essays,) = choose_sets(
        read_essays(store, stored_config(store, "small"), [participant]), 2
    ).sets
    row = {
        "unit": measuring_unit_id("small", essays, means),
        "tournament": "small",
        "participant": participant,
        "motion_id": essays.motion_id,
        "language": essays.language,
        "essays": 2,
        "embedding": means.embedding,
        "points_by": means.points,
        "self_bleu": self_bleu,
        "self_emb": self_emb,
        "perspective": perspective,
        "points": 4,
        "unread": 0,
        "cost_usd": 0.0,
        "measured_at": pd.Timestamp(datetime(2026, 1, 1, tzinfo=UTC)),
    }
    store.write(lambda link: insert(link, "diversity", [row]))


def test_peoples_rankings_are_scores_and_shares_ranked_first(db: Path) -> None:
    rank(db, eve=(1, 2), fay=(1, 1), hal=(1, 2))
    rows, notes = sections(db, "--tournament", "small")[RANKED]
    assert rows[0] == ["participant", "persuasiveness", "overall", "rankings", "K"]
    # of K = 2, ann has 2, 2 and 2, and bob 1, 2 (level with ann for fay) and 1
    assert rows[1] == ["ann", "2.00 / 100.0%", "2.00 / 100.0%", "3", "2"]
    assert rows[2] == ["bob", "1.33 / 33.3%", "2.00 / 100.0%", "3", "2"]
    assert "K − rank + 1" in notes
    assert (
        sections(db, "--tournament", "small ranked").keys()
        == sections(db, "--tournament", "small").keys()
    )


def rank(db: Path, **ranks: tuple[int, int]) -> None:
    """Rank the essays of ann and bob for persuasiveness; overall they are level."""
    store = Store(db)
    choice = SheetChoice()
    stored = store_sheets(store, stored_config(store, "small"), people=9, choice=choice)
    (sheet,) = read_sheets(store, stored.ranked)
    letters = sorted(sheet.essays, key=lambda letter: "Wages" not in sheet.essays[letter].text)
    rankings = [
        Ranking(
            sheet_id=sheet.sheet_id,
            voter=voter,
            ranks={
                "persuasiveness": dict(zip(letters, map(float, own), strict=True)),
                "overall": dict.fromkeys(letters, 1.0),
            },
        )
        for voter, own in ranks.items()
    ]
    store_rankings(ranking_session(store, stored_config(store, "small")), rankings)


def test_the_flow_of_the_discussions_is_counted(tables: Tables) -> None:
    rows, _ = tables[FLOW]
    assert rows == [
        ["participant", "agent", "turns", "supports", "opposes", "opens", "back"],
        ["bob", "Member", "6", "4", "0", "2", "33%"],
        ["bob", "Critic", "2", "0", "2", "0", "100%"],
    ]


def test_the_teams_of_one_proposition_stand_below_each_other(tables: Tables) -> None:
    rows, notes = tables[TEAMS]
    assert [row[1] for row in rows[1:]] == ["1", "2", "1", "2"]
    assert [row[0] for row in rows[1:]] == ["1", "1", "2", "2"]
    assert [row[-1] for row in rows[1:]] == ["It hurts.", "It costs."] * 2
    assert "Teams of bob. Proposition: On fact-1" in notes and "\x1b" not in notes
    assert "It fails." not in notes and "nurse \\| of ours." in notes


def test_what_is_missing_is_said_with_its_remedy(tmp_path: Path) -> None:
    config = content("ann", "bob", contest="essay", categories=["fact"])
    config["benches"] = [{"name": "one", "judge": "single", "model": "offline/fair", "runs": 1}]
    store, _ = planned(tmp_path / "own.duckdb", config, [motion()])
    tables = sections(store.path)
    rows, notes = tables["Quality and diversity of essays (Table 1)"]
    assert rows[1] == ["ann", "-", "-", "-", "-", "-"]
    assert "arena rejudge small --judge marks --model MODEL --runs 1" in notes
    assert "No participant has written twice on one proposition yet" in notes
    assert "arena rank sheet FOLDER --sample 30" in tables[RANKED][1]
    assert "options = { flow = true }" in tables[FLOW][1]
