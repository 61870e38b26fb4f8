"""How a photograph is cut and shrunk for the network, and the way back into its own pixels.

photograph  --centre crop-->  box of the network's aspect  --resize-->  out_width × out_height
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, log, sqrt

import numpy as np

from anylens.errors import ImageError

MIN_SIDE = 16  # pixels; a smaller picture shows nothing to calibrate from


@dataclass(frozen=True)
class SizePlan:
    """An affine map between a photograph and the network's picture; corner convention in both.

    u = left + x · box_width / out_width,  v = top + y · box_height / out_height.
    """

    width: int
    height: int
    left: int
    top: int
    box_width: int
    box_height: int
    out_width: int
    out_height: int

    @property
    def scale(self) -> tuple[float, float]:
        """Photo pixels per network pixel, across and down (equal but for rounding to whole pixels)."""
        return self.box_width / self.out_width, self.box_height / self.out_height

    @property
    def focal_shift(self) -> float:
        """To add to a log focal length in half diagonals of the box to have it in those of the photograph."""
        return log(hypot(self.box_width, self.box_height) / hypot(self.width, self.height))

    def to_photo(self, points: np.ndarray) -> np.ndarray:
        """Network pixels (..., 2) -> photo pixels (..., 2)."""
        return np.asarray(points, dtype=np.float64) * self.scale + (self.left, self.top)

    def to_network(self, points: np.ndarray) -> np.ndarray:
        """Photo pixels (..., 2) -> network pixels (..., 2)."""
        return (np.asarray(points, dtype=np.float64) - (self.left, self.top)) / self.scale

    def cell_centres(self, rows: int, cols: int) -> np.ndarray:
        """Photo pixels (rows·cols, 2), row-major: centres of a grid of cells that covers the picture."""
        x = (np.arange(cols) + 0.5) * (self.out_width / cols)
        y = (np.arange(rows) + 0.5) * (self.out_height / rows)
        grid = np.stack(np.meshgrid(x, y), axis=-1)  # (rows, cols, 2)
        return self.to_photo(grid).reshape(-1, 2)

    def crop(self, image: np.ndarray) -> np.ndarray:
        """The box of a photograph (H, W, …)."""
        return image[self.top : self.top + self.box_height, self.left : self.left + self.box_width]


def plan_size(
    width: int,
    height: int,
    *,
    area: int = 320 * 320,
    multiple: int = 14,
    aspect_range: tuple[float, float] = (0.5, 2.0),
) -> SizePlan:
    """The plan for a photograph: sides near √area at its own aspect, each rounded to the multiple.

    Height over width is clamped to `aspect_range`; the box is the largest centred one of the rounded aspect,
    in whole pixels, so cut that the centre stays the centre. 640×480 -> 364×280 at the default area.
    Raises ImageError for pictures under 16 pixels.
    """
    if min(width, height) < MIN_SIDE:
        raise ImageError(f"the picture is {width}×{height} pixels; at least {MIN_SIDE} each way are needed.")
    aspect = min(max(height / width, aspect_range[0]), aspect_range[1])
    rows = max(1, round(sqrt(area * aspect) / multiple))
    cols = max(1, round(sqrt(area / aspect) / multiple))
    box_width = min(width, max(1, round(height * cols / rows)))
    box_height = min(height, max(1, round(width * rows / cols)))
    box_width -= (width - box_width) % 2
    box_height -= (height - box_height) % 2
    return SizePlan(
        width=width,
        height=height,
        left=(width - box_width) // 2,
        top=(height - box_height) // 2,
        box_width=box_width,
        box_height=box_height,
        out_width=cols * multiple,
        out_height=rows * multiple,
    )
