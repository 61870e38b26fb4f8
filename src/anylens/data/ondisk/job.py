"""What a rendered set is made of. Every shard is a pure function of the job and its number, so a job can
stop anywhere.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from anylens.data.draw import Drawn, draw_view
from anylens.data.guard import shows_cap, source_pixels
from anylens.data.panoramas import Cached, Panorama, PanoramaStore, list_panoramas
from anylens.data.recipes import Recipe, load_recipe
from anylens.data.splits import SPLITS, stable_number
from anylens.errors import FormatError, ImageError

TRIES = 5000
SCREENING = 300  # cameras tried before a panorama is found unfit for a recipe


@dataclass(frozen=True)
class RenderJob:
    """Settings of a set. `max_magnification` None switches the guard off, as in the paper; views are rendered
    `density` times larger and resized; sizes are the square root of a view's area."""

    panoramas: str
    recipe: str = "op_g"
    views: int | None = None
    size: int = 640
    seed: int = 0
    max_magnification: float | None = 2.0
    density: float = 1.0
    per_shard: int = 256
    format: str = "jpg"
    quality: int = 95
    augment: str = "none"
    lensfun: str | None = None
    max_width: int = 8192

    def __post_init__(self) -> None:
        if not self.density >= 0.5:
            raise FormatError(f"density is {self.density:g}; it must be at least 0.5 rendered pixels per pixel.")

    def fingerprint(self) -> str:
        """Text that is the same for jobs that make the same set; the recipe's own file counts with its
        contents.
        """
        data = asdict(self)
        if self.recipe.endswith(".json") and Path(self.recipe).is_file():
            data["recipe_sha256"] = hashlib.sha256(Path(self.recipe).read_bytes()).hexdigest()
        return json.dumps(data, sort_keys=True)


@dataclass(frozen=True)
class Plan:
    """All views in order: train, val, test, and within by panorama and index, cut into shards that never mix
    splits.
    """

    job: RenderJob
    shards: tuple[tuple[str, int, tuple[tuple[str, int], ...]], ...]  # split, number in it, (panorama id, index)…
    refused: tuple[str, ...]

    def names(self) -> list[str]:
        return [f"{split}-{number:05d}.tar" for split, number, _ in self.shards]

    @property
    def count(self) -> int:
        return sum(len(views) for _, _, views in self.shards)


class Scene:
    """The panoramas and the recipe of a job, opened once per process."""

    def __init__(self, job: RenderJob, cache: str | None = None, progress: bool = False):
        self.job = job
        self.recipe: Recipe = load_recipe(job.recipe, job.lensfun)
        self.store = PanoramaStore(cache, job.max_width)
        self.panoramas: dict[str, Panorama] = {p.id: p for p in list_panoramas(job.panoramas)}
        self.cached: dict[str, Cached] = {}
        self.progress = progress

    @property
    def views(self) -> int:
        return self.job.views or self.recipe.views

    @property
    def least_source_pixels(self) -> float:
        magnification = 0.0 if self.job.max_magnification is None else 1 / self.job.max_magnification
        return max(magnification, self.recipe.min_source_pixels or 0.0)

    def prepared(self, name: str) -> Cached:
        if name not in self.cached:
            self.cached[name] = self.store.prepare(self.panoramas[name])
        return self.cached[name]

    def plan(self) -> Plan:
        """The shards of the job; panoramas that cannot be read or cannot hold any view are listed, not drawn
        from.
        """
        if self.views < 1 or self.job.size < 16 or self.job.per_shard < 1:
            raise FormatError("A set needs at least one view per panorama and shard, and views of 16 pixels or more.")
        self.cached, refused = self.store.prepare_all(list(self.panoramas.values()), self.progress)
        for name in list(self.cached):
            reason = self.unfit(name)
            if reason:
                refused.append(reason)
                del self.cached[name]
        if not self.cached:
            raise ImageError(f"{self.job.panoramas}: no panorama can be used. {refused[0]}")
        shards = []
        for split in SPLITS:
            names = sorted(name for name in self.cached if self.panoramas[name].split == split)
            views = [(name, index) for name in names for index in range(self.views)]
            for number, start in enumerate(range(0, len(views), self.job.per_shard)):
                shards.append((split, number, tuple(views[start : start + self.job.per_shard])))
        return Plan(self.job, tuple(shards), tuple(refused))

    def unfit(self, name: str) -> str | None:
        """Why a panorama can hold no view of the recipe, or None."""
        rng = np.random.default_rng((self.job.seed, stable_number(name), 1 << 32))
        best = 0.0
        for _ in range(SCREENING):
            drawn = self._draw(rng, None)
            best = max(best, source_pixels(drawn.camera, self.cached[name].width / (2 * np.pi)))
            if self._allowed(drawn, self.cached[name]):
                return None
        if best >= self.least_source_pixels:
            return f"{name}: black around the poles leaves no room for a view."
        return (
            f"{name}: {self.cached[name].width} pixels wide, too small for views of {self.job.size} pixels "
            f"(at best {best:.2f} source pixels per pixel, {self.least_source_pixels:.2f} asked). "
            "Lower the size or raise the magnification."
        )

    def draw(self, name: str, index: int) -> Drawn:
        """View `index` of a panorama: yaw evenly spread, the rest from the recipe; a refused one is drawn
        again.
        """
        turn = np.random.default_rng((self.job.seed, stable_number(name))).uniform(0, 360)
        yaw = (turn + 360 * index / self.views) % 360 - 180
        rng = np.random.default_rng((self.job.seed, stable_number(name), index))
        for _ in range(TRIES):
            drawn = self._draw(rng, yaw)
            if self._allowed(drawn, self.prepared(name)):
                return drawn
        raise ImageError(f"{name}: no view in {TRIES} draws passes the guards.")

    def _draw(self, rng: np.random.Generator, yaw: float | None) -> Drawn:
        root = np.sqrt(self.recipe.aspect.draw(rng))
        return draw_view(self.recipe, rng, round(self.job.size * root), round(self.job.size / root), yaw)

    def _allowed(self, drawn: Drawn, cached: Cached) -> bool:
        enough = self.least_source_pixels == 0 or (
            source_pixels(drawn.camera, cached.width / (2 * np.pi)) >= self.least_source_pixels
        )
        return enough and not shows_cap(drawn.camera, drawn.rotation, cached.nadir_deg, cached.zenith_deg)
