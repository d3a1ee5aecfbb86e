"""What a run finds out about its models is kept with the tournament."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.config.load import parse_config
from arena.config.resolve import resolve
from arena.llm.budget import Budget
from arena.llm.request import LearnedMode
from arena.store.database import Store
from arena.store.learned import read_learned
from arena.tournament.model_check import find_misfits
from arena.tournament.models import Models
from tests.servers import forms
from tests.servers.answers import debater
from tests.servers.forms import FormServer, serving_forms
from tests.support.command_line import arena, done, refused
from tests.support.toml_files import FREE, bench, player, toml_text
from tests.support.tournaments import content

pytestmark = [pytest.mark.usefixtures("no_stored_boards"), pytest.mark.slow]

MODEL = "openai/own"


def tournament(folder: Path, server: FormServer, **more: object) -> Path:
    """Two debaters and a bench on one server."""
    text = toml_text(
        tournament={"name": "small", "seed": 7},
        schedule={"matchups_per_pair": 1, "concurrency": 4},
        models={MODEL: {"api_base": f"{server.url}/v1"} | FREE | more},
        participants=[player(name, "direct", MODEL) for name in ("strong", "again")],
        benches=[bench("bench", "debatrix", MODEL)],
    )
    file = folder / "own.toml"
    file.write_text(text, "utf-8")
    return file


def test_a_mode_is_found_once_for_all_runs_of_a_tournament(tmp_path: Path) -> None:
    db = tmp_path / "own.duckdb"
    with serving_forms(forms.openai_without_forms) as server:
        server.answer = debater
        file = tournament(tmp_path, server)
        arena("run", file, "--yes", "--db", db)
        store = Store(db)
        address = f"{server.url}/v1"
        assert read_learned(store, "small", LearnedMode) == [
            LearnedMode(model=MODEL, address=address, structured="prompt")
        ]
        assert server.refused == 2
        more = file.read_text("utf-8").replace("matchups_per_pair = 1", "matchups_per_pair = 2")
        file.write_text(more, encoding="utf-8")
        arena("run", file, "--yes", "--db", db)
        assert len(store.rows("SELECT 1 FROM debates WHERE status = 'finished'")) == 4
        assert server.refused == 2, "the second run knows it"
    rows = store.rows("SELECT DISTINCT structured, served_model, fingerprint FROM calls ORDER BY 1")
    served = {"served_model": "own-2024-08-06", "fingerprint": "fp_44"}
    assert rows == [{"structured": "", **served}, {"structured": "prompt", **served}]
    debate = str(store.rows("SELECT min(debate_id) AS first FROM debates")[0]["first"])
    shown = done("show", debate, "--calls", "--db", db)
    assert "(form asked for by the prompt alone; answered by own-2024-08-06; " in shown
    assert "(answered by own-2024-08-06; fingerprint fp_44)" in shown


def test_a_mode_counts_for_its_address_only() -> None:
    config = parse_config(
        content() | {"models": {MODEL: {"api_base": "http://me:pw@h:1/v1"}}}, where="x"
    )
    models = Models(config, (), budget=Budget(), further=(MODEL,))
    for address, known in (("http://h:2/v1", None), ("http://h:1/v1", "object")):
        models.remember_modes([LearnedMode(model=MODEL, address=address, structured="object")])
        models.backend(MODEL)
        assert models.structured_mode(MODEL) == known
    (mode,) = models.learned_modes()
    assert mode.address == "http://h:1/v1", "without the password"


@pytest.mark.parametrize(
    ("rules", "mode"), [(forms.accepts_all, "schema"), (forms.deepseek, "object")]
)
def test_check_lets_a_model_speak_and_judge(tmp_path: Path, rules: forms.Rules, mode: str) -> None:
    with serving_forms(rules) as server:
        server.answer = _on_trial
        said = done("check", tournament(tmp_path, server), "--call")
    for role in ("debater", "judge"):
        assert f"{MODEL} as {role}: answered (20 + 5 tokens, 0.000000 USD, " in said
    assert f" s, structured answers by {mode}, served as own-2024-08-06)" in said
    assert server.kinds[:2] == ["", "json_schema"]


def _on_trial(body: forms.Body) -> str:
    verdict = '{"reason": "Pro gives a reason.", "winner": "pro"}'
    speech = (
        '{"plan": "air"}\nCars poison the air of a centre, and its people pay for that. They take '
        "the room in which others could walk, meet and trade."
    )
    return verdict if "You judge" in body["messages"][0]["content"] else speech


@pytest.mark.parametrize(
    ("speech", "words"),
    [
        ("", "returned an empty answer (trial.speech)."),
        ("<think>Cars.", "answered with nothing but its thinking (trial.speech)."),
        ("Could you please provide the motion?", "it asks for something instead of speaking"),
        (
            "Cars poison the air of a centre, I think.",
            "9 words are no speech where about 80 were asked for: Cars",
        ),
    ],
)
def test_a_model_that_does_not_speak_has_not_answered(
    tmp_path: Path, speech: str, words: str
) -> None:
    with serving_forms() as server:
        server.answer = lambda body: _on_trial(body) if "You judge" in str(body) else speech
        result = arena("check", tournament(tmp_path, server), "--call")
    assert result.exit_code == 1
    assert f"{MODEL} as debater: FAILED: " in result.stdout
    assert words in result.stdout
    assert f"{MODEL} as judge: answered (" in result.stdout, "each role is tried by itself"


def _without_object(body: forms.Body) -> str:
    return _on_trial(body).partition("\n")[2] or _on_trial(body)


@pytest.mark.parametrize("debater_name", ["direct", "agent4debate"])
def test_who_needs_an_object_that_a_model_does_not_write_is_named(
    tmp_path: Path, debater_name: str
) -> None:
    with serving_forms() as server:
        server.answer = _without_object
        file = tournament(tmp_path, server)
        text = file.read_text("utf-8").replace('debater = "direct"', f'debater = "{debater_name}"')
        file.write_text(text, encoding="utf-8")
        result = arena("check", file, "--call")
    asked = [body for body in server.bodies if "Speak for Pro" in str(body)]
    if debater_name == "direct":
        assert result.exit_code == 0 and len(asked) == 1, result.output
        return
    assert result.exit_code == 1 and len(asked) == 2, result.output
    assert (
        f"{MODEL} as debater: FAILED: {MODEL} wrote a speech, but twice without the JSON object "
        "before"
    ) in result.stdout
    assert "(reasoning, marker, claim) that the debater of strong, again needs" in result.stdout


def test_a_model_without_a_system_role_answers_when_checked(tmp_path: Path) -> None:
    def refuse(body: forms.Body) -> tuple[int, dict[str, Any]] | None:
        is_system = body["messages"][0]["role"] == "system"
        return (400, {"error": {"message": "System role not supported"}}) if is_system else None

    with serving_forms(refuse) as server:
        server.answer = _on_trial
        said = done("check", tournament(tmp_path, server), "--call")
    assert f"{MODEL} as debater: answered (" in said
    assert server.refused == 1


def test_a_model_that_cannot_read_a_debate_is_refused_by_the_check(tmp_path: Path) -> None:
    with serving_forms() as server:
        file = tournament(tmp_path, server, context_tokens=2048)
        said = refused("check", file).splitlines()
        assert refused("run", file, "--dry-run", "--db", tmp_path / "x.db").splitlines() == said
    assert len(said) == 3
    whom = ("participant 'strong'", "participant 'again'", "bench 'bench'")
    for line, who in zip(said, whom, strict=True):
        assert f"{who}: {MODEL} reads 2,048 tokens at most, but the rules and speeches" in line
        assert "of 600 words take about " in line and "lower `words` under [limits]" in line
    assert server.bodies == []


@pytest.mark.parametrize(
    ("contest", "words", "window", "fits"),
    [
        ("debate", 600, 5400, False),
        ("debate", 600, 6500, False),
        ("debate", 600, 8192, True),
        ("debate", 100, 2048, True),
        ("debate", 100, None, True),
        ("essay", 600, 3200, True),
    ],
)
def test_what_fits_follows_from_the_speeches(
    contest: str, words: int, window: int | None, *, fits: bool
) -> None:
    given = content(contest=contest) | {"limits": {"words": words}}
    given["benches"][0] |= {"judge": "single", "model": "offline/strong", "options": {}}
    given["participants"][0]["model"] = MODEL
    if window is not None:
        given["models"] = {MODEL: {"context_tokens": window}}
    resolved = resolve(parse_config(given, where="x"), where="x")
    models = Models(resolved.config, (), budget=Budget())
    assert (find_misfits(resolved, models) == []) is fits
