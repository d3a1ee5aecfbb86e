"""Checks of many cases report every fault by its case, whatever they need and however they fail."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path

import pytest

from tests.support.case_lists import for_every


def test_all_faults_are_reported_and_only_they() -> None:
    @for_every([1, 2, 3, 4], ["x"])
    def check(number: int, letter: str) -> None:
        assert number % 2, "not odd"

    with pytest.raises(pytest.fail.Exception) as failure:
        check()
    first, *faults = str(failure.value).splitlines()
    assert first == "2 of 4 cases:"
    assert [fault.split(":")[0] for fault in faults if "AssertionError" in fault] == [
        "2, x",
        "4, x",
    ]


def test_an_error_that_does_not_come_is_a_fault_of_its_case() -> None:
    @for_every([0, 1, 2])
    def check(number: int) -> None:
        with pytest.raises(ZeroDivisionError):
            1 / number  # noqa: B018

    with pytest.raises(pytest.fail.Exception, match=r"2 of 3 cases:\n1: line \d+: Failed: DID NOT"):
        check()


def test_asynchronous_checks_are_awaited() -> None:
    @for_every([1, 2])
    async def check(number: int) -> None:
        await asyncio.sleep(0)
        assert number == 1

    assert inspect.iscoroutinefunction(check)
    with pytest.raises(pytest.fail.Exception, match=r"1 of 2 cases:\n2: line"):
        asyncio.run(check())


def test_long_cases_show_both_ends() -> None:
    @for_every(["a" * 200 + "b"])
    def check(text: str) -> None:
        raise ValueError("no")

    with pytest.raises(pytest.fail.Exception, match=r"a{50} \.\.\. a{49}b: line \d+: ValueError"):
        check()


def test_without_cases_nothing_was_checked() -> None:
    @for_every([])
    def check(number: int) -> None:
        raise NotImplementedError

    with pytest.raises(AssertionError, match="there are no cases"):
        check()


#: Folders by the number of their case.
_FOLDERS: dict[int, Path] = {}


@for_every([(1, "x"), (2, "x")])
async def test_every_case_has_an_empty_folder_and_the_fixtures_it_names(
    number: int, letter: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert list(tmp_path.iterdir()) == []
    (tmp_path / letter).touch()
    assert tmp_path.is_relative_to(tmp_path_factory.getbasetemp())
    assert tmp_path not in _FOLDERS.values()
    _FOLDERS[number] = tmp_path


@pytest.mark.parametrize("offset", [0, 10])
@for_every([1, 2])
def test_a_check_can_be_parametrised_besides(number: int, offset: int) -> None:
    assert (number + offset) % 10 == number
