"""What all endpoints share: settings, workers, networks, kept observations, counters; and how they read a request."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.requests import Request

from anylens.serve.body import Held, announced, pieces, whole
from anylens.serve.form import Form, read_form
from anylens.serve.keeping import Keeper
from anylens.serve.metrics import Metrics
from anylens.serve.networks import Networks
from anylens.serve.refusal import Refused
from anylens.serve.settings import Settings
from anylens.serve.workers import Workers


class Desk:
    """One per application."""

    def __init__(self, settings: Settings):
        self.settings = settings
        self.metrics = Metrics()
        self.workers = Workers(settings.workers, settings.max_waiting)
        self.networks = Networks(settings.weights, lambda n: self.metrics.count("anylens_network_runs_total", n))
        self.keeper = Keeper(settings.kept, settings.kept_seconds)
        self.held = Held(settings.max_held)
        self.metrics.count("anylens_network_runs_total", 0)
        self.metrics.gauges |= {
            "anylens_jobs_pending": lambda: self.workers.pending,
            "anylens_observations_kept": lambda: len(self.keeper),
            "anylens_upload_bytes_held": lambda: self.held.now,
        }

    @asynccontextmanager
    async def form(self, request: Request, files: int) -> AsyncIterator[Form]:
        """The form of a request, in memory while it is worked on. Raises Refused."""
        most = self.settings.max_upload
        async with self.held.reserve(announced(request, most)):
            body = pieces(request, self.settings, most)
            yield await read_form(request.headers.get("content-type", ""), body, files)

    async def json(self, request: Request) -> dict[str, Any]:
        """The JSON object of a request. Raises Refused."""
        most = self.settings.max_text
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise Refused(415, "send JSON: content type application/json.")
        async with self.held.reserve(announced(request, most)):
            body = await whole(request, self.settings, most)
        try:
            data = json.loads(body, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise Refused(400, f"not JSON: {str(error)[:120]}") from None
        if not isinstance(data, dict):
            raise Refused(422, "send one JSON object.")
        return data

    async def run(self, *jobs: Any, admitted: bool = False) -> list[Any]:
        """Jobs on the worker threads."""
        return await self.workers.run(jobs, self.settings.max_seconds, admitted=admitted)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")
