"""Measuring by models: what is asked, journalled and paid, and what a cap leaves open."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from arena.errors import BudgetReached, JournalMismatch
from arena.llm.budget import Budget
from arena.llm.request import Request
from arena.llm.session import CallSession
from arena.papers.essays.diversity import (
    MeasuringModels,
    measure_with_models,
    measure_without_models,
)
from arena.papers.essays.sets import EssaySet
from tests.support import scripted_backend as scripted
from tests.support.scripted_backend import ScriptedAccess, ScriptedBackend, completion

TEXTS = (
    "Shorter weeks keep people healthy and awake.\nFirms make fewer costly mistakes then.",
    "Shorter weeks keep people rested and healthy.\nOutput stays the same in most of the trials.",
    "Nobody has to earn less for a shorter week.\nFirms make fewer costly mistakes then.",
)
ESSAYS = EssaySet(participant="a", debater="direct", motion_id="m", language="en", texts=TEXTS)
BOTH = MeasuringModels(embedding="e/model", points="p/model")


def unit(backend: ScriptedBackend, folder: Path, *, budget: Budget | None = None) -> CallSession:
    return scripted.unit(ScriptedAccess(backend, budget=budget), folder)


def points(request: Request) -> str:
    return json.dumps({"points": [f"Point of {request.path}.", "A common point."]})


async def test_models_give_the_same_figures_as_none_where_they_say_the_same(
    tmp_path: Path,
) -> None:
    backend = ScriptedBackend(points)
    by_embedding = await measure_with_models(
        ESSAYS, MeasuringModels(embedding="e/model"), unit(backend, tmp_path)
    )
    without = measure_without_models(ESSAYS)
    assert backend.requests == [] and len(backend.embedded) == 1
    assert by_embedding.self_bleu == without.self_bleu
    assert by_embedding.self_emb == pytest.approx(without.self_emb, abs=1e-4)
    assert by_embedding.perspective == pytest.approx(without.perspective, abs=1e-4)


async def test_what_is_journalled_is_not_asked_again(tmp_path: Path) -> None:
    first, again = (ScriptedBackend(points, price=(1e-3, 1e-3)) for _ in range(2))
    before = unit(first, tmp_path)
    measured = await measure_with_models(ESSAYS, BOTH, before)
    after = unit(again, tmp_path)
    assert await measure_with_models(ESSAYS, BOTH, after) == measured
    assert again.requests == [] and again.embedded == []
    assert after.calls == before.calls and after.exchanges() == before.exchanges()
    assert measured.points == 6
    (call,) = (one for one in after.calls if one.task == "embed")
    assert (call.model, call.input_tokens) == ("e/model", 90)  # three essays, six points
    assert call.cost_usd == pytest.approx(0.09)
    assert len(first.requests) == 3 and first.embedded == [[*TEXTS, *_said(first)]]


def _said(backend: ScriptedBackend) -> list[str]:
    return [point for one in backend.requests for point in json.loads(points(one))["points"]]


async def test_embeddings_stand_under_the_cap(tmp_path: Path) -> None:
    backend = ScriptedBackend(points, price=(1.0, 0.0))
    budget = Budget(100.0)
    at_work = unit(backend, tmp_path, budget=budget)
    with pytest.raises(BudgetReached):
        await measure_with_models(ESSAYS, MeasuringModels(embedding="e/model"), at_work)
    assert backend.embedded == [] and budget.spent == 0.0
    larger = Budget(10_000.0)
    await measure_with_models(
        ESSAYS, MeasuringModels(embedding="e/model"), unit(backend, tmp_path, budget=larger)
    )
    assert larger.spent == 10.0 * len(backend.embedded[0])


async def test_other_texts_in_the_same_place_set_the_journal_aside(tmp_path: Path) -> None:
    backend = ScriptedBackend(points)
    await unit(backend, tmp_path).embed(["one"], model="e/model", path="embed/1")
    with pytest.raises(JournalMismatch):
        await unit(backend, tmp_path).embed(["two"], model="e/model", path="embed/1")


async def test_many_texts_are_embedded_in_several_requests(tmp_path: Path) -> None:
    texts = tuple(f"Essay number {n} says something of its own." for n in range(40))
    many = EssaySet(participant="a", debater="direct", motion_id="m", language="en", texts=texts)
    backend = ScriptedBackend(points)
    measurement = await measure_with_models(
        many, MeasuringModels(embedding="e/model"), unit(backend, tmp_path)
    )
    assert [len(one) for one in backend.embedded] == [32, 32, 16]
    assert measurement.self_emb == pytest.approx(measure_without_models(many).self_emb, abs=1e-4)


async def test_an_essay_whose_points_are_refused_is_counted_and_left_out(tmp_path: Path) -> None:
    backend = ScriptedBackend(
        lambda request: (
            completion("No.", finish="refusal") if request.path == "points/2" else points(request)
        )
    )
    measurement = await measure_with_models(
        ESSAYS, MeasuringModels(points="p/model"), unit(backend, tmp_path)
    )
    assert (measurement.unread, measurement.points) == (1, 4)
    none = ScriptedBackend(lambda request: completion("No.", finish="refusal"))
    measurement = await measure_with_models(
        ESSAYS, MeasuringModels(points="p/model"), unit(none, tmp_path / "none")
    )
    assert measurement.unread == 3 and np.isnan(measurement.perspective)
