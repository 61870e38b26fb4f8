"""Names that senders give to files: shown again in answers, never opened."""

from __future__ import annotations

import unicodedata

LONGEST = 120


def clean_name(given: str, otherwise: str = "photo") -> str:
    """The last part of a path, on any system, without control or direction characters, of reasonable length."""
    last = given.replace("\\", "/").rstrip("/").rpartition("/")[2]
    shown = "".join(c for c in last if unicodedata.category(c)[0] != "C" and c != "\ufffd").strip()
    if len(shown) > LONGEST:
        shown = f"{shown[: LONGEST - 13]}…{shown[-12:]}"
    return shown if shown.strip(".") else otherwise
