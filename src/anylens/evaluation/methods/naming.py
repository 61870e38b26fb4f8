"""Methods by name, as `--methods` lists them."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anylens.errors import FormatError
from anylens.evaluation.methods.guesses import ColmapDefault, Constant, ExifTag
from anylens.evaluation.methods.predictions import Predictions
from anylens.evaluation.methods.product import Configuration, parse_configuration
from anylens.evaluation.methods.vanishing import VanishingPoints

log = logging.getLogger(__name__)

METHODS = (
    "anylens[:CONFIGURATION]",
    "constant",
    "constant-diagonal",
    "colmap",
    "exif",
    "vanishing-points",
    "NAME=FILE",
)


def make_methods(
    names: Sequence[str], base: Configuration | None = None, seed: int = 0
) -> tuple[list[Configuration], list[Any], list[str]]:
    """Configurations of anylens, the other methods, and a notice for each that has to be skipped.

    NAME=FILE reads predictions. Raises FormatError for an unknown name or one given twice.
    """
    base = base or Configuration()
    configurations: list[Configuration] = []
    others: list[Any] = []
    notices: list[str] = []
    for name in names:
        if name == "anylens" or name.startswith("anylens:"):
            configurations.append(parse_configuration(name, base))
        elif name == "vanishing-points":
            try:
                others.append(VanishingPoints(seed))
            except ImportError:
                notices.append("vanishing-points is skipped: it needs OpenCV, pip install anylens[opencv].")
        elif name in ("constant", "constant-diagonal"):
            others.append(Constant("width" if name == "constant" else "diagonal"))
        elif name in ("colmap", "exif"):
            others.append(ColmapDefault() if name == "colmap" else ExifTag())
        elif "=" in name:
            label, _, file = name.partition("=")
            others.append(Predictions(label or Path(file).stem, file))
        else:
            raise FormatError(f"Unknown method '{name}'. Methods: {', '.join(METHODS)}.")
    taken = [m.name for m in [*configurations, *others]]
    twice = sorted({n for n in taken if taken.count(n) > 1})
    if twice:
        raise FormatError(f"Methods are named once, but {', '.join(twice)} more often.")
    return configurations, others, notices
