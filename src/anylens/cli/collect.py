"""`anylens collect`: a photo library turned into training photographs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Annotated

import tyro

from anylens.data.standard import COPY_QUALITY, COPY_SIDE
from anylens.errors import FormatError


@dataclass
class Collect:
    """Turn photos with EXIF into training material: small copies without metadata, and their fields of view.

    The focal length comes from the 35 mm equivalent, the focal plane resolution, or LensFun's sensor size.
    Dropped, with the reason in dropped.txt: crops, digital zoom, panoramas, fisheyes, contradictions, near
    duplicates. The folder directly under the one given is a photo's source; training keeps sources together
    when it splits.

    Example:  anylens collect ~/Pictures photos/   then   anylens train --photos photos/ …
    """

    paths: Annotated[tuple[str, ...], tyro.conf.Positional]
    """Photos or folders of photos, then the output folder as the last one."""
    size: int = COPY_SIDE
    """Longest side of the copies in pixels; more leaves room for crops."""
    quality: int = COPY_QUALITY
    """WebP quality of the copies. Tell `anylens train` of another size or quality: --photo-side, --photo-quality."""
    lensfun: str | None = None
    """LensFun database for sensor sizes; the usual places by default, none if there is none."""

    def run(self) -> int:
        from anylens.data.collect.job import collect
        from anylens.data.lensfun.database import find_database, read_database

        if len(self.paths) < 2:
            raise FormatError("Give the photos (files or folders) and then the output folder.")
        *places, out = self.paths
        try:
            database = read_database(find_database(self.lensfun))
        except FormatError:
            if self.lensfun:
                raise
            database = None
        result = collect(places, out, database, self.size, self.quality, progress=True)
        print(f"{len(result.rows)} photographs from {len({r['source'] for r in result.rows})} sources: {out}")
        kinds = Counter(why.split(" (")[0].split(" of ")[0] for _, why in result.dropped)
        for why, count in kinds.most_common(8):
            print(f"  {count} dropped: {why}")
        return 0 if result.rows else 3
