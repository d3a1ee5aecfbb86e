"""`arena add`: checked and called before the file is touched, then placed by a gauntlet."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from arena.config.load import load_config
from tests.servers.openai_server import ServerSettings, serving_in_thread
from tests.support.command_line import arena, done, refused
from tests.support.console_script import ask
from tests.support.tournaments import SMALL
from tests.support.useless_models import make_useless

PAIR = "matchups_per_pair = 1"
LOCAL = """
[models."openai/*"]
api_base = "{}"
usd_per_million = {{ input = 1000, output = 2000 }}

[limits]
retries = 0
"""


TWO = """
tournament = { name = "two" }
participants = [
  { name = "team", debater = "agent4debate", model = "offline/strong" },
  { name = "one", debater = "direct", model = "offline/weak" },
]
benches = [{ name = "bench", judge = "debatrix", model = "offline/strong", runs = 1 }]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(f"# My weekend.\n{SMALL}", encoding="utf-8")
    return path


def test_a_newcomer_is_written_and_its_gauntlet_planned(file: Path) -> None:
    database = file.with_name("own.duckdb")
    said = done("add", "offline/good", "--to", file, "--db", database).splitlines()
    assert said[0].startswith("offline/good: 0 USD in, 0 USD out per million tokens; answered (")
    assert said[1] == f"Added 'agent4debate-good' to {file}: agent4debate on offline/good."
    assert said[3] == (
        "Debates that rate it: gauntlet: agent4debate-good against 3 opponents, "
        "1 matchup per pair: 6 debates, 6 ballots"
    )
    assert said[-1] == f"Play these debates with: arena run {file} --db {database}"
    newcomer = load_config(file).participants[-1]
    assert (newcomer.name, newcomer.debater, newcomer.model) == (
        "agent4debate-good",
        "agent4debate",
        "offline/good",
    )
    assert file.read_text("utf-8").startswith("# My weekend.\n")
    assert list(file.parent.iterdir()) == [file], "nothing but the file is written"


@pytest.mark.slow
def test_what_it_plans_is_what_is_played_then(own_database: Path) -> None:
    file = own_database.with_name("small.toml")
    file.write_text(SMALL, encoding="utf-8")
    command: list[str | Path] = [
        "add",
        "offline/good",
        "--to",
        file,
        "--debater",
        "direct",
        "--name",
        "new",
    ]
    printed = done(*command, "--db", own_database)
    assert "new against 3 opponents, 1 matchup per pair: 6 debates, 6 ballots" in printed
    cost = printed.split("USD  ")[-1].splitlines()[0]
    planned = done("run", file, "--dry-run", "--db", own_database)
    assert "6 done, 6 to play, 6 ballots to take" in planned
    assert planned.split("USD  ")[-1].splitlines()[0] == cost


@pytest.mark.parametrize(
    ("schedule", "matchups"),
    [
        ('kind = "random"\nmatchups = 20', 3),
        ('kind = "gauntlet"\nnewcomers = ["weak"]\nmatchups_per_pair = 4', 4),
    ],
)
def test_other_schedules_are_told_what_to_write(file: Path, schedule: str, matchups: int) -> None:
    file.write_text(SMALL.replace(PAIR, schedule), encoding="utf-8")
    printed = done(
        "add", "offline/good", "--to", file, "--name", "new", "--db", file.parent / "x.db"
    )
    assert f"new against 3 opponents, {matchups} matchups per pair" in printed
    wanted = printed.partition("Put these lines into [schedule] of ")[2].partition("\n")[2]
    assert tuple(line.strip() for line in wanted.splitlines()) == (
        'kind = "gauntlet"',
        'newcomers = ["new"]',
        f"matchups_per_pair = {matchups}",
    )
    file.write_text(file.read_text("utf-8").replace(schedule, wanted), encoding="utf-8")
    assert load_config(file).schedule.newcomers == ["new"]


def test_a_file_without_a_schedule_has_its_debates_chosen_as_results_come(file: Path) -> None:
    file.write_text(SMALL.replace(f"[schedule]\n{PAIR}\nconcurrency = 4\n", ""), encoding="utf-8")
    database = file.with_name("own.duckdb")
    said = done("add", "offline/good", "--to", file, "--name", "new", "--db", database)
    assert "new against 3 opponents, 3 matchups per pair: 18 debates, 18 ballots" in said
    assert said.splitlines()[-2:] == [
        f"The schedule of {file} chooses debates as results come, among all participants. "
        f"Play on with: arena run {file} --db {database}",
        f"To play only the debates that place new: arena add offline/good --to {file} --debater "
        f"agent4debate --name new --play --db {database}",
    ]


