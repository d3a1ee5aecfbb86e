"""One test of many cases that are alike, which reports all faults and not only the first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product

import pytest


def for_every(*cases: Iterable[object]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Turn a check of one case into one test of all cases.

    Args:
        cases: what the check is given; a tuple is unpacked into several arguments. Of several
            such collections, every combination is checked.
    """
    given = [
        tuple(value for part in parts for value in (part if isinstance(part, tuple) else (part,)))
        for parts in product(*cases)
    ]

    def test_of(check: Callable[..., None]) -> Callable[[], None]:
        def test() -> None:
            assert given, "there are no cases"
            faults = [fault for case in given if (fault := _fault(check, case))]
            if faults:
                pytest.fail(f"{len(faults)} of {len(given)} cases:\n" + "\n".join(faults), False)

        test.__name__, test.__qualname__ = check.__name__, check.__qualname__
        test.__doc__, test.__module__ = check.__doc__, check.__module__
        return test

    return test_of


def _fault(check: Callable[..., None], case: tuple[object, ...]) -> str:
    try:
        check(*case)
    except Exception as error:  # noqa: BLE001 - reported with all others
        named = ", ".join(str(value)[:100] for value in case)
        return f"{named}: {type(error).__name__}: {error}"
    return ""
