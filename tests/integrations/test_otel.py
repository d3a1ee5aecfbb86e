"""`arena export --what otel`: what a collector on this machine receives."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.support.command_line import done, refused
from tests.support.console_script import ask

LIBRARY = "opentelemetry.proto.collector.trace.v1.trace_service_pb2"
pytestmark = pytest.mark.integrations


class Collector(ThreadingHTTPServer):
    """A server that keeps the requests it gets."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Receiver)
        self.requests: list[tuple[str, bytes]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Receiver(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:  # noqa: N802 - the name is the library's
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        self.server.requests.append((self.path, body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def spans(library: ModuleType, collector: Collector) -> list[Any]:
    found = []
    for path, body in collector.requests:
        assert path == "/v1/traces"
        for resource in library.ExportTraceServiceRequest.FromString(body).resource_spans:
            found += [span for scope in resource.scope_spans for span in scope.spans]
    return found


def attributes(span: Any) -> dict[str, Any]:  # noqa: ANN401 - a message of protobuf
    return {one.key: one.value for one in span.attributes}


def test_a_collector_gets_a_trace_of_every_debate_with_its_calls(
    library: ModuleType, collector: Collector, small_database: Path
) -> None:
    printed = done("export", collector.address, "--what", "otel", "--db", small_database)
    sent = spans(library, collector)
    assert printed.startswith(f"{len(sent):,} spans sent to {collector.address}/v1/traces.")
    ((debates,),) = ask(small_database, "SELECT count(*) FROM debates WHERE status = 'finished'")
    ((calls, tokens),) = ask(small_database, "SELECT count(*), sum(input_tokens) FROM calls")
    roots = [span for span in sent if not span.parent_span_id]
    children = [span for span in sent if span.parent_span_id]
    assert (len(roots), len(children)) == (debates, calls)
    by_id = {root.span_id: root for root in roots}
    assert all(by_id[span.parent_span_id].trace_id == span.trace_id for span in children)
    assert len({span.span_id for span in sent}) == len(sent)
    found = [attributes(span) for span in children]
    assert sum(one["gen_ai.usage.input_tokens"].int_value for one in found) == tokens
    assert {one["gen_ai.operation.name"].string_value for one in found} == {"chat"}
    assert {one["gen_ai.provider.name"].string_value for one in found} == {"offline"}
    assert all(span.start_time_unix_nano <= span.end_time_unix_nano for span in sent)


def test_the_address_may_come_from_the_environment_and_ids_stay(
    library: ModuleType,
    collector: Collector,
    small_database: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done("export", f"{collector.address}/v1/traces", "--what", "otel", "--db", small_database)
    first = {span.span_id for span in spans(library, collector)}
    collector.requests.clear()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.address)
    done("export", "--what", "otel", "--db", small_database)
    assert {span.span_id for span in spans(library, collector)} == first


def test_a_collector_that_is_away_is_told_once(
    library: ModuleType,
    collector: Collector,
    small_database: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.2")
    away = collector.address
    collector.server_close()
    collector.socket.close()
    message = refused("export", away, "--what", "otel", "--db", small_database)
    assert message.startswith("The collector does not take the spans; 0 were sent.")


def test_an_address_is_needed(
    library: ModuleType, small_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    message = refused("export", "--what", "otel", "--db", small_database)
    assert "needs an address" in message and "OTEL_EXPORTER_OTLP_ENDPOINT" in message
