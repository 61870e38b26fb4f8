"""Render the example photos with their true cameras:  python scripts/examples/make.py [NAME…]"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from PIL import Image
from scenes import room, street
from tracing import Scene, trace

from anylens import Camera

OUT = Path(__file__).resolve().parents[2] / "src" / "anylens" / "examples"
FINE = 2  # rays per pixel and axis
STRIP = 24  # rows at a time


def camera_of(model: str, width: int, height: int, hfov_deg: float, *coefs: float) -> Camera:
    """A centred camera of that horizontal field of view."""
    low, high = 10.0, 1e5
    for _ in range(100):
        f = (low * high) ** 0.5
        camera = Camera(model, [f, width / 2, height / 2, *coefs], width, height)
        low, high = (f, high) if camera.hfov_deg > hfov_deg else (low, f)
    return camera


def turn(yaw: float, pitch: float, roll: float) -> np.ndarray:
    """Camera to scene, degrees: right, up, clockwise."""
    y, p, r = np.radians([yaw, pitch, roll])
    Ry = [[np.cos(y), 0, np.sin(y)], [0, 1, 0], [-np.sin(y), 0, np.cos(y)]]
    Rx = [[1, 0, 0], [0, np.cos(p), -np.sin(p)], [0, np.sin(p), np.cos(p)]]
    Rz = [[np.cos(r), -np.sin(r), 0], [np.sin(r), np.cos(r), 0], [0, 0, 1]]
    return np.array(Ry) @ np.array(Rx) @ np.array(Rz)


# name -> scene, camera, where it stands, how it is held (yaw, pitch, roll)
EXAMPLES = {
    "room": (room, camera_of("simple_pinhole", 960, 720, 65.0), (0.35, -1.5, -0.9), (-4.0, -6.0, 1.0)),
    "street": (street, camera_of("simple_radial:1", 900, 600, 92.0, -0.11), (-1.2, -1.65, -4.0), (7.0, 3.0, -1.5)),
    "fisheye": (street, camera_of("simple_kb:2", 800, 600, 160.0, -0.015, -0.004), (-5.6, -1.7, 1.5), (24.0, 6.0, 2.0)),
}


def render(scene: Scene, camera: Camera, at: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    width, height = int(camera.width), int(camera.height)
    rows = []
    rng = np.random.default_rng(1)
    for top in range(0, height, STRIP):
        y = np.arange(top * FINE, min(top + STRIP, height) * FINE)
        u, v = np.meshgrid((np.arange(width * FINE) + 0.5) / FINE, (y + 0.5) / FINE)
        rays, _ = camera.unproject(np.stack([u.ravel(), v.ravel()], -1))
        light = trace(scene, at, np.asarray(rays) @ rotation.T)
        light = light.reshape(len(y) // FINE, FINE, width, FINE, 3).mean((1, 3))
        rows.append(light)
        print(f"\r{top}/{height}", end="", file=sys.stderr)
    light = np.concatenate(rows) * 1.05
    tone = light * (1 + light / 3.0) / (1 + light)  # soft shoulder
    return np.clip(255 * np.clip(tone * 1.28, 0, 1) ** (1 / 2.2) + rng.normal(0, 1.2, light.shape), 0, 255).astype(
        np.uint8
    )


def main(names: list[str]) -> None:
    for name in names or EXAMPLES:
        make, camera, at, held = EXAMPLES[name]
        picture = render(make(), camera, np.array(at), turn(*held))
        Image.fromarray(picture).save(OUT / f"{name}.jpg", quality=88, optimize=True)
        (OUT / f"{name}.json").write_text(json.dumps(camera.to_dict(), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
