"""Short answers that decline to speak, and speeches that only sound like them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.debates.refusals import is_refusal
from arena.debates.speech_checks import speech_fault
from arena.errors import Refusal
from arena.languages import LANGUAGES, language
from tests.every import for_every

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
    fault = speech_fault(text, "con", language(code))
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
