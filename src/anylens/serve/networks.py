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
        self._sessions: dict[Path, NetworkSession] = {}
        self._lock = threading.Lock()

    def name(self, edited: bool) -> str:
        """How a photo is looked at: by another file, or by one network that is told of edits; DEFAULT otherwise."""
        own = self.path(EDITED) != self.path(DEFAULT) or self.session().told_of_edits
        return EDITED if edited and own else DEFAULT

    def path(self, name: str) -> Path:
        """Raises WeightsError."""
        return Path(self.weights) if self.weights is not None else bundled(name)

    def session(self, name: str = DEFAULT) -> NetworkSession:
        """Raises WeightsError."""
        path = self.path(name)
        with self._lock:
            if path not in self._sessions:
                self._sessions[path] = NetworkSession(path, threads=1)
            return self._sessions[path]

    def predict(self, name: str, mirror: bool) -> Callable[[list[Any]], list[Any]]:
        """Photos to predictions, counted."""
        predictor = Predictor(self.session(name), mirror=mirror, batch=1, edited=name == EDITED)

        def many(photos: list[Any]) -> list[Any]:
            self.counted(len(photos))
            return predictor.many(photos)

        return many
