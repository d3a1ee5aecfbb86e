from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pandas as pd
import pytest
from starlette.responses import PlainTextResponse

from arena.store.database import Store
from dashboard import server
from dashboard.server import Assets, read_assets, warm_up
from dashboard.settings import DATABASE
from tests.dashboard.handmade import make, make_empty

_PAGE = """
<link href="./static/css/look.css"><script src="./static/js/first.js"></script>
<link href="./static/js/../../secret.js"><link href="./static/js/gone.js">
"""


async def test_files_that_a_page_names_are_answered_and_all_else_is_passed_on(
    tmp_path: Path,
) -> None:
    for name in ("css/look.css", "js/first.js", "js/other.js"):
        file = tmp_path / "static" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"of {name}")
    (tmp_path / "secret.js").write_text("secret")
    assets = read_assets(_PAGE, tmp_path)
    assert set(assets) == {"/static/css/look.css", "/static/js/first.js"}
    app = Assets(PlainTextResponse("passed on"), assets=assets)
    client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://arena")
    answer = await client.get("/static/js/first.js")
    assert answer.text == "of js/first.js"
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "immutable" in answer.headers["cache-control"]
    assert (await client.get("/static/js/first.js")).text == "of js/first.js"
    assert (await client.get("/static/js/other.js")).text == "passed on"
    assert (await client.post("/static/js/first.js")).text == "passed on"


def test_the_page_names_the_scripts_of_tables_after_its_own() -> None:
    page = server.front_page()
    assert page.index("/static/js/index.") < page.index("/static/js/DataFrame.")
    for name in ("DataFrame", "ButtonGroup", "Selectbox", "Html"):
        assert page.count(f'fetchpriority="low" crossorigin href="./static/js/{name}.') == 1


def test_the_first_board_is_read_before_there_is_a_viewer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make(tmp_path / "results.duckdb")
    monkeypatch.setenv(DATABASE, str(store.path))
    queries = []
    read = Store.read

    def count(store: Store, *query: Any) -> pd.DataFrame:  # noqa: ANN401 - whatever it takes
        queries.append(query)
        return read(store, *query)

    monkeypatch.setattr(Store, "read", count)
    warm_up()
    first = len(queries)
    warm_up()
    assert 0 < first == len(queries)


@pytest.mark.parametrize("exists", [True, False])
def test_where_there_is_no_board_nothing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, exists: bool
) -> None:
    path = tmp_path / "results.duckdb"
    if exists:
        make_empty(path)
    monkeypatch.setenv(DATABASE, str(path))
    warm_up()
