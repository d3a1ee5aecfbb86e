"""What is no speech of its side, and speeches that only look like it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arena.debates.speech_checks import foreign_share, speech_fault
from arena.errors import BothSides, ContentFault, WrongLanguage
from arena.languages import LANGUAGES, SIDES, Side, language, other_side
from tests.every import for_every

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


def fault(text: str, side: Side = "pro", code: str = "en") -> type[ContentFault] | None:
    result = speech_fault(text, side, language(code))
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
        assert speech_fault(text, "pro", spoken) is None or share > 0.5


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
        "Cost. Con: it says that hours are lost.\nPro: output stays [1].\n" * 6,
        "Clash: cost\nCon: hours are lost, and with them output.\nPro: output stays [1].\n" * 5,
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
