"""`anylens convert`: camera files of one program for another, and cameras of one model in another."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from anylens.errors import FormatError
from anylens.formats.named import NamedCamera
from anylens.formats.reading import read
from anylens.formats.remodelling import DEFAULT_LIMIT
from anylens.formats.table import format_by_file_name, named_format
from anylens.formats.writing import write


@dataclass
class Convert:
    """Convert camera files between programs and models; what a conversion loses is stated in pixels.

    1. `anylens convert cameras.bin` shows the cameras of a file.
    2. `anylens convert cameras.bin calibration.yaml --to opencv`
    3. `anylens convert fisheye.json cameras.txt --model kb:4` refits in another model.
    4. `anylens convert camera.json undistort.exr` writes an ST-map; `--direction distort` its inverse.
    5. `anylens convert cameras.bin "{name}.yaml" --to ros` writes one file per camera.
    """

    source: Annotated[
        Path, tyro.conf.Positional, tyro.conf.arg(metavar="SOURCE", help="Camera file, or a COLMAP folder.")
    ]
    output: Annotated[
        Path | None,
        tyro.conf.Positional,
        tyro.conf.arg(metavar="[OUTPUT]", help="File to write; none: show.", help_behavior_hint=""),
    ] = None
    from_: Annotated[
        str | None, tyro.conf.arg(name="from", metavar="FORMAT", help="Format of the source, if not clear.")
    ] = None
    to: Annotated[str | None, tyro.conf.arg(metavar="FORMAT")] = None
    """Format to write, if the file name does not say; `anylens models --formats` lists them."""
    model: Annotated[str | None, tyro.conf.arg(metavar="MODEL")] = None
    """Refit every camera in this model."""
    refit: bool = False
    """Refit where the model cannot be held, in the best model of the format."""
    max_error: float = DEFAULT_LIMIT
    """Largest pixel error that a refit may leave."""
    size: Annotated[str | None, tyro.conf.arg(metavar="WxH")] = None
    """Image size WIDTHxHEIGHT, for files that have none."""
    name: Annotated[str | None, tyro.conf.arg(metavar="NAME")] = None
    """Take only the camera of this name."""
    overwrite: bool = False
    """Replace an existing file."""
    direction: Literal["undistort", "distort"] = "undistort"
    """What an ST-map is for."""
    half: bool = False
    """ST-map in 16-bit floats: smaller, but only good for small pictures."""
    balance: float = 0.0
    """ST-map: from 0, no empty pixels, to 1, all of the photo."""

    def run(self) -> int:
        cameras = read(
            self.source,
            self.from_,
            model=self.model,
            refit=self.refit or bool(self.model),
            max_error=self.max_error,
            size=parse_size(self.size),
        )
        if self.name is not None:
            cameras = [c for c in cameras if c.name == self.name] or _unknown(self.name, cameras)
        if self.output is None:
            show(cameras)
            return 0
        if self.output.exists() and not self.overwrite:
            raise FormatError(f"'{self.output}' exists. Allow to replace it: --overwrite.")
        target = named_format(self.to) if self.to else format_by_file_name(self.output.name)
        stmap = target.name == "stmap"
        options: dict[str, Any] = {}
        if stmap:
            options = {"direction": self.direction, "half": self.half, "balance": self.balance}
        written = write(cameras, self.output, target.name, refit=self.refit, max_error=self.max_error, **options)
        show(written)
        print(f"{len(written)} camera{'s' * (len(written) > 1)} written to {self.output} ({target.title}).")
        return 0


def show(cameras: list[NamedCamera]) -> None:
    """One line per camera, refits with their error."""
    width = max(len(c.name) for c in cameras)
    for named in cameras:
        camera = named.camera
        values = "  ".join(f"{n} {v:.6g}" for n, v in camera.named().items())
        size = f"{int(camera.width)}x{int(camera.height)}"
        print(f"{named.name:<{width}}  {camera.model}  {size}  hfov {float(camera.hfov_deg):.2f}°  {values}")
        if named.note:
            print(f"{'':<{width}}  {named.note}: up to {named.error:.3g} px off")


def parse_size(text: str | None) -> tuple[int, int] | None:
    """(width, height) of "1920x1080". Raises FormatError."""
    if text is None:
        return None
    width, _, height = text.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal() and int(width) and int(height)):
        raise FormatError(f"A size is WIDTHxHEIGHT, such as 1920x1080, not '{text}'.")
    return int(width), int(height)


def _unknown(name: str, cameras: list[NamedCamera]) -> list[NamedCamera]:
    raise FormatError(f"No camera is called '{name}'; there are {', '.join(c.name for c in cameras[:20])}.")
