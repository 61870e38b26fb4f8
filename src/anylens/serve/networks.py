"""The networks of the service: each file loaded once, shared by all threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from anylens.predict import Predictor
from anylens.predict.session import NetworkSession
from anylens.weights import DEFAULT, EDITED, bundled


class Networks:
    """weights: a file in place of the bundled ones. counted: told the number of photos of each run."""

    def __init__(self, weights: str | None, counted: Callable[[int], None]):
        self.weights, self.counted = weights, counted
        self._sessions: dict[str, NetworkSession] = {}
        self._lock = threading.Lock()

    def name(self, edited: bool) -> str:
        """The network for whole or for edited photos; the same one where there is none of its own."""
        own = edited and self.weights is None and bundled(EDITED) != bundled(DEFAULT)
        return EDITED if own else DEFAULT

    def session(self, name: str = DEFAULT) -> NetworkSession:
        """Raises WeightsError."""
        with self._lock:
            if name not in self._sessions:
                path = Path(self.weights) if self.weights is not None else bundled(name)
                self._sessions[name] = NetworkSession(path, threads=1)
            return self._sessions[name]

    def predict(self, name: str, mirror: bool) -> Callable[[list[Any]], list[Any]]:
        """Photos to predictions, counted."""
        predictor = Predictor(self.session(name), mirror=mirror, batch=1)

        def many(photos: list[Any]) -> list[Any]:
            self.counted(len(photos))
            return predictor.many(photos)

        return many
