"""`arena export --what case-studies`: debates to read, in two languages side by side."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from arena.languages import ENGLISH, SIDES
from arena.languages.language import pair_language, task_text
from arena.records import Debate, Reference, Speech
from arena.store.database import Store
from arena.tournament.plan import TournamentPlan
from tests.support.command_line import arena, done, refused
from tests.support.tournaments import (
    changed,
    commit,
    content,
    judged,
    motion,
    planned,
    played,
    speeches,
)

EVIL = "<script>alert(1)</script> | *bold* [C1]\n\n# 2 & `x`"


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, TournamentPlan]:
    """One motion in two languages, debated by one pair in both."""
    config = changed(content("ann", "bob", languages=["en", "zh"]), ["schedule"], {})
    config["schedule"] = {"matchups_per_pair": 2}
    motions = [motion("fact-1", text="On work", also="论工作")]
    store, plan = planned(tmp_path_factory.mktemp("cases") / "own.duckdb", config, motions)
    assert sorted(debate.language for debate in plan.debates) == ["en", "en", "zh", "zh"]
    records: list[Any] = []
    for debate in plan.debates:
        said = speeches("Well." if debate.language == "en" else "好。")
        if debate.language == "en":
            source = Reference(number=1, origin="A | B", excerpt="C <d>", side="con")
            said = (said[0], replace(said[1], text=EVIL, references=(source,)), *said[2:])
        records += [replace(played(debate), speeches=said), judged(debate, 1.0)]
    commit(store, *records)
    return store, plan


def english(plan: TournamentPlan) -> Debate:
    return next(debate for debate in plan.debates if debate.language == "en")


def twin(plan: TournamentPlan) -> Debate:
    """The debate of the same sides in the other language."""
    own = english(plan)
    return next(
        debate for debate in plan.debates if debate.language == "zh" and debate.pro == own.pro
    )


def exported(store: Store, folder: Path, form: str, *options: str | Path) -> str:
    file = folder / f"case.{form}"
    printed = done(
        "export", file, "--what", "case-studies", "--db", store.path, "--force", *options
    )
    assert printed == f"1 case study written to {file}.\n"
    return file.read_text("utf-8")


def rows(text: str) -> list[list[str]]:
    """The rows of all Markdown tables."""
    return [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in text.splitlines()
        if line.startswith("|")
    ]


class _Cells(HTMLParser):
    """The texts of table cells with their language, and all tags of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[tuple[str, str]] = []
        self.tags: list[str] = []
        self._open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "td":
            self.cells.append((dict(attrs)["lang"] or "", ""))
            self._open = True

    def handle_endtag(self, tag: str) -> None:
        self._open = self._open and tag != "td"

    def handle_data(self, data: str) -> None:
        if self._open:
            code, text = self.cells[-1]
            self.cells[-1] = (code, text + data)


def cells(page: str) -> _Cells:
    parser = _Cells()
    parser.feed(page)
    return parser


def test_languages_stand_side_by_side_in_markdown(
    stored: tuple[Store, TournamentPlan], tmp_path: Path
) -> None:
    store, plan = stored
    own, other = english(plan), twin(plan)
    text = exported(store, tmp_path, "md", "--debate", own.debate_id)
    heads, _, motions, spoken, _, *lines = rows(text)
    played_as = f"中文 (debate {other.debate_id[:8]}, played)"
    assert heads == spoken == ["English (as debated)", played_as]
    assert motions == ["**On work**", "**论工作**"]
    assert len(lines) == 6
    assert lines[0] == [
        "**Pro, constructive**<br><br>pro constructive: Well.",
        "**正方, 立论**<br><br>pro constructive: 好。",
    ]
    assert "Bench bench: ann won as Pro, 1 to 0 from 1 ballot." in text
    assert "(simulated models)" in text


def test_what_a_model_wrote_is_text_and_nothing_else(
    stored: tuple[Store, TournamentPlan], tmp_path: Path
) -> None:
    store, plan = stored
    debate = english(plan).debate_id
    text = exported(store, tmp_path, "md", "--debate", debate)
    cell = rows(text)[6][0]
    assert cell == (
        "**Con, constructive**<br><br>&lt;script&gt;alert(1)&lt;/script&gt; \\| \\*bold\\* "
        "\\[C1\\]<br><br>\\# 2 &amp; \\`x\\`<br><br>References<br>\\[C1\\] A \\| B — C &lt;d&gt;"
    )
    page = cells(exported(store, tmp_path, "html", "--debate", debate))
    assert "script" not in page.tags
    found = [words for code, words in page.cells if code == "en" and "alert" in words]
    assert found == [
        "Con, constructive<script>alert(1)</script> | *bold* [C1]# 2 & `x`References[C1] A | B — "
        "C <d>"
    ]


