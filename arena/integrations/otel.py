"""OpenTelemetry spans of debates and model calls, by OTLP over HTTP to any collector.

A debate is a trace of its own: a span of the debate, with a span for each call that it and the
ballots on it made, by the semantic conventions for generative AI. Only the time that a call took
is stored, not when it began: the calls of a debater or a bench follow each other from the beginning
of the debate. Ids follow from those of the debate, so that a second export repeats them.
"""

from __future__ import annotations

import hashlib
import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from itertools import islice
from typing import Any, Final

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.trace import SpanContext, SpanKind, TraceFlags

from arena.errors import ConfigError
from arena.integrations.exporting import Exporting
from arena.read.calls import CallRow, read_calls
from arena.read.debates import DebateRow
from arena.read.selected import Narrowing
from arena.text import counted

#: The spans of one request to the collector.
_REQUEST: Final = 500
_PATH: Final = "/v1/traces"
_DEBATE: Final = (
    "tournament", "motion_id", "language", "category", "pro", "con", "status", "winner"
)  # fmt: skip


def export(exporting: Exporting) -> str:
    """Send the spans of a tournament to a collector."""
    address = exporting.target.rstrip("/")
    endpoint = address if not address or address.endswith(_PATH) else f"{address}{_PATH}"
    with _last_message() as messages:
        sender = OTLPSpanExporter(endpoint=endpoint or None)
        spans, sent = _spans(exporting), 0
        while batch := list(islice(spans, _REQUEST)):
            if sender.export(batch) is not SpanExportResult.SUCCESS:
                raise ConfigError(
                    f"The collector does not take the spans; {sent:,} were sent. "
                    f"{' '.join(messages[-1:])} Start it, and correct its address (for example "
                    "http://127.0.0.1:4318) or OTEL_EXPORTER_OTLP_ENDPOINT."
                )
            sent += len(batch)
        sender.shutdown()
    return f"{counted(sent, 'span', style=',')} sent to {endpoint or 'the collector'}."


@contextmanager
def _last_message() -> Iterator[list[str]]:
    """Keep what the library would print on standard error; yields its messages."""
    messages: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("opentelemetry")
    propagate, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield messages
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagate


def _spans(exporting: Exporting) -> Iterator[ReadableSpan]:
    selection = replace(exporting.selection, bench="all", without=())
    resource = Resource.create({"service.name": "debate-arena"})
    for debates in exporting.batches():
        calls = defaultdict[str, list[CallRow]](list)
        narrowing = Narrowing(ids=tuple(debate.debate_id for debate in debates))
        for call in read_calls(exporting.store, selection, narrowing):
            calls[call.debate_id].append(call)
        for debate in debates:
            yield from _trace(debate, calls[debate.debate_id], resource)


def _trace(debate: DebateRow, calls: list[CallRow], resource: Resource) -> Iterator[ReadableSpan]:
    """Yield the span of a debate, and those of its calls, one after the other for each caller."""
    ended = debate.finished_at
    if ended is None:
        return
    began = debate.started_at or ended
    root = _context(debate.debate_id, debate.debate_id)
    yield ReadableSpan(
        name=f"debate {debate.debate_id[:8]}",
        context=root,
        resource=resource,
        attributes={
            "gen_ai.conversation.id": debate.debate_id,
            **{f"debate.{name}": str(getattr(debate, name)) for name in _DEBATE},
        },
        start_time=_nanoseconds(began.timestamp()),
        end_time=_nanoseconds(ended.timestamp()),
    )
    clocks: dict[tuple[str, str], Any] = {}
    for number, call in enumerate(calls):
        caller = call.unit, call.participant
        start = clocks.get(caller, ended if call.bench else began)
        clocks[caller] = start + timedelta(seconds=call.seconds)
        yield ReadableSpan(
            name=f"chat {call.model}",
            context=_context(debate.debate_id, f"{call.unit}/{call.path}/{call.attempt}/{number}"),
            parent=root,
            resource=resource,
            kind=SpanKind.CLIENT,
            attributes=_call_attributes(call),
            start_time=_nanoseconds(start.timestamp()),
            end_time=_nanoseconds(clocks[caller].timestamp()),
        )


def _call_attributes(call: CallRow) -> Mapping[str, str | int | float | tuple[str, ...]]:
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": call.model.partition("/")[0],
        "gen_ai.request.model": call.model.partition("/")[2],
        "gen_ai.response.model": call.served_model or call.model.partition("/")[2],
        "gen_ai.response.finish_reasons": (call.finish_reason,),
        "gen_ai.usage.input_tokens": call.input_tokens,
        "gen_ai.usage.output_tokens": call.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": call.cached_tokens,
        "gen_ai.usage.reasoning.output_tokens": call.reasoning_tokens,
        "gen_ai.conversation.id": call.debate_id,
        "gen_ai.agent.name": call.participant or call.bench,
        "debate.call": call.path,
        "debate.task": call.task,
        "debate.cost_usd": call.cost_usd,
    }


def _context(trace: str, span: str) -> SpanContext:
    """Return the ids of a span, which follow from what it is of."""
    ids = (hashlib.sha256(name.encode()).digest() for name in (trace, span))
    trace_id, span_id = next(ids)[:16], next(ids)[:8]
    return SpanContext(
        trace_id=int.from_bytes(trace_id),
        span_id=int.from_bytes(span_id),
        is_remote=False,
        trace_flags=TraceFlags(TraceFlags.SAMPLED),
    )


def _nanoseconds(seconds: float) -> int:
    return round(seconds * 1e6) * 1000
