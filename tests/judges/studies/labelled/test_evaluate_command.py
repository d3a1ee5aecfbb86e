"""`arena judges evaluate` as a user calls it: who is right, and what is taken once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from arena.errors import InfrastructureFault
from arena.llm.request import Completion, Request
from arena.store.database import Store
from judges.studies.ballots import read_taken
from tests.support.command_line import arena, done
from tests.support.debate_seats import texts
from tests.support.paired_answers import comparing, pair_card
from tests.support.probes import ask
from tests.support.scripted_backend import completion

BENCHES = """
[limits]
usd = 3.0
[[benches]]
name = "once"
judge = "single"
model = "offline/fair"
runs = 1
[[benches]]
name = "both"
judge = "single"
model = "offline/fair"
runs = 1
swap = true
[[benches]]
name = "three"
judge = "more"
model = "offline/fair"
[[benches]]
name = "rounds"
judge = "samre"
model = "offline/fair"
runs = 1
options = { jurors = 0, early_stop = false }
[[benches]]
name = "alone"
judge = "samre"
model = "offline/fair"
runs = 1
options = { jurors = 0 }
"""
SINGLE = ("--judge", "single", "--model", "offline/fair", "--yes")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with three questions, whose good answers say so: A, A, B wins and a tie."""
    rows = [
        ("1", "Why?", "A good answer.", "A bad answer.", "a", "x"),
        ("2", "How?", "Another good one.", "Something bad.", "a", "x"),
        ("3", "Who?", "Bad again.", "The last good one.", "b", "y"),
        ("4", "Who?", "Just as good.", "Equally good.", "tie", "y"),
    ]
    head = ("id", "question", "answer_a", "answer_b", "winner", "category")
    lines = [json.dumps(dict(zip(head, row, strict=True))) for row in rows]
    (tmp_path / "own.jsonl").write_text("\n".join(lines), "utf-8")
    (tmp_path / "benches.toml").write_text(BENCHES, "utf-8")
    return tmp_path


def knowing(request: Request) -> str | Completion:
    """A judge that knows a good answer from a bad one; and that likes the first of two good."""
    if request.task not in ("judge.criteria", "judge.round"):
        return "Said."
    good = ["good" in text for text in texts(request, "answer")]
    scores = (12, 10) if good[0] else (8, 9)
    return str(comparing(*scores)(request))


