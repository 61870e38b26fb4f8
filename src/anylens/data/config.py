"""What a training run asks of its data, as one plain dataclass that can be pickled and stored beside the
weights.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from anylens.data.augment.settings import Augment
from anylens.data.splits import SPLITS
from anylens.errors import FormatError


@dataclass(frozen=True)
class ViewConfig:
    """Batches of rendered views and photographs; batch number `step` depends on this and on nothing else.

    `area` is the largest number of pixels of a view; a batch draws `size_range` of it along each side, the
    aspect (width over height) in `aspect_range`, sides in multiples of `multiple`. `min_source_pixels` is
    the least number of source pixels per output pixel, or less than one for views that are enlarged at the end; each
    batch draws its own up to `density_spread` more, the same for all its views. Batches with photographs are made
    smaller where that is needed to keep it. `quality` is that of the JPEG as which every picture is stored on the way
    (`standard`), 0 for none; `photo_quality` that of the WebP as which photographs lie on disk and rendered views are
    stored too, 0 for none. `balance` 0 draws all places (or sources) alike, 1 all files alike.
    """

    panoramas: str | None = None
    photos: str | None = None
    recipe: str = "world"
    photo_ratio: float = 0.0
    area: int = 126 * 126
    multiple: int = 14
    aspect_range: tuple[float, float] = (0.5, 2.0)
    size_range: tuple[float, float] = (0.9, 1.0)
    field_stride: int = 14
    batch: int = 16
    seed: int = 0
    min_source_pixels: float = 1.1
    quality: int = 60
    photo_quality: int = 0
    density_spread: float = 0.05
    balance: float = 0.5
    augment: Augment | str = field(default_factory=Augment)
    split: str = "train"
    rank: int = 0
    world_size: int = 1
    start_step: int = 0
    cache: str | None = None
    max_width: int = 4096
    lensfun: str | None = None

    def __post_init__(self) -> None:
        if self.panoramas is None and self.photos is None:
            raise FormatError("Training views need a folder of panoramas, of photographs, or both.")
        if self.split not in SPLITS:
            raise FormatError(f"Unknown split '{self.split}'. Use {', '.join(SPLITS)}.")
        if self.multiple % self.field_stride and self.field_stride != 1:
            raise FormatError(f"field_stride {self.field_stride} must divide multiple {self.multiple}.")
        if self.min_source_pixels < 0.5:
            raise FormatError("min_source_pixels must be at least 0.5: smaller pictures show too little.")

    @property
    def photo_share(self) -> float:
        """Share of photographs in a batch: `photo_ratio`, or all or nothing where a source is missing."""
        return 0.0 if self.photos is None else 1.0 if self.panoramas is None else self.photo_ratio
