"""Pairs of answers to one task, as judges hear them: essays of a contest, or labelled pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from statistics import fmean

from arena.judge import Hearing, Judge, Judgement
from arena.languages import SIDES, Language, Side
from arena.languages.pairs import of_pairs
from arena.llm.concurrency import together
from arena.llm.model import LanguageModel
from arena.records import Speech, Step, Verdict
from motions import Wording
from ratings import CON_WINS, PRO_WINS, TIE

#: The agent of the steps that hold what was said in each order.
ORDER = "order"


def hear_pair(  # noqa: PLR0913 - a hearing has as many parts
    task: str,
    answers: tuple[Speech, Speech],
    *,
    language: Language,
    model: LanguageModel,
    background: str = "",
    families: frozenset[str] = frozenset(),
) -> Hearing:
    """Two answers to one task before a judge.

    Args:
        task: what both were asked; it enters prompts as a quotation.
        answers: the first is Answer A, and stands for Pro in the verdicts.
        language: of the task and the answers.
        model: the bench's.
        background: of the task, where there is any.
        families: as a hearing has them.
    """
    first, second = answers
    if (first.side, second.side) != SIDES:
        raise ValueError("of a pair, the first answer is Pro's and the second is Con's")
    return Hearing(
        motion=task,
        info_slide=background,
        language=of_pairs(language),
        speeches=answers,
        model=model,
        families=families,
        pair=True,
    )


def hear_essays(
    wording: Wording,
    speeches: Sequence[Speech],
    language: Language,
    *,
    model: LanguageModel,
    families: frozenset[str],
) -> Hearing:
    """Both refutations of one motion before a judge."""
    first, second = speeches
    return hear_pair(
        of_pairs(language).terms["refute"].format(wording.text),
        (first, second),
        language=language,
        model=model,
        background=wording.info_slide,
        families=families,
    )


def answer(side: Side, text: str, language: Language) -> Speech:
    """A bare text as one answer of a pair."""
    return Speech(side=side, stage="answer", text=text, words=language.count(text))


async def judge_both_orders(judge: Judge, hearing: Hearing) -> Judgement:
    """Judge a pair as it stands and exchanged, side by side: only what wins in both orders wins.

    A winner that flips is a tie (as in Zheng et al. 2023, arXiv 2306.05685), and so is one that
    only one order has. Marks are the means of both. The trace keeps both judgements, each as it
    was given but for its sides: those of the exchanged pair are turned back.

    Raises:
        ContentFault: the judge could not be understood in one of the orders.
        InfrastructureFault: the provider failed for good.
    """
    given, exchanged = await together(
        judge.judge(_placed(hearing, "given")),
        judge.judge(_placed(_exchanged(hearing), "exchanged")),
    )
    turned = tuple(map(_turned, exchanged.verdicts))
    terms = hearing.language.terms
    verdicts = tuple(
        _agreed(one, other, heads=(terms["as_given"], terms["exchanged"]))
        for one, other in zip(given.verdicts, turned, strict=True)
    )
    trace = (_step("given", given, given.verdicts), _step("exchanged", exchanged, turned))
    return Judgement(verdicts=verdicts, rationale=verdicts[-1].comment, trace=trace)


def flipped(trace: Sequence[Step]) -> bool | None:
    """Whether the winner of a stored ballot changed with the order.

    `None` where only one order was judged. A ballot that has a winner in one order alone is a
    tie, but nothing flipped.
    """
    outcomes = {
        verdict["outcome"]
        for step in trace
        if step.get("agent") == ORDER
        for verdict in step["verdicts"]
        if verdict["dimension"] == "overall"
    }
    return {PRO_WINS, CON_WINS} <= outcomes if outcomes else None


def orders(trace: Sequence[Step]) -> list[tuple[bool, Sequence[Step]]]:
    """How a ballot came about in each order, and whether the pair was exchanged in it.

    Of a ballot in one order that is its trace as it stands. Steps of the exchanged pair are not
    turned back: their Pro is the second answer.
    """
    found = [
        (step["order"] == "exchanged", step["steps"])
        for step in trace
        if step.get("agent") == ORDER
    ]
    return found or [(False, trace)]


def _placed(hearing: Hearing, order: str) -> Hearing:
    return replace(hearing, model=hearing.model.under(f"order/{order}/"))


def _exchanged(hearing: Hearing) -> Hearing:
    first, second = hearing.speeches
    return replace(hearing, speeches=(replace(second, side="pro"), replace(first, side="con")))


def _turned(verdict: Verdict) -> Verdict:
    return replace(
        verdict,
        outcome=PRO_WINS - verdict.outcome,
        pro_mark=verdict.con_mark,
        con_mark=verdict.pro_mark,
    )


def _agreed(one: Verdict, other: Verdict, *, heads: tuple[str, str]) -> Verdict:
    told = [f"{head}: {said.comment}" for head, said in zip(heads, (one, other), strict=True)]
    return replace(
        one,
        outcome=one.outcome if one.outcome == other.outcome else TIE,
        pro_mark=fmean((one.pro_mark, other.pro_mark)),
        con_mark=fmean((one.con_mark, other.con_mark)),
        comment="\n".join(told),
    )


def _step(order: str, judged: Judgement, verdicts: Sequence[Verdict]) -> Step:
    return {
        "agent": ORDER,
        "order": order,
        "verdicts": [asdict(one) for one in verdicts],
        "rationale": judged.rationale,
        "steps": [dict(step) for step in judged.trace],
    }
