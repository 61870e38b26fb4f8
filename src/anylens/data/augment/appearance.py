"""The order in which appearance changes, as in a camera: lens, sensor, development, storage, what is put on
top.
"""

from __future__ import annotations

import numpy as np

from anylens.data.augment.colour import SEPIA, change_tone, to_grey, vignette
from anylens.data.augment.detail import add_noise, lose_resolution, shift_colours
from anylens.data.augment.overlay import add_border, add_stamp, erase_patches
from anylens.data.augment.settings import Augment
from anylens.data.compression import compress
from anylens.data.raster import soften


def augment_output(image: np.ndarray, settings: Augment, rng: np.random.Generator) -> np.ndarray:
    """Changes at the network's resolution; uint8 (H, W, 3) in and out."""

    def happens(probability: float) -> bool:
        return probability > 0 and rng.random() < probability

    if happens(settings.chromatic):
        image = shift_colours(image, rng.uniform(-settings.chromatic_pixels, settings.chromatic_pixels))
    if happens(settings.vignette):
        image = vignette(image, rng.uniform(0, settings.vignette_depth))
    if happens(settings.downscale):
        image = lose_resolution(image, rng.uniform(settings.downscale_least, 1))
    if happens(settings.sharpness):
        image = soften(image, rng.uniform(*settings.sharpness_range))
    if happens(settings.noise):
        image = add_noise(image, rng.uniform(0, settings.noise_deviation), rng)
    if happens(settings.tone):
        image = change_tone(image, settings, rng)
    if happens(settings.grey):
        image = to_grey(image)
    elif happens(settings.sepia):
        image = to_grey(image, SEPIA)
    image = _compress(image, settings, settings.output_compression, rng)
    if happens(settings.border):
        image = add_border(image, rng)
    if happens(settings.stamp):
        image = add_stamp(image, rng)
    if happens(settings.erase):
        image = erase_patches(image, rng)
    return image


def _compress(image: np.ndarray, settings: Augment, probability: float, rng: np.random.Generator) -> np.ndarray:
    if probability <= 0 or rng.random() >= probability:
        return image
    low, high = settings.quality
    return compress(image, int(rng.integers(low, high + 1)), webp=rng.random() < settings.webp)
