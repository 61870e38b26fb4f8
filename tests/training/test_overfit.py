"""A handful of views can be learned by heart: every network and every loss reaches 0.3° there."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from standin_views import make_batch

from anylens.network.build import build_network
from anylens.network.rays import angle_between, field_to_rays
from anylens.training.batches import to_device
from anylens.training.checkpoint import parameter_groups
from anylens.training.config import TrainConfig
from anylens.training.losses import total_loss, view_mean

LAPTOP = TrainConfig(taps=(1, 2), frozen=2, width=64, rate=1e-3, weight_decay=0.0, focal_weight=0.005)
PAPER = TrainConfig(network="paper", taps=(1, 2, 3, 4), frozen=4, registers=0, rate=7e-4, weight_decay=0.0)


def learn(config, stride, steps, views=4, rows=2):
    """Mean angle in degrees between predicted and true rays after learning a few rendered views by heart."""
    torch.manual_seed(0)
    batch = make_batch(views, rows, rows + 1, seed=5, number=0, stride=stride)
    batch["kind"] = torch.zeros(views, dtype=torch.long)
    image, labels = to_device(batch, torch.device("cpu"))
    net = build_network(config.network_config)
    torch.nn.init.normal_(net.backbone.model.pos_embed, std=0.5)  # as loud as the patches, as in trained encoders
    optimiser = torch.optim.AdamW(parameter_groups(net, config), lr=config.rate, betas=(0.9, 0.95))
    for group in optimiser.param_groups:
        group["lr"] = config.rate * group["share"]
    plan = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    for _ in range(steps):
        optimiser.zero_grad()
        total_loss(net(image), labels, config)["loss"].backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        plan.step()
    with torch.no_grad():
        answer = net.eval()(image)
        angle = angle_between(field_to_rays(answer["field"]), field_to_rays(labels["field"]))
    return float(torch.rad2deg(view_mean(angle, labels["valid"]).mean()))


@pytest.mark.parametrize(("loss", "steps"), [("field", 60), ("rays-angle", 60), ("rays-cosine", 200)])
def test_the_laptop_network_learns_views_by_heart(loss, steps):
    assert learn(replace(LAPTOP, loss=loss), stride=14, steps=steps) < 0.3


def test_the_paper_network_learns_views_by_heart():
    assert learn(PAPER, stride=1, steps=140, views=2, rows=3) < 0.3
