"""What `single`, `more` and `samre` share: they judge debates and pairs by the six criteria."""

from __future__ import annotations

from arena.debates.transcript import render_transcript
from arena.judge import Hearing, Judge, Judgement
from arena.llm.model import schema_of
from arena.records import Sampling
from judges.methods.criteria import DIMENSIONS, Card, PairCard, prompts, verdicts
from judges.methods.setting import REASON_WORDS, setting_variables


class CriteriaJudge(Judge):
    """A judge by the six criteria."""

    sampling = Sampling(temperature=0.7)
    contests = ("debate", "essay")
    rewords = True

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The six criteria and overall."""
        return DIMENSIONS


async def ask_for_judgement(hearing: Hearing, prompt: str, **variables: str) -> Judgement:
    """Ask a judge that reads the whole debate for one score card, which decides.

    Otherwise like `ask_for_card`.
    """
    card = await ask_for_card(hearing, prompt, **variables)
    return Judgement(verdicts=verdicts([card], hearing.language), rationale=card.judgement)


async def ask_for_card(
    hearing: Hearing, prompt: str, *, path: str = "judge", **variables: str
) -> Card:
    """Ask a judge that reads the whole debate for one score card.

    Args:
        hearing: the debate, or the pair of answers.
        prompt: its name among the prompts of the criteria.
        path: of the call.
        variables: those of the prompt beside the setting, the transcript and the schema.

    Raises:
        ContentFault: the answer is no score card, nor is its repair.
        InfrastructureFault: the provider failed for good.
    """
    form = PairCard if hearing.pair else Card
    rendered = prompts(hearing).render(
        prompt,
        hearing.language.code,
        {
            **setting_variables(hearing),
            "transcript": render_transcript(hearing.speeches, hearing.language),
            **variables,
            "schema": schema_of(form).text(),
        },
    )
    words = hearing.language.limit(REASON_WORDS)
    card: Card = await hearing.model.ask(rendered, form, path=path, words=words)
    return card
