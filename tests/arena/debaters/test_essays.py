"""Essays: every debater is asked for an essay against the proposition, not for a speech."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from arena.debater import Turn
from arena.languages import LANGUAGES, Contest, language
from arena.llm.request import Request
from arena.plugins import debater_class
from arena.prompts import find_quotes, quote
from arena.simulator import OfflineBackend
from tests.support.case_lists import for_every
from tests.support.debate_seats import MOTION, SLIDE, language_model, seat
from tests.support.debaters_at_work import AtWork
from tests.support.registered_debaters import CASES, at_work
from tests.support.scripted_backend import ScriptedBackend
from tests.support.simulated_tasks import MOTION as KNOWN

#: What belongs to a debate and has no place in the prompts of an essay.
DEBATE = re.compile(
    r"\b(?:Pro|Con)\b|\bopponent|\bspeech(?:es)?\b|\bspoken\b|\bstages?\b|constructive|rebuttal"
    r"|正方|反方|对方|对手|发言稿|发言|立论|驳论|口语文稿"
)
#: What the prompts of an essay say of debates: that it mentions none.
_EXCEPTED = re.compile(
    r".*(?:mention no debate|mentions no debate|no side names|不提辩论|不写正方反方).*"
    r"|.*(?:检索员发言中的编号|检索员的发言).*"
)
#: What was asked, by case, language and contest; tests only read it.
_ASKED: dict[tuple[str, str, Contest], list[Request]] = {}


async def asked(case: str, folder: Path, code: str, contest: Contest = "essay") -> list[Request]:
    """What is asked for an essay, as the protocol asks for it: a constructive of Con."""
    key = (case, code, contest)
    if key not in _ASKED:
        _ASKED[key] = await write(case, folder, code, contest)
    return _ASKED[key]


async def write(case: str, folder: Path, code: str, contest: Contest) -> list[Request]:
    name, options = CASES[case]
    made: AtWork = at_work(case)
    place = seat(language_model(made.backend, folder), side="con", code=code, search=made.shelf)
    framework = debater_class(name)
    debater = framework(replace(place, contest=contest), framework.Options.model_validate(options))
    await debater.speak(Turn(stage="constructive", disclosed=()))
    return made.backend.requests


def instructions(request: Request) -> str:
    """A request without what agents have said, the motion and the schema."""
    text = "\n".join(one.text for one in request.messages if one.role != "assistant")
    for quotation in find_quotes(text):
        text = text.replace(quote(quotation.label, quotation.text, *quotation.words), "")
    for known in (MOTION, SLIDE, request.schema.text() if request.schema else MOTION):
        text = text.replace(known, "")
    return "\n".join(line for line in text.split("\n") if not _EXCEPTED.fullmatch(line))


@for_every(CASES, LANGUAGES)
async def test_nobody_is_asked_about_a_debate(case: str, code: str, tmp_path: Path) -> None:
    for request in await asked(case, tmp_path, code):
        words_of_debates = DEBATE.findall(instructions(request))
        assert not words_of_debates, f"{request.path}: {words_of_debates}"
        assert language(code).terms["essay"] in request.messages[0].text
        assert MOTION in request.text() and SLIDE in request.text()


@for_every(CASES, LANGUAGES)
async def test_the_same_agents_are_asked_as_for_a_speech(
    case: str, code: str, tmp_path: Path
) -> None:
    essay = await asked(case, tmp_path / "essay", code)
    speech = await asked(case, tmp_path / "speech", code, "debate")
    assert [request.path for request in essay] == [request.path for request in speech]
    assert [request.task for request in essay] == [request.task for request in speech]
    terms = language(code).terms
    assert not any(terms["essay"] in request.messages[0].text for request in speech)


@for_every(["direct", "agent4debate", "debate_to_write"], LANGUAGES)
async def test_a_simulated_essay_takes_no_side_by_name(
    name: str, code: str, tmp_path: Path
) -> None:
    class Simulated(ScriptedBackend):
        async def complete(self, request: Request):  # type: ignore[no-untyped-def]  # noqa: ANN202
            return await OfflineBackend([KNOWN]).complete(replace(request, model="offline/good"))

    framework = debater_class(name)
    place = seat(language_model(Simulated(lambda _: ""), tmp_path), side="con", code=code)
    model = replace(place.model, sampling=replace(place.model.sampling, max_tokens=4096))
    wording = KNOWN.wordings[code]
    place = replace(place, contest="essay", motion=wording.text, model=model)
    draft = await framework(place, framework.Options()).speak(
        Turn(stage="constructive", disclosed=())
    )
    assert draft.text
    assert not re.search(r"\b(?:Pro|Con|judges|debate)\b|正方|反方|评委|辩论|辩题|对方", draft.text)
