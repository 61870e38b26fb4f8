"""Figures as tables: for the console, as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence

from anylens.evaluation.figures import Figure, Summary

Rows = dict[str, dict[str, Summary]]  # row -> method -> figures

# name -> (head, digits); those with `True` carry their interval in narrow tables too
COLUMNS: dict[str, tuple[str, int, bool]] = {
    "ae_deg": ("AE °", 2, False),
    "re_px": ("RE px", 1, False),
    "hfov_deg": ("hFoV °", 2, True),
    "hfov_p80_deg": ("80 %", 1, False),
    "hfov_bias_deg": ("bias", 1, False),
    "vfov_deg": ("vFoV °", 2, False),
    "hfov_auc1": ("AUC@1", 0, False),
    "hfov_auc5": ("@5", 0, False),
    "hfov_auc10": ("@10", 0, False),
    "e_f": ("e_f", 3, False),
    "e_c": ("e_c", 3, False),
    "coverage68": ("in 68 %", 0, False),
    "risk_coverage_deg": ("AURC °", 1, False),
}
NOTE = ("Medians; AUC is the published variant of hFoV (recall held below 1°, in %); bias: signed median; in 68 %: "
        "share of true hFoV inside the stated interval; AURC: area under the risk-coverage curve.")  # fmt: skip


def to_text(rows: Rows, unit: str = "photos") -> str:
    """Aligned columns, one block per row; hFoV with its 95 % interval."""
    used = _used(rows)
    blocks = []
    for label, methods in rows.items():
        count = max((s.count for s in methods.values()), default=0)
        head = [f"{label} ({count} {unit})", "failed", *(COLUMNS[c][0] for c in used)]
        lines = [[name, str(s.failed), *(_cell(s, c, COLUMNS[c][2]) for c in used)] for name, s in methods.items()]
        blocks.append(align([head, *lines]))
    return "\n\n".join(blocks)


def to_markdown(rows: Rows, unit: str = "photos") -> str:
    """One table, every figure with its 95 % interval."""
    used = _used(rows)
    head = ["group", unit, "method", "failed", *(COLUMNS[c][0] for c in used)]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for label, methods in rows.items():
        for name, s in methods.items():
            cells = [label, str(s.count), name, str(s.failed), *(_cell(s, c, True) for c in used)]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def to_csv(rows: Rows, unit: str = "photos") -> str:
    """One line per group, method and figure: value, low, high. All figures, also those that tables leave out."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["group", "method", "unit", "count", "failed", "figure", "value", "low", "high"])
    for label, methods in rows.items():
        for name, s in methods.items():
            for key, f in s.figures.items():
                writer.writerow([label, name, unit, s.count, s.failed, key, *map(_plain, (f.value, f.low, f.high))])
    return out.getvalue()


def align(lines: Sequence[Sequence[str]]) -> str:
    """Columns of text: the first to the left, the others to the right."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    cells = ([c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths))] for line in lines)
    return "\n".join("  ".join(row).rstrip() for row in cells)


def _used(rows: Rows) -> list[str]:
    return [c for c in COLUMNS if any(c in s.figures for methods in rows.values() for s in methods.values())]


def _cell(summary: Summary, name: str, interval: bool) -> str:
    figure = summary.figures.get(name)
    if figure is None:
        return "–"
    digits = COLUMNS[name][1]
    return number(figure.value, digits) + (_range(figure, digits) if interval else "")


def _range(figure: Figure, digits: int) -> str:
    if math.isnan(figure.low):
        return ""
    return f" ({number(figure.low, digits)}–{number(figure.high, digits)})"


def number(value: float, digits: int) -> str:
    return "–" if math.isnan(value) else "∞" if math.isinf(value) else f"{value:.{digits}f}"


def _plain(value: float) -> str:
    return "" if math.isnan(value) else "inf" if math.isinf(value) else f"{value:.6g}"
