"""POST /v1/undistort: a photo as an ideal camera would have taken it."""

from __future__ import annotations

import json

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from anylens.calibration.estimate import conclude
from anylens.camera import Camera
from anylens.cli.convert import parse_size
from anylens.formats.reading import read_one
from anylens.images.raster import read_raster
from anylens.images.saving import encode_picture
from anylens.serve.asking import Asked
from anylens.serve.desk import Desk
from anylens.serve.endpoints.convert import camera_bytes, check_area
from anylens.serve.endpoints.schemas import FILE, NUMBER, STRING, answers, form
from anylens.serve.fields import choice, number
from anylens.serve.form import Form, Upload
from anylens.serve.looking import look
from anylens.serve.refusal import Refused
from anylens.undistortion.targets import TARGETS
from anylens.undistortion.views import undistort

FIELDS = ("camera", "to", "fov", "balance", "alpha", "size", "interpolation", "format", "quality")
KINDS = {"jpg": "image/jpeg", "png": "image/png", "webp": "image/webp", "tif": "image/tiff"}
BODY = form({"photo": FILE,
             "camera": {**FILE, "description": "Camera file or JSON; without one the photo is calibrated."},
             "to": {**STRING, "enum": list(TARGETS), "default": "pinhole"},
             "fov": {**NUMBER, "description": "Horizontal field of view in degrees."},
             "balance": {**NUMBER, "description": "Pinhole: 0, no empty pixels, to 1, all of the photo."},
             "alpha": {**NUMBER, "description": "Like balance, fitted to the frame."},
             "size": {**STRING, "description": "WIDTHxHEIGHT."},
             "interpolation": {**STRING, "enum": ["linear", "cubic", "nearest"]},
             "format": {**STRING, "enum": list(KINDS), "description": "jpg; png for more than 8 bits."},
             "quality": {"type": "integer", "default": 95}}, ["photo"])  # fmt: skip


def add(app: FastAPI, desk: Desk) -> None:
    @app.post("/v1/undistort", openapi_extra=BODY, responses=answers(kind="image/jpeg"), tags=["photos"])
    async def undistort_photo(request: Request) -> Response:
        """Undistort a photo. The picture carries no EXIF; its camera is in the header Anylens-Camera."""
        async with desk.form(request, 2) as sent:
            sent.check_names(FIELDS, ("photo", "camera"))
            photos = sent.files.get("photo", [])
            if len(photos) != 1:
                raise Refused(422, "send one photo, as a file in the form field 'photo'.")
            [answer] = await desk.run(lambda: _undistort(desk, photos[0], sent))
        return answer


def _undistort(desk: Desk, photo: Upload, sent: Form) -> Response:
    limit = desk.settings.max_pixels
    size = parse_size(sent.text("size") or None)
    if size is not None:
        check_area(*size, limit)
    raster = read_raster(photo.content, limit, name=photo.name)
    done = undistort(
        raster.pixels,
        _camera(desk, photo, sent),
        choice(sent, "to", TARGETS, "pinhole"),
        fov_deg=number(sent, "fov", None),
        balance=number(sent, "balance", 0.0),
        alpha=number(sent, "alpha", None),
        size=size or _panorama_size(sent, raster.pixels.shape),
        interpolation=choice(sent, "interpolation", ("linear", "cubic", "nearest"), "linear"),
        threads=1,
    )
    deep = raster.pixels.dtype != "uint8"
    kind = choice(sent, "format", tuple(KINDS), "png" if deep else "jpg")
    quality = min(100, max(1, int(number(sent, "quality", 95))))
    mode = None if deep else raster.mode
    content = encode_picture(done.image, f".{kind}", mode=mode, icc=raster.icc, quality=quality)
    camera = json.dumps(done.camera.to_dict())
    return Response(content, media_type=KINDS[kind], headers={"anylens-camera": camera})


def _camera(desk: Desk, photo: Upload, sent: Form) -> Camera:
    if not (sent.files.get("camera") or sent.text("camera")):
        asked = Asked()
        seen = look(photo, asked, desk.networks, desk.settings.max_pixels)
        return conclude(seen.observation, asked.options).camera
    return read_one(camera_bytes(sent)).camera


def _panorama_size(sent: Form, shape: tuple[int, ...]) -> tuple[int, int] | None:
    """The photo's for panoramas: their own follows the focal length, which a camera file may set to anything."""
    return (shape[1], shape[0]) if sent.text("to") == "equirectangular" else None
