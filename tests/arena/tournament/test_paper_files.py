"""The files of the papers' experiments: planned and priced without any key and any network."""

from __future__ import annotations

import os
import re
import socket
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from arena.boards.vote_rules import vote_rules
from arena.config.load import load_config, parse_config, shipped_configs
from arena.config.resolve import resolve
from arena.errors import MissingPrice
from arena.llm.provider_backend import ProviderBackend
from arena.llm.settings import ModelSettings
from arena.papers.published import published_table
from arena.people.speakers import read_pools
from judges.studies.labelled.evaluation_plan import example_benches, read_benches
from tests.support.command_line import done, refused

FILES = sorted(name for name in shipped_configs() if name.startswith("papers/"))
BENCHES = "papers/more-samre"
_EXAMPLES = Path(__file__).parents[3] / "judges" / "examples"
TEXTS = {name: shipped_configs()[name] for name in FILES} | {
    BENCHES: (_EXAMPLES / f"{BENCHES}.toml").read_text("utf-8")
}
#: The arena of Agent4Debate.
PAPER, PAPER_TEXT = load_config("paper"), shipped_configs()["paper"]


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key of any provider is set, and nothing can be connected to."""
    for name in list(os.environ):
        if name.endswith("_API_KEY"):
            monkeypatch.delenv(name)

    def refuse(*_: object) -> None:
        raise AssertionError("a plan connects to nothing")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def expected_usd(printed: str) -> float:
    """Read the expected cost from a plan, and check its range."""
    usd = re.search(r"^  USD +([\d.,]+) +([\d.,]+) +([\d.,]+)$", printed, re.MULTILINE)
    assert usd is not None, printed
    low, expected, high = (float(value.replace(",", "")) for value in usd.groups())
    assert 0 < low <= expected <= high
    return expected


def test_every_paper_has_its_files() -> None:
    papers = {name.removeprefix("papers/").split("-")[0] for name in FILES}
    assert papers == {"agent4debate", "debate", "debatrix", "mad"}
    assert BENCHES in example_benches()


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_plan_and_cost_need_no_key_and_stay_below_the_cap(name: str, tmp_path: Path) -> None:
    printed = done("run", name, "--dry-run", "--db", tmp_path / "own.duckdb")
    assert expected_usd(printed) < (load_config(name).limits.usd or 0)
    assert list(tmp_path.iterdir()) == []
    assert "OPENAI_API_KEY" in refused("run", name, "--yes", "--db", tmp_path / "own.duckdb")


def test_the_bench_set_is_planned_and_priced_too(tmp_path: Path) -> None:
    db = tmp_path / "own.duckdb"
    words = ("judges", "evaluate", "pairs16", "--benches", BENCHES, "--db", db)
    printed = done(*words, "--dry-run")
    assert "0 taken before, 384 to take" in printed
    assert expected_usd(printed) > 1
    assert list(tmp_path.iterdir()) == []
    assert "OPENAI_API_KEY" in refused(*words, "--yes")


@pytest.mark.parametrize("name", ["paper", *sorted(TEXTS)])
def test_only_what_litellm_has_no_price_for_has_one_in_the_file(name: str) -> None:
    models = (
        read_benches(name, languages=["en"], words=100).config.models
        if name == BENCHES
        else load_config(name).models
    )
    for model in models:
        with pytest.raises(MissingPrice):
            ProviderBackend({model: ModelSettings()}).price(model)
    text = TEXTS.get(name, "")  # the sources of the arena's prices stand in other places
    for place in re.finditer(r"^usd_per_million = (.*)$", text, re.MULTILINE):
        if place[1] != "{ input = 0, output = 0 }":
            above = text[: place.start()].split("\n\n")[-1]
            assert re.search(r"# .*\.(com|dev)", above), "the source of a price"
            assert re.search(r"as of \w+[\s#]+20\d\d", above), "the date of a price"


def test_the_ablations_are_those_of_the_published_table() -> None:
    config = load_config("papers/agent4debate-ablations")
    left_out = {key for entry in config.participants for key in entry.options} - {"preset"}
    assert left_out == {"searcher", "analyzer", "reviewer"}
    assert config.schedule.opponents == ["agent4debate"]
    assert 2 * (config.schedule.matchups_per_pair or 0) == 20, "debates of each pair"
    assert config.tournament.most_motions == 5
    assert config.sampling.model_dump(exclude_none=True) == {"temperature": 0.2, "top_p": 0.75}


@pytest.mark.parametrize("name", ["paper", *(one for one in FILES if "/agent4debate-" in one)])
def test_the_files_of_agent4debate_have_its_preset_and_sampling_at_all_models(name: str) -> None:
    resolved = resolve(load_config(name), where=name)
    teams = [one for one in resolved.participants if one.debater == "agent4debate"]
    assert teams and {one.options["preset"] for one in teams} == {"paper"}
    sampled = [one.sampling for one in resolved.participants]
    sampled += [one.sampling for one in resolved.benches]
    assert {(one.temperature, one.top_p) for one in sampled} == {(0.2, 0.75)}


def test_the_benches_are_those_of_the_published_table() -> None:
    benches = read_benches(BENCHES, languages=["en"], words=100).benches
    table = published_table("more_samre", "T1")
    assert len(benches) == len(table.rows) * (len(table.rows[0]) - 1) == 24
    assert len({bench.model for bench in benches}) == len(table.rows)
    kinds = {(bench.judge, bench.options.get("jurors") == 0) for bench in benches}
    assert kinds == {("single", False), ("more", False), ("samre", False), ("samre", True)}
    for bench in benches:
        assert bench.judge == "single" or bench.options["scores"] == "defences", bench.name


def test_the_writers_are_those_of_the_published_table() -> None:
    config = load_config("papers/debate-to-write")
    assert len(config.participants) == 5
    assert {entry.debater for entry in config.participants} == {
        "direct", "cot_plan", "americano", "debate_to_write",
    }  # fmt: skip
    essays = 2 * (len(config.participants) - 1)
    assert essays >= 7, "essays of each participant on each proposition"
    assert config.sampling.temperature == 1


def test_the_later_models_are_those_of_the_published_table() -> None:
    entries = [e for e in load_config("papers/mad-vicuna").participants if e.debater == "mad"]
    named = {
        tuple(
            "Vicuna-13b" if "vicuna" in model else "GPT-3.5-Turbo"
            for model in (entry.model, entry.options.get("models", {}).get("judge", entry.model))
        )
        for entry in entries
    }
    assert named == {
        (debater, judge)
        for debater in ("Vicuna-13b", "GPT-3.5-Turbo")
        for judge in ("Vicuna-13b", "GPT-3.5-Turbo")
    }


@pytest.mark.parametrize(("name", "table"), [("papers/mad-mt", "T3"), ("papers/mad-ciar", "T5")])
def test_the_methods_are_those_of_the_published_table(name: str, table: str) -> None:
    debaters = {entry.debater for entry in load_config(name).participants}
    methods = {row[0] for row in published_table("mad", table).rows}
    assert methods - {"GPT-4", "GPT-3.5-Turbo"} == debaters - {"direct"}


def test_the_models_of_the_judges_are_those_of_the_published_table() -> None:
    rows = set()
    for entry in load_config("papers/mad-judges").participants:
        if entry.debater == "mad":
            models = entry.options.get("models", {})
            roles = (models.get(role, entry.model) for role in ("affirmative", "negative", "judge"))
            rows.add(tuple({"3.5": "Turbo"}.get(m.split("-")[1], "GPT-4") for m in roles))
    assert rows == {row[1:4] for row in published_table("mad", "T7").rows}


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


def test_the_plan_and_cost_of_the_arena_need_no_key(tmp_path: Path) -> None:
    printed = done("run", "paper", "--dry-run", "--db", tmp_path / "own.duckdb")
    assert printed.startswith("Tournament 'paper' in ")
    assert "9 participants, 66 motions in zh; benches: debatrix (debatrix, 3 runs)" in printed
    assert "random pairs: 100 matchups drawn; a participant plays " in printed
    assert "200 debates in 100 matchups of two legs; 0 done, 200 to play, 600 ballots" in printed
    assert expected_usd(printed) < (PAPER.limits.usd or 0), "the cap lets through what is expected"
    assert list(tmp_path.iterdir()) == []


def test_playing_the_arena_names_every_key_that_it_needs(tmp_path: Path) -> None:
    message = refused("run", "paper", "--yes", "--db", tmp_path / "own.duckdb")
    providers = ("OPENAI", "ANTHROPIC", "GEMINI", "DEEPSEEK", "FIREWORKS_AI", "ZAI")
    assert all(f"{name}_API_KEY" in message for name in providers)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("model", sorted(set(re.findall(r"# now: (\S+)", PAPER_TEXT))))
def test_what_may_stand_in_has_a_provider_and_a_price(model: str) -> None:
    first, second = ProviderBackend({}).price(model)
    assert 0 < first <= second


def test_every_price_of_the_arena_names_its_source() -> None:
    for place in re.finditer(r"^usd_per_million", PAPER_TEXT, re.MULTILINE):
        above = PAPER_TEXT[: place.start()].split("\n\n")
        assert any(re.search(r"# .*(\.com|\.dev|\.cn)/", block) for block in above[-2:])


def test_the_people_of_the_arena_are_in_the_comment_at_its_end() -> None:
    head, mark, comment = PAPER_TEXT.partition("# With people, ")
    assert mark
    lines = [line.removeprefix("#").removeprefix(" ") for line in comment.splitlines()[1:]]
    config = parse_config(tomllib.loads(head + "\n".join(lines)), where="paper")
    with_people = resolve(config, where="paper")
    assert len(with_people.participants) == 10
    assert read_pools(with_people) == {"Human": ("ann", "bob")}
    assert vote_rules(with_people.benches) == {"people": "majority"}
    assert config.speaking is not None and config.speaking.preparation == 2 * 24 * 3600
    assert config.transcription is not None and config.transcription.model == "whisper-1"
