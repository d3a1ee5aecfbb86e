"""The questions of the docs, each answered from the start page in as few clicks as they say."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Error, Locator, Page, expect

from arena.store.database import Store
from tests.dashboard.conftest import Varied
from tests.dashboard.test_pages_browser import cell
from tests.dashboard.test_reading_browser import wait_until_drawn
from tests.dashboard.watching import Watched, board_cell, choose, click_figure, open_list
from tests.support.command_line import done

pytestmark = pytest.mark.slow

_DOCS = Path(__file__).parents[2] / "docs" / "dashboard.md"
_ROW = re.compile(r"^\| ([^|]+\?) \| ([^|]+) \|$", re.MULTILINE)
_MOST_CLICKS = 2
#: Letters that fit into every cell.
_NEVER_SHORTENED = 12
_STRONG, _WITHOUT, _WEAK = "a4d-good", "a4d-good-no-searcher", "direct-fair"
#: Who won what somebody lost as Con on policy motions by the first bench, as the page orders it.
_LOST = """
    SELECT p.name AS winner FROM debates d
    JOIN motions m USING (motion_id, language)
    JOIN participants p ON p.participant_id = d.pro
    JOIN participants c ON c.participant_id = d.con
    JOIN ballots b USING (debate_id) JOIN ballot_scores s USING (ballot_id)
    WHERE c.name = $name AND m.category = 'policy' AND s.dimension = 'overall'
      AND b.bench = 'debatrix'
    GROUP BY d.motion_id, d.language, d.matchup_id, d.leg, p.name HAVING avg(s.outcome) > 0.5
    ORDER BY d.motion_id, d.language, d.matchup_id, d.leg
"""
_MOTION = """
    SELECT count(DISTINCT d.debate_id) AS debates, avg(o.outcome) AS share FROM debates d
    JOIN motions m USING (motion_id, language)
    JOIN (SELECT debate_id, CASE WHEN avg(outcome) > 0.5 THEN 1.0 WHEN avg(outcome) < 0.5 THEN 0.0
                 ELSE 0.5 END AS outcome
          FROM ballots JOIN ballot_scores USING (ballot_id)
          WHERE bench = 'debatrix' AND dimension = 'overall' GROUP BY debate_id) o USING (debate_id)
    WHERE m.text = $motion
"""
_MEETINGS = """
    SELECT m.text AS motion FROM debates d
    JOIN motions m USING (motion_id, language)
    JOIN participants p ON p.participant_id = d.pro
    JOIN participants c ON c.participant_id = d.con
    WHERE list_contains($names, p.name) AND list_contains($names, c.name) ORDER BY 1
"""
_MODELS = """
    SELECT model, count(*) AS calls FROM calls GROUP BY 1
    ORDER BY sum(input_tokens + output_tokens) DESC
