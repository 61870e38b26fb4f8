"""A furnished box room seen through any camera: every pixel's ray is met with the walls, so no panorama limits it."""

import numpy as np


def render(camera, rotation, seed=0, fine=2):
    """Grey view (H, W) of uint8;  ray_room = rotation @ ray_camera,  y down in the room."""
    rng = np.random.default_rng(seed)
    w, h = int(camera.width), int(camera.height)
    v, u = (g.ravel() for g in np.mgrid[0 : h * fine, 0 : w * fine])
    fx, fy, cx, cy = np.asarray(camera.full)[:4]
    x, y = ((u + 0.5) / fine - cx) / fx, ((v + 0.5) / fine - cy) / fy
    r = np.hypot(x, y)
    knots = np.linspace(0, r.max(), 4096)  # a table of polar angles: Newton for a million pixels takes seconds
    along, _ = camera.unproject(np.stack([cx + fx * knots, np.full_like(knots, cy)], axis=-1))
    theta = np.interp(r, knots, np.arctan2(along[:, 0], along[:, 2]))
    rays = np.stack([np.sin(theta) * x / r, np.sin(theta) * y / r, np.cos(theta)], axis=-1) @ rotation.T
    size = np.array([rng.uniform(2.2, 3.5), 1.4, rng.uniform(2.2, 3.5)])
    at = size * rng.uniform(-0.35, 0.35, 3)
    reach = (np.sign(rays) * size - at) / np.where(np.abs(rays) < 1e-9, 1e-9, rays)
    axis = np.argmin(reach, axis=-1)
    points = rays * reach[np.arange(len(rays)), axis][:, None] + at
    side = rays[np.arange(len(rays)), axis] > 0
    grey = np.zeros(len(rays))
    for a in range(3):
        for s in (False, True):
            on = (axis == a) & (side == s)
            p = points[on][:, [b for b in (0, 2, 1) if b != a]]
            shade = np.full(len(p), rng.uniform(120, 220))
            if a == 1:  # floor and ceiling: tiles
                cell = np.floor(p / rng.uniform(0.4, 0.8)).astype(int).sum(axis=1) % 2
                shade = shade - rng.uniform(30, 70) * cell
            for _ in range(0 if a == 1 else 14):  # windows, shelves, pictures
                low = rng.uniform([-3.2, -1.4], [3.0, 1.0])
                extent = rng.uniform([0.3, 0.2], [1.5, 1.1])
                inside = ((p > low) & (p < low + extent)).all(axis=1)
                shade[inside] = rng.uniform(20, 250)
            grey[on] = shade
    grey = grey.reshape(h, fine, w, fine).mean(axis=(1, 3))
    return np.clip(grey + rng.normal(0, 1.5, grey.shape), 0, 255).astype(np.uint8)


def held(yaw_deg, pitch_deg, roll_deg):
    """Rotation from camera to room of a camera turned right by yaw, looking up by pitch, rolled clockwise by roll."""
    y, p, r = np.radians([yaw_deg, pitch_deg, roll_deg])
    about_y = np.array([[np.cos(y), 0, np.sin(y)], [0, 1, 0], [-np.sin(y), 0, np.cos(y)]])
    about_x = np.array([[1, 0, 0], [0, np.cos(p), -np.sin(p)], [0, np.sin(p), np.cos(p)]])
    about_z = np.array([[np.cos(r), -np.sin(r), 0], [np.sin(r), np.cos(r), 0], [0, 0, 1]])
    return about_y @ about_x @ about_z
