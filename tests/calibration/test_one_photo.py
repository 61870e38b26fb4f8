"""One photo: the camera behind the field comes back, however the photo is given and however it is stored."""

import io
import threading

import numpy as np
import pytest
from exact_network import ExactNetwork, grey
from PIL import Image

import anylens
from anylens import Calibrator, Camera, ImageError, ModelError
from anylens.calibration.scale import NETWORK_TEMPER, bend
from anylens.evidence import log_focal, normal
from anylens.images import turn_camera

PLAIN = Camera("simple_pinhole", [520.0, 320.0, 240.0], 640, 480)
CASES = [
    PLAIN,
    Camera("simple_radial:1", [480.0, 320.0, 240.0, -0.12], 640, 480),
    Camera("simple_kb:2", [260.0, 320.0, 240.0, -0.02, 0.003], 640, 480),
    Camera("simple_eucm", [240.0, 320.0, 240.0, 0.6, 1.1], 640, 480),
]


def calibrator(camera=PLAIN, **how):
    return Calibrator(predictor=ExactNetwork(camera, **how))


@pytest.mark.parametrize("camera", CASES, ids=lambda c: c.model)
def test_camera_comes_back(camera):
    found = calibrator(camera, focal_std=0.02)(grey(), camera.model, prior="none")
    rays, _ = found.camera.unproject([[5.0, 5.0], [320.0, 100.0], [600.0, 300.0]])
    true, _ = camera.unproject([[5.0, 5.0], [320.0, 100.0], [600.0, 300.0]])
    assert np.degrees(anylens.angle_between(np.asarray(rays), np.asarray(true))).max() < 0.8  # bins are 5.6 % wide
    assert found.hfov_deg == pytest.approx(camera.hfov_deg, abs=1.0)
    assert found.rms_deg < 1e-4
    assert found.held == ("centre in the middle", "square pixels")


@pytest.mark.parametrize("camera", CASES, ids=lambda c: c.model)
@pytest.mark.parametrize("log_var", [None, -5.5])
def test_auto_takes_the_plainest_that_fits(camera, log_var):
    found = calibrator(camera, focal_std=0.02, log_var=log_var)(grey(), prior="none")
    if camera is PLAIN:
        assert found.camera.model == "simple_pinhole"
    else:
        assert found.camera.model != "simple_pinhole"
        assert found.rms_deg < 0.6
    assert found.vfov_deg == pytest.approx(camera.vfov_deg, abs=1.5)


@pytest.mark.parametrize("noise_deg", [0.3, 0.8])
def test_auto_does_not_take_noise_for_distortion(noise_deg):
    noisy = calibrator(noise_deg=noise_deg, log_var=np.log(np.radians(noise_deg)))
    assert noisy(grey()).camera.model == "simple_pinhole"


def test_scale_comes_from_the_distribution_and_shape_from_the_field():
    """The field is 20 % too wide; the focal distribution is right: coefficients are the field's, focal is not."""
    camera = Camera("simple_kb:1", [300.0, 320.0, 240.0, -0.05], 640, 480)

    class Torn(ExactNetwork):
        def _one(self, photo):
            seen = super()._one(photo)
            return type(seen)(seen.plan, seen.grid, seen.pixels, seen.field * 1.2, None, seen.focal_log_prob)

    found = Calibrator(predictor=Torn(camera, focal_std=0.02))(grey(), "simple_kb:1", prior="none")
    assert found.focal_px == pytest.approx(300, rel=0.015)
    free = anylens.fit(found.seen.pixels, found.seen.rays, "simple_kb:1", width=640, height=480,
                       known={"cx": 320, "cy": 240})  # fmt: skip
    assert found.camera.named()["k1"] == pytest.approx(free.camera.named()["k1"], abs=1e-9)


