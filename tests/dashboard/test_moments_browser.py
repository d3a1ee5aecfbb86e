"""Pages of a database that is being written: each shows one state, number by number."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from arena.boards.board import board
from arena.boards.selection import Selection
from arena.boards.stored_boards import store_boards
from arena.report.odd_results import is_upset, winner_expected
from arena.store.database import Store
from arena.tournament.plan import TournamentPlan
from tests.dashboard.conftest import Serve
from tests.dashboard.test_win_rates_browser import figures
from tests.dashboard.watching import Watched, ask_until, board_cell, read_until, without_first_rows
from tests.support.tournaments import changed, commit, content, judged, planned, played

pytestmark = pytest.mark.slow

OVERALL = Selection(tournament="small", bench="bench")
NAMES = ("ann", "bob", "cyd")
_WRITE_SECONDS = 0.5
#: The results that ballots up to a number give, counted without any code of the pages.
_RESULTS = """
    SELECT p.name AS pro, c.name AS con, s.outcome FROM debates d
    JOIN participants p ON p.participant_id = d.pro
    JOIN participants c ON c.participant_id = d.con
    JOIN ballots b USING (debate_id) JOIN ballot_scores s USING (ballot_id)
    WHERE s.dimension = 'overall' AND b.status = 'valid' AND b.entry <= $entry
"""
#: What the debates came to by ballots up to a number: as the pages, in SQL of its own.
_DEBATES = """
    SELECT d.debate_id, d.motion_id, p.name AS pro, c.name AS con, s.outcome,
           CASE WHEN s.outcome IS NULL THEN 'planned' ELSE 'finished' END AS status
    FROM debates d
    JOIN participants p ON p.participant_id = d.pro
    JOIN participants c ON c.participant_id = d.con
    LEFT JOIN ballots b ON b.debate_id = d.debate_id AND b.entry <= $entry
    LEFT JOIN ballot_scores s ON s.ballot_id = b.ballot_id AND s.dimension = 'overall'
    ORDER BY d.debate_id
"""
_MOMENT = """
    SELECT count(*) FILTER (status = 'finished') AS finished,
           (SELECT count(*) FROM ballots WHERE status = 'valid') AS ballots,
           (SELECT max(entry) FROM ballots) AS entry,
           sum(cost_usd) + (SELECT sum(cost_usd) FROM ballots) AS usd FROM debates
"""


class Writer:
    """A run that stores a debate with its ballot every moment, and keeps count.

    Attributes:
        moments: every state that the database has had: finished debates, ballots and USD.
        entries: the number up to which ballots count in a state, by its number of ballots.
    """

    def __init__(self, store: Store, plan: TournamentPlan) -> None:
        self.store = store
        self.plan = plan
        self.moments: set[tuple[int, int, float]] = set()
        self.entries: dict[int, int] = {}
        self._left = list(plan.debates)
        self._stop = threading.Event()

    def write(self, number: int) -> None:
        """Store some debates in one transaction: who is earlier in the alphabet wins."""
        batch, self._left = self._left[:number], self._left[number:]
        by_id = {each.participant_id: each.name for each in self.plan.resolved.participants}
        commit(
            self.store,
            *(played(debate, costs=[("pro/rebuttal/1", 0.5)]) for debate in batch),
            *(judged(debate, float(by_id[debate.pro] < by_id[debate.con])) for debate in batch),
        )
        (row,) = self.store.rows(_MOMENT)
        self.moments.add((row["finished"], row["ballots"], float(row["usd"])))
        self.entries[row["ballots"]] = int(row["entry"])

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Go on writing while the block runs."""
        thread = threading.Thread(target=self._go_on)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join()

    def _go_on(self) -> None:
        while self._left and not self._stop.wait(_WRITE_SECONDS):
            self.write(1)


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    """A tournament of which a tenth is played and on the boards, and a little more is not."""
    config = changed(content(*NAMES), ["schedule", "matchups_per_pair"], 200)
    writer = Writer(*planned(tmp_path / "results.duckdb", config))
    writer.write(120)
    store_boards(writer.store, writer.plan.resolved)
    writer.write(7)
    return writer


def read_state(store: Store) -> tuple[int, pd.DataFrame]:
    """Return the number up to which the stored board counts ballots, and their results."""
    (row,) = store.rows(
        "SELECT entry FROM board_states WHERE dimension = 'overall' AND category = 'all'"
    )
    entry = int(row["entry"])
    return entry, store.read(_RESULTS, {"entry": entry})


