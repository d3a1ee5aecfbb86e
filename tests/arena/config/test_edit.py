"""Participants, models and schedules added to the text of a configuration."""

from __future__ import annotations

import tomllib

import pytest

from arena.config.edit import add_model, add_participant, make_model_keys, set_schedule
from arena.config.load import shipped_configs
from arena.errors import ConfigError
from tests.support.tournaments import SMALL

NEW = {"name": "Ümit's", "debater": "direct", "model": "offline/weak"}
TABLE = '\n[[participants]]\nname = "Ümit\'s"\ndebater = "direct"\nmodel = "offline/weak"\n'
LINES = """\
participants = [
  { name = "a", debater = "direct", model = "x/y" },  # the first
  { name = "b", debater = "direct", model = "x/y" }%s
]  # all of them
benches = []
"""
ONE_LINE = 'participants = [{ name = "a" }, { name = "b" }]  # both\n'
NESTED = """\
[[participants]]
name = "a"
[participants.sampling]
temperature = 0.1  # hot

# A bench judges.
[[benches]]
name = "b"
"""
TEXTS = {
    **shipped_configs(),
    "small": SMALL,
    "lines": LINES % ",",
    "no last comma": LINES % "",
    "one line": ONE_LINE,
    "nested": NESTED,
    "at the end": SMALL.split("[[benches]]")[0].rstrip(),
    "a comment at the end": '[[participants]]\nname = "a"\n\n# That is all.\n',
    "carriage returns": SMALL.replace("\n", "\r\n"),
}


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_one_participant_is_added_and_nothing_else_changes(name: str) -> None:
    text = TEXTS[name]
    changed = add_participant(text, NEW, where="own.toml")
    expected = tomllib.loads(text)
    expected["participants"].append(NEW)
    assert tomllib.loads(changed) == expected


@pytest.mark.parametrize("name", sorted(set(TEXTS) - {"one line", "no last comma"}))
def test_every_line_stays_as_it_is_where_it_is(name: str) -> None:
    lines = TEXTS[name].splitlines()
    changed = add_participant(TEXTS[name], NEW, where="own.toml").splitlines()
    added = len(changed) - len(lines)
    (place,) = {n for n in range(len(lines) + 1) if changed[:n] + changed[n + added :] == lines} - {
        n for n in range(len(lines)) if changed[: n + 1] + changed[n + 1 + added :] == lines
    }
    assert any("Ümit" in line for line in changed[place - 1 : place + added])


@pytest.mark.parametrize("name", ["starter", "nested"])
def test_a_comment_stays_with_what_it_is_about(name: str) -> None:
    text = TEXTS[name]
    remark = next(line for line in text.splitlines() if line.startswith("# A bench"))
    changed = add_participant(text, NEW, where="own.toml")
    assert f"{TABLE}\n{remark}\n[[benches]]" in changed


def test_participants_that_stand_apart_are_not_moved_together() -> None:
    apart = '[[participants]]\nname = "a"\n[[benches]]\nname = "b"\n[[participants]]\nname = "c"\n'
    with pytest.raises(ConfigError) as caught:
        add_participant(apart, NEW, where="own.toml")
    text = str(caught.value)
    assert text.startswith("own.toml: a participant cannot be added without changing ")
    assert tomllib.loads(text.partition("by hand:\n")[2])["participants"] == [NEW]


MODEL = {"api_base": "http://h/v1", "api_key": "env:K", "usd_per_million": {"input": 1.0}}
GAUNTLET = {"kind": "gauntlet", "newcomers": ["new"], "matchups_per_pair": 2}


@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
def test_a_models_table_is_added_and_all_else_stays(text: str) -> None:
    changed = add_model(text, "openai/my model", MODEL, where="f.toml")
    assert changed.startswith(text.rstrip())
    content = tomllib.loads(changed)
    assert content["models"].pop("openai/my model") == MODEL
    assert (content if content["models"] else {**content, "models": {}}) == {
        "models": {},
        **tomllib.loads(text),
    }
    with pytest.raises(ConfigError, match="in the file already"):
        add_model(changed, "openai/my model", MODEL, where="f.toml")


@pytest.mark.parametrize("text", [*shipped_configs().values(), SMALL, NESTED])
def test_a_schedule_is_replaced_but_for_the_keys_of_all_kinds(text: str) -> None:
    content = tomllib.loads(text)
    kept = {"concurrency", "window"} & content.get("schedule", {}).keys()
    content["schedule"] = {key: content["schedule"][key] for key in kept} | GAUNTLET
    assert tomllib.loads(set_schedule(text, GAUNTLET, where="f.toml")) == content


def test_what_is_not_said_is_not_written() -> None:
    assert make_model_keys() == {}
    assert make_model_keys(address=" http://host/v1 ", variable=" ") == {
        "api_base": "http://host/v1"
    }


def test_free_models_have_a_price_too() -> None:
    assert make_model_keys(input_price=0, output_price=0) == {
        "usd_per_million": {"input": 0, "output": 0}
    }


def test_half_a_price_and_a_key_itself_are_refused() -> None:
    with pytest.raises(ConfigError, match="both prices"):
        make_model_keys(input_price=1)
    with pytest.raises(ConfigError, match="no name of an environment variable") as refused:
        make_model_keys(variable="sk-12-secret")
    assert "secret" not in str(refused.value)
