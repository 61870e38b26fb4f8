"""Bind, say where, serve until stopped."""

from __future__ import annotations

import ipaddress
import logging
import socket
import sys

import uvicorn

from anylens.errors import AnylensError
from anylens.serve.application import create_app
from anylens.serve.gate import HEAD_BYTES
from anylens.serve.protocol import patient_protocol
from anylens.serve.settings import Settings

BACKLOG = 256


def serve(settings: Settings, host: str, port: int) -> None:
    """Serve on host and port (0: any free one). Raises AnylensError where that cannot be had, WeightsError."""
    listening = bind(host, port)
    app = create_app(settings)
    config = uvicorn.Config(
        app,
        http=patient_protocol(settings.idle_seconds),
        ws="none",
        lifespan="on",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=max(1, round(settings.idle_seconds)),
        timeout_graceful_shutdown=5,
        h11_max_incomplete_event_size=HEAD_BYTES,
        backlog=BACKLOG,
    )
    logging.getLogger("uvicorn.error").addFilter(lambda record: "Invalid HTTP request" not in record.getMessage())
    place = address(host, listening.getsockname()[1])
    print(f"anylens is on {place}  (Ctrl+C ends it)", flush=True)
    if settings.token is None and not is_private(host):
        print(warning(place), file=sys.stderr, flush=True)
    uvicorn.Server(config).run(sockets=[listening])


def bind(host: str, port: int) -> socket.socket:
    """A listening socket. Raises AnylensError with the reason."""
    try:
        [(family, kind, protocol, _, place), *_] = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(place)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise AnylensError(f"cannot listen on {host}, port {port}: {reason}. Choose others: --host, --port.") from None
    listening.set_inheritable(True)
    return listening


def is_private(host: str) -> bool:
    """Whether only this machine reaches the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def warning(place: str) -> str:
    return (
        f"WARNING: {place} can be reached from other machines, and no token is set: whoever reaches it may use it.\n"
        "Set one (--token SECRET, or ANYLENS_TOKEN in the environment), or stay on this machine (--host 127.0.0.1)."
    )
