"""What was seen in photographs, kept in memory for a while so that another model needs no second look."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass

from anylens.calibration.observation import Observation


@dataclass(frozen=True)
class Seen:
    """An observation (tens of kilobytes, no pixels) and the network that it comes from."""

    observation: Observation
    network: str


class Keeper:
    """The latest `most` observations, each for `seconds`, under names that cannot be guessed."""

    def __init__(self, most: int, seconds: float):
        self.most, self.seconds = most, seconds
        self._kept: OrderedDict[str, tuple[float, Seen]] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, seen: Seen) -> str:
        name = secrets.token_urlsafe(18)
        with self._lock:
            self._kept[name] = (time.monotonic(), seen)
            self._forget()
        return name

    def get(self, name: str) -> Seen | None:
        """None where the name is not, or no longer, known; asking keeps it."""
        with self._lock:
            self._forget()
            if name not in self._kept:
                return None
            _, seen = self._kept.pop(name)
            self._kept[name] = (time.monotonic(), seen)
            return seen

    def __len__(self) -> int:
        with self._lock:
            self._forget()
            return len(self._kept)

    def _forget(self) -> None:
        oldest = time.monotonic() - self.seconds
        while self._kept and (len(self._kept) > self.most or next(iter(self._kept.values()))[0] < oldest):
            self._kept.popitem(last=False)
