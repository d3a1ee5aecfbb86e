"""docs/papers.md: every table and figure of the five papers has a command, which runs.

The page's outputs are made anew with `python -m tests.test_papers_page`.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from itertools import repeat
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.support.author_records import write_records
from tests.support.paper_tournaments import (
    PAGE,
    ROOT,
    Section,
    debate_of,
    outputs,
    play,
    print_row,
    printed_outputs,
    sections,
)
from tests.support.played_tournaments import played_once
from tests.support.translation_estimators import installed

_TEXT = PAGE.read_text("utf-8")
SECTIONS = sections(_TEXT)
#: The tables and figures of each paper, as its rows begin.
CONTENTS = {
    "Agent4Debate": [
        *(f"Table {n}" for n in range(1, 10)),
        *(f"Figure {n}" for n in range(1, 4)),
        "section on the arena's results",
        "hyper-parameters",
    ],
    "Debatrix": ["judges against people", "hyper-parameters"],
    "MORE and SAMRE": ["Table 1", "Table 2", "Table 3", "appendix E", "hyper-parameters"],
    "Debate-to-Write": [
        "Table 1",
        "Table 2",
        *(f"Figure {n}" for n in (1, 2, 3, 4, 11)),
        "hyper-parameters",
    ],
    "Multi-agent debate": [
        *(f"Table {n}" for n in (1, 2, 3, 5, 7, 12)),
        *(f"Figure {n}" for n in range(1, 6)),
        *(f"Table {n} of v4" for n in (1, 3, 4, 5, 6)),
        "Algorithm 1",
        "hyper-parameters",
    ],
}
#: Further labels that stand for several tables or figures.
RANGES = {
    "Agent4Debate": ["Figures 4 to 7"],
    "Debate-to-Write": ["Figures 5 to 7", "Figures 8 to 10"],
    "Multi-agent debate": ["Tables 4 and 6", "Tables 8 to 11"],
    "MORE and SAMRE": ["Algorithms 1 to 3"],
}
#: What a command prints: its columns, as a pattern.
COLUMNS = {
    "arena paper-tables -t arena66": r"first +second +source  language  argument  overall",
    "arena paper-tables -t people": r"all people against each framework \(Table 5\)",
    "arena judges -t": r"judge +people +by +debates +accuracy +winners +ties",
    "arena trace": r"participant +stage",
    "arena show ID --ballots": r"── Ballots ──",
    "arena show ID --trace": r"how it was made",
    "arena show ID --calls": r"━━ .* offline/",
    "arena matrix": r"predicted",
    "arena judges evaluate pairs16 --benches defences --yes": r"MORE +SAMRE +SAMRE without juries",
    "arena judges evaluate pairs16 --benches advocates": r"softmax",
    "arena judges evaluate pairs16 --benches defences --reworded": r"[Rr]eworded",
    "arena paper-tables -t refutations": r"relevance ↑ +preference ↑ +self-BLEU ↓",
    "arena marks": r"relevance",
    "arena diversity": r"self-BLEU",
    "arena rank show": r"dimension +participant +score +first +rankings +essays",
    "arena accuracy": r"participant +accuracy +95 % interval",
    "arena mad verdicts": r"affirmative +negative",
    "arena mad disagreement": r"participant +iteration +disagreement",
    "arena mad quality": r"participant +after iteration +accuracy",
    "arena mad levels": r"participant +level +accuracy",
    "arena mad levels papers/mad-mt --prompts": r"mad-level-3 \(en\)",
    "arena prompts": r"\[system\]|\ntemperature = ",
    "arena judges evaluate pairs16 --benches papers/more-samre": r"calls, in order",
    "arena mad records": r"method +accuracy",
    "arena mad bias": r"participant +debater +bias +diversity",
}

#: What the table of a row prints where its command prints several: its title, its columns, and
#: signs of its figures.
_CATEGORIES = r"participant +all +fact +policy +value\n"
TABLES = {
    "Table 1": r"points out of 3, .* \(Tables 1, 2\)\n\nfirst +second +source +language +argument",
    "Table 3": rf"debatrix-Elo overall and by category \(Tables 3, 4\)\n\n{_CATEGORIES}",
    "Table 4": rf"human-Elo overall and by category \(Tables 3, 4\)\n\n{_CATEGORIES}",
    "Table 7": rf"about the median \(Table 7\)\n\n{_CATEGORIES}\S+ +\d+ \+\d+/−\d+",
    "section on": r"debatrix-Elo: convergence .*\n\ndebates each +mean distance +largest",
}

#: Where a command's figures are compared with a table worked by hand: columns, and signs.
_ROUNDS = "arena/papers/rounds/test_measures.py"
_LABELLED = "judges/studies/labelled"
_ESSAYS = "arena/papers/commands/test_essay_tables.py"
WORKED = {
    "arena paper-tables -t arena66": [
        "arena/report/test_head_to_head.py::test_points_are_means_over_both_sides",
        "arena/report/test_head_to_head.py::test_a_table_has_a_row_for_each_pair",
        "ratings/model/test_bradley_terry.py::test_the_penalised_maximum_of_two_by_hand",
        "arena/papers/test_agent4debate_tables.py::test_ratings_stand_by_category_in_the_order_of_the_whole",
        "ratings/resampling/test_bootstrap.py::test_the_ends_are_percentiles_of_the_replicates",
        "arena/papers/test_agent4debate_tables.py::test_intervals_go_up_and_down_from_the_median",
    ],
    "arena paper-tables -t people": [
        "arena/papers/test_agent4debate.py::test_all_people_are_one_against_each_framework",
    ],
    "arena judges -t": [
        "arena/report/test_consistency.py::test_runs_are_compared_two_by_two",
        "judges/studies/agreement/test_people.py::test_by_debates_the_peoples_majority_counts",
    ],
    "arena trace": [
        "arena/report/traces/test_steps.py::test_figures_are_means_per_speech_of_a_stage",
        "arena/commands/test_trace.py::test_a_participant_is_told_by_stage",
    ],
    "arena matrix": [
        "ratings/test_matrices.py::test_four_hundred_points_are_ten_to_one",
        "arena/commands/test_matrix.py::test_predictions_follow_the_ratings_of_the_board",
    ],
    "arena judges evaluate pairs16 --benches defences --yes": [
        f"{_LABELLED}/test_accuracy.py::test_ties_are_counted_apart",
        f"{_LABELLED}/test_accuracy.py::test_the_tests_are_those_of_scipy_and_statsmodels",
        f"{_LABELLED}/test_evaluate_command.py::test_the_tables_have_the_form_of_the_paper",
    ],
    "arena judges evaluate pairs16 --benches advocates": [
        f"{_LABELLED}/test_recounts.py::test_rounds_until_a_gap_are_compared_pair_by_pair",
        f"{_LABELLED}/test_recounts.py::test_jurors_marks_are_ranked_and_averaged",
        f"{_LABELLED}/test_score_gaps.py::test_totals_come_from_a_trace_in_one_order_or_in_two",
        "judges/methods/test_more.py::test_the_weights_are_those_of_a_hand",
    ],
    "arena judges evaluate pairs16 --benches defences --reworded": [
        f"{_LABELLED}/test_rewording.py::test_a_judge_that_the_wording_decides_for_is_found_out",
        f"{_LABELLED}/test_concordance.py"
        "::test_advocates_and_jurors_are_compared_as_they_pleaded_and_voted",
    ],
    "arena paper-tables -t refutations": [
        f"{_ESSAYS}::test_quality_and_diversity_stand_in_one_table",
        f"{_ESSAYS}::test_the_flow_of_the_discussions_is_counted",
        f"{_ESSAYS}::test_the_teams_of_one_proposition_stand_below_each_other",
    ],
    "arena marks": [f"{_ESSAYS}::test_marks_are_means_of_one_to_five"],
    "arena diversity": [f"{_ESSAYS}::test_diversity_of_two_essays_is_what_they_share"],
    "arena rank show": [
        "arena/papers/commands/test_rank.py::test_essays_are_set_out_without_names_and_ranked",
    ],
    "arena accuracy": [
        "arena/papers/test_accuracy.py::test_accuracy_is_the_share_of_right_answers",
        "arena/papers/test_accuracy.py::test_translations_have_their_likeness_and_peoples_marks",
        "arena/papers/test_accuracy.py::test_an_estimators_column_is_the_mean_over_all_answers",
    ],
    "arena mad verdicts": [
        f"{_ROUNDS}::test_verdicts_stand_beside_the_models_and_the_judges_own",
    ],
    "arena mad records": [
        "arena/papers/rounds/test_author_records.py"
        "::test_methods_are_measured_beside_the_published_figures",
        "arena/papers/rounds/test_author_records.py::test_ends_are_counted_by_round_and_side",
    ],
    "arena mad disagreement": [f"{_ROUNDS}::test_disagreement_is_a_mean_of_means_per_iteration"],
    "arena mad quality": [f"{_ROUNDS}::test_quality_counts_what_stood_after_each_iteration"],
    "arena mad levels": [
        f"{_ROUNDS}::test_levels_are_in_order_with_the_disagreement_of_whole_debates",
    ],
    "arena mad bias": [
        f"{_ROUNDS}::test_bias_is_the_share_of_wrong_answers_and_diversity_is_from_the_first",
    ],
}
#: Where boards are stored and kept, which no command of the page reads, for a third of the time.
STORING = (
    "arena.commands.vote",
    "arena.console.play_tournament",
    "arena.papers.commands.rank",
    "arena.tournament.run",
)
#: Commands that show or write texts, of which nothing is calculated.
TEXTS = ("show", "export", "serve", "prompts", "motions list")
PLAIN = re.compile(r"--(dry-run|prompts)\b")


#: What commands printed, by the title of their section and themselves.
Printed: TypeAlias = Mapping[tuple[str, str], str]


def _slug(heading: str) -> str:
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return kept.replace(" ", "-")


def test_every_table_and_figure_has_a_row() -> None:
    assert [section.title for section in SECTIONS] == list(CONTENTS)
    for section in SECTIONS:
        labels = [row.label.partition(":")[0].partition(",")[0] for row in section.rows]
        expected = CONTENTS[section.title] + RANGES.get(section.title, [])
        assert [label for label in expected if label not in labels] == [], section.title


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.title)
def test_every_row_has_a_command_and_its_output(section: Section) -> None:
    for row in section.rows:
        assert row.command.startswith("arena "), row.label
        (target,) = re.findall(r"\]\((.*?)\)$", row.link)
        file, _, anchor = target.partition("#")
        text = (PAGE.parent / file).read_text("utf-8") if file else _TEXT
        headings = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
        assert anchor in {_slug(heading) for heading in headings}, f"{row.label}: {target}"


def test_the_plans_on_real_models_are_all_named() -> None:
    named = set(re.findall(r"(?:run|--benches) (papers/[\w-]+)", _TEXT))
    folders = (ROOT / "arena" / "examples" / "papers", ROOT / "judges" / "examples" / "papers")
    assert named == {f"papers/{file.stem}" for folder in folders for file in folder.iterdir()}


def test_every_figure_is_worked_by_hand_somewhere() -> None:
    texts = tuple(f"arena {name}" for name in TEXTS)
    commands = {row.command for section in SECTIONS for row in section.rows}
    counted = {name for name in commands if not name.startswith(texts) and not PLAIN.search(name)}
    assert {name for name in counted if not name.startswith(tuple(WORKED))} == set()
    assert {name for name in WORKED if not any(map(str.startswith, counted, repeat(name)))} == set()
    for named in {place for places in WORKED.values() for place in places}:
        file, _, function = named.partition("::")
        text = (Path(__file__).parent / file).read_text("utf-8")
        assert f"\ndef {function}(" in text, named


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the small tournaments of all sections were played."""

    def play_all(folder: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            for module in STORING:
                for name in ("store_boards", "keep_boards"):
                    patch.setattr(f"{module}.{name}", lambda _store, _resolved: None, raising=False)
            for section in SECTIONS:
                play(section)

    return played_once(tmp_path_factory, "papers", play_all)


@pytest.fixture(scope="module")
def printed(played: Path, tmp_path_factory: pytest.TempPathFactory) -> Printed:
    """Every command of the tables, run once on a copy of what was played."""
    folder = tmp_path_factory.mktemp("papers") / "copy"
    shutil.copytree(played, folder)
    write_records(folder / "Multi-Agents-Debate" / "data" / "CommonMT" / "Lexical_Ambiguity")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("COLUMNS", "80")
        with installed(tmp_path_factory.mktemp("estimators"), patch):
            return _print({row.command for section in SECTIONS for row in section.rows})


def _print(commands: set[str]) -> Printed:
    """Run those of the tables' commands in this folder, where the tournaments were played."""
    printed = {}
    for section in SECTIONS:
        debate_id = debate_of(section)
        for row in {row.command: row for row in section.rows if row.command in commands}.values():
            printed[section.title, row.command] = print_row(row, section.database, debate_id)
    return printed


@pytest.mark.slow
def test_every_command_runs_and_prints_its_columns(printed: Printed) -> None:
    faults = []
    for (title, command), text in printed.items():
        patterns = [pattern for start, pattern in COLUMNS.items() if command.startswith(start)]
        if not text.strip() or not all(re.search(pattern, text) for pattern in patterns[-1:]):
            faults.append((title, command, patterns[-1:], text[:1500]))
    assert faults == []


@pytest.mark.slow
def test_tables_of_the_arena_are_those_of_their_rows(printed: Printed) -> None:
    section = next(section for section in SECTIONS if section.title == "Agent4Debate")
    for label, pattern in TABLES.items():
        (row,) = (row for row in section.rows if row.label.startswith(label))
        assert re.search(pattern, printed[section.title, row.command]), row.label


@pytest.mark.slow
def test_the_outputs_are_those_of_the_page(printed: Printed) -> None:
    assert printed_outputs(_TEXT, printed) == _TEXT


def _table(text: str, head: str) -> list[list[str]]:
    """Return the cells of the first table whose head begins with these words."""
    lines = text.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith(head))
    rows = []
    for line in lines[first + 1 :]:
        if not line.strip():
            break
        rows.append(re.split(r"\s{2,}", line.strip()))
    return rows


