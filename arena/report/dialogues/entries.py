"""The entries of the agents of all debaters in the dialogue of a speech."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from arena.records import Step
from arena.report.dialogues.dialogue_writer import (
    NO_ANSWER,
    DialogueWriter,
    StoredAnswer,
    format_fields,
)
from arena.report.dialogues.records import Detail, DialogueStep

if TYPE_CHECKING:
    from arena.languages.language import MakingWords

_Entry: TypeAlias = Callable[[DialogueWriter, Step], DialogueStep]


def write_entry(writer: DialogueWriter, step: Step) -> DialogueStep:
    """Return the entry of one step of a trace; of an unknown agent, its fields as they are.

    Debaters of other packages may use the names of these agents for steps with other fields, which
    are shown as those of an unknown agent.
    """
    write = _ENTRIES.get(str(step.get("agent")), _write_unknown)
    if "fallback" in step and "marker" not in step:
        write = _write_fallback
    try:
        return write(writer, step)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return _write_unknown(writer, step)


def _write_fallback(writer: DialogueWriter, step: Step) -> DialogueStep:
    # A Searcher's unusable answer is one of those that its search takes.
    answer = NO_ANSWER if step["agent"] == "Searcher" else writer.take(step)
    words = writer.words
    why, done = words.fault(str(step.get("fault", "-"))), words.fallback(str(step["fallback"]))
    return writer.write(step, answer, writer.phrase("fallback", why, done))


def _write_unknown(writer: DialogueWriter, step: Step) -> DialogueStep:
    answer = writer.take(step)
    return writer.write(step, answer, "", answer.draft, _other_fields(step, "agent", "round"))


def _other_fields(step: Step, *known: str) -> Iterator[Detail]:
    yield from format_fields({key: value for key, value in step.items() if key not in known})


def _write_personas(writer: DialogueWriter, step: Step) -> DialogueStep:
    writer.take(step)
    answer = writer.take(step, "selector")
    pool, selected, filled = step.get("pool", []), step.get("chosen", []), step.get("filled", 0)
    act = writer.phrase("pool", len(pool), len(selected))
    if filled:
        act = writer.phrase("pool_filled", len(pool), len(selected), filled)
    return writer.write(step, answer, act, "", _persona_details(writer, step, pool, selected))


def _persona_details(
    writer: DialogueWriter, step: Step, pool: Sequence[Mapping[str, Any]], selected: Sequence[int]
) -> Iterator[Detail]:
    reasons = dict(zip(selected, step.get("reasons", []), strict=False))
    numbers = range(1, len(pool) + 1)
    for number in (*selected, *(other for other in numbers if other not in selected)):
        if number not in numbers:
            continue
        persona = pool[number - 1]
        lines = [f"{number}. {persona.get('description', '')}", str(persona.get("claim", ""))]
        if reason := reasons.get(number):
            lines.append(f"{writer.phrase('reason')}: {reason}")
        text = "\n".join(lines)
        if number in selected:
            yield writer.detail("chosen", text, selected.index(number) + 1)
        else:
            yield writer.detail("not_chosen", text)


def _with_reasoning(
    writer: DialogueWriter, step: Step, answer: StoredAnswer, act: str, text: str
) -> DialogueStep:
    reasoning = step.get("reasoning") or answer.field("reasoning")
    return writer.write(step, answer, act, text, [writer.detail("reasoning", reasoning)])


def _marker(writer: DialogueWriter, step: Step) -> str:
    marker = str(step.get("marker", ""))
    return writer.words.phrases.get(marker, marker)


def _write_member(writer: DialogueWriter, step: Step) -> DialogueStep:
    answer = writer.take(step)
    name = writer.phrase("member", writer.words.agent("Member"), step.get("member", ""))
    act, text = _marker(writer, step), answer.field("contribution")
    return _with_reasoning(writer, {**step, "agent": name}, answer, act, text)


def _write_critic(writer: DialogueWriter, step: Step) -> DialogueStep:
    answer = writer.take(step)
    return _with_reasoning(writer, step, answer, _marker(writer, step), answer.field("objection"))


def _write_reviewer(writer: DialogueWriter, step: Step) -> DialogueStep:
    answer = writer.take(step)
    suggestions = enumerate(step.get("suggestions", []), start=1)
    lines = [f"{number}. {suggestion}" for number, suggestion in suggestions]
    text = "\n".join(filter(None, [str(step.get("assessment", "")), *lines]))
    return _with_reasoning(writer, step, answer, _marker(writer, step), text)


def _write_plan(writer: DialogueWriter, step: Step) -> DialogueStep:
    answer = writer.take(step)
    lines: list[str] = []
    for number, point in enumerate(step.get("points", []), start=1):
        lines.append(f"{number}. {point.get('claim', '')}")
        lines += [f"   - {support}" for support in point.get("support", [])]
    if acknowledged := str(step.get("acknowledgment") or "").strip():
        lines.append(f"{writer.language.terms['acknowledgment']}: {acknowledged}")
    return _with_reasoning(writer, step, answer, writer.phrase("plan"), "\n".join(lines))


def _write_outline(writer: DialogueWriter, step: Step) -> DialogueStep:
    answer = writer.take(step)
    return writer.write(step, answer, writer.phrase("outline"), writer.read_draft(step, answer))


def _write_writer(writer: DialogueWriter, step: Step) -> DialogueStep:
    answer = writer.take(step)
    if step.get("marker") == "needs_material":
        act, text = writer.phrase("asks"), str(step.get("claim", ""))
        return _with_reasoning(writer, step, answer, act, text)
    text = writer.read_draft(step, answer)
    if writer.sampled:
        part = ""
        act = writer.phrase("sample", int(step.get("draft", writer.count_draft("Writer", part))))
    else:
        part = writer.part = str(step.get("part", writer.part))
        number = writer.count_draft("Writer", part)
        act = writer.phrase("draft", number)
        if part:
            act = writer.phrase("part", writer.language.terms.get(part, part), number)
    return writer.add_draft(_with_reasoning(writer, step, answer, act, text), "Writer", part)


def _write_composer(writer: DialogueWriter, step: Step) -> DialogueStep:
    answer = writer.take(step)
    writer.part = ""
    act, text = writer.phrase("composes"), writer.read_draft(step, answer)
    return writer.add_draft(writer.write(step, answer, act, text), "Writer", writer.part)


def _write_debater(writer: DialogueWriter, step: Step) -> DialogueStep:
    answer = writer.take(step)
    stance = str(step.get("stance") or "")
    act = writer.words.phrases.get(stance) or writer.phrase("proposes")
    agent = writer.words.agent(str(step["agent"]))
    if isinstance(number := step.get("debater"), int) and number > 2:
        agent = writer.phrase("member", agent, number - 1)
    details = [writer.detail("reasons", answer.field("reasons")), *_diversity(writer, step)]
    text = writer.read_draft(step, answer)
    entry = writer.write({**step, "agent": agent}, answer, act, text, details)
    return writer.add_draft(entry, "debater", step.get("debater"))


def _diversity(writer: DialogueWriter, step: Step) -> Iterator[Detail]:
    if step.get("diversity"):
        yield Detail(label="", text=writer.phrase("diversity", step["diversity"]))


def _write_judge(writer: DialogueWriter, step: Step) -> DialogueStep:
    answer = writer.take(step)
    if step.get("mode") == "listing":
        return writer.write(step, answer, writer.phrase("listed"), answer.text)
    supported = str(step.get("supported", "none"))
    whose = writer.phrase("nobody") if supported == "none" else writer.words.agent(supported)
    settled = "settled" if step.get("settled") else "unsettled"
    key = "extracted" if step.get("mode") == "extractive" else settled
    own = writer.read_draft(step, answer)
    text = "" if writer.is_draft(own) else own
    details = [writer.detail("reason", answer.field("reason"))]
    return writer.write(step, answer, writer.phrase(key, whose), text, details)


def _write_chooser(writer: DialogueWriter, step: Step) -> DialogueStep:
    answer = writer.take(step)
    details = [writer.detail("reason", answer.field("reason"))]
    if "chosen" in step:
        act = writer.phrase("chooses", step["chosen"], step.get("of", "-"))
    elif "votes" in step:
        act = writer.phrase("votes")
        details += [Detail(label=text, text=str(count)) for text, count in step["votes"].items()]
    else:
        act = writer.phrase("marks")
        reasons = _mark_reasons(answer)
        details += [
            writer.detail("mark", ", ".join(filter(None, (str(mark), reasons.get(draft)))), draft)
            for draft, mark in step.get("marks", {}).items()
        ]
    return writer.write(step, answer, act, "", details)


def _mark_reasons(answer: StoredAnswer) -> dict[str, str]:
    """Return the reasons for the marks of drafts, by the draft."""
    marks = answer.fields.get("marks", [])
    return {
        str(mark.get("draft")): str(mark.get("reason", ""))
        for mark in (marks if isinstance(marks, list) else ())
        if isinstance(mark, Mapping)
    }


def _write_person(writer: DialogueWriter, step: Step) -> DialogueStep:
    fields = _other_fields(step, "agent", "marker")
    return writer.write(step, NO_ANSWER, writer.phrase("handed_in"), "", fields)


def _write_protocol(writer: DialogueWriter, step: Step) -> DialogueStep:
    """Return the entry of a step that no agent took: caps, ends, corrections."""
    match step:
        case {"action": "again", "fault": fault}:
            why = writer.words.fault(str(fault))
            return _write_correction(writer, step, writer.phrase("again", why), "again")
        case {"action": "shorten", "from": length}:
            return _write_correction(writer, step, writer.phrase("shorten", length), "shorten")
        case {"verdict": verdict}:
            return _write_verdict(writer, step, str(verdict))
    if rule := _find_rule(writer.words, step):
        return writer.write(step, NO_ANSWER, rule)
    return writer.write(step, NO_ANSWER, "", "", _other_fields(step, "agent", "round"))


def _find_rule(words: MakingWords, step: Step) -> str:
    """Say what a step without an answer of a model did; '' where that is unknown."""
    match step:
        case {"consensus": consensus, "rounds": rounds}:
            return words.phrase("consensus" if consensus else "no_consensus", rounds)
        case {"action": "clean", "removed": kinds}:
            return words.phrase("clean", ", ".join(map(str, kinds)))
        case {"action": "keep" | "doubt" | "review" as action, **details}:
            reason = words.fault(str(details["fault"])) if "fault" in details else ""
            return words.phrase(action, reason or details.get("reason", ""))
        case {"cap": cap}:
            return words.cap(str(cap))
    return ""


def _write_correction(writer: DialogueWriter, step: Step, act: str, path: str) -> DialogueStep:
    """Return the entry of a speech that its model was asked for once more."""
    answer = writer.take({"agent": path})
    return writer.add_draft(writer.write(step, answer, act, answer.draft), "Writer", writer.part)


def _write_verdict(
    writer: DialogueWriter, step: Mapping[str, object], verdict: str
) -> DialogueStep:
    nobody = writer.phrase("nobody")
    whose = nobody if verdict == "none" else writer.words.agent(verdict.capitalize())
    details = []
    if step.get("disagreement") is not None:
        details.append(writer.detail("disagreement", f"{step['disagreement']:g}"))
    details += _diversity(writer, step)
    return writer.write(step, NO_ANSWER, writer.phrase("verdict", whose), "", details)


def _write_search(writer: DialogueWriter, step: Step) -> DialogueStep:
    """Return the entry of a search by a Searcher: queries, what they found, what was kept.

    Its answers are two of queries, or its steps, and one that compiles what was found, if anything.
    """
    sources = [list(numbers) for numbers in step.get("found", [])]
    answers = step.get("steps", 2) + any(sources)
    *_, last = (writer.take({"agent": "Searcher"}) for _ in range(answers))
    kept = _sources(step.get("kept", [])) or writer.phrase("nothing")
    details = [
        writer.detail("question", step.get("question")),
        *_queries(writer, step, step.get("queries", []), sources),
        writer.detail("kept", kept),
        writer.detail("conclusions", last.field("conclusions")),
    ]
    return writer.write(step, last, writer.phrase("search"), "", details)


def _write_baseline_search(writer: DialogueWriter, step: Step) -> DialogueStep:
    """Return the entry of the one search that `baseline` makes without asking a model."""
    numbers = [result["number"] for result in step.get("results", [])]
    details = list(_queries(writer, step, [str(step.get("query", ""))], [numbers]))
    details.append(writer.detail("cited", _sources(step.get("used", []))))
    return writer.write(step, NO_ANSWER, writer.phrase("search"), "", details)


def _queries(
    writer: DialogueWriter, step: Step, queries: Sequence[str], sources: Sequence[Sequence[int]]
) -> Iterator[Detail]:
    """Yield each query with the sources that it found; sources listed before by number only."""
    failed = step.get("failed") or {}
    listed: set[int] = set()
    for number, query in enumerate(queries, start=1):
        numbers = sources[number - 1] if number <= len(sources) else []
        failure = failed.get(query, "") if isinstance(failed, Mapping) else str(failed)
        lines = [query, *_results(step, numbers, listed)]
        if failure:
            lines.append(writer.phrase("failed", failure))
        elif not numbers:
            lines.append(writer.phrase("nothing"))
        yield writer.detail("query", "\n".join(lines), number)


def _results(step: Step, numbers: Sequence[int], listed: set[int]) -> Iterator[str]:
    by_number: Mapping[int, Mapping[str, Any]] = {
        result["number"]: result for result in step.get("results", [])
    }
    for number in numbers:
        if number in by_number and number not in listed:
            source = f"{by_number[number]['origin']} — {by_number[number]['excerpt']}"
            yield f"[{number}] {' '.join(source.split())}"
    if again := _sources([number for number in numbers if number in listed]):
        yield again
    listed.update(numbers)


def _sources(numbers: Sequence[int]) -> str:
    return " ".join(f"[{number}]" for number in numbers)


_ENTRIES: Mapping[str, _Entry] = {
    "Personas": _write_personas,
    "Member": _write_member,
    "Critic": _write_critic,
    "Planner": _write_plan,
    "Analyzer": _write_outline,
    "Writer": _write_writer,
    "Composer": _write_composer,
    "Reviewer": _write_reviewer,
    "Affirmative": _write_debater,
    "Negative": _write_debater,
    "Judge": _write_judge,
    "Chooser": _write_chooser,
    "Searcher": _write_search,
    "Search": _write_baseline_search,
    "Person": _write_person,
    "protocol": _write_protocol,
}
