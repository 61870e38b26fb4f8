"""Agisoft Metashape's camera calibration XML, and the sensors of its camera export.

    u = w/2 + cx + x' (f + b1) + y' b2,   v = h/2 + cy + y' f,
    x' = x (1 + K1 r² + K2 r⁴ + K3 r⁶ + K4 r⁸) + P1 (r² + 2x²) + 2 P2 x y,   y' likewise,

with x, y on the plane of the projection: frame (X/Z), fisheye (equidistant) or equisolid_fisheye. P1 and P2
are OpenCV's p2 and p1; cx, cy count from the image centre; pixel centres are at +0.5, as here.
"""

from __future__ import annotations

from xml.etree import ElementTree
from xml.sax.saxutils import escape

from anylens.camera import Camera
from anylens.errors import FormatError
from anylens.formats.foreign import ForeignCamera
from anylens.formats.named import NamedCamera
from anylens.formats.numbers import image_size, number

PLANES = {"frame": "pinhole", "fisheye": "equidistant", "equidistant_fisheye": "equidistant",
          "equisolid_fisheye": "equisolid"}  # fmt: skip
WRITTEN = {"pinhole": "frame", "radial:4": "frame", "kb:4": "fisheye", "equisolid": "equisolid_fisheye"}


def parse(content: bytes, size: tuple[int, int] | None = None) -> list:
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise FormatError("A camera file has no document type or entities of its own.")
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise FormatError(f"Not XML: {error}.") from None
    if root.tag == "calibration":
        return [("camera", _camera(root, size, "The calibration"))]
    out: list = []
    for sensor in root.iter("sensor"):
        name = sensor.get("label") or sensor.get("id") or str(len(out) + 1)
        nodes = sensor.findall("calibration")
        node = next((n for n in nodes if n.get("class") == "adjusted"), nodes[0] if nodes else None)
        if node is not None:
            out.append((name, _camera(node, size or _resolution(node, sensor), f"Sensor '{name}'")))
    if not out:
        raise FormatError(f"No Metashape calibration in this XML file (its root is <{root.tag}>).")
    return out


def _resolution(node: ElementTree.Element, sensor: ElementTree.Element) -> tuple[int, int] | None:
    found = node.find("resolution")
    found = sensor.find("resolution") if found is None else found
    return None if found is None else image_size(found.get("width"), found.get("height"), "resolution")


def _camera(node: ElementTree.Element, size: tuple[int, int] | None, where: str) -> Camera | ForeignCamera:
    kind = node.findtext("projection") or node.get("type") or "frame"
    if kind not in PLANES:
        raise FormatError(f"{where}: the projection '{kind}' is not supported. Known: {', '.join(PLANES)}.")
    if node.find("fx") is not None:
        raise FormatError(f"{where} is of an old PhotoScan (fx, fy). Save it from Metashape 1.2 or later.")
    size = size or image_size(node.findtext("width"), node.findtext("height"), where)

    def value(name: str) -> float:
        return number(node.findtext(name) or 0.0, f"{where}, {name}")

    f, (width, height) = value("f"), size
    if f <= 0 or f + value("b1") <= 0:
        raise FormatError(f"{where}: the focal length must be positive.")
    if value("p3") or value("p4"):
        raise FormatError(f"{where}: p3 and p4 are not supported. Calibrate with p1 and p2 only.")
    plane, radial = PLANES[kind], tuple(value(f"k{i}") for i in range(1, 5))
    foreign = ForeignCamera(
        f"Metashape {kind}",
        (f + value("b1"), f),
        (width / 2 + value("cx"), height / 2 + value("cy")),
        width,
        height,
        plane,
        radial=radial,
        tangential=(value("p2"), value("p1")),
        skew=value("b2"),
    )
    return foreign.plain(4 if plane == "equidistant" else 0) or foreign


def render(cameras: list[NamedCamera]) -> str:
    camera = cameras[0].camera
    fx, fy, cx, cy, *k = (float(v) for v in camera.full)
    fields = {"f": fy, "cx": cx - camera.width / 2, "cy": cy - camera.height / 2, "b1": fx - fy}
    fields |= {f"k{i + 1}": value for i, value in enumerate(k)}
    body = "".join(f"  <{name}>{value!r}</{name}>\n" for name, value in fields.items())
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<calibration>\n'
        f"  <projection>{escape(WRITTEN[camera.model])}</projection>\n"
        f"  <width>{int(camera.width)}</width>\n"
        f"  <height>{int(camera.height)}</height>\n{body}</calibration>\n"
    )
