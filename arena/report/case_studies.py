"""Case studies: debates with their speeches in two languages side by side.

The figures 4 to 7 of the Agent4Debate paper (Zhang et al. 2024, arXiv 2408.04472) show debates in
Chinese beside an English translation. Nothing is translated here: the second language comes from a
file of translations, or from another debate of the same pair on the same sides of the motion.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Final

from arena.boards.selection import Selection
from arena.config.resolve import ResolvedConfig
from arena.debates.transcript import shown_speech
from arena.languages import LANGUAGES, Language, Side, Stage, language
from arena.languages.language import contest_language, task_text
from arena.people.voting import scores
from arena.records import Reference, Speech
from arena.report.debate_documents import Document, debate_documents
from arena.store.database import Store
from arena.text import plain

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
class SpeechVersion:
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
    passages: tuple[SpeechVersion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStudy:
    """A debate to be read, in one or two languages.

    Attributes:
        sides: by side, the participant and its model.
        results: by bench, the scores of both sides.
        caveat: what has to be said of its models; "" for nothing.
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
        resolved: their tournament's configuration.
        selection: says which benches' results are shown.
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


def _passage(speech: Mapping[str, Any], spoken: Language) -> SpeechVersion:
    record = Speech(
        side=speech["side"],
        stage=speech["stage"],
        text=speech["text"],
        words=0,
        references=tuple(Reference(**item) for item in speech.get("references", ())),
    )
    text, references = shown_speech(record, spoken)
    return SpeechVersion(
        side=record.side, stage=record.stage, text=text, references=tuple(references)
    )


def _motion_alone(wording: Mapping[str, Any], contest: str) -> Version:
    spoken = contest_language(language(wording["language"]), contest)
    return Version(
        spoken=spoken,
        origin="",
        motion=task_text(spoken, contest, wording["text"]),
        info_slide=wording["info_slide"],
        passages=(),
    )


_MARKDOWN: Final = re.compile(r"([\\`*_\[\]#|~$])")
_PARAGRAPH: Final = re.compile(r"\s*\n\s*")

_STYLE: Final = """
body { font: 16px/1.5 serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #1a1a1a; }
h1, h2, th { font-family: sans-serif; line-height: 1.25; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; margin: 1rem 0 2rem; }
th, td { border: 1px solid #b5b5b5; padding: .5rem .75rem; text-align: left; vertical-align: top; }
th { background: #f0f0f0; } td p { margin: 0 0 .6rem; overflow-wrap: anywhere; }
.references { color: #4a4a4a; font-size: .85em; } .facts { color: #4a4a4a; }
@media print { body { margin: 0; max-width: none; } tr { break-inside: avoid-page; } }
"""


def markdown(studies: Iterable[CaseStudy]) -> str:
    """Write case studies as GitHub's Markdown, with a table of the languages side by side."""
    return "\n".join(line for study in studies for line in _markdown_lines(study))


def html(studies: Iterable[CaseStudy]) -> str:
    """Write case studies as one HTML page that needs no other file."""
    body = "\n".join(line for study in studies for line in _html_lines(study))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Case studies</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n"
        "</body>\n</html>\n"
    )


def _facts(study: CaseStudy) -> list[str]:
    """Return who debated, the result of each bench, and what has to be said of the models."""
    words = (study.spoken or study.versions)[0].spoken.sides
    sides = " · ".join(f"{words[side]}: {name}" for side, name in study.sides.items())
    results = [f"{bench}: {score}" for bench, score in study.results.items()]
    heading = f"{words['pro']} : {words['con']}"
    return [
        sides,
        *([f"Verdicts ({heading}) – {' · '.join(results)}"] if results else []),
        *([f"({study.caveat})"] if study.caveat else []),
    ]


def _title(study: CaseStudy) -> str:
    return f"Debate {study.debate_id[:8]} ({study.category})"


def _column_head(version: Version) -> str:
    name = {"en": "English", "zh": "中文"}.get(version.spoken.code, version.spoken.code)
    return f"{name} ({version.origin})" if version.origin else name


