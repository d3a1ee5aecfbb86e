"""Case studies: debates with their speeches in two languages side by side.

The figures 4 to 7 of the Agent4Debate paper (Zhang et al. 2024, arXiv 2408.04472) show debates in
Chinese beside an English translation. Nothing is translated here: the second language comes from a
file of translations, or from another debate of the same pair on the same sides of the motion.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Final

from arena.boards.selection import Selection
from arena.boards.vote_rules import majority_benches, vote_rules
from arena.boards.votes import bench_result
from arena.debates.transcript import shown_speech
from arena.languages import LANGUAGES, SIDES, Language, Side, Stage, language
from arena.languages.language import contest_language, task_text
from arena.output.tables import escape_markdown
from arena.read.debates import read_debates
from arena.read.selected import Narrowing
from arena.records import Reference, Speech
from arena.report.debate_documents import Document, debate_documents
from arena.report.debate_result import format_result
from arena.text import plain

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.store.database import Store

_PARAGRAPH: Final = re.compile(r"(?<!\s)[^\S\n]*+\n\s*+")


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCell:
    """A cell of a case study: paragraphs under a head, and lines of references, if any."""

    head: str
    paragraphs: tuple[str, ...]
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A debate in one language.

    Attributes:
        spoken: the language, with the words of the contest.
        origin: where the texts come from: as debated, a translation, or another debate.
        motion: its wording, as the task of the contest, over its info slide.
        speeches: in speaking order; empty where only the motion is known.
    """

    spoken: Language
    origin: str
    motion: CaseCell
    speeches: Mapping[tuple[Stage, Side], CaseCell]

    @property
    def heading(self) -> str:
        """The head of its column."""
        return f"{self.spoken.name} ({self.origin})" if self.origin else self.spoken.name


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStudy:
    """A debate to be read, in one or two languages.

    Attributes:
        facts: who debated, the result of each bench, and what has to be said of the models.
    """

    title: str
    facts: tuple[str, ...]
    versions: tuple[Version, ...]

    def tables(self) -> Iterator[tuple[list[Version], list[list[CaseCell | None]]]]:
        """Yield the versions that a table has a column for, and its rows: motion, then speeches."""
        yield list(self.versions), [[version.motion for version in self.versions]]
        if spoken := [version for version in self.versions if version.speeches]:
            places = dict.fromkeys(place for version in spoken for place in version.speeches)
            yield spoken, [[own.speeches.get(place) for own in spoken] for place in places]


def case_studies(
    store: Store,
    resolved: ResolvedConfig,
    selection: Selection,
    ids: Sequence[str],
    translations: Iterable[Document] = (),
) -> Iterator[CaseStudy]:
    """Yield debates as case studies.

    Args:
        selection: says which benches' results are shown.
        translations: documents as `debate_documents` makes them, in another language.

    Raises:
        ConfigError: the debates are imported battles.
    """
    twins = _find_twins(store, resolved.name, ids)
    wanted = [*ids, *(twin for twin in twins.values() if twin not in ids)]
    known = {
        document["debate_id"]: document
        for document in debate_documents(store, resolved, selection, wanted)
    }
    translated = {document["debate_id"]: document for document in translations}
    wordings = {motion.motion_id: motion.wordings for motion in resolved.motions}
    for debate_id in ids:
        own = known[debate_id]
        versions = {own["language"]: _version(own, "as debated")}
        if debate_id in twins:
            twin = known[twins[debate_id]]
            versions[twin["language"]] = _version(twin, f"debate {twin['debate_id'][:8]}, played")
        if debate_id in translated:
            other = translated[debate_id]
            versions[other["language"]] = _version({**own, **other}, "a translation")
        for code, wording in wordings[own["motion"]["id"]].items():
            alone = {"language": code, "motion": asdict(wording), "speeches": ()}
            versions.setdefault(code, _version({**own, **alone}, ""))
        ordered = tuple(versions[code] for code in LANGUAGES if code in versions)
        first = next((version for version in ordered if version.speeches), ordered[0])
        yield CaseStudy(
            title=f"Debate {debate_id[:8]} ({own['motion']['category']})",
            facts=tuple(_facts(own, first.spoken.sides, resolved)),
            versions=ordered,
        )


def _find_twins(store: Store, tournament: str, ids: Sequence[str]) -> dict[str, str]:
    """Return the first debate of the same two on the same sides in another language, by id."""
    everything = Selection(tournament=tournament, bench="all")
    twins = {}
    for own in read_debates(store, everything, Narrowing(ids=tuple(ids))):
        narrowing = Narrowing(statuses=("finished",), participant=own.pro, motion=own.motion_id)
        others = [
            (row.repeat, row.debate_id)
            for row in read_debates(store, everything, narrowing)
            if row.language != own.language and (row.pro_id, row.con_id) == (own.pro_id, own.con_id)
        ]
        if others:
            _, twins[own.debate_id] = min(others)
    return twins


