"""The laptop network: its start, its coordinates, its outputs and its weights on disk."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from anylens.errors import WeightsError
from anylens.network.build import build_network
from anylens.network.config import FOCAL_RANGE, LAPTOP
from anylens.network.coordinates import cell_coordinates
from anylens.network.focal import bin_centres, focal_median, soft_bins, surprise
from anylens.network.rays import angle_between, field_to_rays, rays_to_field
from anylens.network.weights import initialise, load_network, save_network

TINY = replace(LAPTOP, taps=(1, 2), frozen=1, width=32)


@pytest.fixture(scope="module")
def net():
    torch.manual_seed(0)
    return build_network(TINY).eval()


def test_coordinates_put_the_corner_at_radius_one():
    xy = cell_coordinates(3, 5, torch.zeros(1, dtype=torch.float64))
    half = 0.5 * (9 + 25) ** 0.5
    assert torch.allclose(xy[:, 0, 0], torch.tensor([-2 / half, -1 / half], dtype=torch.float64), atol=1e-7)
    assert xy[:, 1, 2].abs().max() == 0  # the middle cell


def test_a_fresh_network_answers_a_sensible_camera(net):
    """θ = x̂ · exp(-E[log f]): with an even distribution log f is the middle of the range."""
    with torch.no_grad():
        answer = net(torch.rand(2, 3, 70, 98))
    assert answer["field"].shape == (2, 2, 5, 7)
    assert answer["log_var"].shape == (2, 5, 7)
    assert answer["focal_logits"].shape == (2, 64)
    middle = torch.tensor(sum(FOCAL_RANGE) / 2)
    expected = cell_coordinates(5, 7, answer["field"]) * torch.exp(-middle)
    assert torch.allclose(answer["field"], expected.expand(2, -1, -1, -1), atol=1e-5)


def test_a_finer_answer_agrees_with_the_coarse_one(net):
    image = torch.rand(1, 3, 70, 70)
    with torch.no_grad():
        coarse, fine = net(image), net(image, upscale=14)
    assert fine["field"].shape == (1, 2, 70, 70)
    mean = fine["field"].unfold(2, 14, 14).unfold(3, 14, 14).mean(dim=(-1, -2))
    assert torch.allclose(mean, coarse["field"], atol=2e-3)


def test_the_flag_changes_edited_pictures_and_no_others():
    torch.manual_seed(2)
    net = build_network(TINY).eval()
    image = torch.rand(1, 3, 70, 70).expand(3, -1, -1, -1)
    with torch.no_grad():
        for p in net.head.parameters():
            p.add_(0.05 * torch.randn_like(p))
        plain = net(image)
        told = net(image, torch.tensor([0.0, 1.0, 0.0]))
    for name in ("field", "focal_logits"):
        assert torch.equal(told[name][[0, 2]], plain[name][[0, 2]])
        assert (told[name][1] - plain[name][1]).abs().max() > 1e-3


def test_angles_keep_float32_in_mixed_precision():
    torch.manual_seed(3)
    net = build_network(TINY).eval()
    image = torch.rand(1, 3, 70, 70)
    with torch.no_grad():
        for p in net.head.parameters():
            p.add_(0.02 * torch.randn_like(p))
        exact = net(image)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            mixed = net(image)
    assert {t.dtype for t in mixed.values()} == {torch.float32}
    assert (mixed["field"] - exact["field"]).abs().max() < 0.02


def test_ray_output_is_unit_length(net):
    rays = build_network(replace(TINY, representation="rays")).eval()
    with torch.no_grad():
        answer = rays(torch.rand(1, 3, 42, 56))
    assert torch.allclose(answer["rays"].norm(dim=1), torch.ones(1, 3, 4), atol=1e-6)
    assert torch.allclose(answer["field"], rays_to_field(answer["rays"]))


def test_rays_there_and_back_with_finite_gradients():
    field = torch.tensor([[0.0, 0.3, -2.0], [0.0, -0.4, 1.5]]).reshape(1, 2, 1, 3).requires_grad_()
    rays = field_to_rays(field)
    assert torch.allclose(rays_to_field(rays), field, atol=1e-5)
    (rays.square() + rays_to_field(rays).sum()).sum().backward()
    assert field.grad.isfinite().all()
    turned = field_to_rays(field.detach() * 1.001)
    angle = angle_between(rays.detach(), turned)[0, 0]
    assert torch.allclose(angle, 0.001 * field.detach().norm(dim=1)[0, 0], rtol=1e-2, atol=2e-6)


def test_soft_bins_and_their_median():
    label = torch.tensor([-0.7, 0.33, 1.9, 5.0])
    target = soft_bins(label, torch.full((4,), 0.05), torch.tensor([0.0, 0.1, 0.0, 0.0]))
    assert torch.allclose(target.sum(dim=1), torch.ones(4))
    assert target[1].min() == pytest.approx(0.1 / 64, rel=1e-3)
    median = focal_median(target.clamp(min=1e-12).log())
    assert torch.allclose(median[:3], label[:3], atol=0.01)
    assert median[3] > bin_centres(label)[-2]  # beyond the range: the last bins


def test_surprise_is_the_cross_entropy_of_the_bin_that_holds_the_truth():
    torch.manual_seed(3)
    logits = torch.randn(5, 64)
    bins = torch.tensor([0, 7, 31, 62, 63])
    label = bin_centres(logits)[bins] + torch.tensor([-0.02, 0.0, 0.027, -0.027, 9.0])  # the last beyond the range
    expected = torch.nn.functional.cross_entropy(logits.double(), bins, reduction="none")
    assert torch.allclose(surprise(logits, label), expected)


def test_weights_survive_the_disk_in_float16(net, tmp_path):
    path = tmp_path / "w.safetensors"
    save_network(net, path, {"step": 7, "settings": {"recipe": "world"}})
    again, metadata = load_network(path)
    assert metadata["step"] == 7
    assert metadata["settings"]["recipe"] == "world"
    assert again.config == TINY
    for (name, a), b in zip(net.state_dict().items(), again.state_dict().values()):
        assert torch.equal(a.half().float(), b), name
    report = initialise(build_network(TINY), path)  # a run restarts from them
    assert not report.fresh
    wider = initialise(build_network(replace(TINY, width=48)), path)
    assert wider.fresh
    assert all(n.startswith("head.") for n in wider.fresh)


def test_bad_files_are_named(net, tmp_path):
    path = tmp_path / "w.safetensors"
    save_network(net, path, {})
    with pytest.raises(WeightsError, match="no weights"):
        load_network(tmp_path / "none.safetensors")
    cut = tmp_path / "cut.safetensors"
    cut.write_bytes(path.read_bytes()[:1_000_000])
    with pytest.raises(WeightsError, match="damaged"):
        load_network(cut)
    text = tmp_path / "text.pt"
    text.write_text("not weights")
    with pytest.raises(WeightsError, match="damaged"):
        initialise(net, text)
    with pytest.raises(WeightsError, match=r"--encoder"):  # weights of another depth
        initialise(build_network(replace(TINY, taps=(1, 2, 3))), path)
    torch.save({"conv1.weight": torch.zeros(3)}, tmp_path / "other.pt")
    with pytest.raises(WeightsError, match="no encoder"):
        initialise(net, tmp_path / "other.pt")
