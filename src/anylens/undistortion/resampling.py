"""Sample a picture at real-valued pixels: OpenCV's remap where installed, else NumPy, same result.

Both repeat the border pixels outwards; pixels without a source are filled by the caller. OpenCV before 5
rounds positions to 1/32 pixel, NumPy and OpenCV 5 do not.
"""

from __future__ import annotations

import numpy as np

from anylens.errors import ImageError

INTERPOLATIONS = ("linear", "cubic", "nearest")
CV_LARGEST = 32766  # OpenCV's remap indexes its source with 16 bits
CV_TYPES = ("uint8", "uint16", "int16", "float32")


def find_opencv():
    """The cv2 module, or None where it is not installed."""
    try:
        import cv2
    except ImportError:
        return None
    return cv2


def sample(
    image: np.ndarray,
    u: np.ndarray,
    v: np.ndarray,
    interpolation: str = "linear",
    backend: str = "auto",
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Values (rows, W[, C]) of `image` (H, W[, C]) at u, v (rows, W), corner convention, same dtype.

    `out` receives the result; u and v, float32 then, are overwritten.
    """
    if interpolation not in INTERPOLATIONS:
        raise ImageError(f"Unknown interpolation '{interpolation}'. Known: {', '.join(INTERPOLATIONS)}.")
    if backend not in ("auto", "opencv", "numpy"):
        raise ImageError(f"Unknown backend '{backend}'. Known: auto, opencv, numpy.")
    cv2 = find_opencv() if backend != "numpy" else None
    if backend == "opencv" and cv2 is None:
        raise ImageError("OpenCV is not installed: pip install anylens[opencv].")
    if out is None:
        out, u, v = np.empty((*u.shape, *image.shape[2:]), image.dtype), u.astype("f4"), v.astype("f4")
    channels = 1 if image.ndim == 2 else image.shape[2]
    if cv2 is None or image.dtype.name not in CV_TYPES or channels > 4 or max(image.shape[:2]) > CV_LARGEST:
        out[...] = sample_numpy(image, u, v, interpolation)
        return out
    modes = {"linear": cv2.INTER_LINEAR, "cubic": cv2.INTER_CUBIC, "nearest": cv2.INTER_NEAREST}
    u -= np.float32(0.5)
    v -= np.float32(0.5)
    plane = out[..., 0] if channels == 1 and image.ndim == 3 else out
    done = cv2.remap(image, u, v, modes[interpolation], dst=plane, borderMode=cv2.BORDER_REPLICATE)
    if done.ctypes.data != plane.ctypes.data:  # OpenCV chose memory of its own
        plane[...] = done.reshape(plane.shape)
    return out


def sample_numpy(image: np.ndarray, u: np.ndarray, v: np.ndarray, interpolation: str = "linear") -> np.ndarray:
    """The same in NumPy: a weighted sum over the taps of a separable kernel."""
    height, width = image.shape[:2]
    flat = image.reshape(height * width, -1)
    shape = (*u.shape, *image.shape[2:])
    x, y = u - u.dtype.type(0.5), v - v.dtype.type(0.5)
    if interpolation == "nearest":
        return flat.take(_clamp(np.rint(y), height) * width + _clamp(np.rint(x), width), axis=0).reshape(shape)
    weights = _cubic if interpolation == "cubic" else _linear
    left, top = np.floor(x), np.floor(y)
    wx, first = weights((x - left).astype(np.float32))
    wy, _ = weights((y - top).astype(np.float32))
    columns = [_clamp(left + (first + i), width) for i in range(len(wx))]
    work = np.float64 if image.dtype.itemsize > 2 and image.dtype != np.float32 else np.float32
    total = np.zeros((*u.shape, flat.shape[1]), dtype=work)
    for j, weight_y in enumerate(wy):
        row = _clamp(top + (first + j), height) * width
        for column, weight_x in zip(columns, wx):
            total += flat.take(row + column, axis=0) * (weight_y * weight_x)[..., None]
    return to_dtype(total, image.dtype).reshape(shape)


def to_dtype(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Rounded and clipped for integers, as they are for floats."""
    if np.issubdtype(dtype, np.integer):
        info = np.iinfo(dtype)
        np.rint(values, out=values)
        np.clip(values, info.min, info.max, out=values)
    return values.astype(dtype)


def _clamp(index: np.ndarray, size: int) -> np.ndarray:
    return np.clip(index, 0, size - 1, out=index).astype(np.intp)


def _linear(t: np.ndarray) -> tuple[list[np.ndarray], int]:
    return [1 - t, t], 0


def _cubic(t: np.ndarray) -> tuple[list[np.ndarray], int]:
    """Keys' kernel with a = -0.75, OpenCV's choice."""
    a = np.float32(-0.75)

    def near(d: np.ndarray) -> np.ndarray:
        return ((a + 2) * d - (a + 3)) * d * d + 1

    def far(d: np.ndarray) -> np.ndarray:
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a

    return [far(1 + t), near(t), near(1 - t), far(2 - t)], -1
