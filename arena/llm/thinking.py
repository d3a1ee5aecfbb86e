"""A model's thinking within its answer: by what marks it is known, and the answer without it.

Every family of models has marks of its own. They are recognised by their shape (a name that says
thinking, in brackets of any style), the others by lists. A mark that a sentence mentions, or that
stands within a JSON object, is text.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from arena.llm.lenient_json import find_objects

#: What is in the name of a mark of thinking, and in the name of one around a final answer.
_WORDS: Final = (
    *("think", "thought", "reason", "rationale", "analys", "analyz", "scratch", "reflect"),
    *("deliberat", "monologue", "brainstorm", "introspect", r"\bcot\b", "planning"),
    *("思考", "推理", "反思", "独白", "思维"),
)
_THINKING: Final = f"(?:{'|'.join(_WORDS)})"
_ANSWER: Final = r"(?:answer|response|output|solution|result|reply|speech|verdict|答案|回答|正文)"
#: Words that may stand beside it in brackets of a kind that texts use, too.
_PLAIN_NAME: Final = re.compile(
    rf"""(?:(?:begin|start|end|stop|of|the|my|inner|internal|hidden|private|chain|out|loud|process
    |step|by|mode|block|notes?|pad|过程|分析|内心)[\W_]*
    |(?!\b[ ]){_THINKING}(?:ing|s|is|e|er|ions?|ive)?[\W_]*)+""",
    re.IGNORECASE | re.VERBOSE,
)
_BEGINNING: Final = re.compile(r"\A(?:begin|start|open)|(?:begin|start|open)\Z", re.IGNORECASE)
_END: Final = re.compile(r"\A(?:end|stop|close)|(?:end|stop|close)\Z", re.IGNORECASE)
#: A mark in brackets: `<x>`, `</x>`, `<|x|>`, `◁x▷`, `[x]`, `--- begin x ---`.
_MARK: Final = re.compile(
    r"""(?:(?P<rare><{1,2}[|｜]?|[◁⟨〈⟪])|(?P<usual>[\[({【]{1,2})
    |(?P<rule>(?<![-=~*])[-=~*]{2,}+[ ]?))
    (?P<slash>[/\\]?)[ ]?(?P<name>[^\W\d_][\w:.▁ -]{1,40}?)[ ]?
    (?P<attributes>[ ][a-z]+=[^<>\n]{0,60})?(?P<empty>/?)
    (?:[|｜]?>{1,2}|[▷⟩〉⟫]|[\])}】]{1,2}|[ ]?[-=~*]{2,})""",
    re.IGNORECASE | re.VERBOSE,
)
#: Openings and closings of other shapes: MedGemma, Gemma, Granite, Apriel, Ollama's console;
#: quoted lines and folded details of web interfaces, comments, fences and TeX.
_PAIRS: Final = tuple(
    re.compile(rf"(?:{opening}).*?(?:{closing}|\Z)", re.IGNORECASE | re.VERBOSE | re.DOTALL)
    for opening, closing in (
        (r"<unused94>(?:thought)?", r"<unused95>"),
        (rf"<\|channel>[ \t]*{_THINKING}", r"<channel\|>"),
        (
            r"\A\W*here(?:['’]s|[ ]is)[ ]my[ ]thought[ ]process:",
            r"here\W*s?(?:[ ]is)?[ ]my[ ]response:",
        ),
        (r"\A\W*here[ ]are[ ]my[ ]reasoning[ ]steps:", r"\[BEGIN[ ]FINAL[ ]RESPONSE\]"),
        (r"\A\W*thinking\.\.\.(?=.*done[ ]thinking)", r"\.\.\.done[ ]thinking\.?"),
        (rf"(?:\A|(?<=\n))(?:```|~~~){_THINKING}", r"\n(?:```|~~~)"),
        (r"\A\W*(?:thinking|thought[ ]for)\b[^\n]{0,30}\n+(?:>[^\n]*(?:\n|\Z))+", ""),
        (
            rf"<details\b[^>]{{0,99}}(?:{_THINKING}[^>]{{0,99}}>"
            rf"|>\s*+<summary>[^<]{{0,99}}{_THINKING}[^<]{{0,99}}</summary>)",
            r"</details>",
        ),
        (rf"<!--\s*{_THINKING}", r"-->"),
        (rf"\\begin\{{[^}}]{{0,40}}{_THINKING}[^}}]{{0,40}}\}}", r"\\end\{[^}]*\}"),
    )
)
#: A message in a channel of OpenAI's Harmony format, and what is left of it without its tokens.
_CHANNEL: Final = re.compile(
    r"(?:(?:<\|start\|>[\w.]*)?<\|channel\|>|\A)\s*(?P<name>[a-z]+)\b[^<]*"
    r"(?:<\|constrain\|>[^<]*)?<\|message\|>(?P<text>.*?)"
    r"(?:(?:<\|(?:end|return|call)\|>)+|(?=<\|(?:start|channel)\|>)|\Z)",
    re.DOTALL,
)
_BARE_CHANNELS: Final = re.compile(
    r"\A\s*(?:analysis|commentary)(?![ ,.]).*assistant\s*final\s*", re.DOTALL
)
#: The first line of an answer that begins with thinking under a heading, and the heading of what
#: follows. `sure`: a heading that no speech has.
_EDGE: Final = r"^[ \t]*(?:\#{1,6}[ ])?[*_]{0,3}"
_THINKING_HEADING: Final = re.compile(
    rf"""{_EDGE.replace("^", chr(92) + "A" + chr(92) + "s*+")}
    (?:(?:my|the|internal|inner|step[- ]by[- ]step)[ ])*
    (?:(?P<sure>(?:thinking|thought|reasoning)[ ]process|chain[ ]of[ ]thought|scratch[ ]?pad
        |thinking(?=[*_]{{0,3}}[ ]?(?:\.{{3}}|…|[:：]?[*_]{{0,3}}[ ]*\n))|思考过程|推理过程|思维链)
      |(?:thinking|thoughts?|reasoning|analysis|思考|分析|推理)(?:[ ](?:steps|trace|notes))?)
    [*_]{{0,3}}(?:[ ]?(?:[:：]|\.{{3}}|…)[*_]{{0,3}}|(?=[ ]*\n))""",
    re.IGNORECASE | re.VERBOSE,
)
_ANSWER_HEADING: Final = re.compile(
    rf"""{_EDGE}(?:(?:my|the|here[ ]is(?:[ ]my|[ ]the)?)[ ])?
    (?:(?:final|actual|最终|正式)[ ]?\w{{1,12}}|answer|response|output|speech|reply
      |回答|答案|回复|发言稿?|正文
      |(?P<weak>statement|verdict|version|text|result|decision|constructive|rebuttal|summary
        |essay|陈词))
    (?:[ ](?:speech|statement))?[*_]{{0,3}}(?:[ ]?[:：][*_]{{0,3}}[ \t]*|[ \t]*$)""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
