"""Views per second and core, with labels, against a plain torch `grid_sample` renderer of the same views.

    python benchmarks/render.py            320x320 views of a 3072-pixel panorama, recipe op_g

The torch renderer is what one writes first: rays of every pixel, one bilinear `grid_sample` from the
full-resolution panorama (no pyramid, so it aliases), one thread. Ours also computes the label. Both figures
come from the same run.
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np

from anylens.data.builtin import BUILTIN
from anylens.data.draw import Drawn, draw_view
from anylens.data.labels import field_label, pixel_grid
from anylens.data.pyramid import build_pyramid
from anylens.data.raster import opencv
from anylens.data.render import render_view
from anylens.data.synthetic import box_world


def per_second(work, views: list[Drawn], repeats: int = 3) -> float:
    """Best of a few passes over all views, in views per second of this process's time."""
    best = math.inf
    for _ in range(repeats):
        start = time.process_time()
        for view in views:
            work(view)
        best = min(best, (time.process_time() - start) / len(views))
    return 1 / best


def torch_renderer(panorama: np.ndarray):
    """The plain renderer; a wrapped column avoids the worst of the seam."""
    import torch

    torch.set_num_threads(1)
    wrapped = np.concatenate([panorama, panorama[:, :1]], axis=1)
    source = torch.from_numpy(np.moveaxis(wrapped, -1, 0).copy()).float()[None]

    def render(view: Drawn) -> np.ndarray:
        camera = view.camera
        grid = torch.from_numpy(pixel_grid(int(camera.width), int(camera.height)).reshape(-1, 2))
        rays = camera.unproject(grid.numpy())[0]
        rays = torch.from_numpy(rays).float() @ torch.from_numpy(view.rotation.T).float()
        lon, lat = torch.atan2(rays[:, 0], rays[:, 2]), torch.asin(rays[:, 1].clamp(-1, 1))
        at = torch.stack([lon / math.pi, lat * 2 / math.pi], -1).reshape(1, int(camera.height), int(camera.width), 2)
        out = torch.nn.functional.grid_sample(source, at, align_corners=False, padding_mode="border")
        return out[0].round().byte().permute(1, 2, 0).numpy()

    return render


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=320)
    parser.add_argument("--width", type=int, default=3072)
    parser.add_argument("--views", type=int, default=60)
    parser.add_argument("--recipe", default="op_g")
    parser.add_argument("--density", type=float, default=1.0)
    options = parser.parse_args()
    panorama = box_world(options.width, 0)
    pyramid = build_pyramid(panorama)
    rng = np.random.default_rng(0)
    views = [draw_view(BUILTIN[options.recipe], rng, options.size, options.size) for _ in range(options.views)]

    def ours(view: Drawn) -> None:
        render_view(pyramid, view.camera, view.rotation, options.density)
        field_label(view.camera, 14)

    rate = per_second(ours, views)
    back_end = "OpenCV" if opencv() is not None else "NumPy"
    print(f"anylens ({back_end}), {options.size}x{options.size}, labels included: {rate:.0f} views/s per core")
    try:
        render = torch_renderer(panorama)
    except ImportError:
        print("torch is not installed: no comparison")
        return
    plain = per_second(render, views)
    print(f"torch grid_sample, no anti-aliasing, no labels: {plain:.0f} views/s per core")
    print(f"ratio {rate / plain:.1f}")


if __name__ == "__main__":
    main()
