"""The pages of a site that list and show: participants, pairs, debates, motions, judges, costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arena.boards.ranks import format_rank_range
from arena.boards.selection import format_moment
from arena.errors import ConfigError
from arena.output.tables import Column, Table, field_columns, tabulate
from arena.publish import addresses
from arena.publish.frame import Frame
from arena.publish.site_table import Link, SiteTable, without_money
from arena.read.costs import CostRow
from arena.read.debates import DebateRow
from arena.read.judges import JudgeRow
from arena.report.debate_result import format_score
from arena.report.motion_list import tabulate_motions
from arena.report.versus_report import read_versus
from arena.text import counted, format_interval, plain
from ratings import CON_WINS, PRO_WINS

if TYPE_CHECKING:
    from arena.boards.board import Row
    from arena.publish.content import SiteContent

File = tuple[str, bytes]
#: Pairs up to which each gets the answer of `arena versus`, which takes a third of a second.
_MOST_ANSWERED = 150

DEBATES: tuple[Column[DebateRow], ...] = (
    Column(head="debate", read=lambda row: row.debate_id[:8], label=True),
    Column(key="debate_id", read=lambda row: row.debate_id),
    Column(head="motion", key="motion", read=lambda row: row.motion, left=True, wraps=True),
    Column(key="motion_id", read=lambda row: row.motion_id),
    Column(
        head="category",
        key="category",
        read=lambda row: row.category,
        left=True,
        shown=lambda rows: any(row.category for row in rows),
    ),
    Column(head="lang", key="language", read=lambda row: row.language, left=True),
    Column(head="Pro", key="pro", read=lambda row: row.pro, left=True, wraps=True),
    Column(head="Con", key="con", read=lambda row: row.con, left=True, wraps=True),
    Column(head="status", key="status", read=lambda row: row.status, left=True),
    Column(head="winner", key="winner", read=lambda row: row.winner, left=True, wraps=True),
    Column(head="score", read=lambda row: format_score(row.result), left=True),
    Column(
        head="ballots",
        key="split",
        read=lambda row: len(set(row.outcomes)) > 1,
        style=lambda is_split: "split" if is_split else "agree",
        left=True,
        shown=lambda rows: any(len(set(row.outcomes)) > 1 for row in rows),
    ),
    Column(
        key="outcome",
        read=lambda row: None if row.result is None else row.result.outcome,
    ),
    Column(
        head="USD",
        key="cost_usd",
        read=lambda row: row.cost_usd,
        style=".4f",
        shown=lambda rows: any(round(row.cost_usd, 4) for row in rows),
    ),
    Column(
        head="finished (UTC)",
        key="finished_at",
        read=lambda row: row.finished_at,
        style=lambda at: "" if at is None else format_moment(at),
        left=True,
        shown=lambda rows: any(row.finished_at for row in rows),
    ),
)


def debate_table(content: SiteContent, rows: Sequence[DebateRow], name: str = "") -> SiteTable:
    """Return debates as a table that leads to each, its motion and its participants."""
    links: dict[str, Link] = {
        "debate": lambda row: addresses.debate_page(row.debate_id),
        "motion": lambda row: addresses.motion_page(row.motion_id),
        "Pro": _profile_link(content, lambda row: row.pro),
        "Con": _profile_link(content, lambda row: row.con),
    }
    columns = list(DEBATES) if "costs" in content.wanted else without_money(DEBATES)
    return SiteTable(
        table=tabulate(columns, rows),
        name=name,
        links=links,
        choices=("category", "lang", "Pro", "Con", "status", "winner", "ballots"),
        about=_about(content),
    )


def _profile_link(content: SiteContent, name: Callable[[Any], str]) -> Link:
    def link(row: object) -> str:
        known = name(row) in content.participants
        return addresses.participant_page(name(row)) if known else ""

    return link


def _about(content: SiteContent) -> dict[str, Any]:
    resolved = content.resolved
    return {
        "tournament": resolved.name,
        "simulated": resolved.simulated,
        "caveat": resolved.caveat,
    }


def _page(
    frame: Frame,
    address: str,
    title: str,
    tables: Iterable[tuple[str, SiteTable]],
    *,
    sentences: Iterable[str] = (),
    further: Iterable[tuple[str, str, str]] = (),
) -> Iterator[File]:
    """Yield a page of sentences and tables, with the files beside the tables."""
    tables = [(heading, table) for heading, table in tables if table.table.records]
    for _, table in tables:
        yield from table.files()
    content = {"tables": tables, "sentences": list(sentences), "further": list(further)}
    yield address, frame.page("tables", address, title=title, **content)


def participant_files(content: SiteContent, frame: Frame) -> Iterator[File]:
    """Yield the list of participants, and the profile of each."""
    places = {row.participant: row for row in content.main.rows}
    columns: tuple[Column[Row], ...] = (
        Column(head="participant", key="participant", read=lambda row: row.participant, label=True),
        Column(
            head="framework",
            key="debater",
            read=lambda row: _system(content, row, "debater"),
            left=True,
        ),
        Column(
            head="model", key="model", read=lambda row: _system(content, row, "model"), left=True
        ),
        Column(
            head="place",
            key="rank",
            read=lambda row: row.rank,
            style=lambda rank: "–" if rank is None else str(rank),
        ),
        Column(head="Elo", key="rating", read=lambda row: row.rating, style=".0f", digits=2),
        Column(head="debates", key="debates", read=lambda row: row.debates),
    )
    table = SiteTable(
        table=tabulate(columns, content.main.rows),
        name="participants",
        links={"participant": lambda row: addresses.participant_page(row.participant)},
        choices=("framework", "model"),
        about=_about(content),
    )
    yield from _page(frame, addresses.PARTICIPANTS, "Participants", [("", table)])
    for name in content.participants:
        yield from _profile(content, frame, name, places.get(name))


def _system(content: SiteContent, row: Row, part: str) -> str:
    system = content.participants.get(row.participant)
    return "" if system is None else str(getattr(system, part))


def _profile(content: SiteContent, frame: Frame, name: str, row: Row | None) -> Iterator[File]:
    system = content.participants[name]
    options = ", ".join(f"{key} {value}" for key, value in system.options.items())
    made = f"{system.debater} on {system.model}" if system.model else system.debater
    sentences = [f"System: {made}{f' ({options})' if options else ''}."] if made else []
    if row is not None:
        sentences += _place_sentences(content, row)
    ratings = [
        (each, own)
        for each in content.boards
        for own in each.board.rows
        if own.participant == name and own.is_rated
    ]
    columns: tuple[Column[Any], ...] = (
        Column(head="board", read=lambda pair: pair[0].title, label=True),
        Column(head="place", read=lambda pair: "–" if pair[1].rank is None else pair[1].rank),
        Column(head="Elo", read=lambda pair: pair[1].rating, style=".0f"),
        Column(
            head="95 % interval", read=lambda pair: f"{pair[1].lower:.0f} to {pair[1].upper:.0f}"
        ),
        Column(head="debates", read=lambda pair: pair[1].debates),
    )
    boards = SiteTable(
        table=tabulate(columns, ratings), links={"board": lambda pair: pair[0].address}
    )
    address = addresses.participant_page(name)
    met = _opponent_table(content, name)
    own = [debate for debate in content.debates if name in (debate.pro, debate.con)]
    yield from _page(
        frame,
        address,
        name,
        [("Boards", boards), ("Opponents", met), ("Debates", debate_table(content, own))],
        sentences=sentences,
    )


def _place_sentences(content: SiteContent, row: Row) -> list[str]:
    if not row.is_rated:
        return [f"Not rated: {row.unrated}."]
    place = "No place yet" if row.rank is None else f"Place {row.rank}"
    usd = (
        f" A debate costs {row.usd_per_debate:.4f} USD on its side."
        if "costs" in content.wanted and row.usd_per_debate > 0
        else ""
    )
    return [
        f"{place} of {len(content.main.rated)}, could be "
        f"{format_rank_range(row.rank_low, row.rank_high)}: Elo {row.rating:.0f}, 95 % interval "
        f"{row.lower:.0f} to {row.upper:.0f}. Won {row.wins}, tied {row.ties} and lost "
        f"{row.losses} of {counted(row.debates, 'debate')}.{usd}",
        *([f"{row.note[:1].upper()}{row.note[1:]}."] if row.note else []),
    ]


def _record(rows: Iterable[DebateRow], name: str) -> tuple[int, int, int]:
    """Return how many of a participant's debates it won, tied and lost, by the first bench."""
    own = [
        row.result.outcome if row.pro == name else 1 - row.result.outcome
        for row in rows
        if row.result is not None
    ]
    won, lost = own.count(PRO_WINS), own.count(CON_WINS)
    return won, len(own) - won - lost, lost


