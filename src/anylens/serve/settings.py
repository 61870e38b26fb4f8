"""What the service allows: every limit in one place, each an option of `anylens serve`."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
MEGA = 1_000_000


@dataclass(frozen=True)
class Settings:
    """max_upload: bytes of a request. max_pixels: of a photo, read from its header. max_photos: of a request.

    max_waiting: jobs (a photo each) that run or wait before others are sent away. max_seconds: of work for one request;
    upload_seconds: for sending it; idle_seconds: between two pieces of it, and for its head. max_held: bytes of all
    requests together. kept, kept_seconds: observations that wait for another model, and how long. hosts: names that
    the `Host` header may have; empty for any.
    """

    token: str | None = None
    hosts: tuple[str, ...] = LOOPBACK
    weights: str | None = None
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    max_upload: int = 64 * MEGA
    max_pixels: int = 60 * MEGA
    max_photos: int = 32
    max_waiting: int = 64
    max_seconds: float = 60.0
    upload_seconds: float = 60.0
    idle_seconds: float = 10.0
    kept: int = 256
    kept_seconds: float = 1800.0

    @property
    def max_held(self) -> int:
        return 8 * self.max_upload

    @property
    def max_text(self) -> int:
        """Bytes of a request without photos: rays, cameras, options."""
        return min(self.max_upload, 16 * MEGA)
