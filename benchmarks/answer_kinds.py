"""Kinds of answers as strange servers and models give them, each made from a good model's answer.

Whatever is added to an answer holds the word "quokka", so that it is seen where it stays.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from benchmarks.deforming import DEFORMATIONS, Answer, Deformed

_Change: TypeAlias = Callable[[Answer], Deformed]

#: A word in all that is added.
ADDED: Final = "quokka"
_THOUGHTS = f"The user wants an answer. I should think of the {ADDED}.\n\nFirst {{it}}, then time."


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of answer.

    Attributes:
        cause: what the reason of a forfeit says, as a pattern; '' where it is an answer.
        failed: the same, of a ballot that fails; '' where the ballot is valid.
    """

    family: str
    change: _Change
    cause: str = ""
    failed: str = ""


def _fields(answer: Answer) -> dict[str, Any]:
    """Return the object of an answer, with its text in it."""
    return {**(answer.fields or {}), **({"speech": answer.text} if answer.text else {})}


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _around(before: str, after: str = "") -> _Change:
    return lambda answer: f"{before}{answer.render()}{after}"


#: Marks of thinking, what opens it and what ends it.
MARKS: Mapping[str, str] = {
    "<think>": "</think>",
    "<THINK >": "</THINK>",
    "<thinking>": "</thinking>",
    '<thinking mode="deep">': "</thinking>",
    "<ant:thinking>": "</ant:thinking>",
    "<seed:think>": "</seed:think>",
    "<longcat_think>": "</longcat_think>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "<analysis>": "</analysis>",
    "<reflection>": "</reflection>",
    "<scratchpad>": "</scratchpad>",
    "<inner_monologue>": "</inner_monologue>",
    "<chain_of_thought>": "</chain_of_thought>",
    "<|think|>": "<|/think|>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<｜begin▁of▁thinking｜>": "<｜end▁of▁thinking｜>",
    "◁think▷": "◁/think▷",
    "[THINK]": "[/THINK]",
    "[think]\n": "\n[/think]",
    "【思考】\n": "\n【/思考】",
    "--- BEGIN THINKING ---\n": "\n--- END THINKING ---",
    "<unused94>thought\n": "<unused95>",
    "<|channel>thought\n": "<channel|>",
    "<details><summary>Thinking</summary>\n": "\n</details>\n",
    '<details type="reasoning">\n<summary>Thought for 3 s</summary>\n': "\n</details>\n",
    "```thinking\n": "\n```\n",
    "<!-- thinking: ": " -->\n",
    "\\begin{reasoning}": "\\end{reasoning}\n",
    "Thinking...\n": "\n...done thinking.\n\n",
    "Here is my thought process:\n": "\nHere is my response:\n",
    "Thinking Process:\n\n": "\n\nFinal answer: ",
    "**Thinking process**\n": "\n\n**Final answer:**\n",
    "思考过程：\n": "\n\n最终答案：\n",
    "<|channel|>analysis<|message|>": "<|end|><|start|>assistant<|channel|>final<|message|>",
    "analysis<|message|>": "<|end|><|start|>assistant<|channel|>final<|message|>",
    "analysis": "assistantfinal",
}
_LONE = ("</think>", "</reasoning>", "[/THINK]", "◁/think▷", "<|end_of_thought|>", "<|/think|>")
_UNCLOSED = (
    "<think>",
    "[THINK]",
    "◁think▷",
    "<|channel|>analysis<|message|>",
    "<unused94>thought\n",
)
_NOTHING = "nothing but its thinking|cut off"


def _with_quotation(fields: Mapping[str, Any]) -> str:
    """Return an object in whose longest text a word stands between quotation marks as they are."""
    texts = [name for name, value in fields.items() if isinstance(value, str) and " " in value]
    if not texts:
        return _dumped(fields)
    name = max(texts, key=lambda name: len(fields[name]))
    first, _, rest = fields[name].partition(" ")
    return _dumped({**fields, name: f"{first} \x01{rest}"}).replace("\\u0001", '"so" ')


_WRITINGS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "a trailing comma": lambda fields: re.sub(r"\}\Z", ",}", _dumped(fields)),
    "line comments": lambda fields: json.dumps(fields, ensure_ascii=False, indent=1).replace(
        "{\n", f"{{ // a {ADDED}\n", 1
    ),
    "hash comments": lambda fields: json.dumps(fields, ensure_ascii=False, indent=1).replace(
        "{\n", f"{{ # a {ADDED}\n", 1
    ),
    "block comments": lambda fields: _dumped(fields).replace("{", f"{{ /* a {ADDED} */", 1),
    "Python's literals": lambda fields: repr(dict(fields)),
    "smart quotes": lambda fields: re.sub(r'"(\w+)": "', r"“\1”: “", _dumped(fields)),
    "bare names": lambda fields: re.sub(r'([{,] ?)"(\w+)": ', r"\1\2: ", _dumped(fields)),
    "full-width colons": lambda fields: re.sub(r'"(\w+)": ', r'"\1"：', _dumped(fields)),
    "no commas at line ends": lambda fields: re.sub(
        r",\n", "\n", json.dumps(fields, ensure_ascii=False, indent=1)
    ),
    "indented": lambda fields: json.dumps(fields, ensure_ascii=False, indent=4),
    "escaped to ASCII": json.dumps,
    "encoded twice": lambda fields: _dumped(_dumped(fields)),
    "escaped quotes": lambda fields: _dumped(_dumped(fields))[1:-1],
    "HTML's quotes": lambda fields: html.escape(_dumped(fields)),
    "an unescaped quotation": _with_quotation,
}


