"""Bad input end to end: one message, exit code 2, and nothing written."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest

from arena.config.load import load_config, shipped_configs
from arena.config.resolve import resolve
from arena.store.database import SCHEMA_VERSION, Store
from arena.tournament.plan import make_plan, store_plan
from tests.support.command_line import done, refused
from tests.support.tournaments import SMALL

KEY = "sk-live-0123456789abcdef"
OWN_MOTION = '[[motion]]\nid = "tea"\ncategory = "value"\ntopic = "t"\n[motion.en]\ntext = "{}"\n'
MODEL = 'model = "offline/weak"'
JUDGE = 'judge = "debatrix"'
MEMBER = '{ judge = "single" }'
#: A file without its benches.
HEAD = SMALL.split("[[benches]]", maxsplit=1)[0]


def jury(members: str) -> str:
    """Lines of a bench."""
    return f'judge = "jury"\noptions = {{ members = [{members}] }}'


#: What is changed in a good file, into what, and two things that the message must say.
BAD = {
    "a syntax error": (
        "seed = 7",
        "seed = = 7",
        "line 5, column 8: not valid TOML",
        "Given: seed = = 7",
    ),
    "a number for a table": (
        "[schedule]",
        '[models."offline/weak"]\nusd_per_million = 5\n[schedule]',
        "models.offline/weak.usd_per_million: a table is expected, with keys among input, output, "
        "cached. Given: 5.",
        "Write it as usd_per_million = { key = value, ... }.",
    ),
    "a text for a list": ('["en"]', '"en"', "a list in square brackets is expected", "'en'"),
    "a key of nobody": ("seed = 7", "sead = 7", "tournament.sead: unknown key", "seed"),
    "a language": ('["en"]', '["fr"]', "unknown language 'fr'", "en, zh"),
    "a motion set": ("arena66", "arena67", "Unknown motion set 'arena67'", "arena66"),
    "a motion file": ("arena66", "no/own.toml", "no/own.toml does not exist", "Correct the path"),
    "a category": ("seed = 7", 'categories = ["taste"]', "categories[1]", "'fact'"),
    "a contest": ("seed = 7", 'contest = "chess"', "tournament.contest", "'debate'"),
    "a debater": ('"direct"', '"debat3r"', "unknown debater 'debat3r'", "agent4debate, "),
    "a judge": ('"debatrix"', '"oracle"', "unknown judge 'oracle'", "debatrix"),
    "an option": (MODEL, MODEL + "\noptions = { wit = 1 }", "options.wit: unknown", "Options: "),
    "no provider": (MODEL, 'model = "gpt-4o"', "'gpt-4o' has no provider", "provider/name"),
    "two of one name": ('"weak"', '"fair"', "two participants are named 'fair'", "must differ"),
    "one participant": (SMALL, SMALL.split("[[participants]]")[0], "participants: missing", ""),
    "no bench": (SMALL, HEAD, "benches: missing", "Write a [[benches]] table"),
    "no bench at all": (SMALL, "benches = []\n" + HEAD, "benches: at least 1 required", "Write a"),
    "a bench of no judge": (JUDGE + "\n", "", "benches[1].judge: missing", ""),
    "a jury of nobody": (
        JUDGE,
        jury(""),
        "options.members: at least 1 required, 0 given",
        "Options",
    ),
    "an even jury": (JUDGE, jury(f"{MEMBER}, {MEMBER}"), "2 members could tie", "an odd number"),
    "a written key": (
        "[schedule]",
        f'[models."openai/x"]\napi_key = "{KEY}"\n[schedule]',
        "a key must not be written in the file",
        "env:NAME",
    ),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", sorted(BAD))
@pytest.mark.parametrize("command", ["run", "check"])
def test_a_bad_file_is_refused_and_nothing_is_written(file: Path, command: str, name: str) -> None:
    good, bad, *words = BAD[name]
    assert good in SMALL
    file.write_text(SMALL.replace(good, bad), encoding="utf-8")
    database = str(file.with_name("own.duckdb"))
    options = ["--yes", "--db", database] if command == "run" else []
    message = refused(command, file, *options)
    assert message.startswith(str(file))
    assert all(word in message for word in words)
    assert KEY not in message
    assert list(file.parent.iterdir()) == [file]


def test_a_jury_that_could_not_judge_a_pair_is_refused_before_anything_is_written(
    file: Path,
) -> None:
    """Its one member is of a debater's family."""
    file.write_text(SMALL.replace(JUDGE, jury(MEMBER)), encoding="utf-8")
    message = refused("run", file, "--yes", "--db", file.with_name("own.duckdb"))
    assert message.startswith("bench 'bench' cannot judge 'strong' and 'fair'")
    assert "Add a member of another family, or set leave_out_family = false" in message
    assert list(file.parent.iterdir()) == [file]


def test_a_file_in_another_encoding_is_refused(file: Path) -> None:
    file.write_bytes(SMALL.replace("small", "sm\xe4ll").encode("latin-1"))
    message = refused("run", file, "--yes", "--db", file.with_name("own.duckdb"))
    assert message.startswith(f"{file}: cannot be read: it is not UTF-8 text (line ")
    assert "iconv -f LATIN1 -t UTF-8" in message


