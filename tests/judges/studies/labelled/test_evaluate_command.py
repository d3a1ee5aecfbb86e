"""`arena judges evaluate` as a user calls it: who is right, and what is taken once."""

from __future__ import annotations

import json
import re
from pathlib import Path

import duckdb
import pytest

from arena.errors import InfrastructureFault
from arena.llm.request import Completion, Request
from arena.store.database import Store
from judges.studies.ballots import read_taken
from tests.support.command_line import arena, done, refused
from tests.support.debate_seats import texts
from tests.support.evaluations import bench, evaluated, evaluation, write_pairs
from tests.support.paired_answers import comparing, pair_card
from tests.support.probes import ask
from tests.support.scripted_backend import completion

ROWS = [
    ("Why?", "A good answer.", "A bad answer.", "a", "1", "x"),
    ("How?", "Another good one.", "Something bad.", "a", "2", "x"),
    ("Who?", "Bad again.", "The last good one.", "b", "3", "y"),
    ("Who?", "Just as good.", "Equally good.", "tie", "4", "y"),
]
BENCHES = (
    bench("once", "single"),
    bench("both", "single", swap=True),
    {"name": "three", "judge": "more", "model": "offline/fair"},
    bench("rounds", "samre", options={"jurors": 0, "early_stop": False}),
    bench("alone", "samre", options={"jurors": 0}),
)
SINGLE = ("--judge", "single", "--model", "offline/fair")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with three questions, whose good answers say so: A, A, B wins and a tie."""
    return write_pairs(tmp_path, ROWS, *BENCHES, limits={"usd": 3.0})


def knowing(request: Request) -> str | Completion:
    """A judge that knows a good answer from a bad one; and that likes the first of two good."""
    if request.task not in ("judge.criteria", "judge.round"):
        return "Said."
    good = ["good" in text for text in texts(request, "answer")]
    scores = (12, 10) if good[0] else (8, 9)
    return str(comparing(*scores)(request))


def test_a_judge_that_knows_is_always_right(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(monkeypatch, knowing)
    reported = evaluated(place, *SINGLE)
    (one,) = reported["accuracies"]
    assert (one["pairs"], one["right"], one["share"], one["ties"]) == (3, 3, 1.0, 0)
    assert (one["even"], one["even_right"], one["missing"]) == (1, 0, 0)
    assert one["flip_rate"] is None and one["usd_per_right"] == 0
    assert reported["simulated"] is True and reported["contrasts"] == []
    assert reported["published"]["accuracy"]["GPT-4o"] == [0.84, 0.87, 0.89, 0.91]


def test_benches_of_a_file_are_compared_on_the_same_pairs(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = ask(monkeypatch, knowing)
    reported = evaluated(place)
    assert [one["bench"] for one in reported["accuracies"]] == [
        *("once", "both", "three", "rounds", "alone")
    ]
    both = reported["accuracies"][1]
    assert both["flip_rate"] == 0.25, "of two good ones it likes whichever stands first"
    assert both["even_right"] == 1, "so it calls them a tie"
    assert len(reported["contrasts"]) == 10
    (model,) = reported["models"]
    assert model["benches"] == {"baseline": "once", "more": "three", "samre_alone": "alone"}
    (apart,) = model["apart"]
    assert apart["pairs"] == 4 and apart["difference"] == 0
    (gaps,) = reported["gaps"]
    assert gaps["bench"] == "rounds" and gaps["model"]["runs"] == 4
    assert gaps["model"]["steps"] == 4 * 3 and gaps["model"]["grew"] == 0
    assert gaps["model"]["mean"] == pytest.approx(1 / 14)
    assert set(reported["categories"]) == {"x", "y"}
    # once 1, both orders 2, three runs of nine, four rounds of 5 less 2, two rounds of 5 less 2
    assert len(backend.requests) == 4 * (1 + 2 + 3 * 9 + 18 + 8)


def test_the_tables_have_the_form_of_the_paper(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(monkeypatch, knowing)
    shown = done(*evaluation(place, "--format", "markdown"))
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
    reported = evaluated(place, *SINGLE)
    assert len(backend.requests) == 5
    assert (reported["accuracies"][0]["pairs"], reported["repeats"]) == (4, 1)
    evaluated(place, *SINGLE, "--swap")
    assert len(backend.requests) == 5 + 2 * 5, "both orders are another bench"


def test_repeats_of_pairs_under_new_ids_change_no_figure(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(monkeypatch, knowing)
    words = ("--reworded",)
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
    shown = done(*evaluation(place, *SINGLE))
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

    limits = {"retries": 0, "give_up_after": 0.05}
    write_pairs(place, ROWS, bench("m", "more"), limits=limits)
    words = ("--concurrency", "1")
    ask(monkeypatch, failing)
    reported = evaluated(place, *words, code=1)
    assert reported["accuracies"][0]["missing"] == 3
    second = ask(monkeypatch, knowing)
    reported = evaluated(place, *words)
    assert reported["accuracies"][0]["missing"] == 0
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
    stopped = arena(*evaluation(place, *words, "--usd", "0.025"))
    assert stopped.exit_code == 1
    assert "spending cap: 0.03 USD" in stopped.output
    assert "Stopped: the spending cap" in stopped.output
    assert len(backend.requests) == 2
    reported = evaluated(place, *words, "--usd", "1")
    assert len(backend.requests) == 4
    (one,) = reported["accuracies"]
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
    reported = evaluated(place, *SINGLE, code=1)
    (one,) = reported["accuracies"]
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


def test_options_calls_and_prompts_are_printed_of_each_kind_of_judge(place: Path) -> None:
    words = ("judges", "evaluate", "pairs16", "--benches", "papers/more-samre", "--prompts")
    baseline, both = done(*words, "both").split("══ more llama-3-8b, paper ══", 1)
    assert baseline.count("══ baseline llama-3-8b, ") == 2 * 2 * 3, "presets, languages, parts"
    paper, default = both.split("══ more llama-3-8b, default ══", 1)
    calls, prompts, *_ = (line for line in paper.splitlines() if line.startswith("══"))
    assert calls == "══ more llama-3-8b, paper (en): 9 calls, in order ══"
    assert prompts == "══ more llama-3-8b, paper (en): 3 prompts ══"
    assert '\nscores = "defences"\n' in paper and '\nscores = "answers"\n' in default
    order = re.findall(r"^run/0/round/1/(\S+) · \S+$", paper.partition(prompts)[0], re.MULTILINE)
    assert order[3:5] == ["pro/aggregate", "con/advocate/1"] and order[-1] == "judge"
    assert "a_feedback" in paper and "qwen" not in paper + default, "one for all six models"
    assert "══ baseline llama-3-8b ══" in done(*words, "given")
    jury = ("--judge", "jury", "--model", "offline/fair", "--option", 'members=[{judge="single"}]')
    message = refused(*words[:3], *jury, "--prompts", "paper")
    assert "none of the judges has a paper's preset" in message
    assert not list(place.glob("*.duckdb"))


def test_the_shipped_pairs_and_benches_go_together(tmp_path: Path) -> None:
    words = ("judges", "evaluate", "pairs16", "--db", tmp_path / "x.duckdb", "--yes")
    printed = done(*words, "--judge", "single", "--model", "offline/good")
    assert "pairs16 · judges against people · simulated models" in printed
    assert "en, zh; judges: single (single, 1 run)" in printed
    plan = done(*words, "--benches", "offline", "--dry-run")
    assert "samre-rounds (samre, 1 run)" in plan and "single-swap (single, 1 run, both" in plan


def test_benches_of_a_file_may_be_put_on_another_model(place: Path) -> None:
    content = evaluated(place, "--benches", "defences", "--model", "offline/strong")
    (model,) = content["models"]
    assert model["model"] == "offline/strong"
    assert set(model["benches"]) == {"baseline", "more", "samre", "samre_alone"}


def test_a_database_that_a_kill_left_without_tables_is_as_good_as_none(place: Path) -> None:
    duckdb.connect(str(place / "own.duckdb")).close()
    assert "single" in done(*evaluation(place, *SINGLE))


def test_debatrix_compares_labelled_pairs_too(place: Path) -> None:
    reported = evaluated(place, "--judge", "debatrix", "--model", "offline/good")
    (one,) = reported["accuracies"]
    assert (one["pairs"], one["missing"]) == (3, 0)
    assert reported["models"] == [], "it is none of the paper's architectures"


BENCH = """
[[benches]]
name = "once"
judge = "single"
model = "offline/fair"
"""


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """A file with one labelled pair."""
    row = {"question": "Why?", "answer_a": "So.", "answer_b": "Not so.", "winner": "a"}
    (tmp_path / "own.jsonl").write_text(json.dumps(row), "utf-8")
    return tmp_path / "own.jsonl"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no judges are named. Use --judge single"),
        (["--benches", "nothing"], "no such example. Examples: advocates, defences, offline"),
        (["--benches", "nothing.toml"], "nothing.toml: cannot be read"),
        (["--benches", "offline", "--runs", "2"], "--benches already describes the judges. Leave"),
        (["--judge", "human"], "--judge: 'human' does not ask a model about pairs"),
        (["--benches", "."], ".: is a directory. Name a file in it."),
        (["--judge", "correctness"], "'correctness' does not ask a model about pairs"),
        (["--judge", "judge-judy"], "--judge: unknown judge 'judge-judy'. Known: correctness, "),
        (
            ["--judge", "nope", "--model", "offline/fair"],
            "--judge: unknown judge 'nope'. Known: correctness, ",
        ),
        (["--judge", "single"], "--model: missing. Write provider/name"),
        (["--judge", "single", "--judge", "more", "--option", "advocates=2"], "one --judge"),
        (
            ["--judge", "single", "--model", "offline/fair", "--option", "jurors=2"],
            "options.jurors: unknown option",
        ),
        (["--judge", "single", "--column", "winner"], "write OURS=THEIRS"),
    ],
)
def test_judges_that_cannot_sit_are_refused(words: list[str], message: str, pairs: Path) -> None:
    db = pairs.with_name("own.duckdb")
    assert message in refused("judges", "evaluate", pairs, "--db", db, *words)
    assert not db.exists()


def test_an_unknown_table_of_a_file_is_refused(pairs: Path) -> None:
    file = pairs.with_name("benches.toml")
    file.write_text(BENCH + "[judge]\nx = 1\n", "utf-8")
    words = ("--benches", file, "--db", pairs.with_name("own.duckdb"))
    message = refused("judges", "evaluate", pairs, *words)
    assert "benches.toml: judge: unknown key" in message
