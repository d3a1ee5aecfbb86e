"""Phrases by which a reader recognises a reason, a contradiction, a comparison or a placeholder."""

from __future__ import annotations

import re

REASON = re.compile(
    r"\b(?:because|since|therefore|thus|hence|so that|due to|as a result|for example|for instance"
    r"|evidence|stud(?:y|ies)|research|data|survey|report(?:s|ed)?|show(?:s|ed|n)?|found|means that"
    r"|leads? to|causes?|which is why|consider|according to|means)\b"
    r"|因为|由于|因此|所以|从而|例如|比如|研究|数据|调查|报告|表明|显示|证据|意味着|导致|据|可见|\d",
    re.IGNORECASE,
)
COUNTER = re.compile(
    r"\b(?:but|however|yet|although|though|nevertheless|instead|on the contrary|fails?|overlooks?"
    r"|ignores?|mistakes?|wrong|flaw(?:ed)?|does not|do not|did not|cannot|is not|are not"
    r"|doesn't|don't|isn't|no evidence|even if|in fact|in reality|rebut|refute|mistaken)\b"
    r"|但|然而|可是|不过|却|并非|并不|忽视|忽略|混淆|错误|不成立|站不住|恰恰相反|即便|即使|事实上"
    r"|其实|反驳|不能|未必|没有证据",
    re.IGNORECASE,
)
WEIGH = re.compile(
    r"\b(?:outweighs?|weigh(?:s|ed|ing)?|more important|matters more|larger|greater|heavier"
    r"|on balance|more likely|irreversible|decisive|priority|tips the)\b"
    r"|权衡|更重要|更为重要|大于|超过|胜过|优先|不可逆|决定性|相比之下|总体而言|更有分量|更可能",
    re.IGNORECASE,
)
CONNECTIVE = re.compile(
    r"\b(?:first|second|third|finally|moreover|furthermore|however|therefore|thus|because|although"
    r"|while|whereas|in addition|for example|for instance|as a result|in contrast|by contrast"
    r"|on the other hand|in short|consequently|meanwhile|indeed|similarly|in conclusion|to sum up"
    r"|above all|next)\b"
    r"|首先|其次|再次|最后|此外|而且|然而|因此|所以|因为|虽然|尽管|例如|比如|相反|相比之下|另一方面"
    r"|总之|综上|由此|与此同时|同样|第一|第二|第三|换言之|更重要的是|归根结底|可见",
    re.IGNORECASE,
)
#: Talk about the debate itself, or a report of what was said: no claim about the motion.
FRAME = re.compile(
    r"\b(?:motion|debate|criterion|standard should|judge (?:the|by)|honou?rable|good evening"
    r"|battleground|clash(?:es)?|(?:they|pro|con) (?:said|told|argued?|held|claim(?:s|ed)?|leans?)"
    r"|we (?:argued|showed|now answer)|dear judges|judges,|background|common ground"
    r"|(?:part|words) of (?:their|our|pro|con)|their conclusion|very important|winner|verdict|tally"
    r"|marks?(?= ?:)"
    r"|(?:our|their) (?:own )?(?:case|argument|claim|side|assertion)s?"
    r" (?:stands?|rests?|falls?|that))(?!\w)"
    r"|辩题|辩论|评委|判断标准|标准应当|战场|交锋|对方(?:说|认为|告诉|断言|强调|以)|(?:正|反)方(?:说|倚重|的立场|已经|支持|反对)"
    r"|对方的|双方|背景|这一点(?:非常|对我方)"
    r"|我方(?:主张|则?指出)|下面回应|各位|获胜|裁决|小结|评分",
    re.IGNORECASE,
)
GAP = re.compile(
    r"\[(?:insert|todo|tbd|source|citation|evidence|placeholder|name|example)[^\]\n]{0,40}\]"
    r"|\b(?:lorem ipsum|TODO|TBD|XXX+)\b|\{\{?[\w ]{1,40}\}?\}"
    r"|【(?:待|此处)[^】\n]{0,40}】|（待补[^）\n]{0,40}）",
    re.IGNORECASE,
)
#: How much the debaters of an inner debate are asked to disagree.
ONE_ANSWER = re.compile(r"\bcome to one answer\b|得出同一个答案")
MOST_POINTS = re.compile(r"\bdisagree about most of it\b|大部分问题上持不同意见")
EVERY_POINT = re.compile(r"\bdisagree about every single point\b|每一点上都持不同意见")
#: Words for or against a change, for texts about motions that are not known.
FAVOURABLE = re.compile(
    r"\b(?:improv|benefit|gain|succe|effective|better|raise|grow|increas|help|protect|save)\w*"
    r"|改善|提高|提升|有益|有利|成功|有效|增长|帮助|保护|促进",
    re.IGNORECASE,
)
UNFAVOURABLE = re.compile(
    r"\b(?:harm|fail|cost|risk|declin|worse|problem|damag|loss|lost|danger|unintended|no effect)\w*"
    r"|损害|失败|成本|风险|下降|恶化|问题|危险|代价|副作用|无效|负面",
    re.IGNORECASE,
)
AGAINST = re.compile(
    r"\b(?:ban|abolish|prohibit|end|stop|reject|less|not|do more harm|outlaw|remove)\b"
    r"|禁止|取消|废除|停止|不应|不该|弊大于利|限制",
    re.IGNORECASE,
)
