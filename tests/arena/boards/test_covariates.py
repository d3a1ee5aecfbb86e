"""What rating models may know of a debate beside its outcome."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

from arena.boards.covariates import COVARIATES, select_with_covariates
from arena.boards.selection import Selection
from arena.config.stored import stored_config
from arena.store.database import Store
from arena.tournament.plan import TournamentPlan
from ratings import Comparisons
from tests.support.battle_logs import write_log
from tests.support.command_line import done, refused
from tests.support.tournaments import changed, content, decide, planned


@pytest.fixture
def judged(tmp_path: Path) -> tuple[Store, TournamentPlan]:
    """Ann, on another model than the rest and the judge, beats bob, and bob beats cyd."""
    config = changed(content("ann", "bob", "cyd"), ["schedule", "matchups_per_pair"], 3)
    config = changed(config, ["participants", 0, "model"], "offline/strong")
    store, plan = planned(tmp_path / "own.duckdb", config)
    decide(store, plan, ann_bob="ann", bob_cyd="bob")
    return store, plan


def _described(store: Store) -> Comparisons:
    resolved = stored_config(store, None)
    selection = Selection(tournament=resolved.name, bench=resolved.benches[0].name)
    return select_with_covariates(store, resolved, selection).comparisons


def _update(store: Store, what: str) -> None:
    """Change Pro's speeches where ann is Pro."""
    statement = (
        f"UPDATE speeches SET {what} WHERE side = 'pro' AND debate_id IN ("  # noqa: S608
        "SELECT debate_id FROM debates d JOIN participants p ON p.participant_id = d.pro "
        "WHERE p.name = 'ann')"
    )

    def batch(link: duckdb.DuckDBPyConnection) -> None:
        link.execute(statement)

    store.write(batch)


def test_length_is_in_doublings_and_references_are_counted(
    judged: tuple[Store, TournamentPlan],
) -> None:
    store, _ = judged
    assert "length" not in _described(store).covariates
    _update(store, """words = words * 2, "references" = '[1, 2]'::JSON""")
    description = _described(store)
    from_ann = description.first == description.names.index("ann")
    assert description.covariates["length"].tolist() == pytest.approx(
        from_ann.astype(float).tolist()
    )
    assert description.covariates["references"].tolist() == [
        6.0 if one else 0.0 for one in from_ann
    ]
    assert description.motions == ("fact-1", "policy-1", "value-1")


def test_a_judges_family_is_told_by_models(judged: tuple[Store, TournamentPlan]) -> None:
    description = _described(judged[0])
    ann = description.names.index("ann")
    wanted = (description.second == ann).astype(float) - (description.first == ann)
    assert description.covariates["own-family"].tolist() == wanted.tolist()


def test_a_debaters_roles_have_families_too(tmp_path: Path) -> None:
    config = changed(content("ann", "bob"), ["benches", 0, "model"], "offline/good")
    config = changed(config, ["participants", 0, "debater"], "mad")
    roles = {"models": {"affirmative": "offline/good"}}
    store, plan = planned(
        tmp_path / "own.duckdb", changed(config, ["participants", 0, "options"], roles)
    )
    decide(store, plan, ann_bob="ann")
    description = _described(store)
    ann = description.names.index("ann")
    assert description.covariates["own-family"].tolist() == [
        1.0 if one == ann else -1.0 for one in description.first
    ]


def test_boards_say_what_terms_are_worth(judged: tuple[Store, TournamentPlan]) -> None:
    store, _ = judged
    _update(store, "words = words * 2")
    chosen = ("--covariate", "length", "--covariate", "own-family", "--side-by-motion")
    printed = done("leaderboard", "--db", store.path, *chosen)
    for one in ("the side (Pro): ", "twice the words: ", "a judge of one's own family of models: "):
        assert f"Effect of {one}" in printed
    assert "Between motions, the effect of the side differs by " in printed
    board = json.loads(done("leaderboard", "--db", store.path, *chosen, "--format", "json"))
    names = [one["name"] for one in board["effects"]]
    assert names[:3] == ["side", "length", "own-family"]
    assert names[3:] == ["motion fact-1", "motion policy-1", "motion value-1"]
    assert "ann leads" in " ".join(done("influence", "--db", store.path, *chosen).split())


def test_calibrate_tries_what_differs_between_sides(judged: tuple[Store, TournamentPlan]) -> None:
    store, _ = judged
    _update(store, "words = words * 2")
    document = json.loads(done("calibrate", "--db", store.path, "--format", "json"))
    assert [one["name"] for one in document["covariates"]] == ["length", "own-family"]
    assert {"with length", "with own-family"} <= {one["model"] for one in document["lines"]}
    said = " ".join(done("calibrate", "--db", store.path).split())
    assert "The worth of twice the words is " in said
    assert "Left out, because they are always the same on both sides: references." in said


@pytest.mark.parametrize("name", ["length", "references"])
def test_what_is_the_same_on_both_sides_is_refused(
    judged: tuple[Store, TournamentPlan], name: str
) -> None:
    message = refused("leaderboard", "--db", judged[0].path, "--covariate", name)
    assert message.startswith(f"the covariate {name} cannot be estimated here: ")


def test_without_debates_there_is_an_empty_board(tmp_path: Path) -> None:
    store, _ = planned(tmp_path / "own.duckdb")
    chosen = [word for name in COVARIATES for word in ("--covariate", name)]
    printed = done("leaderboard", "--db", store.path, *chosen, "--side-by-motion")
    assert "No debate has all its ballots yet, so nothing is rated." in printed


def test_judges_of_imported_battles_are_known_by_their_names(tmp_path: Path) -> None:
    rows = [
        {"model_a": "gpt-4o", "model_b": "claude-4", "winner": "model_a", "judge": "gpt-4o-mini"},
        {"model_a": "gpt-4o", "model_b": "claude-4", "winner": "model_b", "judge": "claude-3"},
        {"model_a": "gpt-4o", "model_b": "claude-4", "winner": "tie", "judge": "qwen"},
    ]
    db = tmp_path / "own.duckdb"
    done("import", write_log(tmp_path / "log.csv", rows), "--db", db)
    description = _described(Store(db))
    assert sorted(description.covariates["own-family"].tolist()) == [-1.0, 0.0, 1.0]
    assert "arena rejudge" not in done("judges", "--db", db), "nobody can judge them again"
    printed = done("leaderboard", "--db", db, "--covariate", "own-family")
    assert "Effect of a judge of one's own family of models: +" in printed
