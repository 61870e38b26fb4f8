"""What a request asks for: the command line's options, as form fields or as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from anylens.calibration.knowledge import parse_known
from anylens.calibration.options import Options
from anylens.serve.names import clean_name
from anylens.serve.refusal import Refused

FIELDS = ("model", "exif", "prior", "known", "edited", "edges", "refine", "shared", "mirror", "keep", "view")
SHARED = ("all", "by-exif", "by-size")
YES, NO = ("true", "1", "yes", "on", ""), ("false", "0", "no", "off")


@dataclass(frozen=True)
class Asked:
    """options: for the fit. shared: which photos are of one camera, or None. mirror: average with the mirror image.

    keep: give each photo a name under which /v1/refit finds it. view: add what is needed to draw the result.
    """

    options: Options = field(default_factory=Options)
    shared: str | None = None
    mirror: bool = False
    keep: bool = False
    view: bool = False


def from_fields(fields: dict[str, list[str]]) -> Asked:
    """Form fields; `known` repeats as name=value±std. Raises Refused (422), ModelError, EvidenceError."""
    last = {name: values[-1] for name, values in fields.items() if values}
    return _asked({**last, "known": parse_known([text for text in fields.get("known", []) if text.strip()])})


def from_json(data: dict[str, Any]) -> Asked:
    """JSON; `known` is an object {name: value or [value, std]} or a list of name=value±std."""
    known = data.get("known") or {}
    if isinstance(known, list):
        known = parse_known([text if isinstance(text, str) else _wrong("known") for text in known])
    if not isinstance(known, dict):
        _wrong("known")
    return _asked({**data, "known": {k: tuple(v) if isinstance(v, list) else v for k, v in known.items()}})


def _asked(given: dict[str, Any]) -> Asked:
    shared = given.get("shared") or None
    if shared in ("none", "false", "off"):
        shared = None
    if shared is not None and shared not in SHARED:
        raise Refused(422, f"shared is one of {', '.join(SHARED)}; uploads have no folders.")
    options = Options(
        model=_text(given, "model", "auto"),
        known=given["known"],
        prior=_text(given, "prior", "photo"),
        exif=_text(given, "exif", "prior"),  # type: ignore[arg-type]
        edited=_flag(given, "edited", False),
        edges=_flag(given, "edges", True),
        refine=_flag(given, "refine", False),
    )
    return Asked(options, shared, *(_flag(given, name, False) for name in ("mirror", "keep", "view")))


def _text(given: dict[str, Any], name: str, otherwise: str) -> str:
    value = given.get(name)
    if value is None or value == "":
        return otherwise
    return value if isinstance(value, str) and len(value) < 100 else _wrong(name)


def _flag(given: dict[str, Any], name: str, otherwise: bool) -> bool:
    value = given.get(name, otherwise)
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word not in (*YES, *NO):
        raise Refused(422, f"{name} is on or off, not '{clean_name(word)}'.")
    return word in YES


def _wrong(name: str) -> Any:
    raise Refused(422, f"'{name}' is not as it should be; see /api.")
