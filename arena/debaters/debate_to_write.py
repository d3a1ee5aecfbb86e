"""`debate_to_write`: personas and a critic discuss a plan, from which the speech is written.

Hu, Chan, Li & Yin 2024, "Debate-to-Write: A Persona-Driven Multi-Agent Framework for Diverse
Argument Generation", arXiv 2406.19643. Each member and the critic is a call of its own, and each
speech is planned anew. The cap on the rounds is this project's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from arena.debater import Draft, Forecast, Seat, Turn, motion_variables
from arena.debaters.agent_dialogue import (
    AgentDialogue,
    AnswerForm,
    Reasoned,
    contest_flags,
    fallback_step,
    number_lines,
)
from arena.debaters.cot_plan import PLAN_WORDS, TeamPlan, format_plan
from arena.debaters.roles import RoleDebater, RoleOptions
from arena.errors import ContentFault, UnparseableReply
from arena.languages import Stage
from arena.llm.repair import contradiction
from arena.llm.request import Form as Answer
from arena.llm.schemas import schema_of
from arena.presets import PresetOptions
from arena.prompts import Prompts, quote
from arena.records import Sampling, Step

if TYPE_CHECKING:  # models are called only in a debate
    from arena.llm.model import LanguageModel

_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "debate_to_write")
#: How often a pool is requested; with the repair that each request includes, four calls at most.
_ATTEMPTS = 2
#: Size of a pool.
_FEWEST, _MOST = 5, 10
#: Lengths of a pool and of a choice, in words.
_POOL_WORDS, _TEAM_WORDS = 600, 350
_Text = Annotated[str, Field(pattern=r"\S")]


class Persona(AnswerForm):
    """A persona: a description and the claim that it makes, a sentence each."""

    description: _Text
    claim: _Text

    def line(self) -> str:
        """Return the persona on one line."""
        return " — ".join(" ".join(part.split()) for part in (self.description, self.claim))


class Pool(AnswerForm):
    """The personas from which a team is chosen."""

    personas: list[Persona] = Field(min_length=_FEWEST, max_length=_MOST)


class Pick(AnswerForm):
    """A persona chosen from the pool, by its number, and the reason."""

    number: int
    reason: str


class Team(AnswerForm):
    """The members chosen for a team."""

    members: list[Pick]


@dataclass(slots=True, kw_only=True)
class PersonaSelection:
    """The selection of one side's team."""

    seat: Seat
    stage: Stage
    model: LanguageModel
    trace: list[Step] = field(default_factory=list)

    async def select(self, size: int) -> Sequence[Persona]:
        """Return a team of the given size; empty where the model gives no usable pool.

        Where it names no usable team, or too few, the first of the pool fill it up.
        """
        pool = await self._ask_pool(size)
        if not pool:
            return ()
        reasons = await self._ask_team(pool, size)
        picked = list(reasons)[:size]
        filled = [n for n in range(1, len(pool) + 1) if n not in picked][: size - len(picked)]
        self.trace.append(
            {
                "agent": "Personas",
                "pool": [persona.model_dump() for persona in pool],
                "chosen": [*picked, *filled],
                "reasons": [reasons[number] for number in picked],
                "filled": len(filled),
            }
        )
        return [pool[number - 1] for number in (*picked, *filled)]

    async def _ask_pool(self, size: int) -> Sequence[Persona]:
        """Ask for a pool of personas with distinct claims, at least as many as the team needs."""
        least = max(_FEWEST, size)
        for number in range(1, _ATTEMPTS + 1):
            try:
                pool = await self._ask(
                    "personas", Pool, f"personas/{number}", words=_POOL_WORDS, least=str(least)
                )
                return _distinct(pool.personas, size)
            except ContentFault as fault:
                last = number == _ATTEMPTS
                fallback = "members without personas" if last else "the pool is requested again"
                self.trace.append(fallback_step("Personas", fallback, fault))
        return ()

    async def _ask_team(self, pool: Sequence[Persona], size: int) -> dict[int, str]:
        """Ask for the members of the team.

        Returns:
            reasons by number in the pool, in the order of the choice; unknown numbers left out.
        """
        lines = number_lines(persona.line() for persona in pool)
        candidates = quote(self.seat.language.terms["candidates"], lines)
        variables = {"candidates": candidates, "number": str(size)}
        try:
            team = await self._ask("team", Team, "selector/1", words=_TEAM_WORDS, **variables)
        except ContentFault as fault:
            self.trace.append(fallback_step("Selector", "the first of the pool", fault))
            return {}
        return {pick.number: pick.reason for pick in team.members if 1 <= pick.number <= len(pool)}

    async def _ask(
        self, name: str, form: type[Answer], path: str, *, words: int, **variables: str
    ) -> Answer:
        seat = self.seat
        variables = {**motion_variables(seat), "schema": schema_of(form).text(), **variables}
        prompt = _PROMPTS.render(name, seat.language.code, variables, flags=contest_flags(seat))
        length = seat.language.limit(words)
        return await self.model.ask(prompt, form, path=f"{self.stage}/{path}", words=length)


