"""Great circles and image directions to vanishing points, against finite differences, for every camera model."""

import numpy as np
import pytest

from anylens import Camera, models
from anylens.edges.circles import circles
from anylens.edges.plumb import bend_residual, bend_slopes
from anylens.profiles import parse

PLAIN = [m for m in models() if not m.startswith("simple_")]


def example(model):
    params, (width, height) = parse(model).profile.examples[0]
    if len(params) != len(parse(model).param_names):
        order = [e for e in parse(model).profile.examples if len(e[0]) == len(parse(model).param_names)]
        params, (width, height) = (
            order[0] if order else ((*params[:4], *[0.0] * (len(parse(model).param_names) - 4)), (width, height))
        )
    return Camera(model, params, width, height)


@pytest.mark.parametrize("model", PLAIN)
def test_the_image_angle_to_a_vanishing_point(model):
    camera = example(model)
    rng = np.random.default_rng(3)
    size = np.array([camera.width, camera.height])
    x = rng.uniform(0.15, 0.85, (40, 2)) * size
    x[0] = np.asarray(camera.full)[2:4]
    u = rng.normal(size=(40, 2))
    v = np.array([0.3, -0.5, 0.81])
    c = circles(camera, x, u)
    rays, valid = camera.unproject(x)
    # Walking a little towards v in space moves the pixel in the image direction of the vanishing point.
    ahead, _ = camera.project(rays + 1e-6 * v)
    back, _ = camera.project(rays - 1e-6 * v)
    w = ahead - back
    true = np.arctan2(u[:, 0] * w[:, 1] - u[:, 1] * w[:, 0], (u * w).sum(-1))
    mine = np.arctan2(c.across @ v, c.along @ v)
    assert valid.sum() > 20
    assert np.abs(np.sin(mine - true))[valid].max() < 1e-5
    assert (np.cos(mine - true) > 0)[valid].all()
    assert np.array_equal(c.valid, valid)


@pytest.mark.parametrize("model", ["pinhole", "kb:4", "eucm", "radial:2"])
def test_the_great_circle_holds_both_the_point_and_its_direction(model):
    camera = example(model)
    x = np.array([[0.3, 0.4]]) * [camera.width, camera.height]
    u = np.array([[0.6, -0.8]])
    normal = circles(camera, x, u).normals()
    near, _ = camera.unproject(x + 1e-4 * u)
    here, _ = camera.unproject(x)
    assert abs((normal @ here.T).item()) < 1e-9
    assert abs((normal @ (near - here).T).item()) < 1e-8 * np.linalg.norm(near - here) * 1e3


@pytest.mark.parametrize("model", ["pinhole", "radial:2", "kb:4", "eucm", "division:1"])
def test_straight_edges_have_no_bend_left_in_their_own_camera(model):
    camera = example(model)
    rng = np.random.default_rng(4)
    near = rng.uniform(0.25, 0.75, (30, 2)) * [camera.width, camera.height]
    a, _ = camera.unproject(near)
    b, _ = camera.unproject(near + rng.normal(0, 0.05, (30, 2)) * camera.width)
    points = np.stack([camera.project(a)[0], camera.project(a + b)[0], camera.project(b)[0]], axis=1)
    bend, valid = bend_residual(camera, points)
    assert valid.all()
    assert np.abs(bend).max() < 1e-6
    # A middle moved by a pixel across the chord is a pixel off.
    chord = points[:, 2] - points[:, 0]
    across = np.stack([-chord[:, 1], chord[:, 0]], axis=-1) / np.linalg.norm(chord, axis=-1, keepdims=True)
    moved = points.copy()
    moved[:, 1] += across
    assert np.allclose(bend_residual(camera, moved)[0], 1.0, atol=0.02)


@pytest.mark.parametrize("model", ["radial:1", "kb:4", "eucm"])
def test_bend_slopes_are_derivatives(model):
    camera = example(model)
    rng = np.random.default_rng(5)
    a = rng.uniform(0.2, 0.8, (25, 2)) * [camera.width, camera.height]
    chord = rng.normal(0, 0.1, (25, 2)) * camera.width
    points = np.stack([a, a + 0.5 * chord, a + chord], axis=1)
    slopes = bend_slopes(camera, points)
    base, valid = bend_residual(camera, points)
    for i, p in enumerate(np.asarray(camera.params)):
        step = 1e-6 * max(1.0, abs(p))
        params = np.asarray(camera.params, dtype=float).copy()
        params[i] += step
        moved = bend_residual(Camera(camera.model, params, camera.width, camera.height), points)[0]
        numeric = (moved - base) / step
        scale = np.abs(numeric[valid]).max()
        assert np.abs(slopes[valid, i] - numeric[valid]).max() < 1e-3 * scale + 1e-6
