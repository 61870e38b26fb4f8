"""`anylens render`: views of panoramas with exact labels, as WebDataset shards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import tyro

from anylens.errors import FormatError


@dataclass
class Render:
    """Render views of 360° panoramas with known cameras into WebDataset shards.

    A shard holds one picture and one JSON label per view (camera model and intrinsics, rotation, panorama,
    seed). Running the same command again continues where it stopped. Panoramas that cannot be used are
    listed in skipped.txt.

    Examples:
      1. The paper's general set:  anylens render panoramas/ op_g/ --recipe op_g --views 16 --size 640 --seed
      0
      2. Strictly as the paper:    anylens render panoramas/ op_g/ --max-magnification none
      3. Your own cameras:         anylens render panoramas/ out/ --recipe mine.json
    """

    panoramas: Annotated[str, tyro.conf.Positional]
    """Folder of equirectangular pictures (JPEG, PNG, WebP, HDR, EXR), with a manifest.csv or without."""
    out: Annotated[str, tyro.conf.Positional]
    """Folder for the shards."""
    recipe: str = "op_g"
    """op_p, op_r, op_d, op_g, edited, held, world, lensfun, a mix (world*0.7+edited*0.3) or a JSON file."""
    views: int | None = None
    """Views per panorama; the recipe's own number (16) by default."""
    size: int = 640
    """Side of a square view in pixels; other aspects have the same area."""
    seed: int = 0
    """Different seeds give different views."""
    max_magnification: str = "2"
    """Views that would enlarge a panorama more than this (geometric mean over the view) are drawn again;
    none: never.
    """
    density: float = 1.0
    """Render this many times larger (or smaller) and resize, as the standard form of training does."""
    engine: str = "local"
    """local or ray."""
    workers: int = 1
    """Processes of the local engine."""
    per_shard: int = 256
    """Views per shard."""
    format: str = "jpg"
    """jpg, png or webp."""
    quality: int = 95
    """Quality of jpg and webp."""
    augment: str = "none"
    """Changes of appearance: none, light, full or strong."""
    lensfun: str | None = None
    """LensFun database (folder or XML file) for the recipe lensfun."""
    cache: str | None = None
    """Folder for decoded panoramas; the user's cache folder by default."""

    def run(self) -> int:
        from anylens.data.ondisk.job import RenderJob
        from anylens.data.ondisk.run import run_job

        try:
            limit = None if self.max_magnification.lower() == "none" else float(self.max_magnification)
            if limit is not None and limit <= 0:
                raise ValueError
        except ValueError:
            raise FormatError(
                f"--max-magnification takes a positive number or 'none', not '{self.max_magnification}'."
            ) from None
        job = RenderJob(
            self.panoramas, self.recipe, self.views, self.size, self.seed, limit, self.density,
            self.per_shard, self.format, self.quality, self.augment, self.lensfun,
        )  # fmt: skip
        plan = run_job(job, self.out, self.engine, self.workers, self.cache)
        print(f"{plan.count} views in {len(plan.shards)} shards: {self.out}")
        if plan.refused:
            print(f"{len(plan.refused)} panoramas skipped, see {self.out}/skipped.txt")
        return 0
