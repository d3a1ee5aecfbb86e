"""The page of the judges: what `arena judges` measures, with its tables and its notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

import streamlit as st

from arena.boards.selecting import check_selection
from arena.boards.selection import Selection
from arena.config.stored import stored_config
from arena.errors import ConfigError
from arena.output.charts import draw_intervals
from arena.output.formats import as_json
from arena.output.tables import Table
from arena.store.database import Store
from arena.store.motions import read_motions
from arena.text import counted, plain
from dashboard import cached
from dashboard.addresses import choose, show_notices
from dashboard.elements import (
    capital,
    guarded,
    open_page,
    quiet,
    show_empty_state,
    show_moment,
    show_text_table,
    text,
)
from dashboard.settings import IDLE_SECONDS, database_option, resume_command
from dashboard.show_charts import show_chart
from dashboard.tables import frame_csv, literal, named_files, show_downloads, table_frame
from dashboard.views.debates import fold_line
from judges.studies.agreement.juries import jury_members_table, measure_jury_members
from judges.studies.agreement.page import measure, page_tables
from judges.studies.agreement.summaries import JudgeSummary, agreement_frame, format_summaries
from judges.studies.probes.measurement import measure_probe, probe_tables, stored_probe

#: Motions that the list of one-sided ones shows: all of them, as the table scrolls.
_MOTIONS = 100_000
_AGREEMENT = "Verdicts equal to the other judges', %"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgesState:
    """What is measured about judges at a moment.

    Attributes:
        summaries: one for each judge.
        tables: for people: those of `arena judges`, the seats of juries, and what a probe of the
            tournament's benches has found, where there are any.
        content: for programs, as `arena judges --format json` prints it.
        benches: the names of the benches, some of which head columns.
    """

    at: datetime
    summaries: tuple[JudgeSummary, ...]
    tables: tuple[Table, ...]
    content: str
    ballots: int
    has_probe: bool
    benches: frozenset[str]


def _read_judges(store: Store, selection: Selection) -> JudgesState:
    """Measure the judges of a tournament in one state of the database.

    Raises:
        ConfigError: the tournament is gone, or has no such dimension or category.
    """
    with store.one_state():
        resolved = stored_config(store, selection.tournament)
        check_selection(store, resolved, selection)
        page = measure(store, resolved, selection)
        seats = tuple(measure_jury_members(store, resolved))
        probed = stored_probe(store, resolved)
        probe = probe_tables(probed, measure_probe(store, probed)) if probed else []
        motions = read_motions(store, resolved.name)
    titles = {motion.motion_id: motion.wordings[min(motion.wordings)].text for motion in motions}
    return JudgesState(
        at=datetime.now(UTC),
        summaries=page.summaries,
        tables=(
            *(_with_titles(table, titles) for table in page_tables(page, motions=_MOTIONS)),
            *((jury_members_table(seats),) if seats else ()),
            *probe,
        ),
        content=f"{as_json(page.content())}\n",
        ballots=sum(bench.ballots for bench in page.upkeep),
        has_probe=bool(probe),
        benches=frozenset(bench.name for bench in resolved.benches),
    )


def _with_titles(table: Table, titles: Mapping[str, str]) -> Table:
    """Return a table with the texts of motions for their ids."""
    if table.head[:1] != ("motion",):
        return table
    rows = tuple((titles.get(str(row[0]), row[0]), *row[1:]) for row in table.rows)
    return replace(table, rows=rows)


read_judges = cached.shared(
    _read_judges, known=cached.slow_version, spinner="Measuring the judges", in_place=True
)


def page() -> None:
    """Show how reliable the judges of a tournament are."""
    tournament, places = open_page(
        "Judges",
        widths=(4, 4, 4, 4),
        fold=partial(fold_line, names=("dimension", "category"), all_of="verdicts", bench=False),
    )
    if not tournament:
        return
    stored = cached.stored_selections(tournament)
    choices = {"dimension": "overall", "category": "all"}
    for place, name in zip(places, choices, strict=False):
        options = [str(option) for option in stored[name].unique()] or [choices[name]]
        choices[name] = choose(place, name.capitalize(), options, name, format_func=capital)
    show_notices()
    selection = Selection(
        tournament=tournament,
        bench="all",
        dimension=choices["dimension"],
        category=choices["category"],
    )
    st.fragment(guarded(_follow), run_every=IDLE_SECONDS)(selection)


def _follow(selection: Selection) -> None:
    try:
        state = read_judges(selection)
    except ConfigError as error:
        show_empty_state("Nothing is measured here.", plain(str(error)))
        return
    if not state.ballots:
        show_empty_state(
            "No ballots yet.",
            "The judges are measured by the ballots that they have given. Play on with:",
            resume_command(selection.tournament),
        )
        return
    with st.container(key="summary-judges"):
        for sentence in format_summaries(state.summaries):
            text(sentence)
    show_moment(state.at, counted(state.ballots, "valid ballot"))
    _show_agreement(selection.tournament, state.summaries)
    for place, table in enumerate(state.tables):
        _show_table(table, place, state.benches)
    if not state.has_probe:
        quiet(
            "Do these judges notice planted faults, and resist flattery? A probe tells; it costs "
            f"their ballots on copies of debates: arena judges probe --dry-run {database_option()}",
            "no-probe",
        )
    files = {"All of this as JSON": ("judges.json", partial(str, state.content))}
    show_downloads(files, key="judges")


def _show_agreement(tournament: str, summaries: Sequence[JudgeSummary]) -> None:
    frame = agreement_frame(summaries)
    if frame.empty:
        return  # one agrees with nobody, and how far two agree is a sentence
    draw = partial(draw_intervals, frame, mean=None, unit=_AGREEMENT)
    show_chart(
        lambda colours: draw(theme=colours).update_xaxes(range=(0, 100)),
        frame,
        key="agreement",
        name=(tournament, "agreement"),
        alt="How far each judge agrees with the others; the sentences above have the numbers",
    )


def _show_table(table: Table, place: int, benches: frozenset[str]) -> None:
    with st.container(key=f"study-{place}"):
        if table.title:
            st.header(literal(table.title), anchor=False)
        if _tells_something(table):
            csv = partial(frame_csv, table_frame(table))
            files = named_files("judges", table.title, CSV=csv)
            show_text_table(table, key=f"judges-{place}", names=benches, files=files)
        for number, note in enumerate(table.notes):
            quiet(plain(note).replace("`", ""), f"note-{place}-{number}")


def _tells_something(table: Table) -> bool:
    """Return whether there is a cell beside the labels; one bench agrees with nobody."""
    return any(any(str(cell).strip() for cell in row[table.labels :]) for row in table.rows)
