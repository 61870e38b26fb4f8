"""Train, validation and test parts by place: 90, 5 and 5 per cent, always the same for the same names."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

SPLITS = ("train", "val", "test")
SHARES = (0.90, 0.05, 0.05)


def assign_splits(names: Iterable[str], shares: tuple[float, float, float] = SHARES) -> dict[str, str]:
    """Split of every name. Names are ordered by a hash of theirs and cut at the shares, rounded to whole
    names.
    """
    ordered = sorted(set(names), key=lambda name: (hashlib.sha256(name.encode()).digest(), name))
    val, test = (round(len(ordered) * share) for share in shares[1:])
    return {name: "val" if i < val else "test" if i < val + test else "train" for i, name in enumerate(ordered)}


def stable_number(*parts: object) -> int:
    """A 64-bit number from text, the same on every machine and in every process."""
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
