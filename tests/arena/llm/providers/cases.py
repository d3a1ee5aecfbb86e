"""The providers that the calls are checked against, as one table; each has a stand-in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.arena.llm.providers import errors, shapes
from tests.servers.providers.anthropic import Anthropic
from tests.servers.providers.azure import Azure, AzureThinking
from tests.servers.providers.base import Failure, Reply
from tests.servers.providers.connect import FORM, OPENAI_FORMAT, SYSTEM, USER
from tests.servers.providers.dashscope import DashScope
from tests.servers.providers.deepseek import DeepSeek
from tests.servers.providers.gemini import Gemini
from tests.servers.providers.llamacpp import LlamaCpp
from tests.servers.providers.lmstudio import LMStudio
from tests.servers.providers.mistral import Mistral
from tests.servers.providers.ollama import Ollama
from tests.servers.providers.openai import OpenAI, OpenAIThinking
from tests.servers.providers.openrouter import OpenRouter
from tests.servers.providers.sglang import SGLang
from tests.servers.providers.tgi import TGI
from tests.servers.providers.vllm import VLLM

_MESSAGES: list[dict[str, object]] = [
    {"role": "system", "content": SYSTEM},
    {"role": "user", "content": USER},
]
_CARS = "First, cars are loud."


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """One provider, and what is expected of its calls.

    Fields of a body are named by their paths, `generationConfig.response_mime_type`.

    Attributes:
        server: starts its stand-in; `thinker` that of a model that thinks, if that is another.
        settings: of the model, such as a price that LiteLLM's list does not have.
        price: USD per million tokens of input and of output.
        other_model: one that the provider does not have; empty where it answers to every name.
        has_key: whether a wrong key is refused.
        unknown: a further field of the body, which the provider refuses.
        misplaced: the path of an address where nothing is.
        calls: made where one is refused: a parameter may be left out first.
        cached: tokens read from the cache and written to it, and USD per million of either.
        reasoning: tokens of thinking that are counted apart; `None` where they are estimated.
        thinking_sent: fields of a body that asks for little thinking.
        errors: returns failures and their outcomes; `has_form` tells whether a form is asked for.
        shapes: returns failures of calls of some shape, by what it is; other calls are answered.
    """

    server: Callable[[], Any]
    model: str
    price: tuple[float, float]
    settings: Mapping[str, Any] = field(default_factory=dict)
    other_model: str = ""
    has_key: bool = True
    unknown: Mapping[str, Any] | None = field(default_factory=lambda: {"top_k": 4})
    misplaced: str = ""
    calls: int = 1
    form_sent: Mapping[str, Any] = field(default_factory=lambda: {"response_format": OPENAI_FORMAT})
    mode: str = "schema"
    served_model: str
    fingerprint: str = ""
    usage_sent: Mapping[str, Any] = field(default_factory=dict)
    cached: tuple[int, int] | None = (1536, 0)
    cached_price: tuple[float, float] = (0.0, 0.0)
    cached_settings: Mapping[str, Any] = field(default_factory=dict)
    thinker: Callable[[], Any] | None = None
    thinking_model: str = ""
    thinking_price: tuple[float, float] | None = None
    thinking_sent: Mapping[str, Any] = field(default_factory=lambda: {"reasoning_effort": "low"})
    thinking_reply: Reply = field(
        default_factory=lambda: Reply(thinking=_CARS, thinking_tokens=700)
    )
    thinking_limit: int = 512
    reasoning: int | None = 700
    refusals: Sequence[Reply] = ()
    cut_offs: Sequence[Reply]
    filters: Callable[[Any], Sequence[Reply | Failure]] | None = None
    filter_words: str = ""
    errors: Callable[[Any], errors.Errors]
    shapes: Callable[[Any], shapes.Shapes]
    has_form: bool = True
    prompt_sent: Mapping[str, Any] = field(default_factory=lambda: {"messages": _MESSAGES})


def _cut_off(end: str = "length", **silent: Any) -> tuple[Reply, Reply]:  # noqa: ANN401
    """Return an answer that is cut off, and one that is cut off before its text begins."""
    return Reply(text="Cities sh", end=end), Reply(text="", end=end, **silent)


def _openai_filters(server: OpenAI) -> list[Reply | Failure]:
    words = (
        "Invalid prompt: your prompt was flagged as potentially violating our usage policy. "
        "Please try again with a different prompt."
    )
    blocked = server.error(400, words, code="invalid_prompt")
    return [Reply(text="", end="content_filter"), blocked]


def _openrouter_filters(server: OpenRouter) -> list[Reply | Failure]:
    flagged = server.fault(
        403,
        "anthropic/claude-sonnet-4.5 requires moderation on OpenRouter. Your input was flagged "
        'for "harassment". No credits were charged.',
        reasons=["harassment"],
        flagged_input="Should cities",
        provider_name="Anthropic",
    )
    return [flagged]


_OPENAI: dict[str, Any] = {
    "served_model": "gpt-4o-mini-2024-07-18",
    "fingerprint": "fp_44",
    "cached_price": (0.075, 0.0),
    "thinking_sent": {"reasoning_effort": "low", "max_completion_tokens": 512},
    "thinking_reply": Reply(thinking_tokens=700),
    "refusals": (Reply(refusal="I'm sorry, I can't assist with that."),),
    "cut_offs": _cut_off(),
}
#: A server of one's own, whose price stands in the file.
_OWN_SERVER: dict[str, Any] = {
    "price": (0.1, 0.4),
    "settings": {"usd_per_million": (0.1, 0.4), "cached_usd_per_million": 0.02},
}

PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider(
        server=OpenAI,
        model="openai/gpt-4o-mini",
        price=(0.15, 0.6),
        other_model="openai/gpt-4o",
        misplaced="/v2",
        thinker=OpenAIThinking,
        thinking_model="openai/gpt-5-mini",
        thinking_price=(0.25, 2.0),
        filters=_openai_filters,
        filter_words="flagged",
        errors=errors.openai_errors,
        shapes=shapes.openai_shapes,
        **_OPENAI,
    ),
    "azure": Provider(
        server=Azure,
        model="azure/my-deployment",
        price=(0.15, 0.6),
        # The name of a deployment has no price in LiteLLM's list.
        settings={"usd_per_million": (0.15, 0.6), "cached_usd_per_million": 0.075},
        other_model="azure/other",
        misplaced="/v1",
        thinker=AzureThinking,
        filters=lambda server: [Reply(text="", end="content_filter"), server.filtered()],
        filter_words="content management policy",
        errors=errors.azure_errors,
        shapes=shapes.azure_shapes,
        **_OPENAI,
    ),
    "anthropic": Provider(
        server=Anthropic,
        model="anthropic/claude-sonnet-4-5",
        price=(3.0, 15.0),
        other_model="anthropic/claude-haiku-4-5",
        unknown={"seed": 4},
        calls=2,  # the first one is refused for having a temperature and top-p
        form_sent={"output_format": {"type": "json_schema", "schema": FORM}},
        served_model="claude-sonnet-4-5-20250929",
        cached=(1500, 400),
        cached_price=(0.3, 3.75),
        thinking_sent={"thinking.type": "enabled"},
        thinking_limit=4000,
        reasoning=None,
        refusals=[Reply(text=text, end="refusal") for text in ("", "I cannot")],
        cut_offs=_cut_off("max_tokens", thinking="Hm.", answer_tokens=9),
        filters=lambda server: [server.invalid("Output blocked by content filtering policy")],
        errors=errors.anthropic_errors,
        shapes=shapes.anthropic_shapes,
        prompt_sent={
            "system": [{"type": "text", "text": SYSTEM}],  # too short to be marked for caching
            "messages": [{"role": "user", "content": [{"type": "text", "text": USER}]}],
        },
    ),
    "gemini": Provider(
        server=Gemini,
        model="gemini/gemini-2.5-flash",
        price=(0.3, 2.5),
        other_model="gemini/gemini-2.5-pro",
        unknown={"top_logprob": 4},
        form_sent={
            "generationConfig.response_mime_type": "application/json",
            "generationConfig.response_json_schema": FORM,
        },
        served_model="gemini-2.5-flash",
        cached_price=(0.03, 0.0),
        thinking_sent={"generationConfig.thinkingConfig.thinkingBudget": 1024},
        refusals=[
            *(
                Reply(text="", end=end, answer_tokens=0)
                for end in ("SAFETY", "PROHIBITED_CONTENT", "RECITATION", "SPII", "BLOCKLIST")
            ),
            Reply(text="Cities sh", end="SAFETY"),
        ],
        cut_offs=_cut_off("MAX_TOKENS", answer_tokens=0, thinking_tokens=512),
        filters=lambda server: [
            server.blocked(reason) for reason in ("SAFETY", "PROHIBITED_CONTENT", "OTHER")
        ],
        errors=errors.gemini_errors,
        shapes=shapes.gemini_shapes,
        prompt_sent={
            "contents": [{"role": "user", "parts": [{"text": USER}]}],
            "system_instruction": {"parts": [{"text": SYSTEM}]},
            "cachedContent": None,
        },
    ),
    "ollama": Provider(
        server=Ollama,
        model="ollama_chat/llama3.1",
        price=(0.0, 0.0),
        other_model="ollama_chat/other",
        has_key=False,
        unknown=None,
        form_sent={"format": FORM},
        served_model="llama3.1",
        usage_sent={
            "options.seed": 7,
            "options.num_predict": 512,
            "options.temperature": 0.2,
            "options.top_p": 0.75,
        },
        cached=None,
        thinking_sent={"think": True},
        reasoning=0,
        cut_offs=_cut_off(thinking="First, cars"),
        errors=errors.ollama_errors,
        shapes=shapes.ollama_shapes,
        prompt_sent={
            "messages": [message | {"images": []} for message in _MESSAGES],
            "stream": False,
        },
    ),
    "vllm": Provider(
        server=VLLM,
        model="hosted_vllm/Qwen/Qwen3-8B",
        price=(0.1, 0.4),
        settings={"usd_per_million": (0.1, 0.4), "cached_usd_per_million": 0.02},
        other_model="hosted_vllm/other",
        unknown={"top_k": -5},
        served_model="Qwen/Qwen3-8B",
        cached_price=(0.02, 0.0),
        reasoning=0,
        cut_offs=[Reply(text=text, thinking="First", end="length") for text in ("Cities sh", "")],
        errors=errors.vllm_errors,
        shapes=shapes.vllm_shapes,
    ),
    "openrouter": Provider(
        server=OpenRouter,
        model="openrouter/anthropic/claude-sonnet-4.5",
        price=(3.0, 15.0),
        settings={"usd_per_million": (3.0, 15.0), "cached_usd_per_million": 0.3},
        other_model="openrouter/anthropic/claude-0",
        unknown={"top_k": -5},
        served_model="anthropic/claude-sonnet-4.5",
        usage_sent={"usage": {"include": True}},
        cached_price=(0.3, 0.0),
        refusals=[Reply(text="", refusal="I can't."), Reply(text="", end="content_filter")],
        cut_offs=_cut_off(),
        filters=_openrouter_filters,
        errors=errors.openrouter_errors,
        shapes=shapes.openrouter_shapes,
    ),
    "mistral": Provider(
        server=Mistral,
        model="mistral/magistral-medium-latest",
        price=(1.5, 7.5),
        other_model="mistral/mistral-large-latest",
        form_sent={"response_format": OPENAI_FORMAT, "random_seed": 7},
        served_model="magistral-medium-latest",
        cached_price=(0.2, 0.0),
        cached_settings={"usd_per_million": (1.5, 7.5), "cached_usd_per_million": 0.2},
        thinking_sent={},
        reasoning=0,
        cut_offs=[
            *_cut_off("length", thinking="First, cars"),
            *_cut_off("model_length", thinking="First, cars"),
        ],
        errors=errors.mistral_errors,
        shapes=shapes.mistral_shapes,
    ),
    "deepseek": Provider(
        server=DeepSeek,
        model="deepseek/deepseek-chat",
        price=(0.28, 0.42),
        other_model="deepseek/deepseek-reasoner",
        unknown={"thinking": {"type": "maybe"}},
        form_sent={"response_format": {"type": "json_object"}},
        mode="object",
        served_model="deepseek-chat",
        fingerprint="fp_44",
        cached_price=(0.028, 0.0),
        thinking_sent={"thinking": {"type": "enabled"}},
        refusals=[Reply(text="Cities", end="content_filter")],
        cut_offs=[Reply(text=text, thinking="First", end="length") for text in ("Cities sh", "")],
        filters=lambda server: [server.fault(400, "Content Exists Risk")],
        errors=errors.deepseek_errors,
        shapes=shapes.deepseek_shapes,
        has_form=False,
    ),
    "sglang": Provider(
        server=SGLang,
        model="openai/Qwen/Qwen3-8B",
        unknown={"top_k": -5},
        served_model="Qwen/Qwen3-8B",
        misplaced="/v2",
        cached_price=(0.02, 0.0),
        thinking_sent={},
        cut_offs=[Reply(text=text, thinking="First", end="length") for text in ("Cities sh", "")],
        errors=errors.sglang_errors,
        shapes=shapes.sglang_shapes,
        **_OWN_SERVER,
    ),
    "tgi": Provider(
        server=TGI,
        model="openai/meta-llama/Llama-3.1-8B-Instruct",
        unknown=None,
        served_model="meta-llama/Llama-3.1-8B-Instruct",
        fingerprint="3.3.6-native",
        misplaced="/v2",
        cached=None,
        thinking_sent={},
        thinking_reply=Reply(answer_tokens=1000),
        reasoning=0,
        cut_offs=_cut_off(),
        errors=errors.tgi_errors,
        shapes=shapes.tgi_shapes,
        **_OWN_SERVER,
    ),
    "llama.cpp": Provider(
        server=LlamaCpp,
        model="openai/qwen3-8b-q4_k_m.gguf",
        unknown={"top_k": -5},
        served_model="qwen3-8b-q4_k_m.gguf",
        fingerprint="b9688-44f3",
        misplaced="/v2",
        cached_price=(0.02, 0.0),
        thinking_sent={},
        reasoning=0,
        cut_offs=[Reply(text=text, thinking="First", end="length") for text in ("Cities sh", "")],
        errors=errors.llamacpp_errors,
        shapes=shapes.llamacpp_shapes,
        **_OWN_SERVER,
    ),
    "lm studio": Provider(
        server=LMStudio,
        model="openai/qwen3-8b",
        unknown={"top_k": -5},
        served_model="qwen3-8b",
        fingerprint="qwen3-8b",
        misplaced="/v2",
        cached=None,
        thinking_sent={},
        cut_offs=[Reply(text=text, thinking="First", end="length") for text in ("Cities sh", "")],
        errors=errors.lmstudio_errors,
        shapes=shapes.lmstudio_shapes,
        **_OWN_SERVER,
    ),
    "dashscope": Provider(
        server=DashScope,
        model="dashscope/qwen-plus",
        price=(0.4, 1.2),
        other_model="dashscope/qwen-max",
        unknown={"top_k": -5},
        served_model="qwen-plus",
        cached_price=(0.4, 0.0),
        thinking_sent={},
        cut_offs=[Reply(text=text, thinking="First", end="length") for text in ("Cities sh", "")],
        filters=lambda server: [
            server.fault(400, text, "data_inspection_failed", "data_inspection_failed")
            for text in (
                "Input data may contain inappropriate content.",
                "Output data may contain inappropriate content.",
            )
        ],
        filter_words="inappropriate content",
        errors=errors.dashscope_errors,
        shapes=shapes.dashscope_shapes,
    ),
}
