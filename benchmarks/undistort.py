"""Undistortion of a 12-megapixel photo, against OpenCV's initUndistortRectifyMap + remap in the same run.

    python benchmarks/undistort.py [--rounds 7] [--json]

Ratios of time (ours / OpenCV's; the best of several rounds, taken in turns) and the largest difference of a
pixel in grey levels of 255, where both have a source. "maps" is the map
alone, in one thread; "numpy" is the fallback without OpenCV.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable

import cv2
import numpy as np

from anylens import Camera
from anylens.undistortion import make_target, map_pixels, undistort
from anylens.undistortion.maps import Mapping

WIDTH, HEIGHT = 4000, 3000
CAMERAS = {
    "radial:2": Camera("radial:2", [3000.0, 3010.0, 2010.0, 1490.0, -0.12, 0.03], WIDTH, HEIGHT),
    "kb:4": Camera("kb:4", [2200.0, 2205.0, 1990.0, 1510.0, -0.02, 0.006, -0.003, 0.0005], WIDTH, HEIGHT),
}


def photo(seed: int = 0) -> np.ndarray:
    """Texture at every scale, as photographs have."""
    rng = np.random.default_rng(seed)
    total = np.zeros((HEIGHT, WIDTH, 3), np.float32)
    for step in (4, 16, 64, 256):
        noise = rng.normal(size=(HEIGHT // step + 2, WIDTH // step + 2, 3)).astype(np.float32)
        total += cv2.resize(noise, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC) * step**0.5
    total -= total.min()
    return (total * (255 / total.max())).astype(np.uint8)


def best(*tasks: Callable[[], object], rounds: int) -> list[float]:
    """Shortest time of each task in seconds; the tasks take turns, so that a busy machine hits all alike."""
    times = [[] for _ in tasks]
    for _ in range(rounds + 1):
        for task, found in zip(tasks, times):
            start = time.perf_counter()
            task()
            found.append(time.perf_counter() - start)
    return [min(found[1:]) for found in times]


def measure(name: str, camera: Camera, image: np.ndarray, rounds: int) -> dict:
    target = make_target(camera)
    half = np.array([[0, 0, 0.5], [0, 0, 0.5], [0, 0, 0]])
    K, new = np.asarray(camera.K) - half, np.asarray(target.K) - half
    fisheye = name.startswith("kb")
    D = np.asarray(camera.coefs) if fisheye else np.array([*camera.coefs, 0.0, 0.0])
    module, size = cv2.fisheye if fisheye else cv2, (WIDTH, HEIGHT)

    def opencv_maps():
        return module.initUndistortRectifyMap(K, D, np.eye(3), new, size, cv2.CV_32FC1)

    def opencv():
        return cv2.remap(image, *opencv_maps(), cv2.INTER_LINEAR)

    def ours():
        return undistort(image, camera, target).image

    def our_maps():
        mapping = Mapping(camera, target)
        return [mapping.rows(top, min(top + 64, HEIGHT)) for top in range(0, HEIGHT, 64)]

    time_cv, time_ours, maps_cv, maps_ours = best(opencv, ours, opencv_maps, our_maps, rounds=rounds)
    [time_numpy] = best(lambda: undistort(image, camera, target, backend="numpy"), rounds=1)
    x, y = opencv_maps()
    inside = (x > 0) & (x < WIDTH - 1) & (y > 0) & (y < HEIGHT - 1)
    theirs, mine = opencv().astype(int), ours()
    numpy_image = undistort(image, camera, target, backend="numpy").image
    exact, _ = map_pixels(camera, target)
    rows = our_maps()
    u, v = (np.concatenate([row[i] for row in rows]) for i in (0, 1))
    return {
        "camera": name,
        "opencv_ms": 1e3 * time_cv,
        "time_ratio": time_ours / time_cv,
        "maps_ratio": maps_ours / maps_cv,
        "numpy_ratio": time_numpy / time_cv,
        "max_difference": int(np.abs(theirs - mine)[inside].max()),
        "max_difference_numpy": int(np.abs(theirs - numpy_image)[inside].max()),
        "map_error_px": float(max(np.abs(u - exact[..., 0]).max(), np.abs(v - exact[..., 1]).max())),
        "opencv_map_error_px": float(max(np.abs(x + 0.5 - exact[..., 0]).max(), np.abs(y + 0.5 - exact[..., 1]).max())),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    image = photo()
    for name, camera in CAMERAS.items():
        row = measure(name, camera, image, options.rounds)
        if options.json:
            print(json.dumps(row))
            continue
        print(f"{name}: {row['time_ratio']:.2f} x OpenCV {cv2.__version__} ({row['opencv_ms']:.0f} ms), "
              f"maps alone {row['maps_ratio']:.2f} x, NumPy fallback {row['numpy_ratio']:.1f} x")  # fmt: skip
        print(f"  largest difference of a pixel {row['max_difference']} of 255 (NumPy "
              f"{row['max_difference_numpy']}); map error {row['map_error_px']:.1e} px "
              f"(OpenCV {row['opencv_map_error_px']:.1e} px)")  # fmt: skip


if __name__ == "__main__":
    main()
