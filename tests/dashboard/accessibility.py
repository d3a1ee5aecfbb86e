"""What axe-core finds on a page, apart from the markup of Streamlit's own that the docs list."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

_DOCS = Path(__file__).parents[2] / "docs" / "dashboard.md"
#: A row of the list: a rule of axe's, and the elements of Streamlit's that break it.
_ROW = re.compile(r"^\| `([a-z-]+)` \| `([^`]+)` \|", re.MULTILINE)
_RULES_OF_ELEMENTS = """
    ([nodes, listed]) => nodes.map(([rule, place]) => {
        const element = document.querySelector(place);
        const own = listed.find(([name, where]) => name === rule && element?.matches(where));
        return own ? own.join(" ") : "";
    })
"""


@cache
def streamlit_findings() -> tuple[tuple[str, str], ...]:
    """The rules that Streamlit's own markup breaks, with the elements, as the docs list them."""
    section = _DOCS.read_text("utf-8").partition("\n## Accessibility\n")[2].partition("\n## ")[0]
    return tuple((rule, where) for rule, where in _ROW.findall(section))


def check_both_themes(page: Page) -> None:
    """Fail for any finding on a page that is drawn, in the light theme or in the dark one."""
    found: list[str] = []
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme)
        expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", theme)
        found += [f"{theme}, {page.url}: {finding}" for finding in check_page(page)[0]]
    assert not found, "\n".join(found)


def check_page(page: Page) -> tuple[list[str], set[str]]:
    """What axe finds on a page that is drawn: our findings, and which listed ones occur."""
    found = Axe().run(page).response["violations"]
    nodes = [(rule["id"], node) for rule in found for node in rule["nodes"]]
    places = [(rule, str(node["target"][0])) for rule, node in nodes]
    listed = page.evaluate(_RULES_OF_ELEMENTS, [places, streamlit_findings()])
    own = [
        f"{rule}: {node['html'][:300]} ({node['failureSummary']})"
        for (rule, node), known in zip(nodes, listed, strict=True)
        if not known
    ]
    return own, set(filter(None, listed))
