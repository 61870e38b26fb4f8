"""Whole training batches as NumPy arrays, each a pure function of the configuration and its number."""

from __future__ import annotations

import logging
import math
from dataclasses import replace
from typing import Any

import numpy as np

from anylens.camera import Camera
from anylens.data.augment import augment_level, augment_output
from anylens.data.compression import compress
from anylens.data.config import ViewConfig
from anylens.data.draw import draw_view
from anylens.data.guard import shows_cap, source_pixels
from anylens.data.labels import field_label, log_focal
from anylens.data.panoramas import PanoramaStore, list_panoramas
from anylens.data.photo_views import draw_aim, photo_view, whole
from anylens.data.photos import PhotoStore
from anylens.data.raster import resize
from anylens.data.recipes import load_recipe
from anylens.data.render import render_working
from anylens.data.shapes import Shape, draw_shape, supported
from anylens.data.splits import SPLITS
from anylens.errors import ImageError

RENDERED, PHOTOGRAPH = 0, 1
TRIES_PER_VIEW = 4  # panoramas, where a black cap is in sight
log = logging.getLogger(__name__)


def balanced_weights(groups: list[str], balance: float) -> np.ndarray:
    """Weight (N,) of every file so that a group of n files is drawn n^balance as often as one of a single
    file.
    """
    _, inverse, counts = np.unique(groups, return_inverse=True, return_counts=True)
    weights = counts[inverse] ** (balance - 1.0)
    return weights / weights.sum()


