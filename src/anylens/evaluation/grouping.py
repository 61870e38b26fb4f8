"""Which photographs make a row of the tables: groups, photos reported apart, pools of groups, everything."""

from __future__ import annotations

from collections.abc import Sequence

from anylens.errors import FormatError
from anylens.evaluation.sample import Sample

APART = ("macro_weak_geometry", "black_border")  # tags whose photos would blur the figures of their group
ALL = "all"


def label_of(sample: Sample) -> str:
    """The row of a photo: its group, with the tag where its like are reported apart."""
    tag = next((t for t in APART if t in sample.tags), None)
    return sample.group if tag is None else f"{sample.group}, {tag}"


def rows_of(samples: Sequence[Sample], pools: Sequence[str] = ()) -> dict[str, list[int]]:
    """Indices of the photos of every row: groups, then pools (`perspective+exif`), then all.

    A pool holds its groups whole, photos that are reported apart included. Raises FormatError for an unknown group.
    """
    rows: dict[str, list[int]] = {}
    for i, sample in enumerate(samples):
        rows.setdefault(label_of(sample), []).append(i)
    rows = dict(sorted(rows.items()))
    groups = {s.group for s in samples} | set(rows)
    for pool in pools:
        wanted = [w.strip() for w in pool.split("+")]
        unknown = [w for w in wanted if w not in groups]
        if unknown:
            raise FormatError(f"There is no group {', '.join(unknown)}; there are {', '.join(sorted(groups))}.")
        rows[pool] = [i for i, s in enumerate(samples) if s.group in wanted or label_of(s) in wanted]
    if len(rows) > 1:
        rows[ALL] = list(range(len(samples)))
    return rows
