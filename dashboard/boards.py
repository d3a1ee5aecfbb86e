"""The frame of the pages that show a stored board: its switches, and following a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from typing import Any, TypeAlias, get_args
from urllib.parse import urlencode

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from arena.boards.board import Board
from arena.boards.method import IntervalKind
from arena.boards.selection import Selection
from arena.boards.states import BoardState
from arena.errors import ConfigError
from arena.read.schedule_results import ScheduleResult
from arena.report.debate_list import MOST_RATED
from arena.report.leaderboard import format_summary
from arena.text import counted, plain
from arena.tournament.run_record import LastRun
from dashboard import addresses, cached
from dashboard.addresses import choose, current_choices, resolve, show_notices
from dashboard.elements import (
    capital,
    explain_gone,
    guarded,
    label,
    open_page,
    quiet,
    show_basis,
    show_empty_state,
    show_no_debates,
)
from dashboard.queries import TournamentProgress
from dashboard.settings import IDLE_SECONDS, PLAYING_SECONDS, resume_command
from dashboard.variants import METHODS
from ratings import RatingError

#: Participants of a chart or matrix; a browser has no room for more, nor has a reader.
MOST_DRAWN = 100
#: The number of options that fit side by side; more become a list.
_MOST_SWITCHES = 4
#: What narrows a board down, or rates it otherwise, by the name in the address: its noun.
FILTERS: Mapping[str, str] = {
    "dimension": "dimension",
    "category": "category",
    "time": "time",
    "language": "language",
    "model": "rating model",
}
#: What rates the debates of another tournament as well, by the name in the address.
BESIDE = "with"
_NOUNS: Mapping[str, str] = {**FILTERS, BESIDE: "tournament beside"}
#: Kinds of intervals, by what they come from.
_INTERVALS: Mapping[str, str] = {
    "sandwich": "By formula (sandwich)",
    "bootstrap": "By resampling (bootstrap)",
}
#: A function that draws a state of a board that is not empty.
Draw: TypeAlias = Callable[[BoardState], None]
#: The choice of the boards as they are stored now.
_NOW = "Now"
#: The choice of a tournament alone.
_ALONE = "No other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The board that a viewer chose.

    Attributes:
        beside: another tournament whose debates count as well; '' for none.
        kept: the hash of a kept board; '' for the one of now.
        language: of the debates; `all` for every one.
    """

    selection: Selection
    beside: str = ""
    kept: str = ""
    language: str = "all"
    method: str = next(iter(METHODS))
    intervals: IntervalKind = "sandwich"

    def state(self) -> BoardState | None:
        """Return the state of the board; `None` where it is not stored at the moment."""
        if self.beside:
            method = METHODS[self.method][0]
            return cached.joined_state(self.selection, self.beside, self.language, method)
        state = cached.kept_state(self.kept) if self.kept else cached.current_state(self.selection)
        if state is None:
            return None
        if (self.language, self.method) != ("all", next(iter(METHODS))):
            method = METHODS[self.method][0]
            state = cached.varied_state(state, language=self.language, method=method)
        return state.with_intervals(self.intervals) if state.percentiles else state


def board_page(
    words: str,
    draw: Draw,
    *,
    filters: Iterable[str] = FILTERS,
    why: str = "",
    intervals: bool = False,
) -> None:
    """Show a page on the stored board that the viewer chooses, and follow a run.

    Args:
        draw: called repeatedly, with the state of the board as it then is.
        why: the page has no use for the other filters, as the end of a sentence.
        intervals: whether the viewer chooses their kind, where both are stored.
    """
    names = ["bench", *(name for name in ("dimension", "category") if name in filters)]
    tournament, places = open_page(
        words,
        widths=(4, 4, 7, 5)[: len(names) + 1],
        more=(4, 3, 4, 4, 5),
        fold=partial(_fold_line, names=names, filters=tuple(filters)),
    )
    if not tournament:
        return
    stored = cached.stored_selections(tournament)
    choice = Choice(selection=_choose(stored, tournament, places, names))
    if len(stored):
        choice = _choose_variant(choice, filters, places[len(names) :])
        if BESIDE in filters and not choice.kept:
            choice = _choose_beside(choice, places[-2])
        if intervals:
            choice = _choose_intervals(choice, places[-1])
    show_notices()
    show_unapplied(filters, why)
    progress = cached.progress(tournament)
    idle = progress.totals.planned and not progress.left
    pause = IDLE_SECONDS if idle or choice.kept else PLAYING_SECONDS
    st.fragment(guarded(_follow), run_every=pause)(draw, choice, len(stored))