"""


#: Whether what is being unfolded is at rest: a list that is opened before closes again.
_AT_REST = """() => document.getAnimations().every((each) =>
    each.playState !== "running" || each.effect.getComputedTiming().endTime === Infinity)"""


class Walk:
    """A viewer who answers one question after the other, and counts the clicks of each."""

    def __init__(self, page: Page, varied: Varied) -> None:
        self.page = page
        self.db = varied.db
        self.clicks = 0
        self._address = varied.address

    def start(self) -> None:
        """Open the start page, unless one is there and has touched nothing."""
        if self.page.url != f"{self._address}/":
            Watched(self.page).open(self._address)
        # What comes after the first table closes a list that is open.
        expect(self.page.locator(".st-key-wide-costs")).to_be_visible()
        wait_until_drawn(self.page)

    def click(self, target: Locator) -> None:
        """Click on something that one sees."""
        target.click()
        self._count()

    def click_on_chart(self, target: Locator) -> None:
        """Click where a part of a chart is; what takes the click lies above it."""
        click_figure(target)
        self._count()

    def go(self, title: str) -> None:
        """Click on a page of the navigation bar, which every page has, as the start page does."""
        self.click(self.page.get_by_test_id("stTopNavLink").get_by_text(title, exact=True))
        expect(self.page.get_by_role("heading", name=title, exact=True)).to_be_visible()
        wait_until_drawn(self.page)

    def row(self, number: int, leads: str) -> None:
        """Click on a name of the board, which leads to another page."""
        self.click(board_cell(self.page, "participant", number).get_by_role("link"))
        expect(self.page).to_have_url(re.compile(leads))

    def choose(self, name: str, option: str | int) -> None:
        """Choose from a list, which counts as one click."""
        options = open_list(self.page, re.compile(name))
        (options.nth(option) if isinstance(option, int) else options.get_by_text(option)).click()
        self._count()

    def shows(self, words: str | re.Pattern[str]) -> Locator:
        """Expect words on the page."""
        place = self.page.get_by_text(words).first
        expect(place).to_be_visible()
        return place

    def _count(self) -> None:
        self.clicks += 1
        wait_until_drawn(self.page)
        self.page.wait_for_function(_AT_REST)


def check_cells(table: Locator, row: int, values: Mapping[int, object]) -> None:
    """Check cells of a row by their columns; last, fractions as far as commands print them."""
    for column, value in sorted(values.items(), key=lambda item: isinstance(item[1], float)):
        place = table.get_by_test_id(f"glide-cell-{column}-{row}")
        if isinstance(value, float):
            assert float(place.inner_text()) == pytest.approx(value, abs=0.006)
        else:
            expect(place).to_have_text(as_shown(str(value)))


def as_shown(text: str) -> str | re.Pattern[str]:
    """Return what a cell shows: long texts may be shortened in their middle."""
    if len(text) <= _NEVER_SHORTENED:
        return text
    half = _NEVER_SHORTENED // 2
    return re.compile(f"^{re.escape(text[:half])}.*{re.escape(text[-half:])}$")


def leaderboard(walk: Walk, *options: str | Path) -> list[dict[str, Any]]:
    """Return the rows that `arena leaderboard` prints."""
    printed = done("leaderboard", "--db", walk.db, "--format", "json", *options)
    rows: list[dict[str, Any]] = json.loads(printed)["rows"]
    return rows


def check_board(walk: Walk, *options: str | Path) -> None:
    """Check rank, name, Elo and interval of every row."""
    for place, row in enumerate(leaderboard(walk, *options)):
        for head, words in {
            "#": str(row["rank"]),
            "participant": row["participant"],
            "Elo": f"{row['rating']:.0f}",
            "95 % interval": f"{row['lower']:.0f} to {row['upper']:.0f}",
        }.items():
            expect(board_cell(walk.page, head, place)).to_have_text(words)


def find_table(walk: Walk, key: str) -> Locator:
    """Find a table of a wide window by its key."""
    return walk.page.locator(f".st-key-wide-{key}").get_by_test_id("stDataFrame")


def who_is_best(walk: Walk) -> None:
    walk.start()
    check_board(walk)
    sentence = walk.shows(re.compile("leads, but is not separated")).inner_text()
    assert sentence in done("leaderboard", "--db", walk.db)


def another_bench(walk: Walk) -> None:
    walk.start()
    others = {row["participant"]: row for row in leaderboard(walk, "--bench", "other")}
    for place, own in enumerate(leaderboard(walk)):
        other = others[own["participant"]]
        values = (own["participant"], own["rating"], own["rank"], other["rating"], other["rank"])
        check_cells(find_table(walk, "benches"), place, dict(enumerate(values)))
    walk.shows(re.compile("Kendall"))


def strong_for_little(walk: Walk) -> None:
    walk.start()
    chart = walk.page.locator("[aria-label*='on the front: ']").first
    named = str(chart.get_attribute("aria-label")).partition("on the front: ")[2]
    rows = {
        board_cell(walk.page, "participant", place).inner_text(): [
            float(board_cell(walk.page, head, place).inner_text().replace(",", ""))
            for head in ("Elo", "tokens/debate")
        ]
        for place in range(4)
    }
    front = {
        name
        for name, (elo, tokens) in rows.items()
        if not any(elo < more and tokens > less for more, less in rows.values())
    }
    assert set(named.split(", ")) == front, "those are named whom nobody beats in both"


def who_is_best_on_policy(walk: Walk) -> None:
    walk.start()
    walk.click(walk.page.locator(".st-key-fold summary"))
    walk.click(walk.page.get_by_role("radio", name="Policy"))
    expect(walk.page).to_have_url(re.compile("category=policy"))
    check_board(walk, "--category", "policy")


def who_beats_it_as_con(walk: Walk) -> None:
    walk.start()
    walk.row(3, f"profile={_WEAK}")
    walk.click(walk.page.get_by_role("link", name="Lost as Con, policy"))
    expect(walk.page).to_have_url(re.compile("category=policy"))
    lost = Store(walk.db).rows(_LOST, {"name": _WEAK})
    assert lost, "else the question has no answer here"
    walk.shows(f"{len(lost)} of 24 debates.")
    for place, row in enumerate(lost):
        # Cells are still those of the list before it was filtered until the table is drawn anew.
        expect(cell(walk.page, 4, place)).to_have_text(as_shown(str(row["winner"])))


def which_debate_to_read(walk: Walk) -> None:
    walk.start()
    third = leaderboard(walk)[2]["participant"]
    walk.row(2, f"profile={third}")
    walk.click(walk.page.get_by_role("link", name="Read it").first)
    expect(walk.page).to_have_url(re.compile("debate=[0-9a-f]{16}"))
    debate = walk.page.url.rpartition("=")[2]
    walk.shows(f"debate {debate}")
    assert third in done("show", debate, "--db", walk.db)
    walk.shows(re.compile(f"^(Pro|Con): {third}$"))


def these_two(walk: Walk) -> None:
    walk.go("Win rates")
    first, last = (leaderboard(walk)[place]["participant"] for place in (0, 3))
    walk.click_on_chart(walk.page.locator(".js-plotly-plot .heatmap-label text").nth(2))
    expect(walk.page.get_by_role("heading", name="Debate by debate")).to_be_visible()
    pair = json.loads(done("versus", first, last, "--db", walk.db, "--format", "json"))
    walk.shows(f"{pair['debates']} debates in {pair['matchups']} matchups; {first} was Pro in")
    table = find_table(walk, "meetings")
    cells = [table.get_by_test_id(f"glide-cell-1-{place}") for place in range(pair["debates"])]
    rows = Store(walk.db).rows(_MEETINGS, {"names": [first, last]})
    assert sorted(each.inner_text() for each in cells) == [str(row["motion"]) for row in rows]


def how_a_speech_was_made(walk: Walk) -> None:
    walk.start()
    walk.row(0, f"profile={_STRONG}")
    walk.click(walk.page.get_by_role("link", name="How its speeches were made").first)
    expect(walk.page).to_have_url(re.compile(f"made={_STRONG}"))
    expect(walk.page.locator("[class*='st-key-step-']").first).to_be_visible()


def gain_from_the_searcher(walk: Walk) -> None:
    walk.start()
    rating = {row["participant"]: row["rating"] for row in leaderboard(walk)}
    walk.row(0, f"profile={_STRONG}")
    less = rating[_WITHOUT] - rating[_STRONG]
    table = find_table(walk, "relatives-0")
    check_cells(table, 0, {0: _WITHOUT, 1: "searcher off"})
    more = float(table.get_by_test_id("glide-cell-2-0").inner_text())
    assert more == pytest.approx(less, abs=0.02)


def is_a_motion_even(walk: Walk) -> None:
    walk.go("Motions")
    motion = cell(walk.page, 1, 0).inner_text()
    (row,) = Store(walk.db).rows(_MOTION, {"motion": motion})
    check_cells(find_table(walk, "motions"), 0, {6: row["debates"]})
    share = re.sub("[^0-9.]", "", cell(walk.page, 3, 0).inner_text())
    assert round(float(share)) == round(100 * row["share"])


def after_the_run_before(walk: Walk) -> None:
    walk.start()
    walk.click(walk.page.locator(".st-key-fold summary"))
    walk.choose("Time", -1)
    expect(walk.page).to_have_url(re.compile("time="))
    walk.shows("12 debates rated at")
    boards = Store(walk.db).rows("SELECT board FROM boards ORDER BY created_at LIMIT 1")
    check_board(walk, "--at", str(boards[0]["board"]))


def by_another_model(walk: Walk) -> None:
    walk.start()
    walk.click(walk.page.locator(".st-key-fold summary"))
    walk.choose("Rating model", "with a side and ties")
    walk.shows(re.compile("24 debates rated at .* with a side"))
    walk.shows(re.compile("^Effect of the side"))
    check_board(walk, "--side", "--ties", "davidson")


def what_happens_now(walk: Walk) -> None:
    walk.go("Tournament")
    walk.shows("100 % of debates and ballots · all is done")
    walk.shows("24 of 24")


def why_it_does_not_go_on(walk: Walk) -> None:
    walk.go("Tournament")
    walk.shows("Nothing has failed.")
    expect(walk.page.get_by_role("heading", name="Models of the last run")).to_be_visible()


def what_the_night_cost(walk: Walk) -> None:
    walk.go("Costs")
    walk.click(walk.page.get_by_role("radio", name="Model"))
    expect(walk.page.get_by_role("heading", name="By model")).to_be_visible()
    walk.shows("None of these calls cost anything")
    table = walk.page.get_by_test_id("stDataFrame").first
    for place, row in enumerate(Store(walk.db).rows(_MODELS)):
        check_cells(table, place, {0: row["model"], 2: row["calls"]})


def what_the_rest_costs(walk: Walk) -> None:
    walk.go("Costs")
    expect(walk.page.get_by_role("heading", name="What the next debates will cost")).to_be_visible()
    walk.shows(re.compile("^Everything is played and judged."))


def has_the_order_settled(walk: Walk) -> None:
    walk.go("Tournament")
    expect(walk.page.get_by_role("heading", name="Ratings over the debates")).to_be_visible()
    names = walk.page.locator(".st-key-course .legendtext").all_text_contents()
    assert set(names) == {row["participant"] for row in leaderboard(walk)}


def what_has_changed(walk: Walk) -> None:
    walk.go("Tournament")
    first = leaderboard(walk)[0]
    table = find_table(walk, "comparison")
    check_cells(table, 0, {0: first["participant"], 2: first["rating"]})
    expect(walk.page.get_by_role("slider").first).to_be_visible()


def can_a_judge_be_trusted(walk: Walk) -> None:
    walk.go("Judges")
    content = json.loads(done("judges", "--db", walk.db, "--format", "json"))
    ballots = sum(row["ballots"] for row in content["upkeep"])
    walk.shows(f"{ballots} valid ballots")
    walk.shows("Agreement of the benches")


def where_a_new_model_stands(walk: Walk) -> None:
    walk.go("Add a model")
    # What is filled into a form is no click on the way.
    choose(walk.page, re.compile("Provider"), "the built-in simulator")
    walk.page.get_by_role("textbox", name="Model", exact=True).fill("weak")
    walk.click(walk.page.get_by_role("button", name="Check and plan"))
    walk.shows(re.compile("against 4 opponents"))
    walk.shows(re.compile("Its rating will rest on 16 debates, with a 95 % interval of about"))


_WALKS: Mapping[str, Callable[[Walk], None]] = {
    "Who is best, and how sure is that?": who_is_best,
    "Who is best on policy motions?": who_is_best_on_policy,
    "Does another bench see it differently?": another_bench,
    "Who is strong for little money?": strong_for_little,
    "Who beats a4d-good on policy motions when it is Con?": who_beats_it_as_con,
    "Which debate should I read to see why x is third?": which_debate_to_read,
    "How did these two do against each other, motion by motion?": these_two,
    "How was a speech of x made, and what did its searcher find?": how_a_speech_was_made,
    "What does x gain from its searcher?": gain_from_the_searcher,
    "Is this motion even?": is_a_motion_even,
    "How did the board look after the run before?": after_the_run_before,
    "Does the order depend on the rating model?": by_another_model,
    "What happens right now, and when will it be done?": what_happens_now,
    "Why does it not go on?": why_it_does_not_go_on,
    "What did the night cost, and who caused it?": what_the_night_cost,
    "What will the rest cost?": what_the_rest_costs,
    "Has the order settled, or do more debates change it?": has_the_order_settled,
    "What changed since last night?": what_has_changed,
    "Can this judge be trusted?": can_a_judge_be_trusted,
    "Where does a new model stand, and what does it cost to know?": where_a_new_model_stands,
}


def _walk_all(page: Page, varied: Varied) -> Iterator[str]:
    """Yield what is wrong with each question."""
    for question, answer in _WALKS.items():
        walk = Walk(page, varied)
        try:
            answer(walk)
        except (AssertionError, Error) as error:
            yield f"{question} at {page.url}\n{error}"
        if walk.clicks > _MOST_CLICKS:
            yield f"{question} takes {walk.clicks} clicks"


def test_every_question_is_answered_in_two_clicks_from_the_start_page(
    varied: Varied, watched: Watched
) -> None:
    listed = [question for question, _ in _ROW.findall(_DOCS.read_text("utf-8"))]
    assert sorted(_WALKS) == sorted(listed), "the questions of the docs are those that are walked"
    page = watched.enter(varied.link)
    problems = list(_walk_all(page, varied))
    assert not problems, "\n\n".join(problems)
