"""What is no speech of its side, and speeches that only look like it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.debaters.direct import Direct
from arena.debates.correction import clean_speech
from arena.debates.protocol import play
from arena.debates.speech_checks import (
    find_no_speech,
    foreign_share,
    resembles,
    speech_fault,
)
from arena.debates.speech_phrases import is_refusal
from arena.errors import BothSides, ContentFault, NoSpeech, Refusal, WrongLanguage
from arena.languages import LANGUAGES, SIDES, Side, language, other_side
from arena.simulator import OfflineBackend
from motions import load
from tests.support.case_lists import for_every
from tests.support.console_script import ask
from tests.support.debate_seats import language_model, seat

ENGLISH = (
    "A shorter week keeps people healthy, because rest prevents the errors that tired staff "
    "make; the trials that were run in offices and in workshops found the same output in fewer "
    "hours, and fewer days of sick leave, so nobody loses and most people gain from it. "
)
CHINESE = (
    "缩短工作周能让人保持健康，因为休息可以避免疲劳造成的失误；"
    "在办公室和车间进行的试点都发现，工时减少而产量不变，病假也更少，"
    "所以没有人吃亏，大多数人都从中受益，社会也因此更加稳定而富有活力。"
)
PROSE = {"en": ENGLISH, "zh": CHINESE}
NAMES = {"en": ("Pro", "Con"), "zh": ("正方", "反方")}


@pytest.fixture(autouse=True)
def short_speeches() -> None:
    """Check the length that is asked of speeches, as a tournament does."""


def fault(text: str, side: Side = "pro", code: str = "en") -> type[ContentFault] | None:
    result = speech_fault(text, side, language(code), words=0)
    return type(result) if result else None


@for_every(LANGUAGES, SIDES)
def test_a_speech_in_the_other_language_is_none(code: str, side: Side) -> None:
    other = "zh" if code == "en" else "en"
    assert fault(PROSE[other], side, code) is WrongLanguage
    assert fault(PROSE[code], side, code) is None


@for_every(["Нам нужна короткая рабочая неделя, " * 4, "もっと休むべきです。" * 6], LANGUAGES)
def test_other_scripts_are_neither_language(text: str, code: str) -> None:
    assert fault(text, code=code) is WrongLanguage


@for_every(
    [
        f"{ENGLISH}The proverb says “{CHINESE}”, and it is right.",
        f"{ENGLISH}\nReferences\n[1] {CHINESE}\n[2] {CHINESE}\n[3] {CHINESE}",
        f"{ENGLISH}See https://example.org/四天工作制/{'研究' * 60} for this.",
        f"{ENGLISH}Teachers in 北京, 上海 and 广州 and the firm 比亚迪 agree [1].",
        "我反对。",
        "42",
        "",
    ]
)
def test_names_quotations_and_sources_of_another_script_are_no_fault(text: str) -> None:
    assert fault(text) is None


@for_every(
    [
        f"{CHINESE}正如 Juliet Schor 在 “{ENGLISH * 3}” 中所写。",
        f"{CHINESE}\n[1] {ENGLISH}\n[2] {ENGLISH}\n[3] {ENGLISH}",
        f"{CHINESE}OECD、IMF、4 Day Week Global 与 Microsoft Japan 的 GDP 与 KPI 数据[1]一致。",
        "I disagree.",
    ]
)
def test_chinese_speeches_may_name_and_quote_in_english(text: str) -> None:
    assert fault(text, code="zh") is None


def test_half_of_each_is_let_through_and_most_of_the_other_is_not() -> None:
    assert fault(ENGLISH + CHINESE, code="zh") is None
    assert fault(ENGLISH * 2 + CHINESE, code="zh") is WrongLanguage
    assert fault(ENGLISH + CHINESE * 2, code="en") is WrongLanguage


@given(st.text())
def test_a_share_is_a_share_of_any_text(text: str) -> None:
    for spoken in LANGUAGES.values():
        share = foreign_share(text, spoken)
        assert 0.0 <= share <= 1.0
        fault = speech_fault(text, "pro", spoken, words=0)
        assert share > 0.5 or not isinstance(fault, WrongLanguage)


@for_every(
    [
        "{pro}: {text}\n\n{con}: {text}",
        "{pro}：{text}\n{con}：{text}",
        "**{pro}:** {text}\n\n**{con}:** {text}",
        "**{pro}**: {text}\n\n**{con}**: {text}",
        "## {pro}\n{text}\n\n## {con}\n{text}",
        "【{pro}】\n{text}\n【{con}】\n{text}",
        "[{con}]\n{text}\n[{pro}]\n{text}",
        "{pro}\n{text}\n\n{con}\n{text}",
        "A preface.\n{con}: {text}\n{pro}: {text}\n{con}: {text}",
    ],
    LANGUAGES,
    SIDES,
)
def test_a_speech_of_each_side_under_its_name_is_no_speech(
    form: str, code: str, side: Side
) -> None:
    pro, con = NAMES[code]
    text = form.format(pro=pro, con=con, text=PROSE[code])
    assert fault(text, side, code) is BothSides


@for_every(
    [
        ("en", ("Pro constructive:", "Con rebuttal:")),
        ("en", ("### Pro – Opening Statement", "### Con – Opening Statement")),
        ("en", ("Affirmative speaker:", "Negative speaker:")),
        ("en", ("**The Proposition (summary)**", "**The Opposition (summary)**")),
        ("zh", ("正方一辩：", "反方一辩：")),
        ("zh", ("**正方立论**", "**反方驳论**")),
        ("zh", ("正方（总结陈词）：", "反方（总结陈词）：")),
    ]
)
def test_names_may_come_with_a_stage(code: str, heads: tuple[str, str]) -> None:
    pro, con = heads
    text = f"{pro}\n{PROSE[code]}\n\n{con}\n{PROSE[code]}"
    assert fault(text, "pro", code) is BothSides
    assert fault(text, "con", code) is BothSides


def own(code: str, side: Side) -> str:
    return NAMES[code][SIDES.index(side)]


@for_every(LANGUAGES, SIDES)
def test_a_speech_may_bear_its_own_name(code: str, side: Side) -> None:
    for head in ("{}:\n", "**{}**\n", "# {}\n", "【{}】"):
        assert fault(head.format(own(code, side)) + PROSE[code] * 3, side, code) is None


@for_every(LANGUAGES, SIDES)
def test_a_speech_may_quote_the_other_side_at_length(code: str, side: Side) -> None:
    theirs, ours = own(code, other_side(side)), own(code, side)
    quoted = f"{theirs}: “{PROSE[code]}”\n{ours}: {PROSE[code]}"
    assert fault(quoted, side, code) is None
    marked = f"{theirs}:\n> {PROSE[code]}\n\n{ours}:\n{PROSE[code]}"
    assert fault(marked, side, code) is None


@for_every(
    [
        f"Con claims that costs rise. {ENGLISH}Con: that is all it said. {ENGLISH}",
        f"Con's first claim: {ENGLISH}\nPro's answer: {ENGLISH}",
        f"Con argues: {ENGLISH}\nPro answers: {ENGLISH}",
        f"Con claim 1: {ENGLISH}\nPro reply 1: {ENGLISH}",
        f"Con has it wrong: {ENGLISH}\nPro has shown: {ENGLISH}",
        f"Pros: {ENGLISH}\nCons: {ENGLISH}",
        f"Positive: {ENGLISH}\nNegative: {ENGLISH}",
        f"Proposition 1: {ENGLISH}\nOpposition to it: {ENGLISH}",
        f"For: {ENGLISH}\nAgainst: {ENGLISH}",
        f"Con: costs rise, they say.\nPro: {ENGLISH * 4}",
        "Cost. Con: it says that hours are lost.\nPro: output stays [1].\n" * 4,
        "Clash: cost\nCon: hours are lost, and with them output.\nPro: output stays [1].\n" * 4,
        f"- Con: it fears for pay.\n- Pro: {ENGLISH}\n" * 2,
        f"{ENGLISH}The line Pro: and the line Con: stand within a sentence. {ENGLISH}",
        f"| Con | Pro |\n|---|---|\n| {ENGLISH} | {ENGLISH} |",
    ],
    SIDES,
)
def test_english_speeches_that_answer_point_by_point_are_left_alone(text: str, side: Side) -> None:
    assert fault(text, side) is None


@for_every(
    [
        f"反方认为：{CHINESE}\n正方回应：{CHINESE}",
        f"反方的主张：{CHINESE}\n正方的回答：{CHINESE}",
        f"反方第一个论点：{CHINESE}\n正方第一点反驳：{CHINESE}",
        f"反方说成本会上升。{CHINESE}\n正方已经证明：{CHINESE}",
        "战场一：成本\n反方：工时减少，产量也随之减少。\n正方：产量不变[1]。\n" * 5,
        f"反方：“{CHINESE}”\n正方：{CHINESE}",
        f"{CHINESE}反方：这一点不成立。{CHINESE}",
    ],
    SIDES,
)
def test_chinese_speeches_that_answer_point_by_point_are_left_alone(text: str, side: Side) -> None:
    assert fault(text, side, "zh") is None


REFUSALS = {
    "en": [
        "I can't help with that.",
        "I’m sorry, but I’m not able to help with that.",
        "I'm sorry, but I can't fulfill this request. It goes against my guidelines.",
        "I'm sorry, but I cannot argue for this motion because it promotes harm.",
        "I apologize, but I cannot argue against this motion.",
        "Sorry, but I can’t assist with that. Is there anything else I can help you with?",
        "I'm sorry. I cannot take a side on this topic. I'd be happy to discuss both sides.",
        "As an AI language model, I don't take sides.",
        "As an AI, I don't have personal opinions and cannot take sides in political debates. "
        "However, I can provide a balanced overview of the topic.",
        "I am unable to write this speech.",
        "I won't write this speech.",
        "I must decline to write that speech.",
        "I respectfully decline.",
        "I'm not comfortable writing arguments for this position.",
        "Unfortunately, I can't generate this content.",
        "I'm not able to participate in this debate. Let me know if I can do something else.",
    ],
    "zh": [
        "抱歉，我无法提供这样的内容。",
        "很抱歉，我不能协助您完成这个请求。",
        "作为一个人工智能，我不能选择立场。",
        "作为AI语言模型，我没有个人立场，无法为任何一方辩护。",
        "对不起，我无法为这一立场撰写发言。如果您有其他问题，我很乐意帮助您。",
        "抱歉，我不能帮你写这篇发言。",
        "我无法满足您的要求。",
        "作为一名AI助手，我不会在政治议题上支持任何一方。请换一个话题。",
        "很抱歉，作为人工智能助手，我无法参与这场辩论。",
        "我不能协助您撰写这篇发言。这一话题较为敏感。",
        "非常抱歉，我无法就此话题发表意见。",
    ],
}
SPEECHES = {
    "en": [
        "I cannot accept the motion.",
        "I cannot accept the motion. It hurts the poor.",
        "I cannot support this motion. It hurts the poor.",
        "I cannot argue for this motion. It hurts the poor.",
        "I cannot argue that this is free of cost, but it pays.",
        "I won't argue for the status quo. The costs are too high.",
        "I can't help but notice that Con has no evidence.",
        "I'm sorry, but I cannot accept Con's claim that costs rise.",
        "I'm afraid I cannot agree with my opponent. The data show the reverse.",
        "Sorry, but the evidence is against Con.",
        "I'm sorry to say that Pro cannot show its benefit.",
        "As an AI-driven economy grows, jobs vanish.",
        "As an AI researcher, I don't fear machines; I fear their owners.",
        "As an AI model can write any speech, honesty needs rules.",
        "They say “I can't help with that.” That is what every ministry says.",
        "“I can't help with that,” says every ministry that we asked. It must change.",
        "Chatbots answer: I can't help with that. This is why rules matter.",
        "I can't help with that. Our opponents ask us to prove a negative.",
        "I will not take the position that markets are perfect. But they work.",
        "I cannot take part in a lie. The numbers are wrong.",
        "I cannot write off the costs.",
        "I cannot provide a better example than Iceland, where output stayed the same.",
        "I must decline my opponent's invitation to speculate.",
        "We cannot help with that burden unless we act.",
        "Voters refuse. They will not help with this.",
        "Thank you. Please support Pro.",
        "Yes.",
        "",
    ],
    "zh": [
        "我无法接受这一辩题。",
        "我不能同意对方的观点。",
        "我不能支持这个辩题，因为它伤害穷人。",
        "抱歉，我无法认同对方的说法。",
        "很遗憾，我方不能同意。",
        "对不起，对方的数据有误。",
        "我方无法回避成本，但收益更大。",
        "我无法为对方的疏忽负责。",
        "作为人工智能时代的公民，我不能沉默。",
        "作为人工智能，它没有责任能力，所以必须立法。",
        "“抱歉，我无法帮助您”，这就是今天的客服。",
        "我们不能为了效率牺牲公平。",
        "请支持正方。",
    ],
}


@for_every((code, text) for code, texts in REFUSALS.items() for text in texts)
def test_an_answer_that_only_declines_is_a_refusal(code: str, text: str) -> None:
    assert is_refusal(text, language(code))
    fault = speech_fault(text, "con", language(code), words=20)
    assert isinstance(fault, Refusal) and text[:40] in str(fault)


@for_every((code, text) for code, texts in SPEECHES.items() for text in texts)
def test_a_speech_that_rejects_or_quotes_is_none(code: str, text: str) -> None:
    assert not is_refusal(text, language(code))


@pytest.mark.parametrize("code", list(LANGUAGES))
def test_a_long_answer_is_none(code: str) -> None:
    assert not is_refusal(" ".join(REFUSALS[code]), language(code))


@given(st.text())
def test_any_text_can_be_checked(text: str) -> None:
    assert all(not is_refusal(f"Costs fall. {text}", spoken) for spoken in LANGUAGES.values())


def check(text: str, code: str) -> None:
    cleaned = clean_speech(text, language(code))
    assert (cleaned.text, cleaned.removed) == (text, ())
    assert not is_refusal(text, language(code))


@pytest.mark.parametrize("code", LANGUAGES)
async def test_speeches_on_every_motion_stay_as_they_are(code: str, tmp_path: Path) -> None:
    motions = load("arena66").motions
    model = language_model(OfflineBackend(motions), tmp_path, name="offline/fair")
    for motion in motions:
        wording = motion.wordings[code]
        debaters = {}
        for side in SIDES:
            place = seat(model.under(f"{motion.motion_id}/"), side=side, code=code)
            debaters[side] = Direct(replace(place, motion=wording.text), Direct.Options())
        played = await play(debaters)
        assert played.status == "finished"
        for speech in played.speeches:
            check(speech.text, code)
            assert all(step.get("action") != "clean" for step in speech.trace)


def test_speeches_of_a_played_tournament_stay_as_they_are(small_database: Path) -> None:
    stored = ask(
        small_database, "SELECT text, language FROM speeches JOIN debates USING (debate_id)"
    )
    assert len(stored) == 36
    for text, code in stored:
        check(str(text), str(code))


_EMPTY = {
    "en": (
        "OK.",
        "N/A",
        "...",
        "[Insert constructive speech here]",
        "[Insert opening statement here]. [Describe the first argument and its evidence here]. "
        "[Add a rebuttal of the opponent's strongest point and a short conclusion here].",
        "Could you please provide the motion, the side that I should speak for and the speeches "
        "that were given so far, so that I can write a good rebuttal?",
        "It seems that the debate has no motion yet. Please provide the motion and the stage, and "
        "tell me how long the speech may be. Once you have done so, I will write it.",
        "Your debate speech is indeed long and lacks necessary editing. To shorten it, you could "
        "remove the second example. The speech should focus on its strongest argument.",
        "This speech has 102 words; at most 50 are allowed, so it needs to be cut by half. I "
        "suggest removing the second paragraph and the example about the trials in offices.",
        "My name is [Your Name]. I stand for [motion], because [argument 1] is shown by [source] "
        "and because [argument 2] matters to [group]. I ask the judges to vote for [side]. Thanks.",
        "Opening: Why Working Hours Matter to Everybody\n1. The Argument from Health and Rest\n"
        "2. The Argument from Output per Hour\n3. The Argument from Fairness at Home\n"
        "4. Answering the Costs of the Change\nClosing and Appeal to the Judges",
        "The user wants a speech for Pro of at most 600 words. I should open with a story, and "
        "then give two arguments, each with evidence, and I must not invent any source at all.",
        "I'm glad to speak. What Con said was this:\n<speech 0123abcdef | Con | constructive>\n"
        "Hours are long because work is long, and no law has ever made the work any shorter.",
    ),
    "zh": (
        "好的。",
        "【在此插入立论发言】【请在此填写论据】",
        "请提供辩题和我方立场，以及此前双方的发言内容，这样我可以写出更有针对性的驳论发言。谢谢您的配合，我会尽快完成。",
        "这篇发言共有一百零二字，超过了字数限制，需要删减。建议删去第二段和关于办公室试点的例子，并且保留最有力的论点和论据。",
    ),
}


@for_every((code, text) for code, texts in _EMPTY.items() for text in texts)
def test_what_is_no_speech_is_told(code: str, text: str) -> None:
    fault = speech_fault(text, "pro", language(code), words=language(code).limit(600))
    assert isinstance(fault, NoSpeech) and text.lstrip("#* ")[:40] in str(fault)


_TRUE = {
    "en": (
        ENGLISH,
        "Could you live on that wage? Would you want your children to? Nobody who has tried says "
        "that one can, and the four trials of the last ten years show what happens instead.",
        "The speech of my opponent is silent on costs. This speech will not be. A year of the "
        "scheme takes two billion from schools, and no trial has found a gain that pays for it.",
        "You should remove the tax that holds the poor down. You could do it today. What keeps us "
        "is habit, and habit has never been an argument for keeping a harmful rule in place.",
        "A law of three paragraphs:\nno night shifts without consent,\nno day above ten hours,\n"
        "and eleven hours of rest between two shifts. That is the whole of it, and it is enough.",
        "The study [Smith 2019] finds 12 % [P1], the second [Jones 2021] 14 % [P2], and the third "
        "[Office of Statistics] nothing at all [C3]: my opponent has told you only of the third.",
        "Please consider what the ban does [insert any city here]: shops close, buses are full, "
        "and the old stay at home; three studies of five cities found exactly this [P2].",
    ),
    "zh": (
        CHINESE,
        "请大家想一想：没有休息的人怎么能做好工作？试点已经给出了答案，产量不变，病假减少，"
        "人人受益，社会更稳定，所以应当尽快推广这一做法。",
    ),
}


@for_every((code, text) for code, texts in _TRUE.items() for text in texts)
def test_a_short_or_asking_speech_is_one(code: str, text: str) -> None:
    assert speech_fault(text, "pro", language(code), words=language(code).limit(600)) is None


@for_every([(600, 7, "sure"), (600, 29, "doubt"), (600, 30, ""), (60, 7, "sure"), (60, 8, "")])
def test_how_short_a_speech_may_be(words: int, length: int, found: str) -> None:
    text = " ".join((["we", "work"] * length)[:length])
    fault = find_no_speech(text, language("en"), words=words)
    assert (fault and ("doubt" if fault.doubtful else "sure")) == (found or None)


_BUS = "This house would make public transport free"
#: Texts that say nothing on a motion, and the same with what makes a speech of them.
_BESIDE = {
    "Whisk three eggs with the milk, pour them into a hot pan and stir slowly until they set. "
    "Add the chives and the salt, fold it over, and serve it on warm plates.": (
        "on another matter",
        " No bus should cost more than such a meal, because those who ride it cannot pay.",
    ),
    "lamp ladder seven quickly moon spoon marble blue tomorrow chair whistle cabbage tall sugar "
    "wheel pencil river onion velvet stone window paper drum candle orbit": (
        "form no sentences",
        ": so it reads to us, if nobody has the fare, when they are at the stop and not on a bus, "
        "as we were; and you will not be there for them, but why should they pay for it?",
    ),
    "I prefer to stay neutral on a subject such as this, and I would be glad to share sources.": (
        "on its motion",
        " So says the transport minister, because he never paid a fare; yet those who must pay "
        "cannot be neutral, and the public should not be either.",
    ),
}


@for_every((text, reason, rest) for text, (reason, rest) in _BESIDE.items())
def test_a_text_beside_its_motion_is_in_doubt_until_it_argues(
    text: str, reason: str, rest: str
) -> None:
    fault = find_no_speech(text, language("en"), words=100, motion=_BUS)
    assert fault is not None
    assert fault.doubtful
    assert reason in fault.reason
    assert find_no_speech(text + rest, language("en"), words=100, motion=_BUS) is None


@for_every([("en", ENGLISH), ("zh", CHINESE)])
def test_a_shortened_text_has_the_words_of_its_draft(code: str, text: str) -> None:
    assert resembles(text[: len(text) // 2], text)
    assert not resembles(_EMPTY[code][-1], text)