def attention_html(state: BoardState) -> str:
    """Return the worst matter of a tournament and a link to what shows it; '' without a matter.

    Nor is there one of more participants than pages rate: to look at all takes seconds.
    """
    board = state.board
    matters = cached.matters(board.selection.tournament) if len(board.rows) <= MOST_RATED else ()
    if not matters:
        return ""
    worst, more = matters[0], len(matters) - 1
    links = [("tournament", board_choices(state), f"{more} more" if more else "What helps")]
    if worst.debate:
        links.insert(0, ("transcript", {"debate": worst.debate}, f"Debate {worst.debate}"))
    shown = " · ".join(
        f'<a href="{path}?{escape(urlencode(choices))}" target="_self">{words}</a>'
        for path, choices, words in links[: 1 + bool(more)]
    )
    return f'<p class="attention">Needs attention: {escape(worst.sentence)}. {shown}</p>'


def summary_text(board: Board, schedule: ScheduleResult | None = None) -> str:
    """Return what a tournament's schedule has decided, and what a board settles, in lines."""
    return "\n".join([*(schedule.sentences if schedule else ()), format_summary(board)])


def board_choices(state: BoardState) -> dict[str, str]:
    """Return the choices that open another page on the board that a viewer looks at."""
    selection = state.board.selection
    own = {"tournament": selection.tournament, "bench": selection.bench}
    return own | current_choices("tournament", *FILTERS)


def show_unapplied(filters: Iterable[str], why: str) -> None:
    """Say which filters of the address a page does not apply, and why, if there are any."""
    others = current_choices(*(name for name in _NOUNS if name not in filters))
    if others:
        reason = f": {why}" if why else ""
        quiet(f"This page ignores {_format_filters(others)}{reason}.", "unapplied")


def switch(place: DeltaGenerator, name: str, options: Sequence[str]) -> str:
    """Ask for one of a few options; the choice becomes part of the address."""
    return addresses.switch(place, name.capitalize(), options, name, format_func=label)


def _choose(
    stored: pd.DataFrame, tournament: str, places: Sequence[DeltaGenerator], names: Sequence[str]
) -> Selection:
    """Show the switches, each with the boards that fit the choices before it; return the choice."""
    choices: dict[str, Any] = {}
    for place, (name, options) in zip(places, _options(stored, names, choices), strict=False):
        if name == "bench":
            choices[name] = choose(place, "Bench", options, name)
        elif len(options) > _MOST_SWITCHES:
            choices[name] = choose(place, name.capitalize(), options, name, format_func=capital)
        else:
            choices[name] = switch(place, name, options)
    return replace(Selection(tournament=tournament, bench=""), **choices)


