"""Every function that reads text of models and strangers takes time in proportion to its length."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest
from pydantic import BaseModel

from arena.battles.staging_table import ReadingOptions, stage
from arena.debaters.knowledge_base import opening, shorten_query
from arena.debates.citations import resolve_marks
from arena.debates.correction import clean_speech
from arena.debates.speech_checks import (
    foreign_share,
    labels_both_sides,
    resembles,
    speaks_for_both,
    speech_fault,
    unknown_share,
)
from arena.debates.speech_content import is_about_task, read_content
from arena.debates.speech_phrases import find_phrases, is_refusal
from arena.errors import ConfigError
from arena.languages import CHINESE, ENGLISH, sentences
from arena.languages.marks import MARKS
from arena.llm.answers import read_composition, read_form, strip_fences
from arena.llm.faults import message_of, remedy_in
from arena.llm.lenient_json import find_objects
from arena.llm.scaffolding import is_scaffolding
from arena.llm.text_fields import find_text, read_broken_text, read_json
from arena.llm.thinking import looks_like_thinking, strip_thinking
from arena.llm.truncation import complete_part, without_loop
from arena.llm.wait_hints import asked_wait
from arena.prompts import find_quotes
from arena.records import Speech
from arena.text import as_sentence, bound_blanks, first_sentence, plain, shorten
from tests.support.case_lists import for_every

#: How a time may grow where a text is twice as long, and the time (seconds of CPU) below which
#: it is no matter.
GROWTH, FLOOR = 2.5, 0.04
SIZES = (10_000, 20_000, 40_000, 80_000)
#: A text of hostile parts: what stands before it, what is repeated, what follows.
SHAPES: Final[Mapping[str, tuple[str, str, str]]] = {
    "line breaks": ("Work pays.", "\n", "So vote."),
    "blanks": ("Think: it pays.\n", " ", "So vote."),
    "tabs after a bracket": ("Work pays. (", "\t", "x"),
    "lines of blanks": ('{"speech": "a', "\n ", "x"),
    "blanks before a value": ('{"speech":', " ", "x"),
    "braces": ("", "{", ""),
    "objects": ("", "{}", ""),
    "nested objects": ("", '{"a": ', ""),
    "quotation marks": ('{"a": 1} ', '"', ""),
    "comments": ('{"a": "b"', "//\n", ""),
    "comments in quotes": ('{"a": "', '"#', ""),
    "escapes of escapes": ('{"a": "&', "amp;", '"}'),
    "open quotations": ("", "“", ""),
    "quoted marks": ("> ", "“a [1]” ", ""),
    "thinking": ("", "<think>a</think>{} ", ""),
    "tags of thinking": ("", "<details think", ""),
    "rules": ("think ", "- ", "x"),
    "bars": ("<speech", " |", ""),
    "labels": ("", "Con:\n", ""),
    "digits": ("", "1", ""),
    "full stops": ("", ".", "x"),
    "commas": ("", ",", "x"),
    "quotes of prompts": ("", "<speech 0123456789>\n", ""),
}


class Form(BaseModel):
    """A form like those of judges."""

    winner: str
    speech: str


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


def files_of(text: str) -> Iterator[tuple[str, str]]:
    """Files of battles that are such a text, or that hold it as a motion or as moves."""
    yield from ((f"whole.{form}", text) for form in ("csv", "json", "jsonl", "pgn"))
    cell = text.replace('"', '""')
    yield "cell.csv", f'model_a,model_b,winner,motion\nann,bob,model_a,"{cell}"\n'
    row = {"model_a": "ann", "model_b": "bob", "winner": "model_a", "motion": text}
    yield "cell.jsonl", json.dumps(row) + "\n"
    yield "moves.pgn", f'[White "ann"]\n[Black "bob"]\n[Result "1-0"]\n\n{text} 1-0\n'


def read(text: str) -> None:
    with suppress(ValueError):
        read_form(text, Form)


def resolve(text: str) -> None:
    earlier = Speech(side="con", stage="constructive", text=text, words=9)
    resolve_marks(text, "pro", ENGLISH, disclosed=[earlier])


FUNCTIONS: Final[Mapping[str, Callable[[str], object]]] = {
    "read_form": read,
    "read_composition": lambda text: read_composition(text, Form),
    "clean_speech": lambda text: clean_speech(text, ENGLISH),
    "speech_fault": lambda text: speech_fault(text, "pro", ENGLISH, words=100),
    "read_content": lambda text: read_content(text, ENGLISH, motion=text, heard=text),
    "unknown_share": lambda text: unknown_share(text, ENGLISH),
    "find_phrases": lambda text: find_phrases(text, ENGLISH),
    "is_about_task": is_about_task,
    "is_refusal": lambda text: is_refusal(text, ENGLISH),
    "foreign_share": lambda text: foreign_share(text, ENGLISH),
    "speaks_for_both": lambda text: speaks_for_both(text, "pro"),
    "resembles": lambda text: resembles(text, text),
    "resolve_marks": resolve,
    "count": ENGLISH.count,
    "count in Chinese": CHINESE.count,
    "shorten": lambda text: shorten(text, 100),
    "message_of": lambda text: message_of(ValueError(text)),
    "remedy_in": lambda text: remedy_in({}, text),
    "asked_wait": lambda text: asked_wait({}, {}, text),
    **{
        function.__name__: function
        for function in (
            as_sentence, bound_blanks, complete_part, find_objects, find_quotes, find_text,
            first_sentence, is_scaffolding, labels_both_sides, looks_like_thinking, opening, plain,
            MARKS.remove, MARKS.remove_start, read_broken_text, read_json, sentences, strip_fences,
            strip_thinking, without_loop, shorten_query,
        )
    },
}  # fmt: skip


def seconds(function: Callable[[str], object], text: str, repeats: int = 1) -> float:
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function(text)
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.slow
@for_every(SHAPES)
def test_no_function_takes_more_than_its_share_for_a_longer_text(shape: str) -> None:
    before, part, after = SHAPES[shape]
    grown = []
    for name, function in FUNCTIONS.items():
        shorter = 0.0
        for size in SIZES:
            text = before + part * (size // len(part)) + after
            longer = seconds(function, text)
            if longer > max(FLOOR, GROWTH * shorter) and shorter:
                half = before + part * (size // 2 // len(part)) + after
                shorter, longer = (seconds(function, each, 3) for each in (half, text))
            if longer > max(FLOOR, GROWTH * shorter) and shorter or longer > 4:
                grown.append(f"{name}: {shorter:.3f} s, then {longer:.3f} s at {size}")
                break
            shorter = longer
    assert not grown


@pytest.mark.slow
@for_every(SHAPES)
def test_no_file_of_battles_takes_more_than_its_share(shape: str, folder: Path) -> None:
    """A file of 160 kB; one that took time by the square of its length took 8 to 300 s."""
    before, part, after = SHAPES[shape]
    for name, text in files_of(before + part * (2 * SIZES[-1] // len(part)) + after):
        (folder / name).write_text(text, "utf-8")
        start = time.process_time()
        with suppress(ConfigError):
            stage(folder / name, ReadingOptions(), into=folder)
        assert time.process_time() - start < 2, name
