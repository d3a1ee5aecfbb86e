"""Results in the JSON schema of Every Eval Ever: a file per participant, with its place on a board.

Written for version 0.3.0 of the schema. What only a person knows (who evaluates, how a model is
deployed) is `unknown` or `other`, and may be filled in.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from arena.boards.board import Board, Row
from arena.integrations.exporting import Exporting, fill_folder, rated_board
from arena.records import Participant
from arena.text import counted

SCHEMA_VERSION: Final = "0.3.0"
_COLLECTION: Final = "debate-arena"
_LONGEST: Final = 80


def export(exporting: Exporting) -> str:
    """Write a file for each rated participant, at the places that the schema's repository names."""
    rated = rated_board(exporting)
    target = Path(exporting.target)
    rows = [row for row in rated.rows if row.is_rated]
    participants = {each.name: each for each in exporting.resolved.participants}
    with fill_folder(target, force=exporting.force) as folder:
        for row in rows:
            participant = participants.get(row.participant)
            record = _record(exporting, rated, row, participant)
            place = folder / _place(exporting, record["model_info"]["id"], row.participant)
            place.parent.mkdir(parents=True, exist_ok=True)
            text = json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False)
            place.write_text(text + "\n", encoding="utf-8")
    return f"{counted(len(rows), 'participant')} written to {target}."


def _place(exporting: Exporting, model: str, participant: str) -> Path:
    """Return the path of a record: collection, developer, model, and an id that stays the same."""
    developer, _, name = model.partition("/")
    told = f"{exporting.selection.title}\n{participant}"
    identity = UUID(bytes=hashlib.sha256(told.encode()).digest()[:16], version=4)
    parts = [_file_name(part) for part in (_COLLECTION, developer, name)]
    return Path("data", *parts, f"{identity}.json")


def _file_name(text: str) -> str:
    """Return a text with no other characters than names of files have everywhere.

    >>> _file_name("../c+d")
    '_c_d'
    """
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", text).lstrip(".")[:_LONGEST] or "unknown"


def _record(
    exporting: Exporting, rated: Board, row: Row, participant: Participant | None
) -> dict[str, Any]:
    resolved, now = exporting.resolved, str(int(time.time()))
    info = _model_info(row.participant, participant)
    info["additional_details"]["simulated"] = str(resolved.simulated).lower()
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{resolved.name}/{row.participant}/{now}",
        "retrieved_timestamp": now,
        "source_metadata": {
            "source_name": resolved.name,
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "debate-arena", "version": version("debate-arena")},
        "model_info": info,
        "evaluation_results": list(_results(exporting, rated, row)),
    }


def _model_info(name: str, participant: Participant | None) -> dict[str, Any]:
    model = participant.model if participant and "/" in participant.model else f"unknown/{name}"
    return {
        "name": name,
        "id": model,
        "developer": model.partition("/")[0],
        "additional_details": {
            "deployment_type": "unknown",
            "model_availability": "unknown",
            "debater": participant.debater if participant else "unknown",
        },
    }


def _results(exporting: Exporting, rated: Board, row: Row) -> Iterator[dict[str, Any]]:
    """Yield the rating of a participant with its interval, and its share of wins."""
    bounds = {"lower": row.lower, "upper": row.upper, "confidence_level": 0.95}
    interval = {**bounds, "method": rated.method.intervals}
    rating = {"confidence_interval": interval, "num_samples": row.debates}
    elo = {"metric_unit": "points", "min_score": "-Infinity", "max_score": "Infinity"}
    share = {"metric_unit": "proportion", "min_score": 0, "max_score": 1}
    for name, score, own, uncertainty in (
        ("elo", row.rating, elo, rating),
        ("win_rate", row.win_rate, share, {"num_samples": row.debates}),
    ):
        yield {
            "evaluation_result_id": f"{row.participant}/{name}",
            "evaluation_name": f"{exporting.selection.title} · {name}",
            "source_data": {"dataset_name": exporting.resolved.name, "source_type": "other"},
            "metric_config": {
                "metric_id": f"debate-arena.{name}",
                "metric_name": name,
                "metric_kind": name,
                "lower_is_better": False,
                "score_type": "continuous",
                **own,
                "additional_details": {
                    "benches": exporting.selection.judging,
                    "summary": rated.caveat or "no simulated models",
                },
            },
            "score_details": {
                "score": score,
                "details": {
                    "rank": "none" if row.rank is None else str(row.rank),
                    "debates": str(row.debates),
                },
                "uncertainty": uncertainty,
            },
        }
