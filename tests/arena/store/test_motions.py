"""Motions read back from a database, and that a stored one never changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arena.errors import ConfigError
from arena.store.motions import check_unchanged, read_motions
from arena.tournament.plan import make_plan
from motions import Brief, BriefPoint, Motion, Wording
from tests.support.stored_databases import change
from tests.support.tournaments import content, motion, planned, resolved_of

POINT = BriefPoint(claim="It calms.", evidence="In trials.", source="Paper, 2020")
BRIEF = Brief(pro=(POINT,), con=(POINT,))


def tea(text: str = "Tea is best", slide: str = "A drink.", brief: Brief = BRIEF) -> Motion:
    english = Wording(text=text, info_slide=slide, brief=brief)
    chinese = Wording(text="茶最好", info_slide="", brief=Brief(pro=(), con=()))
    return replace(motion("tea", "value"), wordings={"en": english, "zh": chinese})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "own.duckdb"


def test_motions_are_read_back_as_they_were(path: Path) -> None:
    store, _ = planned(path, content(languages=["en", "zh"]), [tea()])
    (found,) = read_motions(store, "small")
    assert found == replace(tea(), wordings={code: tea().wordings[code] for code in found.wordings})
    check_unchanged([tea()], store)


@pytest.mark.parametrize("name", ["small", "second"])
@pytest.mark.parametrize(
    ("changed", "what"),
    [
        (tea(text="Tea is worst"), "text (en)"),
        (tea(slide=""), "info slide (en)"),
        (tea(brief=Brief(pro=(), con=())), "brief (en)"),
        (tea(brief=Brief(pro=(POINT,), con=(replace(POINT, source=""),))), "brief (en)"),
        (replace(tea(), category="fact"), "category ('value')"),
    ],
)
def test_a_changed_motion_under_a_stored_id_is_refused(
    path: Path, name: str, changed: Motion, what: str
) -> None:
    store, _ = planned(path, motions=[tea()])
    before = path.read_bytes()
    with pytest.raises(ConfigError) as caught:
        make_plan(resolved_of(content(name=name, seed=7), [changed]), store)
    text = str(caught.value)
    assert text.startswith(
        f"motion 'tea': {path} holds a motion with this id but another {what} (from the set"
    )
    assert "Give the motion another id, or use another database (--db); `arena resume`" in text
    assert path.read_bytes() == before


def test_a_new_language_a_new_topic_and_a_renamed_set_change_no_motion(path: Path) -> None:
    store, _ = planned(path, motions=[tea()])
    renamed = replace(tea(), topic="food", motion_set="other")
    make_plan(resolved_of(content(languages=["en", "zh"]), [renamed]), store)


def test_a_stored_brief_without_sides_is_none(path: Path) -> None:
    """Motions that were stored by hand or from battles have the column's `{}`."""
    store, _ = planned(path, motions=[motion("tea", "value")])
    change(store, "UPDATE motions SET brief = '{}'")
    (found,) = read_motions(store, "small")
    assert found == motion("tea", "value")
    check_unchanged([motion("tea", "value")], store)
