"""Near duplicates by content: a 16x16 gradient hash, compared with itself and with its mirror image."""

from __future__ import annotations

import numpy as np
from PIL import Image

NEAR = 24  # of 256 bits


def gradient_hash(image: Image.Image) -> tuple[np.ndarray, np.ndarray]:
    """Bits (256,) of whether brightness grows to the right between 17x16 area means; of the picture and its
    mirror.
    """
    small = np.asarray(image.convert("L").resize((17, 16), Image.Resampling.BOX), np.int16)
    mirrored = small[:, ::-1]
    return tuple((np.diff(s, axis=1) > 0).ravel() for s in (small, mirrored))  # type: ignore[return-value]


class Seen:
    """Hashes of the photographs kept so far."""

    def __init__(self) -> None:
        self.rows: list[np.ndarray] = []
        self.names: list[str] = []

    def twin(self, image: Image.Image, name: str) -> str | None:
        """The name of an earlier photograph that is nearly the same, either way round; else remembers this
        one.
        """
        plain, mirrored = gradient_hash(image)
        if self.rows:
            known = np.stack(self.rows)
            for bits in (plain, mirrored):
                distance = (known != bits).sum(axis=1)
                if distance.min() <= NEAR:
                    return self.names[int(distance.argmin())]
        self.rows.append(plain)
        self.names.append(name)
        return None
