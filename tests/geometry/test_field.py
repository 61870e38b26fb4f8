import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anylens

angles = st.floats(0, np.pi - 1e-9)
azimuths = st.floats(-np.pi, np.pi)


def ray(theta, phi):
    return np.array([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)])


@given(angles, azimuths)
def test_field_is_the_logarithm_at_the_axis(theta, phi):
    field = anylens.rays_to_field(ray(theta, phi))
    # The direction of a ray within 1e-9 of straight behind is itself only known to 1e-7.
    assert field == pytest.approx(theta * np.array([np.cos(phi), np.sin(phi)]), abs=1e-6 if theta > 3.14159 else 1e-12)


@given(st.floats(-2.2, 2.2), st.floats(-2.2, 2.2))
def test_there_and_back(x, y):
    field = np.array([x, y])
    if np.hypot(x, y) < np.pi - 1e-6:
        assert anylens.rays_to_field(anylens.field_to_rays(field)) == pytest.approx(field, abs=1e-9)


@pytest.mark.parametrize("tiny", [0.0, 1e-300, 1e-160, 1e-12, 1e-8])
def test_exact_at_the_axis(tiny):
    assert anylens.rays_to_field(np.array([tiny, 0.0, 1.0]))[0] == pytest.approx(tiny, rel=1e-15)
    assert anylens.field_to_rays(np.array([0.0, tiny]))[1] == pytest.approx(tiny, rel=1e-15)


def test_finite_straight_behind():
    field = anylens.rays_to_field(np.array([0.0, 0.0, -1.0]))
    assert np.isfinite(field).all()
    assert np.linalg.norm(field) == pytest.approx(np.pi)


@pytest.mark.parametrize("angle", [1e-15, 1e-9, 1e-4, 1.0, 3.0, np.pi - 1e-9, np.pi])
def test_angle_between_is_accurate_for_tiny_and_large_angles(angle):
    p, q = np.array([0.0, 0.0, 1.0]), np.array([np.sin(angle), 0.0, np.cos(angle)])
    assert anylens.angle_between(p, q) == pytest.approx(angle, rel=1e-7, abs=1e-16)


def test_every_library(library):
    rays = np.random.default_rng(0).standard_normal((3, 5, 3))
    rays /= np.linalg.norm(rays, axis=-1, keepdims=True)
    field = anylens.rays_to_field(library(rays))
    assert library.owns(field)
    assert library.numpy(field) == pytest.approx(anylens.rays_to_field(rays))
    assert library.numpy(anylens.field_to_rays(field)) == pytest.approx(rays)


def test_gradients_are_finite_on_the_axis():
    import torch

    rays = torch.tensor([[0.0, 0.0, 1.0], [0.1, 0.0, 0.9]], dtype=torch.float64, requires_grad=True)
    field = anylens.rays_to_field(rays)
    (anylens.field_to_rays(field).sum() + field.sum()).backward()
    assert torch.isfinite(rays.grad).all()