@pytest.mark.deep
@pytest.mark.slow
def test_two_that_have_settled_their_order_are_joined_by_a_third(tmp_path: Path) -> None:
    file, database = tmp_path / "two.toml", tmp_path / "own.duckdb"
    file.write_text(TWO, encoding="utf-8")
    done("run", file, "--yes", "--db", database, "--no-report")
    schedule = "SELECT config->>'$.schedule.kind', config->>'$.target.objective' FROM tournaments"
    before = ask(database, schedule)
    assert before == [("adaptive", "ranking")]
    command: list[str | Path] = ["add", "offline/weak", "--to", file, "--debater", "direct"]
    printed = done(*command, "--name", "new", "--play", "--yes", "--db", database)
    where = r"(new enters [\w ]+ of 3|the place of new among 3 is still open)"
    assert re.search(rf"{where}, at [\d,]+ ± \d+: ", printed), printed
    assert ask(database, schedule) == before, "the tournament keeps its schedule and its target"


@pytest.mark.slow
def test_a_real_model_speaks_and_is_priced(file: Path) -> None:
    with serving_in_thread(ServerSettings(models=())) as server:
        file.write_text(SMALL + LOCAL.format(server.url), encoding="utf-8")
        printed = done("add", "openai/mine", "--to", file, "--debater", "direct", "--db", "x.db")
        assert len(server.ledger.requests) == 1
    assert printed.startswith(
        "openai/mine: 1000 USD in, 2000 USD out per million tokens; answered ("
    )
    low, expected, high = printed.split("USD  ")[-1].split()[:3]
    assert 0 < float(low) <= float(expected.replace(",", "")) <= float(high.replace(",", ""))


