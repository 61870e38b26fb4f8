"""What is left out in training: only there, only where something is learned, and nothing of it in use."""

from __future__ import annotations

import torch

from anylens.network.build import build_network
from anylens.network.config import NetworkConfig
from anylens.training.dropout import set_dropout

SMALL = NetworkConfig(taps=(1, 2), frozen=1, width=32)


def network() -> torch.nn.Module:
    torch.manual_seed(0)
    net = build_network(SMALL)
    with torch.no_grad():
        for parameter in net.parameters():  # the zeros and the tiny gains of a fresh network would hide everything
            parameter.add_(0.05 * torch.randn_like(parameter))
    return net


def answer(net: torch.nn.Module) -> torch.Tensor:
    image = torch.rand(3, 3, 28, 42, generator=torch.Generator().manual_seed(1))
    return torch.cat([net(image)["field"].flatten(1), net(image)["focal_logits"]], dim=1)


def test_dropout_changes_training_and_leaves_use_alone():
    net = network()
    plain = answer(net.eval())
    set_dropout(net, 0.5)
    assert torch.equal(answer(net.eval()), plain)
    assert not torch.allclose(answer(net.train()), plain)
    set_dropout(net, 0.0)
    torch.testing.assert_close(answer(net.train()), plain)


def test_every_part_that_learns_leaves_something_out_and_frozen_blocks_nothing():
    net = network()
    set_dropout(net, 0.5)
    blocks = net.backbone.model.blocks
    assert [block.drop for block in blocks] == [0.0, 0.5]
    for part in (blocks[1], net.head, net.head.focal):
        set_dropout(net, 0.0)
        plain = answer(net.train())
        part.drop = 0.5
        assert not torch.allclose(answer(net), plain), type(part).__name__


def test_a_block_left_out_passes_its_input_on_and_the_mean_stays():
    block = network().backbone.model.blocks[1].train()
    block.drop = 0.5
    branch = torch.ones(4000, 2, 3)
    kept = block.leave_out(branch)
    assert set(kept.unique().tolist()) == {0.0, 2.0}
    assert torch.equal(kept.amin(dim=(1, 2)), kept.amax(dim=(1, 2)))  # a picture is left out as a whole
    assert abs(float(kept.mean()) - 1) < 0.1
