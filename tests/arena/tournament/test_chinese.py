"""Debates in Chinese: no request mixes in English, and every debater plays in both languages."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from arena.plugins import debater_class, judge_class
from motions import load as load_motions
from tests.servers.answers import debater, schema_in
from tests.servers.ledger import identity
from tests.servers.openai_server import serving_in_thread
from tests.support.command_line import arena, done
from tests.support.console_script import ask
from tests.support.toml_files import FREE, bench, player, toml_text

pytestmark = pytest.mark.usefixtures("no_stored_boards")

Body: TypeAlias = Mapping[str, Any]
#: Debaters and judges, the first debater against all others.
Field: TypeAlias = tuple[list[str], list[str]]

#: All that is registered for debates. People need no prompts, a jury's are its members'.
EVERYTHING: Field = (
    sorted(
        one.name
        for one in entry_points(group="arena.debaters")
        if one.name != "human" and "debate" in debater_class(one.name).contests
    ),
    sorted(
        one.name
        for one in entry_points(group="arena.judges")
        if one.name not in ("human", "jury") and "debate" in judge_class(one.name).contests
    ),
)
fields = pytest.mark.parametrize("field", [EVERYTHING], ids=["everything"], indirect=True)

_IDEOGRAPH = re.compile(r"[\u3400-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]+")
#: What may be written in Latin letters: fields and their values, schemas, marks of quotations,
#: the origin of a reference.
_ALLOWED = (
    re.compile(r"`[^`\n]*`"),
    re.compile(r"\{\"(?:type|\$defs|properties|additionalProperties|anyOf)\".*\}"),
    re.compile(r"</?(?:\S+ )?[0-9a-f]{10}\b"),
    re.compile(r"^\[\d+\] .*? — ", re.MULTILINE),
)
#: The model's own reply, quoted in a repair.
_OWN_REPLY = re.compile(r"<回复 (?P<digest>[0-9a-f]{10})>.*?</(?P=digest)>", re.DOTALL)


def latin(text: str) -> list[str]:
    """The words in Latin letters that stand in a Chinese prompt beside what may."""
    for allowed in _ALLOWED:
        text = allowed.sub(" ", text)
    return _LATIN.findall(text)


def spoilt(body: Body, text: str) -> str:
    """An answer that sometimes is no instance of its schema, in each way that models have."""
    asked = body["messages"][-1]["content"]
    draw = int(identity(body), 16) % 30
    if schema_in(body) is None or "它无法读取" in asked or draw > 3:
        return text
    answer = json.loads(text)
    first = next(iter(answer))
    wrong: list[object] = [
        {key: value for key, value in answer.items() if key != first},
        answer | {first: {"又": 1}},
        answer | {"又": 1},
    ]
    return "我觉得可以。" if draw == 3 else json.dumps(wrong[draw], ensure_ascii=False)


def tournament(
    folder: Path,
    field: Field,
    *,
    model: str,
    languages: list[str],
    models: Mapping[str, Mapping[str, Any]] | None = None,
) -> Path:
    """Short speeches, every judge once."""
    debaters, judges = field
    short = {"options": {"max_revisions": 1, "max_searches": 1}}
    text = toml_text(
        tournament={"name": "languages", "languages": languages, "seed": 5},
        schedule={
            "kind": "gauntlet",
            "newcomers": [debaters[0]],
            "matchups_per_pair": len(languages),
        },
        limits={"words": 50},
        models=models,
        participants=[
            player(name, name, model, **(short if name == "agent4debate" else {}))
            for name in debaters
        ],
        benches=[bench(name, name, model) for name in judges],
    )
    file = folder / "languages.toml"
    file.write_text(text, "utf-8")
    return file


@pytest.fixture(scope="module")
def field(request: pytest.FixtureRequest) -> Field:
    """The debaters and judges of a test."""
    given: Field = request.param
    return given


@pytest.fixture(scope="module")
def asked(field: Field, tmp_path_factory: pytest.TempPathFactory) -> list[Body]:
    """All requests of a Chinese tournament on a server, repairs and shortenings among them."""
    seen: list[Body] = []

    def answer(body: Body) -> str:
        seen.append(body)
        return spoilt(body, debater(body))

    folder = tmp_path_factory.mktemp("chinese")
    with serving_in_thread(answer=answer) as server:
        free = {"api_base": server.url, "api_key": "env:ARENA_X|none"} | FREE
        models = {"openai/*": free}
        file = tournament(
            folder, field, model="openai/local-model", languages=["zh"], models=models
        )
        result = arena("run", file, "--yes", "--db", folder / "zh.duckdb")
    assert "debates rated" in result.output
    return seen


@pytest.mark.slow
@fields
def test_all_kinds_of_requests_are_among_them(asked: list[Body]) -> None:
    texts = [body["messages"][-1]["content"] for body in asked]
    assert len(asked) > 150
    repairs = [text for text in texts if "它无法读取" in text]
    assert any("缺少这一字段" in text for text in repairs)
    assert any("没有完整的 `JSON` 对象" in text for text in repairs)
    assert any("这篇辩论发言过长" in text for text in texts)


@pytest.mark.slow
@fields
def test_no_request_mixes_in_english(asked: list[Body]) -> None:
    wordings = [motion.wordings["zh"] for motion in load_motions("arena66").motions]
    names = {word for wording in wordings for word in _LATIN.findall(repr(wording))}
    found: dict[str, str] = {}
    for body in asked:
        for message in body["messages"]:
            text = _OWN_REPLY.sub("", message["content"])
            assert _IDEOGRAPH.search(text)
            found |= {word: text for word in latin(text) if word not in names}
    assert found == {}


def test_what_may_be_latin_in_a_chinese_prompt() -> None:
    text = """请回复 `JSON`，字段 `pro_mark`。须符合结构：{"type": "object", "required": ["a"]}
<发言 d880570c22 | 正方>
[2] Autor, AEA Papers, 2019 — 研究发现犯罪减少。
</d880570c22>"""
    assert latin(text) == []
    mixed = latin(f"{text}\nPlease reply. 错误：marks: list_type")
    assert mixed == ["Please", "reply", "marks", "list", "type"]
    assert latin("[2] Autor — the crime fell") == ["the", "crime", "fell"]


#: Speeches without a word, beyond the limit of 50 and its margin, or with what was for the program.
_UNFIT = """
    SELECT count(*) FROM speeches WHERE words NOT BETWEEN 1 AND 80
    OR contains(text, '{{') OR contains(text, '"speech"')
"""


@pytest.mark.slow
@fields
def test_every_debater_and_judge_plays_in_both_languages_offline(
    field: Field, tmp_path: Path
) -> None:
    db = tmp_path / "both.duckdb"
    file = tournament(tmp_path, field, model="offline/good", languages=["en", "zh"])
    done("run", file, "--yes", "--db", db)
    assert ask(db, "SELECT DISTINCT status FROM debates") == [("finished",)]
    assert ask(db, "SELECT DISTINCT status FROM ballots") == [("valid",)]
    assert ask(db, _UNFIT) == [(0,)]
    query = """
        SELECT DISTINCT language, debater FROM debates
        JOIN participants USING (tournament) WHERE participant_id IN (pro, con)
    """
    assert len(ask(db, query)) == 2 * len(field[0])
    languages = "SELECT text FROM speeches JOIN debates USING (debate_id) WHERE language = $code"
    for code, ideographs in (("en", False), ("zh", True)):
        texts = ask(db, languages.replace("$code", f"'{code}'"))
        assert texts
        assert all(bool(_IDEOGRAPH.search(str(text))) == ideographs for (text,) in texts)