def test_a_missing_file_and_an_unknown_example_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert refused("run", "no.toml", "--yes") == (
        "no.toml: cannot be read: No such file or directory."
    )
    listed = ", ".join(sorted(shipped_configs()))
    assert f"Examples: {listed}." in refused("run", "weekend", "--yes")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_key_is_told_before_anything_is_written(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    file.write_text(SMALL.replace(MODEL, 'model = "openai/gpt-4o-mini"'), encoding="utf-8")
    database = file.with_name("own.duckdb")
    message = refused("run", file, "--yes", "--db", database)
    assert "OPENAI_API_KEY" in message and "openai/gpt-4o-mini" in message
    assert "6 debates" in done("run", file, "--dry-run", "--db", database), "a plan needs no key"
    assert list(file.parent.iterdir()) == [file]


def test_an_unknown_simulated_model_is_told_with_its_place(file: Path) -> None:
    file.write_text(SMALL.replace(MODEL, 'model = "offline/best"'), encoding="utf-8")
    message = refused("check", file)
    assert "'offline/best'" in message and "offline/weak" in message
    assert re.match(rf"{re.escape(str(file))}, line \d+: participants\[3\].model: ", message)


def assert_left_alone(database: Path, *arguments: str | Path) -> str:
    """The message of a refused command that must not change the database by a byte."""
    before = database.read_bytes()
    message = refused(*arguments, "--db", database)
    assert database.read_bytes() == before
    return message


def test_another_seed_under_a_stored_name_is_refused(file: Path, own_database: Path) -> None:
    file.write_text(SMALL.replace("seed = 7", "seed = 8"), encoding="utf-8")
    message = assert_left_alone(own_database, "run", file, "--yes")
    assert "tournament.seed" in message and "with seed 7; this configuration has 8" in message


def test_another_text_under_a_stored_motion_id_is_refused(file: Path, tmp_path: Path) -> None:
    motions = tmp_path / "own.toml"
    file.write_text(SMALL.replace("arena66", "own.toml"), encoding="utf-8")
    motions.write_text(OWN_MOTION.format("Tea is better than coffee"), encoding="utf-8")
    database = tmp_path / "own.duckdb"
    store_plan(
        make_plan(resolve(load_config(file), where=str(file)), Store(database)), Store(database)
    )
    motions.write_text(OWN_MOTION.format("Coffee is better than tea"), encoding="utf-8")
    message = assert_left_alone(database, "run", file, "--yes")
    assert "motion 'tea': " in message and "another text (en)" in message
    assert "Give the motion another id" in message


READERS: list[list[str]] = [["list"], ["leaderboard"], ["debates"], ["show", "3f"], ["resume"]]


@pytest.mark.parametrize("command", READERS, ids=lambda command: command[0])
def test_a_missing_database_is_told_and_not_made(tmp_path: Path, command: list[str]) -> None:
    message = refused(*command, "--db", tmp_path / "own.duckdb")
    assert "no such database" in message and "arena run" in message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command",
    [*READERS, ["run", "FILE", "--dry-run"], ["run", "FILE", "--yes"], ["import", "CSV"]],
    ids=" ".join,
)
def test_a_folder_that_does_not_exist_is_told_and_not_made(
    file: Path, tmp_path: Path, command: list[str]
) -> None:
    battles = tmp_path / "battles.csv"
    battles.write_text("model_a,model_b,winner\na,b,model_a\nb,c,model_b\n", encoding="utf-8")
    named = {"FILE": str(file), "CSV": str(battles)}
    words = [named.get(word, word) for word in command]
    message = refused(*words, "--db", tmp_path / "no folder" / "own.duckdb")
    assert f"no such folder: {tmp_path / 'no folder'}" in message
    assert message.endswith(f"mkdir -p '{tmp_path / 'no folder'}'")
    assert {path.name for path in tmp_path.iterdir()} == {file.name, battles.name}


@pytest.mark.parametrize("command", [*READERS, ["run"]], ids=lambda command: command[0])
def test_a_file_that_is_no_database_is_refused(file: Path, command: list[str]) -> None:
    path = file.with_name("own.duckdb")
    path.write_text("Not a database.\n" * 99, encoding="utf-8")
    given = [str(file), "--yes"] if command == ["run"] else []
    message = assert_left_alone(path, *command, *given)
    assert "as a DuckDB database" in message


@pytest.mark.parametrize("command", [*READERS, ["run"]], ids=lambda command: command[0])
def test_a_database_of_something_else_is_refused(file: Path, command: list[str]) -> None:
    path = file.with_name("own.duckdb")
    with duckdb.connect(str(path)) as link:
        link.execute("CREATE TABLE cats (id INTEGER)")
    given = [str(file), "--yes"] if command == ["run"] else []
    assert "not one of debate-arena (its tables: cats)" in assert_left_alone(path, *command, *given)


@pytest.mark.parametrize("command", READERS, ids=lambda command: command[0])
def test_a_database_without_tables_holds_nothing_to_show(
    tmp_path: Path, command: list[str]
) -> None:
    duckdb.connect(str(tmp_path / "own.duckdb")).close()
    assert "arena run" in assert_left_alone(tmp_path / "own.duckdb", *command)


def test_another_schema_version_is_refused(file: Path, own_database: Path) -> None:
    with duckdb.connect(str(own_database)) as link:
        link.execute("UPDATE tournaments SET schema_version = 99")
    for command in (["leaderboard"], ["run", str(file), "--yes"]):
        message = assert_left_alone(own_database, *command)
        assert "schema is version 99" in message
        assert f"reads version {SCHEMA_VERSION}" in message
