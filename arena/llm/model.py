"""A language model as debaters and judges use it: it writes plain text or fills in a form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import cast

from arena.errors import (
    ContentFault,
    EmptyReply,
    PromptTooLong,
    Refusal,
    TruncatedReply,
    UnparseableReply,
)
from arena.languages import language
from arena.llm.answers import Composition, read_composition, read_form, strip_fences
from arena.llm.context_window import find_window, fit_request, room_for_answer
from arena.llm.repair import AnswerFault, format_faults
from arena.llm.request import Completion, Form, Request, Schema, with_thinking_room
from arena.llm.schemas import schema_of
from arena.llm.session import CallSession
from arena.llm.text_fields import find_text, read_json
from arena.llm.thinking import strip_thinking
from arena.llm.truncation import LastCompletion, has_room_to_gain, limit_tokens, read_end
from arena.prompts import ROLES, Message, Prompts, Rendered, Role, find_quotes, quote
from arena.records import UNREADABLE, Sampling

_PROMPTS = Prompts(files("arena.llm") / "prompts")
#: Factor by which the token limit grows when a truncated answer is requested again.
_LARGER = 2
_MORE_ROOM = "If it thinks, raise `thinking_tokens` in its table of the file, or turn thinking off."


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageModel:
    """A model for one caller within a unit of work.

    Its calls raise `Refusal`, `EmptyReply`, `TruncatedReply` and `UnparseableReply`, which are the
    model's faults, `PromptTooLong` where a prompt does not fit the context window, and
    `InfrastructureFault`, the provider's.

    Attributes:
        prefix: put before the path of every call (`pro/`).
        even_handed: whether it judges: what does not fit its context window is then left out for
            both sides alike (see `arena.llm.context_window`).
    """

    unit: CallSession
    model: str
    sampling: Sampling
    prefix: str = ""
    even_handed: bool = False

    def under(self, prefix: str) -> LanguageModel:
        """Return the same model with a longer path prefix, for a part of the work."""
        return replace(self, prefix=f"{self.prefix}{prefix}")

    async def write(self, prompt: Rendered, *, path: str, words: int | None = None) -> str:
        """Return the model's plain-text answer to a prompt, without its thinking.

        An answer that is cut off is asked for once more with a larger limit, unless it repeats
        itself; then its longest complete part is returned. One without a text is asked for once
        more, too. Of an answer in JSON the one text is returned.

        Args:
            path: place of the call within the unit.
            words: length that the prompt asks for, in words (characters in Chinese), from which
                the token limit follows; without it the limit is that of the sampling.
        """
        request = self._request(prompt, path=path, words=words)
        answer = await self._complete(request)
        text = self._read_text(answer)
        if not text and "cut" not in answer.bent:
            answer = await self._complete(self._text_alone(request, answer))
            text = self._read_text(answer)
        if not text:
            raise self._nothing_said(answer)
        return text

    async def chat(
        self, messages: Sequence[Mapping[str, str]], *, path: str, task: str, language: str
    ) -> str:
        """Return the model's plain-text answer to messages that are no prompt file's, as `write`.

        Args:
            messages: each has a `role` (system, user or assistant) and a `content`.
            task: what is asked for, as a prompt file declares it.
            language: the code of the language.

        Raises:
            ValueError: a message has another role, or no text as its content.
        """
        for message in messages:
            if message.get("role") not in ROLES or not isinstance(message.get("content"), str):
                raise ValueError(
                    f"{dict(message)!r} is no message: its `role` must be {', '.join(ROLES)}, and "
                    "its `content` a text."
                )
        prompt = Rendered(
            task=task,
            language=language,
            prompt_hash="",
            messages=tuple(
                Message(role=cast(Role, message["role"]), text=message["content"])
                for message in messages
            ),
            variables={},
        )
        return await self.write(prompt, path=path)

    async def ask(
        self, prompt: Rendered, form: type[Form], *, path: str, words: int | None = None
    ) -> Form:
        """Return the model's answer as a form; an unreadable answer is sent back once for repair.

        Reading is tolerant of form and strict in meaning: see `arena.llm.answers`. Arguments as
        `write`, and `form`, the pydantic model of the answer.
        """
        schema = schema_of(form)
        quoted = [item.text for message in prompt.messages for item in find_quotes(message.text)]
        request = self._request(prompt, path=path, schema=schema, words=words)
        answer = await self._complete(request)
        try:
            return self._read(answer, form, quoted)
        except ValueError as error:
            faults = format_faults(error, prompt.language)
            messages = _repair_messages(request, answer.text, faults=faults, schema=schema)
        answer = await self._complete(self._again(request, answer, messages))
        try:
            return self._read(answer, form, quoted)
        except ValueError as error:
            faults = format_faults(error, "en")
            raise UnparseableReply(
                f"{self.model} returned no valid {schema.name}, even after a repair request: "
                f"{faults}."
            ) from None

    async def compose(
        self,
        prompt: Rendered,
        form: type[Form],
        *,
        path: str,
        words: int | None = None,
        needs_text: Callable[[Form], bool] = lambda form: True,  # noqa: ARG005
    ) -> Composition[Form]:
        """Return a short structured answer and the text after it, such as a speech, in one call.

        No schema is enforced, since the text stands outside the object: a long text need not
        survive the escaping of JSON. Where there is no readable object but a text, the form is
        `None`. Where both are missing, they are asked for once more; where the text still is, the
        text alone, without an object. `needs_text` tells whether it must follow an object, by
        default always. `words` are those of object and text together.
        """
        schema = schema_of(form)
        request = self._request(prompt, path=path, schema=schema, words=words, prose=True)
        faults = format_faults(AnswerFault("no_text"), prompt.language)
        repair = _repair_messages(request, "", faults=faults, schema=schema)
        answer, value = await self._complete(request), None
        for is_repaired in (False, True):
            composed = read_composition(answer.text, form)
            value = composed.form or value
            is_missing = not composed.text and (value is None or needs_text(value))
            self._note(answer, [*composed.bent, *([UNREADABLE] if is_missing else [])])
            if not is_missing:
                return replace(composed, form=value)
            if value is not None or is_repaired:
                break
            answer = await self._complete(self._again(request, answer, repair))
        answer = await self._complete(self._text_alone(request, answer))
        composed = read_composition(answer.text, form)
        self._note(answer, [*composed.bent, *([] if composed.text else [UNREADABLE])])
        if not composed.text:
            raise self._nothing_said(answer)
        return replace(composed, form=value or composed.form)

    def _read(self, answer: LastCompletion, form: type[Form], quoted: Sequence[str]) -> Form:
        try:
            reading = read_form(answer.text, form, quoted=quoted)
        except ValueError:
            self._note(answer, [UNREADABLE])
            raise
        self._note(answer, reading.bent)
        return reading.value

    def _read_text(self, answer: LastCompletion) -> str:
        text, thought = strip_thinking(answer.text)
        value = read_json(strip_fences(text))
        inside = find_text(value) if isinstance(value, dict | list) else ""
        kinds = {"thinking": thought, "field": bool(inside), UNREADABLE: not text}
        self._note(answer, [kind for kind, is_so in kinds.items() if is_so])
        return inside or text

    def _note(self, answer: LastCompletion, bent: Iterable[str]) -> None:
        request = answer.request
        self.unit.note_reading(request.path, request.attempt, [*bent, *answer.bent])

    def _nothing_said(self, answer: LastCompletion) -> ContentFault:
        task = answer.request.task
        thought = answer.thought > 0 or "thinking" in answer.bent or strip_thinking(answer.text)[1]
        advice = f" {_MORE_ROOM}" if thought else ""
        if "cut" in answer.bent:
            return TruncatedReply(
                f"{self.model} was cut off at {answer.request.sampling.max_tokens} tokens, before "
                f"it answered ({task}).{advice}"
            )
        words = {
            "answered with nothing but its thinking": thought,
            "called a tool instead of answering, though it was offered none": "tool call"
            in answer.bent,
            "returned an object or marks alone, without a text": bool(answer.text.strip()),
        }
        said = next((said for said, is_so in words.items() if is_so), "returned an empty answer")
        return EmptyReply(f"{self.model} {said} ({task}).{advice}")

    async def _complete(self, request: Request) -> LastCompletion:
        """Make a call; where the answer is cut off, make it again with a larger limit.

        There is none where the context window leaves no room for it.
        """
        request, completion = await self._call(request)
        limit = request.sampling.max_tokens
        if (
            has_room_to_gain(completion, request)
            and (tokens := room_for_answer(request, self._window(), _LARGER * limit)) > limit
        ):
            self.unit.note_reading(request.path, request.attempt, ["cut"])
            sampling = replace(request.sampling, max_tokens=tokens)
            request = self._retried(replace(request, sampling=sampling))
            completion = await self.unit.call(request)
        if completion.finish_reason == "refusal":
            words = completion.refusal or completion.text
            raise Refusal(f"{self.model} refused ({request.task}): {words[:200]}")
        return read_end(completion, request)

    async def _call(self, request: Request) -> tuple[Request, Completion]:
        """Make a call; where its server then states a smaller window, make it again to fit that."""
        window = self._window()
        try:
            return request, await self.unit.call(request)
        except PromptTooLong:
            if self._window() == window:
                raise
        request = self._fit(request)
        return request, await self.unit.call(request)

    def _retried(self, request: Request) -> Request:
        """Return a request as the next attempt, with a seed of its own."""
        attempt = request.attempt + 1
        return replace(request, attempt=attempt, seed=self.unit.seed(request.path, attempt))

    def _again(
        self, request: Request, answer: LastCompletion, messages: tuple[Message, ...]
    ) -> Request:
        """Return the request for a repair, after all attempts at the first answer."""
        request = replace(request, messages=messages, attempt=answer.request.attempt)
        return self._fit(self._retried(request))

    def _text_alone(self, request: Request, answer: LastCompletion) -> Request:
        """Return the last request for a text: without any object."""
        alone = _PROMPTS.render("text_alone", request.language, {})
        plain = replace(request, schema=None, prose=False)
        return self._again(plain, answer, (*request.messages, *alone.messages))

    def _fit(self, request: Request) -> Request:
        """Return a request that fits the model's context window, and record what it lacks."""
        window = self._window()
        if window is None:
            return request
        thinking = with_thinking_room(request, self.unit.access.backend(self.model))
        fit = fit_request(thinking, window, even_handed=self.even_handed)
        if fit.step is not None:
            self.unit.note_left_out(request.path, request.attempt, fit.step)
        return replace(fit.request, thinking_tokens=0)  # a session finds out itself

    def _window(self) -> int | None:
        return find_window(self.unit.access.backend(self.model), self.model)

    def _request(
        self,
        prompt: Rendered,
        *,
        path: str,
        words: int | None,
        schema: Schema | None = None,
        prose: bool = False,
    ) -> Request:
        path = f"{self.prefix}{path}"
        request = Request(
            model=self.model,
            messages=prompt.messages,
            task=prompt.task,
            language=prompt.language,
            variables=prompt.variables,
            schema=schema,
            prose=prose,
            sampling=limit_tokens(self.sampling, words),
            path=path,
            attempt=0,
            seed=self.unit.seed(path, 0),
            prompt_hash=prompt.prompt_hash,
        )
        return self._fit(request)


def _repair_messages(
    request: Request, text: str, *, faults: str, schema: Schema
) -> tuple[Message, ...]:
    """Return the request for a repair: the answer and its fault; the prompt only without answer."""
    variables = {"error": faults, "schema": schema.text()}
    text, _ = strip_thinking(text)
    if not text:
        again = _PROMPTS.render("again", request.language, variables)
        return (*request.messages, *again.messages)
    words = language(request.language).terms
    variables |= {"answer": quote(words["reply"], text)}
    return _PROMPTS.render("repair", request.language, variables).messages
