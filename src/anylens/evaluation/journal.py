"""Estimates on disk while a run goes on: one line each, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from anylens.errors import AnylensError
from anylens.evaluation.sample import Estimate


class EstimateJournal:
    """`path` is the results' own name with .part.jsonl; it is begun again when the settings are others.

    The first line holds the settings; each further line a method's estimates of one photo. A line that was cut off
    does not count.
    """

    def __init__(self, results: Path | None, settings: dict[str, Any]):
        self.path = None if results is None else results.with_name(results.name + ".part.jsonl")
        self.done: dict[str, dict[str, Estimate]] = {}
        head = json.dumps({"settings": settings}, sort_keys=True, default=str)
        if self.path is None:
            return
        if self.path.is_file():
            lines = self.path.read_text(encoding="utf-8").splitlines()
            if lines and lines[0] == head:
                for line in lines[1:]:
                    self._recall(line)
        kept = [head, *(_line(file, found) for file, found in self.done.items())]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("\n".join(kept) + "\n", encoding="utf-8")

    def add(self, file: str, found: dict[str, Estimate]) -> None:
        self.done[file] = found
        if self.path is not None:
            with open(self.path, "a", encoding="utf-8") as out:
                out.write(_line(file, found) + "\n")

    def close(self) -> None:
        """The results are written: the journal has done its work."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    def _recall(self, line: str) -> None:
        try:
            row = json.loads(line)
            self.done[row["file"]] = {n: Estimate.from_dict(e) for n, e in row["estimates"].items()}
        except (ValueError, KeyError, TypeError, AttributeError, AnylensError):
            return


def _line(file: str, found: dict[str, Estimate]) -> str:
    return json.dumps({"file": file, "estimates": {name: e.to_dict() for name, e in found.items()}})
