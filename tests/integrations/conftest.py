"""The libraries of other people's tools; tests of one that is not installed are skipped."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def library(request: pytest.FixtureRequest) -> ModuleType:
    """The library that a module of tests names as `LIBRARY`."""
    name = request.module.LIBRARY
    if find_spec(name.partition(".")[0]) is None:
        pytest.skip(f"{name} is not installed: make .venv/integrations")
    return import_module(name)
