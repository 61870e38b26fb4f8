"""The opponents: constants, COLMAP's guess, EXIF, vanishing points, files; the configurations of anylens."""

import json
import math

import numpy as np
import pytest

from anylens import Camera
from anylens.errors import FormatError
from anylens.evaluation.methods import make_methods
from anylens.evaluation.methods.guesses import ColmapDefault, Constant, ExifTag
from anylens.evaluation.methods.predictions import Predictions
from anylens.evaluation.sample import Estimate, Sample

from .written import Held, write_picture


def sample(file="a.jpg", f=60.0, width=64, height=48, source=None):
    camera = Camera("pinhole", [f, f, width / 2, height / 2], width, height)
    return Sample(file, source, width, height, camera, camera.hfov_deg, camera.vfov_deg)


def test_no_constant_beats_the_best_constant():
    samples = [sample(f"{i}", f) for i, f in enumerate((40.0, 55.0, 58.0, 80.0, 200.0))]
    true = np.array([s.hfov_deg for s in samples])
    found = np.array([e.hfov_deg for e in Constant().run(samples)])
    assert np.ptp(found) < 1e-9
    best = min(np.median(np.abs(true - c)) for c in np.arange(10, 175, 0.25))
    assert np.median(np.abs(true - found)) == pytest.approx(best)


def test_the_diagonal_constant_knows_how_photos_are_held():
    samples = [sample("lying", 60.0, 64, 48), sample("standing", 60.0, 48, 64)]
    found = [e.hfov_deg for e in Constant("diagonal").run(samples)]
    assert found == pytest.approx([s.hfov_deg for s in samples], abs=0.2)


def test_colmaps_guess():
    [found] = ColmapDefault().run([sample()])
    assert found.camera.named() == {"f": 1.2 * 64, "cx": 32.0, "cy": 24.0}


def test_exif(tmp_path):
    from PIL import Image

    exif = Image.Exif()
    exif.get_ifd(0x8769)[41989] = 28
    Image.new("RGB", (300, 200)).save(tmp_path / "tagged.jpg", exif=exif)
    write_picture(tmp_path / "plain.jpg")
    tagged, plain, gone = ExifTag().run(
        [sample("t", width=300, height=200, source=tmp_path / "tagged.jpg"), sample("p", source=tmp_path / "plain.jpg"),
         sample("g", source=tmp_path / "gone.jpg")]
    )  # fmt: skip
    assert tagged.camera.named()["f"] == pytest.approx(28 / math.hypot(36, 24) * math.hypot(300, 200))
    assert "EXIF" in plain.error
    assert gone.error


def test_predictions_in_every_form(tmp_path):
    camera = Camera("radial:1", [60.0, 61.0, 32.0, 24.0, -0.1], 64, 48)
    rows = [Estimate.of("x/a.jpg", camera, interval=(40.0, 50.0)).to_dict(), {"file": "b.jpg", "hfov_deg": 50.0},
            {"file": "c.jpg", "ok": False, "error": "lost"}, {"file": "d.jpg", "nothing": 1}]  # fmt: skip
    (tmp_path / "p.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "p.json").write_text(json.dumps(rows))
    (tmp_path / "p.csv").write_text(
        "file,ok,model,fx,fy,cx,cy,coefficients,hfov_deg,hfov_low_deg,hfov_high_deg\n"
        "x/a.jpg,True,radial:1,60,61,32,24,k1=-0.1,,40,50\nb.jpg,True,,,,,,,50,,\nc.jpg,False,,,,,,,,,\nd.jpg,,,,,,,,,,\n"
    )
    samples = [sample(f) for f in ("x/a.jpg", "b.jpg", "c.jpg", "d.jpg", "e.jpg")]
    for name in ("p.jsonl", "p.json", "p.csv"):
        a, b, *failed = Predictions("other", tmp_path / name).run(samples)
        assert a.camera == camera
        assert a.interval == (40.0, 50.0)
        assert b.camera is None
        assert b.hfov_deg == 50.0
        assert all(f.error for f in failed), name
    with pytest.raises(FormatError):
        Predictions("other", tmp_path / "gone.csv")


def test_names():
    configurations, others, _ = make_methods(["anylens", "anylens:network+model=kb:4", "colmap"])
    assert [c.name for c in configurations] == ["anylens", "anylens:network+model=kb:4"]
    assert configurations[1].options.model == "kb:4"
    assert not configurations[1].options.edges
    assert configurations[1].options.prior == "none"
    assert configurations[0].options.exif == "ignore"
    assert [m.name for m in others] == ["colmap"]
    for bad in (["guess"], ["anylens:nonsense"], ["colmap", "colmap"], ["anylens:prior=none", "x=gone.csv"]):
        with pytest.raises(FormatError):
            make_methods(bad)


def test_vanishing_points_are_an_honest_opponent():
    pytest.importorskip("cv2")
    from anylens.data.pyramid import build_pyramid
    from anylens.data.render import render_view
    from anylens.data.rotation import rotation_from_angles
    from anylens.data.synthetic import box_world
    from anylens.evaluation.methods.vanishing import VanishingPoints

    rng = np.random.default_rng(3)
    pyramid = build_pyramid(box_world(2048, 3))
    samples = []
    for fov in (50, 60, 70, 80, 90):
        f = 240 / math.tan(math.radians(fov / 2))
        turn = rotation_from_angles(rng.uniform(-180, 180), rng.uniform(-25, 25), rng.uniform(-15, 15))
        camera = Camera("simple_pinhole", [f, 240, 180], 480, 360)
        samples.append(Sample(str(fov), Held(render_view(pyramid, camera, turn)), 480, 360, camera, float(fov)))
    found = [e.hfov_deg for e in VanishingPoints().run(samples)]
    assert np.median(np.abs(np.array(found) - [s.hfov_deg for s in samples])) < 3
    blank = Sample("blank", Held(np.full((90, 120, 3), 99, np.uint8)), 120, 90, None)
    assert next(iter(VanishingPoints().run([blank]))).error
