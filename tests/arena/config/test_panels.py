"""Families of models, and benches that may not judge their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.config.panels import check_panels
from arena.debates.families import model_families
from arena.errors import ConfigError
from arena.languages import Side
from arena.plugins import participant_models
from arena.records import Participant, family_of, family_words
from arena.store.database import Store
from arena.tournament.forecast import estimate
from arena.tournament.plan import make_plan
from tests.handmade import changed, content, resolved_of
from tests.scripted import ScriptedBackend
from tests.taking import answer, take


@pytest.mark.parametrize(
    ("model", "family", "words"),
    [
        ("openai/gpt-4o-mini", "gpt", {"openai", "gpt"}),
        ("openrouter/Anthropic/claude-haiku", "claude", {"openrouter", "anthropic", "claude"}),
        ("offline/fair", "fair", {"offline", "fair"}),
        ("", "", set()),
    ],
)
def test_a_family_is_told_by_the_models_name(model: str, family: str, words: set[str]) -> None:
    assert family_of(model) == family
    assert family_words([model]) == words
    assert family_words([model, "x/y-1"]) == words | {"x", "y"}


def with_jury(*models: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    members = [{"judge": "single", "model": model} for model in models]
    bench = {
        "name": "panel",
        "judge": "jury",
        "model": "offline/fair",
        "options": {"members": members, **more},
    }
    return changed(content(), ["benches"], [bench])


def test_a_bench_that_is_related_to_all_its_debaters_is_refused_by_the_plan(
    tmp_path: Any,  # noqa: ANN401
) -> None:
    store = Store(tmp_path / "own.duckdb")
    resolved = resolved_of(with_jury("offline/fair"))
    with pytest.raises(ConfigError) as caught:
        make_plan(resolved, store)
    assert str(caught.value).startswith(
        "bench 'panel' cannot judge 'ann' and 'bob': each of its members is of a debater's "
        "family (fair). Add a member of another family"
    )
    kept = make_plan(resolved_of(with_jury("offline/fair", leave_out_family=False)), store)
    assert len(kept.debates) == 6
    assert make_plan(resolved_of(with_jury("offline/fair", "offline/good", "offline/weak")), store)


def test_only_the_pairs_that_meet_are_looked_at(tmp_path: Any) -> None:  # noqa: ANN401
    given = with_jury("offline/fair", "offline/good", "offline/good")
    given = changed(given, ["participants", 0, "model"], "offline/good")
    resolved = resolved_of(given)
    check_panels(resolved, [])
    with pytest.raises(ConfigError, match="cannot judge 'ann' and "):
        make_plan(resolved, Store(tmp_path / "own.duckdb"))


def test_a_plan_knows_the_models_of_all_members_and_their_prices() -> None:
    given = with_jury("house/dear-1", "offline/good", "house/cheap-1")
    resolved = resolved_of(given)
    assert resolved.models == ["house/cheap-1", "house/dear-1", "offline/fair", "offline/good"]
    prices = {"house/dear-1": (1.0, 1.0), "house/cheap-1": (0.1, 0.1)}
    result = estimate(
        resolved, [], ballots=["panel"], price=lambda model: prices.get(model, (0.0, 0.0))
    )
    assert result.calls.tolist() == [3, 3, 6]
    assert result.usd.tolist() == pytest.approx((1.1 * result.tokens / 3).tolist())


@pytest.mark.parametrize(
    ("member", "message"),
    [
        ({"judge": "single", "model": "gpt-4o"}, "'gpt-4o' has no provider"),
        ({"judge": "single", "model": "offline/best"}, "unknown simulated model 'offline/best'"),
        ({"judge": "oracle"}, "members.0: unknown judge 'oracle'"),
    ],
)
def test_a_member_that_cannot_judge_is_named(member: dict[str, str], message: str) -> None:
    config = changed(with_jury("offline/good"), ["benches", 0, "options", "members"], [member])
    with pytest.raises(ConfigError) as caught:
        resolved_of(config)
    assert message in str(caught.value)
    assert "benches[1].options" in str(caught.value)


def with_mixed_team(config: dict[str, Any]) -> dict[str, Any]:
    """Ann's inner judge is of another family than she is."""
    config = changed(config, ["participants", 0, "debater"], "mad")
    return changed(config, ["participants", 0, "options"], {"models": {"judge": "offline/good"}})


def test_every_model_that_speaks_for_a_participant_is_related_to_it() -> None:
    ann, bob, _ = resolved_of(with_mixed_team(content())).participants
    assert participant_models(ann) == ("offline/fair", "offline/good")
    assert participant_models(Participant(name="pro", debater="", model="")) == ("",)
    assert model_families([ann]) == {"offline", "fair", "good"}
    assert model_families([bob]) == {"offline", "fair"}
    assert model_families([replace(ann, debater="imported", name="x/gpt-4o")]) == {"x", "gpt"}


def test_a_plan_knows_the_families_of_a_debaters_roles(tmp_path: Path) -> None:
    alone = with_jury("offline/good")
    assert make_plan(resolved_of(alone), Store(tmp_path / "own.duckdb"))
    with pytest.raises(ConfigError, match=r"cannot judge 'ann' and .*family \(good\)"):
        make_plan(resolved_of(with_mixed_team(alone)), Store(tmp_path / "own.duckdb"))


async def test_who_is_of_the_family_of_a_debaters_role_does_not_sit(tmp_path: Path) -> None:
    roles = {"models": {"negative": "house/m1"}}
    sides: Mapping[Side, Participant] = {
        "pro": Participant(name="ann", debater="mad", model="house/x", options=roles),
        "con": Participant(name="bob", debater="direct", model="house/y"),
    }
    panel = {"members": [{"judge": "single", "model": f"other/m{n}"} for n in (1, 2, 3)]}
    record = await take("jury", panel, ScriptedBackend(answer), tmp_path, sides=sides)
    assert [step.get("absent") for step in record.ballot.trace] == ["left out: of m1", None, None]
