"""examples/paper.toml: the arena of the paper, planned and priced without any key."""

from __future__ import annotations

import os
import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from arena.boards.vote_rules import vote_rules
from arena.config.load import load_config, parse_config, shipped_configs
from arena.config.resolve import resolve
from arena.errors import MissingPrice
from arena.llm.litellm_backend import LiteLLMBackend
from arena.llm.settings import ModelSettings
from arena.people.speakers import read_pools
from tests.support.command_line import done, refused

PAPER = load_config("paper")
TEXT = shipped_configs()["paper"]


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key of any provider is set."""
    for name in list(os.environ):
        if name.endswith("_API_KEY"):
            monkeypatch.delenv(name)


def test_it_is_the_arena_of_the_paper() -> None:
    debaters = Counter(one.debater for one in PAPER.participants)
    assert debaters == {"agent4debate": 7, "baseline": 2}
    models = {one.model for one in PAPER.participants if one.debater == "agent4debate"}
    assert len(models) == 7
    assert {one.model for one in PAPER.participants if one.debater == "baseline"} < models
    (bench,) = PAPER.benches
    assert (bench.judge, bench.model, bench.runs) == ("debatrix", "openai/gpt-4o-mini", 3)
    assert PAPER.sampling.model_dump(exclude_none=True) == {"temperature": 0.2, "top_p": 0.75}
    assert (PAPER.tournament.languages, PAPER.tournament.motions) == (["zh"], "arena66")
    assert (PAPER.schedule.kind, PAPER.schedule.matchups) == ("random", 100)


def test_its_plan_and_cost_need_no_key(tmp_path: Path) -> None:
    printed = done("run", "paper", "--dry-run", "--db", tmp_path / "own.duckdb")
    assert printed.startswith("Tournament 'paper' in ")
    assert "9 participants, 66 motions in zh; benches: debatrix (debatrix, 3 runs)" in printed
    assert "random pairs: 100 matchups drawn; a participant plays " in printed
    assert "200 debates in 100 matchups of two legs; 0 done, 200 to play, 600 ballots" in printed
    usd = re.search(r"^  USD +([\d.,]+) +([\d.,]+) +([\d.,]+)$", printed, re.MULTILINE)
    assert usd is not None
    low, expected, high = (float(one.replace(",", "")) for one in usd.groups())
    assert 0 < low <= expected <= high
    assert expected < (PAPER.limits.usd or 0), "the cap does not stop what is expected"
    assert list(tmp_path.iterdir()) == []


def test_playing_it_names_every_key_that_it_needs(tmp_path: Path) -> None:
    message = refused("run", "paper", "--yes", "--db", tmp_path / "own.duckdb")
    providers = ("OPENAI", "ANTHROPIC", "GEMINI", "DEEPSEEK", "FIREWORKS_AI", "ZAI")
    assert all(f"{name}_API_KEY" in message for name in providers)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("model", sorted(PAPER.models))
def test_only_what_litellm_has_no_price_for_has_one_here(model: str) -> None:
    with pytest.raises(MissingPrice):
        LiteLLMBackend({model: ModelSettings()}).price(model)


@pytest.mark.parametrize("model", sorted(set(re.findall(r"# now: (\S+)", TEXT))))
def test_what_may_stand_in_has_a_provider_and_a_price(model: str) -> None:
    first, second = LiteLLMBackend({}).price(model)
    assert 0 < first <= second


def test_every_price_names_its_source() -> None:
    for place in re.finditer(r"^usd_per_million", TEXT, re.MULTILINE):
        above = TEXT[: place.start()].split("\n\n")
        assert any(re.search(r"# .*(\.com|\.dev|\.cn)/", block) for block in above[-2:])


def test_its_people_are_in_the_comment_at_its_end() -> None:
    head, mark, comment = TEXT.partition("# With people, ")
    assert mark
    lines = [line.removeprefix("#").removeprefix(" ") for line in comment.splitlines()[1:]]
    config = parse_config(tomllib.loads(head + "\n".join(lines)), where="paper")
    with_people = resolve(config, where="paper")
    assert len(with_people.participants) == 10
    assert read_pools(with_people) == {"Human": ("ann", "bob")}
    assert vote_rules(with_people.benches) == {"people": "majority"}
    assert config.speaking is not None and config.speaking.preparation == 2 * 24 * 3600
    assert config.transcription is not None and config.transcription.model == "whisper-1"
