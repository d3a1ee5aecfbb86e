"""The twelve questions of a morning, each answered by one command, with the database's figures.

The tournament has a participant that always forfeits, one that has not played, and prices.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.store.database import Store
from tests.dashboard.handmade import execute
from tests.support.command_line import done
from tests.support.played_tournaments import copied, played_tournament
from tests.support.toml_files import bench, player, toml_text

_NIGHT = toml_text(
    tournament={"name": "night", "motions": "arena66", "categories": ["fact", "policy"], "seed": 7},
    schedule={"matchups_per_pair": 3, "concurrency": 4},
    search={"kind": "brief"},
    participants=[
        player("team", "agent4debate", "offline/good"),
        player("plain", "direct", "offline/fair"),
        player("mute", "direct", "offline/weak"),
    ],
    benches=[
        bench("single", "single", "offline/strong"),
        bench("debatrix", "debatrix", "offline/strong"),
    ],
)
_MUTE = "(SELECT participant_id FROM participants WHERE name = 'mute')"
#: What the night came to: the participant forfeited wherever it debated, and calls cost money.
_CHANGES = (
    f"""
    UPDATE debates SET status = 'forfeit', reason = 'The speech is empty.',
        forfeited = if(pro IN {_MUTE}, 'pro', 'con')
    WHERE pro IN {_MUTE} OR con IN {_MUTE}
    """,
    """
    DELETE FROM ballot_scores WHERE ballot_id IN (
        SELECT ballot_id FROM ballots JOIN debates d USING (debate_id) WHERE d.status = 'forfeit')
    """,
    """
    DELETE FROM ballots
    WHERE debate_id IN (SELECT debate_id FROM debates WHERE status = 'forfeit')
    """,
    "UPDATE calls SET cost_usd = 0.01",
    *(
        f"UPDATE {table} SET cost_usd = (SELECT coalesce(sum(cost_usd), 0) FROM calls c "
        f"WHERE c.unit = {key})"
        for table, key in (("debates", "debate_id"), ("ballots", "ballot_id"))
    ),
)
_OF_PLAIN = """
    SELECT d.debate_id, d.motion_id, s.text, b.rationale FROM debates d
    JOIN speeches s USING (debate_id) JOIN participants p ON p.participant_id = d.pro
    JOIN ballots b USING (debate_id)
    WHERE d.status = 'finished' AND p.name = 'plain' AND s.side = 'pro' AND b.bench = 'single'
    ORDER BY d.debate_id, s.stage LIMIT 1
"""


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of the morning."""
    played = played_tournament(tmp_path_factory, "night", _NIGHT)
    db = copied(played, tmp_path_factory.mktemp("morning"))
    execute(Store(db), *_CHANGES)
    file = db.with_name("night.toml")
    newcomer = '\n[[participants]]\nname = "newcomer"\ndebater = "direct"\nmodel = "offline/good"\n'
    file.write_text(_NIGHT.replace("[[benches]]", f"{newcomer}\n[[benches]]", 1), "utf-8")
    return db


def ask(db: Path, query: str) -> dict[str, Any]:
    """The first row of an answer."""
    return Store(db).rows(query)[0]


def who_leads_and_is_it_settled(db: Path) -> None:
    printed = done("leaderboard", "--db", db)
    assert re.search(r"\n1  team +1\d\d\d ", printed)
    assert "team leads, but is not separated from plain." in printed
    assert "-  mute" in printed and "not rated: 12 of 12 debates" in " ".join(printed.split())


def is_it_better_than_another(db: Path) -> None:
    first = " ".join(done("versus", "team", "plain", "--db", db).split("\n\n")[1].split())
    assert re.match(
        r"Whether team is better than plain is not settled: \d\d % chance; \+\d+ Elo", first
    )
    assert re.search(r"\(6-0-0 won-tied-lost\); \d+ more matchups \(about [\d.]+ USD\)", first)


def what_did_it_cost_and_who_ate_it(db: Path) -> None:
    spent = ask(
        db,
        "SELECT (SELECT sum(cost_usd) FROM debates) AS debaters, "
        "(SELECT sum(cost_usd) FROM ballots) AS judges",
    )
    roles = f"debaters {spent['debaters']:.4f} USD, judges {spent['judges']:.4f} USD"
    assert roles in done("status", "--db", db)
    assert f"Spent: {roles}; a debate " in done("leaderboard", "--db", db)
    whole = spent["debaters"] + spent["judges"]
    assert f"{whole:.4f}  {spent['judges']:.4f}" in done("list", "--db", db)


def what_failed_and_why(db: Path) -> None:
    lines = done("status", "--db", db).splitlines()
    place = lines.index("Needs attention:")
    assert lines[place + 1].strip() == "mute: forfeited 12 of 12 debates (The speech is empty)"
    assert place < 2 and lines[place + 2].strip().startswith("arena show ")


def why_did_it_lose_a_debate(db: Path) -> None:
    debate = ask(db, _OF_PLAIN)
    printed = done("show", debate["debate_id"], "--db", db)
    head, _, speeches = printed.partition("── Pro, constructive")
    assert "Bench single: team won as Con, 1 to 0 from 1 ballot." in head
    assert debate["rationale"].split(".")[0][:40] in head
    assert debate["text"].split("\n")[0] in speeches


