"""The entries of the agents of all debaters in the dialogue of a speech."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from arena.records import Step
from arena.report.making.records import Detail, DialogueStep
from arena.report.making.scribe import NO_ANSWER, Scribe, StoredAnswer, format_fields

if TYPE_CHECKING:
    from arena.languages.language import MakingWords

_Entry: TypeAlias = Callable[[Scribe, Step], DialogueStep]


def write_entry(scribe: Scribe, step: Step) -> DialogueStep:
    """Return the entry of one step of a trace; of an unknown agent, its fields as they are.

    Debaters of other packages may use the names of these agents for steps with other fields, which
    are shown as those of an unknown agent.
    """
    write = _ENTRIES.get(str(step.get("agent")), _write_unknown)
    if "fallback" in step and "marker" not in step:
        write = _write_fallback
    try:
        return write(scribe, step)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return _write_unknown(scribe, step)


def _write_fallback(scribe: Scribe, step: Step) -> DialogueStep:
    # A Searcher's unusable answer is one of those that its search takes.
    answer = NO_ANSWER if step["agent"] == "Searcher" else scribe.take(step)
    words = scribe.words
    why, done = words.fault(str(step.get("fault", "-"))), words.fallback(str(step["fallback"]))
    return scribe.write(step, answer, scribe.phrase("fallback", why, done))


def _write_unknown(scribe: Scribe, step: Step) -> DialogueStep:
    answer = scribe.take(step)
    return scribe.write(step, answer, "", answer.draft, _other_fields(step, "agent", "round"))


def _other_fields(step: Step, *known: str) -> Iterator[Detail]:
    yield from format_fields({key: value for key, value in step.items() if key not in known})


def _write_personas(scribe: Scribe, step: Step) -> DialogueStep:
    scribe.take(step)
    answer = scribe.take(step, "selector")
    pool, selected, filled = step.get("pool", []), step.get("chosen", []), step.get("filled", 0)
    act = scribe.phrase("pool", len(pool), len(selected))
    if filled:
        act = scribe.phrase("pool_filled", len(pool), len(selected), filled)
    return scribe.write(step, answer, act, "", _persona_details(scribe, step, pool, selected))


def _persona_details(
    scribe: Scribe, step: Step, pool: Sequence[Mapping[str, Any]], selected: Sequence[int]
) -> Iterator[Detail]:
    reasons = dict(zip(selected, step.get("reasons", []), strict=False))
    numbers = range(1, len(pool) + 1)
    for number in (*selected, *(other for other in numbers if other not in selected)):
        if number not in numbers:
            continue
        persona = pool[number - 1]
        lines = [f"{number}. {persona.get('description', '')}", str(persona.get("claim", ""))]
        if reason := reasons.get(number):
            lines.append(f"{scribe.phrase('reason')}: {reason}")
        text = "\n".join(lines)
        if number in selected:
            yield scribe.detail("chosen", text, selected.index(number) + 1)
        else:
            yield scribe.detail("not_chosen", text)


def _with_reasoning(
    scribe: Scribe, step: Step, answer: StoredAnswer, act: str, text: str
) -> DialogueStep:
    reasoning = step.get("reasoning") or answer.field("reasoning")
    return scribe.write(step, answer, act, text, [scribe.detail("reasoning", reasoning)])


def _marker(scribe: Scribe, step: Step) -> str:
    marker = str(step.get("marker", ""))
    return scribe.words.phrases.get(marker, marker)


def _write_member(scribe: Scribe, step: Step) -> DialogueStep:
    answer = scribe.take(step)
    name = scribe.phrase("member", scribe.words.agent("Member"), step.get("member", ""))
    act, text = _marker(scribe, step), answer.field("contribution")
    return _with_reasoning(scribe, {**step, "agent": name}, answer, act, text)


def _write_critic(scribe: Scribe, step: Step) -> DialogueStep:
    answer = scribe.take(step)
    return _with_reasoning(scribe, step, answer, _marker(scribe, step), answer.field("objection"))


def _write_reviewer(scribe: Scribe, step: Step) -> DialogueStep:
    answer = scribe.take(step)
    suggestions = enumerate(step.get("suggestions", []), start=1)
    lines = [f"{number}. {suggestion}" for number, suggestion in suggestions]
    text = "\n".join(filter(None, [str(step.get("assessment", "")), *lines]))
    return _with_reasoning(scribe, step, answer, _marker(scribe, step), text)


def _write_plan(scribe: Scribe, step: Step) -> DialogueStep:
    answer = scribe.take(step)
    lines: list[str] = []
    for number, point in enumerate(step.get("points", []), start=1):
        lines.append(f"{number}. {point.get('claim', '')}")
        lines += [f"   - {support}" for support in point.get("support", [])]
    if acknowledged := str(step.get("acknowledgment") or "").strip():
        lines.append(f"{scribe.language.terms['acknowledgment']}: {acknowledged}")
    return _with_reasoning(scribe, step, answer, scribe.phrase("plan"), "\n".join(lines))


def _write_outline(scribe: Scribe, step: Step) -> DialogueStep:
    answer = scribe.take(step)
    return scribe.write(step, answer, scribe.phrase("outline"), scribe.read_draft(step, answer))


def _write_writer(scribe: Scribe, step: Step) -> DialogueStep:
    answer = scribe.take(step)
    if step.get("marker") == "needs_material":
        act, text = scribe.phrase("asks"), str(step.get("claim", ""))
        return _with_reasoning(scribe, step, answer, act, text)
    text = scribe.read_draft(step, answer)
    if scribe.sampled:
        part = ""
        act = scribe.phrase("sample", int(step.get("draft", scribe.count_draft("Writer", part))))
    else:
        part = scribe.part = str(step.get("part", scribe.part))
        number = scribe.count_draft("Writer", part)
        act = scribe.phrase("draft", number)
        if part:
            act = scribe.phrase("part", scribe.language.terms.get(part, part), number)
    return scribe.add_draft(_with_reasoning(scribe, step, answer, act, text), "Writer", part)


def _write_composer(scribe: Scribe, step: Step) -> DialogueStep:
    answer = scribe.take(step)
    scribe.part = ""
    act, text = scribe.phrase("composes"), scribe.read_draft(step, answer)
    return scribe.add_draft(scribe.write(step, answer, act, text), "Writer", scribe.part)


def _write_debater(scribe: Scribe, step: Step) -> DialogueStep:
    answer = scribe.take(step)
    stance = str(step.get("stance") or "")
    act = scribe.words.phrases.get(stance) or scribe.phrase("proposes")
    agent = scribe.words.agent(str(step["agent"]))
    if isinstance(number := step.get("debater"), int) and number > 2:
        agent = scribe.phrase("member", agent, number - 1)
    details = [scribe.detail("reasons", answer.field("reasons")), *_diversity(scribe, step)]
    text = scribe.read_draft(step, answer)
    entry = scribe.write({**step, "agent": agent}, answer, act, text, details)
    return scribe.add_draft(entry, "debater", step.get("debater"))


def _diversity(scribe: Scribe, step: Step) -> Iterator[Detail]:
    if step.get("diversity"):
        yield Detail(label="", text=scribe.phrase("diversity", step["diversity"]))


def _write_judge(scribe: Scribe, step: Step) -> DialogueStep:
    answer = scribe.take(step)
    if step.get("mode") == "listing":
        return scribe.write(step, answer, scribe.phrase("listed"), answer.text)
    supported = str(step.get("supported", "none"))
    whose = scribe.phrase("nobody") if supported == "none" else scribe.words.agent(supported)
    settled = "settled" if step.get("settled") else "unsettled"
    key = "extracted" if step.get("mode") == "extractive" else settled
    own = scribe.read_draft(step, answer)
    text = "" if scribe.is_draft(own) else own
    details = [scribe.detail("reason", answer.field("reason"))]
    return scribe.write(step, answer, scribe.phrase(key, whose), text, details)


def _write_chooser(scribe: Scribe, step: Step) -> DialogueStep:
    answer = scribe.take(step)
    details = [scribe.detail("reason", answer.field("reason"))]
    if "chosen" in step:
        act = scribe.phrase("chooses", step["chosen"], step.get("of", "-"))
    elif "votes" in step:
        act = scribe.phrase("votes")
        details += [Detail(label=text, text=str(count)) for text, count in step["votes"].items()]
    else:
        act = scribe.phrase("marks")
        reasons = _mark_reasons(answer)
        details += [
            scribe.detail("mark", ", ".join(filter(None, (str(mark), reasons.get(draft)))), draft)
            for draft, mark in step.get("marks", {}).items()
        ]
    return scribe.write(step, answer, act, "", details)


def _mark_reasons(answer: StoredAnswer) -> dict[str, str]:
    """Return the reasons for the marks of drafts, by the draft."""
    marks = answer.fields.get("marks", [])
    return {
        str(mark.get("draft")): str(mark.get("reason", ""))
        for mark in (marks if isinstance(marks, list) else ())
        if isinstance(mark, Mapping)
    }


def _write_person(scribe: Scribe, step: Step) -> DialogueStep:
    fields = _other_fields(step, "agent", "marker")
    return scribe.write(step, NO_ANSWER, scribe.phrase("handed_in"), "", fields)


def _write_protocol(scribe: Scribe, step: Step) -> DialogueStep:
    """Return the entry of a step that no agent took: caps, ends, corrections."""
    match step:
        case {"action": "again", "fault": fault}:
            why = scribe.words.fault(str(fault))
            return _write_correction(scribe, step, scribe.phrase("again", why), "again")
        case {"action": "shorten", "from": length}:
            return _write_correction(scribe, step, scribe.phrase("shorten", length), "shorten")
        case {"verdict": verdict}:
            return _write_verdict(scribe, step, str(verdict))
    if rule := _find_rule(scribe.words, step):
        return scribe.write(step, NO_ANSWER, rule)
    return scribe.write(step, NO_ANSWER, "", "", _other_fields(step, "agent", "round"))


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


def _write_correction(scribe: Scribe, step: Step, act: str, path: str) -> DialogueStep:
    """Return the entry of a speech that its model was asked for once more."""
    answer = scribe.take({"agent": path})
    return scribe.add_draft(scribe.write(step, answer, act, answer.draft), "Writer", scribe.part)


def _write_verdict(scribe: Scribe, step: Mapping[str, object], verdict: str) -> DialogueStep:
    nobody = scribe.phrase("nobody")
    whose = nobody if verdict == "none" else scribe.words.agent(verdict.capitalize())
    details = []
    if step.get("disagreement") is not None:
        details.append(scribe.detail("disagreement", f"{step['disagreement']:g}"))
    details += _diversity(scribe, step)
    return scribe.write(step, NO_ANSWER, scribe.phrase("verdict", whose), "", details)


def _write_search(scribe: Scribe, step: Step) -> DialogueStep:
    """Return the entry of a search by a Searcher: queries, what they found, what was kept.

    Its answers are two of queries, or its steps, and one that compiles what was found, if anything.
    """
    sources = [list(numbers) for numbers in step.get("found", [])]
    answers = step.get("steps", 2) + any(sources)
    *_, last = (scribe.take({"agent": "Searcher"}) for _ in range(answers))
    kept = _sources(step.get("kept", [])) or scribe.phrase("nothing")
    details = [
        scribe.detail("question", step.get("question")),
        *_queries(scribe, step, step.get("queries", []), sources),
        scribe.detail("kept", kept),
        scribe.detail("conclusions", last.field("conclusions")),
    ]
    return scribe.write(step, last, scribe.phrase("search"), "", details)


def _write_baseline_search(scribe: Scribe, step: Step) -> DialogueStep:
    """Return the entry of the one search that `baseline` makes without asking a model."""
    numbers = [result["number"] for result in step.get("results", [])]
    details = list(_queries(scribe, step, [str(step.get("query", ""))], [numbers]))
    details.append(scribe.detail("cited", _sources(step.get("used", []))))
    return scribe.write(step, NO_ANSWER, scribe.phrase("search"), "", details)


def _queries(
    scribe: Scribe, step: Step, queries: Sequence[str], sources: Sequence[Sequence[int]]
) -> Iterator[Detail]:
    """Yield each query with the sources that it found; sources listed before by number only."""
    failed = step.get("failed") or {}
    listed: set[int] = set()
    for number, query in enumerate(queries, start=1):
        numbers = sources[number - 1] if number <= len(sources) else []
        failure = failed.get(query, "") if isinstance(failed, Mapping) else str(failed)
        lines = [query, *_results(step, numbers, listed)]
        if failure:
            lines.append(scribe.phrase("failed", failure))
        elif not numbers:
            lines.append(scribe.phrase("nothing"))
        yield scribe.detail("query", "\n".join(lines), number)


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
