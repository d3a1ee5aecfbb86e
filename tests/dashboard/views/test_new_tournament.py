"""The form of a new tournament: what was typed into its text is never lost."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from arena.config.load import shipped_configs
from arena.errors import ConfigError
from dashboard.settings import FOLDER
from dashboard.views.new_tournament import format_differences, put_value

_PAGE = "from dashboard.views import new_tournament\nnew_tournament.page()"
_TYPED = "# My own remark\n"


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    monkeypatch.setattr("dashboard.forms.require_admin", lambda: None)
    return AppTest.from_string(_PAGE, default_timeout=60).run()


def text_of(page: AppTest) -> str:
    assert not page.exception
    return str(page.text_area(key="new-text").value)


def content_of(page: AppTest) -> dict[str, Any]:
    return tomllib.loads(text_of(page))


def said(page: AppTest) -> str:
    return "\n".join(str(element.value) for element in page.text)


@pytest.mark.slow
def test_fields_are_put_into_the_text_and_what_was_typed_stays(page: AppTest) -> None:
    page.text_area(key="new-text").set_value(_TYPED + text_of(page)).run()
    page.text_input(key="new-name").set_value("night").run()
    page.number_input(key="new-cap").set_value(2.5).run()
    content = content_of(page)
    assert (content["tournament"]["name"], content["limits"]["usd"]) == ("night", 2.5)
    assert text_of(page).startswith(_TYPED) and "The text counts" not in said(page)


@pytest.mark.slow
def test_a_field_that_is_changed_before_the_text_was_drawn_loses_none(page: AppTest) -> None:
    drawn = text_of(page)
    page.text_input(key="new-name").set_value("night").run()
    page.text_area(key="new-text").set_value(drawn)  # what the browser still shows
    page.number_input(key="new-cap").set_value(2.5).run()
    content = content_of(page)
    assert (content["tournament"]["name"], content["limits"]["usd"]) == ("night", 2.5)
    page.selectbox(key="new-example").set_value("offline").run()
    assert "has not replaced it" not in said(page), "nobody has typed into the text"


@pytest.mark.slow
def test_another_example_replaces_only_a_text_that_nobody_changed(page: AppTest) -> None:
    examples = sorted(shipped_configs())
    first, second, third = [name for name in examples if name != "starter"][:3]
    page.text_input(key="new-name").set_value("night").run()
    page.selectbox(key="new-example").set_value(first).run()
    assert text_of(page) == put_value(
        put_value(shipped_configs()[first], "tournament", "name", "night"), "limits", "usd", 10.0
    )
    typed = _TYPED + text_of(page)
    page.text_area(key="new-text").set_value(typed).run()
    page.selectbox(key="new-example").set_value(second).run()
    assert text_of(page) == typed and "has not replaced it" in said(page)
    page.button(key="replace").click().run()
    assert _TYPED not in text_of(page) and "has not replaced it" not in said(page)
    page.selectbox(key="new-example").set_value(third).run()
    assert "has not replaced it" not in said(page), "nobody has changed this one"


@pytest.mark.slow
def test_a_text_that_is_no_toml_stays_as_it_is(page: AppTest) -> None:
    page.text_area(key="new-text").set_value("[tournament").run()
    page.text_input(key="new-name").set_value("night").run()
    assert text_of(page) == "[tournament" and "is no valid TOML" in said(page)


@pytest.mark.slow
def test_the_text_is_there_again_after_a_look_at_another_page(page: AppTest) -> None:
    page.text_area(key="new-text").set_value(_TYPED).run()
    again = AppTest.from_string(_PAGE, default_timeout=60)
    for key in ("begun-text", "kept-new-text"):  # fields of a page that is left are forgotten
        again.session_state[key] = page.session_state[key]
    assert text_of(again.run()) == _TYPED


def test_only_the_value_changes() -> None:
    text = '# first\n[tournament]\nname = "a"  # mine\nseed = 7\n'
    assert put_value(text, "tournament", "name", "b") == text.replace('"a"', '"b"')
    assert tomllib.loads(put_value(text, "limits", "usd", 3.0))["limits"] == {"usd": 3.0}
    for wrong in ("[tournament", "tournament = 7"):
        with pytest.raises(ConfigError):
            put_value(wrong, "tournament", "name", "b")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[tournament]\nname = "a"\n[limits]\nusd = 10', []),
        ('[tournament]\nname = "b"\n[limits]\nusd = 10', ["names the tournament 'b'"]),
        ('[tournament]\nname = "a"', ["no spending cap"]),
        ('limits = 3\ntournament = { name = "a" }', ["no spending cap"]),
        ("[limits]\nusd = 3", ["names the tournament None", "a spending cap of 3 USD"]),
        ("[", ["is no valid TOML"]),
    ],
)
def test_where_text_and_fields_differ_is_said(text: str, words: list[str]) -> None:
    lines = list(format_differences(text, "a", 10.0))
    assert len(lines) == len(words)
    assert all(word in line for word, line in zip(words, lines, strict=True))