def _opponent_table(content: SiteContent, name: str) -> SiteTable:
    met = [
        (second if first == name else first, _record(rows, name))
        for (first, second), rows in content.pairs.items()
        if name in (first, second)
    ]
    rank = {row.participant: place for place, row in enumerate(content.main.rows)}
    met.sort(key=lambda each: rank.get(each[0], len(rank)))
    columns: tuple[Column[tuple[str, tuple[int, int, int]]], ...] = (
        Column(head="opponent", read=lambda each: each[0], label=True),
        Column(head="debates", read=lambda each: sum(each[1])),
        Column(head="won-tied-lost", read=lambda each: "-".join(map(str, each[1]))),
    )
    return SiteTable(
        table=tabulate(columns, met),
        links={
            "opponent": lambda each: addresses.participant_page(each[0]),
            "won-tied-lost": lambda each: addresses.pair_page(name, each[0]),
        },
    )


def pair_files(content: SiteContent, frame: Frame) -> Iterator[File]:
    """Yield a page for each two that have met."""
    answered = len(content.pairs) <= _MOST_ANSWERED
    for (first, second), rows in content.pairs.items():
        won, tied, lost = _record(rows, first)
        tables = [("Debates", debate_table(content, rows))]
        sentences = [f"{first} won {won}, tied {tied} and lost {lost}."]
        if answered and (answer := _answer(content, first, second)):
            sentences = []
            tables.insert(0, ("", SiteTable(table=answer)))
        elif not answered:
            command = content.command("versus", first, second)
            sentences.append(f"Which of the two is better, and how sure that is: {command}")
        yield from _page(
            frame,
            addresses.pair_page(first, second),
            f"{first} versus {second}",
            tables,
            sentences=sentences,
            further=[
                ("Profile", name, addresses.participant_page(name)) for name in (first, second)
            ],
        )


