"""OpenCV's distortion vectors, which ROS, Kalibr, COLMAP and nerfstudio share.

    4: k1 k2 p1 p2     5: … k3     8: … k4 k5 k6 (below the line)     12: … s1 s2 s3 s4     14: … τx τy

A vector of four is k1 k2 p1 p2, never four radial terms; OpenCV's fisheye module has its own four, k1..k4 of
Kannala-Brandt.
"""

from __future__ import annotations

from collections.abc import Sequence

from anylens.camera import Camera
from anylens.errors import FormatError
from anylens.formats.foreign import ForeignCamera

Read = Camera | ForeignCamera
LENGTHS = (0, 4, 5, 8, 12, 14)


def from_opencv(
    vector: Sequence[float],
    focal: Sequence[float],
    centre: Sequence[float],
    size: Sequence[int],
    title: str,
    plane: str = "pinhole",
    plane_coefs: tuple[float, ...] = (),
    skew: float = 0.0,
) -> Read:
    """A camera from OpenCV's vector: one of our models where that loses nothing, else a foreign one."""
    k = [float(v) for v in vector]
    while len(k) > 5 and len(k) not in LENGTHS and k[-1] == 0:
        k.pop()
    if len(k) == 1 and not any(k):
        k = []
    if len(k) not in LENGTHS:
        raise FormatError(f"{title}: {len(k)} distortion coefficients; OpenCV's vector has 4, 5, 8, 12 or 14.")
    if any(k[12:]):
        raise FormatError(f"{title}: a tilted sensor (τx, τy) is not supported. Undistort with OpenCV first.")
    k += [0.0] * (14 - len(k))
    foreign = ForeignCamera(
        title,
        _pair(focal),
        _pair(centre),
        int(size[0]),
        int(size[1]),
        plane,
        plane_coefs,
        radial=(k[0], k[1], k[4]),
        below=(k[5], k[6], k[7]),
        tangential=(k[2], k[3]),
        prism=(k[8], k[9], k[10], k[11]),
        skew=float(skew),
    )
    return foreign.plain(2 if any(k) and plane == "pinhole" else 0) or foreign


def from_fisheye(
    vector: Sequence[float],
    focal: Sequence[float],
    centre: Sequence[float],
    size: Sequence[int],
    title: str,
    skew: float = 0.0,
) -> Read:
    """A camera from the four coefficients of OpenCV's fisheye module (ROS and Kalibr: equidistant)."""
    k = [float(v) for v in vector]
    if len(k) not in (0, 4):
        raise FormatError(f"{title}: {len(k)} fisheye coefficients; there are four, k1 to k4.")
    foreign = ForeignCamera(title, _pair(focal), _pair(centre), int(size[0]), int(size[1]), "equidistant",
                            radial=tuple(k), skew=float(skew))  # fmt: skip
    return foreign.plain(4) or foreign


def to_opencv(camera: Camera) -> list[float]:
    """k1 k2 p1 p2 k3 of a pinhole or radial camera with up to three coefficients."""
    k = [*(float(v) for v in camera.coefs), 0.0, 0.0, 0.0]
    return [k[0], k[1], 0.0, 0.0, k[2]]


def from_matrix(matrix: Sequence[float], where: str) -> tuple[tuple[float, float], tuple[float, float], float]:
    """Focal lengths, centre and skew of a row-major 3 x 3 camera matrix. Raises FormatError."""
    m = [float(v) for v in matrix]
    if len(m) != 9 or any(m[i] for i in (3, 6, 7)) or m[8] != 1 or m[0] <= 0 or m[4] <= 0:
        raise FormatError(f"{where} is not a camera matrix: [fx s cx; 0 fy cy; 0 0 1] with positive fx, fy, not {m}.")
    return (m[0], m[4]), (m[2], m[5]), m[1]


def _pair(values: Sequence[float]) -> tuple[float, float]:
    return float(values[0]), float(values[1])