def evaluated(place: Path, *words: str, code: int = 0) -> dict[str, Any]:
    """What an evaluation reports."""
    result = arena(
        *("judges", "evaluate", place / "own.jsonl", "--db", place / "own.duckdb"),
        *("--format", "json", *words),
    )
    assert result.exit_code == code, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_a_judge_that_knows_is_always_right(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(monkeypatch, knowing)
    evaluation = evaluated(place, *SINGLE)
    (one,) = evaluation["accuracies"]
    assert (one["pairs"], one["right"], one["share"], one["ties"]) == (3, 3, 1.0, 0)
    assert (one["even"], one["even_right"], one["missing"]) == (1, 0, 0)
    assert one["flip_rate"] is None and one["usd_per_right"] == 0
    assert evaluation["simulated"] is True and evaluation["contrasts"] == []
    assert evaluation["published"]["accuracy"]["GPT-4o"] == [0.84, 0.87, 0.89, 0.91]


def test_benches_of_a_file_are_compared_on_the_same_pairs(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = ask(monkeypatch, knowing)
    evaluation = evaluated(place, "--benches", str(place / "benches.toml"), "--yes")
    assert [one["bench"] for one in evaluation["accuracies"]] == [
        *("once", "both", "three", "rounds", "alone")
    ]
    both = evaluation["accuracies"][1]
    assert both["flip_rate"] == 0.25, "of two good ones it likes whichever stands first"
    assert both["even_right"] == 1, "so it calls them a tie"
    assert len(evaluation["contrasts"]) == 10
    (model,) = evaluation["models"]
    assert model["benches"] == {"baseline": "once", "more": "three", "samre_alone": "alone"}
    (apart,) = model["apart"]
    assert apart["pairs"] == 4 and apart["difference"] == 0
    (gaps,) = evaluation["gaps"]
    assert gaps["bench"] == "rounds" and gaps["model"]["runs"] == 4
    assert gaps["model"]["steps"] == 4 * 3 and gaps["model"]["grew"] == 0
    assert gaps["model"]["mean"] == pytest.approx(1 / 14)
    assert set(evaluation["categories"]) == {"x", "y"}
    # once 1, both orders 2, three runs of nine, four rounds of 5 less 2, two rounds of 5 less 2
    assert len(backend.requests) == 4 * (1 + 2 + 3 * 9 + 18 + 8)


def test_the_tables_have_the_form_of_the_paper(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(monkeypatch, knowing)
    words = ("judges", "evaluate", place / "own.jsonl", "--db", place / "own.duckdb", "--yes")
    shown = done(*words, "--benches", str(place / "benches.toml"), "--format", "markdown")
    assert "own.jsonl · judges against people · simulated models" in shown
    assert "| offline/fair (simulated) | 1.00 (3) | 1.00 (3) | - | 1.00 (3) |" in shown
    assert "| published: GPT-4o | 0.84 | 0.87 | 0.89 | 0.91 |" in shown
    assert "| published: GPT-4o | +0.03 | +3.6% | +0.07 | +8.3% |" in shown
    assert "| published: GPT-3.5-turbo | 1.95 | 0.055 | - |" in shown
    assert "for orientation, not measured here" in shown


def test_what_is_taken_is_not_taken_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = ask(monkeypatch, knowing)
    first = evaluated(place, *SINGLE)
    assert len(backend.requests) == 4
    assert evaluated(place, *SINGLE) == first
    assert len(backend.requests) == 4, "nothing new"
    with (place / "own.jsonl").open("a", encoding="utf-8") as file:
        row = {"id": "5", "question": "Why?", "answer_a": "A good answer.",
               "answer_b": "A bad answer.", "winner": "a", "category": "x"}  # fmt: skip
        file.write("\n" + json.dumps(row))
        file.write("\n" + json.dumps(row | {"id": "6", "question": "Why not?"}))
    evaluation = evaluated(place, *SINGLE)
    assert len(backend.requests) == 5
    assert (evaluation["accuracies"][0]["pairs"], evaluation["repeats"]) == (4, 1)
    evaluated(place, *SINGLE, "--swap")
    assert len(backend.requests) == 5 + 2 * 5, "both orders are another bench"


def test_repeats_of_pairs_under_new_ids_change_no_figure(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(monkeypatch, knowing)
    words = ("--benches", str(place / "benches.toml"), "--reworded", "--yes")
    first = evaluated(place, *words)
    file = place / "own.jsonl"
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    file.write_text(
        "\n".join(
            json.dumps(row | {"id": f"{row['id']}{copy}"}) for copy in ("", *"abc") for row in rows
        ),
        "utf-8",
    )
    again = evaluated(place, *words)
    assert (first.pop("repeats"), again.pop("repeats")) == (0, 12)
    assert again == first and first["contrasts"] and first["rewordings"]
    shown = done("judges", "evaluate", file, "--db", place / "own.duckdb", *SINGLE)
    assert "16 rows, 4 votes" in shown and "; 12 exact repeats left out" in shown
    assert "12 pairs left out: the texts and votes of an earlier pair" in " ".join(shown.split())


def test_it_goes_on_within_a_ballot_where_a_provider_failed(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = 0

    def failing(request: Request) -> str | Completion:
        nonlocal answered
        if answered == 13:
            raise InfrastructureFault("down")
        answered += 1
        return knowing(request)

    (place / "benches.toml").write_text(
        '[limits]\nretries = 0\ngive_up_after = 0.05\n[[benches]]\nname = "m"\njudge = "more"\n'
        'model = "offline/fair"\nruns = 1\n',
        "utf-8",
    )
    words = ("--benches", str(place / "benches.toml"), "--yes", "--concurrency", "1")
    ask(monkeypatch, failing)
    evaluation = evaluated(place, *words, code=1)
    assert evaluation["accuracies"][0]["missing"] == 3
    second = ask(monkeypatch, knowing)
    evaluation = evaluated(place, *words)
    assert evaluation["accuracies"][0]["missing"] == 0
    assert len(second.requests) == 4 * 9 - 13, "what was answered is not asked again"


def test_a_cap_stops_it_and_a_higher_one_goes_on(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def costing(request: Request) -> Completion:
        return completion(str(knowing(request)), cost_usd=0.01)

    probe = ask(monkeypatch, knowing)
    evaluated(place, *SINGLE, "--swap")
    limit = probe.requests[0].sampling.max_tokens
    backend = ask(monkeypatch, costing, (0.0, 0.01 / limit))
    words = (*SINGLE, "--concurrency", "1")
    stopped = arena(
        *("judges", "evaluate", place / "own.jsonl", "--db", place / "own.duckdb"),
        *(*words, "--usd", "0.025"),
    )
    assert stopped.exit_code == 1
    assert "spending cap: 0.03 USD" in stopped.output
    assert "Stopped: the spending cap" in stopped.output
    assert len(backend.requests) == 2
    evaluation = evaluated(place, *words, "--usd", "1")
    assert len(backend.requests) == 4
    (one,) = evaluation["accuracies"]
    assert one["usd"] == pytest.approx(0.04)
    assert one["usd_per_right"] == pytest.approx(0.01), "three on pairs that count, three right"


def test_a_judge_that_mumbles_leaves_a_failed_ballot_that_is_asked_again(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mumbling = [True]

    def judge(request: Request) -> str | Completion:
        bad = mumbling and ("Why?" in request.text() or request.attempt > 0)
        return "A wins, clearly." if bad else knowing(request)

    backend = ask(monkeypatch, judge)
    evaluation = evaluated(place, *SINGLE, code=1)
    (one,) = evaluation["accuracies"]
    assert (one["pairs"], one["right"], one["missing"]) == (2, 2, 1)
    assert len(backend.requests) == 5, "it was asked once more"
    mumbling.clear()
    assert evaluated(place, *SINGLE)["accuracies"][0]["missing"] == 0
    rows = Store(place / "own.duckdb").rows("SELECT kind, source, item, asked, status FROM trials")
    assert {(one["kind"], one["source"], one["status"]) for one in rows} == {
        ("pairs", "own.jsonl", "valid")
    }
    assert sorted((one["item"], one["asked"]) for one in rows)[0] == ("1", 2)


def test_three_runs_are_summed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def judge(request: Request) -> str:
        return pair_card(9, 10) if request.path.startswith("run/1/") else pair_card(10, 9)

    ask(monkeypatch, judge)
    (one,) = evaluated(place, *SINGLE, "--runs", "3")["accuracies"]
    assert (one["right"], one["ties"], one["even_right"]) == (2, 0, 0)
    (one,) = evaluated(place, *SINGLE, "--runs", "2")["accuracies"]
    assert (one["right"], one["ties"], one["even_right"]) == (0, 3, 1)


def test_a_plan_writes_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = ask(monkeypatch, knowing)
    words = ("judges", "evaluate", place / "own.jsonl", "--db", place / "own.duckdb")
    printed = done(*words, *SINGLE[:4], "--dry-run")
    assert "4 labelled pairs of own.jsonl (simulated models)" in printed
    assert "0 taken before, 4 to take" in printed and "no spending cap" in printed
    assert not (place / "own.duckdb").exists() and not backend.requests
    assert "confirmation is needed" in arena(*words, *SINGLE[:4]).stderr
    assert not read_taken(Store(place / "own.duckdb"), [])


def test_the_shipped_pairs_and_benches_go_together(tmp_path: Path) -> None:
    words = ("judges", "evaluate", "pairs16", "--db", tmp_path / "x.duckdb", "--yes")
    printed = done(*words, "--judge", "single", "--model", "offline/good")
    assert "pairs16 · judges against people · simulated models" in printed
    assert "en, zh; judges: single (single, 1 run)" in printed
    plan = done(*words, "--benches", "offline", "--dry-run")
    assert "samre-rounds (samre, 1 run)" in plan and "single-swap (single, 1 run, both" in plan


def test_benches_of_a_file_may_be_put_on_another_model(place: Path) -> None:
    content = evaluated(place, "--benches", "defences", "--model", "offline/strong", "--yes")
    (model,) = content["models"]
    assert model["model"] == "offline/strong"
    assert set(model["benches"]) == {"baseline", "more", "samre", "samre_alone"}


def test_a_database_that_a_kill_left_without_tables_is_as_good_as_none(place: Path) -> None:
    duckdb.connect(str(place / "own.duckdb")).close()
    words = ("judges", "evaluate", place / "own.jsonl", "--db", place / "own.duckdb")
    assert "single" in done(*words, "--judge", "single", "--model", "offline/good", "--yes")


def test_debatrix_compares_labelled_pairs_too(place: Path) -> None:
    evaluation = evaluated(place, "--judge", "debatrix", "--model", "offline/good", "--yes")
    (one,) = evaluation["accuracies"]
    assert (one["pairs"], one["missing"]) == (3, 0)
    assert evaluation["models"] == [], "it is none of the paper's architectures"
