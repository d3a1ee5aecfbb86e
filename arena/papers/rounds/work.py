"""The rounds in which `mad` and `self_reflect` made their answers, read from the traces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile
from statistics import fmean

from arena.papers.judged_speeches import RIGHT, JudgedSpeech, read_judged_speeches
from arena.records import Step
from arena.store.database import Store
from motions import Answers

#: The debater whose inner debates have levels and verdicts.
MAD = "mad"

#: How far a stance is from agreement.
_DISTANCES: Mapping[str, float] = {"agree": 0.0, "partly": 0.5, "disagree": 1.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class LaterAnswer:
    """An answer that was proposed after another one.

    Attributes:
        answer: a debater's answer, or the draft after a critique.
        disagreement: of its author with the one before, 0, 0.5 or 1; None where none was stated.
        responds: whether it is a response to the first debater's answer, or a revision.
    """

    answer: str
    before: str
    disagreement: float | None
    responds: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Iteration:
    """One round of an inner debate, or one critique with what became of the draft.

    Attributes:
        number: counted from 1.
        positions: in their order, without the first answer of all.
        answer: what stands after it: the judge's answer, or the draft; None where the judge gave
            none.
    """

    number: int
    positions: tuple[LaterAnswer, ...]
    answer: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class InnerWork:
    """How one speech or answer was made in rounds.

    Attributes:
        iterations: numbered from 1 without gaps.
        accepted: whether a critic accepted the draft, which therefore stands.
        adaptive: whether a judge could end the debate; there is then no answer of every round.
        verdict: whose answer the judge took: affirmative, negative or none; "" without a judge.
    """

    first: str
    iterations: tuple[Iteration, ...]
    accepted: bool = False
    adaptive: bool = False
    verdict: str = ""

    def answer_after(self, number: int) -> str:
        """Return what stands after a round: the last answer up to it, else the last proposal.

        Args:
            number: of the round; 0 for the first answer. After the last round its answer stands.
        """
        answer, proposal = "", self.first
        for iteration in self.iterations[:number]:
            answer = iteration.answer or answer
            for position in iteration.positions:
                proposal = position.answer
        return answer or proposal

    @property
    def last_response(self) -> str:
        """The last answer that responds to the first one; the first one where none does."""
        responses = [
            position.answer
            for iteration in self.iterations
            for position in iteration.positions
            if position.responds
        ]
        return responses[-1] if responses else self.first


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeAnswer:
    """A speech, or an answer to a question, with the way in which it was made.

    Attributes:
        question: motion id and language.
        correct: share of the bench's ballots that find it right; None without a ballot.
        expected: the right and wrong answers; None where it answers no question.
        work: None where its debater does not work in rounds, or where its rounds are not stored.
        asked: the text of the question or motion.
    """

    participant: str
    debater: str
    question: tuple[str, str]
    text: str
    correct: float | None
    expected: Answers | None
    work: InnerWork | None
    asked: str = ""

    @property
    def cluster(self) -> str:
        """The question as the name of a cluster: answers to one are not independent."""
        return " ".join(self.question)


def read_made_answers(store: Store, tournament: str, *, bench: str) -> list[MadeAnswer]:
    """Read all answers (or speeches) of a tournament's finished debates.

    Args:
        bench: whose verdicts say what is right.
    """
    made = sorted(read_judged_speeches(store, tournament, bench=bench), key=_place)
    return [_made_answer(each) for each in made]


def _place(each: JudgedSpeech) -> tuple[str, ...]:
    debate, speech = each.debate, each.speech
    own = debate.motion_id, debate.language, debate.debate_id
    return each.participant, *own, speech.side, speech.stage


def _made_answer(each: JudgedSpeech) -> MadeAnswer:
    marks = [mark == RIGHT for mark in each.marks("overall") if mark is not None]
    return MadeAnswer(
        participant=each.participant,
        debater=each.debater,
        question=(each.debate.motion_id, each.debate.language),
        text=each.speech.text,
        correct=fmean(marks) if marks and each.expected else None,
        expected=each.expected,
        work=read_work(each.debater, each.speech.trace),
        asked=each.debate.motion,
    )


def by_participant(made: Iterable[MadeAnswer]) -> Iterator[tuple[str, list[MadeAnswer]]]:
    """Yield the participants by name, each with its answers."""
    ordered = sorted(made, key=lambda answer: answer.participant)
    for name, group in groupby(ordered, key=lambda answer: answer.participant):
        yield name, list(group)


def read_work(debater: str, trace: Sequence[Step]) -> InnerWork | None:
    """Read the rounds from a trace; None where the debater has none, or they were not stored."""
    # The debater's own steps end where the protocol does something to its speech.
    steps = list(
        takewhile(lambda step: step.get("agent") != "protocol" or "action" not in step, trace)
    )
    match debater:
        case "mad":
            return _read_debate(steps)
        case "self_reflect":
            return _read_reflection(steps)
    return None


def _read_debate(steps: Sequence[Step]) -> InnerWork | None:
    proposals = [step for step in steps if "debater" in step and step.get("answer")]
    if not proposals:
        return None
    iterations = []
    for number in range(1, max(step["round"] for step in proposals) + 1):
        positions = tuple(
            LaterAnswer(
                answer=step["answer"],
                before=before["answer"],
                disagreement=_DISTANCES.get(step["stance"]),
                responds=step["debater"] != proposals[0]["debater"],
            )
            for before, step in zip(proposals, proposals[1:], strict=False)
            if step["round"] == number
        )
        answer = _last_answer(steps, number)
        iterations.append(Iteration(number=number, positions=positions, answer=answer))
    verdicts = [step["verdict"] for step in steps if "verdict" in step]
    return InnerWork(
        first=proposals[0]["answer"],
        iterations=tuple(iterations),
        adaptive=any(step.get("mode") == "discriminative" for step in steps),
        verdict=verdicts[-1] if verdicts else "",
    )


def _last_answer(steps: Iterable[Step], number: int) -> str | None:
    """Return the judge's last answer in a round."""
    answers = [
        str(step["answer"])
        for step in steps
        if step.get("agent") == "Judge" and step.get("round") == number and step.get("answer")
    ]
    return answers[-1] if answers else None


def _read_reflection(steps: Sequence[Step]) -> InnerWork | None:
    drafts = {step["round"]: str(step["answer"]) for step in steps if step.get("answer")}
    if 0 not in drafts:
        return None
    critiques = [step for step in steps if step.get("agent") == "Reviewer" and "stance" in step]
    iterations, before = [], drafts[0]
    for number, critique in enumerate(critiques, start=1):
        answer = drafts.get(number, before)
        distance = _DISTANCES[critique["stance"]]
        position = LaterAnswer(answer=answer, before=before, disagreement=distance)
        iterations.append(Iteration(number=number, positions=(position,), answer=answer))
        before = answer
    accepted = bool(critiques) and critiques[-1]["stance"] == "agree"
    return InnerWork(first=drafts[0], iterations=tuple(iterations), accepted=accepted)
