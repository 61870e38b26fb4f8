"""The torch-free side: cameras come back in the photograph's pixels; batches, mirrors and bad files."""

from __future__ import annotations

import numpy as np
import pytest

import anylens
from anylens.data.standard import standard_form
from anylens.errors import ImageError, WeightsError
from anylens.predict.mirror import add_mirrored, join_mirrored, log_softmax
from anylens.predict.plan import plan_size
from anylens.predict.predictor import Predictor, shift_bins, undo_plan
from anylens.predict.session import NetworkInfo, NetworkSession

CENTRES = -1.6 + 3.6 / 64 * (np.arange(64) + 0.5)


class BrightnessNetwork(NetworkSession):
    """Stands in for a network: a field that depends on each picture, and a record of the runs."""

    def __init__(self, area=154 * 154, density=1.0):
        self.info = NetworkInfo(area=area, density=density)
        self.runs = []

    def run(self, images, edited=False):
        self.runs.append(images.shape)
        b, h, w, _ = images.shape
        y, x = np.meshgrid(np.arange(h // 14) + 0.5, np.arange(w // 14) + 0.5, indexing="ij")
        bright = images[..., 0].reshape(b, h // 14, 14, w // 14, 14).mean(axis=(2, 4)) / 255
        field = np.stack([(x - w / 28) * 0.05 + 0 * bright, (y - h / 28) * 0.05 + bright + 0.01 * x], axis=1)
        logits = -0.5 * ((CENTRES[None] - bright.mean(axis=(1, 2))[:, None]) / 0.1) ** 2
        return {"field": field, "log_var": -bright, "focal_logits": logits}


def synthetic_answer(camera, plan, stride):
    """The exact field of a camera at the cells of a plan, as a network would give it."""
    rows, cols = plan.out_height // stride, plan.out_width // stride
    rays, valid = camera.unproject(plan.cell_centres(rows, cols))
    assert valid.all()
    return {"field": anylens.rays_to_field(rays).T.reshape(2, rows, cols)}


@pytest.mark.parametrize(("width", "height"), [(640, 480), (1920, 1080), (500, 2000), (2000, 500), (333, 457)])
@pytest.mark.parametrize(
    ("model", "params"),
    [("pinhole", (0.9, 0.93, 0.02, -0.03)), ("simple_kb:2", (0.6, 0.01, -0.02, 0.03, -0.01))],
)
def test_intrinsics_come_back_exactly_in_the_photographs_pixels(width, height, model, params):
    size = max(width, height)
    focals = 2 if model == "pinhole" else 1
    full = [p * size for p in params[:focals]]
    full += [width * (0.5 + params[focals]), height * (0.5 + params[focals + 1]), *params[focals + 2 :]]
    camera = anylens.Camera(model, full, width, height)
    plan = plan_size(width, height, area=154 * 154)
    prediction = undo_plan(plan, synthetic_answer(camera, plan, stride=14))
    fitted = anylens.fit(prediction.pixels, prediction.rays, model, width=width, height=height)
    fitted = getattr(fitted, "camera", fitted)
    assert np.allclose(np.asarray(fitted.params), full, rtol=1e-7, atol=1e-6)


def test_photographs_of_one_size_share_a_run_and_order_is_kept():
    rng = np.random.default_rng(0)
    shapes = [(480, 640), (300, 300), (960, 1280), (480, 640), (301, 300)]
    photos = [rng.integers(0, 255, (*s, 3), dtype=np.uint8) for s in shapes]
    network = BrightnessNetwork()
    together = Predictor(network).many(photos)
    assert sorted(s[0] for s in network.runs) == [2, 3]
    for photo, joint in zip(photos, together):
        single = Predictor(BrightnessNetwork())(photo)
        assert np.array_equal(single.field, joint.field)
        assert single.plan == joint.plan
        assert joint.pixels.shape == (joint.grid[0] * joint.grid[1], 2)
        assert joint.rays.shape == (len(joint.pixels), 3)


def test_large_groups_are_cut_into_batches():
    network = BrightnessNetwork()
    Predictor(network, batch=2).many([np.zeros((100, 100, 3), np.uint8)] * 5)
    assert [s[0] for s in network.runs] == [2, 2, 1]


def test_mirror_average_is_even_under_mirroring():
    rng = np.random.default_rng(1)
    photo = rng.integers(0, 255, (210, 280, 3), dtype=np.uint8)
    predictor = Predictor(BrightnessNetwork(), mirror=True)
    plain, turned = predictor(photo), predictor(photo[:, ::-1].copy())
    rows, cols = plain.grid
    field = plain.field.reshape(rows, cols, 2)
    other = turned.field.reshape(rows, cols, 2)[:, ::-1] * [-1, 1]
    assert np.allclose(field, other, atol=3e-3)  # the network leans by 0.01 per cell, pixels round to 1/255
    assert np.allclose(np.exp(plain.focal_log_prob), np.exp(turned.focal_log_prob), atol=3e-3)


def test_mirrored_answers_are_turned_back():
    images = np.arange(2 * 2 * 3 * 3, dtype=np.float64).reshape(2, 2, 3, 3)
    assert np.array_equal(add_mirrored(images)[2:], images[:, :, ::-1])
    field = np.array([[[[-0.3, 0.0, 0.3]], [[0.1, 0.2, 0.3]]]])  # (1, 2, 1, 3)
    mirrored = np.array([[[[-0.3, 0.0, 0.3]], [[0.3, 0.2, 0.1]]]])
    joined = join_mirrored({"field": np.concatenate([field, mirrored])})
    assert np.allclose(joined["field"], field)


def test_focal_bins_move_with_the_crop():
    plan = plan_size(2000, 500)
    assert plan.focal_shift == pytest.approx(np.log(np.hypot(1000, 500) / np.hypot(2000, 500)))
    logits = -0.5 * ((CENTRES - 0.4) / 0.08) ** 2
    moved = shift_bins(logits, plan.focal_shift)
    assert np.exp(moved).sum() == pytest.approx(1)
    assert (np.exp(moved) * CENTRES).sum() == pytest.approx(0.4 + plan.focal_shift, abs=2e-3)
    assert np.allclose(shift_bins(logits, 0.0), log_softmax(logits))


@pytest.mark.parametrize("photo", [np.zeros((50, 50), np.uint8), np.zeros((50, 50, 3), np.float32)])
def test_other_arrays_are_refused(photo):
    with pytest.raises(ImageError, match="uint8"):
        Predictor(BrightnessNetwork())(photo)


def test_bad_network_files_are_named(tmp_path):
    with pytest.raises(WeightsError, match="no network"):
        NetworkSession(tmp_path / "none.onnx")
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"\x08\x07\x12" + bytes(100))
    with pytest.raises(WeightsError, match="damaged"):
        NetworkSession(broken)
    with pytest.raises(WeightsError, match="damaged"):
        NetworkSession(b"nothing")


def test_pictures_go_through_the_standard_form_that_the_network_was_trained_on():
    """The same small copy, density and JPEG as in training; a network without them is shown the plain picture."""
    photo = np.random.default_rng(0).integers(0, 256, (300, 400, 3), dtype=np.uint8)
    forms = ({}, {"density": 1.1}, {"density": 1.1, "quality": 30}, {"density": 1.1, "side": 200, "webp": 50})
    pictures = []
    for form in forms:
        network = BrightnessNetwork()
        network.info = NetworkInfo(area=network.info.area, **form)
        plan, picture = Predictor(network).prepare(photo)
        size = plan.out_width, plan.out_height
        assert np.array_equal(picture, standard_form(plan.crop(photo), *size, **{"density": 1.0, **form}))
        pictures.append(picture.astype(int))
    for picture in pictures[2:]:
        assert np.abs(pictures[1] - picture).mean() > 1


def test_what_the_network_was_trained_on_comes_in_the_photographs_own_diagonals():
    """The middle of a long photo is a longer lens: the network's training moves by the same as its answer."""
    network = BrightnessNetwork()
    counts = 100 * np.exp(-0.5 * ((CENTRES - 0.5) / 0.2) ** 2)
    network.info = NetworkInfo(area=network.info.area, focal_seen=tuple(counts))
    long, square = (np.full((200, width, 3), 128, np.uint8) for width in (1000, 200))
    seen = Predictor(network).many([long, square])
    places = [CENTRES @ np.exp(one.focal_seen) for one in seen]
    assert places[1] == pytest.approx(0.5, abs=0.05)
    assert places[0] - places[1] == pytest.approx(seen[0].plan.focal_shift, abs=0.05)
    assert Predictor(BrightnessNetwork())(square).focal_seen is None
