"""Ablations: ways to fit true fields with smooth errors, finer fields, settings of training runs."""

import json

import numpy as np
import pytest
from PIL import Image

from anylens import Camera
from anylens.cli import main
from anylens.data.synthetic import box_world
from anylens.errors import AnylensError
from anylens.evaluation.ablations.fields import noisy_fields
from anylens.evaluation.ablations.fits import FITS, FitVariant, run_fits
from anylens.evaluation.ablations.trainings import TRAININGS, make_config
from anylens.evaluation.sample import Sample
from anylens.field import angle_between, rays_to_field
from anylens.predict.session import NetworkSession

from .written import pinhole_row, write_manifest, write_picture


def fisheye(name="a"):
    camera = Camera("kb:4", [200.0, 200.0, 320.0, 240.0, 0.01, -0.004, 0.001, 0.0], 640, 480)
    return Sample(name, None, 640, 480, camera, camera.hfov_deg, camera.vfov_deg)


def test_noise_is_as_large_as_it_says():
    [field] = noisy_fields([fisheye()], 2.0)
    true = fisheye().truth.unproject(field.pixels)[0]
    off = np.degrees(rays_to_field(field.rays) - rays_to_field(true))
    assert np.sqrt(np.mean((off**2).sum(axis=1))) == pytest.approx(2.0, rel=1e-6)


def test_a_finer_field_is_the_same_field():
    [field] = noisy_fields([fisheye()], 0.0)
    finer = field.finer(7)
    assert finer.grid == (140, 140)
    inside = (np.abs(finer.pixels - [320, 240]) < [290, 220]).all(axis=1)
    true = fisheye().truth.unproject(finer.pixels[inside])[0]
    assert np.degrees(angle_between(finer.rays[inside], true)).max() < 0.05


def test_exact_fields_are_fitted_by_every_way():
    scores, ms = run_fits([*FITS["ransac"], *FITS["steps"]], noisy_fields([fisheye()], 0.0), 32)
    assert set(scores) == {v.name for family in ("ransac", "steps") for v in FITS[family]}
    assert all(found[0].errors["ae_deg"] < 0.02 for found in scores.values()), scores
    assert set(ms) == set(scores)


def test_many_rays_beat_minimal_samples_on_noisy_fields():
    samples = [fisheye(str(i)) for i in range(6)]
    scores, _ = run_fits(list(FITS["ransac"])[:2], noisy_fields(samples, 1.0), 32)
    plain, ransac = (np.median([s.errors["ae_deg"] for s in scores[v.name]]) for v in FITS["ransac"][:2])
    assert plain < ransac


def test_a_fit_that_fails_counts():
    camera = Camera("pinhole", [300.0, 300.0, 320.0, 240.0], 640, 480)
    [field] = noisy_fields([Sample("a", None, 640, 480, camera)], 0.0)
    nothing = type(field)(**{**vars(field), "weights": np.zeros(len(field.weights))})
    scores, _ = run_fits([FitVariant("x")], [nothing, None], 16)
    assert [s.failed for s in scores["x"]] == [True]


def test_training_variants_are_valid_settings():
    for variants in TRAININGS.values():
        for changes in variants.values():
            for preset in ("laptop", "paper-op_g"):
                config = make_config(preset, {"steps": 500}, changes)
                assert config.steps == 500
    with pytest.raises(AnylensError, match="no setting wings"):
        make_config("laptop", {"wings": 2}, {})


def test_command(tmp_path, capsys):
    write_manifest(tmp_path, [pinhole_row(f"{i}.png", 60.0) for i in range(3)])
    for i in range(3):
        write_picture(tmp_path / f"{i}.png")
    (tmp_path / "c.json").write_text(json.dumps({"what": ["ransac", "steps"], "model": "pinhole", "noise": 0.5}))
    out = tmp_path / "r.json"
    assert main(["ablate", str(tmp_path), "--config", str(tmp_path / "c.json"), "--json", str(out)]) == 0
    assert "RANSAC, refined" in capsys.readouterr().out
    data = json.loads(out.read_text())
    assert set(data) == {"ransac", "steps"}
    assert all(v["count"] == 3 for v in data["steps"].values())
    assert main(["ablate", str(tmp_path), "--what", "weather"]) == 2
    assert main(["ablate", str(tmp_path), "--what", "loss", "--noise", "1"]) == 2
    (tmp_path / "c.json").write_text('{"colour": 1}')
    assert main(["ablate", str(tmp_path), "--config", str(tmp_path / "c.json")]) == 2


def test_variants_are_trained_exported_and_scored(tmp_path, capsys, monkeypatch):
    """End to end on panoramas made in code: two steps of training, ONNX, figures; finished runs are kept."""
    for needed in ("torch", "onnxscript", "safetensors"):
        pytest.importorskip(needed)
    for i in range(5):
        Image.fromarray(box_world(256, i)).save(make(tmp_path / "panoramas") / f"{i}.png")
    photos = tmp_path / "photos"
    write_picture(photos / "0.png")
    write_manifest(photos, [pinhole_row("0.png", 60.0)])
    settings = {"steps": 2, "warmup": 1, "batch": 2, "area": 28 * 28, "late_area": 28 * 28, "taps": [1], "frozen": 0,
                "width": 16, "workers": 0, "validation_views": 0, "min_source_pixels": 1.0, "recipe": "op_p",
                "data": str(tmp_path / "panoramas"), "cache": str(tmp_path / "cache")}  # fmt: skip
    monkeypatch.setitem(TRAININGS, "loss", {"rays, cosine": TRAININGS["loss"]["rays, cosine"]})
    words = ["ablate", str(photos), "--what", "loss", "--model", "simple_pinhole", "--grid", "16"]
    words += ["--out", str(tmp_path / "runs"), "--json", str(tmp_path / "r.json")]
    words += [word for name, value in settings.items() for word in ("--train", f"{name}={json.dumps(value)}")]
    assert main(words) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("loss (1 photos)")
    assert "\r" not in shown.err  # no progress bars when piped
    figures = json.loads((tmp_path / "r.json").read_text())["loss"]["rays, cosine"]
    assert (figures["count"], figures["failed"]) == (1, 0)
    network = tmp_path / "runs/loss/rays_cosine/network.onnx"
    assert NetworkSession(network, threads=1).info.extra["network"]["representation"] == "rays"
    written = network.stat().st_mtime_ns
    assert main(words) == 0
    assert network.stat().st_mtime_ns == written
    assert capsys.readouterr().out == shown.out


def make(folder):
    folder.mkdir(parents=True, exist_ok=True)
    return folder
