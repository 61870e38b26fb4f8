"""Pieces of the OpenAPI description. Endpoints read bodies themselves, so the shape of those is written down here."""

from __future__ import annotations

from typing import Any

STRING: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "number"}
FILE: dict[str, Any] = {"type": "string", "format": "binary"}
CAMERA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "model": STRING,
        "width": {"type": "integer"},
        "height": {"type": "integer"},
        "params": {"type": "object", "additionalProperties": NUMBER},
    },
}
ERROR: dict[str, Any] = {"type": "object", "properties": {"error": STRING}}
RESULTS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "results": {"type": "array", "items": {
            "type": "object",
            "description": "One photo, as a line of `anylens calibrate --json`.",
            "properties": {"file": STRING, "ok": {"type": "boolean"}, "error": STRING, "camera": CAMERA,
                           "hfov_deg": NUMBER, "hfov_interval_deg": {"type": "array", "items": NUMBER},
                           "focal_px": NUMBER, "focal_35mm": NUMBER, "decided_by": STRING,
                           "warnings": {"type": "array", "items": STRING}}}},
    },
}  # fmt: skip
OPTIONS: dict[str, Any] = {
    "model": {**STRING, "default": "auto", "description": "Camera model (GET /v1/models), or auto."},
    "exif": {**STRING, "enum": ["prior", "check", "ignore"], "default": "prior"},
    "prior": {**STRING, "enum": ["photo", "phone", "wide", "none"], "default": "photo"},
    "known": {"type": "array", "items": STRING,
              "description": "name=value or name=value±deviation: f, fx, fy, cx, cy in pixels, hfov, vfov, dfov in "
                             "degrees, focal_35mm, aspect, coefficients. Repeatable."},
    "edited": {"type": "boolean", "default": False, "description": "Cropped or stretched: centre and aspect are free."},
    "edges": {"type": "boolean", "default": True, "description": "Straight edges take part."},
    "refine": {"type": "boolean", "default": False},
    "shared": {**STRING, "enum": ["all", "by-exif", "by-size"], "description": "Which photos are of one camera."},
    "mirror": {"type": "boolean", "default": False, "description": "Average with the mirror image."},
    "keep": {"type": "boolean", "default": False, "description": "Keep what was seen in memory for /v1/refit."},
    "view": {"type": "boolean", "default": False, "description": "Add what is needed to draw the result."},
}  # fmt: skip


def form(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    """A multipart request body."""
    return _body("multipart/form-data", properties, required)


def json(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return _body("application/json", properties, required)


def _body(kind: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": required}
    return {"requestBody": {"required": True, "content": {kind: {"schema": schema}}}}


def answers(
    schema: dict[str, Any] | None = None, kind: str = "application/json", more: dict[int, str] | None = None
) -> dict[int | str, dict[str, Any]]:
    """The usual answers of an endpoint, and more of its own."""
    problems = {400: "A malformed request.", 401: "The token is missing.", 403: "A request of another site.",
                408: "Sent too slowly.", 413: "Too large.", 415: "Another content type than is taken.",
                421: "A host name that is not answered to.", 422: "An option that cannot be.",
                503: "Busy; see Retry-After.", **(more or {})}  # fmt: skip
    content = {kind: {"schema": schema or FILE}}
    found: dict[int | str, dict[str, Any]] = {200: {"description": "The answer.", "content": content}}
    for status, text in problems.items():
        found[status] = {"description": text, "content": {"application/json": {"schema": ERROR}}}
    return found
