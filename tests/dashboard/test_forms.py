"""What the forms share: a run that is begun once, and the page that it leads to."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import streamlit as st

from dashboard import forms


class _State(dict[str, Any]):
    """The state of a session, which knows when a page has read it."""

    def __init__(self, is_read: Event) -> None:
        super().__init__()
        self._is_read = is_read

    def get(self, key: str, default: Any = None) -> Any:  # noqa: ANN401 - whatever is stored
        value = super().get(key, default)
        self._is_read.set()
        return value


class _Failing(Event):
    """The end of a start that fails while it is waited for."""

    def __init__(self, starts: list[forms.Start]) -> None:
        super().__init__()
        self._starts = starts

    def wait(self, timeout: float | None = None) -> bool:
        self._starts[-1].problem = "somebody works on it"
        self.set()
        return super().wait(timeout)


@pytest.fixture
def is_read(monkeypatch: pytest.MonkeyPatch) -> Event:
    """Set when a page has read the state of its session."""
    event = Event()
    monkeypatch.setattr(st, "session_state", _State(event))
    return event


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The choices with which pages were opened."""
    choices: list[object] = []
    monkeypatch.setattr(forms, "go_to", lambda _, **chosen: choices.append(chosen))
    return choices


def test_a_press_while_a_run_begins_leads_to_its_page_as_well(
    is_read: Event, opened: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    begins = Event()

    def begin_run(*_: object) -> None:
        begins.set()
        assert is_read.wait(60), "the page that the second press draws has not looked"

    monkeypatch.setattr(forms, "begin_run", begin_run)
    start, starts = forms.Start(tournament="weekend", form="new"), forms.known_starts()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(forms.start_and_show, Path("weekend.toml"), start, starts)
        assert begins.wait(60)
        second = pool.submit(forms.lead_to_run, "new")
        second.result(60)
        first.result(60)
    assert opened == [{"tournament": "weekend"}] * 2


@pytest.mark.usefixtures("is_read")
def test_a_press_while_a_run_fails_to_begin_says_why_once(
    opened: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    problems: list[str] = []
    monkeypatch.setattr(forms, "show_problem", problems.append)
    starts = forms.known_starts()
    starts.append(forms.Start(tournament="weekend", form="new", has_ended=_Failing(starts)))
    for form in ("other", "new"):  # the first one waits for it
        forms.lead_to_run(form)
        assert problems == ["somebody works on it"] and not opened


@pytest.mark.usefixtures("is_read")
def test_only_the_form_that_has_begun_a_run_leads_to_it(
    opened: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forms, "begin_run", lambda *_: None)
    start = forms.Start(tournament="weekend", form="new")
    forms.start_and_show(Path("weekend.toml"), start, forms.known_starts())
    forms.lead_to_run("other")
    assert opened == [{"tournament": "weekend"}]
    forms.lead_to_run("new")
    assert opened == [{"tournament": "weekend"}] * 2
