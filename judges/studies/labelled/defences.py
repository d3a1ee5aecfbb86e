"""What the advocates of stored ballots wrote, from the requests and answers that are kept."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from arena.debates.protocol import trim
from arena.languages import SIDES, Language, language
from arena.store.database import Store
from judges.methods.more import DEFENCE
from judges.studies.ballots import BallotRequest, Taken

_EXCHANGES = """
    SELECT unit, arg_max(requests_and_answers, part) AS blob FROM exchanges
    WHERE list_contains($ids, unit) GROUP BY unit ORDER BY unit
"""
#: Where an advocate of `more` is asked; before it stand the run and the order.
_ADVOCATE = re.compile(r"(?P<place>.*/)(?P<side>pro|con)/advocate/\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pleas:
    """What the advocates of both sides wrote at one hearing.

    Attributes:
        question: that the answers are to.
        pro, con: texts as they went to the aggregator: cut at their limit.
    """

    bench: str
    question: str
    pro: tuple[str, ...]
    con: tuple[str, ...]


def read_pleas(
    store: Store, trials: Sequence[BallotRequest], taken: Mapping[str, Taken]
) -> Iterator[Pleas]:
    """What the advocates wrote for every valid ballot of a `more` that has several for a side."""
    asked = {one.ballot_id: one for one in trials if _has_several(one) and _valid(one, taken)}
    for row in store.rows(_EXCHANGES, {"ids": list(asked)}) if asked else ():
        trial = asked[row["unit"]]
        spoken = language(trial.assignment.debate.language)
        for texts in _hearings(row["blob"], spoken):
            pro, con = (tuple(texts[side]) for side in SIDES)
            question = trial.assignment.wording.text
            yield Pleas(bench=trial.bench.name, question=question, pro=pro, con=con)


def _has_several(trial: BallotRequest) -> bool:
    return trial.bench.judge == "more" and trial.bench.options["advocates"] > 1


def _valid(trial: BallotRequest, taken: Mapping[str, Taken]) -> bool:
    return trial.ballot_id in taken and taken[trial.ballot_id].status == "valid"


def _hearings(blob: bytes, spoken: Language) -> Iterator[dict[str, list[str]]]:
    """The texts by side of one hearing, or of two where both orders were judged."""
    said: dict[str, str] = {}
    for one in json.loads(zlib.decompress(blob)):  # by path and attempt: the last attempt counts
        said[one["path"]] = one["answer"]
    hearings: dict[str, dict[str, list[str]]] = {}
    for path, text in said.items():
        if found := _ADVOCATE.fullmatch(path):
            texts = hearings.setdefault(found["place"], {side: [] for side in SIDES})
            texts[found["side"]].append(trim(text, spoken.limit(DEFENCE), spoken))
    yield from hearings.values()
