"""docs/debaters.md describes every debater with the options that it takes."""

from __future__ import annotations

import re
from importlib.metadata import entry_points
from pathlib import Path

from arena.debaters.roles import RoleOptions
from arena.plugins import debater_class
from arena.presets import PresetOptions

PAGE = (Path(__file__).parents[1] / "docs" / "debaters.md").read_text("utf-8")
HEAD = "| name | how it makes a speech | options (defaults) | temperature | source |"


def test_the_table_of_debaters_has_each_with_its_options() -> None:
    table = PAGE.partition(HEAD)[2].partition("\n\n")[0]
    rows = {
        cells[0].strip("` "): cells
        for cells in (line.strip("|").split(" | ") for line in table.splitlines()[2:])
    }
    own = [
        point.name
        for point in entry_points(group="arena.debaters")
        if point.value.startswith("arena.debaters.")
    ]
    assert sorted(rows) == sorted(own)
    for name, cells in rows.items():
        described, options = cells[1], set(re.findall(r"`(\w+)`", cells[2]))
        assert re.search(r"[a-z]{3}", described), f"{name}: {described!r} describes nothing"
        common = {*RoleOptions.model_fields, *PresetOptions.model_fields}
        assert options == set(debater_class(name).Options.model_fields) - common, name
