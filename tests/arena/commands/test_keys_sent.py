"""Which keys of the environment come to the servers that a stranger's files name, by any command.

The files and the database are a stranger's: they send a key to hosts of their own for models, a
provider's models, embeddings, web searches and recordings. Every command is run on them.
"""

from __future__ import annotations

import shlex
import shutil
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path

import click
import pytest

from arena.cli import cli
from arena.llm import keys
from arena.store.database import Store
from tests.servers.recorder import Recorder
from tests.servers.threads import in_thread
from tests.servers.whisper_server import sound
from tests.support.battle_logs import WHOLE, write_log
from tests.support.case_lists import for_every
from tests.support.command_line import all_commands, arena, done
from tests.support.console_script import ask
from tests.support.stored_databases import change
from tests.support.toml_files import FREE, bench, player, toml_text

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_stored_boards")]

HOST = "strange.test"
MODEL = 'model = "openai/own-model"'
#: Variables of a user's own naming, whose keys go wherever a file says, and for each another one
#: that a stranger names in its place.
NAMED = {
    "MINE_MODEL_API_KEY": "OPENAI_API_KEY",
    "MINE_VECTORS_API_KEY": "AWS_SECRET_ACCESS_KEY",
    "MINE_SEARCH_API_KEY": "GITHUB_TOKEN",
    "MINE_SOUND_API_KEY": "DATABASE_PASSWORD",
}
#: What providers and their libraries find by themselves.
OTHERS = ("AWS_SESSION_TOKEN", "ANTHROPIC_API_KEY", "HF_TOKEN", "TAVILY_API_KEY", "GROQ_API_KEY")
#: What a stranger may write in place of something.
STRANGE: Mapping[str, Mapping[str, str]] = {
    "own keys": {},
    "keys": NAMED,
    "listed models": {**NAMED, MODEL: 'model = "openai/*"', "openai/own-vectors": "openai/*"},
    "a secret for a name": {MODEL: 'model = "openai/env:AWS_SECRET_ACCESS_KEY"'},
}

#: The most likely words after each command, by its name; `--db` and `-t debates` are added where a
#: command has them. A new command needs a line here, and one in `CALLING` if it calls models.
WORDS: Mapping[str, str] = {
    "accuracy": "-t questions",
    "add": "openai/own-model --to {folder}/debates.toml --debater cot --name newcomer",
    "calibrate": "",
    "check": "{folder}/debates.toml --call",
    "debates": "",
    "diversity": "-t essays --embedding openai/own-model --yes",
    "export": "{folder}/debates.jsonl --force",
    "import": "{folder}/battles.csv --name battles",
    "influence": "",
    "init": "{folder}/new.toml",
    "judges": "",
    "judges evaluate": "pairs16 --benches {folder}/benches.toml --yes",
    "judges probe": "debates --debates 2 --defect padding --yes",
    "leaderboard": "",
    "list": "",
    "mad bias": "-t questions",
    "mad disagreement": "-t questions --all",
    "mad levels": "{folder}/questions.toml --yes",
    "mad quality": "-t questions",
    "mad records": "{folder}",
    "mad verdicts": "-t questions",
    "marks": "-t essays",
    "matrix": "",
    "models": "",
    "motions check": "{folder}/motions.csv",
    "motions import": "{folder}/motions.txt --to {folder}/new.jsonl",
    "motions list": "",
    "motions results": "",
    "motions show": "arena66-fact-01",
    "new": "debater my_debater",
    "paper-tables": "",
    "plan": "{folder}/debates.toml",
    "prompts": "{folder}/debates.toml",
    "questions check": "{folder}/questions.jsonl",
    "questions import": "{folder}/CIAR.json --to {folder}/new-questions.jsonl",
    "questions list": "",
    "rank import": "{folder}/new-ranks/ranks.csv -t essays",
    "rank sheet": "{folder}/new-ranks -t essays",
    "rank show": "-t essays",
    "rejudge": "debates --judge single --model openai/own-model --name again --runs 1 --yes",
    "publish": "{folder}/site",
    "report": "",
    "reproduce": "0123456789ab",
    "resume": "debates --yes",
    "run": "{folder}/further.toml --yes",
    "serve": "",
    "show": "{debate} --ballots",
    "simulate": "--like debates --fields 2 --schedule random --usd 10",
    "speak": "{spoken} -t speeches --audio {folder}/speech.wav",
    "status": "",
    "trace": "",
    "verify": "",
    "versus": "own fair",
    "vote cast": "{debate} overall=pro --voter ann",
    "vote import": "{folder}/votes.csv",
    "vote list": "",
    "vote sheet": "{folder}/new-votes",
    "vote show": "{debate}",
}
#: The commands that call servers when they are run like that.
CALLING = frozenset(
    {"add", "check", "diversity", "judges evaluate", "judges probe", "mad levels"}
    | {"rejudge", "resume", "run", "speak"}
)
#: A group is run by itself where that does something.
COMMANDS = {
    name: command
    for name, command in all_commands(cli)
    if not isinstance(command, click.Group) or command.invoke_without_command
}


