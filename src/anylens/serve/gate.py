"""Every request passes here: who may ask, how long it may take, what every answer carries.

A page of another site must not use a service on this machine: its `Origin` is not ours, and a name of its own that
points to 127.0.0.1 is not among the allowed hosts. There is no CORS: other sites cannot read answers.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import time
from typing import Any
from urllib.parse import urlsplit

from anylens.serve.metrics import Metrics
from anylens.serve.refusal import Left, Refused
from anylens.serve.settings import Settings

log = logging.getLogger(__name__)
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
HEAD_BYTES = 32_768
SPARE_SECONDS = 30.0  # beyond sending and work: for answers that are read slowly
LINGER_SECONDS, LINGER_BYTES = 3.0, 256 * 2**20


class Gate:
    """ASGI around the application."""

    def __init__(self, app: Any, settings: Settings, metrics: Metrics):
        self.app, self.settings, self.metrics = app, settings, metrics

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        start, status, all_sent = time.perf_counter(), 0, False

        async def receive_marked() -> Any:
            nonlocal all_sent
            message = await receive()
            all_sent = message["type"] == "http.disconnect" or not message.get("more_body")
            return message

        async def send_marked(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                given = {name.lower() for name, _ in message["headers"]}
                extra = [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in given]
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        limit = self.settings.upload_seconds + self.settings.max_seconds + SPARE_SECONDS
        try:
            self.check(scope)
            await asyncio.wait_for(self.app(scope, receive_marked, send_marked), limit)
        except Refused as refused:
            if not all_sent:
                await linger(receive)
            await refuse(send_marked, refused)
        except Left:
            status = 499
        except asyncio.TimeoutError:
            if not status:  # the whole machine stood still
                await refuse(send_marked, Refused(503, "no answer in time. Try again.", 1))
            # otherwise a reader that does not read: the connection is closed
        finally:
            path = getattr(scope.get("route"), "path", None) or "other"
            self.metrics.count("anylens_requests_total", path=path, status=str(status))
            if path.startswith("/v1"):
                self.metrics.time(time.perf_counter() - start)

    def check(self, scope: Any) -> None:
        """Raises Refused for a head too long, a foreign host or origin, and a missing token."""
        size = sum(len(name) + len(value) for name, value in scope["headers"])
        if size + len(scope["raw_path"]) + len(scope["query_string"]) > HEAD_BYTES:
            raise Refused(431, f"the head of the request has more than {HEAD_BYTES} bytes.")
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get("host", "")
        if self.settings.hosts and without_port(host) not in self.settings.hosts:
            raise Refused(421, "this service does not answer to that host name. Allow it: anylens serve --allow-host.")
        origin = headers.get("origin")
        if scope["method"] not in ("GET", "HEAD") and origin is not None and urlsplit(origin).netloc != host:
            raise Refused(403, "requests of other sites are not answered.")
        if self.settings.token is None or not protected(scope["path"]):
            return
        given = headers.get("authorization", "").encode("utf-8", "replace")
        if not hmac.compare_digest(given, f"Bearer {self.settings.token}".encode()):
            raise Refused(401, "a token is needed: send the header 'Authorization: Bearer TOKEN'.")


def protected(path: str) -> bool:
    """The page itself holds nothing; whatever works or tells of use needs the token."""
    return path.startswith("/v1") or path == "/metrics"


def without_port(host: str) -> str:
    return host if host.endswith("]") else host.rpartition(":")[0] or host


async def linger(receive: Any) -> None:
    """Read what is still being sent, for a moment: a sender that is cut off never sees the answer."""
    end, size = time.monotonic() + LINGER_SECONDS, 0
    while size < LINGER_BYTES and (left := end - time.monotonic()) > 0:
        try:
            message = await asyncio.wait_for(receive(), left)
        except asyncio.TimeoutError:
            return
        size += len(message.get("body", b""))
        if message["type"] == "http.disconnect" or not message.get("more_body"):
            return


async def refuse(send: Any, refused: Refused) -> None:
    body = json.dumps({"error": refused.reason}, ensure_ascii=False).encode()
    headers = {"content-type": "application/json", "content-length": str(len(body)), **refused.headers}
    if refused.status == 401:
        headers["www-authenticate"] = "Bearer"
    if refused.status == 408:
        headers["connection"] = "close"
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": refused.status, "headers": pairs})
    await send({"type": "http.response.body", "body": body})
