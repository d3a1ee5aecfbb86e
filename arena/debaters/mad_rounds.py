"""The inner debate of `mad`: its rounds, its debaters and its judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

import sacrebleu

from arena.debater import Seat, Turn
from arena.debaters.agent_dialogue import AgentDialogue
from arena.debaters.answer_forms import REASONING_WORDS, Stance
from arena.debaters.mad_forms import (
    AnswerExtraction,
    AnswerPosition,
    AnswerProposal,
    AnswerVerdict,
    Extraction,
    Position,
    Proposal,
    Verdict,
)
from arena.debaters.question_answers import ANSWER_WORDS, QUESTION_PROMPTS
from arena.debaters.roles import RoleOptions
from arena.errors import UnparseableReply
from arena.languages import Language
from arena.prompts import Prompts
from arena.records import Step

_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "mad")
#: How far a position disagrees with the one before it, from 0 to 1.
_DISAGREEMENTS: Mapping[Stance, float] = {"agree": 0.0, "partly": 0.5, "disagree": 1.0}
#: Room for the reasons of a position, in words; the prompts ask for at most 120.
_REASONS_WORDS = 150


@dataclass(frozen=True, slots=True)
class _Contribution:
    """A debater's contribution: its reasons, its stance (where it took one) and its text."""

    reasons: str
    stance: Stance | None
    text: str


@dataclass(frozen=True, slots=True)
class _Judgement:
    """The judge's choice: a debater's number, and a text, which may be empty."""

    supported: int
    text: str
    settled: bool = True


