"""`anylens serve`: the page and the HTTP service."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Annotated

import tyro

from anylens.errors import AnylensError


@dataclass
class Serve:
    """Serve the page and the HTTP service on this machine, offline; photos stay in memory.

    1. `anylens serve`, then open the address it prints.
    2. `anylens serve --port 9000 --max-pixels 100`
    3. `ANYLENS_TOKEN=secret anylens serve --host 0.0.0.0` for other machines, with a token.
    4. `curl -F photos=@photo.jpg http://127.0.0.1:8420/v1/calibrate`

    /api describes the service; /healthz and /metrics are for those who run it.
    """

    host: str = "127.0.0.1"
    """Address to listen on; 0.0.0.0 for every network."""
    port: int = 8420
    """Port; 0 takes any that is free."""
    token: Annotated[str | None, tyro.conf.arg(metavar="SECRET")] = None
    """Bearer token that requests must carry; also from ANYLENS_TOKEN."""
    allow_host: Annotated[tyro.conf.UseAppendAction[tuple[str, ...]], tyro.conf.arg(metavar="NAME")] = ()
    """A further host name that requests may ask for, such as that of a proxy in front."""
    max_upload: float = 64
    """Megabytes of a request."""
    max_pixels: float = 60
    """Megapixels of a photo."""
    max_photos: int = 32
    """Photos of a request."""
    max_waiting: int = 64
    """Photos that run or wait before others are sent away with 503."""
    max_seconds: float = 60
    """Seconds of work for one request."""
    workers: int = 0
    """Threads that calibrate; one per processor otherwise."""
    weights: Annotated[str | None, tyro.conf.arg(metavar="ONNX")] = None
    """Another network than the bundled one."""

    def run(self) -> int:
        try:
            from anylens.serve.running import is_private, serve
            from anylens.serve.settings import LOOPBACK, MEGA, Settings
        except ImportError as error:
            raise AnylensError(f"serving needs {error.name}: pip install 'anylens[serve]'.") from None
        for name in ("max_upload", "max_pixels", "max_photos", "max_waiting", "max_seconds"):
            if not getattr(self, name) > 0:
                raise AnylensError(f"--{name.replace('_', '-')} must be positive, not {getattr(self, name)}.")
        token = self.token if self.token is not None else os.environ.get("ANYLENS_TOKEN") or None
        if token is not None and (not token.strip() or not token.isascii()):
            raise AnylensError("a token is some ASCII text without spaces around it.")
        hosts = (*LOOPBACK, self.host, *self.allow_host) if is_private(self.host) else ()
        settings = Settings(
            token=token,
            hosts=hosts,
            weights=self.weights,
            workers=self.workers or os.cpu_count() or 1,
            max_upload=round(self.max_upload * MEGA),
            max_pixels=round(self.max_pixels * MEGA),
            max_photos=self.max_photos,
            max_waiting=self.max_waiting,
            max_seconds=self.max_seconds,
        )
        serve(settings, self.host, self.port)
        return 0
