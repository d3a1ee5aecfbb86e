"""What models put around a speech is taken off; the speech itself is never touched."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.debates.correction import clean_speech
from arena.languages import language
from tests.support.case_lists import for_every

SPEECH = {
    "en": (
        "Honourable judges, a shorter week keeps people healthy [1]. Trials in Iceland found the "
        "same output in fewer hours [2, 3].\n\n1. Rest prevents errors.\n2. Staff stay longer.\n\n"
        "They call it “**radical**”; we call it overdue. That is why we support the motion."
    ),
    "zh": (
        "各位评委，缩短工作周能让人保持健康[1]。冰岛的试点发现，工时减少而产量不变[2，3]。\n\n"
        "1. 休息可以避免失误。\n2. 员工更愿意留下。\n\n"
        "对方称之为“**激进**”，我方认为早该如此。因此我方支持这一辩题。"
    ),
}
#: What is written around a speech (`{}`), and the kind of scaffolding that it is.
AROUND = {
    "preamble": [
        "Here is the speech:\n\n{}",
        "Here is the speech: {}",
        "Sure! Here's my constructive:\n{}",
        "Sure, here is my answer:\n\n{}",
        "Sure, here is my answer: {}",
        "Certainly! Here is the constructive speech for Pro:\n\n{}",
        "Of course! I can help with that.\n\n{}",
        "Sure!\n{}",
        "Here is a shortened version of the speech in 148 words:\n\n{}",
        "Here's the revised speech (148 words):\n\n{}",
        "As the Pro debater, here is my constructive speech:\n\n{}",
        "I have shortened the speech to 148 words:\n\n{}",
        "以下是我的发言：\n\n{}",
        "好的，以下是我的发言：\n{}",
        "好的，下面是正方的立论陈词：\n\n{}",
        "好的，以下是修改后的发言（480字）：{}",
        "当然！以下是压缩后的发言：\n{}",
        "好的。\n{}",
        "我的发言如下：\n{}",
    ],
    "heading": [
        "# Constructive Speech\n\n{}",
        "**Opening Statement**\n\n{}",
        "Pro Constructive:\n{}",
        "Pro Constructive: {}",
        "**Pro – Constructive Speech**\n\n{}",
        "## Pro's Opening Statement (600 words)\n{}",
        "Rebuttal by Con\n\n{}",
        "Speech: {}",
        "**Motion:** This house would ban cars.\n\n{}",
        "# 立论陈词\n\n{}",
        "**正方立论**\n\n{}",
        "【正方立论】\n{}",
        "正方立论：{}",
        "发言：{}",
        "辩题：应当禁止汽车\n\n{}",
    ],
    "count": [
        "{}\n\n(148 words)",
        "{} (148 words)",
        "{}\n\nWord count: 148",
        "{}\n\n*(Word count: 148/150)*",
        "{}\n\n148 words",
        "{}\n\n（480字）",
        "{}（共480字）",
        "{}\n\n字数：480",
        "{}\n\n全文共480字。",
    ],
    "remark": [
        "{}\n\nI hope this helps!",
        "{}\n\nLet me know if you'd like me to adjust the tone.",
        "{}\n\nNote: This speech is within the word limit.",
        "{}\n\n[End of speech]",
        "{}\n\n希望这篇发言对你有帮助！",
        "{}\n\n如需修改，请告诉我。",
        "{}\n\n（注：本发言共480字，符合要求）",
        "{}\n（完）",
    ],
    "rule": ["---\n\n{}", "{}\n\n***", "{}\n\n* * *"],
    "fence": ["```\n{}\n```", "```markdown\n{}\n```", "```\n{}"],
    "template": [
        "{}<|im_end|>",
        "{}</s>",
        "Assistant: {}",
        "<|im_start|>assistant\n{}<|im_end|>",
        "{}<|im_end|>\n<|im_start|>user\nGreat! And now the rebuttal.",
        "{}\n\nUser: Thanks! And now the rebuttal.\nAssistant: Of course.",
        "{}\n\n用户：谢谢\n助手：不客气",
    ],
    "thinking": ["<think>Let me see.</think>\n{}", "Let me see.</think>{}"],
    "tags": ["<speech>\n{}\n</speech>", "<speech d880570c22 | Pro>\n{}\n</d880570c22>"],
    "quotes": ["「{}」"],
    "list": ["- {}"],
}
#: Texts that only look as if something were around them.
SPOKEN = [
    "Here is the core of our case:\n\nFirst, health.",
    "Here is my answer: the costs are overstated.",
    "Certainly, the costs are real. But they fall.",
    "Of course, here is the catch: nobody pays.",
    "Certainly, I would write off none of that.\nIt counts.",
    "I have prepared three questions for Con:\n1. Who pays?\n2. When?",
    "I will answer their constructive in three steps:\n1. Cost.\n2. Time.",
    "Summary judgement is no trial.\nIt is less.",
    "Speech is free: nobody pays for it.",
    "Motion and rest are different things.\nSo says Newton.",
    "“Ban cars” is their slogan; ours is “move people”",
    '"Ban cars" is their slogan and ours is "move people"',
    "We win.\n\nIf you want proof, I can name three towns: Oslo, Ghent, Paris.",
    "We win.\n\nI hope that my arguments have helped you see why Pro deserves your vote.",
    "We win.\n\nNote that the speech of Con never mentions cost.",
    "We win.\n\nWould you like me to believe that nobody pays?",
    "We win.\n\nLet me know what evidence would persuade you, they said.",
    "We win.\n\nLet me know if there is one city that went back to cars after it had tried trams.",
    "We win.\n\nI hope that it helps you see what a night shift does to a nurse of sixty.",
    f"{SPEECH['en']}\n\nHuman: Why did the republic fall?\nAssistant: Debt.\n\nIt did not.",
    f"{SPEECH['en']}\nInstruction: no child works at night. That was the law of 1833, and it held.",
    f"{SPEECH['zh']}\n\n用户：榜一能加微信吗？\n\n屏幕熄灭以后，大哥睡在网吧。",
    "我方获胜。\n\n如果还有疑问，请告诉我有哪一座城市失败了。",
    "1. Cost. It falls.\n2. Time. It is saved.",
    "First point.\n- Cost falls.\n- Time is saved.\nSo vote Pro.",
    "We grew by 2 * 3 * 4 units, and snake_case_names stay.",
    "The word “**bold**” means daring.",
    "User data belongs to users.\nProvider: they say no.",
    'Models emit "</think>" before they answer, and nobody reads what stands before it.',
    "In 2020 [P3, 7] and [C1] and [12] we saw it. [正3]",
    "[1] shows that it works.",
    "We support #97# and C# alike.",
    "Con: they fear for pay.\nPro: we showed that pay rises.",
    "The pamphlet (3000 words) is wrong",
    "Thank you.\n\nThank you, and vote Pro.",
    "好的制度需要时间\n我方认为如此。",
    "好的城市属于行人。\n我方支持。",
    "好，这就是对方的逻辑：越贵越好。",
    "可以，这是对方的说法：越贵越好。",
    "以下是对方的发言：“越贵越好。”我方不同意。",
    "以下是我方的三个论点：\n1. 成本。\n2. 时间。",
    "我方获胜。\n\n希望这场辩论对您有所启发。",
    "我方获胜。\n\n请告诉我，一个孩子的命值多少？",
    "我方获胜。\n\n如果有问题的药品流入市场，受害的是病人。",
    "我方获胜。\n\n以上共三点，足以说明问题。",
    "总结起来，我方获胜。",
    "发言权属于每个人。",
    "「甲」不等于「乙」",
    "我方立论很简单：第一，成本。",
    "对方至今没有回应（共3次）。",
]


def cases() -> Iterator[tuple[str, str, str]]:
    for kind, templates in AROUND.items():
        for template in templates:
            chinese = re.search(r"[\u4e00-\u9fff]", template)
            for code in ["zh"] if chinese else SPEECH:
                yield code, kind, template


@for_every(cases())
def test_what_is_around_a_speech_is_removed_and_named(code: str, kind: str, template: str) -> None:
    cleaned = clean_speech(template.format(SPEECH[code]), language(code))
    assert (cleaned.text, cleaned.removed) == (SPEECH[code], (kind,))


@for_every(SPEECH.items(), ["speech", "text", "answer"], ["{{{}}}", "[{{{}}}]"])
def test_a_speech_in_an_object_is_taken_out(code: str, text: str, field: str, form: str) -> None:
    value = json.dumps(text, ensure_ascii=False)
    whole = form.format(f'"marker": "finished", "{field}": {value}')
    assert clean_speech(whole, language(code)).text == text
    raw = f'{{"{field}": "{text}"}}'  # with raw line breaks
    assert clean_speech(raw, language(code)).text == text
    cut = f'{{"{field}": {value}'[:-20]
    rest = clean_speech(cut, language(code))
    assert text.startswith(rest.text) and len(rest.text) > len(text) - 30
    assert rest.removed == ("object",)


def test_several_things_are_removed_one_after_the_other() -> None:
    text = (
        "Sure! Here is the summary speech:\n\n**Summary**\n\n{}\n\n---\n*Word count: 300*\n\n"
        "Let me know if you need changes!<|im_end|>"
    )
    cleaned = clean_speech(text.format(SPEECH["en"]), language("en"))
    assert cleaned.text == SPEECH["en"]
    assert set(cleaned.removed) >= {"preamble", "heading", "rule", "count", "remark", "template"}


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("**Cost.** It *falls* and __stays__ low.", "Cost. It falls and stays low."),
        ("***Cost*** falls.\n\n## Time\nIt is saved.", "Cost falls.\n\nTime\nIt is saved."),
        ("**“Cost”** falls **[1]**.", "“Cost” falls [1]."),
        ("**成本**下降[1]，*时间*节省。", "成本下降[1]，时间节省。"),
        ("- Cost falls.\n- Time is saved.", "Cost falls.\nTime is saved."),
        ("> Cost falls.\n> Time is saved.", "Cost falls.\nTime is saved."),
    ],
)
def test_of_markdown_the_words_stay(text: str, plain: str) -> None:
    assert clean_speech(text, language("en")).text == plain


@for_every(SPOKEN)
def test_what_a_speaker_could_say_stays(text: str) -> None:
    for code in SPEECH:
        cleaned = clean_speech(text, language(code))
        assert (cleaned.text, cleaned.removed) == (text, ())


@pytest.mark.parametrize(
    "text", ["Here is the speech:", "# Speech", "(148 words)", "```\nYes\n```"]
)
def test_what_has_words_keeps_some(text: str) -> None:
    assert re.search(r"\w", clean_speech(text, language("en")).text)


def test_labels_of_both_sides_stay_for_the_check() -> None:
    text = f"Pro Constructive:\n{SPEECH['en']}\n\nCon Constructive:\n{SPEECH['en']}"
    assert clean_speech(text, language("en")).text.startswith("Pro Constructive:\n")


PIECES = [
    *(template.replace("{}", "Costs fall [1]. ") for _, _, template in cases()),
    *(
        "**",
        "*",
        "_",
        '"',
        "“",
        "”",
        "{",
        "}",
        "[",
        "\n",
        "- ",
        "# ",
        "<think>",
        "</think>",
        "words",
    ),
    "Sure! ",
    '{"speech": "',
    "\\n",
]


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=8).map("".join))
def test_a_cleaned_text_is_clean_and_never_empty(text: str) -> None:
    for code in SPEECH:
        spoken = language(code)
        cleaned = clean_speech(text, spoken)
        assert clean_speech(cleaned.text, spoken).text == cleaned.text
        assert clean_speech(cleaned.text, spoken).removed == ()
        has_words = any(character.isalnum() for character in text)
        assert has_words == any(character.isalnum() for character in cleaned.text)
        assert (cleaned.text == text.strip()) or cleaned.removed


def test_what_stood_around_a_speech_is_kept_beside_it() -> None:
    around = "Here is the speech:\n\n{}\n\nLet me know if you need changes!\n\n(12 words)"
    cleaned = clean_speech(around.format(SPEECH["en"]), language("en"))
    assert cleaned.removed == ("preamble", "count", "remark", "emphasis")[: len(cleaned.removed)]
    assert cleaned.taken == (
        "Here is the speech:",
        "(12 words)",
        "Let me know if you need changes!",
    )
