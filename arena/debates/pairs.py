"""Pairs of answers to one task, put before a judge: essays of a contest, or labelled pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from statistics import fmean
from typing import TYPE_CHECKING

from arena.judge import Hearing, Judge, Judgement
from arena.languages import SIDES, Language, Side
from arena.languages.language import pair_language
from arena.llm.concurrency import together
from arena.records import ORDER, Speech, Step, Verdict
from ratings import CON_WINS, PRO_WINS, TIE

if TYPE_CHECKING:  # models are called only in a debate
    from arena.llm.model import LanguageModel


def hear_pair(  # noqa: PLR0913 - a hearing has as many parts
    task: str,
    answers: tuple[Speech, Speech],
    *,
    language: Language,
    model: LanguageModel,
    background: str = "",
    families: frozenset[str] = frozenset(),
) -> Hearing:
    """Return the hearing of two answers to one task.

    Args:
        task: the task that both answer; prompts show it as a quotation.
        answers: the first is Answer A, which is Pro in the verdicts, the second Answer B.
        families: model families of the authors, as in `Hearing`.

    Raises:
        ValueError: the first answer is not Pro's or the second is not Con's.
    """
    first, second = answers
    if (first.side, second.side) != SIDES:
        raise ValueError("the first answer of a pair must be Pro's and the second Con's")
    return Hearing(
        motion=task,
        info_slide=background,
        language=pair_language(language),
        speeches=answers,
        model=model,
        families=families,
        pair=True,
    )


def answer_speech(side: Side, text: str, language: Language) -> Speech:
    """Return a text as the answer of one side of a pair."""
    return Speech(side=side, stage="answer", text=text, words=language.count(text))


async def judge_both_orders(judge: Judge, hearing: Hearing) -> Judgement:
    """Judge a pair in the given and in the exchanged order, at the same time.

    An answer wins where it wins in both orders; else the outcome is a tie, as in Zheng et al.
    2023 (arXiv 2306.05685). Marks are the means of both orders. The trace keeps both judgements;
    in the one of the exchanged order, outcomes and marks are those of the given order's sides.
    """
    original, exchanged = await together(
        judge.judge(_with_path(hearing, "given")),
        judge.judge(_with_path(_exchange(hearing), "exchanged")),
    )
    restored = tuple(map(_swap_sides, exchanged.verdicts))
    terms = hearing.language.terms
    verdicts = tuple(
        _combine(first, second, heads=(terms["as_given"], terms["exchanged"]))
        for first, second in zip(original.verdicts, restored, strict=True)
    )
    trace = (_step("given", original, original.verdicts), _step("exchanged", exchanged, restored))
    return Judgement(verdicts=verdicts, rationale=verdicts[-1].comment, trace=trace)


def winner_flipped(trace: Sequence[Step]) -> bool | None:
    """Tell whether the winner of a stored ballot changed with the order.

    Returns:
        None where only one order was judged; False where one order is a tie.
    """
    outcomes = {
        verdict["outcome"]
        for step in trace
        if step.get("agent") == ORDER
        for verdict in step["verdicts"]
        if verdict["dimension"] == "overall"
    }
    return {PRO_WINS, CON_WINS} <= outcomes if outcomes else None


def steps_by_order(trace: Sequence[Step]) -> list[tuple[bool, Sequence[Step]]]:
    """Return (exchanged, steps) for each order in which a stored ballot was judged.

    A ballot that was judged in one order has one item: (False, the whole trace). In the steps of
    the exchanged order, Pro is the second answer of the pair.
    """
    judged_orders = [
        (step["order"] == "exchanged", step["steps"])
        for step in trace
        if step.get("agent") == ORDER
    ]
    return judged_orders or [(False, trace)]


def _with_path(hearing: Hearing, order: str) -> Hearing:
    return replace(hearing, model=hearing.model.under(f"order/{order}/"))


def _exchange(hearing: Hearing) -> Hearing:
    first, second = hearing.speeches
    return replace(hearing, speeches=(replace(second, side="pro"), replace(first, side="con")))


def _swap_sides(verdict: Verdict) -> Verdict:
    return replace(
        verdict,
        outcome=PRO_WINS - verdict.outcome,
        pro_mark=verdict.con_mark,
        con_mark=verdict.pro_mark,
    )


def _combine(first: Verdict, second: Verdict, *, heads: tuple[str, str]) -> Verdict:
    comments = [
        f"{head}: {verdict.comment}" for head, verdict in zip(heads, (first, second), strict=True)
    ]
    return replace(
        first,
        outcome=first.outcome if first.outcome == second.outcome else TIE,
        pro_mark=fmean((first.pro_mark, second.pro_mark)),
        con_mark=fmean((first.con_mark, second.con_mark)),
        comment="\n".join(comments),
    )


def _step(order: str, judgement: Judgement, verdicts: Sequence[Verdict]) -> Step:
    return {
        "agent": ORDER,
        "order": order,
        "verdicts": [asdict(verdict) for verdict in verdicts],
        "rationale": judgement.rationale,
        "steps": [dict(step) for step in judgement.trace],
    }
