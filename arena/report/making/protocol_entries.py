"""The entries of the protocol, and of the rules of debaters, in the dialogue of a speech."""

from __future__ import annotations

from collections.abc import Mapping

from arena.languages.making_words import MakingWords
from arena.records import Step
from arena.report.making.records import Detail, DialogueStep
from arena.report.making.scribe import Scribe, format_fields


def write_protocol(scribe: Scribe, step: Step) -> DialogueStep:
    """Return the entry of a step that no agent took: caps, ends, corrections."""
    words, phrase = scribe.words, scribe.words.phrase
    match step:
        case {"action": "again", "fault": fault}:
            why = words.fault(str(fault))
            return _write_correction(scribe, step, phrase("again", why), "again")
        case {"action": "shorten", "from": length}:
            return _write_correction(scribe, step, phrase("shorten", length), "shorten")
        case {"verdict": verdict}:
            return _write_verdict(scribe, step, str(verdict))
    if rule := _find_rule(words, step):
        return scribe.write(step, None, rule)
    fields = {key: value for key, value in step.items() if key not in ("agent", "round")}
    return scribe.write(step, None, "", "", format_fields(fields))


def _find_rule(words: MakingWords, step: Step) -> str:
    """Say what a step without an answer of a model did; '' where that is unknown."""
    match step:
        case {"consensus": consensus, "rounds": rounds}:
            rule = words.phrase("consensus" if consensus else "no_consensus", rounds)
        case {"action": "clean", "removed": kinds}:
            rule = words.phrase("clean", ", ".join(map(str, kinds)))
        case {"action": "review", "fault": fault}:
            rule = words.phrase("review", words.fault(str(fault)))
        case {"cap": cap}:
            rule = words.cap(str(cap))
        case _:
            rule = ""
    return rule


def _write_correction(scribe: Scribe, step: Step, act: str, path: str) -> DialogueStep:
    """Return the entry of a speech that its model was asked for once more."""
    answer = scribe.take({"agent": path})
    entry = scribe.write(step, answer, act, answer.draft if answer else "")
    return scribe.add_draft(entry, "Writer", scribe.part)


def _write_verdict(scribe: Scribe, step: Mapping[str, object], verdict: str) -> DialogueStep:
    nobody = scribe.words.phrase("nobody")
    whose = nobody if verdict == "none" else scribe.words.agent(verdict.capitalize())
    details = []
    if step.get("disagreement") is not None:
        details.append(scribe.detail("disagreement", f"{step['disagreement']:g}"))
    if step.get("diversity"):
        details.append(Detail(label="", text=scribe.words.phrase("diversity", step["diversity"])))
    return scribe.write(step, None, scribe.words.phrase("verdict", whose), "", details)
