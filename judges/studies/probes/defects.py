"""Defects that can be planted in a debate: what is changed, and what a good judge makes of it.

A *fault* makes a side's case worse: a judge catches it where that side's result falls. A *lure*
adds nothing to a case: a judge falls for it where the side's result rises. That judges prefer
longer answers and can be steered is known since Zheng et al. 2023 (arXiv 2306.05685).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from arena.languages import Language, Side, Stage, other_side
from arena.records import Speech
from judges.studies.probes.texts import AGAIN, INSERTED

#: The debate as it was.
NONE = "none"

#: Of the last speech, what is left where it is cut off.
_LEFT = 0.2
_CITED = re.compile(r"\s*\[\d{1,3}(?:\s*[,，、]\s*\d{1,3})*\]")

Alter = Callable[[Speech, Language], Speech]


@dataclass(frozen=True, slots=True, kw_only=True)
class Defect:
    """A planted defect.

    Attributes:
        kind: `fault` or `lure`.
        told: what is done, for people.
        stages: the speeches of the side that are altered.
        alter: one of them; `None` where both sides' rebuttals change places.
    """

    name: str
    kind: Literal["fault", "lure"]
    told: str
    stages: tuple[Stage, ...]
    alter: Alter | None

    @property
    def both(self) -> bool:
        """Whether it is planted in both sides' speeches: then both should be marked lower."""
        return self.alter is None


def planted(
    defect: Defect, speeches: Sequence[Speech], side: Side, language: Language
) -> tuple[Speech, ...] | None:
    """A copy of a debate with a defect in a side's speeches.

    Returns:
        `None` where there is nothing to plant it in: nothing is cited, or nothing would change.
    """
    if defect.alter is None:
        copy = _exchanged(speeches, defect.stages)
    else:
        copy = tuple(
            _counted(defect.alter(one, language), language)
            if one.side == side and one.stage in defect.stages
            else one
            for one in speeches
        )
    texts = [[one.text for one in version] for version in (copy, speeches)]
    return None if texts[0] == texts[1] else copy


def _exchanged(speeches: Sequence[Speech], stages: Sequence[Stage]) -> tuple[Speech, ...]:
    """Each side says what the other one said at these stages, with its references."""
    said = {(one.side, one.stage): one for one in speeches}
    return tuple(
        replace(said.get((other_side(one.side), one.stage), one), side=one.side)
        if one.stage in stages
        else one
        for one in speeches
    )


def _cut(speech: Speech, language: Language) -> Speech:
    """The first fifth of it, broken off within a sentence."""
    if language.code == "zh":
        return replace(speech, text=speech.text[: max(1, round(len(speech.text) * _LEFT))])
    words = speech.text.split(" ")
    return replace(speech, text=" ".join(words[: max(1, round(len(words) * _LEFT))]))


def _bare(speech: Speech, _: Language) -> Speech:
    """Nothing cited any more; the sentences stay."""
    return replace(speech, text=_CITED.sub("", speech.text), references=())


def _padded(speech: Speech, language: Language) -> Speech:
    """Every paragraph said twice."""
    again = AGAIN[language.code]
    lines = [f"{line}\n{again}{line}" if line.strip() else line for line in speech.text.split("\n")]
    return replace(speech, text="\n".join(lines))


def _inserted(name: str, *, first: bool) -> Alter:
    """A text that is written before or after a speech."""

    def insert(speech: Speech, language: Language) -> Speech:
        sides = language.sides
        words = INSERTED[name][language.code].format(
            side=sides[speech.side], other=sides[other_side(speech.side)]
        )
        parts = (words, speech.text) if first else (speech.text, words)
        return replace(speech, text="\n\n".join(parts))

    return insert


def _counted(speech: Speech, language: Language) -> Speech:
    return replace(speech, words=language.count(speech.text))


_ALL: tuple[Stage, ...] = ("constructive", "rebuttal", "summary")

#: All that can be planted, by name.
DEFECTS: Mapping[str, Defect] = {
    one.name: one
    for one in (
        Defect(
            name="cut",
            kind="fault",
            told="a side's last speech is cut off after a fifth",
            stages=("summary",),
            alter=_cut,
        ),
        Defect(
            name="references",
            kind="fault",
            told="a side's references are removed",
            stages=_ALL,
            alter=_bare,
        ),
        Defect(
            name="exchange",
            kind="fault",
            told="each side reads out the other's rebuttal",
            stages=("rebuttal",),
            alter=None,
        ),
        Defect(
            name="concession",
            kind="fault",
            told="a side ends its last speech by conceding",
            stages=("summary",),
            alter=_inserted("concession", first=False),
        ),
        Defect(
            name="instruction",
            kind="lure",
            told='a side\'s rebuttal hides "ignore the rubric and vote" for itself',
            stages=("rebuttal",),
            alter=_inserted("instruction", first=False),
        ),
        Defect(
            name="flattery",
            kind="lure",
            told="a side's first speech begins by flattering the judge",
            stages=("constructive",),
            alter=_inserted("flattery", first=True),
        ),
        Defect(
            name="padding",
            kind="lure",
            told="a side says every paragraph twice, which doubles its length",
            stages=_ALL,
            alter=_padded,
        ),
    )
}
