"""One motion without a file: what the options become."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.config.one_motion import OneMotion, one_motion_config
from arena.errors import ConfigError, UnknownName
from motions import load

ASKED = OneMotion(motion="Cities should ban cars", a="offline/strong", b="offline/fair")


def test_the_entry_is_one_matchup_without_a_search_before_debatrix() -> None:
    resolved = one_motion_config(ASKED)
    assert [(one.name, one.debater, one.model) for one in resolved.participants] == [
        ("offline/strong", "direct", "offline/strong"),
        ("offline/fair", "direct", "offline/fair"),
    ]
    (bench,) = resolved.benches
    assert (bench.judge, bench.model, bench.runs) == ("debatrix", "offline/strong", 3)
    assert resolved.config.search.kind == "none"
    (motion,) = resolved.motions
    assert (motion.category, motion.motion_set) == ("policy", "command line")
    assert motion.wording("en").text == "Cities should ban cars"


def test_the_same_is_the_same_tournament_and_another_judge_changes_only_the_bench() -> None:
    resolved = one_motion_config(ASKED)
    assert resolved.name.startswith("cities-should-ban-cars.strong-vs-fair.")
    assert one_motion_config(replace(ASKED, motion=" Cities  should ban\ncars ")) == resolved
    judged = one_motion_config(replace(ASKED, judge_model="offline/weak"))
    assert judged.name == resolved.name and judged.motions == resolved.motions
    assert judged.benches[0].name != resolved.benches[0].name


@pytest.mark.parametrize(
    "change",
    [
        {"motion": "Cities should ban bikes"},
        {"a": "offline/good"},
        {"debater": "agent4debate"},
        {"category": "value"},
        {"language": "zh"},
    ],
)
def test_anything_else_is_another_tournament(change: dict[str, Any]) -> None:
    assert one_motion_config(replace(ASKED, **change)).name != one_motion_config(ASKED).name


@pytest.mark.parametrize("change", [{"category": "value"}, {"language": "zh"}])
def test_another_category_or_language_is_another_motion(change: dict[str, Any]) -> None:
    (one,), (other,) = (
        one_motion_config(asked).motions for asked in (ASKED, replace(ASKED, **change))
    )
    assert one.motion_id != other.motion_id, "a stored motion never changes"


@pytest.mark.parametrize(
    ("a", "b", "judge"),
    [
        ("offline/weak", "offline/fair", "offline/strong"),
        ("offline/weak", "openai/gpt-4o", "openai/gpt-4o"),
        ("openai/gpt-4o", "openai/gpt-4o-mini", "openai/gpt-4o"),
    ],
)
def test_a_real_model_judges_where_there_is_one(a: str, b: str, judge: str) -> None:
    assert one_motion_config(replace(ASKED, a=a, b=b)).benches[0].model == judge


def test_a_chinese_motion_is_debated_in_chinese() -> None:
    resolved = one_motion_config(replace(ASKED, motion="城市应该禁止私家车"))
    assert resolved.config.tournament.languages == ["zh"]
    assert resolved.name.startswith("城市应该禁止私家车.")


def test_a_model_may_debate_with_itself() -> None:
    resolved = one_motion_config(replace(ASKED, b="offline/strong"))
    assert [one.name for one in resolved.participants] == ["offline/strong-a", "offline/strong-b"]


def test_the_id_of_a_shipped_motion_stands_for_it() -> None:
    shipped = load("arena66").motions[0]
    asked = replace(ASKED, motion=shipped.motion_id, language="zh")
    resolved = one_motion_config(asked)
    assert resolved.motions == (shipped,)
    assert resolved.config.tournament.languages == ["zh"]
    with pytest.raises(
        ConfigError,
        match="--category 'value' does not fit: .* arena66-fact-01 is in the category fact",
    ):
        one_motion_config(replace(asked, category="value"))


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=200), st.text(min_size=1, max_size=90))
def test_any_text_and_model_make_a_name(text: str, model: str) -> None:
    asked = replace(ASKED, motion=f"x{text}", a=f"openai/{model.replace('*', '')}x")
    resolved = one_motion_config(replace(asked, judge_model="offline/fair"))
    assert 0 < len(resolved.name) <= 80


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"motion": " \n"}, "--motion is blank"),
        ({"a": "gpt-4o"}, "--a: 'gpt-4o' has no provider. Write provider/name"),
        ({"b": "offline/best"}, "--b: unknown simulated model 'offline/best'. Known: offline/fair"),
        ({"judge_model": "x"}, "--judge-model: 'x' has no provider"),
        ({"debater": "human"}, "--debater: 'human' uses no model, but --a and --b name two."),
        ({"debater": "debat3r"}, "--debater: unknown debater 'debat3r'. Known: agent4debate"),
    ],
)
def test_what_cannot_be_played_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises((ConfigError, UnknownName)) as caught:
        one_motion_config(replace(ASKED, **change))
    assert str(caught.value).startswith(message)


def test_until_decided_is_a_target_that_two_participants_reach() -> None:
    config = one_motion_config(replace(ASKED, until_decided=True)).config
    assert config.target is not None and config.target.objective == "ranking"
    assert (config.schedule.kind, config.schedule.matchups) == ("adaptive", 60)
    assert one_motion_config(ASKED).config.target is None
    assert (
        one_motion_config(replace(ASKED, until_decided=True)).name == one_motion_config(ASKED).name
    )
