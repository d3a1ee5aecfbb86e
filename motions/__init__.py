"""Motions: the shipped sets, their records, and the loader for a user's own files."""

from motions.errors import MotionError
from motions.loader import load, shipped
from motions.records import Brief, Category, Motion, MotionSet, Point, Wording

__all__ = [
    "Brief",
    "Category",
    "Motion",
    "MotionError",
    "MotionSet",
    "Point",
    "Wording",
    "load",
    "shipped",
]
