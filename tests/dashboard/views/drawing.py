"""Pages drawn by their script alone, without a server or a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard import app
from dashboard.settings import DATABASE, ONLY, TOURNAMENT

_TEXTS = "title caption text markdown info error success header subheader code".split()


def draw(page: str, call: str = "page()", **choices: str) -> AppTest:
    """Draw a page with choices in its address; it must have no error."""
    script = (
        "from dashboard.addresses import begin_address\n"
        f"from dashboard.views import {page}\nbegin_address()\n{page}.{call}"
    )
    drawn = AppTest.from_string(script, default_timeout=60)
    drawn.query_params.update(choices)
    drawn.run()
    assert not drawn.exception
    return drawn


def serve_alone(monkeypatch: pytest.MonkeyPatch, page: str, db: Path) -> None:
    """Serve one page alone, as for people who take part."""
    for variable, value in ((DATABASE, str(db)), (TOURNAMENT, ""), (ONLY, page)):
        monkeypatch.setenv(variable, value)


def open_alone(voter: str = "") -> AppTest:
    """Open the page that is served alone, and give a pseudonym where there is one."""
    page = AppTest.from_file(str(app.__file__), default_timeout=60).run()
    return page.text_input(key="voter").input(voter).run() if voter else page


def read_texts(page: AppTest) -> str:
    """Return everything that stands on a page."""
    return "\n".join(str(item.value) for kind in _TEXTS for item in getattr(page, kind))