def server_tables(url: str) -> dict[str, dict[str, object]]:
    """The tables of models that are on the stranger's server."""
    own = {"api_base": url, **FREE}
    return {
        "openai/own-model": {**own, "api_key": "env:MINE_MODEL_API_KEY"},
        "openai/own-vectors": {**own, "api_key": "env:MINE_VECTORS_API_KEY"},
    }


def files(url: str) -> Iterator[tuple[str, str]]:
    """The stranger's files, by name."""
    models = server_tables(url)
    short: dict[str, object] = {"motions": "arena66", "most_motions": 1}
    single = bench("single", "single", "openai/own-model")
    for name in ("debates", "further"):
        yield (
            f"{name}.toml",
            toml_text(
                tournament={"name": name, **short},
                limits={"words": 60},
                schedule={"matchups_per_pair": 1},
                search={
                    "kind": "tavily",
                    "api_base": url,
                    "api_key": "env:MINE_SEARCH_API_KEY",
                },
                models=models,
                participants=[
                    player("own", "direct", "openai/own-model"),
                    player("fair", "agent4debate", "offline/fair"),
                ],
                benches=[single, bench("people", "human")],
            ),
        )
    yield (
        "essays.toml",
        toml_text(
            tournament={"name": "essays", "contest": "essay", **short, "motions": "refutation64"},
            limits={"words": 60},
            schedule={"matchups_per_pair": 2},
            models=models,
            participants=[player("direct"), player("planned", "cot_plan")],
            benches=[bench("single", "single", "offline/fair")],
        ),
    )
    yield (
        "questions.toml",
        toml_text(
            tournament={
                "name": "questions",
                "contest": "question",
                "motions": "puzzles10",
                "most_motions": 1,
            },
            schedule={"matchups_per_pair": 1},
            models=models,
            participants=[player("cot", "cot"), player("mad", "mad", "openai/own-model")],
            benches=[bench("correctness")],
        ),
    )
    yield (
        "speeches.toml",
        toml_text(
            tournament={"name": "speeches", **short},
            limits={"words": 60},
            schedule={"matchups_per_pair": 1},
            transcription={
                "model": "whisper-1",
                "api_base": url,
                "api_key": "env:MINE_SOUND_API_KEY",
            },
            models=models,
            participants=[player("somebody", "human", ""), player("fair", "direct")],
            benches=[bench("single", "single", "offline/fair")],
        ),
    )
    yield "benches.toml", toml_text(models=models, benches=[single])
    yield "motions.csv", "id,category,text\na,policy,This house would plant trees.\n"
    yield "motions.txt", "1. This house would plant trees.\n"
    yield "questions.jsonl", '{"question": "2 + 2?", "answers": ["4"]}\n'
    yield "CIAR.json", '[{"question": "7 - 5?", "answer": ["2"], "incorrect answer": ["3"]}]'


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Recorder, Path]]:
    """The server, and a folder with the files and the database of their tournaments."""
    folder = tmp_path_factory.mktemp("stranger")
    with (
        pytest.MonkeyPatch.context() as patch,
        in_thread(Recorder("own-model", "own-vectors")) as server,
    ):
        set_environment(patch, folder)
        port = server.url.rpartition(":")[2]
        for name, text in files(f"http://{HOST}:{port}"):
            (folder / name).write_text(text, "utf-8")
        (folder / "speech.wav").write_bytes(sound())
        write_log(folder / "battles.csv", WHOLE)
        for name in ("debates", "essays", "questions", "speeches"):
            done("run", folder / f"{name}.toml", "--yes", "--db", folder / "own.duckdb")
        yield server, folder


