"""Names in the cells of tables: they fit, and long ones are told apart."""

from __future__ import annotations

import re

import pandas as pd
import pytest
import streamlit as st
from pandas.io.formats.style import Styler

from arena.output.text_width import text_pixels
from dashboard.letters import (
    column_pixels,
    fit_box,
    fit_columns,
    fit_heads,
    fit_names,
    short_texts,
    shorten_display,
)

ALIKE = [f"agent4debate-with-{part}-gpt-4o-2024-08-06" for part in ("search", "review", "m" * 9)]


@pytest.mark.parametrize("width", [78, 134, 176, "medium"])
def test_names_fit_into_their_column_and_stay_different(width: int) -> None:
    columns = {
        "participant": st.column_config.TextColumn("Participant", width=width),
        "rating": st.column_config.NumberColumn("Elo", width=60),
        "motion": st.column_config.TextColumn("Motion", width=60),
    }
    frame = pd.DataFrame({"participant": ALIKE, "rating": [1234567.0] * 3, "motion": ALIKE})
    fitted = fit_names(frame, columns)
    names = list(fitted["participant"])
    assert len(set(names)) == len(ALIKE)
    assert all(text_pixels(name) < column_pixels(columns["participant"]) - 16 for name in names)
    assert list(fitted["rating"]) == [1234567.0] * 3, "figures are never shortened"
    assert list(fitted["motion"]) == ALIKE


@pytest.mark.parametrize(
    ("name", "width", "expected"),
    [
        ("short", 140, range(140, 141)),
        ("a4d-good-no-searcher", 140, range(150, 180)),
        (ALIKE[0], 140, range(220, 221)),
        (ALIKE[0], "medium", range(220, 221)),
        (ALIKE[0], 300, range(300, 301)),
    ],
)
def test_a_column_of_names_grows_to_a_bound_with_its_longest_name(
    name: str, width: int, expected: range
) -> None:
    columns = {
        "pro": st.column_config.TextColumn("Pro", width=width),
        "motion": st.column_config.TextColumn("Motion", width=60),
    }
    frame = pd.DataFrame({"pro": ["ann", name], "motion": ALIKE[:2]})
    fitted = fit_columns(frame, columns)
    assert column_pixels(fitted["pro"]) in expected
    assert fitted["motion"] == columns["motion"]
    if len(name) < 21:
        assert list(fit_names(frame, fitted)["pro"]) == ["ann", name], "usual names stand in full"


def test_an_empty_table_keeps_the_widths_of_its_columns() -> None:
    columns = {"pro": st.column_config.TextColumn("Pro", width=140)}
    frame = pd.DataFrame({"pro": []})
    assert fit_columns(frame, columns) == columns
    assert fit_names(frame, columns).equals(frame)


def test_cells_hold_the_names_in_full_that_they_show_shortened() -> None:
    columns = {"model": st.column_config.TextColumn("Model", width=134)}
    frame = pd.DataFrame({"model": ["ann", *ALIKE, None]})
    shown = shorten_display(frame, columns)
    assert isinstance(shown, Styler)
    texts = re.findall("<td[^>]*>(.*)</td>", shown.to_html())
    assert texts[:4] == list(fit_names(frame, columns)["model"][:4])
    assert list(frame["model"][:4]) == ["ann", *ALIKE]


def test_a_table_without_long_names_is_left_as_it_is() -> None:
    columns = {"model": st.column_config.TextColumn("Model", width=134)}
    frame = pd.DataFrame({"model": ["ann", "bob"]})
    assert shorten_display(frame, columns) is frame


def test_a_very_long_table_holds_the_shortened_names_alone() -> None:
    columns = {"model": st.column_config.TextColumn("Model", width=134)}
    frame = pd.DataFrame({"model": [f"{ALIKE[0]}-{number}" for number in range(5001)]})
    shown = shorten_display(frame, columns)
    assert isinstance(shown, pd.DataFrame)
    assert shown["model"].map(text_pixels).max() < 134


def test_a_column_that_grows_with_what_it_holds_keeps_its_names() -> None:
    columns = {"model": st.column_config.TextColumn("Model")}
    frame = pd.DataFrame({"model": ALIKE})
    assert fit_names(frame, columns).equals(frame)


def test_heads_that_are_names_fit_and_other_heads_stay() -> None:
    columns = {
        "first": st.column_config.TextColumn(ALIKE[0], width=78),
        "second": st.column_config.TextColumn(ALIKE[1], width=78),
        "p": st.column_config.TextColumn("A head that is longer than its column", width=40),
    }
    fitted = fit_heads(columns)
    first, second = (fitted[name]["label"] for name in ("first", "second"))
    assert first != second and text_pixels(first) < 78
    assert fitted["p"] == columns["p"]


def test_letters_of_wide_scripts_take_more_room() -> None:
    name = "辩论" * 10
    assert len(short_texts([name], 134)[name]) < len(short_texts(["a" * 20], 134)["a" * 20])


def test_names_in_the_box_of_a_list_fit_and_stay_different() -> None:
    names = ["All", "debatrix", *ALIKE]
    shown = list(map(fit_box(names), names))
    assert shown[:2] == names[:2] and len(set(shown)) == len(names)
    assert max(map(text_pixels, shown)) <= 160
