"""Why calls fail, through LiteLLM and by itself."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Mapping
from typing import Any, Literal

import httpx
import pytest

from arena.errors import ConfigError, InfrastructureFault, PromptTooLong, ProviderRejected
from arena.llm import faults
from arena.llm.catalogue import list_models
from arena.llm.parameters import refused_argument
from arena.llm.provider_backend import ProviderBackend
from arena.llm.session import without_keys
from arena.llm.settings import ModelSettings
from arena.llm.wire.bodies import normalise_answer
from tests.servers.answers import Answer
from tests.servers.connected import KEY, LATE, MODEL, PRICE, connected, request, slow
from tests.servers.faults import REFUSAL, Fault, Faults
from tests.servers.openai_server import ServerSettings, serving
from tests.servers.strict import Rejected
from tests.support.scripted_backend import completion

_OTHER_KEY = "sk-of-the-environment"


def faulty(
    fault: Fault, *, usage: Literal["present", "absent"] = "present", retry_after: str = "0"
) -> ServerSettings:
    faults = Faults(script=(fault,), retry_after=retry_after)
    return ServerSettings(models=(), faults=faults, usage=usage)


def rejecting(message: str, code: str | None = None) -> Answer:
    """An answer that is an error."""

    def reject(body: Mapping[str, Any]) -> str:
        raise Rejected(message, code=code)

    return reject


@pytest.mark.parametrize(
    ("fault", "billed"),
    [("rate_limit", 0.0), ("server_error", 0.0), ("drop", None), ("malformed", None)],
)
async def test_broken_answers_are_faults_of_the_infrastructure(
    fault: Fault, billed: float | None
) -> None:
    async with connected(faulty(fault)) as (backend, server):
        with pytest.raises(InfrastructureFault) as caught:
            await backend.complete(request())
        assert not isinstance(caught.value, ProviderRejected)
        assert caught.value.billed_usd == billed
        assert server.ledger.http_requests == 1
        assert (await backend.complete(request())).text == "Understood."
    assert server.ledger.http_requests == 2


async def test_rate_limit_says_how_long_to_wait() -> None:
    for hint, seconds in (("7", 7.0), ("0.5", 0.5), ("", None), ("soon", None), ("nan", None)):
        async with connected(faulty("rate_limit", retry_after=hint)) as (backend, _):
            with pytest.raises(InfrastructureFault) as caught:
                await backend.complete(request())
        assert caught.value.retry_after == seconds


@pytest.mark.parametrize("usage", ["present", "absent"])
async def test_empty_choices_are_a_fault_that_costs(usage: Literal["present", "absent"]) -> None:
    async with connected(faulty("empty_choices", usage=usage)) as (backend, server):
        with pytest.raises(InfrastructureFault, match="no `choices`") as caught:
            await backend.complete(request())
    assert server.ledger.http_requests == 1
    billed = caught.value.billed_usd
    assert billed is None if usage == "absent" else billed is not None and billed > 0


@pytest.mark.parametrize(
    ("fault", "finish_reason", "refusal"),
    [
        ("refusal", "refusal", REFUSAL),
        ("content_filter", "refusal", ""),
        ("cut_off", "length", ""),
        ("empty_content", "stop", ""),
    ],
)
async def test_odd_answers_are_answers(fault: Fault, finish_reason: str, refusal: str) -> None:
    async with connected(faulty(fault)) as (backend, server):
        completion = await backend.complete(request())
    assert (completion.finish_reason, completion.refusal) == (finish_reason, refusal)
    assert completion.cost_usd > 0
    assert server.ledger.http_requests == 1


async def test_rejected_content_is_a_refusal() -> None:
    reject = rejecting("Your request was rejected.", code="content_policy_violation")
    async with connected(answer=reject) as (backend, server):
        completion = await backend.complete(request())
    assert completion.finish_reason == "refusal"
    assert completion.refusal == "Your request was rejected."
    assert completion.cost_usd == 0.0
    assert server.ledger.http_requests == 1


@pytest.mark.parametrize(
    ("settings", "answer", "error", "words"),
    [
        (ServerSettings(key="sk-right"), None, ProviderRejected, "Incorrect API key"),
        (ServerSettings(models=("other",)), None, ProviderRejected, "`local-model` does not exist"),
        (
            ServerSettings(models=(), context_tokens=5),
            None,
            PromptTooLong,
            "prompt is too long.*maximum context length is 5",
        ),
        (None, rejecting("No: verify."), ProviderRejected, "No: verify."),
        (None, rejecting(f"Bad header: {_OTHER_KEY}"), ProviderRejected, r"Bad header: \[key\]"),
    ],
)
async def test_what_is_refused_is_asked_once_and_shows_no_key(
    settings: ServerSettings | None,
    answer: Answer | None,
    error: type[Exception],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOME_API_KEY", _OTHER_KEY)
    models = {MODEL: ModelSettings(api_key=KEY, usd_per_million=PRICE)}
    async with connected(settings, answer=answer, models=models) as (backend, server):
        with pytest.raises(error, match=words) as caught:
            await backend.complete(request())
    assert KEY not in str(caught.value)
    assert KEY not in repr(models)
    assert server.ledger.http_requests == 1


async def test_cancelling_passes_through() -> None:
    async with connected(answer=slow) as (backend, server):
        await backend.complete(request())
        task = asyncio.create_task(backend.complete(request(seed=LATE)))
        while server.ledger.http_requests < 2:
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_surprises_are_faults_of_the_infrastructure(monkeypatch: pytest.MonkeyPatch) -> None:
    import litellm

    async def surprise(**_: object) -> None:
        raise KeyError("choices")

    settings = {MODEL: ModelSettings(usd_per_million=PRICE, client="litellm")}
    async with connected(models=settings) as (backend, _):
        monkeypatch.setattr(litellm, "acompletion", surprise)
        with pytest.raises(InfrastructureFault) as caught:
            await backend.complete(request())
    assert caught.value.billed_usd is None


async def test_a_broken_connection_is_not_asked_again_by_other_providers() -> None:
    connections = 0

    async def reset(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        await reader.read(100)
        linger = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.transport.abort()

    model = "anthropic/claude-sonnet-4-5"
    async with await asyncio.start_server(reset, "127.0.0.1", 0) as server:
        base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        backend = ProviderBackend({model: ModelSettings(api_base=base, api_key=KEY)})
        with pytest.raises(InfrastructureFault) as caught:
            await backend.complete(request(model))
        await backend.aclose()
    assert caught.value.billed_usd is None
    assert connections == 1


async def test_embeddings_fail_like_completions() -> None:
    async with connected(ServerSettings(models=("other",))) as (backend, _):
        with pytest.raises(ProviderRejected, match="does not exist"):
            await backend.embed(MODEL, ["one"])


def failure(status: int, message: str, **fields: str) -> httpx.HTTPStatusError:
    """What httpx raises for a response that is an error."""
    asked = httpx.Request("POST", "http://127.0.0.1/v1")
    body = {"error": {"message": message, **fields}}
    response = httpx.Response(status, request=asked, json=body)
    return httpx.HTTPStatusError(str(status), request=asked, response=response)


async def test_list_models() -> None:
    async with serving(ServerSettings(models=("b", "a"))) as server:
        assert await list_models(server.url) == ["a", "b"]
        with pytest.raises(ConfigError, match="not OpenAI-compatible"):
            await list_models(server.url.removesuffix("/v1"))
    with pytest.raises(ConfigError, match="no server answers at http://127.0.0.1:9/v1"):
        await list_models("http://127.0.0.1:9/v1")
    async with serving(ServerSettings(models=("a",), key=KEY)) as server:
        assert await list_models(server.url, api_key=KEY) == ["a"]
        with pytest.raises(ConfigError, match="refuses the key .status 401.. Set `api_key`"):
            await list_models(server.url)


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


#: What providers' documentation, and errors that their users reported, say of a prompt's content.
_FILTERED = {
    "OpenAI": (400, "Invalid prompt: your prompt was flagged as potentially violating our usage "
               "policy.", "invalid_prompt"),
    "Azure": (400, "The response was filtered due to the prompt triggering Azure OpenAI's content "
              "management policy.", "content_filter"),
    "Anthropic": (400, "Output blocked by content filtering policy", None),
    "DashScope": (400, "Input data may contain inappropriate content.", "data_inspection_failed"),
    "Z.ai": (400, "系统检测到输入或生成内容可能包含不安全或敏感内容", "1301"),
    "Moonshot": (400, "The request was rejected because it was considered high risk",
                 "content_filter"),
    "DeepSeek": (400, "Content Exists Risk", None),
    "MiniMax": (400, "input new_sensitive", "new_sensitive"),
    "xAI": (403, "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO", None),
    "OpenRouter": (403, "openai/gpt-4o requires moderation. Your input was flagged for \"x\".",
                   None),
    "Vertex": (400, "The prompt could not be submitted: PROHIBITED_CONTENT", None),
}  # fmt: skip
#: What they say of a model that a server has, but cannot load.
_UNLOADABLE = {
    "Ollama": (500, "model requires more system memory (5.6 GiB) than is available (2.1 GiB)"),
    "LM Studio": (404, 'Failed to load model "small". Error: insufficient system resources.'),
    "llama.cpp": (500, "error loading model: unknown architecture"),
}


@pytest.mark.parametrize(("status", "words", "code"), _FILTERED.values(), ids=_FILTERED)
def test_a_filtered_prompt_is_a_refusal_of_the_model(
    status: int, words: str, code: str | None
) -> None:
    assert faults.content_concern(failure(status, words, code=code or "")) == "refused"


@pytest.mark.parametrize(("status", "words"), _UNLOADABLE.values(), ids=_UNLOADABLE)
def test_a_model_that_cannot_be_loaded_is_not_waited_for(status: int, words: str) -> None:
    fault = faults.fault_of(failure(status, words), MODEL)
    assert isinstance(fault, ProviderRejected)
    assert fault.remedy == "request"


@pytest.mark.parametrize(
    ("status", "code", "remedy"),
    [
        (500, "invalid_api_key", "key"),  # that of an error under the status 200
        (500, "insufficient_quota", "quota"),
        (500, "internal_error", None),
        (503, "model_not_found", None),  # a gateway that has no server for it now
        (424, "model_not_found", None),
    ],
)
def test_codes_count_where_the_status_is_none_of_the_server_s(
    status: int, code: str, remedy: str | None
) -> None:
    fault = faults.fault_of(failure(status, "No.", code=code), MODEL)
    assert getattr(fault, "remedy", None) == remedy
    assert isinstance(fault, ProviderRejected) is (remedy is not None)


@pytest.mark.parametrize(
    "words", ["Unsupported value: 'top_p'.", "The schema's policy is unknown.", "Bad content type."]
)
def test_other_refusals_are_not_the_content_s(words: str) -> None:
    assert faults.content_concern(failure(400, words)) is None


def test_half_a_character_is_no_error_of_anybody() -> None:
    body = json.dumps({"choices": [{"text": "Half a face: \ud83d."}]}).encode()
    text = json.loads(normalise_answer(body)[1])["choices"][0]["message"]["content"]
    assert without_keys(completion(text), ()).text == "Half a face: \ufffd."
