"""Drafts that are cleaned, refused, shortened and reviewed before they become speeches."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arena.debater import Draft, Turn
from arena.debaters.direct import Direct
from arena.debates.protocol import finish_speech, play
from arena.debates.transcript import format_remarks, is_in_doubt
from arena.errors import EmptyReply, Refusal
from arena.languages import language, other_side
from arena.llm.request import Request
from tests.support.debate_seats import (
    language_model,
    paths,
    request_at,
    seat,
    seats,
    speech,
    speeches,
    texts,
)
from tests.support.scripted_backend import ScriptedBackend

REFUSED = {
    "en": "I'm sorry, but I can't help with that.",
    "zh": "抱歉，我无法为您撰写这篇发言。",
}
RIGHT = {"en": "Costs fall [P1]. Time is saved.", "zh": "成本下降[正1]。时间节省。"}
AROUND = {"en": "Here is the speech:\n\n{}\n\n(6 words)", "zh": "以下是我的发言：\n\n{}\n\n（8字）"}
AROUND_TEXTS = {code: [part.strip() for part in text.split("{}")] for code, text in AROUND.items()}


def clean(code: str) -> dict[str, object]:
    """The step of taking off what stands around, in a language."""
    removed = {"removed": ["preamble", "count"], "taken": AROUND_TEXTS[code]}
    return {"agent": "protocol", "action": "clean", **removed}


def unasked(request: Request) -> str:
    raise AssertionError(f"nothing is to be asked: {request.path}")


@pytest.mark.parametrize("code", RIGHT)
async def test_a_draft_is_cleaned_before_it_is_measured(code: str, tmp_path: Path) -> None:
    limit = language(code).count(RIGHT[code])
    place = seat(language_model(ScriptedBackend(unasked), tmp_path), code=code, words=limit)
    draft = Draft(text=AROUND[code].format(RIGHT[code]), trace=[{"agent": "Writer"}])
    made = await finish_speech(draft, place, "summary")
    assert (made.text, made.words, made.trimmed) == (RIGHT[code], limit, False)
    assert made.trace == ({"agent": "Writer"}, clean(code))
    assert format_remarks(made) == ", without preamble, count around it"


async def test_a_persons_words_and_answers_to_questions_are_not_cleaned(tmp_path: Path) -> None:
    place = seat(language_model(ScriptedBackend(unasked), tmp_path))
    text = "Here is the speech:\n\n**Costs** fall."
    person = await finish_speech(Draft(text=text, final=True), place, "summary")
    answer = await finish_speech(Draft(text="2**3 = **8**"), place, "answer")
    assert (person.text, person.trace) == (text, ())
    assert (answer.text, answer.trace) == ("2**3 = **8**", ())
    assert (await finish_speech(Draft(text=REFUSED["en"]), place, "answer")).text == REFUSED["en"]


@pytest.mark.parametrize("code", RIGHT)
async def test_who_declines_is_asked_once_more_with_the_debate_so_far(
    code: str, tmp_path: Path
) -> None:
    backend = ScriptedBackend(lambda request: AROUND[code].format(RIGHT[code]))
    place = seat(language_model(backend, tmp_path), code=code)
    earlier = speeches(2)
    made = await finish_speech(Draft(text=REFUSED[code]), place, "rebuttal", disclosed=earlier)
    (request,) = backend.requests
    terms = language(code).terms
    assert (request.path, request.task) == ("pro/rebuttal/again", "write")
    assert texts(request, terms["draft"]) == [REFUSED[code]]
    assert texts(request, terms["speech"]) == [speech.text for speech in earlier]
    assert made.text == RIGHT[code]
    again = {"agent": "protocol", "action": "again", "fault": "Refusal"}
    assert made.trace == (again, clean(code))
    assert format_remarks(made).startswith(", asked for again, because the model declined")


async def test_who_declines_again_forfeits(tmp_path: Path) -> None:
    def declining(request: Request) -> str:
        return REFUSED["en"] if request.path.startswith("con/summary") else RIGHT["en"]

    backend = ScriptedBackend(declining)
    debaters = {
        side: Direct(place, Direct.Options()) for side, place in seats(backend, tmp_path).items()
    }
    played = await play(debaters)
    assert (played.status, played.forfeited) == ("forfeit", "con")
    assert played.reason.startswith("con, summary: Refusal: the text declines to speak: I'm sorry")
    assert "con/summary/again" in paths(backend)
    again = request_at(backend, "con/summary/again")
    spoken = texts(again, language("en").terms["speech"])
    assert spoken == [speech.text for speech in played.speeches[:4]]


async def test_a_refusal_in_the_place_of_a_shorter_speech_is_not_taken(tmp_path: Path) -> None:
    backend = ScriptedBackend(lambda request: REFUSED["en"])
    place = seat(language_model(backend, tmp_path), words=4)
    made = await finish_speech(Draft(text=RIGHT["en"]), place, "summary")
    assert (made.text, made.trimmed) == ("Costs fall [P1].", True)


@pytest.mark.parametrize("code", RIGHT)
async def test_an_essay_is_corrected_and_shortened_as_an_essay(code: str, tmp_path: Path) -> None:
    """Whoever writes an essay never hears of a debate, a side or a stage."""
    long = " ".join([RIGHT[code]] * 9)
    backend = ScriptedBackend(
        lambda request: long if request.path.endswith("again") else RIGHT[code]
    )
    place = replace(
        seat(language_model(backend, tmp_path), side="con", code=code, words=16), contest="essay"
    )
    made = await finish_speech(Draft(text=REFUSED[code]), place, "constructive")
    assert made.text == RIGHT[code]
    assert paths(backend) == ["con/constructive/again", "con/constructive/shorten"]
    for request in backend.requests:
        prompt = request.text().replace(REFUSED[code], "")
        words = {"en": ("debate", "speech", "Con "), "zh": ("辩论", "发言", "反方")}[code]
        assert [word for word in words if word in prompt] == []


class Reviewed(Direct):
    """A debater that reviews what was shortened, by a result or an error of its own."""

    def __init__(self, *arguments: object, result: str | Exception) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.result = result
        self.reviewed: list[tuple[str, str]] = []

    async def review(self, text: str, turn: Turn) -> Draft:
        self.reviewed.append((turn.stage, text))
        if isinstance(self.result, Exception):
            raise self.result
        return Draft(text=self.result, trace=[{"agent": "Reviewer", "marker": "revise"}])


SHORT = "Costs fall and time is saved."


async def shortened(result: str | Exception, folder: Path) -> tuple[Reviewed, str, list[object]]:
    """A debate whose Pro speaks too long in its constructive; what became of that speech."""

    def script(request: Request) -> str:
        if request.path == "pro/constructive/writer/1":
            return "Costs fall and time is saved, we say. " * 6
        return AROUND["en"].format(SHORT)

    places = seats(ScriptedBackend(script), folder, words=9)
    pro = Reviewed(places["pro"], Direct.Options(), result=result)
    played = await play({"pro": pro, "con": Direct(places["con"], Direct.Options())})
    assert played.status == "finished"
    speech = played.speeches[0]
    return pro, speech.text, [step.get("action", step["agent"]) for step in speech.trace]


async def test_a_shortened_speech_is_reviewed_by_its_debater(tmp_path: Path) -> None:
    pro, text, steps = await shortened("**Costs** fall, at last.", tmp_path)
    assert pro.reviewed == [("constructive", SHORT)]
    assert text == "Costs fall, at last."
    assert steps == ["Writer", "shorten", "clean", "Reviewer", "clean"]


@pytest.mark.parametrize("result", [SHORT, " ", REFUSED["en"], "缩短工作周能让人保持健康" * 3])
async def test_a_review_without_a_usable_speech_changes_nothing(
    result: str, tmp_path: Path
) -> None:
    _, text, steps = await shortened(result, tmp_path)
    assert text == SHORT
    assert steps == ["Writer", "shorten", "clean", "Reviewer"]


async def test_a_review_that_fails_ends_no_speech(tmp_path: Path) -> None:
    for number, fault in enumerate([EmptyReply("Nothing."), Refusal("No.")]):
        _, text, steps = await shortened(fault, tmp_path / str(number))
        assert (text, steps) == (SHORT, ["Writer", "shorten", "clean", "review"])


async def test_a_reviewed_speech_that_is_too_long_is_cut_at_a_sentence(tmp_path: Path) -> None:
    _, text, _ = await shortened(
        "Costs fall. Time is saved. Nobody pays more than before.", tmp_path
    )
    assert text == "Costs fall. Time is saved."


#: What may be a speech, what is none, and what is one, of the motion of these seats.
DOUBTFUL = (
    "Here is a plan: first a greeting, then a definition, then arguments, then a closing line."
)
NOTHING = "I'm sorry, but I can't help with that."


@pytest.fixture
def judged_content(monkeypatch: pytest.MonkeyPatch) -> None:
    """Judge the content of short texts, too."""
    monkeypatch.setattr("arena.debates.speech_checks._LEAST_CONTENT", 5)
    monkeypatch.setattr("arena.debates.speech_checks._LEAST_MATTER", 25)


@pytest.mark.usefixtures("judged_content")
@pytest.mark.parametrize(
    ("first", "second", "played"),
    [
        (DOUBTFUL, RIGHT["en"], RIGHT["en"]),
        (DOUBTFUL, DOUBTFUL, DOUBTFUL),
        (DOUBTFUL, NOTHING, DOUBTFUL),
        (DOUBTFUL, " ", DOUBTFUL),
        (NOTHING, DOUBTFUL, DOUBTFUL),
        (NOTHING, NOTHING, ""),
    ],
)
async def test_a_doubtful_text_is_asked_for_again_then_played_and_marked(
    first: str, second: str, played: str, tmp_path: Path
) -> None:
    place = seat(language_model(ScriptedBackend(lambda _request: second), tmp_path), words=100)
    finish = finish_speech(Draft(text=first), place, "summary")
    if not played:
        with pytest.raises(Refusal, match="asked once to correct"):
            await finish
        return
    made = await finish
    assert made.text == played
    marks = [step for step in made.trace if step.get("action") == "doubt"]
    assert bool(marks) == (played == DOUBTFUL)
    assert ("played in doubt, because it is about the task" in format_remarks(made)) == bool(marks)


@pytest.mark.usefixtures("judged_content")
async def test_a_text_that_a_side_repeats_stays_in_doubt(tmp_path: Path) -> None:
    recipe = (
        "Whisk three eggs with the milk, pour them into a hot pan and stir slowly until they set. "
        "Add the chives and the salt, fold the omelette over, and serve it on warm plates now."
    )
    place = seat(language_model(ScriptedBackend(lambda _request: recipe), tmp_path), words=100)
    for disclosed in ((), (speech(place.side, "constructive", recipe),)):
        made = await finish_speech(Draft(text=recipe), place, "rebuttal", disclosed=disclosed)
        assert is_in_doubt(made)
    met = (speech(other_side(place.side), "constructive", recipe),)
    assert not is_in_doubt(
        await finish_speech(Draft(text=recipe), place, "rebuttal", disclosed=met)
    )


async def test_a_text_that_is_no_shorter_is_not_taken_for_shortened(tmp_path: Path) -> None:
    text = "Costs fall and time is saved by it, and the poor gain most of all."
    longer = f"{text} {text}"
    place = seat(language_model(ScriptedBackend(lambda _request: longer), tmp_path), words=10)
    made = await finish_speech(Draft(text=text), place, "summary")
    assert text.startswith(made.text[:20]) and made.words <= 10
    assert any(step.get("action") == "keep" for step in made.trace)