def tally(results: pd.DataFrame, name: str, other: Sequence[str] = NAMES) -> list[int]:
    """Count wins, ties and losses of somebody against others."""
    as_pro = results[(results["pro"] == name) & results["con"].isin(other)]["outcome"]
    as_con = 1 - results[(results["con"] == name) & results["pro"].isin(other)]["outcome"]
    own = pd.concat([as_pro, as_con])
    return [int((own == result).sum()) for result in (1.0, 0.5, 0.0)]


def open_page(watched: Watched, address: str) -> Page:
    """Open a page that is drawn again and again, so that it may never be seen at rest."""
    watched.page.goto(address)
    page = without_first_rows(watched.page)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    return page


def check_leaderboard(page: Page, writer: Writer) -> None:
    entry, results = read_state(writer.store)
    expect(page.get_by_text(f"{len(results)} debates rated at")).to_be_visible()
    then = board(writer.store, writer.plan.resolved, replace(OVERALL, entry=entry))
    for place, row in enumerate(then.rows):
        record = tally(results, row.participant)
        for head, words in {
            "participant": row.participant,
            "Elo": f"{row.rating:.0f}",
            "won-tied-lost": "-".join(map(str, record)),
            "win rate": f"{100 * row.win_rate:.1f} %",
            "debates": str(sum(record)),
            "USD/debate": f"{row.usd_per_debate:.4f}",
        }.items():
            expect(board_cell(page, head, place)).to_have_text(words)


def check_win_rates(page: Page, writer: Writer) -> None:
    _, results = read_state(writer.store)
    expect(page.get_by_text(f"{len(results)} debates judged.")).to_be_visible()
    ticks = page.locator(".js-plotly-plot .ytick text")
    expect(ticks).to_have_count(len(NAMES))
    names = ticks.all_text_contents()
    counts = [
        str(sum(tally(results, first, [second])))
        for first in names
        for second in names
        if first != second
    ]
    expect(figures(page)).to_have_text(counts)


def check_head_to_head(page: Page, writer: Writer) -> None:
    _, results = read_state(writer.store)
    met = sum(tally(results, "ann", ["bob"]))
    expect(page.get_by_text(re.compile(rf"^{met} debates in \d+ matchups"))).to_be_visible()


def read_download(page: Page) -> pd.DataFrame:
    """The file of what the page shows; it may be a moment newer than what is read on the page."""
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV", exact=True).click()
    return pd.read_csv(download.value.path())


def state_with(writer: Writer, judged: int) -> tuple[pd.DataFrame, dict[str, float]]:
    """The debates and the ratings of the state that has so many judged debates."""
    entry = writer.entries[judged]
    then = board(writer.store, writer.plan.resolved, replace(OVERALL, entry=entry))
    debates = writer.store.read(_DEBATES, {"entry": entry})
    return debates, {row.participant: row.rating for row in then.rows}


def judged_debates(page: Page) -> int:
    """How many judged debates the page says that its state has."""
    shown = page.get_by_text(re.compile(r"^State of .* UTC, \d+ debates judged\.$")).inner_text()
    return int(re.findall(r"(\d+) debates judged", shown)[0])


def await_newer(page: Page, judged: int) -> None:
    """Wait until the page shows a later state, without being loaded again."""
    expect(page.get_by_text(f" {judged} debates judged.")).to_have_count(0)
    assert judged_debates(page) > judged


def check_debates(page: Page, writer: Writer) -> None:
    judged = judged_debates(page)
    assert judged in writer.entries
    expect(page.get_by_text("1200 of 1200 debates.")).to_be_visible()
    await_newer(page, judged)
    listed = read_download(page).sort_values("debate_id", ignore_index=True)
    debates, rating = state_with(writer, int(listed["pro_score"].notna().sum()))
    assert listed["debate_id"].equals(debates["debate_id"])
    assert listed["status"].tolist() == debates["status"].tolist()
    outcome = debates["outcome"].astype(float)
    winner = debates["pro"].where(outcome == 1, debates["con"]).where(outcome.notna(), "")
    assert listed["winner"].fillna("").tolist() == winner.tolist()
    upset = is_upset(winner_expected(debates.assign(outcome=outcome), rating))
    assert listed["is_upset"].tolist() == upset.tolist()


def check_participant(page: Page, writer: Writer) -> None:
    _, results = read_state(writer.store)
    won, tied, lost = tally(results, "bob")
    words = f"Won {won}, tied {tied} and lost {lost} of {won + tied + lost} debates"
    expect(page.get_by_text(re.compile(f"^{words}"))).to_be_visible()
    sides = page.locator(".st-key-wide-sides-0")
    for place, side in enumerate(("pro", "con")):
        number = str(int((results[side] == "bob").sum()))
        expect(sides.get_by_test_id(f"glide-cell-1-{place}")).to_have_text(number)
    opponents = page.locator(".st-key-wide-opponents-0")
    for place, opponent in enumerate(("cyd", "ann")):
        record = "-".join(map(str, tally(results, "bob", [opponent])))
        expect(opponents.get_by_test_id(f"glide-cell-2-{place}")).to_have_text(record)


