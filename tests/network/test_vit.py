"""The encoder against independent programs: transformers' DINOv2, and torch's own bicubic resize."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

from anylens.network.positions import cubic_rows, resize_positions
from anylens.network.vit import TABLE, Vit

# transformers' names (of version 5, then of version 4) and the official ones
RENAMED = (
    ("embeddings.position_embeddings", "pos_embed"),
    ("embeddings.patch_embeddings.projection", "patch_embed.proj"),
    ("embeddings.", ""),
    ("encoder.layer.", "blocks."),
    ("layernorm.", "norm."),
    ("layer_scale1.lambda1", "ls1.gamma"),
    ("layer_scale2.lambda1", "ls2.gamma"),
    ("attention.attention.query", "attention.q_proj"),
    ("attention.attention.key", "attention.k_proj"),
    ("attention.attention.value", "attention.v_proj"),
    ("attention.output.dense", "attention.o_proj"),
    ("attention.o_proj", "attn.proj"),
)


def official_names(state):
    """A transformers state dict under the official names, with q, k and v joined."""
    renamed = {}
    for name, tensor in state.items():
        for theirs, official in RENAMED:
            name = name.replace(theirs, official)
        renamed[name] = tensor
    for name in [n for n in renamed if ".q_proj." in n]:
        parts = [renamed.pop(name.replace("q_proj", f"{k}_proj")) for k in "qkv"]
        renamed[name.replace("attention.q_proj", "attn.qkv")] = torch.cat(parts)
    return renamed


@pytest.mark.parametrize("registers", [0, 4])
def test_the_encoder_equals_transformers_dinov2(registers):
    transformers = pytest.importorskip("transformers")
    depth = 3
    settings = {
        "hidden_size": 384, "num_hidden_layers": depth, "num_attention_heads": 6, "image_size": 518,
        "patch_size": 14, "layerscale_value": 1.0, "use_swiglu_ffn": False, "attn_implementation": "eager",
    }  # fmt: skip
    torch.manual_seed(0)
    if registers:
        config = transformers.Dinov2WithRegistersConfig(num_register_tokens=registers, **settings)
        theirs = transformers.Dinov2WithRegistersModel(config).eval()
    else:
        theirs = transformers.Dinov2Model(transformers.Dinov2Config(**settings)).eval()
    with torch.no_grad():
        for parameter in theirs.parameters():  # biases and tokens start at zero, which would hide mistakes
            parameter.add_(0.02 * torch.randn_like(parameter))
    ours = Vit("vit-s", registers=registers, depth=depth, taps=(1, 3), complete=True).eval()
    ours.load_state_dict(official_names(theirs.state_dict()), strict=True)
    image = torch.rand(1, 3, 518, 518)
    with torch.no_grad():
        expected = theirs(image, output_hidden_states=True).hidden_states
        maps = ours(image)
    for passed, got in zip((1, 3), maps):
        want = expected[passed][:, 1 + registers :].transpose(1, 2).reshape(got.shape)
        assert (got - want).abs().max() < 2e-5 * want.abs().max()


def test_training_and_use_give_the_same_maps():
    """With gradients the attention is written out; without, it is torch's fused kernel."""
    torch.manual_seed(0)
    net = Vit("vit-s", registers=4, depth=2, taps=(1, 2), complete=False)
    with torch.no_grad():
        for p in net.parameters():
            p.add_(0.05 * torch.randn_like(p))
    image = torch.rand(2, 3, 70, 98)
    with torch.no_grad():
        expected = net(image)
    for got, want in zip(net(image), expected):
        assert got.requires_grad
        assert (got - want).abs().max() < 1e-5 * want.abs().max()


@pytest.mark.parametrize(("rows", "cols"), [(9, 9), (11, 20), (37, 36), (40, 23), (2, 50)])
def test_positions_without_registers_equal_torch_bicubic_by_scale(rows, cols):
    table = torch.randn(1, TABLE * TABLE, 8)
    ours = resize_positions(table, rows, cols, offset=0.1, antialias=False)
    grid = table.reshape(1, TABLE, TABLE, 8).permute(0, 3, 1, 2)
    scale = ((rows + 0.1) / TABLE, (cols + 0.1) / TABLE)
    theirs = F.interpolate(grid, scale_factor=scale, mode="bicubic", align_corners=False)
    assert theirs.shape[-2:] == (rows, cols)
    assert (ours - theirs.flatten(2).transpose(1, 2)).abs().max() < 5e-5
    to_size = F.interpolate(grid, (rows, cols), mode="bicubic", align_corners=False)
    assert (ours - to_size.flatten(2).transpose(1, 2)).abs().max() > 1e-3  # the difference matters


@pytest.mark.parametrize(("rows", "cols"), [(9, 9), (11, 20), (40, 23)])
def test_positions_with_registers_equal_torch_antialiased(rows, cols):
    table = torch.randn(1, TABLE * TABLE, 8)
    ours = resize_positions(table, rows, cols, offset=0.0, antialias=True)
    grid = table.reshape(1, TABLE, TABLE, 8).permute(0, 3, 1, 2)
    theirs = F.interpolate(grid, (rows, cols), mode="bicubic", align_corners=False, antialias=True)
    assert (ours - theirs.flatten(2).transpose(1, 2)).abs().max() < 1e-5


def test_the_table_itself_serves_its_own_size():
    table = torch.randn(1, TABLE * TABLE, 8)
    for offset, antialias in ((0.1, False), (0.0, True)):
        assert torch.equal(resize_positions(table, TABLE, TABLE, offset=offset, antialias=antialias), table)


def test_resampling_weights_sum_to_one():
    for antialias in (False, True):
        rows = cubic_rows(13, TABLE, offset=0.0, antialias=antialias)
        assert torch.allclose(rows.sum(dim=1), torch.ones(13), atol=1e-5)


def test_frozen_blocks_get_no_gradient_and_the_rest_do():
    net = Vit("vit-s", registers=4, depth=3, taps=(1, 3), complete=False)
    net.freeze(2)
    sum(m.square().mean() for m in net(torch.rand(2, 3, 28, 42))).backward()
    trained = {n.split(".")[1] for n, p in net.named_parameters() if p.grad is not None}
    assert trained == {"2"}
    assert all(p.grad is not None for p in net.blocks[2].parameters())


def test_backward_through_a_group_norm_on_tokens_does_not_crash():
    """torch's CPU backward of a group norm dies on a strided view; the maps must be contiguous."""
    net = Vit("vit-s", registers=4, depth=1, taps=(1,), complete=False)
    (maps,) = net(torch.rand(2, 3, 42, 28))
    assert maps.is_contiguous()
    F.group_norm(maps, 1).square().mean().backward()
