"""Panoramas and photographs made in code, shared by the tests of the data engine."""

import json

import numpy as np
import pytest
from PIL import Image

from anylens.data.synthetic import box_world


@pytest.fixture(scope="session")
def pano_folder(tmp_path_factory):
    """Twelve small box worlds, two per place but the last two, with a manifest."""
    folder = tmp_path_factory.mktemp("panoramas")
    rows = ["id,file,place,black_nadir_deg,black_zenith_deg"]
    base = box_world(1024, 0)
    for i in range(12):
        image = np.roll(base, 80 * i, axis=1)[:, :, [(i + c) % 3 for c in range(3)]]
        Image.fromarray(image).save(folder / f"p{i:02d}.png", compress_level=1)
        rows.append(f"id{i:02d},p{i:02d}.png,place{i // 2 if i < 10 else i},0,0")
    (folder / "manifest.csv").write_text("\n".join(rows))
    return folder


@pytest.fixture(scope="session")
def photo_folder(tmp_path_factory):
    """Thirty small photographs from ten sources, landscape and portrait, 50° along the longer side."""
    folder = tmp_path_factory.mktemp("photos")
    rng = np.random.default_rng(0)
    rows = []
    for i in range(30):
        w, h = (288, 216) if i % 2 else (216, 288)
        noise = np.clip(rng.normal(128, 40, (h, w, 3)), 0, 255).astype(np.uint8)
        Image.fromarray(noise).save(folder / f"{i}.png", compress_level=1)
        f = 144 / np.tan(np.radians(25))
        hfov, vfov = (float(np.degrees(2 * np.arctan(s / 2 / f))) for s in (w, h))
        rows.append(
            {
                "file": f"{i}.png",
                "width": w,
                "height": h,
                "hfov_deg": hfov,
                "vfov_deg": vfov,
                "source": f"s{i // 3}",
                "trust": "low" if i % 5 == 0 else "medium",
            }
        )
    (folder / "manifest.jsonl").write_text("\n".join(json.dumps(r) for r in rows))
    return folder


@pytest.fixture(params=["opencv", "numpy"])
def raster(request, monkeypatch):
    """Runs a test with OpenCV and without it."""
    from anylens.data import raster as module

    if request.param == "numpy":
        for name in ("raster", "lookup", "render", "augment.colour"):
            monkeypatch.setattr(f"anylens.data.{name}.opencv", lambda: None)
    elif module.opencv() is None:
        pytest.skip("OpenCV is not installed")
    return request.param
