"""Connections of our own: kept alive, to servers that close them, through proxies."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.errors import InfrastructureFault, ProviderRejected
from arena.llm.provider_backend import ProviderBackend
from arena.llm.proxies import find_proxy
from arena.llm.settings import ModelSettings
from arena.llm.wire.connections import _authorities
from tests.servers.connected import KEY, MODEL, PRICE, connected, request
from tests.servers.raw import JSON, once, serving_bytes

both_ways = pytest.mark.usefixtures("way")

_BODY = json.dumps(
    {
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Yes."},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
    }
).encode()


def _backend(url: str) -> ProviderBackend:
    settings = ModelSettings(api_base=url, api_key=KEY, usd_per_million=PRICE)
    return ProviderBackend({MODEL: settings})


@both_ways
async def test_calls_share_a_connection() -> None:
    async with connected() as (backend, server):
        for seed in range(5):
            await backend.complete(request(seed=seed))
    assert server.ledger.http_requests == 5
    assert len(server.ledger.connections) == 1


@both_ways
@pytest.mark.parametrize("version", ["1.0", "1.1"])
async def test_a_server_that_closes_each_connection_is_asked_again(version: str) -> None:
    async def write(writer: asyncio.StreamWriter) -> None:
        head = f"HTTP/{version} 200 OK\r\nContent-Type: application/json\r\n"
        length = f"Content-Length: {len(_BODY)}\r\n" if version == "1.1" else ""
        writer.write(f"{head}{length}\r\n".encode() + _BODY)

    async with serving_bytes(write) as server:
        backend = _backend(server.url)
        for seed in range(3):
            assert (await backend.complete(request(seed=seed))).text == "Yes."
            await asyncio.sleep(0)
        await backend.aclose()
    assert len(server.requests) == 3


@both_ways
@pytest.mark.parametrize(
    "head",
    [b"X-Long: " + b"x" * 2**20 + b"\r\n\r\n", b"X-Endless: " + b"x" * 2**20],
    ids=["headers of 1 MB", "a line that does not end"],
)
async def test_headers_that_are_too_long(head: bytes) -> None:
    async def write(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n" + head)
        await asyncio.sleep(5)

    async with serving_bytes(write) as server:
        backend = _backend(server.url)
        with pytest.raises(InfrastructureFault) as caught:
            await backend.complete(request())
        await backend.aclose()
    assert len(str(caught.value)) < 600
    assert caught.value.billed_usd is None
    assert KEY not in str(caught.value)


async def test_a_proxy_that_asks_for_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    async def write(writer: asyncio.StreamWriter) -> None:
        writer.write(
            b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n"
            b'Proxy-Authenticate: Basic realm="x"\r\n\r\n'
        )

    async with serving_bytes(write) as proxy:
        for variable in ("HTTPS_PROXY", "HTTP_PROXY"):
            monkeypatch.setenv(variable, proxy.url.removesuffix("/v1"))
        monkeypatch.setenv("NO_PROXY", "")
        for address in ("https://models.example/v1", "http://models.example/v1"):
            backend = _backend(address)
            with pytest.raises(
                ProviderRejected, match="the proxy on the way .* asks for a password"
            ):
                await backend.complete(request())
            await backend.aclose()


def test_exceptions_from_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "gate:3128")
    monkeypatch.setenv("NO_PROXY", "localhost,.lan,10.0.0.0/8,192.168.7.5")
    assert find_proxy("http://models.example/v1") == "http://gate:3128"
    for host in ("localhost:8000", "gpu.lan", "10.3.4.5:8000", "192.168.7.5"):
        assert find_proxy(f"http://{host}/v1") is None
    for host in ("11.3.4.5", "192.168.7.6", "lan.example"):
        assert find_proxy(f"http://{host}/v1") == "http://gate:3128"


_ANSWER = JSON + f"Content-Length: {len(_BODY)}\r\n\r\n".encode() + _BODY


@pytest.mark.parametrize("named", [True, False])
async def test_openrouter_is_told_what_the_environment_names(
    named: bool,  # noqa: FBT001 - a parameter of the test
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in (("OR_SITE_URL", "https://debates.example"), ("OR_APP_NAME", "Débats\n")):
        monkeypatch.setenv(name, value if named else "")
    model = "openrouter/vendor/model"
    async with serving_bytes(once(_ANSWER)) as server:
        settings = ModelSettings(api_base=server.url, api_key=KEY, usd_per_million=PRICE)
        backend = ProviderBackend({model: settings})
        await backend.complete(request(model=model))
        await backend.aclose()
    head = server.requests[0].partition(b"\r\n\r\n")[0].lower()
    assert (b"http-referer: https://debates.example\r\n" in head) is named
    assert ("x-title: débats\r\n".encode() in head) is named
    assert (b"referer" in head) is (b"x-title" in head) is named


async def test_a_server_of_ones_own_is_called_directly_where_the_environment_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.llm.provider_backend.call", None)  # LiteLLM's way
    model = "hosted_vllm/own"
    async with serving_bytes(once(_ANSWER)) as server:
        monkeypatch.setenv("HOSTED_VLLM_API_BASE", server.url)
        backend = ProviderBackend({model: ModelSettings(usd_per_million=PRICE)})
        backend.check(model)
        assert (await backend.complete(request(model=model))).text == "Yes."
        await backend.aclose()


@pytest.fixture
def _fresh_authorities() -> Iterator[None]:
    _authorities.cache_clear()
    yield
    _authorities.cache_clear()


@pytest.mark.usefixtures("_fresh_authorities")
def test_authorities_are_those_that_the_environment_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pem = Path(__file__).parents[3] / "servers" / "wrong-certificate.pem"
    only = ssl.create_default_context(cafile=str(pem)).get_ca_certs()
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    usual = _authorities().get_ca_certs()
    assert len(usual) > 50
    for name in ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"):
        _authorities.cache_clear()
        with monkeypatch.context() as patch:
            patch.setenv(name, str(pem))
            assert _authorities().get_ca_certs() == only
    _authorities.cache_clear()
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(pem))
    monkeypatch.setenv("SSL_CERT_DIR", str(pem.parent))
    assert _authorities().get_ca_certs() != only, "SSL_CERT_DIR comes first"
