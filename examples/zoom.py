"""Two rendered films whose focal length a calibration must follow, frame by frame.

    zoom-out     the camera stands still and its focal length falls
    dolly zoom   the camera moves back while its focal length grows, so that the subject keeps its size: everything
                 else in the picture changes, and only perspective tells the focal length

The room is a box with tiles and pictures, met by each pixel's ray, so the camera may stand anywhere in it.

    python examples/zoom.py [--frames 13] [--out zoom.png]
"""

import argparse
import math

import numpy as np

import anylens
from anylens import Camera

WIDTH, HEIGHT = 640, 480
ROOM = np.array([2.4, 1.4, 6.0])  # half extents in metres; y down, z into the room
SUBJECT = 4.5  # metres from the middle, along z: what keeps its size


def camera(hfov_deg: float) -> Camera:
    f = WIDTH / 2 / math.tan(math.radians(hfov_deg) / 2)
    return Camera("simple_pinhole", [f, WIDTH / 2, HEIGHT / 2], WIDTH, HEIGHT)


def turn(yaw_deg: float, pitch_deg: float) -> np.ndarray:
    y, p = np.radians([yaw_deg, pitch_deg])
    about_y = np.array([[np.cos(y), 0, np.sin(y)], [0, 1, 0], [-np.sin(y), 0, np.cos(y)]])
    about_x = np.array([[1, 0, 0], [0, np.cos(p), -np.sin(p)], [0, np.sin(p), np.cos(p)]])
    return about_y @ about_x


def paint(wall: int, p: np.ndarray) -> np.ndarray:
    """Brightness of points (N, 2) on a wall: tiles below and above, framed pictures on a plain wall elsewhere."""
    rng = np.random.default_rng(wall)
    if wall // 2 == 1:
        return 110 + 50 * (np.floor(p / 0.5).sum(axis=1) % 2) + 30 * (wall % 2)
    shade = np.full(len(p), rng.uniform(140, 220))
    for _ in range(26):
        low = rng.uniform([-6, -1.3], [5.5, 0.6])
        size = rng.uniform([0.3, 0.3], [1.2, 1.0])
        shade[((p > low) & (p < low + size)).all(axis=1)] = rng.uniform(20, 240)
    return shade


def render(view: Camera, at: np.ndarray, rotation: np.ndarray, fine: int = 2) -> np.ndarray:
    """The room from `at` as uint8 (H, W, 3), each pixel the mean of fine x fine rays."""
    big = view.resize(WIDTH * fine, HEIGHT * fine)
    v, u = np.mgrid[0 : HEIGHT * fine, 0 : WIDTH * fine]
    rays = big.unproject(np.stack([u.ravel() + 0.5, v.ravel() + 0.5], axis=-1))[0] @ rotation.T
    reach = (np.sign(rays) * ROOM - at) / np.where(np.abs(rays) < 1e-9, 1e-9, rays)
    axis = reach.argmin(axis=1)
    index = np.arange(len(rays))
    points = at + rays * reach[index, axis][:, None]
    grey = np.zeros(len(rays))
    for wall in range(6):
        on = (axis == wall // 2) & ((rays[index, axis] > 0) == bool(wall % 2))
        across = [[2, 1], [0, 2], [0, 1]][wall // 2]
        grey[on] = paint(wall, points[on][:, across])
    grey = grey.reshape(HEIGHT, fine, WIDTH, fine).mean(axis=(1, 3))
    return np.repeat(np.clip(grey, 0, 255).astype(np.uint8)[..., None], 3, axis=2)


def films(frames: int) -> dict[str, list[tuple[float, np.ndarray]]]:
    """By name, the true hFoV and the picture of every frame."""
    held = turn(14, -6)
    zoom = [(h, render(camera(h), np.array([0.4, 0.1, -4.0]), held)) for h in np.linspace(35, 95, frames)]
    dolly = []
    first = camera(95).named()["f"] / (SUBJECT - 2.0)  # pixels per metre at the subject
    for z in np.linspace(2.0, -5.0, frames):
        view = Camera("simple_pinhole", [first * (SUBJECT - z), WIDTH / 2, HEIGHT / 2], WIDTH, HEIGHT)
        dolly.append((float(view.hfov_deg), render(view, np.array([0.4, 0.1, z]), held)))
    return {"zoom-out": zoom, "dolly zoom": dolly}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--frames", type=int, default=13)
    parser.add_argument("--out", help="Write a plot over the sequence; needs matplotlib.")
    args = parser.parse_args()
    curves = {}
    for name, film in films(args.frames).items():
        true = np.array([h for h, _ in film])
        found = anylens.calibrate([picture for _, picture in film], "simple_pinhole", prior="none")
        curves[name] = (true, found)
        seen = np.array([r.hfov_deg for r in found])
        follow = np.corrcoef(np.log(true), np.log(seen))[0, 1]
        print(f"{name}: hFoV {true[0]:.0f}° to {true[-1]:.0f}°, median error {np.median(np.abs(seen - true)):.1f}°, "
              f"correlation of log hFoV {follow:.2f}")  # fmt: skip
    if args.out:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        _, axes = pyplot.subplots(1, 2, figsize=(10, 3.8), sharey=True)
        for axis, (name, (true, found)) in zip(axes, curves.items()):
            low, high = np.array([r.hfov_interval_deg for r in found]).T
            axis.fill_between(range(len(true)), low, high, alpha=0.2, label="68 % interval")
            axis.plot([r.hfov_deg for r in found], label="estimated")
            axis.plot(true, "k--", label="true")
            axis.set(title=name, xlabel="frame", ylabel="hFoV (°)")
        axes[0].legend()
        pyplot.savefig(args.out, dpi=120, bbox_inches="tight")


if __name__ == "__main__":
    main()