def test_the_page_has_both_languages_and_says_which_is_which(
    stored: tuple[Store, TournamentPlan], tmp_path: Path
) -> None:
    store, plan = stored
    page = exported(store, tmp_path, "html", "--debate", english(plan).debate_id)
    found = cells(page).cells
    assert [code for code, _ in found] == ["en", "zh"] * 7
    assert found[1] == ("zh", "论工作")
    assert page.startswith("<!DOCTYPE html>") and '<meta charset="utf-8">' in page
    assert "http" not in page.replace("http-equiv", ""), "it needs no other file"


def test_a_translation_is_shown_beside_the_original(
    stored: tuple[Store, TournamentPlan], tmp_path: Path
) -> None:
    store, plan = stored
    own = english(plan)
    debates, file = tmp_path / "debates.jsonl", tmp_path / "chinese.jsonl"
    done("export", debates, "--what", "debates", "--db", store.path)
    documents = [json.loads(line) for line in debates.read_text("utf-8").splitlines()]
    (document,) = (one for one in documents if one["debate_id"] == own.debate_id)
    document["language"] = "zh"
    document["motion"]["text"] = "译文"
    for speech in document["speeches"]:
        speech["text"] = f"译：{speech['stage']}"
    file.write_text(json.dumps(document) + "\n\n", encoding="utf-8")
    text = exported(store, tmp_path, "md", "--debate", own.debate_id, "--translations", file)
    heads, _, motions, _, _, first, *_ = rows(text)
    assert heads == ["English (as debated)", "中文 (a translation)"]
    assert motions == ["**On work**", "**译文**"]
    assert first[1] == "**正方, 立论**<br><br>译：constructive"


def test_without_a_second_language_there_is_one_column(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb", content("ann", "bob"))
    commit(store, played(plan.debates[0]))
    text = exported(store, tmp_path, "md", "--debate", plan.debates[0].debate_id[:6])
    assert {len(row) for row in rows(text)} == {1}
    assert "Verdicts" not in text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 1: the line: Invalid JSON"),
        ({"debate_id": "x", "language": "zh"}, "line 1: motion: Field required"),
        ({"language": "fr"}, "line 1: language is 'fr'; accepted: en, zh."),
        ({"language": "en"}, "line 1: the debate itself is in 'en'; set `language` to that of"),
        ({"speeches": []}, "line 1: speeches: List should have at least 1 item"),
        (
            {"speeches": [{"side": "pro", "stage": "encore", "text": "x"}]},
            "speeches.0.stage: Input",
        ),
    ],
)
def test_a_line_that_is_no_translation_is_named(
    stored: tuple[Store, TournamentPlan], tmp_path: Path, line: str | dict[str, Any], message: str
) -> None:
    store, plan = stored
    debate = english(plan).debate_id
    whole = {
        "debate_id": debate, "language": "zh", "motion": {"text": "译"},
        "speeches": [{"side": "pro", "stage": "constructive", "text": "译"}],
    }  # fmt: skip
    if isinstance(line, dict):
        line = json.dumps(line if "debate_id" in line else whole | line)
    file = tmp_path / "chinese.jsonl"
    file.write_text(line, encoding="utf-8")
    words = ("export", tmp_path / "a.md", "--what", "case-studies", "--db", store.path)
    said = refused(*words, "--debate", debate, "--translations", file)
    assert f"{file}, {message}" in said or message in said
    assert not (tmp_path / "a.md").exists()
    missing = refused(*words, "--debate", debate, "--translations", tmp_path / "no.jsonl")
    assert missing == f"{tmp_path / 'no.jsonl'}: cannot be read: No such file or directory."


def test_case_studies_need_debates(stored: tuple[Store, TournamentPlan], tmp_path: Path) -> None:
    result = arena("export", tmp_path / "a.md", "--what", "case-studies", "--db", stored[0].path)
    assert result.exit_code == 2
    assert "--what case-studies needs --debate ID" in " ".join(result.stderr.split())


def test_answers_of_a_pair_are_called_so(tmp_path: Path) -> None:
    config = changed(content("ann", "bob", contest="essay"), ["benches", 0, "judge"], "single")
    store, plan = planned(tmp_path / "own.duckdb", config)
    essays = tuple(
        Speech(
            side=side,
            stage="answer",
            text="As shown [2].",
            words=3,
            references=(Reference(number=2, origin="O", excerpt="E."),),
        )
        for side in SIDES
    )
    commit(store, replace(played(plan.debates[0]), speeches=essays))
    text = exported(store, tmp_path, "md", "--debate", plan.debates[0].debate_id)
    task = task_text(pair_language(ENGLISH), "essay", f"On {plan.debates[0].motion_id}")
    assert rows(text)[2] == [f"**{task}**"]
    assert [row[0] for row in rows(text)[-2:]] == [
        f"**Answer {letter}**<br><br>As shown \\[{letter}2\\].<br><br>References<br>"
        f"\\[{letter}2\\] O — E."
        for letter in "AB"
    ]
