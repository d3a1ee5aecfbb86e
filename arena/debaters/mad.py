"""`mad` (multi-agent debate): inner debaters and a judge settle on one speech.

Liang et al. 2023, "Encouraging Divergent Thinking in Large Language Models through Multi-Agent
Debate", arXiv 2305.19118 (Algorithm 1, Tables 7 and 12, Figure 3). The first inner debater
proposes a speech, the others respond to it. After each round the judge may end the debate with an
answer; where it never does, it extracts an answer from the whole debate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from typing import Any, ClassVar, Final, Literal, TypeAlias

import sacrebleu
from pydantic import Field, field_validator

from arena.debater import Draft, Forecast, Seat, Turn
from arena.debaters.agent_dialogue import REASONING_WORDS, AgentDialogue, AnswerForm, Stance
from arena.debaters.agent_histories import AgentHistories
from arena.debaters.direct import ANSWER_WORDS, PAPER_QUESTION_PROMPTS, QUESTION_PROMPTS
from arena.debaters.roles import ModelName, RoleDebater, RoleOptions
from arena.errors import UnparseableReply
from arena.languages import CONTESTS, Contest, Language
from arena.presets import PresetOptions
from arena.prompts import Prompts
from arena.records import Sampling, Step


class Proposal(AnswerForm):
    """The reasons of the first position."""

    reasons: str = ""


class Position(Proposal):
    """The reasons of a later position, and whether it agrees with the one before."""

    stance: Stance


class AnswerProposal(Proposal):
    """The first position of a debate about a question."""

    answer: str = Field(pattern=r"\S")


class AnswerPosition(Position):
    """A later position of a debate about a question."""

    answer: str = Field(pattern=r"\S")


class Extraction(AnswerForm):
    """The judge's choice from the whole debate: `supported` is a debater's number, 0 for nobody."""

    reason: str = ""
    supported: int


class Verdict(Extraction):
    """The judge's decision after a round: whether the debate is settled."""

    settled: bool


class AnswerExtraction(Extraction):
    """The judge's choice in a debate about a question."""

    answer: str


class AnswerVerdict(Verdict):
    """The judge's decision in a debate about a question."""

    answer: str


_FOLDER = files("arena.debaters") / "prompts"
_PROMPTS, _PAPER_PROMPTS = Prompts(_FOLDER / "mad"), Prompts(_FOLDER / "mad_paper")
#: The form of each prompt's answer, about a speech and about a question.
_FORMS: Final[Mapping[str, tuple[type[AnswerForm], type[AnswerForm]]]] = {
    "propose": (Proposal, AnswerProposal),
    "argue": (Position, AnswerPosition),
    "judge": (Verdict, AnswerVerdict),
    "extract": (Extraction, AnswerExtraction),
}
#: How far a position disagrees with the one before it, from 0 to 1.
_DISAGREEMENTS: Final[Mapping[Stance, float]] = {"agree": 0.0, "partly": 0.5, "disagree": 1.0}
#: Room for the reasons of a position, in words; the prompts ask for at most 120.
_REASONS_WORDS: Final = 150
_ROLES: Final = ("affirmative", "negative", "judge")
#: How much the debaters are asked to disagree.
Level: TypeAlias = Literal[0, 1, 2, 3]


class Options(RoleOptions, PresetOptions):
    """The inner debate's level of disagreement, size, length and models.

    With the preset, whose values of options are the defaults, the level is all that says how far
    the debaters agree; each agent remembers its own conversation; and the judge moderates.

    Attributes:
        level: disagreement that is asked for, from 0 (full consensus) to 3 (on every point).
        debaters: number of inner debaters; the first is affirmative, the others are negative.
        adaptive_break: whether the judge may end the debate before `max_rounds`.
        models: models of the roles. Unlike those of other debaters, they are stored even where
            none is set, as they always were: participants keep their identity.
    """

    roles = _ROLES
    later: ClassVar[tuple[str, ...]] = (*RoleOptions.later, "preset")
    level: Level = 2
    debaters: int = Field(default=2, ge=2, le=8)
    max_rounds: int = Field(default=3, ge=1, le=20)
    adaptive_break: bool = True
    models: Mapping[str, ModelName | None] = dict.fromkeys(_ROLES)

    @field_validator("models", mode="after")
    @classmethod
    def _name_all_roles(cls, models: Mapping[str, str | None]) -> Mapping[str, str | None]:
        return dict.fromkeys(_ROLES) | dict(models)