#: What only texts have that hold any of these.
_ANY: Final = re.compile(
    rf"{_THINKING}|<\|channel|<unused94>|<\|message|[<\[]\W{{0,2}}\w*[ ]?{_ANSWER}", re.IGNORECASE
)
#: One of these is in every text that has any of that: to look for them takes a tenth of the time.
_TRACES: Final = ("<", "[", *(word.replace(r"\b", "") for word in _WORDS))
#: Blanks at the ends of a text, those without width among them.
_BLANKS: Final = f"{string.whitespace}\u00a0\u2003\u3000\ufeff\u200b\u200c\u200d\u2060"
#: What stands for an object in a text in which marks are looked for.
_OBJECT: Final = "\ue000"
_LINE_END: Final = re.compile(r"[ \t]*+\n")
#: The longest text, in characters, between two marks that a sentence mentions.
_SHORT: Final = 30
#: Phrases of somebody who plans an answer instead of giving it.
_PLANS: Final = re.compile(
    r"""\b(?:the[ ](?:user|prompt|instructions?)|word[ ](?:count|limit)|hmm+|wait,|alright,
    |(?:okay|ok),[ ](?:so|let|the|I|now)
    |let(?:['’]s|[ ]me)[ ](?:think|start|begin|write|draft|see|check|count|plan|break|craft|analy)
    |(?:I|we)(?:['’]ll|[ ](?:should|need[ ]to|must|have[ ]to|will|can))[ ](?:also[ ]|now[ ])?
        (?:write|argue|produce|output|respond|answer|craft|draft|mention|use|include|make[ ]sure
        |structure|think|be[ ]careful|decide|judge|choose|follow|avoid)\b)
    |用户|题目要求|字数|好的，|我(?:需要|应该|得|要)(?:写|先|考虑|论证|回答|输出|注意)|让我(?:想|先|来|看)""",
    re.IGNORECASE | re.VERBOSE,
)