def _answer(content: SiteContent, first: str, second: str) -> Table | None:
    """Return what `arena versus` says of two; None where nothing says who is better."""
    try:
        report = read_versus(content.store, content.resolved, content.selection, first, second)
    except ConfigError:
        return None
    table = replace(report, db=content.db).table()
    return replace(table, title="")


def list_files(content: SiteContent, frame: Frame) -> Iterator[File]:
    """Yield the lists of debates, motions, judges and costs, and the pages of each."""
    yield from _page(
        frame,
        addresses.DEBATES,
        "Debates",
        [("", debate_table(content, content.debates, "debates"))],
    )
    if content.report.motions is not None:
        motions = SiteTable(
            table=tabulate_motions(content.report.motions),
            name="motions",
            links={"motion": lambda row: addresses.motion_page(row["motion_id"])},
            choices=("category",),
            about=_about(content),
        )
        yield from _page(frame, addresses.MOTIONS, "Motions", [("", motions)])
    for motion_id, texts in content.motions.items():
        own = [row for row in content.debates if row.motion_id == motion_id]
        yield from _page(
            frame,
            addresses.motion_page(motion_id),
            texts[0].text,
            [("Debates", debate_table(content, own))],
            sentences=[
                f"Category {texts[0].category}, motion {motion_id} of set {texts[0].motion_set}.",
                *(f"{text.language}: {text.text}" for text in texts[1:]),
                *filter(None, (text.info_slide for text in texts)),
            ],
        )
    yield from _judge_files(content, frame)
    if content.has_costs:
        costs = SiteTable(
            table=tabulate(field_columns(CostRow), content.costs),
            name="costs",
            choices=("participant", "judge", "model"),
            about=_about(content),
        )
        spent = content.report.bill.format_roles()
        sentence = f"Spent: {spent}." if spent else "Nothing was paid, as far as is known."
        yield from _page(frame, addresses.COSTS, "Costs", [("", costs)], sentences=[sentence])


def _judge_files(content: SiteContent, frame: Frame) -> Iterator[File]:
    every = field_columns(JudgeRow)
    columns = list(every) if "costs" in content.wanted else without_money(every)

    def table(rows: Iterable[JudgeRow], name: str = "") -> SiteTable:
        return SiteTable(
            table=tabulate(columns, rows),
            name=name,
            links={"bench": lambda row: addresses.judge_page(row.bench)},
            about=_about(content),
        )

    agreement = content.report.agreement
    sentences = [
        agreement.sentence,
        *(_side_sentence(content, row) for row in content.judges),
        *agreement.correlations,
    ]
    yield from _page(
        frame,
        addresses.JUDGES,
        "Judges",
        [("", table(content.judges, "judges"))],
        sentences=sentences,
    )
    for row in content.judges:
        boards = [
            ("Board", each.title, each.address)
            for each in content.boards
            if each.board.selection.bench == row.bench
        ]
        about = f"{row.judge} on {row.model}" if row.model else row.judge
        yield from _page(
            frame,
            addresses.judge_page(row.bench),
            f"Bench {row.bench}",
            [("", table([row]))],
            sentences=[f"Judges by the method {plain(about)}.", _side_sentence(content, row)],
            further=boards,
        )


def _side_sentence(content: SiteContent, row: JudgeRow) -> str:
    """Return what a side is worth to a judge; nothing where it has judged too little."""
    effect = content.side_effects.get(row.bench)
    if effect is None:
        return ""
    return (
        f"To {row.bench} it is worth {effect.elo:+.0f} Elo to speak for Pro (95 %: "
        f"{format_interval(effect.lower, effect.upper)})."
    )
