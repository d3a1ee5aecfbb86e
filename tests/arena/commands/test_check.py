"""`arena check`: what a configuration resolves to, without playing it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import arena, done, refused
from tests.support.tournaments import SMALL


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    return path


def test_it_lists_models_with_their_prices_and_what_to_do_next(file: Path) -> None:
    lines = done("check", file).splitlines()
    assert lines[0].startswith(f"{file}: 3 participants, 1 bench, ")
    assert lines[1:4] == [
        f"  offline/{name}: 0 USD in, 0 USD out per million tokens"
        for name in ("fair", "strong", "weak")
    ]
    assert lines[4].startswith("  rehearsed with a simulated model: 4 parts in en, ")
    assert lines[5:] == [f"Next: arena run {file} --dry-run"]


def test_a_price_of_the_file_is_shown(file: Path) -> None:
    priced = SMALL.replace("offline/weak", "openai/own-model") + (
        '\n[models."openai/own-model"]\napi_base = "http://127.0.0.1:9/v1"\n'
        "usd_per_million = { input = 2.5, output = 10 }\n"
    )
    file.write_text(priced, encoding="utf-8")
    checked = arena("check", file)
    assert "openai/own-model: 2.5 USD in, 10 USD out per million tokens" in checked.stdout
    assert "  openai/own-model at http://127.0.0.1:9/v1: connection refused\n" in checked.stdout
    assert checked.exit_code == 1, "no run could call this model now"
    assert checked.stderr.startswith("Not ready: a model cannot be used")
    assert checked.stderr.endswith(f"then run: arena check {file}\n")
    assert "Next:" not in checked.output


def test_every_model_is_called_in_its_roles(file: Path) -> None:
    printed = done("check", file, "--call")
    for name in ("fair", "strong", "weak"):
        assert f"  offline/{name} as debater: answered (" in printed
    assert printed.count(" as judge: answered (") == 1, "each in the roles that it has"


def test_a_model_that_does_not_answer_fails_the_check(file: Path) -> None:
    dead = SMALL.replace("offline/weak", "openai/own-model") + (
        '\n[models."openai/own-model"]\napi_base = "http://127.0.0.1:9/v1"\n'
        'api_key = "env:ARENA_X|none"\n'
        "usd_per_million = { input = 0, output = 0 }\n[limits]\nretries = 0\n"
    )
    file.write_text(dead, encoding="utf-8")
    checked = arena("check", file, "--call")
    assert checked.exit_code == 1
    assert "offline/fair as debater: answered" in checked.stdout, (
        "the others are tried all the same"
    )
    assert "openai/own-model as debater: FAILED: " in checked.stdout
    assert checked.stderr.endswith(f"then run: arena check {file} --call\n")


def test_what_the_plan_refuses_is_refused_here(file: Path, tmp_path: Path) -> None:
    members = ", ".join(['{ judge = "single", model = "offline/weak" }'] * 3)
    jury = f'judge = "jury"\noptions = {{ members = [{members}] }}'
    file.write_text(SMALL.replace('judge = "debatrix"', jury), encoding="utf-8")
    message = refused("check", file)
    assert "cannot judge" in message and "each of its members is of a debater's family" in message
    assert refused("run", file, "--dry-run", "--db", tmp_path / "own.duckdb") == message


def test_a_folder_is_called_one(tmp_path: Path) -> None:
    assert refused("check", tmp_path) == f"{tmp_path}: is a directory. Name a file in it."


def test_what_is_wrong_is_one_message(file: Path) -> None:
    file.write_text(SMALL.replace("seed", "sead"), encoding="utf-8")
    message = refused("check", file)
    assert message.startswith(f"{file}, line 5: tournament.sead: unknown key.")


OWN_SERVER = SMALL.replace("offline/weak", "openai/own-model") + (
    '\n[models."openai/own-model"]\napi_base = "http://127.0.0.1:9/v1"\n'
    "usd_per_million = { input = 0, output = 0 }\n"
)


@pytest.mark.parametrize("command", [("check",), ("run", "--yes")])
def test_an_unset_variable_of_a_key_is_named_before_anything_is_sent(
    file: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text(OWN_SERVER + 'api_key = "env:ARENA_UNSET_API_KEY"\n', encoding="utf-8")
    monkeypatch.delenv("ARENA_UNSET_API_KEY", raising=False)
    message = refused(*command, file, *(("--db", file.with_suffix(".duckdb")) * (len(command) - 1)))
    assert "no key for 'openai/own-model'" in message
    assert "the environment variable ARENA_UNSET_API_KEY is not set" in message
    if command == ("check",):
        monkeypatch.setenv("ARENA_UNSET_API_KEY", "none")
        assert "openai/own-model" in arena("check", file).stdout


def test_a_plan_needs_no_key(file: Path) -> None:
    file.write_text(OWN_SERVER + 'api_key = "env:ARENA_UNSET_API_KEY"\n', encoding="utf-8")
    done("run", file, "--dry-run", "--db", file.with_suffix(".duckdb"))


def test_a_table_of_no_model_is_refused_with_the_names_that_are_alike(file: Path) -> None:
    file.write_text(OWN_SERVER.replace('s."openai/own', 's."openai/ovn'), encoding="utf-8")
    for command in (("check", file), ("run", file, "--dry-run")):
        message = refused(*command)
        assert message.startswith(f'{file}: [models."openai/ovn-model"]: no participant')
        assert "Did you mean 'openai/own-model'" in message
