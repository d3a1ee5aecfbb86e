"""Names in the cells of tables: they fit, and long ones are told apart."""

from __future__ import annotations

import pandas as pd
import pytest
import streamlit as st

from dashboard.letters import column_pixels, fit_heads, fit_names, short_texts, text_pixels

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
