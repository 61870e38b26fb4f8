"""Decoder, upsampling and layout of the paper-scale network."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from anylens.errors import WeightsError
from anylens.network.build import build_network
from anylens.network.config import ENCODERS, PAPER, NetworkConfig
from anylens.network.dpt import LightDpt, OriginalDpt
from anylens.network.macs import count_macs, published_macs
from anylens.network.paper import convex_upsample
from anylens.network.weights import initialise, load_strictly


def released_layout() -> dict[str, tuple[int, ...]]:
    """Names and shapes of the released checkpoints, written out from their description."""
    C = 1024
    layout: dict[str, tuple[int, ...]] = {
        "backbone.image_mean": (1, 3, 1, 1),
        "backbone.image_std": (1, 3, 1, 1),
    }

    def layer(name, *shape):
        layout[f"{name}.weight"], layout[f"{name}.bias"] = shape, shape[:1]

    root = "backbone.model."
    layout |= {root + "cls_token": (1, 1, C), root + "pos_embed": (1, 1370, C), root + "mask_token": (1, C)}
    layer(root + "patch_embed.proj", C, 3, 14, 14)
    layer(root + "norm", C)
    for i in range(24):
        block = f"{root}blocks.{i}."
        for norm in ("norm1", "norm2"):
            layer(block + norm, C)
        layer(block + "attn.qkv", 3 * C, C)
        layer(block + "attn.proj", C, C)
        layer(block + "mlp.fc1", 4 * C, C)
        layer(block + "mlp.fc2", C, 4 * C)
        layout[block + "ls1.gamma"] = layout[block + "ls2.gamma"] = (C,)
    for i, channels in enumerate((128, 256, 512, 1024)):
        layer(f"decoder.reassemble_blocks.projects.{i}", channels, C, 1, 1)
        layer(f"decoder.convs.{i}", 256, channels, 3, 3)
        for unit in (1, 2)[i == 0 :]:
            for k in (0, 2):
                layer(f"decoder.fusion_blocks.{i}.res_conv_unit{unit}.conv.{k}", 256, 256, 3, 3)
    layer("decoder.project.0", 256, 256, 3, 3)
    for head, outputs in (("tangent_head", 2), ("upsampling_weights_head", 441)):
        layer(f"head.{head}.0", 128, 256, 3, 3)
        layer(f"head.{head}.2", outputs, 128, 1, 1)
    return layout


def meta(config: NetworkConfig) -> torch.nn.Module:
    with torch.device("meta"):
        return build_network(config)


def test_the_released_layout_is_that_of_the_network():
    layout = released_layout()
    assert len(layout) == 399
    assert sum(torch.Size(s).numel() for s in layout.values()) == pytest.approx(320.26e6, abs=5e3)
    with torch.device("meta"):
        tensors = {name: torch.empty(shape) for name, shape in layout.items()}
    net = meta(PAPER)
    load_strictly(net, tensors, "synthetic checkpoint")
    tensors.pop("decoder.project.0.bias")
    with pytest.raises(WeightsError, match=r"1 tensors missing.*decoder\.project\.0\.bias"):
        load_strictly(net, tensors, "synthetic checkpoint")


def test_plain_dinov2_weights_fit_under_the_encoder(tmp_path):
    config = replace(PAPER, encoder="vit-s", taps=(3, 6, 9, 12))
    donor, net = build_network(config), build_network(config)
    plain = donor.backbone.model.state_dict()
    torch.save(plain, tmp_path / "plain.pt")
    report = initialise(net, tmp_path / "plain.pt")
    assert torch.equal(net.backbone.model.blocks[11].mlp.fc2.weight, plain["blocks.11.mlp.fc2.weight"])
    assert len(report.loaded) == len(plain) + 0
    assert not report.ignored
    assert all(name.startswith(("decoder.", "head.")) for name in report.fresh)


@pytest.mark.parametrize(("decoder", "expected"), [("light", 187.8), ("original", 243.2)])
def test_operations_at_280_by_364_are_the_published_ones(decoder, expected):
    macs = count_macs(meta(replace(PAPER, decoder=decoder)), 280, 364)
    assert published_macs(macs) / 1e9 == pytest.approx(expected, abs=0.05)
    assert macs["attention"] / 1e9 == pytest.approx(13.3, abs=0.05)


def test_convex_upsampling_by_hand():
    x = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    logits = torch.full((1, 9, 2, 2, 2, 2), -1e9)
    logits[:, 4] = 0  # the cell itself: nearest-neighbour enlargement
    assert torch.equal(convex_upsample(x, logits.flatten(1, 3), 2)[0, 0, ::2, ::2], x[0, 0])
    # row 0, column 1 inside every cell takes the right neighbour (5 of 9); zeros beyond the border
    logits[:, :, 0, 1] = -1e9
    logits[:, 5, 0, 1] = 0
    fine = convex_upsample(x, logits.flatten(1, 3), 2)[0, 0]
    assert fine.tolist() == [[1, 2, 2, 0], [1, 1, 2, 2], [3, 4, 4, 0], [3, 3, 4, 4]]
    # equal weights: the mean of nine, of which a corner cell has four
    even = convex_upsample(x, torch.zeros(1, 81, 2, 2), 3)
    assert torch.allclose(even, torch.full_like(even, 10 / 9))


def test_light_decoder_by_hand():
    """With every kernel a centre tap of one and no biases, the decoder is a sum that can be written down."""
    decoder = LightDpt(8)
    for module in decoder.modules():
        if isinstance(module, torch.nn.Conv2d):
            torch.nn.init.zeros_(module.bias)
            torch.nn.init.zeros_(module.weight)
            middle = module.kernel_size[0] // 2
            for c in range(min(module.in_channels, module.out_channels)):
                module.weight.data[c, c, middle, middle] = 1
    maps = [torch.full((1, 8, 2, 3), float(v)) for v in (1, 10, 100, 1000)]
    out = decoder(maps)
    assert out.shape == (1, 256, 4, 6)
    # a unit doubles; deepest: 2·1000, then each level: 2·(2·x + deeper)
    deep = 2 * 1000
    for value in (100, 10, 1):
        deep = 2 * (2 * value + deep)
    assert torch.equal(out[0, 0], torch.full((4, 6), float(deep)))
    # channel 1 exists from the second level on (8/8 = 1 channel at the first)
    deep = 2 * 1000
    for value in (100, 10, 0):
        deep = 2 * (2 * value + deep)
    assert torch.equal(out[0, 1], torch.full((4, 6), float(deep)))


def test_original_decoder_doubles_at_every_fusion_also_for_odd_sizes():
    for rows, cols in ((4, 6), (5, 7)):
        maps = [torch.rand(1, 16, rows, cols) for _ in range(4)]
        assert OriginalDpt(16)(maps).shape == (1, 256, 8 * rows, 8 * cols)


@pytest.mark.parametrize("decoder", ["light", "original"])
@pytest.mark.parametrize("representation", ["field", "rays"])
def test_field_at_full_size(decoder, representation):
    config = NetworkConfig("paper", "vit-s", 0, (1, 2, 3, 4), -1, decoder=decoder, representation=representation)
    net = build_network(config).eval()
    with torch.no_grad():
        answer = net(torch.rand(2, 3, 42, 70))
    assert answer["field"].shape == (2, 2, 42, 70)
    if representation == "rays":
        assert torch.allclose(answer["rays"].norm(dim=1), torch.ones(2, 42, 70), atol=1e-5)


@pytest.mark.parametrize(
    "change", [{"encoder": "vit-x"}, {"taps": (3, 2, 5, 6)}, {"taps": (1, 2)}, {"taps": (1, 2, 3, 25)}]
)
def test_impossible_networks_are_named(change):
    with pytest.raises(WeightsError):
        build_network(replace(PAPER, **change))
    assert set(ENCODERS) == {"vit-s", "vit-b", "vit-l"}
