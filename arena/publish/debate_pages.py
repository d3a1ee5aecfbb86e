"""The pages of debates: speeches, and every ballot with its verdicts."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Final

from arena.boards.selection import Selection, format_moment
from arena.boards.vote_rules import majority_benches, vote_rules
from arena.languages import ENGLISH, SIDES, language
from arena.languages.language import contest_language
from arena.output.formats import as_json
from arena.publish import addresses
from arena.publish.frame import Frame
from arena.read.ballots import BallotRow, read_ballots
from arena.read.debates import DebateRow, seat
from arena.read.selected import Narrowing
from arena.read.voters import Voters
from arena.report.debate_result import bench_decisions
from arena.report.overview.reading_list import speech_text
from arena.store.rows import read_speeches
from arena.text import plain, shorten
from ratings import CON_WINS, PRO_WINS, TIE

if TYPE_CHECKING:
    from arena.publish.content import SiteContent
    from arena.records import Speech

#: Debates that are read at once, so that memory does not grow with the tournament.
_BATCH: Final = 100
_TITLE_LENGTH: Final = 80


def debate_files(content: SiteContent, frame: Frame) -> Iterator[tuple[str, bytes]]:
    """Yield the page of each debate, and its JSON."""
    writer = _DebateWriter(content, frame)
    rows = content.debates
    for start in range(0, len(rows), _BATCH):
        yield from writer.write(rows[start : start + _BATCH])


class _DebateWriter:
    """Writes debates with what is published of them."""

    def __init__(self, content: SiteContent, frame: Frame) -> None:
        self._content, self._frame = content, frame
        resolved = content.resolved
        self._contest = resolved.config.tournament.contest
        self._by_majority = majority_benches(vote_rules(resolved.benches))
        self._people = {bench.name for bench in resolved.people_benches}
        self._benches = {bench.name for bench in resolved.benches}
        self._voters = Voters.of(
            content.store,
            resolved,
            named="voters" in content.wanted,
            quoted="comments" in content.wanted,
        )

    def write(self, rows: Sequence[DebateRow]) -> Iterator[tuple[str, bytes]]:
        """Yield the files of some debates."""
        ids = tuple(row.debate_id for row in rows)
        selection = Selection(tournament=self._content.resolved.name, bench="all")
        ballots = defaultdict[str, list[BallotRow]](list)
        for ballot in read_ballots(self._content.store, selection, Narrowing(ids=ids)):
            if ballot.bench in self._benches:
                ballots[ballot.debate_id].append(self._publishable(ballot))
        speeches = (
            read_speeches(self._content.store, ids) if "speeches" in self._content.wanted else {}
        )
        for row in rows:
            yield from self._write(row, speeches.get(row.debate_id, ()), ballots[row.debate_id])

    def _write(
        self, row: DebateRow, speeches: Sequence[Speech], ballots: Sequence[BallotRow]
    ) -> Iterator[tuple[str, bytes]]:
        address = addresses.debate_page(row.debate_id)
        document = f"{address.removesuffix('.html')}.json"
        spoken = language(row.language) if speeches else ENGLISH  # imports may be in any
        words = contest_language(spoken, self._contest)
        sides = contest_language(ENGLISH, self._contest).sides
        names = {side: seat(row, side) for side in SIDES}
        shown = [
            speech_text({"language": row.language, "pro": row.pro, "con": row.con}, speech, words)
            for speech in speeches
        ]
        known = self._content.participants
        page = self._frame.page(
            "debate",
            address,
            title=shorten(f"{names['pro']} – {names['con']}", _TITLE_LENGTH),
            motion=row.motion,
            motion_page=addresses.motion_page(row.motion_id),
            info_slide=row.info_slide,
            language=row.language,
            seats=[
                (sides[side], name, addresses.participant_page(name) if name in known else "")
                for side, name in names.items()
            ],
            pair_page=self._pair_page(row),
            about=self._describe(row),
            decisions=self._decide(row, ballots, sides),
            speeches=shown,
            without_speeches="speeches" not in self._content.wanted
            and not self._content.resolved.imported,
            ballots=[self._ballot(ballot, sides) for ballot in ballots],
            sides=[sides[side] for side in SIDES],
            document=document,
        )
        yield address, page
        yield f"data/{document}", f"{as_json(self._document(row, speeches, ballots))}\n".encode()

    def _pair_page(self, row: DebateRow) -> str:
        pair = tuple(sorted((row.pro, row.con)))
        return addresses.pair_page(row.pro, row.con) if pair in self._content.pairs else ""

    def _describe(self, row: DebateRow) -> str:
        parts = [row.status if not row.reason else f"{row.status}: {row.reason}"]
        parts += [row.category, f"debate {row.debate_id}"]
        if row.finished_at is not None:
            parts.append(f"{format_moment(row.finished_at)} UTC")
        if "costs" in self._content.wanted:
            parts.append(f"{row.cost_usd:.4f} USD")
        return " · ".join(filter(None, parts))

    def _decide(
        self,
        row: DebateRow,
        ballots: Sequence[BallotRow],
        sides: Any,  # noqa: ANN401
    ) -> list[Any]:
        rows: list[dict[str, Any]] = []
        for ballot in ballots:
            own = {"bench": ballot.bench, "status": ballot.status}
            rows += [{**own, **asdict(verdict)} for verdict in ballot.verdicts]
        names = {side: seat(row, side) for side in SIDES}
        return bench_decisions(rows, names, sides=sides, by_majority=self._by_majority)

    def _publishable(self, ballot: BallotRow) -> BallotRow:
        """Return a ballot without the names and words that are not published."""
        hidden = self._voters.hide(ballot)
        if ballot.voter or "rationales" in self._content.wanted:
            return hidden
        verdicts = tuple(replace(verdict, comment="") for verdict in hidden.verdicts)
        return replace(hidden, rationale="", verdicts=verdicts)

    def _ballot(self, ballot: BallotRow, sides: Any) -> dict[str, Any]:  # noqa: ANN401
        winners = {PRO_WINS: sides["pro"], TIE: "tie", CON_WINS: sides["con"]}
        title = ballot.voter or f"run {ballot.run + 1}"
        if ballot.confidence is not None:
            title += f", confidence {ballot.confidence:g} of 5"
        return {
            "bench": ballot.bench,
            "page": addresses.judge_page(ballot.bench),
            "title": title,
            "status": ballot.status,
            "rationale": ballot.rationale,
            "verdicts": [
                {
                    "dimension": verdict.dimension,
                    "better": winners[verdict.outcome],
                    "pro_mark": _format_mark(verdict.pro_mark),
                    "con_mark": _format_mark(verdict.con_mark),
                    "comment": verdict.comment,
                }
                for verdict in ballot.verdicts
            ],
        }

    def _document(
        self, row: DebateRow, speeches: Sequence[Speech], ballots: Sequence[BallotRow]
    ) -> dict[str, Any]:
        """Return a debate for programs: what its page shows."""
        own = ("debate_id", "matchup_id", "leg", "language", "status", "reason", "forfeited")
        money = {"cost_usd": row.cost_usd} if "costs" in self._content.wanted else {}
        return {
            "tournament": self._content.resolved.name,
            "simulated": self._content.resolved.simulated,
            **{name: getattr(row, name) for name in own},
            "finished_at": None if row.finished_at is None else row.finished_at.isoformat(),
            **money,
            "motion": {"id": row.motion_id, "category": row.category, "text": row.motion},
            "pro": row.pro,
            "con": row.con,
            "winner": row.winner,
            "speeches": [
                {
                    "side": speech.side,
                    "stage": speech.stage,
                    "text": speech.text,
                    "words": speech.words,
                    "references": [asdict(reference) for reference in speech.references],
                }
                for speech in speeches
            ],
            "ballots": [
                {
                    "ballot_id": ballot.ballot_id,
                    "bench": ballot.bench,
                    "run": ballot.run,
                    "status": ballot.status,
                    "voter": ballot.voter,
                    "rationale": ballot.rationale,
                    "verdicts": [asdict(verdict) for verdict in ballot.verdicts],
                }
                for ballot in ballots
            ],
        }


def _format_mark(mark: float | None) -> str:
    return "" if mark is None or math.isnan(mark) else plain(f"{mark:.3g}")
