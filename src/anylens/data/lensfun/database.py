"""Reading LensFun's XML files: lenses with their distortion calibrations, and cameras with their crop
factors.
"""

from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

from anylens.errors import FormatError

FISHEYES = ("fisheye", "equisolid", "stereographic", "orthographic", "thoby")
TERMS = {"ptlens": ("a", "b", "c"), "poly3": ("k1",), "poly5": ("k1", "k2")}
PLACES = (
    "/usr/share/lensfun",
    "/usr/local/share/lensfun",
    "~/.local/share/lensfun",
    "/opt/homebrew/share/lensfun",
)


@dataclass(frozen=True)
class Calibration:
    """One distortion calibration of a lens: nominal focal length in mm, model and terms, sensor by crop and
    aspect.
    """

    maker: str
    model: str
    kind: str  # the lens's ideal projection
    focal: float
    distortion: str
    terms: tuple[float, ...]
    crop: float
    aspect: float  # longer over shorter side

    @property
    def name(self) -> str:
        maker = "" if self.model.lower().startswith(self.maker.lower()) else f"{self.maker} "
        return f"{maker}{self.model} @ {self.focal:g} mm"


@dataclass
class Database:
    """Calibrations, crop factors by (maker, model) in lower case, and what was skipped, in words."""

    calibrations: list[Calibration] = field(default_factory=list)
    crops: dict[tuple[str, str], float] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)

    def crop_factor(self, maker: str, model: str) -> float | None:
        """Crop factor of a camera as EXIF names it, or None."""
        maker, model = maker.strip().lower(), model.strip().lower()
        short = model.removeprefix(maker).strip()
        return self.crops.get((maker, model)) or self.crops.get((maker, short))


def find_database(given: str | None = None) -> Path:
    """The folder or file given, $LENSFUN_DATA, or a usual place. Raises FormatError with what to do."""
    for place in [given] if given else [os.environ.get("LENSFUN_DATA"), *PLACES]:
        if place and Path(place).expanduser().exists():
            return Path(place).expanduser()
    where = given or ", ".join(PLACES)
    raise FormatError(
        f"No LensFun database at {where}. Install one (Debian: apt install liblensfun-data-v1) or give its folder."
    )


def read_database(path: str | Path) -> Database:
    """All XML files under a folder (or one file). Broken files and entries are skipped and said so."""
    path = Path(path)
    files = sorted(path.rglob("*.xml")) if path.is_dir() else [path]
    found = Database()
    for file in files:
        try:
            root = ElementTree.parse(file).getroot()
        except (ElementTree.ParseError, OSError, UnicodeDecodeError) as error:
            found.skipped.append(f"{file.name}: {error}")
            continue
        for entry in root.iter("camera"):
            _read_camera(entry, file.name, found)
        for entry in root.iter("lens"):
            _read_lens(entry, file.name, found)
    if not found.calibrations and not found.crops:
        raise FormatError(f"{path}: no LensFun lenses or cameras found in {len(files)} XML files.")
    return found


def _read_camera(entry: ElementTree.Element, file: str, found: Database) -> None:
    maker, model = _text(entry, "maker"), _text(entry, "model")
    try:
        crop = _positive(_text(entry, "cropfactor"))
    except ValueError:
        found.skipped.append(f"{file}: camera {maker} {model}: crop factor {_text(entry, 'cropfactor')!r}")
        return
    for name in entry.iter("model"):
        found.crops[(maker.lower(), (name.text or "").strip().lower())] = crop


def _read_lens(entry: ElementTree.Element, file: str, found: Database) -> None:
    maker, model = _text(entry, "maker"), _text(entry, "model")
    for distortion in entry.iter("distortion"):
        kind = distortion.get("model", "")
        if kind == "none":
            continue
        try:
            if kind not in TERMS:
                raise ValueError(f"distortion model {kind!r}")
            terms = tuple(float(distortion.get(term, "0")) for term in TERMS[kind])
            focal = _positive(distortion.get("focal"))
            crop = _positive(_text(entry, "cropfactor"))
            aspect = _aspect(_text(entry, "aspect-ratio") or "3:2")
        except ValueError as error:
            found.skipped.append(f"{file}: lens {maker} {model}: {error}")
            continue
        lens_type = _text(entry, "type") or "rectilinear"
        found.calibrations.append(Calibration(maker, model, lens_type, focal, kind, terms, crop, aspect))


def _text(entry: ElementTree.Element, tag: str) -> str:
    """Text of a child without a language, the first if all have one."""
    children = entry.findall(tag)
    plain = [c for c in children if not c.get("lang")] or children
    return (plain[0].text or "").strip() if plain else ""


def _positive(text: str | None) -> float:
    value = float(text) if text else float("nan")
    if not 0 < value < 1e6:
        raise ValueError(f"not a positive number: {text!r}")
    return value


def _aspect(text: str) -> float:
    first, _, second = text.partition(":")
    value = _positive(first) / _positive(second or "1")
    return max(value, 1 / value)
