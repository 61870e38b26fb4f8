"""Crop factors (43.27 mm over the sensor's diagonal) of common cameras that leave out the 35 mm equivalent.

The first pattern found in "make model", lower case, counts. Families share a sensor size for many years, so a
few rows cover most of the photographs that need them; an unknown camera has no entry and no guess.
"""

from __future__ import annotations

import re

FULL_FRAME, NIKON_APSC, CANON_APSC, FOUR_THIRDS, ONE_INCH = 1.0, 1.53, 1.61, 2.0, 2.73
_PATTERNS = (
    (r"canon eos(-| )?(1d ?x|1ds|5d|6d|r5(?!0)|r6|rp|r3|r8|r1$|r$)", FULL_FRAME),
    (r"canon eos(-| )?(1d)", 1.28),
    (r"canon eos (\d{2,4}d|rebel|kiss|m\d*|r7|r10|r50|r100|d30|d60|digital rebel)", CANON_APSC),
    (r"nikon (d3s?$|d3x|d4s?|d5$|d6$|d[678]\d0[ae]?$|df|z ?[5-9](ii|_2|_3)?$)", FULL_FRAME),
    (r"nikon (d40x?|d50|d60|d70s?|d80|d90|d100|d200|d300s?|d500|d[357]\d00|z ?(30|50|fc))", NIKON_APSC),
    (r"sony (ilce-[79]|ilce-1|slt-a99|dslr-a9|dsc-rx1)", FULL_FRAME),
    (r"sony (ilce-[56]|ilce-qx|nex|slt-a[3567]|dslr-a[2-7]|zv-e10)", NIKON_APSC),
    (r"sony (dsc-rx100|dsc-rx10|zv-1)", ONE_INCH),
    (r"(olympus|om digital).* (e-m|e-p|e-\d|om-)", FOUR_THIRDS),
    (r"panasonic dmc-(g|gf|gh|gm|gx)\d", FOUR_THIRDS),
    (r"panasonic dc-(g|gh|gx)\d", FOUR_THIRDS),
    (r"panasonic dc-s", FULL_FRAME),
    (r"fujifilm (x-(t|e|pro|h|s|a|m)\d*|x100)", NIKON_APSC),
    (r"fujifilm gfx", 0.79),
    (r"pentax (k-1)", FULL_FRAME),
    (r"pentax (k-|k\d|\*ist|k100)", NIKON_APSC),
    (r"(leica m ?(9|10|11|\(typ)|leica q|leica sl)", FULL_FRAME),
    (r"dji (fc6310|fc6310s|fc7203_1inch)", ONE_INCH),
)
SENSORS = tuple((re.compile(pattern), crop) for pattern, crop in _PATTERNS)


def crop_factor(make: str, model: str) -> float | None:
    """The crop factor of a camera, or None where it is not listed."""
    brand = make.lower().replace("corporation", "").replace("imaging corp.", "").strip()
    name = model.lower().strip()
    if not name.startswith(brand.split(" ")[0] if brand else ""):
        name = f"{brand} {name}"
    return next((crop for pattern, crop in SENSORS if pattern.search(name)), None)