def where_do_judges_disagree(db: Path) -> None:
    printed = " ".join(done("judges", "-t", "night", "--db", db).split())
    assert re.search(r"\w+ and \w+ agree on 100 % of debates \[\d+ to 100\], \S", printed)


def is_there_a_side_advantage(db: Path) -> None:
    assert re.search(
        r"Effect of the side \(Pro\): [+-]\d+ Elo \(95 %: -?\d+ to \d+\)",
        done("leaderboard", "--side", "--db", db),
    )
    assert re.search(r"favours neither side for certain", done("judges", "-t", "night", "--db", db))


def which_motions_decide_nothing(db: Path) -> None:
    played = "SELECT count(DISTINCT motion_id) AS motions FROM debates"
    motions = ask(db, played)["motions"]
    printed = " ".join(done("motions", "results", "--db", db).split())
    assert f"0 motions of {motions} tell the stronger from the weaker" in printed
    assert f"{motions} with too few debates to say" in printed
    content = json.loads(done("motions", "results", "--db", db, "--format", "json"))
    assert sum(row["judged"] for row in content["motions"]) == 6
    assert content["bench"] == "single" and len(content["motions"]) == motions


def how_does_it_do_on_policy_motions(db: Path) -> None:
    printed = done("leaderboard", "--category", "policy", "--format", "json", "--db", db)
    rows = {row["participant"]: row for row in json.loads(printed)["rows"]}
    policy = "status = 'finished' AND motion_id LIKE '%policy%'"
    played = ask(db, f"SELECT count(*) AS n FROM debates WHERE {policy}")["n"]
    assert rows["team"]["wins"] == rows["team"]["debates"] == played > 0


def what_did_its_searcher_find(db: Path) -> None:
    debate = ask(db, _OF_PLAIN)["debate_id"]
    printed = done("show", debate, "--trace", "--db", db)
    assert re.search(r"Searcher: searches\n.*│ Query 1: \w", printed, re.S)
    (cited,) = re.findall(r"^References:\n  \[C\d\] ([^—]+) — ", printed, re.M)[:1]
    assert re.search(rf"│ \[\d\] {re.escape(cited)} — ", printed), "what is cited was found"


def what_changed_since_yesterday(db: Path) -> None:
    since = "2020-01-01"
    printed = done("leaderboard", "--changes-since", since, "--db", db).splitlines()[-1]
    spent = "SELECT sum(cost_usd) AS usd FROM (FROM debates UNION ALL BY NAME FROM ballots)"
    assert printed == (
        f"What changed since {since} UTC: 6 more debates finished and 12 more ballots taken, "
        f"for {ask(db, spent)['usd']:.4f} USD at most. Nobody was rated then."
    )


def what_next_with_twenty_dollars(db: Path) -> None:
    printed = " ".join(done("plan", "--usd", 20, "--db", db).split())
    assert "The next 20.00 USD are best spent on" in printed and "a round robin about" in printed


@pytest.mark.parametrize(
    "answered",
    [
        who_leads_and_is_it_settled,
        is_it_better_than_another,
        what_did_it_cost_and_who_ate_it,
        what_failed_and_why,
        why_did_it_lose_a_debate,
        where_do_judges_disagree,
        is_there_a_side_advantage,
        which_motions_decide_nothing,
        how_does_it_do_on_policy_motions,
        what_did_its_searcher_find,
        what_changed_since_yesterday,
        what_next_with_twenty_dollars,
    ],
    ids=lambda answered: answered.__name__,
)
def test_a_question_of_the_morning_is_answered_by_one_command(
    night: Path, answered: Callable[[Path], None]
) -> None:
    answered(night)


def test_a_newcomer_that_has_not_played_is_planned_and_not_ranked(night: Path) -> None:
    file = night.with_name("night.toml")
    printed = done("run", file, "--dry-run", "--db", night)
    assert "newcomer" not in done("leaderboard", "--db", night)
    assert "36 debates in 18 matchups of two legs; 18 done, 18 to play" in printed


def test_the_report_answers_them_without_the_database(night: Path, tmp_path: Path) -> None:
    db = copied(night, tmp_path)
    done("report", "--since", "2020-01-01", "--db", db)
    page = Path(f"{db}.report.html").read_text("utf-8")
    db.unlink()
    text = html.unescape(re.sub(r"<[^>]+>", " ", page[page.index("<body") :]))
    text = " ".join(text.split())
    rationale = ask(night, _OF_PLAIN)["rationale"]
    for question, answer in {
        "who leads": r"team leads, but is not separated from plain",
        "better than another": r"better than plain, the second, with \d\d % probability",
        "cost": r"By role: debaters [\d.]+ USD, judges [\d.]+ USD; a debate [\d.]+ USD with",
        "failures": r"mute: forfeited 12 of 12 debates \(The speech is empty\)",
        "a lost debate": re.escape(rationale.split(".")[0][:40]),
        "judges": r"Do the judges agree\? .* % of pairs give the same result",
        "side": r"Is a side ahead\? .*Pro won \d+ %",
        "motions": r"Which motions tell who is better\? 0 motions of \d+ tell",
        "policy": r"Who is first on policy motions\? team leads",
        "found": r"\(\w[^()]+, (19|20)\d\d\) \[[PC]\d\]",
        "changes": r"What changed since 2020-01-01 .*6 more debates finished",
        "next": r"What next\? The next [\d.]+ USD (are best spent on|would probably settle no)",
    }.items():
        assert re.search(answer, text), question
