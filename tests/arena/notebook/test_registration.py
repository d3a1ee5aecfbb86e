"""Debaters and judges that a program gives itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.api import Debater, Draft, Hearing, Judge, Judgement, Seat, Turn, Verdict
from arena.debaters.function import Chat
from arena.errors import ConfigError
from arena.plugins import plugin_packages
from arena.registered import registered
from tests.support.tournaments import SMALL

_SPEECH = "Cities breathe again without cars, and the shops in them see more people on foot."


class Reader(Debater):
    """Says the same in every debate."""

    async def speak(self, turn: Turn) -> Draft:
        return Draft(text=f"{_SPEECH} That is my {turn.stage}.")


class ForPro(Judge):
    """Lets Pro win."""

    dimensions = ("overall",)

    async def judge(self, hearing: Hearing) -> Judgement:
        won = Verdict(dimension="overall", outcome=1.0, pro_mark=7.0, con_mark=4.0, comment="Pro.")
        return Judgement(verdicts=(won,), rationale="Pro spoke first.")


async def asking(seat: Seat, turn: Turn, chat: Chat) -> str:
    return await chat([{"role": "user", "content": f"{seat.motion} {turn.stage} of {seat.side}"}])


@pytest.fixture
def forgotten() -> Iterator[None]:
    """What a test registers is gone after it."""
    yield
    for group in ("arena.debaters", "arena.judges"):
        registered(group).maps[0].clear()  # type: ignore[attr-defined]


@pytest.mark.usefixtures("forgotten", "no_stored_boards")
def test_a_class_and_a_function_debate_before_a_judge_of_the_program(tmp_path: Path) -> None:
    arena.register(debaters={"reader": Reader, "asking": asking}, judges={"for_pro": ForPro})
    text = SMALL.replace(
        'debater = "direct"\nmodel = "offline/strong"',
        'debater = "asking"\nmodel = "offline/strong"',
    )
    text = text.replace(
        'debater = "direct"\nmodel = "offline/fair"', 'debater = "reader"\nmodel = "offline/fair"'
    )
    file = tmp_path / "own.toml"
    file.write_text(text.replace('judge = "debatrix"', 'judge = "for_pro"'), encoding="utf-8")
    played = arena.run(file, db=tmp_path / "own.duckdb", quiet=True)
    assert {row.status for row in played.debates()} == {"finished"}
    assert {row.winner for row in played.debates()} == {row.pro for row in played.debates()}
    spoken = {row.participant: row for row in played.speeches()}
    assert spoken["fair"].text.startswith(_SPEECH)
    calls = {row.task for row in played.calls(participant="strong")}
    assert "write.constructive" in calls
    assert played.leaderboard().frame["debates"].tolist() == [4, 4, 4]


@pytest.mark.usefixtures("forgotten")
def test_a_name_is_registered_anew_but_never_that_of_a_package() -> None:
    arena.register(judges={"mine": ForPro})

    class Other(ForPro):
        """A second try, as when a cell is run again."""

    arena.register(judges={"mine": Other})
    assert registered("arena.judges")["mine"].load() is Other
    with pytest.raises(ConfigError, match=r"judges: 'debatrix' is registered by judges\."):
        arena.register(judges={"debatrix": ForPro})
    assert registered("arena.judges")["debatrix"].load() is not ForPro


@pytest.mark.usefixtures("forgotten")
def test_a_function_of_executed_code_has_a_module() -> None:
    names: dict[str, Any] = {}
    exec("async def speech(seat, turn, chat):\n    return ''", names)
    arena.register(debaters={"executed": names["speech"]})
    assert registered("arena.debaters")["executed"].module == "__main__"
    assert "__main__" in plugin_packages()


@pytest.mark.usefixtures("forgotten")
def test_what_is_no_debater_and_no_judge_is_refused() -> None:
    def plain(seat: Seat, turn: Turn, chat: Chat) -> str:
        return ""

    for kind, given, words in (
        ("debaters", plain, r"debaters: 'x' is <function .*an async function of a seat"),
        ("debaters", ForPro, "subclasses arena.api.Debater"),
        ("debaters", Debater, "and has its methods"),
        ("judges", Reader, "subclasses arena.api.Judge and has its methods"),
        ("judges", 3, "judges: 'x' is 3"),
    ):
        with pytest.raises(ConfigError, match=words):
            arena.register(**{kind: {"x": given}})  # type: ignore[arg-type]
        assert "x" not in registered(f"arena.{kind}")
