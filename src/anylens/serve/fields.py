"""Numbers and switches of a form."""

from __future__ import annotations

import math
from typing import overload

from anylens.serve.asking import NO, YES
from anylens.serve.form import Form
from anylens.serve.refusal import Refused


@overload
def number(sent: Form, name: str, otherwise: float) -> float: ...
@overload
def number(sent: Form, name: str, otherwise: None) -> float | None: ...
def number(sent: Form, name: str, otherwise: float | None) -> float | None:
    """Raises Refused (422) for anything but a finite number."""
    text = sent.text(name)
    if text is None or not text.strip():
        return otherwise
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise Refused(422, f"{name} is a number.")
    return value


def flag(sent: Form, name: str, otherwise: bool = False) -> bool:
    text = sent.text(name)
    if text is None:
        return otherwise
    if text.strip().lower() not in (*YES, *NO):
        raise Refused(422, f"{name} is on or off.")
    return text.strip().lower() in YES


def choice(sent: Form, name: str, allowed: tuple[str, ...], otherwise: str) -> str:
    text = (sent.text(name) or otherwise).strip().lower()
    if text not in allowed:
        raise Refused(422, f"{name} is one of {', '.join(allowed)}.")
    return text
