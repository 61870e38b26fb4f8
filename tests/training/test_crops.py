"""The share of cropped photographs in training, as set; none in validation."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from anylens.training.batches import rendered_views
from anylens.training.config import TrainConfig

HFOV = 60.0


@pytest.fixture
def photos(tmp_path):
    rng = np.random.default_rng(0)
    rows = []
    for i in range(30):
        Image.fromarray(rng.integers(0, 256, (96, 96, 3), dtype=np.uint8)).save(tmp_path / f"{i}.png")
        rows.append({"file": f"{i}.png", "width": 96, "height": 96, "hfov_deg": HFOV, "vfov_deg": HFOV,
                     "source": f"s{i}", "trust": "high"})  # fmt: skip
    (tmp_path / "manifest.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def longer(config, split):
    """Of 96 views, the share that is clearly longer than the whole photograph."""
    whole = np.log(1 / np.tan(np.radians(HFOV / 2)) / np.sqrt(2))
    views = rendered_views(config, split, config.area, 0, 0, 1)
    found = np.concatenate([next(views)["log_focal"].numpy() for _ in range(6)])
    assert found.min() > whole - 0.01
    return float(np.mean(found > whole + 0.01))


def test_crops_are_the_share_that_is_asked_for(photos, tmp_path):
    config = TrainConfig(
        photos=str(photos), photo_ratio=1.0, cache=str(tmp_path / "cache"), area=42 * 42, late_area=42 * 42,
        aspect_range=(1.0, 1.0), size_range=(1.0, 1.0), workers=0,
    )  # fmt: skip
    assert longer(replace(config, crops=0.0), "train") == 0
    assert longer(replace(config, crops=1.0), "train") > 0.9
    assert 0.3 < longer(config, "train") < 0.65
    assert longer(replace(config, crops=1.0), "val") == 0
