"""Propositions in the layout of Debate-to-Write: the figure's text, a JSON list, JSON Lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motions import MotionError
from motions.published_propositions import read_published_propositions

PAIRS = [
    ("Cities should plant more trees.", "Environment"),
    ("I think trees are\nbeautiful", "Environment"),
    ("Trees must be free", "Digital Freedoms"),
]
FIGURE = " ".join(f'- "statement": "{text}", "topic": "{topic}"' for text, topic in PAIRS)
OBJECTS = [{"statement": text, "topic": topic, "source": "x"} for text, topic in PAIRS]
LAYOUTS = {
    "figure": FIGURE,
    "figure in curly quotation marks": FIGURE.replace('"', "“"),
    "figure, a line each, with a caption": FIGURE.replace(" - ", "\n- ") + "\nFigure 11: A list.",
    "list": json.dumps(OBJECTS, indent=1),
    "lines": "\n".join(map(json.dumps, OBJECTS)) + "\n\n",
}


def read(folder: Path, text: str) -> list[dict[str, str]]:
    path = folder / "list.txt"
    path.write_text(text, encoding="utf-8")
    return [dict(entry) for entry in read_published_propositions(path, name="own")]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_motions(layout: str, tmp_path: Path) -> None:
    assert read(tmp_path, LAYOUTS[layout]) == [
        {"id": f"own-{place}", "category": category, "topic": topic, "text": text}
        for place, category, topic, text in (
            ("environment-01", "policy", "Environment", "Cities should plant more trees."),
            ("environment-02", "value", "Environment", "I think trees are beautiful"),
            ("digital-freedoms-01", "policy", "Digital Freedoms", "Trees must be free"),
        )
    ]


def test_characters_that_typesetting_left_as_numbers_are_read(tmp_path: Path) -> None:
    text = FIGURE.replace("Trees must", "Women2\u0306019s trees must")
    assert read(tmp_path, text)[2]["text"] == "Women’s trees must be free"


_WORDS = st.text(
    st.characters(codec="utf-8", exclude_characters='"“”\\', exclude_categories=("C", "Z")),
    min_size=1,
)


@given(
    st.lists(st.tuples(_WORDS, _WORDS), min_size=1, max_size=5, unique_by=lambda p: p[0].casefold())
)
def test_the_figure_says_what_json_says(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("lists")
    figure = "\n".join(f'- "statement": "{text}", "topic": "{topic}"' for text, topic in pairs)
    items = [{"statement": text, "topic": topic} for text, topic in pairs]
    assert read(folder, figure) == read(folder, json.dumps(items))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no proposition in it"),
        ("Trees, and more trees.", "no proposition in it"),
        ("[]", "no proposition in it"),
        ("[1", "not valid JSON"),
        ('{"statement": "A", "topic": "B"}\n{"statement"', "line 2: not valid JSON"),
        ('[{"statement": "A"}]', "item 1: topic: field required"),
        ('[{"statement": " ", "topic": "B"}]', "item 1: statement: string should have at least 1"),
        ('["A"]', "item 1: no object"),
        (FIGURE.replace('"topic": "Digital', '"theme": "Digital'), "no whole entry"),
        (FIGURE + "\n" + FIGURE, "item 4: says the same as item 1"),
    ],
)
def test_what_is_no_list_is_refused_with_what_is_accepted(
    text: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(MotionError) as caught:
        read(tmp_path, text)
    first = str(caught.value)
    assert message in first and "accepted: " in first and str(tmp_path / "list.txt") in first


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes(b'"statement": "caf\xe9"')
    for name, message in (
        ("none.txt", "no such file"),
        (".", "folder"),
        ("latin.txt", "not UTF-8"),
    ):
        with pytest.raises(MotionError, match=message):
            read_published_propositions(tmp_path / name, name="own")