class BatchMaker:
    """Draws batches. Opening it prepares the caches; after that it only reads memory maps."""

    def __init__(self, config: ViewConfig, progress: bool = False):
        self.augment = augment_level(config.augment)
        self.recipe = load_recipe(config.recipe, config.lensfun)
        least = max(config.min_source_pixels, self.recipe.min_source_pixels or 0.0)
        self.config = replace(config, min_source_pixels=least)
        if config.panoramas is not None:
            self._open_panoramas(progress)
        if config.photos is not None:
            self._open_photos(progress)

    def _open_panoramas(self, progress: bool) -> None:
        assert self.config.panoramas is not None
        self.store = PanoramaStore(self.config.cache, self.config.max_width)
        chosen = [p for p in list_panoramas(self.config.panoramas) if p.split == self.config.split]
        cached, refused = self.store.prepare_all(chosen, progress)
        self.panoramas = [cached[p.id] for p in chosen if p.id in cached]
        if not self.panoramas:
            detail = f" {len(refused)} were refused: {refused[0]}" if refused else ""
            raise ImageError(f"{self.config.panoramas}: no panorama in the split '{self.config.split}'.{detail}")
        self.panorama_weights = balanced_weights([p.place for p in chosen if p.id in cached], self.config.balance)
        self.resolutions = np.array([p.width for p in self.panoramas]) / (2 * math.pi)  # pixels per radian

    def _open_photos(self, progress: bool) -> None:
        assert self.config.photos is not None
        self.photo_store = PhotoStore(self.config.photos, self.config.cache, progress)
        photos = self.photo_store.photos
        self.photo_index = np.array([i for i, p in enumerate(photos) if p.split == self.config.split], np.int64)
        if not len(self.photo_index):
            raise ImageError(f"{self.config.photos}: no photograph in the split '{self.config.split}'.")
        mine = [photos[i] for i in self.photo_index]
        self.photo_sizes = np.array([(p.width, p.height) for p in mine])
        self.photo_weights = balanced_weights([p.source for p in mine], self.config.balance)

    def batch(self, step: int) -> dict[str, np.ndarray]:
        """Batch number `step`: image, field, valid, log_focal, kind, edited, weight (see TrainingViews)."""
        config = self.config
        base = (config.seed, SPLITS.index(config.split), step)
        rng = np.random.default_rng(base)
        share = config.photo_share
        photographs = int(config.batch * share + rng.random())
        shape = draw_shape(config, rng, *((self.photo_sizes, self.photo_weights) if share > 0 else ()))
        kinds = rng.permutation(config.batch) < photographs
        rows = []
        for i, kind in enumerate(kinds):
            view_rng = np.random.default_rng((*base, i))
            rows.append(self._photograph(shape, view_rng) if kind else self._rendered(shape, view_rng))
        return {
            name: np.stack([row[name] for row in rows])
            for name in ("image", "field", "valid", "log_focal", "kind", "edited", "weight")
        }

    def _rendered(self, shape: Shape, rng: np.random.Generator) -> dict[str, Any]:
        pyramid, drawn = self._draw_supported(shape, rng)
        working = render_working(pyramid, drawn.camera.resize(*shape.working), drawn.rotation)
        if self.config.photo_quality:  # as photographs were, when they were collected
            working = compress(working, self._around(self.config.photo_quality, 0.5, rng), webp=True)
        image = self._shrink(working, shape, rng)
        return self._row(image, drawn.camera, RENDERED, 1.0, rng, drawn.edited)

    def _draw_supported(self, shape: Shape, rng: np.random.Generator):
        """A drawn view and a panorama that has the pixels for it: the lens first, so that long ones are as frequent
        as the recipe says wherever some panorama can show them; the rest is drawn again.
        """
        density = math.sqrt(math.prod(shape.working) / math.prod(shape.out))
        for _ in range(200):
            drawn = draw_view(self.recipe, rng, *shape.out)
            least = density / source_pixels(drawn.camera, 1.0)
            share = np.cumsum(np.where(self.resolutions >= least, self.panorama_weights, 0))
            for _ in range(TRIES_PER_VIEW if share[-1] > 0 else 0):
                at = np.searchsorted(share, rng.random() * share[-1], side="right")
                cached = self.panoramas[min(int(at), len(self.panoramas) - 1)]
                if not shows_cap(drawn.camera, drawn.rotation, cached.nadir_deg, cached.zenith_deg):
                    return self.store.pyramid(cached), drawn
        raise ImageError(
            f"No panorama gives a view of {shape.out[0]}x{shape.out[1]} pixels of the recipe "
            f"'{self.recipe.name}' with {density:.2f} source pixels per pixel. "
            "Lower min_source_pixels or the area."
        )

    def _photograph(self, shape: Shape, rng: np.random.Generator) -> dict[str, Any]:
        share = np.cumsum(np.where(supported(self.photo_sizes, shape.working), self.photo_weights, 0))
        at = min(int(np.searchsorted(share, rng.random() * share[-1], side="right")), len(share) - 1)
        index = int(self.photo_index[at])
        photo = self.photo_store.photos[index]
        aim = whole(photo, shape.working)
        if rng.random() < self.augment.crop:
            aim = draw_aim(photo, shape.working, self.augment.crop_roll_deg, rng)
        working = photo_view(self.photo_store.picture(index), photo, shape.working, aim)
        camera = aim.camera(photo, shape.working).resize(*shape.out)
        return self._row(self._shrink(working, shape, rng), camera, PHOTOGRAPH, photo.weight, rng)

    def _shrink(self, working: np.ndarray, shape: Shape, rng: np.random.Generator) -> np.ndarray:
        """Working picture to output, stored in between as every picture is in use, at a quality around that."""
        if self.config.quality:
            quality = self._around(self.config.quality, 1.0, rng)
            working = compress(working, quality, webp=rng.random() < self.augment.webp)
        return resize(working, *shape.out)

    def _around(self, quality: int, share: float, rng: np.random.Generator) -> int:
        """A quality that is off by up to a share of the appearance's `quality_spread`."""
        spread = round(share * self.augment.quality_spread)
        return int(np.clip(quality + rng.integers(-spread, spread + 1), 1, 95))

    def _row(
        self, image: np.ndarray, camera: Camera, kind: int, weight: float, rng, edited: bool = False
    ) -> dict[str, Any]:
        if self.augment.flip > 0 and rng.random() < self.augment.flip:
            image, camera = np.ascontiguousarray(image[:, ::-1]), mirror_camera(camera)
        image = augment_output(image, self.augment, rng)
        field, valid = field_label(camera, self.config.field_stride)
        return {
            "image": np.ascontiguousarray(np.moveaxis(image, -1, 0)), "field": field, "valid": valid,
            "log_focal": np.float32(log_focal(camera)), "kind": np.int64(kind), "edited": np.float32(edited),
            "weight": np.float32(weight),
        }  # fmt: skip


def mirror_camera(camera: Camera) -> Camera:
    """The camera of the picture mirrored left and right: cx becomes width - cx."""
    full = np.array(camera.full)
    full[2] = camera.width - full[2]
    return Camera(camera.model.removeprefix("simple_"), full, camera.width, camera.height)
