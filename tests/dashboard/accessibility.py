"""What axe-core finds on a page, apart from the markup of Streamlit's own that the docs list.

It sees neither the letters of charts and code nor those of tables, which are painted on a canvas:
their contrast is measured here.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
from axe_playwright_python.sync_playwright import Axe
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Locator, Page, expect

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

Theme: TypeAlias = Literal["dark", "light"]
THEMES: tuple[Theme, ...] = ("dark", "light")
#: Rules about colours; what the others find is the same in both themes.
_RULES_OF_COLOURS = ["color-contrast", "link-in-text-block"]

#: The contrast that WCAG 2.2 asks of text (1.4.3, level AA).
CONTRAST = 4.5
#: What stands out less is a line or a shade, and no letter.
_FAINTEST = 2.0
_ROW_PIXELS = 35
_LETTERS = """
    () => {
        const read = colour => (colour.match(/[\\d.]+/g) || []).map(Number);
        const over = (front, back, share) => back.map((value, i) =>
            value + (front[i] - value) * share);
        const behind = element => {
            const layers = [];
            for (let each = element; each; each = each.parentElement) {
                const colour = read(getComputedStyle(each).backgroundColor);
                layers.unshift([colour, colour[3] ?? 1]);
            }
            return layers.reduce((back, [colour, share]) =>
                share ? over(colour, back, share) : back, [255, 255, 255]);
        };
        const opacity = element => {
            let share = 1;
            for (let each = element; each; each = each.parentElement)
                share *= Number(getComputedStyle(each).opacity);
            return share;
        };
        const places = ".js-plotly-plot :is(.xtick, .ytick) text, .js-plotly-plot .xtitle, "
            + ".js-plotly-plot .ytitle, .js-plotly-plot .legendtext, [data-testid=stCode] .token";
        return [...document.querySelectorAll(places)].filter(each => each.textContent.trim()).map(
            each => {
                const style = getComputedStyle(each);
                const colour = read(each instanceof SVGElement ? style.fill : style.color);
                const back = behind(each);
                const share = (colour[3] ?? 1) * opacity(each);
                return [each.textContent, over(colour, back, share), back];
            });
    }
"""


@cache
def streamlit_findings() -> tuple[tuple[str, str], ...]:
    """The rules that Streamlit's own markup breaks, with the elements, as the docs list them."""
    section = _DOCS.read_text("utf-8").partition("\n## Accessibility\n")[2].partition("\n## ")[0]
    return tuple((rule, where) for rule, where in _ROW.findall(section))


def check_both_themes(page: Page) -> None:
    """Fail for any finding on a page that is drawn, in the light theme or in the dark one."""
    found: list[str] = []
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", theme)
        found += [f"{theme}, {page.url}: {finding}" for finding in check_page(page, theme)[0]]
    assert not found, "\n".join(found)


def check_page(page: Page, theme: Theme) -> tuple[list[str], set[str]]:
    """What is found on a page that is drawn: our findings, and which listed ones occur.

    In the light theme, by all rules of axe's; in the dark one, by those about colours.
    """
    options: dict[str, object] = {"resultTypes": ["violations"]}
    if theme == "dark":
        options["runOnly"] = _RULES_OF_COLOURS
    found = Axe().run(page, options=options).response["violations"]
    nodes = [(rule["id"], node) for rule in found for node in rule["nodes"]]
    places = [(rule, str(node["target"][0])) for rule, node in nodes]
    listed = page.evaluate(_RULES_OF_ELEMENTS, [places, streamlit_findings()])
    own = [
        f"{rule}: {node['html'][:300]} ({node['failureSummary']})"
        for (rule, node), known in zip(nodes, listed, strict=True)
        if not known
    ]
    own += [*_find_faint_letters(page), *_find_faint_columns(page)]
    return own, set(filter(None, listed))


def _find_faint_letters(page: Page) -> Iterator[str]:
    """What is written too faintly in charts and code."""
    for words, letters, behind in page.evaluate(_LETTERS):
        ratio = float(_contrast(np.array(letters), np.array(behind)))
        if ratio < CONTRAST:
            yield f"contrast {ratio:.1f}: {words!r} of a chart or code"


def _find_faint_columns(page: Page) -> Iterator[str]:
    """Columns of tables that are written too faintly: their darkest letters, or lightest ones."""
    page.mouse.move(0, 0)  # a row that is pointed at has another colour
    for number, table in enumerate(page.get_by_test_id("stDataFrame").all()):
        if table.is_visible():
            for place, ratio in enumerate(column_contrasts(table)):
                if _FAINTEST < ratio < CONTRAST:
                    yield f"contrast {ratio:.1f}: column {place} of table {number}"


def column_contrasts(table: Locator) -> list[float]:
    """The contrasts of the letters of a table's visible columns, from the left; heads left out."""
    picture = Image.open(io.BytesIO(table.screenshot(animations="disabled"))).convert("RGB")
    box = table.bounding_box()
    assert box is not None
    head = round(_ROW_PIXELS * picture.height / box["height"])
    pixels = np.asarray(picture, dtype=int)[head + 2 : -3, 3:-3]
    colours, counts = np.unique(pixels @ [1 << 16, 1 << 8, 1], return_counts=True)
    behind = int(colours[counts.argmax()]).to_bytes(3, "big")
    ratios = _contrast(pixels, np.array(list(behind)))
    line = (ratios > 1.02).mean(axis=0) > 0.95
    parts = np.split(ratios, np.flatnonzero(line), axis=1)
    return [float(part.max()) for part in parts if part.shape[1] > _ROW_PIXELS / 2]


def _contrast(letters: NDArray[np.float64], behind: NDArray[np.float64]) -> NDArray[np.float64]:
    """The contrast of colours, (..., 3) of 0 to 255, as WCAG 2.2 defines it."""
    one, other = (_luminance(colour) + 0.05 for colour in (letters, behind))
    return np.asarray(np.maximum(one, other) / np.minimum(one, other))


def _luminance(colour: NDArray[np.float64]) -> NDArray[np.float64]:
    share = colour / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ np.array([0.2126, 0.7152, 0.0722]))
