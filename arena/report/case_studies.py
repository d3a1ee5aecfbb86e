"""Case studies: debates with their speeches in two languages side by side.

The figures 4 to 7 of the Agent4Debate paper (Zhang et al. 2024, arXiv 2408.04472) show debates in
Chinese beside an English translation. Nothing is translated here: the second language comes from a
file of translations, or from another debate of the same pair on the same sides of the motion.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from arena.boards.selection import Selection
from arena.config.resolve import ResolvedConfig
from arena.debates.transcript import shown_speech
from arena.languages import LANGUAGES, Language, Side, Stage, language
from arena.languages.pair_words import contest_language, task_text
from arena.people.vote_counts import scores
from arena.records import Reference, Speech
from arena.report.debate_documents import Document, debate_documents
from arena.store.database import Store

_TWINS: Final = """
    SELECT d.debate_id AS debate, t.debate_id AS twin
    FROM debates d
    JOIN debates t ON t.tournament = d.tournament AND t.motion_id = d.motion_id
         AND t.pro = d.pro AND t.con = d.con AND t.language <> d.language
         AND t.status = 'finished'
    WHERE list_contains(CAST($ids AS TEXT[]), d.debate_id)
    ORDER BY d.debate_id, t.repeat, t.debate_id
"""
_WORDINGS: Final = """
    SELECT DISTINCT m.language, m.text, m.info_slide FROM motions m
    WHERE m.motion_id = $motion
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A speech in one language: its text, and the lines of its references."""

    side: Side
    stage: Stage
    text: str
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A debate in one language.

    Attributes:
        spoken: the language, with the words of the contest.
        origin: where the texts come from: as debated, a translation, or another debate.
        motion: its wording, as the task of the contest.
        passages: in speaking order; empty where only the motion is known.
    """

    spoken: Language
    origin: str
    motion: str
    info_slide: str
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStudy:
    """A debate to be read, in one or two languages.

    Attributes:
        sides: by side, the participant and its model.
        results: by bench, the scores of both sides.
        caveat: what has to be said of its models; "" for nothing.
        versions: English first.
    """

    debate_id: str
    category: str
    sides: Mapping[Side, str]
    results: Mapping[str, str]
    caveat: str
    versions: tuple[Version, ...]

    @property
    def spoken(self) -> tuple[Version, ...]:
        """The versions with speeches."""
        return tuple(version for version in self.versions if version.passages)


def case_studies(
    store: Store,
    resolved: ResolvedConfig,
    selection: Selection,
    ids: Sequence[str],
    translations: Iterable[Document] = (),
) -> Iterator[CaseStudy]:
    """Yield debates as case studies.

    Args:
        store: holds the debates.
        resolved: their tournament's configuration.
        selection: says which benches' results are shown.
        ids: of the debates.
        translations: documents as `debate_documents` makes them, in another language.

    Raises:
        ConfigError: the debates are imported battles.
    """
    twins: dict[str, str] = {}
    for row in store.rows(_TWINS, {"ids": list(ids)}):
        twins.setdefault(row["debate"], row["twin"])
    wanted = [*ids, *(twin for twin in twins.values() if twin not in ids)]
    known = {
        document["debate_id"]: document
        for document in debate_documents(store, resolved, selection, wanted)
    }
    translated = {document["debate_id"]: document for document in translations}
    for debate_id in ids:
        own = known[debate_id]
        versions = {own["language"]: _version(own, "as debated")}
        if debate_id in twins:
            twin = known[twins[debate_id]]
            versions[twin["language"]] = _version(twin, f"debate {twin['debate_id'][:8]}, played")
        if debate_id in translated:
            other = translated[debate_id]
            versions[other["language"]] = _version({**own, **other}, "a translation")
        for wording in store.rows(_WORDINGS, {"motion": own["motion"]["id"]}):
            versions.setdefault(wording["language"], _motion_alone(wording, own["contest"]))
        yield _case_study(
            own, resolved, tuple(versions[code] for code in LANGUAGES if code in versions)
        )


def _case_study(
    document: Document, resolved: ResolvedConfig, versions: tuple[Version, ...]
) -> CaseStudy:
    return CaseStudy(
        debate_id=document["debate_id"],
        category=document["motion"]["category"],
        sides={
            side: f"{document[side]['name']} ({document[side]['model'] or 'a person'})"
            for side in ("pro", "con")
        },
        results=_results(document),
        caveat=resolved.caveat,
        versions=versions,
    )


def _results(document: Document) -> dict[str, str]:
    """Return the scores by bench, as Pro : Con."""
    outcomes: dict[str, list[float]] = {}
    for ballot in document["ballots"]:
        for verdict in ballot["verdicts"]:
            if verdict["dimension"] == "overall":
                outcomes.setdefault(ballot["bench"], []).append(verdict["outcome"])
    return {
        bench: " : ".join(f"{score:.3g}" for score in scores(listed))
        for bench, listed in outcomes.items()
    }


def _version(document: Document, origin: str) -> Version:
    spoken = contest_language(language(document["language"]), document["contest"])
    return Version(
        spoken=spoken,
        origin=origin,
        motion=task_text(spoken, document["contest"], document["motion"]["text"]),
        info_slide=document["motion"].get("info_slide", ""),
        passages=tuple(_passage(speech, spoken) for speech in document["speeches"]),
    )


def _passage(speech: Mapping[str, Any], spoken: Language) -> Passage:
    record = Speech(
        side=speech["side"],
        stage=speech["stage"],
        text=speech["text"],
        words=0,
        references=tuple(Reference(**item) for item in speech.get("references", ())),
    )
    text, references = shown_speech(record, spoken)
    return Passage(side=record.side, stage=record.stage, text=text, references=tuple(references))


def _motion_alone(wording: Mapping[str, Any], contest: str) -> Version:
    spoken = contest_language(language(wording["language"]), contest)
    return Version(
        spoken=spoken,
        origin="",
        motion=task_text(spoken, contest, wording["text"]),
        info_slide=wording["info_slide"],
        passages=(),
    )
