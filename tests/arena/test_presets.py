"""Presets of the papers: options, and the page that lists what they change."""

from __future__ import annotations

import re
from importlib.metadata import entry_points
from pathlib import Path
from typing import ClassVar

import pytest
from pydantic import BaseModel, ValidationError

from arena.plugins import debater_class, judge_class
from arena.presets import PresetOptions, has_preset

_PAGE = (Path(__file__).parents[2] / "docs" / "departures.md").read_text("utf-8")
_ABLE: dict[str, type[BaseModel]] = {
    f'{kind} = "{point.name}"': load(point.name).Options
    for group, kind, load in (
        ("arena.debaters", "debater", debater_class),
        ("arena.judges", "judge", judge_class),
    )
    for point in entry_points(group=group)
    if has_preset(load(point.name).Options)
}


class Team(PresetOptions):
    paper: ClassVar = {"rounds": 5}
    rounds: int = 3
    size: int = 2


def test_a_preset_fills_in_what_is_left_out_and_yields_to_what_is_given() -> None:
    assert Team().rounds == 3
    assert Team(preset="paper") == Team(preset="paper", rounds=5)
    assert Team(preset="paper", rounds=4, size=1).rounds == 4
    with pytest.raises(ValidationError, match="'paper'"):
        Team.model_validate({"preset": "thesis"})


@pytest.mark.parametrize("name", _ABLE)
def test_a_value_beside_a_preset_is_still_there_when_it_is_stored_and_read(name: str) -> None:
    form = _ABLE[name]
    for option, value in getattr(form, "paper", {}).items():
        default = getattr(form(), option)
        given = form.model_validate({"preset": "paper", option: default})
        assert (given == form.model_validate({"preset": "paper"})) is (value == default)
        assert form.model_validate(given.model_dump(mode="json")) == given


def changed_options(form: type[BaseModel]) -> dict[str, tuple[str, str]]:
    """The options to which a preset gives another value: what the page calls both."""
    paper, default = form.model_validate({"preset": "paper"}), form()
    values = {name: (getattr(paper, name), getattr(default, name)) for name in form.model_fields}
    del values["preset"]
    return {
        name: (written(papers), written(defaults))
        for name, (papers, defaults) in values.items()
        if papers != defaults
    }


def written(value: object) -> str:
    """The last part of a model's name; another value as it is, an empty one as `none`."""
    return re.split("[/:]", str(value))[-1] or "none"


@pytest.mark.parametrize("name", _ABLE)
def test_every_option_that_a_preset_changes_has_a_row_with_both_values(name: str) -> None:
    (section,) = (part for part in _PAGE.split("\n## ") if f"`{name}`" in part)
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line[:2] == "| "]
    for option, (papers, defaults) in changed_options(_ABLE[name]).items():
        (row,) = (row for row in rows if f"(`{option}`)" in row[0] and defaults in row[-1])
        as_the_paper = row[2] in ("the same", "as in the paper")
        assert papers in row[1 if as_the_paper else 2], row


def test_everything_with_a_preset_is_on_the_page_of_departures() -> None:
    assert 'judge = "debatrix"' in _ABLE
    assert set(re.findall(r'`((?:debater|judge) = "\w+")`', _PAGE)) == set(_ABLE)
