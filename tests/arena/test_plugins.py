"""Debaters and judges made from their names and options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from pydantic import ValidationError

from arena.debaters.agent4debate import Agent4Debate
from arena.errors import UnknownName
from arena.plugins import debater_options, judge_options, make_judge
from judges.methods.debatrix import Debatrix
from judges.methods.debatrix import Options as DebatrixOptions


def test_a_judge_is_made_with_its_options() -> None:
    judge = make_judge("debatrix", {"preset": "arena"})
    assert isinstance(judge, Debatrix)
    assert judge.options == DebatrixOptions(preset="arena")


def test_a_debaters_options_are_those_of_its_framework() -> None:
    options = debater_options("agent4debate", {"reviewer": False})
    assert options == Agent4Debate.Options.model_validate({"reviewer": False})


@pytest.mark.parametrize("parse", [debater_options, judge_options, make_judge])
def test_an_unknown_name_is_refused(parse: Callable[[str, Mapping[str, Any]], object]) -> None:
    with pytest.raises(UnknownName):
        parse("nobody", {})


def test_an_unknown_option_is_refused() -> None:
    for parse, name in ((debater_options, "agent4debate"), (judge_options, "debatrix")):
        with pytest.raises(ValidationError):
            parse(name, {"nonsense": 1})
