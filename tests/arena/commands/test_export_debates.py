"""`arena export --what debates`: whole debates as JSON lines."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.records import Reference
from arena.store.database import Store
from arena.tournament.plan import TournamentPlan
from tests.support.battle_logs import PLAIN, write_log
from tests.support.command_line import arena, done, refused
from tests.support.tournaments import commit, content, judged, planned, played, speeches

STEPS = ({"agent": "Writer", "action": "draft", "round": 1, "result": "第一稿"},)
REFERENCE = Reference(number=2, origin="A report", excerpt="It said so.", side="pro")


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, TournamentPlan]:
    """Three finished debates, a forfeit, a void one and one that was never played."""
    store, plan = planned(tmp_path_factory.mktemp("debates") / "own.duckdb", content(runs=2))
    first, second, third, fourth, fifth, _ = plan.debates
    ended = played(first)
    made = replace(ended.speeches[0], text="<b>说</b> \"it\" [P2].", references=(REFERENCE,),
                   trace=STEPS)  # fmt: skip
    with_steps = replace(ended, speeches=(made, *ended.speeches[1:]))
    commit(
        store, with_steps, played(second), played(third), played(fifth, "void"),
        replace(played(fourth, "forfeit", forfeited="con"), speeches=speeches()[:1]),
        judged(first, 1.0, source=0.5), judged(first, run=1, status="failed"), judged(second, 0.0),
    )  # fmt: skip
    return store, plan


def exported(store: Store, folder: Path, *options: str) -> list[dict[str, Any]]:
    file = folder / "debates.jsonl"
    done("export", file, "--what", "debates", "--db", store.path, "--force", *options)
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def test_every_ended_debate_is_a_line(stored: tuple[Store, TournamentPlan], tmp_path: Path) -> None:
    store, plan = stored
    documents = exported(store, tmp_path)
    ended = {debate.debate_id for debate in plan.debates[:4]}
    assert {document["debate_id"] for document in documents} == ended
    statuses = {document["debate_id"]: document["status"] for document in documents}
    assert statuses[plan.debates[3].debate_id] == "forfeit"
    keys = [(document["motion"]["id"], document["matchup_id"], document["leg"])
            for document in documents]  # fmt: skip
    assert keys == sorted(keys)


def test_a_line_holds_the_whole_debate(
    stored: tuple[Store, TournamentPlan], tmp_path: Path
) -> None:
    store, plan = stored
    first = plan.debates[0]
    names = {one.participant_id: one.name for one in plan.resolved.participants}
    (document,) = exported(store, tmp_path, "--debate", first.debate_id[:10])
    assert document["motion"] == {
        "id": first.motion_id, "set": "own", "category": document["motion"]["category"],
        "topic": "work", "text": f"On {first.motion_id}", "info_slide": "",
        "answers": None,
    }  # fmt: skip
    assert document["pro"] == {
        "name": names[first.pro], "debater": "direct", "model": "offline/fair", "options": {}
    }  # fmt: skip
    assert (document["contest"], document["simulated"]) == ("debate", True)
    assert document["finished_at"] == "2025-01-01T00:00:00+00:00"
    made, *others = document["speeches"]
    assert made["text"] == '<b>说</b> "it" [P2].'
    assert made["making"] == list(STEPS)
    assert made["references"] == [
        {"number": 2, "origin": "A report", "excerpt": "It said so.", "given": True, "side": "pro"}
    ]
    assert [(one["stage"], one["side"]) for one in others][-1] == ("summary", "pro")
    valid, failed = document["ballots"]
    assert (valid["bench"], valid["run"], valid["status"]) == ("bench", 0, "valid")
    assert {one["dimension"]: one["outcome"] for one in valid["verdicts"]} == {
        "overall": 1.0, "source": 0.5
    }  # fmt: skip
    assert valid["confidence"] is None
    assert (failed["status"], failed["verdicts"]) == ("failed", [])


def test_a_selection_of_debates_and_ballots(
    stored: tuple[Store, TournamentPlan], tmp_path: Path
) -> None:
    store, _ = stored
    every = [document["motion"]["category"] for document in exported(store, tmp_path)]
    documents = exported(store, tmp_path, "--category", every[0])
    assert [document["motion"]["category"] for document in documents] == [
        category for category in every if category == every[0]
    ]
    assert exported(store, tmp_path, "--until", "2024-12-31") == []
    for options, ballots in ((("--bench", "bench"), 3), ((), 3)):
        assert sum(len(one["ballots"]) for one in exported(store, tmp_path, *options)) == ballots


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--dimension", "source"), "--dimension selects battles and leaderboards"),
        (("--translations", "a.jsonl"), "--translations belongs to --what case-studies"),
    ],
)
def test_options_of_other_exports_are_refused(
    stored: tuple[Store, TournamentPlan], tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    words = ("export", tmp_path / "a.jsonl", "--what", "debates", "--db", stored[0].path)
    result = arena(*words, *options)
    assert result.exit_code == 2 and message in " ".join(result.stderr.split())
    result = arena("export", tmp_path / "a.csv", "--debate", "3f", "--db", stored[0].path)
    assert "--debate belongs to --what debates and" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_debate_that_did_not_end_is_named(
    stored: tuple[Store, TournamentPlan], tmp_path: Path
) -> None:
    store, plan = stored
    void = plan.debates[4].debate_id
    words = ("export", tmp_path / "a.jsonl", "--what", "debates", "--db", store.path)
    message = refused(*words, "--debate", void)
    assert message == (
        f"--debate '{void}' is no ended debate of 'small'. They are listed by: arena debates "
        f"-t small --db {store.path}"
    )
    assert "is no ended debate" in refused(*words, "--debate", "")


def test_imported_battles_have_no_debates(tmp_path: Path) -> None:
    db = tmp_path / "own.duckdb"
    done("import", write_log(tmp_path / "log.csv", PLAIN), "--db", db)
    message = refused("export", tmp_path / "a.jsonl", "--what", "debates", "--db", db)
    assert message == (
        "'log' was imported: its battles have verdicts, but no speeches. Export them with "
        "--what battles."
    )
