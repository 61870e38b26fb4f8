"""ONNX Runtime and torch give the same fields at any size, from float32 and float16 files."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import onnx
import pytest
import torch

pytest.importorskip("onnxscript")

from anylens.cli import main
from anylens.network.build import build_network
from anylens.network.config import LAPTOP, PAPER
from anylens.network.export import export_onnx, halve_weights
from anylens.network.weights import save_network
from anylens.predict.session import NetworkSession

SIZES = [(1, 126, 126), (2, 98, 182), (1, 154, 168), (3, 280, 140), (1, 518, 518)]
CONFIGS = {
    "laptop": replace(LAPTOP, taps=(1, 2), frozen=1, width=32),
    "paper": replace(PAPER, encoder="vit-s", taps=(1, 2, 3, 4)),
}


def trained(name):
    """A network whose every tensor matters (fresh ones are zero in places), of values that fit float16."""
    torch.manual_seed(1)
    net = build_network(CONFIGS[name]).eval()
    with torch.no_grad():
        for key, p in net.named_parameters():
            if "blocks" not in key:
                p.add_(0.02 * torch.randn_like(p))
            p.copy_(p.half().float())
    return net


@pytest.mark.parametrize("name", list(CONFIGS))
def test_torch_and_onnx_agree_at_five_sizes(name, tmp_path):
    net = trained(name)
    half = tmp_path / "half.onnx"
    export_onnx(net, half, {"name": "test", "area": 154 * 154}, half=True)
    session = NetworkSession(half, threads=1)
    assert session.info.area == 154 * 154
    assert session.info.name == "test"
    assert session.info.extra["network"]["encoder"] == "vit-s"
    for b, h, w in SIZES:
        image = torch.rand(b, 3, h, w)
        with torch.no_grad():
            expected = net(image)
        got = session.run(image.permute(0, 2, 3, 1).numpy())
        assert got["field"].shape == expected["field"].shape
        assert np.abs(got["field"] - expected["field"].numpy()).max() < 1e-4
        for key in got:
            assert np.abs(got[key] - expected[key].numpy()).max() < 1e-3, key


def test_an_exported_network_is_told_of_edited_pictures(tmp_path):
    net = trained("laptop")
    export_onnx(net, tmp_path / "n.onnx", {"name": "test", "area": 98 * 98})
    session = NetworkSession(tmp_path / "n.onnx", threads=1)
    image = torch.rand(2, 3, 98, 70)
    fields = {}
    for edited in (False, True):
        with torch.no_grad():
            expected = net(image, torch.full((2,), float(edited)))["field"].numpy()
        fields[edited] = session.run(image.permute(0, 2, 3, 1).numpy(), edited)["field"]
        assert np.abs(fields[edited] - expected).max() < 1e-5
    assert np.abs(fields[True] - fields[False]).max() > 1e-4


def test_the_command_describes_the_file_and_refuses_bad_weights(tmp_path, capsys):
    weights = tmp_path / "w.safetensors"
    settings = {
        "late_area": 140 * 140,
        "min_source_pixels": 2.2,
        "quality": 55,
        "photo_side": 250,
        "photo_quality": 70,
        "recipe": "world",
        "aspect_range": [0.5, 2.0],
    }
    seen = {"views": 32, "focals": [0.5] * 63 + [2.0]}
    save_network(trained("laptop"), weights, {"step": 9, "settings": settings, "history": seen})
    assert main(["export-onnx", str(weights), str(tmp_path / "f.onnx")]) == 0
    model = onnx.load(tmp_path / "f.onnx")
    halve_weights(model)
    onnx.save(model, tmp_path / "h.onnx")
    ratio = (tmp_path / "h.onnx").stat().st_size / (tmp_path / "f.onnx").stat().st_size
    assert 0.45 < ratio < 0.6
    full, half = NetworkSession(tmp_path / "f.onnx"), NetworkSession(tmp_path / "h.onnx")
    assert full.info == half.info
    assert (full.info.area, full.info.density, full.info.quality, full.info.step) == (140 * 140, 2.2, 55, 9)
    assert (full.info.side, full.info.webp) == (250, 70)
    assert full.info.extra["recipe"] == "world"
    assert full.info.extra["history"] == {"views": 32}
    assert full.info.focal_seen == [0.5] * 63 + [2.0]
    capsys.readouterr()
    assert main(["info", str(tmp_path / "h.onnx"), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows["standard form"] == (
        "copy of 250 pixels, WebP of quality 70; 2.2 source pixels per pixel, JPEG of quality 55"
    )
    # Even counts but for the last bin: 5 % lie below -1.6 + 0.05 · 67 bins, the middle is the 33.5th bin.
    step = 3.6 / 64
    low, middle = (21.633 * np.exp(-1.6 + step * bins) for bins in (3.35, 33.5))
    assert f"from {low:.0f} to" in rows["lenses it saw"]
    assert f"half of them below {middle:.0f} mm" in rows["lenses it saw"]
    image = np.random.default_rng(0).random((1, 126, 98, 3), dtype=np.float32)
    assert np.abs(full.run(image)["field"] - half.run(image)["field"]).max() < 1e-6
    weights.write_bytes(weights.read_bytes()[:500_000])
    assert main(["export-onnx", str(weights), str(tmp_path / "x.onnx")]) == 2
    assert "damaged" in capsys.readouterr().err
    assert not (tmp_path / "x.onnx").exists()
