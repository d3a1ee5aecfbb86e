"""What changed between two drafts, worked by hand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arena.report.dialogues.records import compare_drafts

TEXTS = st.lists(st.sampled_from(["One.", "Two.", "Three.", "四。"]), max_size=6).map(" ".join)


def test_changes_stand_in_the_order_of_the_text() -> None:
    changes = compare_drafts("A one. B two.\n\nC three. D four.", "A one. X. C three.\nY! D four.")
    assert changes.kept == 3
    assert [(change.kind, change.text) for change in changes.changes] == [
        ("removed", "B two."),
        ("added", "X."),
        ("added", "Y!"),
    ]


def test_the_number_of_a_point_belongs_to_its_sentence() -> None:
    changes = compare_drafts("1. Costs rise.", "2. Costs rise.")
    assert [change.text for change in changes.changes] == ["1. Costs rise.", "2. Costs rise."]


@given(TEXTS, TEXTS)
def test_counts_add_up_to_both_drafts(earlier: str, later: str) -> None:
    changes = compare_drafts(earlier, later)
    assert changes.kept + changes.count("removed") == len(earlier.split())
    assert changes.kept + changes.count("added") == len(later.split())
    assert bool(changes.changes) == (earlier.split() != later.split())
