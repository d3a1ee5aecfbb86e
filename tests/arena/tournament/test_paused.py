"""Participants that only forfeit are paused, unless somebody wants to pay for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ParticipantPaused
from arena.records import Debate
from arena.store.database import Store
from arena.store.lookups import DebateEnd
from arena.tournament.availability import ForfeitPause
from tests.servers.answers import debater
from tests.servers.openai_server import ServerSettings, serving_in_thread
from tests.support.command_line import arena
from tests.support.toml_files import FREE, bench, player, toml_text
from tests.support.tournaments import bare_debate

_NAMES = {"a": "alpha", "b": "beta", "c": "gamma"}
_EMPTY = "{side}, constructive: openai/m returned an empty answer (write.constructive)."


def _end(pro: str, con: str, *, forfeited: str = "", reason: str = _EMPTY) -> DebateEnd:
    return DebateEnd(
        pro=pro,
        con=con,
        status="forfeit" if forfeited else "finished",
        forfeited=forfeited,
        reason=reason.format(side=forfeited),
    )


def _is_paused(pause: ForfeitPause, debate: Debate) -> bool:
    try:
        pause.check(debate)
    except ParticipantPaused:
        return True
    return False


def test_equal_forfeits_from_the_first_debate_pause_a_participant() -> None:
    notes: list[str] = []
    pause = ForfeitPause(_NAMES, most=3, note=notes.append)
    for number in range(3):
        assert not _is_paused(pause, bare_debate("b", "a"))
        pair = ("a", "b", "con") if number % 2 else ("b", "a", "pro")
        pause.add(_end(*pair[:2], forfeited=pair[2]))
    assert _is_paused(pause, bare_debate("b", "c"))
    assert not _is_paused(pause, bare_debate("a", "c"))
    (note,) = notes
    assert note.startswith("beta is paused: it forfeited its first 3 debates for one reason, ")
    assert "returned an empty answer" in note


def test_one_speech_or_another_reason_keeps_a_participant_in() -> None:
    spoken = ForfeitPause(_NAMES, most=2, note=lambda line: None)
    spoken.add(_end("a", "b"))
    differing = ForfeitPause(_NAMES, most=2, note=lambda line: None)
    differing.add(_end("a", "b", forfeited="con", reason="con, summary: it declined."))
    for pause in (spoken, differing):
        for _ in range(3):
            pause.add(_end("a", "b", forfeited="con"))
        assert not _is_paused(pause, bare_debate("b", "a"))
    never = ForfeitPause(_NAMES, most=0, note=lambda line: None)
    never.add(_end("a", "b", forfeited="con"))
    assert not _is_paused(never, bare_debate("b", "a"))


def test_a_pause_outlives_the_run_and_one_speech_ends_it() -> None:
    notes: list[str] = []
    ends = [_end("a", "b", forfeited="con")] * 3
    pause = ForfeitPause(_NAMES, most=3, note=notes.append, ends=ends)
    assert _is_paused(pause, bare_debate("b", "c"))
    assert [note.partition(":")[0] for note in notes] == ["beta is paused"]
    spoken = ForfeitPause(_NAMES, most=3, note=notes.append, ends=[*ends, _end("c", "b")])
    assert not _is_paused(spoken, bare_debate("b", "c"))
    changed = ForfeitPause({"a": "alpha", "d": "beta"}, most=3, note=notes.append, ends=ends)
    assert not _is_paused(changed, bare_debate("a", "d"))
    assert len(notes) == 1


def test_the_words_of_models_do_not_make_another_reason() -> None:
    pause = ForfeitPause(_NAMES, most=2, note=lambda line: None)
    for text in ("OK.", "Yes."):
        reason = (
            "con, constructive: the text is no speech, because it has 1 words where up to 600 "
            f"were asked for: {text}"
        )
        pause.add(_end("a", "b", forfeited="con", reason=reason))
    with pytest.raises(ParticipantPaused, match="^beta is paused"):
        pause.check(replace(bare_debate("b", "a"), debate_id="other"))


def _tournament(folder: Path, url: str) -> Path:
    file = folder / "small.toml"
    text = toml_text(
        tournament={"name": "small", "languages": ["en"]},
        schedule={"kind": "round_robin", "matchups_per_pair": 10, "concurrency": 1},
        participants=[player("speaks", model="openai/good"), player("mute", model="openai/mute")],
        benches=[bench("single", model="openai/good")],
        models={"openai/*": {"api_base": url, **FREE}},
    )
    file.write_text(text, "utf-8")
    return file


@pytest.mark.slow
@pytest.mark.usefixtures("no_stored_boards")
def test_a_run_pauses_a_mute_model_and_says_how_to_go_on(tmp_path: Path) -> None:
    db = tmp_path / "own.duckdb"

    def answer(body: Mapping[str, Any]) -> str:
        return "" if body["model"] == "mute" else debater(body)

    with serving_in_thread(ServerSettings(models=()), answer) as server:
        words = ("run", _tournament(tmp_path, server.url), "--yes", "--no-report", "--db", db)
        result = arena(*words)
        assert result.exit_code == 4, result.output
        assert "Left: mute is paused: it forfeited its first 8 debates for one reason" in (
            result.output
        )
        assert _counts(db) == {"forfeit": 8, "planned": 12}
        again = arena("resume", "small", "--yes", "--no-report", "--db", db)
        assert again.exit_code == 4 and "mute is paused" in again.output
        assert _counts(db) == {"forfeit": 8, "planned": 12}
        result = arena(*words, "--yes-anyway")
        assert result.exit_code == 0, result.output
        assert _counts(db) == {"forfeit": 20}


def _counts(db: Path) -> dict[str, int]:
    rows = Store(db).rows("SELECT status, count(*) AS number FROM debates GROUP BY ALL")
    return {row["status"]: row["number"] for row in rows}
