"""Losses: what a photograph may teach, what an outlier may do, and what never moves the field."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from standin_views import make_batch

from anylens.training.config import TrainConfig
from anylens.training.losses import shape_residual, total_loss, view_mean

CONFIG = TrainConfig(focal_weight=0.0, variance_weight=0.0)


def labels(kind, batch=4):
    views = make_batch(batch, 3, 4, seed=1, number=0)
    views.pop("image")
    return {**views, "kind": torch.full((batch,), kind)}


def answer_near(batch, scale):
    """An answer whose field is the truth times `scale`, ready for gradients."""
    count, _, h, w = batch["field"].shape
    field = (batch["field"] * scale).requires_grad_()
    log_var = torch.zeros(count, h, w, requires_grad=True)
    return {"field": field, "log_var": log_var, "focal_logits": torch.zeros(count, 64, requires_grad=True)}


def test_invalid_cells_count_nothing_and_views_count_alike():
    values = torch.tensor([[[1.0, 9.0]], [[3.0, 5.0]], [[7.0, 7.0]]])
    valid = torch.tensor([[[True, False]], [[True, True]], [[False, False]]])
    assert view_mean(values, valid).tolist() == [1, 4, 0]


def test_halves_of_a_batch_average_to_the_whole():
    whole = labels(0)
    answer = answer_near(whole, 1.2)
    config = TrainConfig()
    total = total_loss(answer, whole, config)["loss"]
    halves = [
        total_loss({k: v[s] for k, v in answer.items()}, {k: v[s] for k, v in whole.items()}, config)["loss"]
        for s in (slice(0, 2), slice(2, 4))
    ]
    assert torch.allclose(total, sum(halves) / 2, atol=1e-6)


def test_an_outlying_photograph_pulls_less_than_a_rendered_view():
    pulls = {}
    for kind in (0, 1):
        for scale in (1.02, 3.0):
            batch = labels(kind)
            answer = answer_near(batch, scale)
            total_loss(answer, batch, CONFIG)["loss"].backward()
            pulls[kind, scale] = float(answer["field"].grad.abs().sum())
    assert pulls[0, 3.0] == pytest.approx(pulls[0, 1.02], rel=1e-3)  # L1: the same pull at any distance
    assert pulls[1, 1.02] == pytest.approx(0.5 * pulls[0, 1.02], rel=0.15)
    assert pulls[1, 3.0] < 0.5 * pulls[1, 1.02]


def test_the_variance_learns_the_size_of_the_shape_error_and_never_moves_the_field():
    batch = labels(0)
    config = replace(CONFIG, variance_weight=1.0, photo_field_weight=0.0)
    bent = batch["field"] + 0.05 * torch.sign(
        torch.randn(batch["field"].shape, generator=torch.Generator().manual_seed(0))
    )
    spread = torch.zeros(4, 3, 4, requires_grad=True)
    optimiser = torch.optim.Adam([spread], lr=0.1)
    field = (1.3 * bent).requires_grad_()  # a wrong scale is not a wrong shape
    for _ in range(200):
        optimiser.zero_grad()
        total_loss({"field": field, "log_var": spread}, batch, config)["loss"].backward()
        optimiser.step()
    expected = shape_residual(field.detach(), batch["field"], batch["valid"])
    assert torch.allclose(spread.exp().detach(), expected, rtol=0.05)
    assert expected.median() < 0.06
    config = replace(config, variance_weight=0.0)
    without = torch.autograd.grad(total_loss({"field": field, "log_var": spread}, batch, config)["loss"], field)[0]
    config = replace(config, variance_weight=1.0)
    with_it = torch.autograd.grad(total_loss({"field": field, "log_var": spread}, batch, config)["loss"], field)[0]
    assert torch.equal(without, with_it)


def test_photographs_teach_no_shape():
    batch = labels(1)
    answer = answer_near(batch, 1.1)
    total_loss(answer, batch, replace(CONFIG, variance_weight=1.0))["loss"].backward()
    assert answer["log_var"].grad.abs().max() == 0


def test_a_wrong_tag_costs_a_bounded_pull():
    """Doubt keeps the target from ever demanding zero probability elsewhere: all bins keep some."""
    batch = labels(1)
    answer = answer_near(batch, 1.0)
    config = replace(CONFIG, focal_weight=1.0, photo_doubt=0.2)
    optimiser = torch.optim.Adam([answer["focal_logits"]], lr=0.3)
    for _ in range(400):
        optimiser.zero_grad()
        total_loss(answer, batch, config)["loss"].backward()
        optimiser.step()
    learned = torch.softmax(answer["focal_logits"].detach(), dim=1)
    assert learned.min() == pytest.approx(0.2 / 64, rel=0.1)


def test_untrusted_views_weigh_less():
    batch = labels(0)
    answer = answer_near(batch, 1.2)
    full = total_loss(answer, batch, CONFIG)["loss"]
    half = total_loss(answer, {**batch, "weight": batch["weight"] * 0.5}, CONFIG)["loss"]
    assert torch.allclose(half, 0.5 * full)
