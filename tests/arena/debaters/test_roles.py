"""Models and sampling per role: who uses them, what is refused, and what identities they make."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from arena.config.load import parse_config
from arena.config.resolve import resolve
from arena.debater import Turn
from arena.debaters.roles import RoleDebater
from arena.errors import ConfigError
from arena.llm.request import Request
from arena.plugins import debater_class
from tests.support.case_lists import for_every
from tests.support.debate_seats import SAMPLING, language_model, seat
from tests.support.debaters_at_work import AtWork
from tests.support.registered_debaters import CASES, at_work

#: The roles of each debater, and the agents in the paths of its calls that belong to them.
ROLES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "agent4debate": {name: (name,) for name in ("searcher", "analyzer", "writer", "reviewer")},
    "cot_plan": {"planner": ("planner",), "writer": ("writer",)},
    "self_reflect": {"writer": ("writer",), "reviewer": ("reviewer",)},
    "self_consistency": {"writer": ("writer",), "chooser": ("chooser",)},
    "rerank": {"writer": ("writer",), "chooser": ("chooser",)},
    "americano": {name: (name,) for name in ("writer", "reviewer", "composer")},
    "mad": {name: (name,) for name in ("affirmative", "negative", "judge")},
    "debate_to_write": {
        "member": ("member",),
        "critic": ("critic",),
        "planner": ("planner", "personas", "selector"),
        "writer": ("writer",),
    },
}
PAIRS = [(name, role) for name, roles in ROLES.items() for role in roles]
#: Participants' identities before roles had models (the defaults of each debater).
IDENTITIES = {
    "agent4debate": "9a35b8485897da02",
    "americano": "049e6a53641a0d9c",
    "baseline": "a10788ca84abda6d",
    "cot": "3481f91c85d47b12",
    "cot_plan": "7b5970c4d0b28e35",
    "debate_to_write": "842b6152a06170ab",
    "direct": "9ebd6e9a64da62c4",
    "mad": "3cb10ebc74c1639f",
    "rerank": "7fd7513972fdc9cf",
    "self_consistency": "25eed994d5bde834",
    "self_reflect": "8172b01d4651eb8f",
}


def agent_of(request: Request) -> str:
    return request.path.split("/")[2]


async def requests(name: str, folder: Path, **options: object) -> list[Request]:
    made = at_work(name)
    framework = debater_class(name)
    work = AtWork(framework, None, **options)
    work.backend.script = made.backend.script
    await work.play(folder, "constructive")
    return work.backend.requests


def test_no_debater_with_roles_is_missing() -> None:
    assert set(ROLES) == {
        name for name, _ in CASES.values() if issubclass(debater_class(name), RoleDebater)
    }


@for_every(PAIRS)
async def test_a_role_uses_its_model_and_sampling_and_nobody_else(
    name: str, role: str, tmp_path: Path
) -> None:
    asked = await requests(
        name, tmp_path, models={role: "other/one"}, sampling={role: {"temperature": 0.0}}
    )
    its_own = {agent_of(request) for request in asked if request.model == "other/one"}
    assert its_own == set(ROLES[name][role])
    assert {request.model for request in asked} == {"other/one", "scripted/model"}
    for request in asked:
        expected = 0.0 if request.model == "other/one" else SAMPLING.temperature
        assert request.sampling.temperature == expected
        assert request.sampling.top_p == SAMPLING.top_p


@for_every(ROLES)
def test_its_models_are_listed(name: str) -> None:
    framework = debater_class(name)
    role, other = list(ROLES[name])[:2]
    options = framework.Options.model_validate({"models": {role: "a/b", other: "c/d"}})
    assert set(framework.models(options)) == {"a/b", "c/d"}
    assert framework.models(framework.Options()) == ()


FILE = """
[tournament]
name = "t"
[[participants]]
name = "x"
debater = "{debater}"
model = "offline/good"
options = {options}
[[participants]]
name = "y"
debater = "direct"
model = "offline/good"
[[benches]]
name = "b"
judge = "debatrix"
model = "offline/good"
"""


def participant(debater: str, options: str = "{}") -> str:
    content = tomllib.loads(FILE.format(debater=debater, options=options))
    config = parse_config(content, where="f.toml")
    return resolve(config, where="f.toml").participants[0].participant_id


@for_every(IDENTITIES)
def test_identities_without_roles_stay(name: str) -> None:
    assert participant(name) == IDENTITIES[name]
    if name in ROLES:
        assert participant(name, "{ models = {}, sampling = {} }") == IDENTITIES[name]


@for_every(ROLES)
def test_a_role_of_its_own_makes_another_participant(name: str) -> None:
    role = next(iter(ROLES[name]))
    other = {
        participant(name),
        participant(name, f'{{ models = {{ {role} = "offline/weak" }} }}'),
        participant(name, f"{{ sampling = {{ {role} = {{ temperature = 0.5 }} }} }}"),
    }
    assert len(other) == 3


@for_every(ROLES)
def test_an_unknown_role_is_one_clear_error(name: str) -> None:
    for options in (
        '{ models = { jury = "offline/weak" } }',
        "{ sampling = { jury = { top_p = 0.5 } } }",
    ):
        with pytest.raises(ConfigError) as error:
            participant(name, options)
        message = str(error.value)
        assert "participants[1].options." in message and "unknown role 'jury'" in message
        assert all(role in message for role in ROLES[name])


@pytest.mark.parametrize(
    "options",
    [
        '{ models = { writer = "gpt" } }',
        '{ models = { writer = "openai/gpt-4o" } }',
        '{ models = { writer = "" } }',
        "{ models = { writer = 3 } }",
        "{ sampling = { writer = { temperature = 3.0 } } }",
        "{ sampling = { writer = { heat = 1.0 } } }",
        "{ sampling = { writer = 0.3 } }",
    ],
)
def test_bad_models_and_sampling_are_refused(options: str) -> None:
    with pytest.raises(ConfigError, match=r"participants\[1\]\.options"):
        participant("agent4debate", options)


async def test_questions_use_the_roles_too(tmp_path: Path) -> None:
    framework = debater_class("self_reflect")
    work = AtWork(framework, None, models={"writer": "other/one"})
    work.backend.script = lambda request: (
        '{"answer": "4"}' if agent_of(request) == "writer" else '{"marker": "accept"}'
    )
    place = seat(language_model(work.backend, tmp_path))
    options = framework.Options.model_validate({"models": {"writer": "other/one"}})
    await framework(place, options).speak(Turn(stage="answer", disclosed=()))
    used = {agent_of(request): request.model for request in work.backend.requests}
    assert used == {"writer": "other/one", "reviewer": "scripted/model"}
