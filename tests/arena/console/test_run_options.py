"""The options of commands that spend money."""

from __future__ import annotations

import click
import pytest

from arena.console.run_options import SpendingCap


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "0", "-1", "much"])
def test_what_is_no_amount_is_no_cap(text: str) -> None:
    with pytest.raises(click.BadParameter):
        SpendingCap().convert(text, None, None)


def test_a_cap_is_a_number() -> None:
    assert SpendingCap().convert("2.5", None, None) == 2.5