_WRAPPERS: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "{result}": lambda fields: {"result": fields},
    "{data: {attributes}}": lambda fields: {"data": {"attributes": fields}},
    "{answers: [..]}": lambda fields: {"answers": [fields]},
    "a list of one": lambda fields: [fields],
    "{status, output}": lambda fields: {"status": "ok", "output": fields},
    "{name, arguments}": lambda fields: {"name": "answer", "arguments": fields},
    "{arguments: JSON}": lambda fields: {"arguments": _dumped(fields)},
    "a schema that is filled in": lambda fields: {"type": "object", "properties": fields},
    "an unknown field": lambda fields: {**fields, "tone": ADDED},
}
#: Where the text of an answer stands in its object.
_TEXTS: Mapping[str, Callable[[str], Mapping[str, Any]]] = {
    **{
        name: (lambda text, name=name: {name: text})  # type: ignore[misc]
        for name in (
            "speech", "text", "content", "body", "essay", "response", "output", "message", "Speech",
            "constructive_speech", "发言",
        )
    },
    "a list": lambda text: {"speech": text.split("\n\n")},
    "paragraphs": lambda text: {"paragraphs": text.split("\n\n")},
    "typed parts": lambda text: {"content": [{"type": "text", "text": text}]},
    "an object": lambda text: {"speech": {"text": text}},
    "a field of an object": lambda text: {"output": {"data": {"speech": text}}},
    "JSON": lambda text: {"speech": _dumped({"text": text})},
    "beside a title": lambda text: {"title": "Speech", "body": text},
    "beside notes": lambda text: {"notes": ADDED, "my_text": text},
}  # fmt: skip


def _in_object(place: Callable[[str], Mapping[str, Any]]) -> _Change:
    def change(answer: Answer) -> str:
        text = place(answer.text) if answer.text else {}
        return _dumped({**(answer.fields or {}), **text})

    return change


def _written(write: Callable[[Mapping[str, Any]], object]) -> _Change:
    def change(answer: Answer) -> str:
        value = write(_fields(answer))
        return value if isinstance(value, str) else _dumped(value)

    return change


_AROUND: Mapping[str, tuple[str, str]] = {
    "a fence": ("```\n", "\n```"),
    "a fence in capitals": ("```JSON\n", "\n```"),
    "tildes": ("~~~\n", "\n~~~"),
    "a fence that never ends": ("```\n", ""),
    "a template's tokens": ("<|im_start|>assistant\n", "<|im_end|>"),
    "an end token": ("", "</s>"),
    "end tokens": ("", "<|eot_id|><|end_of_text|>"),
    "a role": ("Assistant: ", ""),
    "<answer>": ("<answer>\n", "\n</answer>"),
    "<output>": ("<output>", "</output>"),
    "<response>": ("<response>", "</response>"),
    "<|START_RESPONSE|>": ("<|START_RESPONSE|>", "<|END_RESPONSE|>"),
    "thinking, then <answer>": (f"{_THOUGHTS}\n<answer>", "</answer>"),
    "thinking, <think> and <answer>": (f"<think>{_THOUGHTS}</think><answer>", "</answer>"),
    "twice thinking": (f"<think>{_THOUGHTS}</think><reflection>{_THOUGHTS}</reflection>", ""),
    "a remark behind": ("", "\n\nI hope this helps!"),
    "blank lines": ("\n\n  ", "\n\n\n"),
    "a mark of byte order": ("\ufeff", ""),
}


def _message(**fields: object) -> Mapping[str, Any]:
    return {"role": "assistant", "content": None, **fields}


def _call(arguments: object) -> list[dict[str, Any]]:
    return [{"id": "1", "type": "function", "function": {"name": "f", "arguments": arguments}}]


