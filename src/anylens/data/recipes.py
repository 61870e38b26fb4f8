"""Recipes: which cameras to draw, and how they are held. Plain dataclasses; a user's own is a JSON file.

{"name": "mine", "settings": [{"weight": 1,
  "lenses": [{"model": "eucm", "share": 1, "fov_deg": {"uniform": [50, 180]},
              "coefs": {"alpha": {"uniform": [0.5, 0.8]}, "beta": {"uniform": [0.5, 2]}}}],
  "roll_deg": {"uniform": [-45, 45]}, "pitch_deg": {"uniform": [-45, 45]}}]}
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from anylens.data.distributions import Constant, Distribution, Uniform, read_distribution
from anylens.errors import FormatError
from anylens.profiles import parse

TILTED, CENTRED, SQUARE = Uniform(-45, 45), Constant(0.0), Constant(1.0)


@dataclass(frozen=True)
class Lens:
    """A camera model with the distributions of its field of view and coefficients.

    `fov_deg` is the field of view across the longer side (the whole side of a square view); `f35` instead
    gives the 35 mm equivalent focal length by the diagonal (43.27 mm). The coefficient `k1_hat` of radial
    models is k̂ = k S / f, S the longer side in pixels. `fixed` lenses are whole coefficient vectors, one
    chosen per view, each with its own field of view in degrees first.
    """

    model: str
    share: float = 1.0
    fov_deg: Distribution | None = None
    f35: Distribution | None = None
    coefs: dict[str, Distribution] = field(default_factory=dict)
    fixed: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True)
class Setting:
    """Lenses held in one way. Shifts are in parts of the image size; `keep` is the part of each side a crop
    keeps.
    """

    lenses: tuple[Lens, ...]
    weight: float = 1.0
    roll_deg: Distribution = TILTED
    pitch_deg: Distribution = TILTED
    shift: Distribution = CENTRED
    stretch: Distribution | None = None  # pixel aspect fy/fx
    keep: Distribution | None = None

    @property
    def edited(self) -> bool:
        """Whether views are cropped, stretched or shifted: their centre or pixel aspect is not the usual one."""
        return self.stretch is not None or self.keep is not None or self.shift != CENTRED


@dataclass(frozen=True)
class Recipe:
    """A named mix of settings. `aspect` is width over height of views on disk; the count is per panorama."""

    name: str
    settings: tuple[Setting, ...]
    aspect: Distribution = SQUARE
    views: int = 16
    min_source_pixels: float | None = None


def mix_recipes(name: str, parts: list[tuple[float, Recipe]]) -> Recipe:
    """One recipe that draws from each of several with the given weights."""
    settings = []
    for weight, recipe in parts:
        total = sum(s.weight for s in recipe.settings)
        settings += [replace(s, weight=weight * s.weight / total) for s in recipe.settings]
    return replace(parts[0][1], name=name, settings=tuple(settings))


def load_recipe(name: str, lensfun: str | None = None) -> Recipe:
    """A built-in recipe by name, a JSON file, or a mix such as `world*0.7+edited*0.3`. Raises FormatError."""
    from anylens.data.builtin import BUILTIN

    if name.endswith(".json"):
        return read_recipe(Path(name))
    if "+" in name or "*" in name:
        parts = []
        for part in name.split("+"):
            label, _, weight = part.partition("*")
            try:
                parts.append((float(weight or 1), load_recipe(label.strip(), lensfun)))
            except ValueError:
                raise FormatError(f"'{part}' in the mix '{name}' needs a number after '*'.") from None
        return mix_recipes(name, parts)
    if name == "lensfun" or name.startswith("lensfun:"):
        from anylens.data.lensfun.recipe import lensfun_recipe

        return lensfun_recipe(name.partition(":")[2] or lensfun)
    if name not in BUILTIN:
        raise FormatError(f"Unknown recipe '{name}'. Built in: {', '.join(BUILTIN)}, lensfun; or give a .json file.")
    return BUILTIN[name]


def read_recipe(path: Path) -> Recipe:
    """A recipe from a JSON file. Raises FormatError naming what is wrong."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        settings = tuple(_setting(s) for s in data["settings"])
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}.") from None
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise FormatError(f"{path}: not a recipe ({error!r}). See `anylens render --help` for its form.") from None
    if not settings or not all(s.lenses for s in settings):
        raise FormatError(f"{path}: a recipe needs at least one setting with at least one lens.")
    return Recipe(
        str(data.get("name", path.stem)), settings, read_distribution(data.get("aspect", 1.0)),
        int(data.get("views", 16)), data.get("min_source_pixels"),
    )  # fmt: skip


def _setting(data: dict[str, Any]) -> Setting:
    lenses = tuple(_lens(lens) for lens in data["lenses"])
    given = {key: read_distribution(data[key]) for key in data if key not in ("lenses", "weight")}
    return Setting(lenses, float(data.get("weight", 1)), **given)


def _lens(data: dict[str, Any]) -> Lens:
    model = data["model"]
    names = set(parse(model).profile.coefs) | {"k1_hat"}
    coefs = {name: read_distribution(value) for name, value in data.get("coefs", {}).items()}
    if not set(coefs) <= names:
        raise FormatError(f"'{model}' has no coefficient {', '.join(sorted(set(coefs) - names))}.")
    ranges = {key: read_distribution(data[key]) for key in ("fov_deg", "f35") if key in data}
    fixed = tuple(tuple(float(x) for x in row) for row in data.get("fixed", []))
    if len(ranges) + bool(fixed) != 1:
        raise FormatError(f"A lens of '{model}' needs exactly one of fov_deg, f35 and fixed.")
    return Lens(model, float(data.get("share", 1)), coefs=coefs, fixed=fixed, **ranges)
