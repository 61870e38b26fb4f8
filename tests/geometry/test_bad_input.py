import numpy as np
import pytest
from cameras import TWO_FOCALS, grid

import anylens
from anylens import Camera, FitError

PIXELS = grid(640, 480)
RAYS = Camera("pinhole", [500.0, 500.0, 320.0, 240.0], 640, 480).unproject(PIXELS)[0]
SIZE = {"width": 640, "height": 480}


def spoil(value):
    rays = RAYS.copy()
    rays[7, 1] = value
    return rays


@pytest.mark.parametrize("model", TWO_FOCALS)
@pytest.mark.parametrize(("pixels", "rays", "weights"), [
    (PIXELS[:1], RAYS[:1], None), (PIXELS[:0], RAYS[:0], None), (PIXELS, np.broadcast_to(RAYS[3], RAYS.shape), None),
    (PIXELS, spoil(np.nan), None), (PIXELS, spoil(np.inf), None), (PIXELS, RAYS, np.zeros(len(RAYS))),
    (PIXELS, RAYS, -np.ones(len(RAYS))), (PIXELS, RAYS, np.full(len(RAYS), np.nan)), (PIXELS, RAYS, np.ones(3)),
    (PIXELS[:9], RAYS, None), (PIXELS, RAYS[:, :2], None), (PIXELS[0], RAYS[0], None), (PIXELS, 0 * RAYS, None),
    (np.full_like(PIXELS, np.nan), RAYS, None),
], ids=["one", "none", "equal", "nan", "inf", "no weight", "negative", "nan weight", "few weights", "mismatch",
        "2 columns", "flat", "no length", "nan pixels"])  # fmt: skip
def test_a_clear_error_of_our_own(model, pixels, rays, weights):
    with pytest.raises(FitError):
        anylens.fit(pixels, rays, model, **SIZE, weights=weights)


@pytest.mark.parametrize(
    "known", [{"foo": 1.0}, {"f": -1.0}, {"f": np.nan}, {"f": 1.0, "fx": 1.0}, {"xi": -1.0}, {"k1": 0.0}]
)
def test_impossible_knowledge(known):
    with pytest.raises(FitError):
        anylens.fit(PIXELS, RAYS, "ucm", **SIZE, known=known)


def test_unknown_loss_and_size():
    with pytest.raises(FitError, match="loss"):
        anylens.fit(PIXELS, RAYS, "pinhole", **SIZE, loss="l7")
    with pytest.raises(FitError, match="size"):
        anylens.fit(PIXELS, RAYS, "pinhole", width=0, height=480)
    with pytest.raises(anylens.ModelError):
        anylens.fit(PIXELS, RAYS, "kb:9", **SIZE)


@pytest.mark.parametrize("model", TWO_FOCALS)
def test_random_rays_never_give_a_nan_camera(model):
    rng = np.random.default_rng(0)
    rays = rng.standard_normal((20, 200, 3))
    pixels = rng.uniform(0, 480, (200, 2))
    try:
        camera = anylens.fit(pixels, rays, model, **SIZE).camera
    except FitError:
        return
    assert np.isfinite(camera.params).all()