def _options(
    stored: pd.DataFrame, names: Iterable[str], choices: Mapping[str, str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield the name and the options of each switch that has some.

    Args:
        choices: made so far; the choice of a name is there before the next one is asked for.
    """
    for name in names:
        options = [str(option) for option in stored[name].unique()]
        if options:
            yield name, options
            stored = stored[stored[name] == choices[name]]


def _fold_line(tournament: str, *, names: Sequence[str], filters: Sequence[str]) -> str:
    """Return all choices of a page in one line."""
    choices: dict[str, str] = {}
    for name, options in _options(cached.stored_selections(tournament), names, choices):
        is_switch = name != "bench" and len(options) <= _MOST_SWITCHES
        choices[name] = resolve(name, options, label if is_switch else None)
    if "category" in choices:
        choices["category"] += " motions"
    varied = current_choices(*(name for name in ("time", "language", "model") if name in filters))
    beside = current_choices(BESIDE) if BESIDE in filters else {}
    named = (tournament, *(f"with {name}" for name in beside.values()))
    return " · ".join((*named, *choices.values(), *varied.values()))


def _choose_variant(
    choice: Choice, filters: Iterable[str], places: Sequence[DeltaGenerator]
) -> Choice:
    """Ask for a time, a language and, where that is a filter, a rating model."""
    moments = {
        f"{moment.at:%Y-%m-%d %H:%M:%S} UTC": moment.board
        for moment in cached.kept_moments(choice.selection)
    }
    spoken = cached.languages(choice.selection.tournament)
    time, language, model = places[:3]
    at = choose(time, "Time", [_NOW, *moments], "time")
    options = ["all", *spoken]
    format_code = {"all": "All", **{code: plain(code) for code in spoken}}.__getitem__
    code = choose(language, "Language", options, "language", format_func=format_code)
    choice = replace(choice, kept=moments.get(at, ""), language=code)
    if "model" in filters:
        method = choose(model, "Rating model", list(METHODS), "model")
        model.caption(METHODS[method][1])
        choice = replace(choice, method=method)
    if moments:
        time.caption("A run keeps its overall boards when it ends; Time goes back to them.")
    return choice


def _choose_beside(choice: Choice, place: DeltaGenerator) -> Choice:
    """Ask for another tournament whose debates count as well, where there is one."""
    own = choice.selection.tournament
    others = [row.tournament for row in cached.tournaments() if row.tournament != own]
    if not others:
        return choice
    options = [_ALONE, *others]
    picked = choose(place, "Together with", options, BESIDE)
    return replace(choice, beside="" if picked == _ALONE else picked)


def _choose_intervals(choice: Choice, place: DeltaGenerator) -> Choice:
    """Ask for the kind of intervals, where both are stored."""
    state = None
    with suppress(ConfigError, RatingError):  # the page says why below
        state = choice.state()
    if state is None or not state.percentiles:
        return choice
    kinds = get_args(IntervalKind)
    picked = addresses.switch(place, "Intervals", kinds, "intervals", _INTERVALS.__getitem__)
    return replace(choice, intervals=next(kind for kind in kinds if kind == picked))


def _follow(draw: Draw, choice: Choice, stored: int) -> None:
    """Draw the part of a page that changes during a run.

    Args:
        stored: the number of boards that the switches offer; once more are stored, the page is
            drawn anew.
    """
    tournament = choice.selection.tournament
    if explain_gone(tournament):
        return
    if len(cached.stored_selections(tournament)) > stored:
        st.rerun()
    progress = cached.progress(tournament)
    run = cached.last_run(tournament)
    if not stored:
        _show_progress(progress, run)
        _explain_no_ratings(tournament, progress, run)
        return
    try:
        state = choice.state()
    except (ConfigError, RatingError) as error:
        _explain_empty("This board cannot be rated like that.", str(error))
        return
    if state is None:
        quiet("This leaderboard is being stored anew.", "rating")
        return
    show_basis(state)
    if run.process and progress.left:  # without figures, which would be newer
        quiet("A run is on: the boards are stored anew every half minute.", "run")
    if not choice.beside and (line := attention_html(state)):
        st.html(line)
    if not state.board.comparisons:
        _explain_empty("Nothing is rated here.", format_summary(state.board))
        return
    draw(state)


def _explain_empty(what: str, why: str) -> None:
    """Say that a board is empty, by which filters it is chosen, and offer to clear them."""
    chosen = current_choices(*_NOUNS)
    if chosen:
        why = f"{why} Chosen: {_format_filters(chosen)}."
    show_empty_state(what, why, filters=tuple(chosen))


def _format_filters(chosen: Mapping[str, str]) -> str:
    return " and ".join(f"{_NOUNS[name]} “{value}”" for name, value in chosen.items())


def _show_progress(progress: TournamentProgress, run: LastRun) -> None:
    """Show the progress of a run and whether it goes on; nothing once all is played and judged."""
    if not progress.left:
        return
    totals = progress.totals
    always = ("planned", "playing", "finished") if run.process else ("planned", "finished")
    names = ("planned", "playing", "waiting", "finished", "forfeit", "void", "error")
    words = {} if run.process else {"playing": "cut off"}
    listed = [
        f"{words.get(name, name)} {totals.count(name)}"
        for name in names
        if totals.count(name) or name in always
    ]
    valid, failed, erred = (totals.ballots.get(name, 0) for name in ("valid", "failed", "error"))
    listed.append(f"ballots {valid} of {progress.ballots_planned}")
    if failed:
        listed.append(f"failed ballots {failed}")
    if erred:
        listed.append(f"ballots in error {erred}")
    share = (progress.ended + valid) / (totals.planned + progress.ballots_planned)
    st.progress(
        min(1.0, share),
        text=f"{progress.ended} of {counted(totals.planned, 'debate')}: {' · '.join(listed)}",
    )
    described = run.describe()
    quiet(f"{described[:1].upper()}{described[1:]}.", "run")


def _explain_no_ratings(tournament: str, progress: TournamentProgress, run: LastRun) -> None:
    """Say why no board is stored, and what to do."""
    if not progress.totals.planned:
        show_no_debates()
    elif run.process:
        quiet(
            "No ratings yet. They appear within half a minute of the first judged debate; this "
            "page updates itself.",
            "no-ratings",
        )
    else:
        show_empty_state(
            "No ratings yet.",
            "Nobody works on this tournament. Continue it with:",
            resume_command(tournament),
        )
