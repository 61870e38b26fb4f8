"""POST /v1/fit: pixels and rays, or a field, to a camera."""

from __future__ import annotations

from typing import Any

import numpy as np
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import JSONResponse

from anylens.errors import FitError
from anylens.field import field_to_rays
from anylens.fitting.selection import select_model
from anylens.fitting.single import Fit, fit
from anylens.serve.desk import Desk
from anylens.serve.endpoints.schemas import CAMERA, NUMBER, STRING, answers, json
from anylens.serve.names import clean_name
from anylens.serve.refusal import Refused

MOST_RAYS = 100_000
FIELDS = ("pixels", "rays", "field", "weights", "model", "width", "height", "known", "refine", "loss", "loss_scale_deg")
LIST: dict[str, Any] = {"type": "array", "items": {"type": "array", "items": NUMBER}}
BODY = json({"width": {"type": "integer"}, "height": {"type": "integer"},
             "model": {**STRING, "default": "auto", "description": "A model, or auto for a ranking."},
             "pixels": {**LIST, "description": "(N, 2), origin at the corner of the first pixel. Without them a field "
                                               "(rows, cols, 2) covers the image, one value per cell centre."},
             "rays": {**LIST, "description": "(N, 3), x right, y down, z ahead."},
             "field": {**LIST, "description": "In place of rays: (N, 2) or (rows, cols, 2) in radians."},
             "weights": {"type": "array", "items": NUMBER},
             "known": {"type": "object", "additionalProperties": NUMBER},
             "refine": {"type": "boolean", "default": True},
             "loss": {**STRING, "enum": ["l2", "huber", "cauchy"]}, "loss_scale_deg": NUMBER},
            ["width", "height"])  # fmt: skip
ANSWER = {"type": "object", "properties": {"camera": CAMERA, "rms_deg": NUMBER, "hfov_deg": NUMBER,
                                           "hfov_std_deg": NUMBER, "deviations": {"type": "object"}}}  # fmt: skip


def add(app: FastAPI, desk: Desk) -> None:
    @app.post("/v1/fit", openapi_extra=BODY, responses=answers(ANSWER), tags=["cameras"])
    async def fit_rays(request: Request) -> JSONResponse:
        """Fit a camera to rays, in closed form and then refined; no photo, no network."""
        data = await desk.json(request)
        unknown = next((name for name in data if name not in FIELDS), None)
        if unknown is not None:
            raise Refused(422, f"there is no '{clean_name(unknown)}'. There are {', '.join(FIELDS)}.")
        [answer] = await desk.run(lambda: _fit(data))
        return JSONResponse(answer)


def _fit(data: dict[str, Any]) -> dict[str, Any]:
    width, height = _side(data, "width"), _side(data, "height")
    pixels, rays = read_rays(data, width, height)
    weights = None if data.get("weights") is None else _array(data, "weights", 1)
    known = data.get("known") or {}
    if not isinstance(known, dict) or not all(_is_number(v) for v in known.values()):
        raise Refused(422, 'known is an object of numbers, such as {"cx": 320}.')
    model = data.get("model") or "auto"
    if not isinstance(model, str):
        raise Refused(422, "model is the name of a camera model; see /v1/models.")
    if model == "auto":
        chosen = select_model(pixels, rays, width=width, height=height, weights=weights, known=known)
        ranking = [{"model": r.model, "score": r.score, "folds": r.folds, "rms_deg": float(r.fit.rms_deg)}
                   for r in chosen.ranking]  # fmt: skip
        return {**describe(chosen.fit), "ranking": ranking}
    scale = data.get("loss_scale_deg", 1.0)
    if not _is_number(scale) or scale <= 0:
        raise Refused(422, "loss_scale_deg is a positive number.")
    return describe(fit(pixels, rays, model, width=width, height=height, weights=weights, known=known,
                        refine=data.get("refine", True) is not False, loss=str(data.get("loss", "l2")),
                        loss_scale_deg=float(scale)))  # fmt: skip


def describe(found: Fit) -> dict[str, Any]:
    """A fit as plain data."""
    camera, covariance = found.camera, np.asarray(found.covariance)
    deviations = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return {
        "camera": camera.to_dict(),
        "rms_deg": float(found.rms_deg),
        "hfov_deg": float(camera.hfov_deg),
        "vfov_deg": float(camera.vfov_deg),
        "dfov_deg": float(camera.dfov_deg),
        "hfov_std_deg": _finite(found.hfov_std_deg),
        "vfov_std_deg": _finite(found.vfov_std_deg),
        "deviations": {n: _finite(v) for n, v in zip(camera.named(), deviations)},
        "covariance": [[_finite(v) for v in row] for row in covariance],
        "converged": bool(found.converged),
        "iterations": int(found.iterations),
    }


def read_rays(data: dict[str, Any], width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
    """Pixels (N, 2) and rays (N, 3) of a request. Raises Refused (422), FitError."""
    if (data.get("rays") is None) == (data.get("field") is None):
        raise Refused(422, "give either rays or a field.")
    if data.get("rays") is not None:
        return _array(data, "pixels", 2), _array(data, "rays", 2)
    values = _array(data, "field", 3 if data.get("pixels") is None else 2)
    if values.shape[-1] != 2:
        raise FitError(f"A field has two values per pixel, not {values.shape[-1]}.")
    if values.ndim == 2:
        return _array(data, "pixels", 2), np.asarray(field_to_rays(values))
    rows, cols = values.shape[:2]
    x, y = np.meshgrid((np.arange(cols) + 0.5) * width / cols, (np.arange(rows) + 0.5) * height / rows)
    return np.stack([x.ravel(), y.ravel()], -1), np.asarray(field_to_rays(values.reshape(-1, 2)))


def _array(data: dict[str, Any], name: str, axes: int) -> np.ndarray:
    try:
        values = np.asarray(data.get(name), dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        values = np.zeros(0)
    if values.ndim != axes or not values.size or not np.isfinite(values).all():
        raise Refused(422, f"{name} is a list of finite numbers with {axes} ax{'es' if axes > 1 else 'is'}.")
    if values.size > 3 * MOST_RAYS:
        raise Refused(413, f"more than {MOST_RAYS} rays in one request.")
    return values


def _side(data: dict[str, Any], name: str) -> int:
    value = data.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= 1_000_000:
        raise Refused(422, f"{name} is the image's {name} in pixels.")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300


def _finite(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None
