"""Stands in for a network: the exact field of a known camera, whatever the picture shows."""

import numpy as np

from anylens import Camera, rays_to_field
from anylens.evidence import log_focal, normal
from anylens.predict import Prediction, plan_size


class ExactNetwork:
    """camera: of any photo, scaled to its size (turned where the photo stands). scale: factor on the field and on
    the focal length that it believes in, one per photo in turn. noise_deg: smooth error of the shape. trained: the
    log-probabilities (64,) of the focal lengths that it was trained on."""

    def __init__(self, camera, focal_std=0.1, scales=(1.0,), noise_deg=0.0, log_var=None, head=True, trained=None):
        self.camera, self.focal_std, self.scales, self.noise_deg = camera, focal_std, scales, noise_deg
        self.log_var, self.head, self.count, self.shown = log_var, head, 0, []
        self.trained = trained

    def camera_of(self, width, height):
        return fitted_to(self.camera, width, height)

    def many(self, photos):
        return [self._one(photo) for photo in photos]

    def _one(self, photo):
        assert photo.dtype == np.uint8
        assert photo.ndim == 3
        height, width = photo.shape[:2]
        self.shown.append(photo)
        scale = self.scales[self.count % len(self.scales)]
        self.count += 1
        plan = plan_size(width, height, area=154 * 154)
        rows, cols = plan.out_height // 14, plan.out_width // 14
        pixels = plan.cell_centres(rows, cols)
        camera = self.camera_of(width, height)
        rays, valid = camera.unproject(pixels)
        assert np.all(valid)
        field = np.asarray(rays_to_field(np.asarray(rays))) * scale
        if self.noise_deg:
            x, y = (pixels / [width, height] - 0.5).T
            wave = np.stack([np.sin(5 * x + 2 * y), np.cos(4 * y - 3 * x)], -1) * np.sqrt(1.0)
            field = field + np.radians(self.noise_deg) * wave
        log_prob = normal(log_focal(camera) - np.log(scale), self.focal_std) if self.head else None
        log_var = None if self.log_var is None else np.full(len(pixels), self.log_var)
        return Prediction(plan, (rows, cols), pixels, field, log_var, log_prob, self.trained)


def fitted_to(camera, width, height):
    """The camera for a picture of another size, or standing where it lies."""
    if (camera.width > camera.height) != (width > height) and width != height:
        fx, fy, cx, cy, *k = np.asarray(camera.full)
        focals = [fx] if camera.simple else [fy, fx]
        camera = Camera(camera.model, np.array([*focals, cy, cx, *k]), camera.height, camera.width)
    by = np.hypot(width, height) / np.hypot(camera.width, camera.height)
    p = np.array(camera.params, dtype=float)
    n = 1 if camera.simple else 2
    p[:n] *= by
    p[n : n + 2] *= [width / camera.width, height / camera.height]
    return Camera(camera.model, p, width, height)


def grey(width=640, height=480, seed=0):
    """A picture without edges."""
    return np.random.default_rng(seed).integers(90, 160, (height, width, 3), dtype=np.uint8)
