"""docs/ratings.md is one session: its code runs, and its outputs are what it prints."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

_PAGE = (Path(__file__).parents[1] / "docs" / "ratings.md").read_text("utf-8")
_STEPS = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", _PAGE, re.DOTALL)


def test_the_page_is_a_session_that_prints_what_it_shows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert len(_STEPS) == _PAGE.count("```python") == _PAGE.count("```text") > 4
    session: dict[str, Any] = {}
    for code, shown in _STEPS:
        exec(compile(code, "docs/ratings.md", "exec"), session)  # noqa: S102 - our own page
        assert capsys.readouterr().out == shown
