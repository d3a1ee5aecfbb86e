"""The defences that advocates wrote for stored ballots, from the stored requests and answers."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from arena.debates.protocol import trim
from arena.languages import SIDES, Language, language
from arena.store.database import Store
from judges.methods.team import DEFENCE
from judges.studies.ballots import BallotRequest, Taken

_EXCHANGES = """
    SELECT unit, arg_max(requests_and_answers, part) AS blob FROM exchanges
    WHERE list_contains($ids, unit) GROUP BY unit ORDER BY unit
"""
#: The path of a call to an advocate of `more`; before it stand the run and the order.
_ADVOCATE = re.compile(r"(?P<place>.*/)(?P<side>pro|con)/advocate/\d+")
#: Of `more` in rounds only the first is read: later ones build on what all have read.
_LATER_ROUND = re.compile(r"(?:^|/)round/(?!1/)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Defences:
    """The texts that the advocates of both sides wrote at one hearing.

    Attributes:
        question: that the answers are to.
        pro, con: texts as the aggregator read them: cut at their limit.
    """

    bench: str
    question: str
    pro: tuple[str, ...]
    con: tuple[str, ...]


def read_defences(
    store: Store, requests: Sequence[BallotRequest], ballots: Mapping[str, Taken]
) -> Iterator[Defences]:
    """Read the defences behind every valid ballot of a `more` with several advocates for a side.

    Args:
        store: holds the requests and answers.
        requests: for ballots of any bench.
        ballots: the stored ones, by id.
    """
    wanted = {
        request.ballot_id: request
        for request in requests
        if _has_several_advocates(request) and _is_valid(request, ballots)
    }
    for row in store.rows(_EXCHANGES, {"ids": list(wanted)}) if wanted else ():
        request = wanted[row["unit"]]
        spoken = language(request.assignment.debate.language)
        for texts in _split_hearings(row["blob"], spoken):
            pro, con = (tuple(texts[side]) for side in SIDES)
            question = request.assignment.wording.text
            yield Defences(bench=request.bench.name, question=question, pro=pro, con=con)


def _has_several_advocates(request: BallotRequest) -> bool:
    return request.bench.judge == "more" and request.bench.options["advocates"] > 1


def _is_valid(request: BallotRequest, ballots: Mapping[str, Taken]) -> bool:
    return request.ballot_id in ballots and ballots[request.ballot_id].status == "valid"


def _split_hearings(blob: bytes, spoken: Language) -> Iterator[dict[str, list[str]]]:
    """Yield the texts by side of one hearing, or of two where both orders were judged.

    Hearings with a single text of a side have nothing to compare and are left out.
    """
    answers: dict[str, str] = {}
    for exchange in json.loads(zlib.decompress(blob)):  # by path and attempt: the last one counts
        answers[exchange["path"]] = exchange["answer"]
    hearings: dict[str, dict[str, list[str]]] = {}
    for path, text in answers.items():
        if (match := _ADVOCATE.fullmatch(path)) and not _LATER_ROUND.search(match["place"]):
            texts = hearings.setdefault(match["place"], {side: [] for side in SIDES})
            if text.strip():  # an advocate that wrote nothing was left out
                texts[match["side"]].append(trim(text, spoken.limit(DEFENCE), spoken))
    yield from (texts for texts in hearings.values() if min(map(len, texts.values())) > 1)