def test_every_kind_of_picture_gives_the_same_camera(tmp_path):
    torch = pytest.importorskip("torch")
    rgb = grey()
    Image.fromarray(rgb).save(tmp_path / "a.png")
    data = (tmp_path / "a.png").read_bytes()
    kinds = [tmp_path / "a.png", str(tmp_path / "a.png"), data, io.BytesIO(data), Image.fromarray(rgb), rgb,
             rgb.astype(np.uint16) * 257, rgb / 255.0, torch.from_numpy(rgb).permute(2, 0, 1)]  # fmt: skip
    found = [calibrator()(kind) for kind in kinds]
    for one in found:
        assert one.camera == found[0].camera
    assert found[0].file == str(tmp_path / "a.png")
    batch = calibrator()(np.stack([rgb, rgb]))
    assert [b.camera for b in batch] == [found[0].camera] * 2


@pytest.mark.parametrize("orientation", range(1, 9))
def test_orientations_give_the_same_camera_turned(orientation):
    camera = Camera("simple_radial:1", [500.0, 320.0, 240.0, -0.1], 640, 480)
    exif = Image.Exif()
    exif[0x0112] = orientation
    stored = io.BytesIO()
    Image.fromarray(grey()).save(stored, "JPEG", exif=exif)
    found = calibrator(camera)(stored.getvalue(), camera.model, prior="none")
    plain = calibrator(camera)(grey(), camera.model, prior="none")
    want = turn_camera(plain.camera, orientation)
    assert (found.camera.width, found.camera.height) == (want.width, want.height)
    assert np.allclose(np.asarray(found.camera.params), np.asarray(want.params), rtol=2e-3, atol=1e-3)


def test_large_jpegs_are_calibrated_in_their_own_pixels():
    stored = io.BytesIO()
    Image.fromarray(grey(4000, 3000)).save(stored, "JPEG", quality=30)
    network = ExactNetwork(PLAIN, focal_std=0.02)
    found = Calibrator(predictor=network)(stored.getvalue(), "simple_pinhole", prior="none")
    assert network.shown[0].shape == (750, 1000, 3)  # decoded small
    assert (found.camera.width, found.camera.height) == (4000, 3000)
    assert found.focal_px == pytest.approx(520 * 4000 / 640, rel=0.01)
    assert found.seen.pixels.max() > 3500


def test_interval_is_the_posteriors_carried_through_the_camera():
    wide, sharp = (calibrator(focal_std=s)(grey(), prior="none", edges=False) for s in (0.2, 0.05))
    for found, stated in ((wide, 0.2), (sharp, 0.05)):
        std = stated / np.sqrt(NETWORK_TEMPER)  # a tempered normal is a wider one
        low, high = found.hfov_interval_deg
        assert low < found.hfov_deg < high
        by_hand = [2 * np.degrees(np.arctan(320 / (520 * np.exp(s * std)))) for s in (1, -1)]
        assert (low, high) == pytest.approx(by_hand, abs=0.6)
        assert found.hfov_std_deg == pytest.approx((high - low) / 2)
    assert any("weak cues" in text for text in calibrator(focal_std=0.4)(grey(), edges=False).warnings)
    assert not any("weak cues" in text for text in sharp.warnings)


def test_a_population_takes_the_place_of_what_the_network_was_trained_on():
    """A network trained on long lenses leans to them where it is unsure; a population puts that right."""
    there = log_focal(PLAIN)
    leaning = ExactNetwork(PLAIN, focal_std=0.3, scales=(0.8,), trained=normal(there + 0.5, 0.3))
    plain = ExactNetwork(PLAIN, focal_std=0.3, scales=(0.8,))
    focal = {
        (name, prior): Calibrator(predictor=network)(grey(), "simple_pinhole", prior=prior, edges=False).focal_px
        for name, network in (("leaning", leaning), ("plain", plain))
        for prior in ("photo", "none")
    }
    assert focal["leaning", "photo"] < 0.95 * focal["plain", "photo"]
    assert focal["leaning", "none"] == pytest.approx(focal["plain", "none"])
    edited = [
        Calibrator(predictor=network)(grey(), "simple_pinhole", edited=True, edges=False).focal_px
        for network in (leaning, plain)
    ]
    assert edited[0] == pytest.approx(edited[1])  # the counts are of whole photographs and of crops around the middle


