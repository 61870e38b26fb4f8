"""GET /v1/models, /healthz and /metrics."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from starlette.responses import JSONResponse, PlainTextResponse

from anylens import __version__
from anylens.profiles import models, parse
from anylens.profiles.base import Profile
from anylens.serve.desk import Desk
from anylens.serve.endpoints.convert import FILE_NAMES


def add(app: FastAPI, desk: Desk) -> None:
    @app.get("/v1/models", tags=["about"])
    async def list_models() -> JSONResponse:
        """Camera models, file formats, examples and this service's limits."""
        from anylens.examples import example_names

        settings = desk.settings
        limits = {name: getattr(settings, name) for name in ("max_upload", "max_pixels", "max_photos", "max_seconds")}
        return JSONResponse({
            "models": model_rows(),
            "formats": format_rows(),
            "examples": example_names(),
            "limits": limits,
            "version": __version__,
        })  # fmt: skip

    @app.get("/healthz", tags=["about"])
    async def healthy() -> JSONResponse:
        """200 while the service can answer."""
        return JSONResponse({"ok": True, "version": __version__, "pending": desk.workers.pending})

    @app.get("/metrics", tags=["about"], response_class=PlainTextResponse)
    async def metrics() -> PlainTextResponse:
        """Counters in Prometheus' text format."""
        return PlainTextResponse(desk.metrics.text(), media_type="text/plain; version=0.0.4")


def model_rows() -> list[dict[str, Any]]:
    """Every identifier that can be asked for, with formula and parameters."""
    rows = []
    for name in models():
        parsed = parse(name)
        formula = Profile.registry[parsed.profile.name].formula
        rows.append({"model": name, "formula": formula, "params": list(parsed.param_names)})
    return rows


def format_rows() -> list[dict[str, Any]]:
    from anylens.formats.table import FORMATS

    return [{"name": f.name, "title": f.title, "reads": f.reads, "writes": f.writes, "models": list(f.holds),
             "file": FILE_NAMES[f.name]} for f in FORMATS.values()]  # fmt: skip
