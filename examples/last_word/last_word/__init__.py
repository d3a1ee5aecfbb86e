"""`last_word`: judges a debate by its summaries alone."""

from importlib.resources import files
from typing import Literal

from pydantic import BaseModel

from arena.debates.transcript import render_transcript
from arena.judge import Hearing, Judge, Judgement
from arena.llm.schemas import schema_of
from arena.prompts import Prompts
from arena.records import Verdict

_PROMPTS = Prompts(files("last_word") / "prompts")
_OUTCOMES = {"Pro": 1.0, "tie": 0.5, "Con": 0.0}


class Answer(BaseModel):
    """What the model is asked for."""

    judgement: str
    winner: Literal["Pro", "Con", "tie"]


class LastWord(Judge):
    """One call; both sides have the middle mark."""

    dimensions = ("overall",)

    async def judge(self, hearing: Hearing) -> Judgement:
        """Ask who summed up better."""
        said = [one for one in hearing.speeches if one.stage == "summary"]
        variables = {
            "motion": hearing.motion,
            "transcript": render_transcript(said, hearing.language),
            "schema": schema_of(Answer).text(),
        }
        prompt = _PROMPTS.render("judge", hearing.language.code, variables)
        answer = await hearing.model.ask(prompt, Answer, path="judge")
        marks = {"pro_mark": 5.5, "con_mark": 5.5}
        won, why = _OUTCOMES[answer.winner], answer.judgement
        overall = Verdict(dimension="overall", outcome=won, comment=why, **marks)
        return Judgement(verdicts=(overall,), rationale=why)