class InnerDebate:
    """One inner debate: the texts proposed so far, and the judge's last answer.

    Args:
        seat: the side's seat.
        turn: the speech to be made.
        level: disagreement that is asked for, 0 to 3.
        roles: models and sampling of the agents.
    """

    def __init__(self, seat: Seat, turn: Turn, *, level: int, roles: RoleOptions) -> None:
        self._question = turn.stage == "answer"
        prompts = QUESTION_PROMPTS if self._question else _PROMPTS
        self._dialogue = AgentDialogue(seat, turn, prompts=prompts, roles=roles)
        self._text_length = self._dialogue.words(ANSWER_WORDS) if self._question else seat.words
        self._level = f"level_{level}"
        self._proposals: list[tuple[int, str]] = []  # the debater's number and its text
        self._disagreements: list[float] = []
        self._answer, self._supported = "", 0

    @property
    def trace(self) -> Sequence[Step]:
        """The steps of the debate."""
        return self._dialogue.trace

    async def play_round(self, number: int, debaters: int) -> None:
        """Ask every inner debater for its position; unusable answers are skipped."""
        for debater in range(1, debaters + 1):
            position = await self._dialogue.attempt(
                self._ask_debater(debater),
                agent=_agent(debater),
                fallback="no turn in this round",
            )
            if position is None:
                continue
            self._add_position(debater, number, position)
            if position.stance:
                self._disagreements.append(_DISAGREEMENTS[position.stance])
            self._dialogue.add_step(
                _agent(debater),
                debater=debater,
                round=number,
                stance=position.stance,
                diversity=self._diversity(position.text),
                answer=position.text,
            )

    async def settle(self, number: int) -> bool:
        """Ask the judge, in its discriminative mode, whether the debate has found the answer.

        An unusable or empty verdict does not end the debate.
        """
        verdict = await self._hear_judge("judge", fallback="the debate continues")
        if verdict is None:
            return False
        settled = verdict.settled and self._set_answer(verdict)
        self._dialogue.add_step(
            "Judge",
            mode="discriminative",
            round=number,
            settled=settled,
            supported=_agent(verdict.supported) if self._last_text(verdict.supported) else "none",
            answer=self._answer if settled else None,
        )
        return settled

    async def extract(self, number: int) -> None:
        """Ask the judge, in its extractive mode, for the best answer of the whole debate."""
        fallback = "the text chosen before" if self._answer else "the last text proposed"
        extraction = await self._hear_judge("extract", fallback=fallback)
        if extraction is None:
            return
        usable = self._set_answer(extraction)
        self._dialogue.add_step(
            "Judge",
            mode="extractive",
            round=number,
            supported=_agent(self._supported) if usable else "none",
            diversity=self._diversity(self._answer) if usable else None,
            answer=self._answer if usable else None,
        )

    def add_cap(self) -> None:
        """Add to the trace that the last round did not settle the debate."""
        self._dialogue.add_step("protocol", cap="max_rounds")

    def answer(self) -> str:
        """Return the judge's last answer; where it gave none, the last text proposed.

        Raises:
            ContentFault: no inner debater gave a usable answer.
        """
        if not self._proposals:
            assert self._dialogue.last_fault is not None
            raise self._dialogue.last_fault
        text = self._answer or self._proposals[-1][1]
        shares = self._disagreements
        self._dialogue.add_step(
            "protocol",
            verdict=_agent(self._supported).lower() if self._supported else "none",
            disagreement=round(sum(shares) / len(shares), 3) if shares else None,
            diversity=self._diversity(text),
        )
        return text

    async def _ask_debater(self, debater: int) -> _Contribution:
        name = "argue" if self._proposals else "propose"
        if self._question:
            return await self._ask_for_answer(name, debater)
        composed = await self._dialogue.compose(
            name,
            Position if self._proposals else Proposal,
            agent=_agent(debater),
            length=self._length(_REASONS_WORDS),
            flag=self._level,
            number=str(debater),
        )
        form = composed.form or Proposal()
        stance = form.stance if isinstance(form, Position) else None
        return _Contribution(form.reasons, stance, composed.text)

    async def _ask_for_answer(self, name: str, debater: int) -> _Contribution:
        form: type[AnswerProposal | AnswerPosition]
        form = AnswerPosition if self._proposals else AnswerProposal
        answer = await self._dialogue.ask(
            name,
            form,
            agent=_agent(debater),
            length=self._length(_REASONS_WORDS),
            flag=self._level,
            number=str(debater),
        )
        stance = answer.stance if isinstance(answer, AnswerPosition) else None
        return _Contribution(answer.reasons, stance, answer.answer)

    def _add_position(self, debater: int, number: int, position: _Contribution) -> None:
        head = (str(debater), self._dialogue.term("round").format(number))
        if position.reasons.strip():
            self._dialogue.add_turn("Debater", position.reasons, *head)
        self._dialogue.add_quotation("draft", position.text, self._dialogue.term("Debater"), *head)
        self._proposals.append((debater, position.text))

    async def _hear_judge(self, name: str, *, fallback: str) -> _Judgement | None:
        if not self._proposals:
            return None
        return await self._dialogue.attempt(self._ask_judge(name), agent="Judge", fallback=fallback)

    async def _ask_judge(self, name: str) -> _Judgement:
        """Ask the judge for its choice; a speech that it takes as it stands need not follow.

        Raises:
            ContentFault: it refused, made no readable choice, or gave no text.
        """
        form: type[Extraction]
        length = self._length(REASONING_WORDS)
        if self._question:
            form = AnswerVerdict if name == "judge" else AnswerExtraction
            answer = await self._dialogue.ask(name, form, agent="Judge", length=length)
            assert isinstance(answer, AnswerVerdict | AnswerExtraction)
            return _judgement(answer, answer.answer)
        composed = await self._dialogue.compose(
            name,
            Verdict if name == "judge" else Extraction,
            agent="Judge",
            length=length,
            needs_text=self._needs_text,
        )
        if composed.form is None:
            raise UnparseableReply("the judge made no readable choice.")
        return _judgement(composed.form, composed.text)

    def _needs_text(self, choice: Extraction) -> bool:
        settled = not isinstance(choice, Verdict) or choice.settled
        return settled and not self._last_text(choice.supported)

    def _set_answer(self, judgement: _Judgement) -> bool:
        """Set the judge's answer, or the last text of the debater that it supports.

        Returns:
            False where both are empty.
        """
        supported = self._last_text(judgement.supported)
        text = judgement.text.strip() or supported
        if text:
            self._answer = text
            self._supported = judgement.supported if supported else 0
        return bool(text)

    def _length(self, words: int) -> int:
        return self._text_length + self._dialogue.words(words)

    def _last_text(self, debater: int) -> str:
        texts = (text for number, text in reversed(self._proposals) if number == debater)
        return next(texts, "")

    def _diversity(self, text: str) -> float | None:
        if not self._proposals:
            return None
        return diversity(self._proposals[0][1], text, self._dialogue.language)


def diversity(initial: str, current: str, language: Language) -> float:
    """Return how far an answer differs from the initial one: 100 minus their BLEU, 0 to 100.

    Yin et al. 2020, as Liang et al. 2023 (arXiv 2305.19118) use it; higher is more diverse.

    >>> from arena.languages import ENGLISH
    >>> diversity("The week is long.", "The week is long.", ENGLISH)
    0.0
    """
    tokenizer = "zh" if language.code == "zh" else "13a"
    score = sacrebleu.sentence_bleu(current, [initial], tokenize=tokenizer).score
    return round(max(0.0, 100.0 - score), 1)


def _judgement(choice: Extraction, text: str) -> _Judgement:
    settled = not isinstance(choice, Verdict) or choice.settled
    return _Judgement(choice.supported, text, settled)


def _agent(debater: int) -> str:
    return "Affirmative" if debater == 1 else "Negative"