@pytest.mark.slow
def test_points_of_two_sides_are_three(printed: Printed) -> None:
    text = printed["Agent4Debate", "arena paper-tables -t people"]
    section = text.partition("all people against each framework")[2]
    (row,) = _table(section, "first")
    # Three runs on each of two debates: agent4debate wins all of them against a text of one line.
    assert row[:2] == ["agent4debate", "Human"]
    assert [float(cell) for cell in row[2:]] == [3.0] * 4


@pytest.mark.slow
def test_bias_is_what_accuracy_leaves(printed: Printed) -> None:
    bias = _table(printed["Multi-agent debate", "arena mad bias -t mad"], "participant")
    accuracy = _table(printed["Multi-agent debate", "arena accuracy -t mad"], "participant")
    right = {row[0]: float(row[1]) for row in accuracy}
    assert len(bias) >= 5
    for name, _, wrong, *_ in bias:
        assert float(wrong) == pytest.approx(100 * (1 - right[name]), abs=0.06), name


@pytest.mark.slow
def test_verdicts_are_counted_once_per_answer(printed: Printed) -> None:
    text = printed["Multi-agent debate", "arena mad verdicts -t mad"]
    answers = {row[0]: row[3] for row in _table(
        printed["Multi-agent debate", "arena accuracy -t mad"], "participant"
    )}  # fmt: skip
    sums = _verdict_sums(text)
    assert sums and all(str(total) == answers[name] for name, total in sums.items())