def check_motions(page: Page, writer: Writer) -> None:
    judged = judged_debates(page)
    assert judged in writer.entries
    await_newer(page, judged)
    listed = read_download(page).set_index("motion_id").sort_index()
    judged = int(listed["judged"].sum())
    debates, rating = state_with(writer, judged)
    outcome = debates["outcome"].astype(float)
    pro_is_better = debates["pro"].map(rating) > debates["con"].map(rating)
    by_motion = debates.assign(
        outcome=outcome, better=outcome.where(pro_is_better, 1 - outcome)
    ).groupby("motion_id")
    assert listed["debates"].equals(by_motion.size().rename("debates"))
    assert listed["judged"].equals(by_motion["outcome"].count().rename("judged"))
    for column, name in (("pro_share", "outcome"), ("better_share", "better")):
        assert listed[column].tolist() == pytest.approx((100 * by_motion[name].mean()).tolist())

    def shows_one_state(shown: str) -> bool:
        numbers = find_numbers(shown, r"(\d+) debates judged")
        if numbers is None or numbers[0] not in writer.entries:
            return False
        judged = int(numbers[0])
        share = 100 * state_with(writer, judged)[0]["outcome"].astype(float).mean()
        return f"Pro won {share:.0f} % of {judged} debates" in shown

    read_until(page, shows_one_state)


def find_numbers(shown: str, *patterns: str) -> list[float] | None:
    """The numbers of what the page says once; None while it says something twice or not at all."""
    matches = [re.findall(pattern, shown) for pattern in patterns]
    if any(len(match) != 1 for match in matches):
        return None
    return [float(match[0]) for match in matches]


def check_judges(page: Page, writer: Writer) -> None:
    expect(page.locator(_FIRST_STUDY).first).to_be_attached()

    def read() -> tuple[str, list[str]]:
        shown, cells = page.evaluate(
            """(cells) => [document.querySelector("[data-testid=stMain]").innerText,
                [...document.querySelectorAll(cells)].map(each => each.textContent)]""",
            _FIRST_STUDY,
        )
        return str(shown), list(cells)

    def is_one_state(read: tuple[str, list[str]]) -> bool:
        numbers = find_numbers(read[0], r"(\d+) valid ballots")
        return (
            numbers is not None
            and numbers[0] in {moment[1] for moment in writer.moments}
            and f"{numbers[0]:.0f}" in read[1]
        )

    ask_until(page, read, is_one_state)


def check_tournament(page: Page, writer: Writer) -> None:
    patterns = (
        r"Debates finished\s+(\d+) of 1200",
        r"Ballots\s+(\d+) of \d+",
        r"(\d+) debates ended",
    )

    def shows_one_state(shown: str) -> bool:
        numbers = find_numbers(shown, *patterns)
        states = {(finished, ballots, finished) for finished, ballots, _ in writer.moments}
        return numbers is not None and tuple(numbers) in states

    read_until(page, shows_one_state)


def check_costs(page: Page, writer: Writer) -> None:
    def shows_one_state(shown: str) -> bool:
        numbers = find_numbers(shown, r"(\d+) finished debates", r"Spent, USD\s+([\d.]+)")
        usd = {moment[0]: pytest.approx(moment[2], abs=0.006) for moment in writer.moments}
        return numbers is not None and numbers[1] == usd.get(int(numbers[0]))

    read_until(page, shows_one_state)


#: The cells of the first table of the page of judges, that of the benches.
_FIRST_STUDY = ".st-key-study-0 [data-testid^=glide-cell-]"
_CHECKS: dict[str, Any] = {
    "leaderboard": check_leaderboard,
    "win-rates?shown=counts": check_win_rates,
    "head-to-head?first=ann&second=bob": check_head_to_head,
    "debates": check_debates,
    "participants?profile=bob": check_participant,
    "motions": check_motions,
    "judges": check_judges,
    "tournament": check_tournament,
    "costs": check_costs,
}


def test_every_page_shows_one_state_while_the_next_ones_are_written(
    writer: Writer, serve: Serve, watched: Watched
) -> None:
    address = serve(writer.store.path)
    before = len(writer.moments)
    with writer.writing():
        for path, check in _CHECKS.items():
            check(open_page(watched, f"{address}/{path}"), writer)
    assert len(writer.moments) > before + len(_CHECKS), "it was written all the time"
    store_boards(writer.store, writer.plan.resolved)
    check_leaderboard(open_page(watched, address), writer)
