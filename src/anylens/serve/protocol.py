"""uvicorn's HTTP connection with two things added: patience that ends, and answers to senders that close their half.

uvicorn waits for the head of a request for ever, and closes as soon as the other side has finished sending.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class PatientProtocol(H11Protocol):
    """`head_seconds`: from the start of a connection, or the first byte of a later request, to its head's end."""

    head_seconds = 10.0
    _timer: asyncio.TimerHandle | None = None
    _half_closed = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._timer = self.loop.call_later(self.head_seconds, self._too_slow)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._calm()
        elif self._timer is None:
            self._timer = self.loop.call_later(self.head_seconds, self._too_slow)

    def eof_received(self) -> bool:  # type: ignore[override]
        """True keeps the connection for an answer that is on its way."""
        self._half_closed = True
        cycle = self.cycle
        return cycle is not None and not cycle.more_body and not cycle.response_complete

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._half_closed:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._calm()
        super().connection_lost(exc)

    def _calm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _too_slow(self) -> None:
        self._timer = None
        if not self.transport.is_closing():
            self.transport.write(SLOW)
            self.transport.close()


def patient_protocol(seconds: float) -> type[PatientProtocol]:
    return type("PatientProtocol", (PatientProtocol,), {"head_seconds": seconds})
