"""What is recorded of an exception in somebody's code."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from arena.debates.code_errors import CodeError, describe_error, leading_error
from arena.errors import BudgetReached, ContentFault
from arena.llm.concurrency import together


def described(error: Exception, *secrets: str) -> CodeError:
    return describe_error(error, owner="ann", code="debater own", where="pro", secrets=secrets)


def raised(error: Exception) -> Exception:
    try:
        raise error
    except Exception as caught:  # noqa: BLE001 - with its traceback
        return caught


def test_keys_and_the_paths_of_the_machine_are_removed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OWN_API_KEY", "sk-environment")
    monkeypatch.chdir(tmp_path)
    words = f"{Path.home()}/notes, {tmp_path}/x.txt, sk-environment and sk-configured"
    error = described(raised(KeyError(words)), "sk-configured")
    for text in (error.message, error.traceback):
        assert "sk-" not in text and text.count("[key]") == 2
        assert "~/notes, x.txt" in text and str(tmp_path) not in text
    assert 'File "tests/arena/debates/test_code_errors.py"' in error.traceback


def test_without_a_line_of_a_plugin_the_place_is_the_innermost() -> None:
    with pytest.raises(ValueError, match="Expecting") as caught:
        json.loads("{")
    assert described(caught.value).place.startswith("json/decoder.py:")


def test_a_line_of_the_project_comes_before_those_that_it_calls() -> None:
    with pytest.raises(TypeError) as caught:
        asyncio.run(together(1))  # type: ignore[arg-type]
    assert described(caught.value).place.startswith("arena/llm/concurrency.py:")


def test_text_that_no_terminal_or_database_takes_is_cleaned() -> None:
    error = described(raised(ValueError("a\x1b[31m\udc80\nb")))
    assert error.message == "a[31m? b"
    assert "\x1b" not in error.traceback
    error.traceback.encode()


def test_an_exception_without_readable_text_is_described() -> None:
    class Broken(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no text")

    error = described(raised(Broken()))
    assert error.summary.startswith("Broken: (an exception without readable text) (")


def test_what_is_long_is_cut_in_the_middle() -> None:
    error = described(raised(ValueError("x" * 100_000)))
    assert len(error.message) < 250 and len(error.traceback) < 21_000
    assert error.traceback.startswith("Traceback") and " … " in error.traceback


def test_a_folder_that_is_gone_is_no_obstacle(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert described(raised(KeyError("x"))).message == "'x'"
    monkeypatch.chdir(os.sep)


def test_the_error_that_decides_leads_a_group() -> None:
    bug, fault, cap = KeyError("x"), ContentFault("empty"), BudgetReached("spent")
    assert leading_error(ExceptionGroup("", [fault, bug])) is bug
    assert leading_error(ExceptionGroup("", [fault, ExceptionGroup("", [bug, cap])])) is cap
    assert leading_error(fault) is fault