def _facts(
    document: Document, words: Mapping[Side, str], resolved: ResolvedConfig
) -> Iterator[str]:
    names: dict[Side, str] = {side: document[side]["name"] for side in SIDES}
    models = {side: document[side]["model"] or "a person" for side in SIDES}
    yield " · ".join(f"{words[side]}: {names[side]} ({models[side]})" for side in SIDES)
    outcomes: dict[str, list[float]] = {}
    for ballot in document["ballots"]:
        for verdict in ballot["verdicts"]:
            if verdict["dimension"] == "overall":
                outcomes.setdefault(ballot["bench"], []).append(verdict["outcome"])
    by_majority = majority_benches(vote_rules(resolved.benches))
    for bench, votes in outcomes.items():
        result = bench_result(votes, by_majority=bench in by_majority)
        yield format_result(bench, result, names, words)
    if resolved.caveat:
        yield f"({resolved.caveat})"


def _version(document: Document, origin: str) -> Version:
    motion, contest = document["motion"], document["contest"]
    spoken = contest_language(language(document["language"]), contest)
    return Version(
        spoken=spoken,
        origin=origin,
        motion=CaseCell(
            head=task_text(spoken, contest, motion["text"]),
            paragraphs=_paragraphs(motion.get("info_slide", "")),
        ),
        speeches={
            (speech["stage"], speech["side"]): _passage(speech, spoken)
            for speech in document["speeches"]
        },
    )


def _passage(speech: Mapping[str, Any], spoken: Language) -> CaseCell:
    record = Speech(
        side=speech["side"],
        stage=speech["stage"],
        text=speech["text"],
        words=0,
        references=tuple(Reference(**item) for item in speech.get("references", ())),
    )
    text, references = shown_speech(record, spoken)
    side, stage = spoken.sides[record.side], spoken.stages[record.stage]
    return CaseCell(
        head=side if record.stage == "answer" else f"{side}, {stage}",
        paragraphs=_paragraphs(text),
        references=(spoken.terms["references"], *references) if references else (),
    )


def _paragraphs(text: str) -> tuple[str, ...]:
    return tuple(part for part in _PARAGRAPH.split(plain(text).strip()) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Markup:
    """How the parts of a cell are written; `between` stands between them."""

    escape: Callable[[str], str]
    head: str
    paragraph: str
    references: str
    between: str

    def cell(self, passage: CaseCell | None) -> str:
        if passage is None:
            return ""
        parts = [self.head.format(self.escape(passage.head))]
        parts += [self.paragraph.format(self.escape(part)) for part in passage.paragraphs]
        if passage.references:
            parts.append(self.references.format("<br>".join(map(self.escape, passage.references))))
        return self.between.join(parts)


_MARKDOWN: Final = _Markup(
    escape=escape_markdown, head="**{}**", paragraph="{}", references="{}", between="<br><br>"
)
_HTML: Final = _Markup(
    escape=lambda text: escape(plain(text)),
    head="<p><strong>{}</strong></p>",
    paragraph="<p>{}</p>",
    references='<p class="references">{}</p>',
    between="",
)


def markdown(studies: Iterable[CaseStudy]) -> str:
    """Write case studies as GitHub's Markdown, with a table of the languages side by side."""
    return "\n".join(line for study in studies for line in _markdown_lines(study))


def _markdown_lines(study: CaseStudy) -> Iterator[str]:
    yield from (f"## {_MARKDOWN.escape(study.title)}", "")
    for fact in study.facts:
        yield from (_MARKDOWN.escape(fact), "")
    for versions, rows in study.tables():
        heads = [_MARKDOWN.escape(version.heading) for version in versions]
        for line in (heads, [":---"] * len(heads), *(map(_MARKDOWN.cell, row) for row in rows)):
            yield f"| {' | '.join(line)} |"
        yield ""


_PAGE: Final = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Case studies</title>
<style>
body {{ font: 16px/1.5 serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; \
color: #1a1a1a; }}
h1, h2, th {{ font-family: sans-serif; line-height: 1.25; }}
table {{ border-collapse: collapse; width: 100%; table-layout: fixed; margin: 1rem 0 2rem; }}
th, td {{ border: 1px solid #b5b5b5; padding: .5rem .75rem; text-align: left; \
vertical-align: top; }}
th {{ background: #f0f0f0; }} td p {{ margin: 0 0 .6rem; overflow-wrap: anywhere; }}
.references {{ color: #4a4a4a; font-size: .85em; }} .facts {{ color: #4a4a4a; }}
@media print {{ body {{ margin: 0; max-width: none; }} tr {{ break-inside: avoid-page; }} }}
</style>
</head>
<body>
{}
</body>
</html>
"""


def html(studies: Iterable[CaseStudy]) -> str:
    """Write case studies as one HTML page that needs no other file."""
    return _PAGE.format("\n".join(line for study in studies for line in _html_lines(study)))


def _html_lines(study: CaseStudy) -> Iterator[str]:
    yield f"<h2>{_HTML.escape(study.title)}</h2>"
    yield from (f'<p class="facts">{_HTML.escape(fact)}</p>' for fact in study.facts)
    for versions, rows in study.tables():
        heads = "".join(f"<th>{_HTML.escape(version.heading)}</th>" for version in versions)
        yield f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>"
        for row in rows:
            cells = zip(versions, row, strict=True)
            lines = (f'<td lang="{own.spoken.code}">{_HTML.cell(cell)}</td>' for own, cell in cells)
            yield f"<tr>{''.join(lines)}</tr>"
        yield "</tbody>\n</table>"
