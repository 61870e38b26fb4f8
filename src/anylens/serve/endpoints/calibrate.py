"""POST /v1/calibrate: photos in, cameras out."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import JSONResponse

from anylens.serve.answering import Row, answer_one, answer_shared, guarded
from anylens.serve.asking import FIELDS, Asked, from_fields
from anylens.serve.desk import Desk
from anylens.serve.endpoints.schemas import FILE, OPTIONS, RESULTS, answers, form
from anylens.serve.form import Form, Upload
from anylens.serve.keeping import Seen
from anylens.serve.looking import look, read_mask
from anylens.serve.refusal import Refused

PHOTOS = {"type": "array", "items": FILE, "description": "Photos; the field repeats."}
BODY = form(
    {"photos": PHOTOS, "mask": {**FILE, "description": "White where photos are ignored."}, **OPTIONS}, ["photos"]
)


def add(app: FastAPI, desk: Desk) -> None:
    @app.post("/v1/calibrate", openapi_extra=BODY, responses=answers(RESULTS), tags=["photos"])
    async def calibrate(request: Request) -> JSONResponse:
        """Find the camera of each photo. A photo that cannot be read has `ok: false` and its reason."""
        async with desk.form(request, desk.settings.max_photos + 1) as sent:
            sent.check_names(FIELDS, ("photos", "mask"))
            asked = from_fields(sent.fields)
            photos = sent.files.get("photos", [])
            if not photos:
                raise Refused(422, "there is no photo: send files in the form field 'photos'.")
            if len(photos) > desk.settings.max_photos:
                raise Refused(413, f"more than {desk.settings.max_photos} photos in one request. Send fewer at a time.")
            rows = await calibrate_photos(desk, photos, asked, _mask(sent))
        for row in rows:
            desk.metrics.count("anylens_photos_total", ok=str(row["ok"]).lower())
            for stage, ms in row["ms"].items():
                if stage != "total":
                    desk.metrics.count("anylens_stage_seconds_total", 1e-3 * ms, stage=stage)
        return JSONResponse({"results": rows})


async def calibrate_photos(desk: Desk, photos: list[Upload], asked: Asked, mask: Upload | None) -> list[Row]:
    """Rows of photos, in order."""

    def see(photo: Upload) -> Seen:
        limit = desk.settings.max_pixels
        return look(photo, asked, desk.networks, limit, None if mask is None else read_mask(mask, limit))

    def see_and_answer(photo: Upload) -> tuple[Row, Seen | None]:
        seen = guarded(photo.name, partial(see, photo))
        return (answer_one(seen.observation, asked), seen) if isinstance(seen, Seen) else (seen, None)

    if asked.shared is None:
        pairs = await desk.run(*(partial(see_and_answer, photo) for photo in photos))
    else:
        found: list[Any] = await desk.run(*(partial(guarded, p.name, partial(see, p)) for p in photos))
        good = [one for one in found if isinstance(one, Seen)]
        [shared] = await desk.run(partial(answer_shared, [s.observation for s in good], asked), admitted=True)
        left = iter(shared)
        pairs = [(next(left), one) if isinstance(one, Seen) else (one, None) for one in found]
    return [named(desk, row, seen, asked) for row, seen in pairs]


def named(desk: Desk, row: Row, seen: Seen | None, asked: Asked) -> Row:
    """With the name under which what was seen is kept."""
    return {**row, "observation": desk.keeper.add(seen)} if asked.keep and seen is not None else row


def _mask(sent: Form) -> Upload | None:
    masks = sent.files.get("mask", [])
    return masks[-1] if masks else None