def test_priors_pull_and_can_be_switched_off():
    long = Camera("simple_pinhole", [1500.0, 320.0, 240.0], 640, 480)
    network = calibrator(long, focal_std=0.25)
    off, photo, phone = (network(grey(), prior=p, edges=False).focal_px for p in ("none", "photo", "phone"))
    assert off == pytest.approx(1500, rel=0.03)
    assert photo < off * 0.97
    assert phone != photo
    fisheye = Camera("simple_kb:1", [200.0, 320.0, 240.0, 0.0], 640, 480)
    sure = calibrator(fisheye, focal_std=0.08)
    kept = sure(grey(), "simple_kb:1", edges=False).focal_px
    assert kept == pytest.approx(200, rel=0.03)  # the population's tail does not pull a fisheye in
    unsure = calibrator(fisheye, focal_std=0.25)(grey(), "simple_kb:1", edges=False).focal_px
    assert unsure == pytest.approx(200, rel=0.03)  # nor has the population anything to say about its shape


def test_bend_is_the_same_for_every_way_to_write_a_camera():
    pinhole, ucm = Camera("pinhole", [500, 520, 300, 260], 640, 480), Camera("ucm", [900, 936, 300, 260, 0.8], 640, 480)
    assert bend(pinhole) == pytest.approx(0, abs=1e-9)
    assert bend(ucm) > 0.05
    assert bend(ucm) == pytest.approx(bend(ucm.convert("eucm")[0]), rel=1e-3)


def test_whole_photo_rays_and_field():
    found = calibrator()(grey())
    rays, valid = found.rays(step=8)
    assert rays.shape == (60, 80, 3)
    assert valid.all()
    assert found.field(step=8).shape == (60, 80, 2)
    x = (4 + 8 * 70 - 320) / found.focal_px
    assert np.degrees(np.arctan2(*rays[30, 70, [0, 2]])) == pytest.approx(np.degrees(np.arctan(x)), abs=0.01)


def test_fold_over_and_long_photos_are_warned_about():
    found = calibrator()(grey(), "simple_radial:1", known={"k1": -0.9}, prior="none")
    assert any("fold-over" in text for text in found.warnings)
    long = Camera("simple_pinhole", [900.0, 1000.0, 150.0], 2000, 300)
    assert any("extrapolation" in text for text in calibrator(long)(grey(2000, 300)).warnings)


def test_json_row_holds_the_contract():
    row = calibrator()(grey()).to_dict()
    for key in ("file", "ok", "camera", "hfov_deg", "vfov_deg", "hfov_std_deg", "vfov_std_deg", "hfov_interval_deg",
                "focal_35mm", "warnings", "ms"):  # fmt: skip
        assert key in row
    assert set(row["camera"]) == {"model", "width", "height", "params"}
    assert row["focal_35mm"] == pytest.approx(row["focal_px"] * 43.267 / 800, rel=1e-3)
    assert Camera.from_dict(row["camera"]).hfov_deg == pytest.approx(row["hfov_deg"], abs=1e-3)
    assert {"read", "network", "fit", "total"} <= set(row["ms"])


def test_one_calibrator_serves_many_threads():
    shared = calibrator()
    want = shared(grey()).camera
    found = [None] * 6

    def work(i):
        found[i] = shared(grey()).camera

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(found))]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert found == [want] * len(found)


def test_failures_are_named_and_lists_can_keep_going(tmp_path):
    with pytest.raises(ImageError, match="no such file"):
        calibrator()(tmp_path / "none.jpg")
    (tmp_path / "text.jpg").write_text("hello, this is no picture")
    good, bad = calibrator()([grey(), tmp_path / "text.jpg"], errors="return")
    assert good.camera.model == "simple_pinhole"
    assert isinstance(bad, ImageError)
    assert "text.jpg" in str(bad)
    with pytest.raises(ModelError, match="pinhol"):
        calibrator()(grey(), "pinhol")
    with pytest.raises(ModelError, match="exif"):
        calibrator()(grey(), exif="perhaps")
