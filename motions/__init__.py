"""Motions: the shipped sets, their records, and the loader for a user's own files."""

from motions.build import derived_id, language_of
from motions.errors import Fault, MotionError
from motions.loader import load, shipped
from motions.question_sets import load_questions, shipped_questions
from motions.records import Answers, Brief, Category, Language, Motion, MotionSet, Point, Wording

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
    "Wording",
    "derived_id",
    "language_of",
    "load",
    "load_questions",
    "shipped",
    "shipped_questions",
]
