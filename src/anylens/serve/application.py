"""The ASGI application: endpoints, and errors as JSON with a reason and no more."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from anylens import __version__
from anylens.errors import AnylensError, WeightsError
from anylens.serve.desk import Desk
from anylens.serve.endpoints import about, calibrate, convert, fit, refit, static, undistort
from anylens.serve.gate import Gate
from anylens.serve.refusal import Left, Refused
from anylens.serve.settings import Settings


def create_app(settings: Settings | None = None) -> Gate:
    """The service for any ASGI server. The network is loaded at once. Raises WeightsError."""
    settings = settings or Settings()
    desk = Desk(settings)
    desk.networks.session()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        desk.workers.close()

    app = FastAPI(
        title="anylens",
        version=__version__,
        description="The camera behind one photograph, whatever the lens.",
        docs_url=None,  # FastAPI's pages load scripts from elsewhere; /api is our own
        redoc_url=None,
        lifespan=lifespan,
    )
    app.add_exception_handler(HTTPException, _not_found)
    app.add_exception_handler(AnylensError, _cannot)
    app.add_exception_handler(Exception, _unexpected)
    for part in (calibrate, refit, fit, undistort, convert, about, static):
        part.add(app, desk)
    gate = Gate(app, settings, desk.metrics)
    gate.desk = desk  # type: ignore[attr-defined]
    return gate


async def _not_found(request: Request, error: Any) -> JSONResponse:
    return JSONResponse({"error": str(error.detail)}, error.status_code, headers=error.headers)


async def _cannot(request: Request, error: Any) -> JSONResponse:
    """What the library refuses: an unknown model, a camera file that cannot be read."""
    return JSONResponse({"error": str(error)}, 500 if isinstance(error, WeightsError) else 422)


async def _unexpected(request: Request, error: Any) -> JSONResponse:
    if isinstance(error, (Refused, Left)):
        raise error
    return JSONResponse({"error": "unexpected error; the log of the service says more."}, 500)