_Spans: TypeAlias = Sequence[tuple[int, int]]


def strip_thinking(text: str) -> tuple[str, bool]:
    """Return a text without the model's thinking, and whether there was any.

    Thinking stands between marks, before a lone closing mark, after an opening mark that is never
    closed, or before the mark of a final answer.

    >>> strip_thinking("<think>Hm.</think> Yes."), strip_thinking("Hm.[/THINK]Yes.")
    (('Yes.', True), ('Yes.', True))
    >>> strip_thinking("Yes. ◁think▷Hm."), strip_thinking("Some write <think> before it.")
    (('Yes.', True), ('Some write <think> before it.', False))
    """
    text = text.strip(_BLANKS)
    folded = text.casefold()
    if not any(trace in folded for trace in _TRACES) or _ANY.search(text) is None:
        return text, False
    rest, has_thought = text, False
    for find in _FINDERS:
        spans = find(_without_objects(rest))
        edges = [0, *(edge for span in spans for edge in span), len(rest)]
        kept = zip(edges[::2], edges[1::2], strict=True)
        rest = "".join(rest[start:end] for start, end in kept)
        has_thought = has_thought or bool(spans)
    return rest.strip(_BLANKS), has_thought


def looks_like_thinking(text: str) -> bool:
    """Tell whether a text without marks plans an answer; in case of doubt it does.

    >>> looks_like_thinking("Okay, the user wants a speech."), looks_like_thinking("Work pays.")
    (True, False)
    """
    return _PLANS.search(text) is not None


def says_thinking(name: str) -> bool:
    """Tell whether a name, such as `inner_thoughts`, says that something is thinking."""
    return re.search(_THINKING, name, re.IGNORECASE) is not None


def _without_objects(text: str) -> str:
    parts, position = [], 0
    for item in find_objects(text):
        parts += [text[position : item.start], _OBJECT * (item.end - item.start)]
        position = item.end
    return "".join([*parts, text[position:]])


def _find_channels(text: str) -> _Spans:
    """Find all but the final channel; without one, all but what is for the reader."""
    messages = list(_CHANNEL.finditer(text))
    if not messages:
        bare = _BARE_CHANNELS.match(text)
        return [bare.span()] if bare else []
    final = [message for message in messages if message["name"] == "final"][-1:]
    kept = final or [message for message in messages if not says_thinking(message["name"])]
    edges = [0, *(edge for message in kept for edge in message.span("text")), len(text)]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _find_pairs(text: str) -> _Spans:
    found = (pattern.finditer(text) for pattern in _PAIRS)
    return next(filter(None, ([match.span() for match in matches] for matches in found)), [])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mark:
    """A mark of thinking.

    Attributes:
        style: its first bracket.
        certain: whether it counts alone; one in brackets as texts use them needs the other.
        mentioned: whether it stands within a sentence.
    """

    start: int
    end: int
    style: str
    closes: bool
    certain: bool
    mentioned: bool


