"""The body of a request, piece by piece: never more than allowed, never slower than allowed, never on disk."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.requests import Request

from anylens.serve.refusal import Left, Refused
from anylens.serve.settings import MEGA, Settings


class Held:
    """Bytes that all requests together hold in memory."""

    def __init__(self, most: int):
        self.most, self.now = most, 0

    @asynccontextmanager
    async def reserve(self, count: int) -> AsyncIterator[None]:
        """Raises Refused (503) where the memory for bodies is taken."""
        if self.now and self.now + count > self.most:
            raise Refused(503, "too many uploads at a time. Try again.", retry_after=2)
        self.now += count
        try:
            yield
        finally:
            self.now -= count


def announced(request: Request, most: int) -> int:
    """Bytes that a body will have at most, by its own word. Raises Refused (413)."""
    length = request.headers.get("content-length", "")
    count = int(length) if length.isdecimal() else most
    if count > most:
        raise too_large(most, count)
    return count


def too_large(most: int, count: int | None = None) -> Refused:
    found = "the request is" if count is None else f"the request is {count / MEGA:.1f} MB,"
    return Refused(413, f"{found} larger than the {most / MEGA:g} MB allowed here. Send less at a time.")


async def pieces(request: Request, settings: Settings, most: int) -> AsyncIterator[bytes]:
    """The body as it arrives. Raises Refused (413 too large, 408 too slow) and Left."""
    announced(request, most)
    loop, size = asyncio.get_running_loop(), 0
    end = loop.time() + settings.upload_seconds
    while True:
        patience = min(settings.idle_seconds, end - loop.time())
        try:
            message = await asyncio.wait_for(request.receive(), max(0.0, patience))
        except asyncio.TimeoutError:
            raise Refused(408, "the request came too slowly.") from None
        if message["type"] == "http.disconnect":
            raise Left
        piece = message.get("body", b"")
        size += len(piece)
        if size > most:
            raise too_large(most)
        if piece:
            yield piece
        if not message.get("more_body"):
            return


async def whole(request: Request, settings: Settings, most: int) -> bytes:
    """The entire body."""
    found = bytearray()
    async for piece in pieces(request, settings, most):
        found += piece
    return bytes(found)
