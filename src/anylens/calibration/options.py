"""How a photograph is to be calibrated: one value that travels to threads, processes and clusters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from anylens.calibration.knowledge import Knowledge
from anylens.errors import ModelError
from anylens.evidence import prior
from anylens.profiles import parse

ExifUse = Literal["prior", "check", "ignore"]


@dataclass(frozen=True)
class Options:
    """model: an identifier or `auto`; known: see `Knowledge`; prior: population of focal lengths, or `none`.

    exif: `prior` adds the tag to the evidence, `check` only compares, `ignore` does not look. edited: the photo may
    be cropped or stretched, so centre and pixel aspect are free. edges: straight edges take part. refine: intrinsics
    and directions are refined together at the end. Raises ModelError and EvidenceError for what cannot be read.
    """

    model: str = "auto"
    known: dict[str, Any] = field(default_factory=dict)
    prior: str = "photo"
    exif: ExifUse = "prior"
    edited: bool = False
    edges: bool = True
    refine: bool = False

    def __post_init__(self) -> None:
        if self.model != "auto":
            parse(self.model)
        prior(self.prior)
        if self.exif not in get_args(ExifUse):
            raise ModelError(f"exif is one of {', '.join(get_args(ExifUse))}, not '{self.exif}'.")
        Knowledge.of(self.known, self.model)

    @property
    def knowledge(self) -> Knowledge:
        return Knowledge.of(self.known, self.model)