def _find_marked(text: str) -> _Spans:
    """Find what stands between marks, before a lone closing one, or after one never closed."""
    spans: list[tuple[int, int]] = []
    opened: _Mark | None = None
    for mark in filter(None, (_read_mark(text, found) for found in _MARK.finditer(text))):
        if not mark.closes:
            keeps = opened is not None and opened.certain and not opened.mentioned
            opened = opened if keeps else mark
        elif opened is not None and opened.style == mark.style:
            near = mark.start - opened.end < _SHORT
            if not (near and opened.mentioned and mark.mentioned):
                spans.append((opened.start, mark.end))
            opened = None
        elif mark.certain and not mark.mentioned:
            spans.append((spans[-1][1] if spans else 0, mark.end))
            opened = None
    if opened is not None and opened.certain and not opened.mentioned:
        spans.append((opened.start, len(text)))
    return spans


def _read_mark(text: str, found: re.Match[str]) -> _Mark | None:
    name, is_usual, is_rule = found["name"], bool(found["usual"]), bool(found["rule"])
    closes = bool(found["slash"]) or _END.search(name) is not None
    if not says_thinking(name) or found["empty"]:
        return None
    if is_rule and not (closes or _BEGINNING.search(name)):
        return None
    if is_usual and not _PLAIN_NAME.fullmatch(name):
        return None
    shows = name.isupper() or _LINE_END.match(text, found.end()) is not None
    return _Mark(
        start=found.start(),
        end=found.end(),
        style=(found["rare"] or found["usual"] or "-")[0],
        closes=closes,
        certain=not is_usual or (bool(found["slash"]) if closes else shows),
        mentioned=_is_mentioned(text, found, closes=closes),
    )


_WITHIN: Final = re.compile(r"(?:[^\n][\"'“‘`「『(]|[\w,;][ ]|[\u4e00-\u9fff，、；])\Z")
_GOES_ON: Final = re.compile(r"[\"'”’`」』),.;:!?，。；：、]|[ ][a-z(]|标签|[之和与后前再等这]")


def _is_mentioned(text: str, mark: re.Match[str], *, closes: bool) -> bool:
    """Tell whether a mark is a word of a sentence; a sentence goes on after a closing mark."""
    goes_on = not closes or _GOES_ON.match(text, mark.end()) is not None
    return goes_on and _WITHIN.search(text[max(0, mark.start() - 2) : mark.start()]) is not None


def _find_headed(text: str) -> _Spans:
    """Find thinking under a heading, up to the last heading of an answer, or to the last object."""
    heading = _THINKING_HEADING.match(text)
    if heading is None:
        return []
    last = len(text.rstrip())
    ends = [
        answer.end()
        for answer in _ANSWER_HEADING.finditer(text, heading.end())
        if answer.end() < last and (heading["sure"] or not answer["weak"])
    ] or [found.start() for found in re.finditer(rf"{_OBJECT}+", text)]
    if ends or heading["sure"]:
        return [(0, ends[-1] if ends else len(text))]
    return []


def _find_before_answer(text: str) -> _Spans:
    """Find what stands before an answer between marks that ends the text."""
    marks = [
        found
        for found in _MARK.finditer(text)
        if (found["rare"] or "FINAL" in found["name"])
        and re.search(_ANSWER, found["name"], re.IGNORECASE)
        and not re.search(r"\d", found["name"])
        and not found["attributes"]
    ]
    opening = next((mark for mark in marks if not _closes(mark)), None)
    closing = next((mark for mark in reversed(marks) if _closes(mark)), None)
    if opening is None or closing is None or closing.start() < opening.end():
        return []
    before, after = text[: opening.start()], text[closing.end() :]
    has_words = any(map(str.isalnum, before)) and not any(map(str.isalnum, after))
    return [(0, opening.start())] if has_words and _OBJECT not in before else []


def _closes(mark: re.Match[str]) -> bool:
    return bool(mark["slash"]) or _END.search(mark["name"]) is not None


_FINDERS: Final[Sequence[Callable[[str], _Spans]]] = (
    _find_channels,
    _find_pairs,
    _find_marked,
    _find_headed,
    _find_before_answer,
)
