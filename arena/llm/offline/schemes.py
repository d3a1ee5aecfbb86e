"""General lines of argument, for motions of which a simulated model remembers nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from arena.languages import Side

#: By language and side: (claim, support), filled with the motion's text.
Scheme: TypeAlias = tuple[str, str]

SCHEMES: Mapping[str, Mapping[Side, tuple[Scheme, ...]]] = {
    "en": {
        "pro": (
            (
                "Inaction has a price that rarely appears in any budget.",
                "When a problem such as the one behind “{motion}” is left alone, households and "
                "public services pay for it year after year, because damage is dearer to repair "
                "than to prevent.",
            ),
            (
                "Fairness speaks for our side.",
                "Those with the least influence usually carry the heaviest burden of the present "
                "arrangement, therefore a just judge begins with them.",
            ),
            (
                "Comparable changes were feared at first and accepted later.",
                "Seat belts, smoking rules and public libraries all met the same objections, for "
                "example, and few citizens would now undo them.",
            ),
            (
                "What we propose is feasible with institutions that already exist.",
                "Courts, schools and local offices handle tasks of similar difficulty every day, "
                "so that capacity is no obstacle.",
            ),
            (
                "Incentives follow once the direction is clear.",
                "Firms and individuals plan ahead, hence a visible commitment changes investment "
                "and habits long before it is enforced.",
            ),
        ),
        "con": (
            (
                "Unintended effects would undo much of the promised gain.",
                "People adapt to new rules and pressures, because they look for substitutes; what "
                "is gained in one place is lost in another.",
            ),
            (
                "The costs would be concentrated on those who can bear them least.",
                "Broad promises like “{motion}” are paid for by particular groups, since the "
                "wealthy can buy their way around almost any change.",
            ),
            (
                "Milder remedies achieve the same purpose with less risk.",
                "Information, voluntary standards and targeted support can be corrected quickly, "
                "therefore they deserve to be tried before anything sweeping.",
            ),
            (
                "Sweeping claims do not fit varied circumstances.",
                "Regions, trades and generations differ, so that a judgement which holds in one "
                "setting misleads in the next.",
            ),
            (
                "Practice is harder than principle.",
                "Supervision needs staff, records and appeals, and experience with ambitious "
                "programmes shows delay and uneven application as a result.",
            ),
        ),
    },
    "zh": {
        "pro": (
            (
                "无所作为同样有代价，只是很少写进预算。",
                "“{motion}”背后的问题如果长期搁置，家庭和公共服务就要年年为之付出，因为补救总比预防昂贵。",
            ),
            (
                "公平的要求站在我方一边。",
                "现有安排的重担往往落在最没有话语权的人身上，所以公正的判断应当先考虑他们的处境。",
            ),
            (
                "类似的变化起初令人担心，后来却被广泛接受。",
                "例如安全带、禁烟规定和公共图书馆都曾遭遇同样的质疑，如今几乎没有人愿意退回从前。",
            ),
            (
                "我方的主张依靠现有机构就能够落实。",
                "法院、学校和基层部门每天都在处理难度相近的事务，因此能力并不构成障碍。",
            ),
            (
                "方向一旦明确，激励就会随之改变。",
                "企业和个人都会提前安排，从而使投资与习惯在正式执行之前就开始调整。",
            ),
        ),
        "con": (
            (
                "意料之外的副作用会抵消大部分预期的好处。",
                "人们会适应新的规则和压力，因为他们总能找到替代的途径，此处所得往往就是彼处所失。",
            ),
            (
                "代价会集中落在最难承受的群体身上。",
                "像“{motion}”这样宽泛的承诺，最终由特定人群买单，因为富裕者几乎总能绕开各种变化。",
            ),
            (
                "更温和的办法风险较小，同样能够达到目的。",
                "信息公开、自愿标准和定向扶助都可以及时纠正，所以理应先于激烈的举措得到尝试。",
            ),
            (
                "笼统的论断难以适用于千差万别的情形。",
                "地区、行业和世代各不相同，因此在一种环境下成立的结论，换一处就可能误导众人。",
            ),
            (
                "实践远比原则困难。",
                "监督需要人手、档案和申诉渠道，以往雄心勃勃的计划往往表明，拖延和执行不一在所难免。",
            ),
        ),
    },
}
