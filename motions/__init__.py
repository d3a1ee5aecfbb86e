"""Motions: the shipped sets, their records, and the loader for a user's own files."""

from motions.loader import find_near_repeats, load, shipped
from motions.published_questions import PublishedQuestions, read_published_questions
from motions.question_sets import load_questions, shipped_questions
from motions.records import (
    Answers,
    Brief,
    Category,
    Fault,
    Language,
    Motion,
    MotionError,
    MotionSet,
    Point,
    Wording,
)
from motions.schema import derived_id, language_of

__all__ = [
    "Answers",
    "Brief",
    "Category",
    "Fault",
    "Language",
    "Motion",
    "MotionError",
    "MotionSet",
    "Point",
    "PublishedQuestions",
    "Wording",
    "derived_id",
    "find_near_repeats",
    "language_of",
    "load",
    "load_questions",
    "read_published_questions",
    "shipped",
    "shipped_questions",
]
