"""How providers' answers and failures are read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest

from arena.errors import ConfigError, InfrastructureFault, ProviderRejected
from arena.llm import faults
from arena.llm.catalogue import list_models
from arena.llm.parameters import refused_argument
from tests.servers.connected import KEY, MODEL
from tests.servers.openai_server import ServerSettings, serving


def failure(status: int, message: str, **fields: str) -> httpx.HTTPStatusError:
    """What httpx raises for a response that is an error."""
    asked = httpx.Request("POST", "http://127.0.0.1/v1")
    body = {"error": {"message": message, **fields}}
    response = httpx.Response(status, request=asked, json=body)
    return httpx.HTTPStatusError(str(status), request=asked, response=response)


def test_retry_after_may_be_a_date() -> None:
    def wait(moment: datetime) -> float | None:
        date = format_datetime(moment, usegmt=True)
        return faults.retry_after(httpx.Response(429, headers={"Retry-After": date}))

    assert wait(datetime.now(UTC) + timedelta(seconds=60)) == pytest.approx(60, abs=2)
    assert wait(datetime.now(UTC) - timedelta(seconds=60)) == 0.0


async def test_list_models() -> None:
    async with serving(ServerSettings(models=("b", "a"))) as server:
        assert await list_models(server.url) == ["a", "b"]
        with pytest.raises(ConfigError, match="not OpenAI-compatible"):
            await list_models(server.url.removesuffix("/v1"))


def test_a_quota_that_is_used_up_is_final() -> None:
    error = failure(429, "You exceeded your quota.", code="insufficient_quota")
    assert isinstance(faults.fault_of(error, MODEL), ProviderRejected)


@pytest.mark.parametrize(
    ("status", "final", "billed"),
    [
        (400, True, 0.0),
        (403, True, 0.0),
        (408, False, None),
        (429, False, 0.0),
        (502, False, 0.0),
        (504, False, None),
    ],
)
def test_statuses(status: int, final: bool, billed: float | None) -> None:
    fault = faults.fault_of(failure(status, "No."), MODEL)
    assert isinstance(fault, ProviderRejected) is final
    assert fault.billed_usd == billed
    assert str(fault) == f"{MODEL}: No."


def test_failures_of_earlier_calls_do_not_count() -> None:
    try:
        try:
            raise failure(400, "Earlier.")
        except httpx.HTTPStatusError:
            raise InfrastructureFault("ours") from None
    except InfrastructureFault:
        try:
            raise TimeoutError
        except TimeoutError as error:
            fault = faults.fault_of(error, MODEL)
    assert str(fault) == f"{MODEL}: timed out"
    assert fault.billed_usd is None


def test_keys_are_taken_out_before_a_message_is_cut() -> None:
    fault = faults.fault_of(failure(400, "x" * 290 + KEY), MODEL, keys=[KEY])
    assert KEY[:6] not in str(fault)
    assert str(fault).endswith("[key]")


def test_neutral_parameters_are_left_out_first() -> None:
    error = failure(400, "`temperature` and `top_p` cannot both be specified.")
    assert refused_argument(error, {"temperature": 0.2, "top_p": 1.0}) == "top_p"
    assert refused_argument(error, {"temperature": 1.0, "top_p": 0.5}) == "temperature"
    assert refused_argument(error, {"max_tokens": 5}) is None
    assert refused_argument(failure(500, "top_p"), {"top_p": 0.5}) is None
