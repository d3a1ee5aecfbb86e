"""What a model is told of an answer that does not fit, in both languages."""

from __future__ import annotations

import re
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from arena.languages import LANGUAGES
from arena.llm.repair import contradiction, format_faults


class Part(BaseModel):
    size: int = Field(ge=1, le=3)


class Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: Literal["long", "short"]
    title: str = Field(pattern=r"\S", max_length=5)
    parts: list[Part] = Field(min_length=1)
    sure: bool = True
    share: float = 0.5

    @model_validator(mode="after")
    def _consistent(self) -> Answer:
        if self.kind == "short" and len(self.parts) > 1:
            raise contradiction("too_many_parts", en="`short` has one part", zh="`short` 只有一项")
        return self


GOOD = '"kind": "long", "title": "T", "parts": [{"size": 1}]'
CASES = {
    "no": ("it is no valid JSON, or not JSON alone", "不是有效的 `JSON`，或其前后还有别的文字"),
    "[]": ("it must be an object", "应为对象"),
    f'{{{GOOD}, "x": 1}}': ("`x`: the schema has no such field", "`x`：结构中没有这一字段"),
    f'{{{GOOD}, "sure": "yes"}}': (
        "`sure`: it must be true or false",
        "`sure`：应为 `true` 或 `false`",
    ),
    f'{{{GOOD}, "share": "half"}}': ("`share`: it must be a number", "`share`：应为数字"),
    '{"kind": "odd", "title": "", "parts": []}': (
        "`kind`: the schema offers no such value; "
        "`title`: it is empty or not of the form that is asked for; "
        "`parts`: it is empty or too short",
        "`kind`：不在结构所列的取值之内；`title`：为空或不合所要求的形式；`parts`：为空或过短",
    ),
    '{"kind": "long", "title": "Too long", "parts": [{"size": 0}, {"size": 9}, {"size": 1.5}]}': (
        "`title`: it is too long; `parts.0.size`: it is too small; "
        "`parts.1.size`: it is too large; `parts.2.size`: it must be a whole number",
        "`title`：过长；`parts.0.size`：数值过小；`parts.1.size`：数值过大；`parts.2.size`：应为整数",
    ),
    '{"kind": "short", "title": "T", "parts": [{"size": 1}, {"size": 1}]}': (
        "`short` has one part",
        "`short` 只有一项",
    ),
}


def fault(text: str) -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        Answer.model_validate_json(text, strict=True)
    return caught.value


@pytest.mark.parametrize("text", CASES)
def test_a_problem_is_told_in_the_language_of_the_prompt(text: str) -> None:
    assert (format_faults(fault(text), "en"), format_faults(fault(text), "zh")) == CASES[text]


@pytest.mark.parametrize("text", CASES)
def test_nothing_of_the_answer_is_repeated_and_no_english_stands_in_chinese(text: str) -> None:
    for code in LANGUAGES:
        output = format_faults(fault(text), code)
        assert "Too long" not in output and "half" not in output and "odd" not in output
    assert not re.search("[A-Za-z]", re.sub("`[^`]*`", "", format_faults(fault(text), "zh")))


def test_what_is_no_validation_error_has_words_too() -> None:
    assert (format_faults(ValueError("x"), "en"), format_faults(ValueError("x"), "zh")) == (
        "it does not fit the schema",
        "不符合结构",
    )


def test_no_more_than_five_problems_are_told_at_once() -> None:
    many = ", ".join(['{"size": 9}'] * 9)
    assert (
        format_faults(fault(f'{{"kind": "long", "title": "T", "parts": [{many}]}}'), "en").count(
            ";"
        )
        == 4
    )