def set_environment(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Set all keys, forget what was trusted, and lead the stranger's host to this machine."""
    patch.setenv("XDG_CONFIG_HOME", str(folder / "settings"))
    for name in (*NAMED, *NAMED.values(), *OTHERS):
        patch.setenv(name, value_of(name))
    patch.setattr(keys, "REDIRECTS", {})
    patch.setattr("dashboard.command.become_supervisor", lambda *_: None)
    find = socket.getaddrinfo

    def find_here(host: object, *rest: object, **options: object) -> object:
        return find("127.0.0.1" if host in (HOST, HOST.encode()) else host, *rest, **options)  # type: ignore[arg-type]

    patch.setattr(socket, "getaddrinfo", find_here)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        patch.delenv(name, raising=False)
        patch.delenv(name.lower(), raising=False)


def value_of(variable: str) -> str:
    """The key that a variable holds."""
    return f"value-of-{variable.replace('_', '-').lower()}"


def options_of(name: str) -> set[str | None]:
    """The names of a command's options and arguments."""
    return {param.name for param in COMMANDS[name].params}


def words_of(name: str, folder: Path) -> list[str]:
    """The words that call a command."""
    db, options = folder / "own.duckdb", options_of(name)
    places: dict[str, object] = {"folder": folder}
    for place, tournament in (("debate", "debates"), ("spoken", "speeches")):
        if f"{{{place}}}" in WORDS[name]:
            query = f"SELECT min(debate_id) FROM debates WHERE tournament = '{tournament}'"
            places[place] = ask(db, query)[0][0]
    words = [*name.split(), *shlex.split(WORDS[name].format(**places))]
    if (
        "tournament" in options
        and "-t" not in words
        and COMMANDS[name].params[0].name != "tournament"
    ):
        words += ["-t", "debates"]
    return words + (["--db", str(db)] if "db" in options else [])


def test_no_command_is_missing() -> None:
    missing = sorted(COMMANDS.keys() - WORDS.keys())
    assert not missing, (
        f"{', '.join(missing)}: add the most likely words after the command to WORDS, and its name "
        "to CALLING if it calls a model or another server."
    )


@for_every(STRANGE)
def test_no_key_but_those_that_may_comes_to_a_strangers_server(
    case: str, stranger: tuple[Recorder, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, folder = stranger
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    set_environment(monkeypatch, tmp_path)
    monkeypatch.chdir(tmp_path)
    make_strange(tmp_path, STRANGE[case])
    asked = case != "own keys"
    allowed = set() if NAMED.items() <= STRANGE[case].items() else {*map(value_of, NAMED)}
    others = {value_of(name) for name in (*NAMED, *NAMED.values(), *OTHERS)} - allowed
    commands = {
        "own keys": CALLING,
        "keys": WORDS,
        "listed models": [name for name in WORDS if "tournament" in options_of(name)],
        "a secret for a name": ("check", "resume", "status"),
    }[case]
    reached = set()
    for name in commands:
        server.seen.clear()
        result = arena(*words_of(name, tmp_path))
        seen = "\n".join(server.seen)
        assert not [key for key in others if key in seen], f"arena {name} sent it"
        assert not [key for key in others | allowed if key in result.output], f"{name} printed it"
        assert "Usage: " not in result.stderr, f"WORDS[{name!r}]: {result.stderr}"
        if name in CALLING:
            assert "--trust" in result.stderr if asked else result.exit_code == 0, result.output
        if server.seen:
            reached.add(name)
            assert any(key in seen for key in allowed), f"arena {name} went there without a key"
    assert reached == (set() if asked else CALLING)


def make_strange(folder: Path, written: Mapping[str, str]) -> None:
    """Write other variables and names into the files and the stored configurations."""
    store = Store(folder / "own.duckdb")

    def alter(text: str) -> str:
        for theirs, other in written.items():
            text = text.replace(theirs, other)
        return text

    for file in folder.glob("*.toml"):
        file.write_text(alter(file.read_text("utf-8")), "utf-8")
    for name, config in ask(store.path, "SELECT tournament, config::VARCHAR FROM tournaments"):
        as_toml = str(config).replace('"model": ', "model = ")
        quoted = alter(as_toml).replace("model = ", '"model": ').replace("'", "''")
        change(store, f"UPDATE tournaments SET config = '{quoted}' WHERE tournament = '{name}'")
    debate = ask(store.path, "SELECT min(debate_id) FROM debates WHERE tournament = 'debates'")
    ballots = f"SELECT ballot_id FROM ballots WHERE debate_id = '{debate[0][0]}'"
    change(
        store,
        f"DELETE FROM ballot_scores WHERE ballot_id IN ({ballots})",
        f"DELETE FROM ballots WHERE debate_id = '{debate[0][0]}'",  # open, for `resume`
    )
