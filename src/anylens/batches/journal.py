"""A file that grows by whole rows and may be cut off anywhere: `kill -9` loses at most the row being written.

JSON lines are written as they come. CSV and Parquet cannot be continued safely, so their rows go to a journal,
OUT.part.jsonl, and become the table when all are there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from anylens.batches.rows import to_line, without_times
from anylens.batches.tables import TABLES, read_table, write_table
from anylens.errors import FormatError

FIRST = b'{"file": '
KINDS = (".jsonl", *TABLES)


class Journal:
    """Rows that are already in `path`, and a place for the next ones.

    settings: what the rows depend on; a journal that was begun with others is refused. Raises FormatError.
    """

    def __init__(self, path: Path, settings: dict[str, Any], *, overwrite: bool = False):
        self.path, self.kind = path, path.suffix.lower()
        if self.kind not in KINDS:
            raise FormatError(f"--out writes {', '.join(KINDS)}, not '{path.name}'.")
        if self.kind == ".parquet":
            write_table([], None)  # says at once if pyarrow is missing
        self.lines = path if self.kind == ".jsonl" else path.with_name(path.name + ".part.jsonl")
        self.notes = path.with_name(path.name + ".run.json")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if overwrite:
                for old in (self.path, self.lines, self.notes):
                    old.unlink(missing_ok=True)
            self._check(settings)
            if self.lines != path and path.exists() and not self.lines.exists():
                self.lines.write_text("".join(map(to_line, read_table(path))), encoding="utf-8")
            self.done = self._recover()
            self.notes.write_text(json.dumps(settings), encoding="utf-8")
            self.file = self.lines.open("a", encoding="utf-8", newline="\n")
        except OSError as error:
            raise FormatError(f"'{path}' cannot be written: {error.strerror or error}.") from None

    def _check(self, settings: dict[str, Any]) -> None:
        if self.notes.exists():
            try:
                before = json.loads(self.notes.read_text(encoding="utf-8"))
            except json.JSONDecodeError:
                before = settings  # cut off while it was written: no row came after it
            different = [k for k in settings if before.get(k) != json.loads(json.dumps(settings[k]))]
            if different:
                raise FormatError(
                    f"'{self.path}' was begun with another {' and '.join(different)}. Finish it as it was begun, "
                    "write elsewhere, or start again: --overwrite."
                )

    def _recover(self) -> dict[str, bool]:
        """Files that have a row, and whether it is a good one; a torn last line is cut off."""
        done: dict[str, bool] = {}
        if not self.lines.exists():
            return done
        good = 0
        with self.lines.open("rb") as file:
            for line in file:
                try:
                    row = json.loads(line) if line.endswith(b"\n") else None
                    done[row["file"]] = bool(row["ok"])  # type: ignore[index]
                except (ValueError, TypeError, KeyError):
                    break
                good += len(line)
        if good < self.lines.stat().st_size:
            if not good and not self._begun():
                raise FormatError(f"'{self.lines}' holds something else. Write elsewhere, or start again: --overwrite.")
            os.truncate(self.lines, good)
        return done

    def _begun(self) -> bool:
        """Whether a file without a whole row is a first row of ours, cut off."""
        with self.lines.open("rb") as file:
            head = file.read(len(FIRST))
            return FIRST.startswith(head) and b"\n" not in head + file.read()

    def add(self, row: dict[str, Any]) -> None:
        self.file.write(to_line(without_times(row)))
        self.file.flush()
        self.done[row["file"]] = bool(row["ok"])

    def rows(self) -> Iterator[dict[str, Any]]:
        with self.lines.open(encoding="utf-8") as file:
            for line in file:
                yield json.loads(line)

    def finish(self) -> None:
        """All rows are there: make the table, remove what was only for the way."""
        self.file.close()
        if self.lines != self.path:
            write_table(self.rows(), self.path)
            self.lines.unlink()
        self.notes.unlink(missing_ok=True)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        if not self.file.closed:
            self.file.close()