def _distinct(personas: Sequence[Persona], size: int) -> Sequence[Persona]:
    """Return the personas with distinct claims.

    Raises:
        UnparseableReply: there are fewer than the team needs.
    """
    by_claim = {persona.claim.strip(): persona for persona in personas}
    if len(by_claim) < size:
        raise UnparseableReply(f"{len(by_claim)} distinct claims for a team of {size}.")
    return list(by_claim.values())


#: Length of a turn: its reasoning and what it says, in words.
_TURN_WORDS = 250
_SKIPPED = "no turn in this round"


class Contribution(Reasoned):
    """A member's contribution, and whether the plan satisfies it."""

    contribution: str = Field(pattern=r"\S")
    marker: Literal["satisfied", "open"]


class Objection(Reasoned):
    """The critic's objection, or that it is persuaded."""

    objection: str
    marker: Literal["persuaded", "objects"]

    @model_validator(mode="after")
    def _check_objection(self) -> Objection:
        if self.marker == "objects" and not self.objection.strip():
            raise contradiction(
                "no_objection", en="`objects` needs an objection", zh="`objects` 须有 `objection`"
            )
        return self


class Related(Reasoned):
    """A turn that first says which earlier turn it takes up, by its number, and its stance to it.

    Attributes:
        answers: number of that turn; 0 for none.
    """

    answers: int
    stance: Literal["supports", "opposes", "opens"]


class RelatedContribution(Contribution, Related):
    """A member's contribution that takes up an earlier turn."""


class RelatedObjection(Objection, Related):
    """The critic's objection that takes up an earlier turn."""


class PlanningDebate:
    """The discussion of one speech.

    Args:
        team: personas of the members; empty where members have none.
        options: `n_personas`, `max_rounds` and `flow`.
    """

    def __init__(
        self,
        dialogue: AgentDialogue,
        team: Sequence[Persona],
        options: Any,  # noqa: ANN401 - Options of `debate_to_write`
    ) -> None:
        self._dialogue, self._options = dialogue, options
        self._flags = " ".join(["flow"] * options.flow + ["persona"] * bool(team))
        self._turns = 0
        self._contributions: dict[int, str] = {}  # the last one of each member
        if team:
            dialogue.add_quotation("persona", number_lines(persona.line() for persona in team))

    async def run(self) -> None:
        """Play rounds until every member is satisfied and the critic persuaded, or to the cap."""
        most = self._options.max_rounds
        for number in range(1, most + 1):
            members = range(1, self._options.n_personas + 1)
            satisfied = [await self._ask_member(member, number) for member in members]
            persuaded = await self._ask_critic(number)
            if all(satisfied) and persuaded:
                self._dialogue.add_step("protocol", rounds=number, consensus=True)
                return
        self._dialogue.add_step("protocol", rounds=most, consensus=False, cap="max_rounds")

    async def plan(self) -> str:
        """Ask for the plan; where it is unusable, return the last contribution of each member.

        Returns:
            empty where no member gave a usable contribution either.
        """
        dialogue = self._dialogue
        plan = await dialogue.attempt(
            dialogue.ask("plan", TeamPlan, agent="Planner", length=dialogue.words(PLAN_WORDS)),
            agent="Planner",
            fallback="the members' last words" if self._contributions else "no plan",
        )
        if plan is not None:
            dialogue.add_step("Planner", **plan.model_dump(mode="json"))
            return format_plan(plan, dialogue.language)
        texts = (text for _, text in sorted(self._contributions.items()))
        return number_lines(" ".join(text.split()) for text in texts)

    async def _ask_member(self, member: int, number: int) -> bool:
        """Ask a member for its contribution, and tell whether the plan satisfies it."""
        dialogue = self._dialogue
        answer = dialogue.ask(
            "discuss",
            RelatedContribution if self._options.flow else Contribution,
            agent="Member",
            length=dialogue.words(_TURN_WORDS),
            flag=self._flags,
            number=str(member),
            round=str(number),
            rounds=str(self._options.max_rounds),
        )
        contribution = await dialogue.attempt(answer, agent="Member", fallback=_SKIPPED)
        if contribution is None:
            return False
        self._contributions[member] = contribution.contribution
        relation = self._add_turn(contribution, "Member", contribution.contribution, str(member))
        dialogue.add_step(
            "Member", member=member, round=number, marker=contribution.marker, **relation
        )
        return contribution.marker == "satisfied"

    async def _ask_critic(self, number: int) -> bool:
        """Ask the critic for its objection, and tell whether it is persuaded."""
        dialogue = self._dialogue
        answer = dialogue.ask(
            "object",
            RelatedObjection if self._options.flow else Objection,
            agent="Critic",
            length=dialogue.words(_TURN_WORDS),
            flag="flow" if self._options.flow else "",
            round=str(number),
            rounds=str(self._options.max_rounds),
        )
        objection = await dialogue.attempt(answer, agent="Critic", fallback=_SKIPPED)
        if objection is None:
            return False
        relation = {}
        if objection.objection.strip():
            relation = self._add_turn(objection, "Critic", objection.objection)
        dialogue.add_step("Critic", round=number, marker=objection.marker, **relation)
        return objection.marker == "persuaded"

    def _add_turn(self, answer: Reasoned, agent: str, text: str, *words: str) -> dict[str, Any]:
        """Add a turn to the dialogue; return its relation to the others, for the trace.

        Turns have numbers only where they name the turns that they take up. A turn that names
        none of those before it opens a line of its own.
        """
        self._turns += 1
        if not isinstance(answer, Related):
            self._dialogue.add_turn(agent, text, *words)
            return {}
        label = self._dialogue.term("numbered_turn").format(self._turns)
        self._dialogue.add_turn(agent, text, *words, label)
        known = answer.stance != "opens" and 1 <= answer.answers < self._turns
        return {
            "turn": self._turns,
            "answers": answer.answers if known else 0,
            "stance": answer.stance if known else "opens",
        }


