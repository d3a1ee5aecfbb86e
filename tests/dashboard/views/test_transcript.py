"""The page of one debate: speeches and references with the marks of their sides."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


def page_of_speeches(code: str, name: str) -> None:
    """Show a speech of each side that cites; Pro's was stored before marks had letters."""
    from typing import Any

    from arena.languages import language
    from arena.records import Reference, Speech
    from dashboard.views.transcript import show_speeches

    stage: Any = name
    plain = name == "answer"
    mark = "[2]" if plain else f"[{language(code).marks['con']}2]"
    pro = Speech(
        side="pro",
        stage=stage,
        text="Pro cites [2].",
        words=3,
        references=(Reference(number=2, origin="A", excerpt="B."),),
    )
    con = Speech(
        side="con",
        stage=stage,
        text=f"Con cites {mark}.",
        words=3,
        references=(Reference(number=2, origin="C", excerpt="D.", side=None if plain else "con"),),
    )
    show_speeches([pro, con], language(code))


@pytest.mark.parametrize(
    ("code", "stage", "pro", "con"),
    [
        ("en", "rebuttal", "[2]", "[C2]"),
        ("zh", "rebuttal", "[2]", "[反2]"),
        ("en", "answer", "[A2]", "[B2]"),
        ("zh", "answer", "[甲2]", "[乙2]"),
    ],
)
def test_speeches_and_their_references_have_the_same_marks(
    code: str, stage: str, pro: str, con: str
) -> None:
    page = AppTest.from_function(page_of_speeches, args=(code, stage), default_timeout=60).run()
    assert not page.exception
    assert {str(text.value) for text in page.text} == {
        f"Pro cites {pro}.",
        f"Con cites {con}.",
        f"{pro} A — B.",
        f"{con} C — D.",
    }


def page_of_doubt() -> None:
    """Show a speech that may be none, and one that is."""
    from arena.languages import ENGLISH
    from arena.records import Speech
    from dashboard.views.transcript import show_speeches

    doubt = {"agent": "protocol", "action": "doubt", "reason": "it repeats itself"}
    pro = Speech(side="pro", stage="rebuttal", text="So so.", words=2, trace=(doubt,))
    con = Speech(side="con", stage="rebuttal", text="No.", words=1)
    show_speeches([pro, con], ENGLISH)


def test_a_speech_in_doubt_has_a_mark() -> None:
    page = AppTest.from_function(page_of_doubt, default_timeout=60).run()
    assert not page.exception
    marks = [str(mark.value) for mark in page.markdown if "In doubt" in str(mark.value)]
    assert len(marks) == 1
    captions = [str(caption.value) for caption in page.caption]
    assert "Pro, rebuttal · 2 words, played in doubt, because it repeats itself" in captions