class MultiAgentDebate(RoleDebater):
    """A debater that holds an inner debate about each speech."""

    Options = Options
    sampling = Sampling(temperature=0.0)
    contests: ClassVar[tuple[Contest, ...]] = CONTESTS

    async def speak(self, turn: Turn) -> Draft:
        """Play rounds until the judge settles the debate or the cap is reached."""
        options = self.options
        inner = InnerDebate(self.seat, turn, options)
        settled = False
        for number in range(1, options.max_rounds + 1):
            await inner.play_round(number)
            if options.adaptive_break:
                settled = await inner.settle(number)
            else:
                await inner.extract(number)
            if settled:
                break
        if options.adaptive_break and not settled:
            inner.add_cap()
            await inner.extract(options.max_rounds)
        return Draft(text=inner.answer(), trace=inner.trace)

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - an Options
        """Expect, per speech, rounds of all debaters and the judge, and perhaps an extraction."""
        most, extraction = options.max_rounds, 2.0 if options.preset else 1.0
        per_round = options.debaters + (1.0 if options.adaptive_break else extraction)
        rounds = (1.0, min(1.8, most), float(most)) if options.adaptive_break else (most,) * 3
        extractions = (0.0, 0.3, 1.0) if options.adaptive_break else (0.0, 0.0, 0.0)
        calls = tuple(
            3 * (per_round * n + share * extraction)
            for n, share in zip(rounds, extractions, strict=True)
        )
        speech = words * 1.4
        return Forecast.per_call(
            calls,
            read=(900 + 2 * speech, 1200 + 5 * speech, 2000 + (3 + per_round * most) * speech),
            said=(0.4 * speech, 0.9 * speech, 2 * speech),
        )