def _rows(versions: Sequence[Version]) -> Iterator[tuple[SpeechVersion | None, ...]]:
    """Yield the passages of each speech, one per version, in the order of the first version."""
    by_place = [
        {(passage.stage, passage.side): passage for passage in version.passages}
        for version in versions
    ]
    for place in dict.fromkeys(place for passages in by_place for place in passages):
        yield tuple(passages.get(place) for passages in by_place)


def _speech_head(passage: SpeechVersion, version: Version) -> str:
    side, stage = version.spoken.sides[passage.side], version.spoken.stages[passage.stage]
    return side if passage.stage == "answer" else f"{side}, {stage}"


def _paragraphs(text: str) -> list[str]:
    return [part for part in _PARAGRAPH.split(plain(text).strip()) if part]


def _markdown_lines(study: CaseStudy) -> Iterator[str]:
    yield f"## {_markdown(_title(study))}"
    yield ""
    for fact in _facts(study):
        yield _markdown(fact)
        yield ""
    yield from _markdown_table(
        [_column_head(version) for version in study.versions],
        [[_motion_cell(version) for version in study.versions]],
    )
    spoken = study.spoken
    if spoken:
        yield from _markdown_table(
            [_column_head(version) for version in spoken],
            [
                [
                    _speech_cell(passage, version)
                    for passage, version in zip(row, spoken, strict=True)
                ]
                for row in _rows(spoken)
            ],
        )


def _markdown_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(map(_markdown, heads))} |"
    yield f"| {' | '.join(':---' for _ in heads)} |"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def _motion_cell(version: Version) -> str:
    slide = map(_markdown, _paragraphs(version.info_slide))
    return "<br><br>".join([f"**{_markdown(version.motion)}**", *slide])


def _speech_cell(passage: SpeechVersion | None, version: Version) -> str:
    if passage is None:
        return ""
    parts = [f"**{_markdown(_speech_head(passage, version))}**"]
    parts += map(_markdown, _paragraphs(passage.text))
    if passage.references:
        lines = [version.spoken.terms["references"], *map(plain, passage.references)]
        parts.append("<br>".join(map(_markdown, lines)))
    return "<br><br>".join(parts)


def _markdown(text: str) -> str:
    """Escape a text for a cell of Markdown."""
    return _MARKDOWN.sub(r"\\\1", escape(" ".join(plain(text).split()), quote=False))


def _html_lines(study: CaseStudy) -> Iterator[str]:
    yield f"<h2>{_html(_title(study))}</h2>"
    yield from (f'<p class="facts">{_html(fact)}</p>' for fact in _facts(study))
    yield from _html_table(study.versions, [[_motion_html(version) for version in study.versions]])
    spoken = study.spoken
    if spoken:
        cells = [
            [_speech_html(passage, version) for passage, version in zip(row, spoken, strict=True)]
            for row in _rows(spoken)
        ]
        yield from _html_table(spoken, cells)


def _html_table(versions: Sequence[Version], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    heads = "".join(f"<th>{_html(_column_head(version))}</th>" for version in versions)
    yield f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>"
    for row in rows:
        cells = "".join(
            f'<td lang="{version.spoken.code}">{cell}</td>'
            for version, cell in zip(versions, row, strict=True)
        )
        yield f"<tr>{cells}</tr>"
    yield "</tbody>\n</table>"


def _motion_html(version: Version) -> str:
    parts = [f"<p><strong>{_html(version.motion)}</strong></p>"]
    return "".join([*parts, *_html_paragraphs(version.info_slide)])


def _speech_html(passage: SpeechVersion | None, version: Version) -> str:
    if passage is None:
        return ""
    parts = [f"<p><strong>{_html(_speech_head(passage, version))}</strong></p>"]
    parts += _html_paragraphs(passage.text)
    if passage.references:
        listed = "<br>".join(map(_html, passage.references))
        term = _html(version.spoken.terms["references"])
        parts.append(f'<p class="references">{term}<br>{listed}</p>')
    return "".join(parts)


def _html_paragraphs(text: str) -> list[str]:
    return [f"<p>{_html(part)}</p>" for part in _paragraphs(text)]


def _html(text: str) -> str:
    return escape(plain(text))
