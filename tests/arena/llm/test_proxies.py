"""Proxies, exceptions and authorities of the environment, as commands meet them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.llm import proxies
from tests.support.case_lists import for_every
from tests.support.command_line import arena, refused
from tests.support.tournaments import SMALL

_OWN = SMALL.replace("offline/weak", "openai/own-model") + (
    '\n[models."openai/own-model"]\napi_base = "http://127.0.0.1:9/v1"\n'
    "usd_per_million = { input = 0, output = 0 }\n[limits]\nretries = 0\n"
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "own.toml"
    path.write_text(_OWN, encoding="utf-8")
    return path


@for_every(
    (
        ("ALL_PROXY", "socks5://127.0.0.1:1080", "env -u ALL_PROXY arena"),
        ("https_proxy", "socks5h://127.0.0.1:1080", "env -u https_proxy arena"),
        ("SSL_CERT_FILE", "/nonexistent.pem", "SSL_CERT_FILE names /nonexistent.pem"),
    )
)
def test_what_cannot_be_used_is_named(name: str, value: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(_OWN, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(name, value)
        assert words in refused("check", path)
        assert arena("prompts", path).exit_code == 0, "who calls nobody needs no network"


def test_a_dead_proxy_is_not_called_a_dead_server(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", "")
    printed = arena("check", file, "--call").stdout
    assert "connection refused through the proxy 127.0.0.1:1 (HTTP_PROXY)\n" in printed
    assert "nobody answers at 127.0.0.1:9 through the proxy 127.0.0.1:1 (HTTP_PROXY)" in printed


def test_a_range_of_ipv6_addresses_is_no_fault_of_the_server(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "fd00::/8,10.0.0.0/8,::1")
    monkeypatch.setattr(proxies, "_LEFT_OUT", {})  # the test is one process with others
    printed = arena("check", file).stdout
    assert "own-model at http://127.0.0.1:9/v1: connection refused\n" in printed
    assert os.environ["NO_PROXY"] == "10.0.0.0/8,::1"
    assert "  NO_PROXY: ranges of IPv6 addresses are not heeded: fd00::/8\n" in printed
