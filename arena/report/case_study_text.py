"""Case studies as Markdown and as one HTML page; all texts of models are escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Final

from arena.report.case_studies import CaseStudy, Passage, Version
from arena.text import plain

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


def _rows(versions: Sequence[Version]) -> Iterator[tuple[Passage | None, ...]]:
    """Yield the passages of each speech, one per version, in the order of the first version."""
    by_place = [
        {(passage.stage, passage.side): passage for passage in version.passages}
        for version in versions
    ]
    for place in dict.fromkeys(place for passages in by_place for place in passages):
        yield tuple(passages.get(place) for passages in by_place)


def _speech_head(passage: Passage, version: Version) -> str:
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


def _speech_cell(passage: Passage | None, version: Version) -> str:
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


def _speech_html(passage: Passage | None, version: Version) -> str:
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
