"""POST /v1/convert: camera files of one program for another."""

from __future__ import annotations

import json
from typing import Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from anylens.cli.convert import parse_size
from anylens.errors import FormatError
from anylens.formats.named import NamedCamera
from anylens.formats.reading import read
from anylens.formats.remodelling import DEFAULT_LIMIT, to_format
from anylens.formats.table import named_format
from anylens.formats.writing import name_cameras, render
from anylens.serve.desk import Desk
from anylens.serve.endpoints.schemas import FILE, NUMBER, STRING, answers, form
from anylens.serve.fields import flag, number
from anylens.serve.form import Form
from anylens.serve.refusal import Refused

FIELDS = ("camera", "from", "to", "model", "refit", "max_error", "size", "name", "direction", "half", "balance")
FILE_NAMES = {"anylens": "camera.json", "colmap_text": "cameras.txt", "colmap_binary": "cameras.bin",
              "opencv": "opencv.yml", "opencv_fisheye": "opencv_fisheye.yml", "ros": "camera_info.yaml",
              "kalibr": "camchain.yaml", "nerfstudio": "transforms.json", "metashape": "metashape.xml",
              "lensfun": "lensfun.xml", "stmap": "stmap.exr"}  # fmt: skip
BODY = form({"camera": {**FILE, "description": "A camera file of any known format."},
             "from": {**STRING, "description": "Its format, if not clear."},
             "to": {**STRING, "description": "Format to write; without it the cameras come back as JSON."},
             "model": {**STRING, "description": "Refit every camera in this model."},
             "refit": {"type": "boolean", "description": "Refit where the format does not hold the model."},
             "max_error": {**NUMBER, "default": DEFAULT_LIMIT, "description": "Largest pixel error of a refit."},
             "size": {**STRING, "description": "WIDTHxHEIGHT, for files without one."},
             "name": {**STRING, "description": "Take only the camera of this name."},
             "direction": {**STRING, "enum": ["undistort", "distort"]}, "half": {"type": "boolean"},
             "balance": NUMBER}, ["camera"])  # fmt: skip


def add(app: FastAPI, desk: Desk) -> None:
    @app.post("/v1/convert", openapi_extra=BODY, responses=answers(kind="application/octet-stream"), tags=["cameras"])
    async def convert(request: Request) -> Response:
        """Convert a camera file; what a refit loses is stated in pixels (header Anylens-Note)."""
        async with desk.form(request, 1) as sent:
            sent.check_names(FIELDS, ("camera",))
            content = camera_bytes(sent)
            [answer] = await desk.run(lambda: _convert(content, sent, desk.settings.max_pixels))
        return answer


def camera_bytes(sent: Form) -> bytes:
    """The camera of a form, sent as a file or as text. Raises Refused (422)."""
    files, text = sent.files.get("camera", []), sent.text("camera")
    if files:
        return files[-1].content
    if text and text.strip():
        return text.encode()
    raise Refused(422, "there is no camera: send a camera file in the form field 'camera'.")


def _convert(content: bytes, sent: Form, max_pixels: int) -> Response:
    cameras = read_cameras(content, sent)
    target = sent.text("to")
    if not target:
        return JSONResponse({"cameras": [{"name": c.name, "camera": c.camera.to_dict(), "error_px": c.error,
                                          "note": c.note} for c in cameras]})  # fmt: skip
    found = named_format(target)
    if len(cameras) > 1 and not found.many:
        names = ", ".join(c.name for c in cameras[:10])
        raise FormatError(f"{found.title} holds one camera per file, not {len(cameras)}. Give a name: {names}.")
    options: dict[str, Any] = {}
    if found.name == "stmap":
        check_area(cameras[0].camera.width, cameras[0].camera.height, max_pixels)
        options = {"direction": sent.text("direction") or "undistort", "half": flag(sent, "half"),
                   "balance": number(sent, "balance", 0.0)}  # fmt: skip
    limit = number(sent, "max_error", DEFAULT_LIMIT)
    written = [to_format(c, found, flag(sent, "refit"), limit) for c in cameras]
    notes = [f"{c.note}: up to {c.error:.3g} px off" for c in written if c.note]
    headers = {"content-disposition": f'attachment; filename="{FILE_NAMES[found.name]}"'}
    if notes:
        headers["anylens-note"] = json.dumps("; ".join(notes))[1:-1][:1000]
    return Response(render(written, found, **options), media_type="application/octet-stream", headers=headers)


def read_cameras(content: bytes, sent: Form) -> list[NamedCamera]:
    """Cameras of the form. Raises FormatError."""
    model = sent.text("model") or None
    cameras = read(
        content,
        sent.text("from") or None,
        model=model,
        refit=flag(sent, "refit") or bool(model),
        max_error=number(sent, "max_error", DEFAULT_LIMIT),
        size=parse_size(sent.text("size") or None),
    )
    name = sent.text("name")
    if name:
        chosen = [c for c in cameras if c.name == name]
        if not chosen:
            raise FormatError(
                f"No camera is called '{name[:80]}'; there are {', '.join(c.name for c in cameras[:10])}."
            )
        cameras = chosen
    return name_cameras(cameras)


def check_area(width: float, height: float, max_pixels: int) -> None:
    """Raises Refused (413) for a picture that is too large to be made here."""
    if width * height > max_pixels:
        raise Refused(413, f"{width:g}x{height:g} is more than the {max_pixels / 1e6:g} megapixels allowed here.")
