"""A speech on the terminal."""

from __future__ import annotations

import pytest

from arena.console.speech_text import print_speech
from arena.languages import language
from arena.records import Reference, Speech


def test_a_speech_is_printed_with_the_marks_of_its_side(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cited = (
        Reference(number=2, origin="A", excerpt="B.", side="con"),
        Reference(number=9, given=False, side="con"),
    )
    speech = Speech(
        side="con", stage="summary", text="So [C2, C9], not [P2].", words=5, references=cited
    )
    print_speech(speech, language("en"))
    assert capsys.readouterr().out.splitlines()[1:] == [
        "── Con, summary (5) ──",
        "So [C2, C9], not [P2].",
        "",
        "References:",
        "  [C2] A — B.",
        "  [C9] never given to this speaker",
    ]