@pytest.mark.slow
def test_address_variable_and_price_are_written_into_the_models_own_table(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", "sesame")
    words = ["--key-env", "MY_API_KEY", "--usd-per-million", "0.5", "2", "--debater", "direct"]
    with serving_in_thread(ServerSettings(models=(), key="sesame")) as server:
        words += ["--api-base", server.url]
        printed = done("add", "openai/mine", "--to", file, *words, "--db", "x.db")
        assert len(server.ledger.requests) == 1
    assert printed.startswith("openai/mine: 0.5 USD in, 2 USD out per million tokens; answered (")
    section = load_config(file).models["openai/mine"]
    assert (section.api_base, section.api_key) == (server.url, "env:MY_API_KEY")
    assert section.usd_per_million is not None
    assert (section.usd_per_million.input, section.usd_per_million.output) == (0.5, 2.0)
    assert "sesame" not in file.read_text("utf-8")


def test_playing_needs_opponents_that_have_met(file: Path) -> None:
    before = file.read_bytes()
    database = file.with_name("own.duckdb")
    message = refused("add", "offline/good", "--to", file, "--play", "--yes", "--db", database)
    assert "--play places a newcomer among participants that have met, but nothing of" in message
    assert "--stop-at belong to --play" in refused(
        "add", "offline/good", "--to", file, "--usd", "3", "--db", database
    )
    assert file.read_bytes() == before


def test_the_same_command_goes_on_where_it_was_interrupted(file: Path) -> None:
    """Somebody of the name is a fault only if it is somebody else, or nothing is to be played."""
    before, database = file.read_bytes(), file.with_name("own.duckdb")
    same: list[str | Path] = [
        "add",
        "offline/weak",
        "--to",
        file,
        "--debater",
        "direct",
        "--name",
        "weak",
    ]
    assert "among participants that have met" in refused(*same, "--play", "--db", database)
    again = " ".join(map(str, (*same, "--play", "--db", database)))
    assert f"play on with the one that is there: arena {again}" in refused(*same, "--db", database)
    other: list[str | Path] = ["add", "offline/good", *same[2:], "--play", "--db", database]
    assert "is named 'weak' already" in refused(*other)
    assert file.read_bytes() == before


@pytest.mark.slow
@pytest.mark.usefixtures("no_stored_boards")
def test_a_newcomer_is_played_and_its_place_is_said(own_database: Path) -> None:
    file = own_database.with_name("small.toml")
    file.write_text(SMALL, encoding="utf-8")
    before = ask(own_database, "SELECT debate_id, pro, con FROM debates ORDER BY ALL")
    words: list[str | Path] = ["add", "offline/strong", "--to", file, "--debater", "direct"]
    words += ["--name", "new"]
    printed = done(*words, "--play", "--yes", "--db", own_database)
    where = r"(new enters [\w ]+ of 4|the place of new among 4 is still open)"
    assert re.search(rf"{where}, at [\d,]+ ± \d+: ", printed), printed
    assert re.search(r"It has played \d+ matchups?\.", printed)
    board = printed.partition("It has played")[2]
    assert "small · bench bench · overall" in board and re.search(r"^\d +new +\d", board, re.M)
    after = ask(own_database, "SELECT debate_id, pro, con FROM debates ORDER BY ALL")
    assert set(before) < set(after)
    (new,) = ask(own_database, "SELECT participant_id FROM participants WHERE name = 'new'")
    assert all(new[0] in (pro, con) for _, pro, con in set(after) - set(before))
    section = ask(own_database, "SELECT config->>'$.schedule.kind' FROM tournaments")
    assert section == [("round_robin",)], "the tournament keeps its own schedule"


@pytest.mark.slow
@pytest.mark.usefixtures("no_stored_boards")
def test_where_its_debates_stop_the_whole_command_goes_on(
    own_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, db = tmp_path / "my field.toml", tmp_path / "my results.duckdb"
    file.write_text(SMALL, encoding="utf-8")
    own_database.rename(db)
    words: list[str | Path] = ["add", "offline/strong", "--to", file, "--debater", "direct"]
    words += ["--name", "new one", "--play", "--usd", "2.5", "--db", db]
    with monkeypatch.context() as patch:
        make_useless(patch, "judge")
        result = arena(*words, "--yes")
    assert result.exit_code == 1 and "Stopped: no debate of the last wave" in result.output
    (command,) = re.findall(r"Continue with: arena (.*)", result.output)
    assert sorted(shlex.split(command)) == sorted(map(str, words))
    printed = arena(*shlex.split(command), "--yes").output
    where = r"(new one enters [\w ]+ of 4|the place of new one among 4 is still open)"
    assert re.search(rf"{where},? at [\d,]+ ± \d+: ", printed), printed


BAD = {
    "a name that is taken": (["offline/good", "--name", "weak"], "is named 'weak' already"),
    "a debater": (["offline/good", "--debater", "debat3r"], "unknown debater 'debat3r'"),
    "no provider": (["gpt-4o"], "'gpt-4o' has no provider"),
    "a provider": (["nosuch/model"], "LiteLLM does not know the provider 'nosuch'"),
    "a simulated model": (["offline/best"], "unknown simulated model 'offline/best'"),
    "a price": (["openai/mystery"], "0 0 for a free model), for example: --usd-per-million 2.5 10"),
    "a key": (["openai/gpt-4o"], "looks for OPENAI_API_KEY"),
    "a key in place of its variable": (
        ["openai/gpt-4o", "--key-env", "sk-se.same"],
        "no name of an environment variable",
    ),
    "a secret address": (
        ["openai/mine", "--api-base", "https://me:word@host/v1", "--usd-per-million", "1", "2"],
        "a user or a password must not be written",
    ),
    "a person": (["offline/good", "--debater", "human"], "Remove the key"),
}


@pytest.mark.parametrize("name", sorted(BAD))
def test_what_cannot_take_part_is_refused_and_the_file_left_alone(
    file: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    words, said = BAD[name]
    before = file.read_bytes()
    assert said in refused("add", *words, "--to", file, "--db", file.with_name("own.duckdb"))
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


def test_a_model_that_does_not_answer_is_not_added(file: Path) -> None:
    file.write_text(SMALL + LOCAL.format("http://127.0.0.1:9/v1"), encoding="utf-8")
    before = file.read_bytes()
    message = refused("add", "openai/mine", "--to", file, "--db", file.with_name("own.duckdb"))
    assert message.startswith("openai/mine: ")
    assert file.read_bytes() == before


def test_a_missing_file_and_a_shipped_example_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "tournament.toml: cannot be read" in refused("add", "offline/good")
    message = refused("add", "offline/good", "--to", "offline")
    assert (
        message
        == "offline: a shipped example cannot be changed. Copy it to a file of your own first: "
        "arena init --from offline"
    )
    assert list(tmp_path.iterdir()) == []
