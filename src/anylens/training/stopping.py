"""SIGTERM and SIGINT as a polite request: save, then stop."""

from __future__ import annotations

import signal
import threading
from typing import Any


class Stopping:
    """Within the block, `asked` becomes True on SIGTERM or SIGINT; the former handlers come back after it."""

    def __init__(self) -> None:
        self.asked = False
        self.former: dict[int, Any] = {}

    def __enter__(self) -> Stopping:
        if threading.current_thread() is threading.main_thread():  # elsewhere Python allows no handlers
            for number in (signal.SIGTERM, signal.SIGINT):
                self.former[number] = signal.signal(number, self._ask)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self.former.items():
            signal.signal(number, handler)

    def _ask(self, *_: object) -> None:
        self.asked = True
