"""The essay contest: both write against the motion, unseen by each other, and are compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena.debater import Debater
from arena.debaters.direct import Direct
from arena.debates.pairs import winner_flipped
from arena.debates.protocol import play
from arena.errors import ConfigError
from arena.languages import SIDES
from arena.store.database import Store
from tests.support.command_line import done
from tests.support.debate_seats import language_model, seat
from tests.support.scripted_backend import ScriptedBackend
from tests.support.toml_files import bench, player, toml_text
from tests.support.tournaments import content, resolved_of

pytestmark = pytest.mark.usefixtures("no_stored_boards")


async def test_both_write_against_the_motion_and_neither_sees_the_other(tmp_path: Path) -> None:
    backend = ScriptedBackend(lambda request: f"Essay of {request.path}.")
    model = language_model(backend, tmp_path)
    writers = {
        side: Direct(seat(model.under(f"{side}/"), side="con"), Direct.Options()) for side in SIDES
    }
    played = await play(writers, "essay")
    assert played.status == "finished"
    assert [(one.side, one.stage) for one in played.speeches] == [
        ("pro", "answer"),
        ("con", "answer"),
    ]
    assert {one.variables["side"] for one in backend.requests} == {"Con"}
    assert {one.task for one in backend.requests} == {"write.constructive"}
    assert not any("Essay of" in one.text() for one in backend.requests)
    assert [one.text.split("/")[0] for one in played.speeches] == ["Essay of pro", "Essay of con"]


CONFIG = toml_text(
    tournament={
        "name": "essays",
        "contest": "essay",
        "languages": ["en", "zh"],
        "motions": "arena66",
        "categories": ["value"],
    },
    limits={"words": 100},
    schedule={"matchups_per_pair": 2},
    participants=[
        player("direct"),
        player("planned", "debate_to_write", options={"personas": False}),
    ],
    benches=[
        bench("both-orders", "single", "offline/good", swap=True),
        bench("one-order", "debatrix", "offline/good"),
    ],
)


def essays(**changes: object) -> dict[str, Any]:
    """A configuration of an essay contest that `single` judges."""
    config = content("ann", "bob", contest="essay")
    config["benches"] = [{"name": "bench", "judge": "single", "model": "offline/fair"} | changes]
    return config


def test_an_essay_contest_is_played_judged_in_both_orders_and_rated(tmp_path: Path) -> None:
    file, db = tmp_path / "own.toml", str(tmp_path / "own.duckdb")
    file.write_text(CONFIG, "utf-8")
    printed = done("run", str(file), "--yes", "--db", db)
    assert "simulated models" in printed and "bench both-orders" in printed
    store = Store(Path(db))
    speeches = store.rows("SELECT DISTINCT stage, count(*) AS number FROM speeches GROUP BY stage")
    assert [(one["stage"], one["number"]) for one in speeches] == [("answer", 8)]
    debated = (
        r"SELECT text FROM speeches WHERE regexp_matches(text, '\b(Pro|Con)\b|正方|反方|评委')"
    )
    assert store.rows(debated) == [], "essays are no speeches"
    ballots = store.rows("SELECT bench, swapped, status, trace FROM ballots")
    assert len(ballots) == 8 and {one["status"] for one in ballots} == {"valid"}
    for one in ballots:
        assert one["swapped"] == (one["bench"] == "both-orders")
        assert (winner_flipped(json.loads(one["trace"])) is not None) == one["swapped"]
    read = done("show", _first(store), "--ballots", "--db", db)
    assert "Answer A: " in read and "── Answer B (" in read and "Pro" not in read
    shown = done("versus", "planned", "direct", "--bench", "both-orders", "--db", db)
    assert "4 debates" in shown


def _first(store: Store) -> str:
    result = store.rows("SELECT debate_id FROM debates WHERE language = 'en' ORDER BY 1")
    return str(result[0]["debate_id"])


def test_essays_are_written_at_temperature_one_unless_it_is_said_otherwise() -> None:
    given = essays()
    given["participants"][1]["sampling"] = {"temperature": 0.3}
    assert [one.sampling.temperature for one in resolved_of(given).participants] == [1.0, 0.3]
    given["tournament"]["contest"] = "debate"
    assert resolved_of(given).participants[0].sampling.temperature == 0.2


def test_both_orders_are_refused_where_the_order_belongs_to_the_debate() -> None:
    given = essays(swap=True)
    assert resolved_of(given).benches[0].swap
    given["tournament"]["contest"] = "debate"
    with pytest.raises(ConfigError, match=r"benches\[1\].swap: only pairs of essays"):
        resolved_of(given)


@pytest.mark.parametrize(
    "bench",
    [
        {"judge": "correctness", "model": "", "runs": 1},
        {"judge": "jury", "options": {"members": [{"judge": "correctness"}]}},
    ],
    ids=["a judge", "a member of a jury"],
)
def test_a_judge_that_hears_no_pairs_is_refused_at_the_plan(bench: dict[str, Any]) -> None:
    with pytest.raises(
        ConfigError, match=r"benches\[1\].judge: .* does not support contest = 'essay'"
    ):
        resolved_of(essays(**bench))


def test_who_writes_no_essays_is_refused_at_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    given = essays()
    assert given["participants"][0]["debater"] == "direct"
    monkeypatch.setattr(Direct, "contests", Debater.contests)  # a class that says nothing of any
    with pytest.raises(ConfigError, match=r"participants\[1\].debater: 'direct' does not support"):
        resolved_of(given)


def test_ballots_in_both_orders_are_others_than_those_in_one() -> None:
    one, both = (resolved_of(essays(swap=swap)).benches[0] for swap in (False, True))
    assert one.specification != both.specification
