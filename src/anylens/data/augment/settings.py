"""Which changes of appearance are made, how often and how strongly."""

from __future__ import annotations

from dataclasses import dataclass

from anylens.errors import FormatError


@dataclass(frozen=True)
class Augment:
    """Probabilities per view (0: never) and ranges. All draws are independent of the camera."""

    tone: float = 0.8  # exposure, gamma, contrast and white balance together
    exposure_stops: float = 0.5  # ± range
    gamma: float = 0.2  # ± range of log gamma
    contrast: float = 0.2
    white_balance: float = 0.08
    grey: float = 0.06
    sepia: float = 0.02
    sharpness: float = 1.0  # blur or sharpening, redrawn for every view
    sharpness_range: tuple[float, float] = (
        -0.08,
        0.10,
    )  # three-tap weight: negative sharpens, positive blurs
    downscale: float = 0.05
    downscale_least: float = 0.6
    noise: float = 0.35
    noise_deviation: float = 6.0
    quality_spread: int = 20  # of the standard form's own compression, which every view goes through
    output_compression: float = 0.2  # at the network's own resolution
    quality: tuple[int, int] = (35, 95)
    webp: float = 0.1  # share of compressions that are WebP rather than JPEG
    vignette: float = 0.15
    vignette_depth: float = 0.5
    chromatic: float = 0.1
    chromatic_pixels: float = 0.4  # shift of red and blue at the corner
    border: float = 0.02
    stamp: float = 0.02
    flip: float = 0.5  # mirrored left and right, with its label
    crop: float = 0.5  # photographs cropped and seen by a camera that was turned a little, with its label
    crop_roll_deg: float = 4.0
    erase: float = 0.25  # patches of one colour over the picture, so that no single place decides


NONE = Augment(
    tone=0, grey=0, sepia=0, sharpness=0, downscale=0, noise=0, output_compression=0,
    vignette=0, chromatic=0, border=0, stamp=0, flip=0, crop=0, erase=0,
    quality_spread=0, webp=0,
)  # fmt: skip
LIGHT = Augment(
    noise=0.2, noise_deviation=3.0, sharpness_range=(-0.04, 0.05), quality_spread=10,
    output_compression=0.05, quality=(55, 95), downscale=0.0, contrast=0.12, gamma=0.12, exposure_stops=0.35,
)  # fmt: skip
STRONG = Augment(
    white_balance=0.15, exposure_stops=0.7, gamma=0.3, contrast=0.3, grey=0.12, vignette=0.3, crop_roll_deg=6.0,
    erase=0.4,
)  # fmt: skip
LEVELS = {"none": NONE, "light": LIGHT, "full": Augment(), "strong": STRONG}


def augment_level(level: str | Augment) -> Augment:
    """Settings by name (none, light, full, strong), or those given. Raises FormatError for other names."""
    if isinstance(level, Augment):
        return level
    if level not in LEVELS:
        raise FormatError(f"Unknown augmentation '{level}'. Use {', '.join(LEVELS)}.")
    return LEVELS[level]
