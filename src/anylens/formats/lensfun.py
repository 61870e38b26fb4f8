"""Lensfun's lens database, write only: one <lens> per camera, with the poly5 distortion model.

    r_d = r_u (1 + k1 r_u² + k2 r_u⁴),  r = 1 at half the short side, on top of an ideal projection (<type>).

With s = f / (half the short side), a radial (or Kannala-Brandt) camera is  k_n(Lensfun) = k_n / s^{2n}  on
`rectilinear` (`fisheye`), exactly. Focal lengths are 35 mm equivalents by the diagonal (43.27 mm, crop factor
1), since a photograph says nothing about its sensor. <center> is in half short sides from the image centre.
"""

from __future__ import annotations

import math
from xml.sax.saxutils import escape

from anylens.camera import Camera
from anylens.formats.named import NamedCamera

DIAGONAL_35MM = math.hypot(36.0, 24.0)
TYPES = {
    "pinhole": "rectilinear",
    "radial:2": "rectilinear",
    "kb:2": "fisheye",
    "equidistant": "fisheye",
    "equisolid": "equisolid",
    "stereographic": "stereographic",
    "orthographic": "orthographic",
}


def render(cameras: list[NamedCamera], maker: str = "anylens", mount: str = "Generic") -> str:
    """`maker` and `mount` are what the photo editor shows; set them to those of the camera body."""
    lenses = "".join(_lens(named, maker, mount) for named in cameras)
    mounts = f"    <mount>\n        <name>{escape(mount)}</name>\n    </mount>\n"
    head = '<!DOCTYPE lensdatabase SYSTEM "lensfun-database.dtd">\n<lensdatabase version="1">\n'
    return f"{head}{mounts}{lenses}</lensdatabase>\n"


def _lens(named: NamedCamera, maker: str, mount: str) -> str:
    camera: Camera = named.camera
    f, _, cx, cy, *k = (float(v) for v in camera.full)
    short, long = sorted((int(camera.width), int(camera.height)))
    half = 0.5 * short
    focal = f * DIAGONAL_35MM / math.hypot(short, long)
    k = [value / (f / half) ** (2 * i + 2) for i, value in enumerate(k)]
    lens_type = TYPES[camera.model.removeprefix("simple_")]
    centre = ((cx - 0.5 * camera.width) / half, (cy - 0.5 * camera.height) / half)
    lines = [
        "    <lens>",
        f"        <maker>{escape(maker)}</maker>",
        f"        <model>{escape(named.name)}</model>",
        f"        <mount>{escape(mount)}</mount>",
        *([f"        <type>{lens_type}</type>"] if lens_type != "rectilinear" else []),
        f'        <focal value="{focal:.6g}"/>',
        f'        <center x="{centre[0]:.8g}" y="{centre[1]:.8g}"/>' if any(centre) else "",
        "        <cropfactor>1</cropfactor>",
        f"        <aspect-ratio>{long}:{short}</aspect-ratio>",
        "        <calibration>",
        f'            <distortion model="poly5" focal="{focal:.6g}" k1="{k[0]:.10g}" k2="{k[1]:.10g}"/>' if k else "",
        "        </calibration>",
        "    </lens>",
    ]
    return "\n".join(line for line in lines if line) + "\n"