class InnerDebate:
    """One inner debate: the texts proposed so far, and the judge's last answer."""

    def __init__(self, seat: Seat, turn: Turn, options: Options) -> None:
        self._is_question, self._options = turn.stage == "answer", options
        self._dialogue = _begin_dialogue(seat, turn, options)
        self._text_length = self._dialogue.words(ANSWER_WORDS) if self._is_question else seat.words
        self._proposals: list[tuple[int, str]] = []  # the debater's number and its text
        self._disagreements: list[float] = []
        self._answer, self._supported = "", 0

    @property
    def trace(self) -> Sequence[Step]:
        """The steps of the debate."""
        return self._dialogue.trace

    async def play_round(self, number: int) -> None:
        """Ask every inner debater for its position; unusable answers are skipped."""
        dialogue = self._dialogue
        for debater in range(1, self._options.debaters + 1):
            answer = await dialogue.attempt(
                self._ask_debater(debater),
                agent=_agent(debater),
                fallback="no turn in this round",
            )
            if answer is None:
                continue
            position, text = answer
            head = (str(debater), dialogue.term("round").format(number))
            if position.reasons.strip():
                dialogue.add_turn("Debater", position.reasons, *head)
            dialogue.add_quotation("draft", text, dialogue.term("Debater"), *head)
            self._proposals.append((debater, text))
            stance = position.stance if isinstance(position, Position) else None
            if stance:
                self._disagreements.append(_DISAGREEMENTS[stance])
            dialogue.add_step(
                _agent(debater),
                debater=debater,
                round=number,
                stance=stance,
                diversity=self._diversity(text),
                answer=text,
            )

    async def settle(self, number: int) -> bool:
        """Ask the judge, in its discriminative mode, whether the debate has found the answer.

        An unusable or empty verdict does not end the debate.
        """
        answer = await self._hear_judge("judge", fallback="the debate continues")
        if answer is None:
            return False
        verdict, text = answer
        settled = _is_settled(verdict) and self._set_answer(verdict, text)
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
        if self._options.preset and self._proposals:
            await self._list_candidates(number)
        fallback = "the text chosen before" if self._answer else "the last text proposed"
        extraction = await self._hear_judge("extract", fallback=fallback)
        if extraction is None:
            return
        usable = self._set_answer(*extraction)
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

    async def _ask_debater(self, debater: int) -> tuple[Proposal, str]:
        form, text = await self._ask(
            "argue" if self._proposals else "propose",
            _agent(debater),
            _REASONS_WORDS,
            flag=f"level_{self._options.level}{' opposes' * self._opens_by_opposing(debater)}",
            number=str(debater),
        )
        return (form if isinstance(form, Proposal) else Proposal()), text

    async def _list_candidates(self, number: int) -> None:
        """Have a judge who comes fresh to the debate list what there is to choose from."""
        dialogue = self._dialogue
        each = self._text_length if self._is_question else dialogue.words(REASONING_WORDS)
        length = self._options.debaters * each
        listing = dialogue.begin_anew("candidates", agent="Judge", length=length)
        without = "the choice is made without a list"
        if await dialogue.attempt(listing, agent="Judge", fallback=without) is not None:
            dialogue.add_step("Judge", mode="listing", round=number)

    def _opens_by_opposing(self, debater: int) -> bool:
        """Tell whether a debater has to disagree with the first position in its first turn."""
        options, is_first = self._options, not self._last_text(debater)
        return bool(options.preset and options.level and self._proposals and is_first)

    async def _hear_judge(self, name: str, *, fallback: str) -> tuple[Extraction, str] | None:
        if not self._proposals:
            return None
        return await self._dialogue.attempt(self._ask_judge(name), agent="Judge", fallback=fallback)

    async def _ask_judge(self, name: str) -> tuple[Extraction, str]:
        """Ask the judge for its choice; a speech that it takes as it stands need not follow.

        Raises:
            ContentFault: it refused, made no readable choice, or gave no text.
        """

        def needs_text(choice: AnswerForm) -> bool:
            assert isinstance(choice, Extraction)
            return _is_settled(choice) and not self._last_text(choice.supported)

        form, text = await self._ask(name, "Judge", REASONING_WORDS, needs_text=needs_text)
        if not isinstance(form, Extraction):
            raise UnparseableReply("the judge made no readable choice.")
        return form, text

    async def _ask(
        self,
        name: str,
        agent: str,
        words: int,
        *,
        needs_text: Callable[[AnswerForm], bool] = lambda form: True,  # noqa: ARG005
        **variables: str,
    ) -> tuple[AnswerForm | None, str]:
        """Return an agent's form and its text: a speech follows the form, an answer is in it."""
        of_speech, of_question = _FORMS[name]
        length = self._text_length + self._dialogue.words(words)
        if self._is_question:
            answer = await self._dialogue.ask(
                name, of_question, agent=agent, length=length, **variables
            )
            self._dialogue.keep_reply(answer.model_dump_json())
            return answer, str(answer.model_dump()["answer"])
        composed = await self._dialogue.compose(
            name, of_speech, agent=agent, length=length, needs_text=needs_text, **variables
        )
        form = composed.form.model_dump_json() if composed.form else ""
        self._dialogue.keep_reply(f"{form}\n\n{composed.text}".strip())
        return composed.form, composed.text

    def _set_answer(self, choice: Extraction, text: str) -> bool:
        """Set the judge's answer, or the last text of the debater that it supports.

        Returns:
            False where both are empty.
        """
        supported = self._last_text(choice.supported)
        text = text.strip() or supported
        if text:
            self._answer = text
            self._supported = choice.supported if supported else 0
        return bool(text)

    def _last_text(self, debater: int) -> str:
        texts = (text for number, text in reversed(self._proposals) if number == debater)
        return next(texts, "")

    def _diversity(self, text: str) -> float | None:
        if not self._proposals:
            return None
        return diversity(self._proposals[0][1], text, self._dialogue.language)


def _begin_dialogue(seat: Seat, turn: Turn, options: Options) -> AgentDialogue:
    is_question = turn.stage == "answer"
    if not options.preset:
        prompts = QUESTION_PROMPTS if is_question else _PROMPTS
        return AgentDialogue(seat, turn, prompts=prompts, roles=options)
    return AgentHistories(
        seat,
        turn,
        prompts=PAPER_QUESTION_PROMPTS if is_question else _PAPER_PROMPTS,
        roles=options,
        variables={"debaters": str(options.debaters), "rounds": str(options.max_rounds)},
    )


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


def _is_settled(choice: Extraction) -> bool:
    return not isinstance(choice, Verdict) or choice.settled


def _agent(debater: int) -> str:
    return "Affirmative" if debater == 1 else "Negative"
