"""The forms in which a finished call is kept: a journal line, a row of `calls`, an exchange.

The keys below are read back from journals and databases of earlier versions: they must not change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from arena.llm.calls import PaidAnswer
from arena.llm.request import Completion, Embeddings, Request, Usage
from arena.llm.vectors import pack
from arena.records import Call

#: A line of the journal, or the part of it that a call adds.
Line = Mapping[str, Any]

#: Fields of a completion that a line leaves out where they are empty, as earlier versions did.
_MAY_BE_EMPTY = ("structured", "served_model", "fingerprint")


def completion_fields(paid: PaidAnswer[Completion]) -> dict[str, Any]:
    """Return a completion's fields of its journal line."""
    return {
        "usd": paid.answer.cost_usd,
        **_charge_fields(paid),
        "completion": _without_empty(asdict(paid.answer)),
        "seconds": paid.seconds,
        "retries": paid.retries,
    }


def embedding_fields(paid: PaidAnswer[Embeddings]) -> dict[str, Any]:
    """Return the fields of a journal line of embeddings."""
    return {
        "usd": paid.answer.cost_usd,
        **_charge_fields(paid),
        "usage": asdict(paid.answer.usage),
        "vectors": pack(paid.answer.vectors),
        "seconds": paid.seconds,
        "retries": paid.retries,
    }


def _charge_fields(paid: PaidAnswer[Completion] | PaidAnswer[Embeddings]) -> dict[str, float]:
    # Left out where there is none, as in the journals of earlier versions.
    reserved = {"reserved_usd": paid.reserved_usd, "reserved_tokens": paid.reserved_tokens}
    return {
        "cost_usd": paid.cost_usd,
        **{name: amount for name, amount in reserved.items() if amount},
    }


def read_completion(line: Line) -> Completion:
    """Read the completion in a journal line."""
    fields = dict(line["completion"])
    usage = Usage(**fields.pop("usage"))
    dropped = tuple(fields.pop("dropped"))
    return Completion(**fields, usage=usage, dropped=dropped)


def completion_call(request: Request, line: Line, completion: Completion) -> Call:
    """Return the row of `calls` of a completion."""
    return Call(
        path=request.path,
        attempt=request.attempt,
        task=request.task,
        prompt_hash=request.prompt_hash,
        model=request.model,
        **asdict(completion.usage),
        **_cost(line),
        finish_reason=completion.finish_reason,
        dropped=", ".join(completion.dropped),
        structured=completion.structured,
        served_model=completion.served_model,
        fingerprint=completion.fingerprint,
    )


def embedding_call(line: Line, *, model: str, path: str) -> Call:
    """Return the row of `calls` of a request for embeddings."""
    return Call(
        path=path,
        attempt=0,
        task="embed",
        prompt_hash="",
        model=model,
        **line["usage"],
        **_cost(line),
        finish_reason="stop",
    )


def completion_exchange(request: Request, completion: Completion) -> dict[str, Any]:
    """Return a request and its completion as they are stored in `exchanges`."""
    return {
        "path": request.path,
        "attempt": request.attempt,
        "model": request.model,
        "seed": request.seed,
        "messages": [[message.role, message.text] for message in request.messages],
        "answer": completion.text or completion.refusal,
        "dropped": list(completion.dropped),
        **({"structured": completion.structured} if completion.structured else {}),
    }


def embedding_exchange(
    texts: Sequence[str], line: Line, *, model: str, path: str
) -> dict[str, Any]:
    """Return embedded texts as they are stored in `exchanges`: the vectors by their shape only."""
    count, dimensions = line["vectors"]["shape"]
    return {
        "path": path,
        "attempt": 0,
        "model": model,
        "messages": [["user", text] for text in texts],
        "answer": f"{count} vectors of {dimensions} dimensions",
    }


def _without_empty(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value or name not in _MAY_BE_EMPTY}


def _cost(line: Line) -> dict[str, Any]:
    costs = {name: line[name] for name in ("cost_usd", "seconds", "retries")}
    return {
        **costs,
        "reserved_usd": line.get("reserved_usd", 0.0),
        "reserved_tokens": line.get("reserved_tokens", 0),
    }
