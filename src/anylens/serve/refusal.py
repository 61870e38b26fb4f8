"""A request that is not served, with the status and the reason that its sender reads."""

from __future__ import annotations


class Refused(Exception):
    """status: 4xx for what the sender can mend, 503 with `retry_after` seconds for what time mends."""

    def __init__(self, status: int, reason: str, retry_after: int | None = None):
        super().__init__(reason)
        self.status, self.reason, self.retry_after = status, reason, retry_after

    @property
    def headers(self) -> dict[str, str]:
        return {} if self.retry_after is None else {"retry-after": str(self.retry_after)}


class Left(Exception):
    """The sender is gone; nobody reads an answer."""
