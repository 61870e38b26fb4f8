"""What a run shows: rows on standard output, progress and failures on standard error."""

from __future__ import annotations

import os
import sys
from typing import Any

from anylens.batches.rows import flatten, to_line
from anylens.batches.tables import write_csv_header

SHOWN_FAILURES = 20
HEAD = f"{'photo':<28} {'model':<17} {'hfov':>7} {'68 %':>15} {'vfov':>7} {'f px':>9} {'35 mm':>7}  by"


class Screen:
    """kind: table, json, csv, or file (rows go elsewhere). Counts what succeeded."""

    def __init__(self, kind: str, total: int):
        self.kind, self.total = kind, total
        self.good, self.failed, self.outliers, self.old = 0, 0, 0, 0
        self.writer: Any = None
        self.bar: Any = None
        if total > 2 and sys.stderr.isatty() and (kind == "file" or not sys.stdout.isatty()):
            from tqdm import tqdm

            self.bar = tqdm(total=total, unit="photo")

    def resume(self, before: dict[str, bool]) -> None:
        """Rows that an earlier run has written count too."""
        self.old = len(before)
        self.good += sum(before.values())
        self.failed += len(before) - sum(before.values())
        if self.bar is not None:
            self.bar.update(len(before))

    def show(self, row: dict[str, Any]) -> None:
        self.good, self.failed = self.good + bool(row["ok"]), self.failed + (not row["ok"])
        self.outliers += bool(row.get("outlier"))
        if self.kind == "json":
            sys.stdout.write(to_line(row))
            sys.stdout.flush()
        elif self.kind == "csv":
            self.writer = self.writer or write_csv_header(sys.stdout)
            self.writer.writerow(flatten(row))
        elif row["ok"] and self.kind == "table":
            print(describe(row) if self.total == 1 else self._line(row))
        if not row["ok"] and self.kind not in ("json", "csv") and self.failed <= SHOWN_FAILURES:
            self._say(f"failed   {_with_name(row)}")
        if self.bar is not None:
            self.bar.update()

    def _line(self, row: dict[str, Any]) -> str:
        head = f"{HEAD}\n" if self.good == 1 else ""
        low, high = row["hfov_interval_deg"]
        name = row["file"] if len(row["file"]) <= 28 else "…" + row["file"][-27:]
        mark = " outlier" if row.get("outlier") else ""
        notes = "".join(f"\n{'':<29}! {text}" for text in row["warnings"])
        return (
            f"{head}{name:<28} {row['camera']['model']:<17} {row['hfov_deg']:>6.1f}° {f'{low:.1f}–{high:.1f}°':>15} "
            f"{row['vfov_deg']:>6.1f}° {row['focal_px']:>9.1f} {row['focal_35mm']:>7.1f}  {row['decided_by']}"
            f"{mark}{notes}"
        )

    def finish(self, out: str | None = None) -> int:
        """Close, sum up, and the exit code."""
        if self.bar is not None:
            self.bar.close()
        if self.failed > SHOWN_FAILURES and self.kind not in ("json", "csv"):
            self._say(f"failed   … and {self.failed - SHOWN_FAILURES} more")
        if out or (self.total > 1 and sys.stderr.isatty()):
            parts = [f"{self.good} calibrated", f"{self.failed} failed"]
            parts += [f"{self.outliers} outliers"] if self.outliers else []
            parts += [f"{self.old} of them in an earlier run"] if self.old else []
            self._say(f"{', '.join(parts)}{f'; written to {out}' if out else ''}")
        return 0 if not self.failed else 1 if self.good else 3

    def _say(self, text: str) -> None:
        if self.bar is not None:
            self.bar.write(text, file=sys.stderr)
        else:
            print(text, file=sys.stderr)


def describe(row: dict[str, Any]) -> str:
    """One photo, several lines."""
    camera = row["camera"]
    (low, high), (vlow, vhigh) = row["hfov_interval_deg"], row["vfov_interval_deg"]
    params = "  ".join(f"{name} {value:.6g}" for name, value in camera["params"].items())
    sources = ", ".join(f"{name} {value:.0f} mm" for name, value in row["sources_35mm"].items())
    lines = [
        f"{row['file']}  {camera['width']}x{camera['height']}",
        f"  field of view  {row['hfov_deg']:.1f}° across ({low:.1f} to {high:.1f}), "
        f"{row['vfov_deg']:.1f}° down ({vlow:.1f} to {vhigh:.1f}), {row['dfov_deg']:.1f}° diagonal",
        f"  focal length   {row['focal_px']:.1f} px, {row['focal_35mm']:.1f} mm (35 mm equivalent)",
        f"  camera         {camera['model']}: {params}",
        f"  decided by     {row['decided_by']}  ({sources})",
        f"  held           {', '.join(row['held']) or 'nothing'}",
    ]
    if row["roll_deg"] is not None:
        lines.append(
            f"  upright        roll {row['roll_deg']:+.1f}° ±{row['roll_std_deg']:.1f}, "
            f"pitch {row['pitch_deg']:+.1f}° ±{row['pitch_std_deg']:.1f}"
        )
    return "\n".join(lines + [f"  warning        {text}" for text in row["warnings"]])


def _with_name(row: dict[str, Any]) -> str:
    text = row["error"]
    return text if text.startswith((row["file"], os.path.basename(row["file"]))) else f"{row['file']}: {text}"
