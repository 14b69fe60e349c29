"""Judgements of an expert from a CSV file: one row per judgement, with the columns ``real``, ``preferred`` and ``other``."""

from __future__ import annotations

import csv
from os import PathLike
from pathlib import Path

from rangewise.datasets.arguments import PUBLIC, prefixed, read_annotations
from rangewise.datasets.cases import file_case
from rangewise.files.tables import text_of
from rangewise.inputs.ranges import Ranges

COLUMNS = ("real", "preferred", "other")


def read_judgements(path: str | PathLike[str]) -> list[tuple[Ranges, Ranges, Ranges]]:
    """(real, preferred, other) of each row. The files may have any format, also by prefix; paths are relative to the folder of the CSV."""
    source = Path(path)
    rows = list(csv.DictReader(text_of(source.read_bytes(), str(source)).splitlines()))
    judgements = []
    for line, row in enumerate(rows, start=2):
        if missing := [column for column in COLUMNS if not row.get(column)]:
            raise ValueError(
                f"{source}, line {line}: {missing[0]} is missing; a judgement has the columns {', '.join(COLUMNS)}, each a file name"
            )
        real, preferred, other = (read_annotations(_beside(source, row[column])) for column in COLUMNS)
        real_rows, preferred_rows = file_case(real, preferred).sides()
        judgements.append((real_rows, preferred_rows, file_case(real, other).sides()[1]))
    if not judgements:
        raise ValueError(f"{source} has no judgements; expected rows real,preferred,other, each a file name")
    return judgements


def _beside(source: Path, name: str) -> str:
    """The path of a file relative to the folder of the CSV; names of public data stay unchanged."""
    prefix, path = prefixed(name)
    if prefix in PUBLIC:
        return name
    return str(source.parent / name) if prefix is None else f"{prefix}:{source.parent / path}"
