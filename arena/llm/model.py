"""A language model as a debater or a judge sees it: plain text, or an answer of a given form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from typing import Any, TypeVar

from pydantic import BaseModel

from arena.errors import EmptyReply, Refusal, TruncatedReply, UnparseableReply
from arena.llm import repair as problems
from arena.llm.request import Completion, Request, Schema
from arena.llm.session import CallSession
from arena.prompts import Message, Prompts, Rendered
from arena.records import Sampling

Form = TypeVar("Form", bound=BaseModel)

_PROMPTS = Prompts(files("arena.llm") / "prompts")
#: How much larger the limit is when an answer that was cut off is asked again.
_LARGER = 2


@lru_cache(maxsize=256)
def schema_of(form: type[BaseModel]) -> Schema:
    """The JSON schema of a form, bare: no titles and no descriptions, so of no language."""
    return Schema(name=form.__name__, body=_bare(form.model_json_schema()))


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageModel:
    """A model for one user of it within a unit.

    Attributes:
        prefix: stands before the path of every call (`pro/`).
    """

    unit: CallSession
    model: str
    sampling: Sampling
    prefix: str = ""

    def under(self, prefix: str) -> LanguageModel:
        """The same model for a part of the work."""
        return replace(self, prefix=f"{self.prefix}{prefix}")

    async def write(self, prompt: Rendered, *, path: str) -> str:
        """A plain text.

        Raises:
            Refusal, EmptyReply, TruncatedReply: the model's fault.
            InfrastructureFault: the provider's.
        """
        completion, _ = await self._complete(prompt, path=path, schema=None, attempt=0)
        if not completion.text.strip():
            raise EmptyReply(f"{self.model} answered nothing ({prompt.task}).")
        return completion.text.strip()

    async def ask(self, prompt: Rendered, form: type[Form], *, path: str) -> Form:
        """An answer of a form; asked once to repair one that is not.

        Raises:
            Refusal, TruncatedReply, UnparseableReply: the model's fault.
            InfrastructureFault: the provider's.
        """
        schema = schema_of(form)
        completion, attempt = await self._complete(prompt, path=path, schema=schema, attempt=0)
        try:
            return parse(completion.text, form)
        except ValueError as error:
            problem = problems.words(error, prompt.language)
            repair = _repair(prompt, completion, problem=problem, schema=schema)
        completion, _ = await self._complete(repair, path=path, schema=schema, attempt=attempt + 1)
        try:
            return parse(completion.text, form)
        except ValueError as error:
            wrong = problems.codes(error)
            raise UnparseableReply(
                f"{self.model} gave no valid {schema.name}, repair included: {wrong}."
            ) from None

    async def _complete(
        self, prompt: Rendered, *, path: str, schema: Schema | None, attempt: int
    ) -> tuple[Completion, int]:
        request = self._request(prompt, path=path, schema=schema, attempt=attempt)
        completion = await self.unit.call(request)
        if completion.finish_reason == "length":
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
    """An answer as a form; one code fence around it is taken off.

    Raises:
        ValueError: it is not valid JSON of that form.
    """
    text = text.strip()
    if text.startswith("```") and text.endswith("```") and "\n" in text:
        text = text[text.index("\n") + 1 : -3]
    return form.model_validate_json(text, strict=True)


def _repair(prompt: Rendered, failed: Completion, *, problem: str, schema: Schema) -> Rendered:
    asked = _PROMPTS.render("repair", prompt.language, {"error": problem, "schema": schema.text()})
    answered = Message(role="assistant", text=failed.text or "…")
    return replace(prompt, messages=(*prompt.messages, answered, *asked.messages))


def _bare(schema: Mapping[str, Any]) -> dict[str, Any]:
    # `properties` maps names of fields, which may well be called "title": keep those.
    bare: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("title", "description", "default"):
            continue
        if key in ("properties", "$defs"):
            bare[key] = {name: _bare(part) for name, part in value.items()}
        elif isinstance(value, Mapping):
            bare[key] = _bare(value)
        elif isinstance(value, list):
            bare[key] = [_bare(part) if isinstance(part, Mapping) else part for part in value]
        else:
            bare[key] = value
    return bare
