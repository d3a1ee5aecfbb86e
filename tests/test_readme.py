"""The commands of the README and the user guide run, and their output is what is printed."""

from __future__ import annotations

import contextlib
import re
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest

from arena.config.load import parse_config
from arena.config.resolve import resolve
from arena.report.overview.files import report_file
from tests.servers.openai_server import ServerSettings, serving_in_thread
from tests.support.command_line import done
from tests.support.console_script import environment
from tests.support.played_tournaments import DATABASE, played_once

_ROOT = Path(__file__).parents[1]
_README = (_ROOT / "README.md").read_text("utf-8")
_GUIDE = (_ROOT / "docs" / "guide.md").read_text("utf-8")
#: Commands that a test of their own runs: a server that stays, and the setting of a variable.
_ELSEWHERE = ("arena serve", "export ")
_KEY = "sk-5f2c9e71d0"


def _blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def _commands(block: str) -> list[list[str]]:
    lines = [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]
    return [shlex.split(line)[1:] for line in lines if not line.startswith(_ELSEWHERE)]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which `make tournament` was run, with what it printed."""

    def play(folder: Path) -> None:
        with contextlib.chdir(folder):
            printed = done("run", "--yes")
        (folder / "printed.txt").write_text(printed, "utf-8")

    return played_once(tmp_path_factory, "readme", play)


def test_the_readme_is_short() -> None:
    printed = sum(len(block.split()) for block in _blocks(_README, "text"))
    assert len(_README.split()) - printed <= 1200


@pytest.mark.slow
def test_the_first_board_is_what_is_printed(played: Path) -> None:
    (board,) = _blocks(_README, "text")
    shown, _, report = board.strip().rpartition("\n")
    assert (played / "printed.txt").read_text("utf-8").endswith(f"{shown}\n")
    assert report == f"Report: {report_file(Path(DATABASE))}"  # no test's run writes its report


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "block", "least"),
    [
        ("readme", 1, 5),
        ("guide", 0, 10),
        ("guide", 1, 2),
        pytest.param("guide", 2, 6, marks=pytest.mark.deep),  # plays 560 questions
        ("guide", 3, 3),
    ],
)
def test_the_commands_run(
    page: str,
    block: int,
    least: int,
    played: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(played / DATABASE, DATABASE)
    commands = _commands(_blocks({"readme": _README, "guide": _GUIDE}[page], "console")[block])
    assert len(commands) >= least
    for words in commands:
        assert done(*words).strip(), words


@pytest.mark.slow
def test_battles_go_out_and_come_in(
    played: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(played / DATABASE, DATABASE)
    (block,) = _blocks(_GUIDE, "battles")
    outputs = re.split(r"^\$.*\n", block, flags=re.M)[1:]
    for words, output in zip(_commands(block), outputs, strict=True):
        assert done(*words) == output, words
    for words in _commands(_blocks(_GUIDE, "console")[3]):  # with the imported one in the file
        assert done(*words).strip(), words
    (lines,) = _blocks(_GUIDE, "python")
    exec(compile(lines, "guide.md", "exec"), {})  # noqa: S102 - our own page
    assert capsys.readouterr().out.strip() == lines.strip().rpartition("# ")[2]


@pytest.mark.slow
def test_a_finished_tournament_is_not_played_again(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(played / DATABASE, DATABASE)
    printed = done("run", "--yes")
    assert "Everything has been played: 112 debates" in printed
    shown, _, _ = _blocks(_README, "text")[0].strip().rpartition("\n")
    assert printed.endswith(f"{shown}\n")


def test_the_few_lines_are_a_tournament() -> None:
    (text,) = _blocks(_README, "toml")
    assert len(text.splitlines()) == 7
    config = parse_config(tomllib.loads(text), where="README")
    assert len(resolve(config, where="README").participants) == 2


@pytest.mark.slow
def test_the_commands_for_own_models_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (text,) = _blocks(_README, "toml")
    monkeypatch.chdir(tmp_path)
    text = text.replace("usd = 20", "usd = 20, words = 200")
    short = (
        f"{text}\n[schedule]\nmatchups_per_pair = 1\n"
        '[models."openai/*"]\napi_base = "env:OPENAI_BASE_URL"\napi_key = "env:OPENAI_API_KEY"\n'
    )
    Path("weekend.toml").write_text(short, "utf-8")
    with serving_in_thread(ServerSettings(models=("gpt-4o-mini", "gpt-4o"), key=_KEY)) as server:
        for name, value in environment().items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("OPENAI_API_KEY", _KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        printed = [done(*words) for words in _commands(_blocks(_README, "console")[0])]
    assert "2 debates rated" in printed[-1]
    assert _KEY not in Path(DATABASE).read_bytes().decode("latin-1")


def test_one_motion_prints_the_verdict_that_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (block,) = _blocks(_GUIDE, "session")
    command, verdict = block.split("\n", 1)
    monkeypatch.chdir(tmp_path)
    assert verdict.strip() in done(*_commands(command)[0])


def test_links_lead_to_files() -> None:
    pages = [_ROOT / "README.md", _ROOT / "CONTRIBUTING.md", *(_ROOT / "docs").rglob("*.md")]
    broken = [
        f"{page.name}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
        if not (page.parent / target).exists()
    ]
    assert not broken, "\n".join(broken)


def test_links_lead_to_headings() -> None:
    pages = [_ROOT / "README.md", _ROOT / "CONTRIBUTING.md", *(_ROOT / "docs").rglob("*.md")]
    broken = [
        f"{page.name}: {target}#{anchor}"
        for page in pages
        for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text("utf-8"))
        if anchor not in _anchors(page.parent / target if target else page)
    ]
    assert not broken, "\n".join(broken)


def _anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