class Options(RoleOptions, PresetOptions):
    """The team, and the length of its discussions.

    The planner also draws up the personas and chooses the team.

    Attributes:
        personas: whether members have personas; without them it is the paper's ablation.
        flow: whether each turn first says which earlier turn it takes up, and whether it supports
            or opposes it, as the paper's Figure 2 draws a discussion. In the paper no agent is
            asked for it: the preset is without.
    """

    roles = ("member", "critic", "planner", "writer")
    later = (*RoleOptions.later, "flow", "preset")
    paper: ClassVar[Mapping[str, Any]] = {"flow": False}
    personas: bool = True
    n_personas: int = Field(default=3, ge=1, le=10)
    max_rounds: int = Field(default=3, ge=1, le=20)
    flow: bool = False


class DebateToWrite(RoleDebater):
    """One side's team; its personas are chosen once, before its first speech."""

    contests = ("debate", "essay")
    Options = Options
    sampling = Sampling(temperature=1.0)

    def __init__(self, seat: Seat, options: Any) -> None:  # noqa: ANN401 - an Options
        super().__init__(seat, options)
        self._team: Sequence[Persona] | None = None

    async def speak(self, turn: Turn) -> Draft:
        """Discuss a plan to consensus or to the cap, and write the speech from it."""
        selection_trace = await self._select_team(turn)
        dialogue = AgentDialogue(self.seat, turn, prompts=_PROMPTS, roles=self.options)
        discussion = PlanningDebate(dialogue, self._team or (), self.options)
        await discussion.run()
        plan = await discussion.plan()
        # The writer sees the plan alone: what did not get into it is not part of the speech.
        writing = AgentDialogue(self.seat, turn, prompts=_PROMPTS, roles=self.options)
        if plan:
            writing.add_quotation("plan", plan)
        flag = "planned" if plan else ""
        text = await writing.write("write", agent="Writer", length=self.seat.words, flag=flag)
        writing.add_step("Writer", marker="finished")
        return Draft(text=text, trace=[*selection_trace, *dialogue.trace, *writing.trace])

    async def _select_team(self, turn: Turn) -> Sequence[Step]:
        """Choose the personas before the first speech, and return the steps that this took."""
        if self._team is not None or not self.options.personas:
            return ()
        model = self.options.apply("planner", self.seat.model)
        selection = PersonaSelection(seat=self.seat, stage=turn.stage, model=model)
        self._team = await selection.select(self.options.n_personas)
        return selection.trace

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - an Options
        """Expect two calls for the personas; per speech, the rounds, a plan and the writing."""
        each, most = options.n_personas + 1.0, options.max_rounds
        once = (2.0, 2.0, 3.0) if options.personas else (0.0, 0.0, 0.0)
        rounds = (1.0, min(2.0, most), float(most))
        calls = tuple(first + 3 * (each * n + 2) for first, n in zip(once, rounds, strict=True))
        speech = words * 1.4
        return Forecast.per_call(
            calls,
            read=(800 + 1.5 * speech, 1200 + 3.5 * speech, 1800 + (5 + 0.5 * each * most) * speech),
            said=(0.15 * speech, 0.35 * speech, 1.2 * speech),
        )
