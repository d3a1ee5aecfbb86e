"""The corpus of speeches: no speech is refused, and nearly all other texts are caught."""

from __future__ import annotations

import pytest

from benchmarks.speech_checks import ALL, CheckedTexts, check_corpus


@pytest.fixture(autouse=True)
def short_speeches() -> None:
    """Check length and content as a tournament does."""


def test_no_true_speech_is_refused_and_other_texts_are_caught() -> None:
    counts: dict[tuple[bool, str], CheckedTexts] = {
        (row.speeches, row.kind): row for row in check_corpus()
    }
    for half, least, most in (("built", 0.95, 0.05), ("kept", 0.9, 0.06), ("later", 0.8, 0.2)):
        true, others = counts[True, f"{ALL}, {half}"], counts[False, f"{ALL}, {half}"]
        assert true.refused == 0
        assert true.doubted <= most * true.texts
        assert others.refused + others.doubted >= least * others.texts
