"""The page of the judges: all of them, every option, and a configuration that is one."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

from arena.config.load import parse_config
from arena.config.resolve import resolve
from arena.plugins import judge_class
from tests.support.tournaments import ONE_EACH, content

_PAGE = (Path(__file__).parents[1] / "docs" / "judges.md").read_text("utf-8")
_OWN = {one.name for one in entry_points(group="arena.judges") if one.value.startswith("judges.")}
#: Those that judge debates.
_DEBATES = {name for name in _OWN if "debate" in judge_class(name).contests}


def benches() -> list[dict[str, object]]:
    (text,) = re.findall(r"```toml\n(.*?)```", _PAGE, re.DOTALL)
    found: list[dict[str, object]] = tomllib.loads(text)["benches"]
    return found


def test_every_judge_has_a_row_and_a_bench() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", _PAGE, re.MULTILINE)) == _OWN
    assert {bench["judge"] for bench in benches()} == _DEBATES


def test_the_benches_are_a_configuration() -> None:
    config = parse_config({**content(), "benches": benches()}, where="page")
    resolved = resolve(config, where="page", motions=ONE_EACH)
    assert len(resolved.benches) == len(_DEBATES)
    assert "gemini/gemini-2.5-flash" in resolved.models


def test_every_option_is_on_the_page() -> None:
    for bench in benches():
        for option in judge_class(str(bench["judge"])).Options.model_fields:
            assert re.search(rf"\b{option}\b", _PAGE), (bench["judge"], option)
