"""Colours, fonts and the empty figure, without touching matplotlib's global state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anylens.errors import AnylensError

INK, SOFT, PALE = "#1d2733", "#66727f", "#e6eaee"
FIELD, CAMERA, HORIZON = "#ffb000", "#00c2d1", "#ff5d8f"
SOURCES = {"network": "#ffb000", "prior": "#9aa5b1", "exif": "#7b61ff", "edges": "#2a9d60", "known": "#d1495b",
           "photos": "#ffb000"}  # fmt: skip


def new_figure(width: float, height: float) -> Any:
    """A figure of its own, in inches. Raises AnylensError without matplotlib."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise AnylensError("Pictures need matplotlib: pip install 'anylens[plot]'.") from None
    figure = Figure(figsize=(width, height), dpi=120, facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def save(figure: Any, path: str | Path) -> None:
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, format="png", metadata={"Software": "anylens"})
    except OSError as error:
        raise AnylensError(f"'{path}' cannot be written: {error.strerror or error}.") from None


def bare(axes: Any) -> None:
    """Without frame and ticks."""
    axes.set_xticks([])
    axes.set_yticks([])
    for side in axes.spines.values():
        side.set_visible(False)