def _verdict_sums(text: str) -> dict[str, int]:
    """Return the sum of the three counts of each participant; wide tables come in parts."""
    counts: dict[str, int] = {}
    head: list[str] = []
    for line in text.partition("published")[0].splitlines():
        cells = re.split(r"\s{2,}", line.strip())
        if cells[0] == "participant":
            head = cells
        elif len(cells) == len(head):
            named = dict(zip(head, cells, strict=True))
            values = (named.get(key, "") for key in ("affirmative", "negative", "none"))
            numbers = [int(value) for value in values if value.isdigit()]
            counts[cells[0]] = counts.get(cells[0], 0) + sum(numbers)
    return counts


@pytest.mark.slow
def test_gains_are_differences_of_accuracies(printed: Printed) -> None:
    text = printed["MORE and SAMRE",
                           "arena judges evaluate pairs16 --benches defences --yes"]  # fmt: skip
    (accuracy,) = (row for row in _table(text, "model  ") if row[0].startswith("offline/"))
    shares = [float(cell.split()[0]) for cell in accuracy[1:]]
    gains = text.partition("Gains over the baseline")[2]
    (row,) = (row for row in _table(gains, "model  ") if row[0].startswith("offline/"))
    assert float(row[1]) == pytest.approx(shares[1] - shares[0], abs=0.011)
    assert float(row[2].rstrip("%")) == pytest.approx(100 * (shares[1] / shares[0] - 1), abs=1.2)
    assert float(row[3]) == pytest.approx(shares[3] - shares[0], abs=0.011)
    tests = text.partition("(the form of Table 3)")[2]
    (row,) = (row for row in _table(tests, "model  ") if row[0].startswith("offline/"))
    assert (float(row[1]) > 0) == (shares[3] > shares[0])


@pytest.mark.slow
def test_win_rates_of_a_pair_are_one_hundred(printed: Printed) -> None:
    text = printed["Agent4Debate",
                           "arena matrix -t arena66 --bench debatrix --predicted"]  # fmt: skip
    rows = [line.split() for line in text.splitlines() if re.match(r"^ *\d+ +[a-z]", line)]
    rates = [[int(cell) for cell in row[2:] if cell.isdigit()] for row in rows]
    rates = [row for row in rates if row]
    assert len(rates) >= 4
    for first, row in enumerate(rates):
        assert len(row) == len(rates) - 1
        for second in range(first):
            other = rates[second][first - 1]
            assert abs(row[second] + other - 100) <= 1


def main() -> None:
    """Write the outputs of the page anew."""
    os.environ["COLUMNS"] = "80"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for section in SECTIONS:
            play(section)
        shown = {command for _, command, _ in outputs(_TEXT)}
        PAGE.write_text(printed_outputs(_TEXT, _print(shown)), "utf-8")


if __name__ == "__main__":
    main()
