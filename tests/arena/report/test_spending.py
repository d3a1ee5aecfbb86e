"""Where the money went: every grouping adds up to one total; what is left costs as much."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import duckdb
import pytest

from arena.boards.judge_effort import measure_effort
from arena.boards.participation import COST_NOTE
from arena.boards.selection import select
from arena.commands.models import model_answers
from arena.config.stored import stored_config
from arena.llm.budget import Budget
from arena.llm.journal import Charge
from arena.read.run_status import read_status
from arena.report.spending import GROUPS, group_spending, read_outlook, read_spending
from arena.report.standing import newcomer_standing
from arena.store.database import Store
from arena.store.spending import Bill, read_bills
from arena.text import counted
from arena.tournament.models import Models
from dashboard.live import read_live
from dashboard.queries import read_debate
from judges.studies.agreement.costs import measure_costs
from judges.studies.agreement.material import read_material
from tests.support.command_line import arena, done

#: A cent for each call of a debater, of which a fifth is reserved; half a cent for one of a judge.
_PRICED = (
    "UPDATE calls SET cost_usd = 0.005, cached_tokens = input_tokens / 4",
    "UPDATE calls SET cost_usd = 0.01, reserved_usd = 0.002, cached_tokens = 0 "
    "WHERE unit IN (SELECT debate_id FROM debates)",
    "UPDATE debates SET cost_usd = s.usd FROM (SELECT unit, sum(cost_usd) AS usd FROM calls "
    "GROUP BY unit) s WHERE s.unit = debate_id",
    "UPDATE ballots SET cost_usd = s.usd FROM (SELECT unit, sum(cost_usd) AS usd FROM calls "
    "GROUP BY unit) s WHERE s.unit = ballot_id",
)


@pytest.fixture
def store(own_database: Path) -> Store:
    store = Store(own_database)
    for statement in _PRICED:
        execute(store, statement)
    return store


def execute(store: Store, statement: str) -> None:
    """Run one statement."""

    def batch(connection: duckdb.DuckDBPyConnection) -> None:
        connection.execute(statement)

    store.write(batch)


def test_every_grouping_adds_up_to_what_was_spent(store: Store) -> None:
    resolved = stored_config(store, None)
    status = read_status(store, resolved, rated=False)
    spending = read_spending(store, resolved.name)
    for by in GROUPS:
        grouped = group_spending(spending, by)
        assert grouped["usd"].sum() == pytest.approx(status.usd)
        assert grouped["reserved_usd"].sum() == pytest.approx(status.reserved_usd)
        assert grouped["share"].sum() == pytest.approx(1)
        amounts = grouped["usd"] + grouped["reserved_usd"]
        assert list(amounts) == sorted(amounts, reverse=True)
    by_judge = group_spending(spending, "judge").set_index("name")
    assert set(by_judge.index) == {"(debaters)", *(bench.name for bench in resolved.benches)}
    assert by_judge.loc["(debaters)", "cached_share"] == 0
    assert by_judge.loc[resolved.benches[0].name, "cached_share"] == pytest.approx(0.25, abs=0.01)
    names = {"(judges)", *(participant.name for participant in resolved.participants)}
    assert set(group_spending(spending, "participant")["name"]) == names
    assert {"constructive", "judging"} <= set(group_spending(spending, "stage")["name"])


def test_costs_by_role_are_the_same_everywhere(store: Store) -> None:
    resolved = stored_config(store, None)
    (bill,) = read_bills(store).values()
    by_judge = group_spending(read_spending(store, resolved.name), "judge").set_index("name")
    usd = by_judge["usd"].to_dict()
    debaters = usd.pop("(debaters)")
    judges = sum(usd.values())
    assert bill.debaters.known.usd == pytest.approx(debaters)
    assert bill.judges.known.usd == pytest.approx(judges)
    outlook = read_outlook(store, resolved, None)
    assert bill.per_debate == pytest.approx(outlook.per_debate)
    assert bill.per_judging == pytest.approx(judges / _count_judged(store))
    roles = bill.format_roles()
    assert f"debaters {debaters:.4f} USD, judges {judges:.4f} USD; a debate " in roles
    status = json.loads(arena("status", "--json", "--db", store.path).output)
    assert status["usd_by_role"] == pytest.approx(
        {name: charge.known.usd for name, charge in bill.parts.items()}
    )
    assert sum(status["usd_by_role"].values()) == pytest.approx(status["usd"])
    assert status["usd_per_judging"] == pytest.approx(bill.per_judging)
    assert f"    {roles}\n" in arena("status", "--db", store.path).output
    done("report", "--db", store.path)
    page = Path(f"{store.path}.report.html").read_text("utf-8").replace("\xa0", " ")
    assert f"By role: {roles}." in page
    for surface in (unescape(page), done("leaderboard", "--db", store.path)):
        assert COST_NOTE in " ".join(surface.split())


def test_the_parts_add_up_to_what_was_spent_while_a_run_is_on() -> None:
    parts = ("debaters", "judges", "measuring", "unfinished", "availability")
    charges = {
        name: Charge(usd, 0.0) for name, usd in zip(parts, (2, 1, 0, 0.5, 0.25), strict=True)
    }
    bill = Bill(**charges, per_debate=0.1, per_judging=None, unknown="")
    amounts = re.findall(r"([\d.]+) USD", bill.format_roles().partition(";")[0])
    assert len(amounts) == 4
    assert sum(map(float, amounts)) == bill.total.known.usd == 3.75


def _count_judged(store: Store) -> int:
    (row,) = store.rows("SELECT count(DISTINCT debate_id) AS debates FROM ballots")
    return int(row["debates"])


def test_no_roles_are_named_where_nothing_was_paid(own_database: Path) -> None:
    (bill,) = read_bills(Store(own_database)).values()
    assert bill.format_roles() == ""
    assert "judges 0" not in arena("status", "--db", own_database).output


def test_no_reader_shows_what_is_reserved_as_measured(store: Store) -> None:
    execute(
        store,
        "UPDATE calls SET reserved_usd = 0.001 WHERE unit IN (SELECT ballot_id FROM ballots)",
    )
    resolved = stored_config(store, None)
    (mean,) = store.rows(
        "SELECT (SELECT avg(n) * 0.008 FROM (SELECT count(*) AS n FROM calls JOIN debates ON "
        "unit = debate_id GROUP BY unit)) AS debate, (SELECT avg(n) * 0.004 FROM (SELECT count(*) "
        "AS n FROM calls JOIN ballots ON unit = ballot_id GROUP BY unit)) AS ballot"
    )
    outlook, bench = read_outlook(store, resolved, None), resolved.benches[0].name
    assert outlook.per_debate == pytest.approx(mean["debate"])
    assert outlook.per_ballot == pytest.approx({bench: mean["ballot"]})
    (effort,) = measure_effort(store, resolved, select(resolved))
    assert (effort.debate_usd, effort.run_usd) == pytest.approx((mean["debate"], mean["ballot"]))
    status = read_status(store, resolved, rated=False)
    answers = model_answers(store, resolved.name)
    assert sum(model.cost_usd for model in answers) == pytest.approx(status.usd)
    (judging,) = measure_costs(read_material(store, resolved, select(resolved)))
    assert judging.usd == pytest.approx(mean["ballot"])
    name = resolved.participants[0].name
    standing = newcomer_standing(store, resolved, name, bench=bench)
    assert standing is not None and 0 < standing.usd < standing.usd_most
    cost = f"{standing.usd:.2f} USD (up to {standing.usd_most:.2f})"
    assert f"It has played {counted(standing.matchups, 'matchup')}, {cost}." in standing.sentences()


def test_a_speech_and_a_debate_on_a_page_cost_what_was_measured(store: Store) -> None:
    resolved = stored_config(store, None)
    (debate, *_) = store.rows(
        "SELECT debate_id, (SELECT sum(cost_usd - reserved_usd) FROM calls WHERE unit IN "
        "(SELECT ballot_id FROM ballots b WHERE b.debate_id = d.debate_id) OR unit = d.debate_id) "
        "AS usd FROM debates d ORDER BY finished_at DESC, debate_id"
    )
    last = read_live(store, resolved.name, "").last
    assert last["debate_id"][0] == debate["debate_id"]
    assert last["usd"][0] == pytest.approx(debate["usd"])
    _, content = read_debate(store, debate["debate_id"])
    assert content is not None
    for work in content.works.values():
        assert work.usd == pytest.approx(0.008 * work.calls)
        assert f"{work.usd:.4f} USD (up to {work.usd_most:.4f})" in work.describe()


def test_calls_that_cost_nothing_are_shared_out_by_tokens(own_database: Path) -> None:
    store = Store(own_database)
    spending = read_spending(store, stored_config(store, None).name)
    grouped = group_spending(spending, "model")
    assert not grouped["usd"].sum()
    assert grouped["share"].sum() == pytest.approx(1)
    assert group_spending(spending.iloc[:0], "model").empty


def test_what_is_left_costs_what_the_same_ones_did(store: Store) -> None:
    resolved = stored_config(store, None)
    models = Models(resolved.config, resolved.motions, budget=Budget())
    nothing = read_outlook(store, resolved, models)
    assert (nothing.debates, nothing.ballots, nothing.measured) == (0, 0, 0.0)
    lost = "ballot_id IN (SELECT ballot_id FROM ballots ORDER BY ballot_id LIMIT 2)"
    mean = store.rows("SELECT avg(cost_usd) AS usd FROM ballots WHERE NOT " + lost)[0]["usd"]
    execute(store, f"DELETE FROM ballots WHERE {lost}")
    left = read_outlook(store, resolved, None)
    assert (left.debates, left.ballots) == (0, 2)
    assert left.forecast is None
    assert left.measured == pytest.approx(2 * mean)
    assert read_outlook(store, resolved, models).forecast is not None
