"""General lines of argument, for motions about which a simulated model remembers nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from arena.languages import Language, Side
from arena.simulator.words import strip_end_mark

#: A claim and its support, in which `{motion}` stands for the motion's text.
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

#: Personas who might speak on any motion, by language.
PEOPLE: Mapping[str, tuple[str, ...]] = {
    "en": (
        "A nurse on night shifts who sees what decisions do to those who cannot choose.",
        "A mayor of a small town who has to make every budget balance.",
        "An economist who studies how people respond to incentives.",
        "A teacher at a vocational school who wants every pupil to have a second chance.",
        "A retired judge who distrusts rules that nobody can apply evenly.",
        "An organiser of a trade union who asks first who bears the burden.",
        "A parent of three who measures plans by an ordinary week.",
        "A historian who has read how similar promises turned out.",
    ),
    "zh": (
        "一位上夜班的护士，看得到种种决定怎样落在无从选择的人身上。",
        "一位小城的市长，每一笔预算都得收支相抵。",
        "一位经济学家，研究人们怎样对激励作出反应。",
        "一位职业学校的教师，希望每个学生都有第二次机会。",
        "一位退休法官，不信任无法一视同仁地执行的规则。",
        "一位工会组织者，首先要问负担由谁承受。",
        "一位三个孩子的家长，用平常的一周来衡量各种计划。",
        "一位历史学者，读过类似的许诺后来怎样收场。",
    ),
}


def general_schemes(motion: str, language: Language, side: Side) -> list[Scheme]:
    """Return the general lines of argument of a side, filled with the motion."""
    about = strip_end_mark(motion).replace("\n", " ")
    return [
        (claim, support.format(motion=about)) for claim, support in SCHEMES[language.code][side]
    ]
