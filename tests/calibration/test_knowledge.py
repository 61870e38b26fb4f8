"""What a user knows is respected exactly, or weighed as evidence; masks, edited photos, contradictions."""

import numpy as np
import pytest
from exact_network import ExactNetwork, grey

from anylens import Calibrator, Camera, ImageError, ModelError
from anylens.calibration import parse_known
from anylens.evidence import EvidenceError

CAMERA = Camera("simple_radial:1", [520.0, 320.0, 240.0, -0.08], 640, 480)


def calibrator(camera=CAMERA, **how):
    return Calibrator(predictor=ExactNetwork(camera, **how))


@pytest.mark.parametrize(("model", "known"), [
    ("simple_pinhole", {"f": 601.23456789}),
    ("pinhole", {"fx": 601.1, "fy": 633.7}),
    ("radial:1", {"f": 612.3, "cx": 311.5, "cy": 250.25}),
    ("simple_radial:1", {"k1": -0.0625, "f": 555.5}),
    ("simple_kb:2", {"cx": 300.125, "k2": 0.01}),
])  # fmt: skip
def test_exact_values_come_back_to_the_last_bit(model, known):
    named = calibrator()(grey(), model, known=known).camera.named()
    if "f" in known and "f" not in named:
        assert named["fx"] == named["fy"] == known["f"]
    for name, value in known.items():
        if name in named:
            assert named[name] == value


@pytest.mark.parametrize("name", ["hfov_deg", "vfov_deg", "dfov_deg"])
@pytest.mark.parametrize("model", ["simple_pinhole", "simple_radial:1", "simple_kb:2"])
def test_exact_fields_of_view(name, model):
    found = calibrator()(grey(), model, known={name: 71.5})
    assert getattr(found, name) == pytest.approx(71.5, abs=1e-9)
    assert found.decided_by == "known"


def test_exact_35mm_equivalent():
    found = calibrator()(grey(), known={"focal_35mm": 35.0})
    assert found.focal_35mm == pytest.approx(35, abs=1e-9)
    low, high = found.hfov_interval_deg
    assert high - low < 2 * found.hfov_std_deg + 1e-9 < 1.0


def test_approximate_values_pull_by_their_weight():
    network = calibrator(focal_std=0.1)
    none = network(grey(), "simple_pinhole", prior="none", edges=False)
    vague = network(grey(), "simple_pinhole", prior="none", edges=False, known={"hfov": (80, 4.0)})
    sharp = network(grey(), "simple_pinhole", prior="none", edges=False, known={"hfov": (80, 0.3)})
    assert none.hfov_deg < vague.hfov_deg < sharp.hfov_deg < 80.5
    assert sharp.hfov_deg == pytest.approx(80, abs=1)
    assert sharp.hfov_std_deg < vague.hfov_std_deg < none.hfov_std_deg


def test_far_off_knowledge_is_respected_and_warned_about():
    found = calibrator(focal_std=0.05)(grey(), known={"f": 1500.0}, edges=False)
    assert found.camera.named()["f"] == 1500.0
    assert any("far from what the photo shows" in text for text in found.warnings)


@pytest.mark.parametrize("known", [
    {"colour": 3}, {"f": -5}, {"f": "wide"}, {"f": (500, -1)}, {"f": (1, 2, 3)}, {"f": 500, "hfov": 60}, {"k1": 0.1},
    {"aspect": (1.0, 0.1)}, {"cx": float("nan")},
])  # fmt: skip
def test_senseless_knowledge_is_refused(known):
    with pytest.raises(ModelError):
        calibrator()(grey(), known=known)


def test_impossible_field_of_view_is_refused():
    with pytest.raises(EvidenceError, match="at most"):
        calibrator()(grey(), "simple_pinhole", known={"hfov": 190})


def test_text_form():
    assert parse_known(["f=500", "hfov=65±3", "vfov=40+-2.5", "cx=1e3"]) == {
        "f": 500.0, "hfov": (65.0, 3.0), "vfov": (40.0, 2.5), "cx": 1000.0}  # fmt: skip
    for wrong in ("f", "f=", "f=a", "f=1±2±3"):
        with pytest.raises(ModelError, match="should read"):
            parse_known([wrong])


@pytest.mark.parametrize("model", ["auto", "pinhole", "radial:1"])
def test_edited_frees_centre_and_aspect(model):
    edited = Camera("pinhole", [520.0, 700.0, 250.0, 300.0], 640, 480)
    held = calibrator(edited, focal_std=0.03)(grey(), model, prior="none", edges=False)
    free = calibrator(edited, focal_std=0.03)(grey(), model, prior="none", edges=False, edited=True)
    assert held.camera.named()["cx"] == 320
    assert "centre in the middle" in held.held
    assert free.held == ()
    named = free.camera.named()
    assert named["cx"] == pytest.approx(250, abs=3)
    assert named["cy"] == pytest.approx(300, abs=3)
    assert named["fy"] / named["fx"] == pytest.approx(700 / 520, rel=0.01)


def test_masks_take_rays_and_pixels_out():
    class Spoiled(ExactNetwork):
        """Nonsense in the left half, where the mask will be."""

        def _one(self, photo):
            seen = super()._one(photo)
            left = seen.pixels[:, 0] < seen.plan.width / 2
            seen.field[left] *= [[0.3, 2.0]]
            return seen

    mask = np.zeros((480, 640), bool)
    mask[:, :320] = True
    network = Spoiled(CAMERA, focal_std=0.02)
    spoiled = Calibrator(predictor=network)(grey(), "simple_radial:1", prior="none")
    masked = Calibrator(predictor=network)(grey(), "simple_radial:1", prior="none", mask=mask)
    half = Calibrator(predictor=network)(grey(), "simple_radial:1", prior="none", mask=mask[::2, ::2])
    assert abs(spoiled.camera.named()["k1"] + 0.08) > 0.05
    assert masked.camera.named()["k1"] == pytest.approx(-0.08, abs=1e-3)
    assert half.camera.named()["k1"] == pytest.approx(-0.08, abs=1e-3)
    assert (network.shown[-2][:, :320] == 128).all()  # the network is not shown what is masked
    with pytest.raises(ImageError, match="leaves"):
        calibrator()(grey(), mask=np.ones((480, 640), bool))


def test_transparent_pixels_count_as_masked():
    rgba = np.dstack([grey(), np.full((480, 640), 255, np.uint8)])
    rgba[:, :400, 3] = 0
    found = calibrator()(rgba)
    assert found.seen.visible == pytest.approx(240 / 640, abs=0.01)
    assert (found.seen.weights.reshape(found.seen.grid)[:, :6] == 0).all()
