"""Addresses of a site's pages: file names everywhere, and different for different names."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from arena.publish import addresses

NAMES = st.text(min_size=1, max_size=200)


@given(NAMES, NAMES)
@example("GPT", "gpt")
@example("a/b", "a-b")
@example("x" * 100 + "1", "x" * 100 + "2")
def test_different_names_have_different_addresses(first: str, second: str) -> None:
    assert (addresses.slug(first) == addresses.slug(second)) == (first == second)


@given(NAMES)
@example("..")
@example("con")
@example("aux.model")
@example("")
def test_an_address_is_a_file_name_on_every_system(name: str) -> None:
    slug = addresses.slug(name)
    assert re.fullmatch(r"[a-z0-9._-]{1,80}", slug)
    assert not slug.startswith(".") and not slug.endswith(".")
    assert slug.split(".")[0] not in {"con", "prn", "aux", "nul"}


def test_a_pair_has_one_address_in_either_order() -> None:
    assert addresses.pair_page("b", "a") == addresses.pair_page("a", "b") == "pairs/a/b.html"
