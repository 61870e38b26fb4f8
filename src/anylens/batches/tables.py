"""CSV and Parquet: flat rows, written whole and put in place at once."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from anylens.batches.rows import FLAT, flatten
from anylens.errors import FormatError

TABLES = (".csv", ".parquet")
ROWS_AT_ONCE = 10_000
WORDS = ("file", "error", "model", "coefficients", "decided_by", "group", "warnings")
WHOLE = ("width", "height")
TRUTH = ("ok", "outlier")
KEPT = "row"  # column of the Parquet file with the whole row as JSON


def write_table(rows: Iterable[dict[str, Any]], path: Path | None) -> None:
    """Write to `path`; None only checks that what Parquet needs is there."""
    if path is None:
        _pyarrow()
        return
    temporary = path.with_name(path.name + ".tmp")
    (_write_csv if path.suffix.lower() == ".csv" else _write_parquet)(rows, temporary)
    os.replace(temporary, path)


def write_csv_header(file: Any) -> csv.DictWriter:
    """A writer of flat rows, its header written."""
    writer = csv.DictWriter(file, FLAT, lineterminator="\n")
    writer.writeheader()
    return writer


def _write_csv(rows: Iterable[dict[str, Any]], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = write_csv_header(file)
        for row in rows:
            writer.writerow(flatten(row))


def _write_parquet(rows: Iterable[dict[str, Any]], path: Path) -> None:
    pa, pq = _pyarrow()
    types = {
        **dict.fromkeys(WORDS, pa.string()),
        **dict.fromkeys(WHOLE, pa.int64()),
        **dict.fromkeys(TRUTH, pa.bool_()),
    }
    schema = pa.schema([(name, types.get(name, pa.float64())) for name in FLAT] + [(KEPT, pa.string())])
    remaining = iter(rows)
    with pq.ParquetWriter(path, schema) as writer:
        while part := list(islice(remaining, ROWS_AT_ONCE)):
            flat = [{**flatten(row), KEPT: json.dumps(row, ensure_ascii=False)} for row in part]
            writer.write_table(pa.Table.from_pylist(flat, schema=schema))


def read_table(path: Path) -> Iterator[dict[str, Any]]:
    """Rows of a finished table, so that more can be added. Raises FormatError where it is not one of ours."""
    if path.suffix.lower() == ".parquet":
        _, pq = _pyarrow()
        for text in pq.read_table(path, columns=[KEPT]).column(KEPT).to_pylist():
            yield json.loads(text)
        return
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != FLAT:
            raise FormatError(f"'{path}' is another program's CSV. Write elsewhere, or start again: --overwrite.")
        for flat in reader:
            yield {"file": flat["file"], "ok": flat["ok"] == "True", "flat": flat}


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise FormatError("Parquet needs pyarrow: pip install 'anylens[parquet]'. Or write .jsonl or .csv.") from None
    return pyarrow, pyarrow.parquet
