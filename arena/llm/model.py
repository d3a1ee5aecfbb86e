"""A language model as debaters and judges use it: it writes plain text or fills in a form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from typing import Any, TypeVar

from pydantic import BaseModel

from arena.errors import EmptyReply, Refusal, TruncatedReply, UnparseableReply
from arena.llm.repair import format_faults
from arena.llm.request import Completion, Request, Schema
from arena.llm.session import CallSession
from arena.prompts import Message, Prompts, Rendered
from arena.records import Sampling

Form = TypeVar("Form", bound=BaseModel)

_PROMPTS = Prompts(files("arena.llm") / "prompts")
#: Factor by which the token limit grows when a truncated answer is requested again.
_LARGER = 2


@lru_cache(maxsize=256)
def schema_of(form: type[BaseModel]) -> Schema:
    """Return the JSON schema of a form without titles and descriptions, so in no language."""
    return Schema(name=form.__name__, body=_strip(form.model_json_schema()))


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageModel:
    """A model for one caller within a unit of work.

    Attributes:
        unit: makes and records the calls.
        model: provider and name.
        prefix: put before the path of every call (`pro/`).
    """

    unit: CallSession
    model: str
    sampling: Sampling
    prefix: str = ""

    def under(self, prefix: str) -> LanguageModel:
        """Return the same model with a longer path prefix, for a part of the work."""
        return replace(self, prefix=f"{self.prefix}{prefix}")

    async def write(self, prompt: Rendered, *, path: str) -> str:
        """Return the model's plain-text answer to a prompt.

        Raises:
            Refusal, EmptyReply, TruncatedReply: the model's fault.
            InfrastructureFault: the provider's fault.
        """
        completion, _ = await self._complete(prompt, path=path, schema=None, attempt=0)
        if not completion.text.strip():
            raise EmptyReply(f"{self.model} returned an empty answer ({prompt.task}).")
        return completion.text.strip()

    async def ask(self, prompt: Rendered, form: type[Form], *, path: str) -> Form:
        """Return the model's answer as a form; an invalid answer is sent back once for repair.

        Raises:
            Refusal, TruncatedReply, UnparseableReply: the model's fault.
            InfrastructureFault: the provider's fault.
        """
        schema = schema_of(form)
        completion, attempt = await self._complete(prompt, path=path, schema=schema, attempt=0)
        try:
            return parse(completion.text, form)
        except ValueError as error:
            faults = format_faults(error, prompt.language)
            repair = _repair_prompt(prompt, completion, faults=faults, schema=schema)
        completion, _ = await self._complete(repair, path=path, schema=schema, attempt=attempt + 1)
        try:
            return parse(completion.text, form)
        except ValueError as error:
            faults = format_faults(error, "en")
            raise UnparseableReply(
                f"{self.model} returned no valid {schema.name}, even after a repair request: "
                f"{faults}."
            ) from None

    async def _complete(
        self, prompt: Rendered, *, path: str, schema: Schema | None, attempt: int
    ) -> tuple[Completion, int]:
        request = self._request(prompt, path=path, schema=schema, attempt=attempt)
        completion = await self.unit.call(request)
        if completion.finish_reason == "length":  # once more, with a larger limit
            attempt += 1
            larger = replace(self.sampling, max_tokens=_LARGER * self.sampling.max_tokens)
            request = replace(
                request,
                sampling=larger,
                attempt=attempt,
                seed=self.unit.seed(request.path, attempt),
            )
            completion = await self.unit.call(request)
        if completion.finish_reason == "length":
            raise TruncatedReply(
                f"{self.model} was cut off at {request.sampling.max_tokens} tokens ({prompt.task})."
            )
        if completion.finish_reason == "refusal":
            words = completion.refusal or completion.text
            raise Refusal(f"{self.model} refused ({prompt.task}): {words[:200]}")
        return completion, attempt

    def _request(
        self, prompt: Rendered, *, path: str, schema: Schema | None, attempt: int
    ) -> Request:
        path = f"{self.prefix}{path}"
        return Request(
            model=self.model,
            messages=prompt.messages,
            task=prompt.task,
            language=prompt.language,
            variables=prompt.variables,
            schema=schema,
            sampling=self.sampling,
            path=path,
            attempt=attempt,
            seed=self.unit.seed(path, attempt),
            prompt_hash=prompt.prompt_hash,
        )


def parse(text: str, form: type[Form]) -> Form:
    """Parse an answer as a form; a code fence around it is removed.

    Raises:
        ValueError: it is not JSON, or does not fit the form.
    """
    text = text.strip()
    if text.startswith("```") and text.endswith("```") and "\n" in text:
        text = text[text.index("\n") + 1 : -3]
    return form.model_validate_json(text, strict=True)


def _repair_prompt(
    prompt: Rendered, failed: Completion, *, faults: str, schema: Schema
) -> Rendered:
    repair = _PROMPTS.render("repair", prompt.language, {"error": faults, "schema": schema.text()})
    answer = Message(role="assistant", text=failed.text or "…")
    return replace(prompt, messages=(*prompt.messages, answer, *repair.messages))


def _strip(schema: Mapping[str, Any]) -> dict[str, Any]:
    # `properties` maps names of fields, and a field may be called "title": those stay.
    stripped: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("title", "description", "default"):
            continue
        if key in ("properties", "$defs"):
            stripped[key] = {name: _strip(part) for name, part in value.items()}
        elif isinstance(value, Mapping):
            stripped[key] = _strip(value)
        elif isinstance(value, list):
            stripped[key] = [_strip(part) if isinstance(part, Mapping) else part for part in value]
        else:
            stripped[key] = value
    return stripped
