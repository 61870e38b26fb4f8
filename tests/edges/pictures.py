"""Pictures with nothing, too little, or misleading straight edges."""

import numpy as np

W, H = 640, 480
Y, X = np.mgrid[:H, :W]


def white_noise():
    return np.random.default_rng(0).integers(0, 256, (H, W)).astype(np.uint8)


def foliage():
    rng = np.random.default_rng(1)
    image = np.full((H, W), 120.0)
    for _ in range(1500):
        cx, cy, a = rng.uniform(0, W), rng.uniform(0, H), rng.uniform(0, np.pi)
        long, wide = rng.uniform(8, 25), rng.uniform(2, 7)
        part = np.s_[max(int(cy) - 26, 0) : int(cy) + 27, max(int(cx) - 26, 0) : int(cx) + 27]
        u, v = X[part] - cx, Y[part] - cy
        s, t = u * np.cos(a) + v * np.sin(a), v * np.cos(a) - u * np.sin(a)
        image[part][(s / long) ** 2 + (t / wide) ** 2 < 1] = rng.uniform(20, 230)
    return image.astype(np.uint8)


def single_line():
    return np.where(Y > 100 + 0.3 * X, 200, 40).astype(np.uint8)


def frontal_grid():
    return np.where((X // 40 + Y // 40) % 2, 200, 60).astype(np.uint8)


def slanted_grid():
    return np.where(((X + Y) // 40 + (X - Y) // 40) % 2, 200, 60).astype(np.uint8)


def star():
    turn = np.arctan2(Y - 200.3, X - 350.2) / (2 * np.pi)
    return np.where(np.floor(turn * 40) % 2, 200, 60).astype(np.uint8)


def empty():
    return np.full((H, W), 7, dtype=np.uint8)


def not_a_number():
    return np.full((H, W), np.nan)


MISLEADING = (white_noise, foliage, single_line, frontal_grid, slanted_grid, star, empty, not_a_number)
