"""One test of many cases that are alike, which reports all faults and not only the first."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Awaitable, Callable, Iterable, Mapping
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import pytest

Case: TypeAlias = tuple[object, ...]
Check: TypeAlias = Callable[..., None] | Callable[..., Awaitable[None]]
#: What a check can fail with; `pytest.raises` does not raise an `Exception`.
_FAULTS = (Exception, pytest.fail.Exception)


def for_every(*cases: Iterable[object]) -> Callable[[Check], Callable[..., Any]]:
    """Turn a check of one case into one test of all cases.

    A check may be asynchronous. Parameters after those of the case are fixtures: the same for
    every case, except `tmp_path`, which is an empty folder of each case's own.

    Args:
        cases: what the check is given; a tuple is unpacked into several arguments. Of several
            such collections, every combination is checked.
    """
    values: list[Case] = [
        tuple(value for part in parts for value in (part if isinstance(part, tuple) else (part,)))
        for parts in product(*cases)
    ]

    def test_of(check: Check) -> Callable[..., Any]:
        parameters = list(inspect.signature(check).parameters.values())
        of_fixtures = parameters[len(values[0]) if values else len(parameters) :]
        test = (
            _awaiting(check, values)
            if inspect.iscoroutinefunction(check)
            else _calling(check, values)
        )
        test.__name__, test.__qualname__ = check.__name__, check.__qualname__
        test.__doc__, test.__module__ = check.__doc__, check.__module__
        test.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [part.replace(kind=inspect.Parameter.KEYWORD_ONLY) for part in of_fixtures]
        )
        return test

    return test_of


def _calling(check: Callable[..., Any], cases: list[Case]) -> Callable[..., Any]:
    def test(**fixtures: object) -> None:
        faults = []
        for number, case in enumerate(cases):
            try:
                check(*case, **_own(fixtures, number))
            except _FAULTS as error:
                faults.append(_described(case, error))
        _report(faults, len(cases))

    return test


def _awaiting(check: Callable[..., Any], cases: list[Case]) -> Callable[..., Any]:
    async def test(**fixtures: object) -> None:
        faults = []
        for number, case in enumerate(cases):
            try:
                await check(*case, **_own(fixtures, number))
            except _FAULTS as error:
                faults.append(_described(case, error))
        _report(faults, len(cases))

    return test


def _own(fixtures: Mapping[str, object], number: int) -> dict[str, object]:
    """The fixtures of a case: a folder of its own among them."""
    if not isinstance(shared := fixtures.get("tmp_path"), Path):
        return dict(fixtures)
    folder = shared / f"case{number}"
    folder.mkdir()
    return {**fixtures, "tmp_path": folder}


def _described(case: Case, error: BaseException) -> str:
    named = ", ".join(_shortened(str(value)) for value in case)
    line = traceback.extract_tb(error.__traceback__)[1].lineno
    return f"{named}: line {line}: {type(error).__name__}: {error}"


def _shortened(text: str) -> str:
    """Both ends of a long text: long cases often begin alike."""
    return text if len(text) <= 100 else f"{text[:50]} ... {text[-50:]}"


def _report(faults: list[str], cases: int) -> None:
    assert cases, "there are no cases"
    if faults:
        pytest.fail(f"{len(faults)} of {cases} cases:\n" + "\n".join(faults), False)
