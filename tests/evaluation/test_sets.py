"""Manifests: every row a sample or a named problem; rendered shards as a data set."""

import math

import numpy as np
import pytest

from anylens.errors import FormatError
from anylens.evaluation.grouping import rows_of
from anylens.evaluation.sets import open_set

from .written import pinhole_row, write_manifest, write_picture


def test_rows_are_samples_or_named_problems(tmp_path):
    for name in ("good.png", "fisheye.png", "odd.png", "sized.png"):
        write_picture(tmp_path / name)
    (tmp_path / "broken.png").write_bytes(b"not a picture")
    kb4 = {"fx": 30, "fy": 30, "cx": 32, "cy": 24, "k1": 0.01, "k2": 0, "k3": 0, "k4": 0}
    odd = {"file": "odd.png", "width": 64, "height": 48, "model": "wobbly", "params": {"a": 1}}
    write_manifest(
        tmp_path,
        [
            pinhole_row("good.png", camera="c1", group="g", tags=["macro_weak_geometry"]),
            {**pinhole_row("fisheye.png"), "model": "kb4", "params": kb4},
            {**odd, "hfov_deg": 60.0, "vfov_deg": 45.0},
            {**odd, "file": "no_angles.png"},
            pinhole_row("broken.png"),
            pinhole_row("missing.png"),
            pinhole_row("sized.png", width=65),
            {"file": "x.png", "model": "pinhole"},
            {**pinhole_row("good.png"), "params": {"fx": 60}},
            pinhole_row("good.png"),
            "{ not json",
        ],
    )
    data = open_set(tmp_path)
    assert [s.file for s in data.samples] == ["good.png", "fisheye.png", "odd.png"]
    assert data.samples[1].hfov_deg == pytest.approx(2 * math.degrees(1.0570), abs=0.5)
    assert data.samples[2].truth is None
    assert "wobbly" in data.samples[2].note
    reasons = {p.file: p.reason for p in data.problems}
    assert len(data.problems) == 8
    assert "readable" in reasons["broken.png"]
    assert "no such file" in reasons["missing.png"]
    assert "64x48" in reasons["sized.png"]
    assert "width" in reasons["x.png"]
    assert "wobbly" in reasons["no_angles.png"]
    assert "line 11" in reasons
    assert set(rows_of(data.samples)) == {"g, macro_weak_geometry", "all"} or len(rows_of(data.samples)) == 2


def test_pools_and_photos_apart(tmp_path):
    rows = [pinhole_row(f"{i}.png", group=g, tags=t) for i, (g, t) in enumerate(
        [("a", []), ("a", ["macro_weak_geometry"]), ("b", []), ("c", [])])]  # fmt: skip
    for row in rows:
        write_picture(tmp_path / row["file"])
    write_manifest(tmp_path, rows)
    found = rows_of(open_set(tmp_path).samples, ["a+b"])
    assert found == {"a": [0], "a, macro_weak_geometry": [1], "b": [2], "c": [3], "a+b": [0, 1, 2], "all": [0, 1, 2, 3]}
    with pytest.raises(FormatError, match="no group z"):
        rows_of(open_set(tmp_path).samples, ["z"])


def test_limit_is_drawn_from_the_seed(tmp_path):
    for i in range(20):
        write_picture(tmp_path / f"{i:02d}.png", 16, 16)
    write_manifest(tmp_path, [pinhole_row(f"{i:02d}.png", width=16, height=16) for i in range(20)])
    first, again, other = (
        [s.file for s in open_set(tmp_path, limit=6, seed=seed).samples] for seed in (1, 1, 2)
    )  # fmt: skip
    assert first == again == sorted(first)
    assert first != other
    assert len(first) == 6


def test_folders_that_are_no_set(tmp_path):
    with pytest.raises(FormatError, match=r"manifest\.jsonl"):
        open_set(tmp_path)
    with pytest.raises(FormatError, match="not a folder"):
        open_set(tmp_path / "nowhere")
    with pytest.raises(FormatError, match="Unknown layout"):
        open_set(tmp_path, "atlantis")


def test_rendered_shards(tmp_path):
    from PIL import Image

    from anylens.data.ondisk.job import RenderJob
    from anylens.data.ondisk.run import run_job
    from anylens.data.synthetic import box_world

    (tmp_path / "panoramas").mkdir()
    Image.fromarray(box_world(512)).save(tmp_path / "panoramas" / "room.png")
    job = RenderJob(str(tmp_path / "panoramas"), "op_p", 3, 64, 0, None)
    run_job(job, tmp_path / "out", cache=str(tmp_path / "cache"), progress=False)
    data = open_set(tmp_path / "out")
    assert len(data.samples) == 3
    assert not data.problems
    from anylens.images import read_photo

    for sample in data.samples:
        assert read_photo(sample.picture()).rgb.shape == (64, 64, 3)
        assert sample.truth.hfov_deg == pytest.approx(sample.hfov_deg)
        assert 19 < sample.vfov_deg < 106
    assert len({read_photo(s.picture()).rgb.tobytes() for s in data.samples}) == 3
    assert np.isfinite([s.hfov_deg for s in data.samples]).all()
