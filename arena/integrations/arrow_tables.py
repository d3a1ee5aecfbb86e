"""Records as Parquet: the columns of a table follow from the fields of its record."""

from __future__ import annotations

import json
import types
from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import pyarrow as pa

_PLAIN: Final = {
    bool: pa.bool_(),
    int: pa.int64(),
    float: pa.float64(),
    datetime: pa.timestamp("us", tz="UTC"),
}


def arrow_schema(record: type[Any], *, without: Collection[str] = ()) -> pa.Schema:
    """Return the columns of a table of records: the fields by their names and types.

    Records within records become structs, tuples lists, and mappings texts of JSON, since the keys
    of one row say nothing of the next one's.
    """
    hints = get_type_hints(record)
    names = [field.name for field in fields(record) if field.name not in without]
    return pa.schema([(name, _arrow_type(hints[name])) for name in names])


def arrow_table(rows: Iterable[object], schema: pa.Schema) -> pa.Table:
    """Return records as a table with some of their fields."""
    cells = [{name: _cell(getattr(row, name)) for name in schema.names} for row in rows]
    return pa.Table.from_pylist(cells, schema=schema)


def _arrow_type(hint: Any) -> pa.DataType:  # noqa: ANN401 - a type hint
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        (hint,) = (each for each in arguments if each is not type(None))
        return _arrow_type(hint)
    if origin is tuple:
        return pa.list_(_arrow_type(arguments[0]))
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        return pa.struct([(field.name, _arrow_type(hints[field.name])) for field in fields(hint)])
    is_text = hint is str or origin is Literal or (origin and issubclass(origin, Mapping))
    return pa.string() if is_text else _PLAIN[hint]


def _cell(value: Any) -> Any:  # noqa: ANN401 - of any field
    if is_dataclass(value):
        return {field.name: _cell(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [_cell(each) for each in value]
    return json.dumps(value, ensure_ascii=False) if isinstance(value, Mapping) else value
