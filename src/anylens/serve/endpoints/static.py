"""The page, its examples and the description of the service: files of the package, read once, served from memory."""

from __future__ import annotations

import hashlib
import io
from importlib.resources import files

from fastapi import FastAPI
from PIL import Image
from starlette.requests import Request
from starlette.responses import Response

from anylens.serve.desk import Desk

KINDS = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml", ".jpg": "image/jpeg"}  # fmt: skip
THUMBNAIL = (420, 280)
ENTRIES = {"/": "index.html", "/api": "api.html"}


def add(app: FastAPI, desk: Desk) -> None:
    from anylens.examples import example_names, example_path

    content: dict[str, bytes] = {}
    for item in files("anylens.serve").joinpath("page").iterdir():
        if "." + item.name.rpartition(".")[2] in KINDS:
            content[f"/page/{item.name}"] = item.read_bytes()
    for name in example_names():
        content[f"/examples/{name}.jpg"] = example_path(name).read_bytes()
        content[f"/examples/small/{name}.jpg"] = _smaller(content[f"/examples/{name}.jpg"])
    for path, name in ENTRIES.items():
        content[path] = content[f"/page/{name}"]
    for path in content:
        _add_file(app, path, content[path])


def _smaller(photo: bytes) -> bytes:
    """A photo for the page's front, a tenth of the bytes."""
    picture, out = Image.open(io.BytesIO(photo)), io.BytesIO()
    picture.thumbnail(THUMBNAIL)
    picture.save(out, "JPEG", quality=80)
    return out.getvalue()


def _add_file(app: FastAPI, path: str, content: bytes) -> None:
    kind = KINDS["." + (ENTRIES.get(path, path)).rpartition(".")[2]]
    tag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
    headers = {"etag": tag, "cache-control": "no-cache"}

    async def send_file(request: Request) -> Response:
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=kind, headers=headers)

    app.add_api_route(path, send_file, methods=["GET", "HEAD"], include_in_schema=False)
