"""Fixtures of the tests that run a page's script."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="package", autouse=True)
def no_search_for_components() -> Iterator[None]:
    """Streamlit does not read the metadata of all installed packages for each page."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "streamlit.components.v2.manifest_scanner.scan_component_manifests", lambda: []
        )
        yield