_PLACES: Mapping[str, _Change] = {
    "reasoning_content": lambda answer: _message(reasoning_content=answer.render()),
    "reasoning": lambda answer: _message(reasoning=answer.render()),
    "thinking": lambda answer: _message(thinking=answer.render()),
    "reasoning with its end": lambda answer: _message(
        reasoning_content=f"{_THOUGHTS}</think>{answer.render()}"
    ),
    "content and reasoning": lambda answer: _message(
        content=answer.render(), reasoning_content=_THOUGHTS
    ),
    "typed parts": lambda answer: _message(content=[{"type": "text", "text": answer.render()}]),
    "output_text": lambda answer: _message(
        content=[{"type": "output_text", "text": answer.render()}]
    ),
    "parts with thinking": lambda answer: _message(
        content=[
            {"type": "thinking", "thinking": [{"type": "text", "text": _THOUGHTS}]},
            {"type": "text", "text": answer.render()},
        ]
    ),
    "one part": lambda answer: _message(content={"type": "text", "text": answer.render()}),
    "bare strings": lambda answer: _message(content=[answer.render()]),
    "a part with a value": lambda answer: _message(
        content=[{"type": "text", "text": {"value": answer.render()}}]
    ),
    "tool_calls": lambda answer: _message(tool_calls=_call(_dumped(_fields(answer)))),
    "function_call": lambda answer: _message(
        function_call={"name": "f", "arguments": _dumped(_fields(answer))}
    ),
    "tool_use": lambda answer: _message(
        content=[{"type": "tool_use", "name": "f", "input": _fields(answer)}]
    ),
}

_NO_SPEECH, _EMPTY, _UNREAD = "no speech", "empty answer", "no valid|empty answer"
#: Answers that are none: the text, or the message, and what a forfeit and a failed ballot say.
_NO_ANSWERS: Mapping[str, tuple[Deformed, str, str]] = {
    "nothing": ("", _EMPTY, _UNREAD),
    "blanks": (" \n\t ", _EMPTY, _UNREAD),
    "OK.": ("OK.", _NO_SPEECH, _UNREAD),
    "N/A": ("N/A", _NO_SPEECH, _UNREAD),
    "...": ("...", f"{_NO_SPEECH}|{_EMPTY}", _UNREAD),
    "null": ("null", _NO_SPEECH, _UNREAD),
    "{}": ("{}", f"{_NO_SPEECH}|{_EMPTY}", _UNREAD),
    "an object of its own": ('{"status": "ok"}', f"{_NO_SPEECH}|{_EMPTY}", _UNREAD),
    "a placeholder": ("[Insert constructive speech here]", _NO_SPEECH, _UNREAD),
    "a question back": (
        "Could you please provide the motion and the side that you want me to speak for?",
        _NO_SPEECH,
        _UNREAD,
    ),
    "a remark": (
        "Your debate speech is indeed long and lacks necessary editing in several places.",
        _NO_SPEECH,
        _UNREAD,
    ),
    "a refusal": ("I'm sorry, but I can't help with that request.", "declines", _UNREAD),
    "reasoning alone": (_message(reasoning_content=_THOUGHTS), _NOTHING, f"{_UNREAD}|{_NOTHING}"),
    "a call of a search": (
        _message(tool_calls=_call('{"query": "the costs of work"}')),
        f"{_EMPTY}|{_NO_SPEECH}",
        _UNREAD,
    ),
}


def _constant(answer: Deformed) -> _Change:
    return lambda _: answer


def _kinds() -> dict[str, Kind]:
    def named(family: str, changes: Mapping[str, _Change]) -> dict[str, Kind]:
        return {
            f"{family}: {name.strip()}": Kind(family=family, change=change)
            for name, change in changes.items()
        }

    thinking = {mark: _around(f"{mark}{_THOUGHTS}{end}") for mark, end in MARKS.items()}
    thinking |= {f"lone {mark}": _around(f"{_THOUGHTS}{mark}") for mark in _LONE}
    kinds = named("thinking", thinking)
    kinds |= named("writing", {name: _written(write) for name, write in _WRITINGS.items()})
    kinds |= named("wrapper", {name: _written(wrap) for name, wrap in _WRAPPERS.items()})
    kinds |= named("field", {name: _in_object(place) for name, place in _TEXTS.items()})
    kinds |= named("around", {name: _around(*both) for name, both in _AROUND.items()})
    shapes = {name: change for name, change in DEFORMATIONS.items() if name != "cut tail"}
    kinds |= named("around", shapes)
    kinds |= named("place", _PLACES)
    for name, (answer, cause, failed) in _NO_ANSWERS.items():
        kinds[f"none: {name}"] = Kind(
            family="none", change=_constant(answer), cause=cause, failed=failed
        )
    for mark in _UNCLOSED:
        kinds[f"none: unclosed {mark.strip()}"] = Kind(
            family="none",
            change=_constant(f"{mark}{_THOUGHTS}"),
            cause=_NOTHING,
            failed=f"{_UNREAD}|{_NOTHING}",
        )
    return kinds


#: All kinds, by family and name.
KINDS: Final[Mapping[str, Kind]] = _kinds()
