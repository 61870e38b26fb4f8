"""Where errors are measured: the centre of every pixel, or the points of a coarser grid."""

from __future__ import annotations

import numpy as np

from anylens.errors import FormatError

FULL = "full"
LARGEST_CHUNK = 1 << 18  # points that are handled at once


def grid_points(width: int, height: int, grid: str | int = FULL) -> np.ndarray:
    """Points (rows, columns, 2) in pixels: every pixel's centre, or about `grid` x `grid` points for the same mean.

    The coarse points are those of Gauss's two-point rule, whose weights are equal, in grid/2 cells per side: at 40 the
    mean agrees with that over every pixel to 1e-3° where the midpoints of as many cells are several times farther.
    A picture of hardly more pixels than that is measured at every pixel.
    """
    if grid == FULL or int(grid) >= min(width, height):
        x, y = np.arange(width) + 0.5, np.arange(height) + 0.5
    else:
        x, y = (size * _gauss(int(grid)) for size in (width, height))
    return np.stack(np.meshgrid(x, y), axis=-1)


def _gauss(points: int) -> np.ndarray:
    """Nodes in (0, 1): in each of points/2 equal cells at 1/2 ∓ 1/(2√3)."""
    cells = max(1, points // 2)
    inside = 0.5 + np.array([-0.5, 0.5]) / np.sqrt(3)
    return ((np.arange(cells)[:, None] + inside) / cells).ravel()


def parse_grid(text: str | int) -> str | int:
    """`full` or a number of cells per side. Raises FormatError."""
    if str(text) == FULL:
        return FULL
    try:
        cells = int(text)
    except ValueError:
        cells = 0
    if cells < 4:
        raise FormatError(f"A grid is 'full' or a number of cells per side from 4 on, not '{text}'.")
    return cells


def unproject(camera, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rays (N, 3) and validity (N,) of points (N, 2), a part at a time: a large photo would fill the memory."""
    return _in_parts(camera.unproject, points)


def project(camera, rays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pixels (N, 2) and validity (N,) of rays (N, 3), a part at a time."""
    return _in_parts(camera.project, rays)


def _in_parts(call, given: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    parts = [call(given[i : i + LARGEST_CHUNK]) for i in range(0, max(1, len(given)), LARGEST_CHUNK)]
    return np.concatenate([np.asarray(p[0]) for p in parts]), np.concatenate([np.asarray(p[1]) for p in parts])
