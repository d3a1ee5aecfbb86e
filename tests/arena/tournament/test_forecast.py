"""What a plan says it will take, from what each debater and judge says of itself."""

from __future__ import annotations

from typing import Any

import pytest

from arena.config.load import parse_config
from arena.debater import Forecast
from arena.debaters.direct import Direct
from arena.debaters.mad import MultiAgentDebate
from arena.errors import ConfigError
from arena.languages import STAGES
from arena.llm.budget import Budget
from arena.tournament.forecast import CallForecast, estimate
from arena.tournament.models import Models
from tests.support.tournaments import ONE_EACH, bare_debate, changed, content, resolved_of

CHEAP, DEAR = (1e-6, 2e-6), (1e-5, 4e-5)


def roles(**models: str) -> dict[str, Any]:
    config = changed(content("ann", "bob"), ["participants", 0, "debater"], "mad")
    return changed(config, ["participants", 0, "options"], {"models": models})


def price(model: str) -> tuple[float, float]:
    return DEAR if model == "offline/strong" else CHEAP


def usd(forecast: Forecast, each: tuple[float, float]) -> float:
    return float(forecast.input_tokens[1] * each[0] + forecast.output_tokens[1] * each[1])


@pytest.mark.parametrize(("judge", "each"), [("offline/weak", CHEAP), ("offline/strong", DEAR)])
def test_a_participant_of_several_models_is_planned_at_the_dearest(
    judge: str, each: tuple[float, float]
) -> None:
    resolved = resolved_of(roles(judge=judge))
    ann, bob = (one.participant_id for one in resolved.participants)
    debate = bare_debate(ann, bob)
    result = estimate(resolved, [debate], ballots=[], price=price)
    mine = MultiAgentDebate.forecast(MultiAgentDebate.Options.model_validate({}), 600)
    theirs = Direct.forecast(Direct.Options(), 600)
    assert result.usd[1] == pytest.approx(usd(mine, each) + usd(theirs, CHEAP))
    assert result.calls[1] == mine.calls[1] + theirs.calls[1]
    again = 2 * len(STAGES)  # each speech of both sides may be asked for once more
    assert result.calls[2] == mine.calls[2] + theirs.calls[2] + again
    assert result.calls[0] == mine.calls[0] + theirs.calls[0]


def test_models_of_roles_are_looked_for_before_anything_is_played() -> None:
    config = parse_config(roles(judge="offline/wise"), where="own.toml")
    models = Models(config, ONE_EACH, budget=Budget())
    with pytest.raises(ConfigError, match="offline/wise"):
        models.check()


def test_the_calls_of_all_debates_and_ballots_add_up_to_the_plan() -> None:
    config = changed(roles(judge="offline/weak"), ["benches", 0, "model"], "offline/strong")
    resolved = resolved_of(config)
    ann, bob = (one.participant_id for one in resolved.participants)
    debates = [bare_debate(ann, bob), bare_debate(bob, ann)]
    forecast = CallForecast(resolved)
    single = [*map(forecast.debate, debates), forecast.ballot("bench"), forecast.ballot("bench")]
    planned = estimate(resolved, debates, ballots=["bench", "bench"], price=price)
    assert sum(sum(calls.values()) for calls in single) == pytest.approx(planned.calls[1])
    assert set(forecast.debate(debates[0])) == {"offline/fair"}
    assert set(forecast.ballot("bench")) == {"offline/strong"}
