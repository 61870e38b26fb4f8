"""The focal lengths that a run has shown, by kind of view, and the loss that takes the kind out."""

from __future__ import annotations

import pytest
import torch

from anylens.network.config import FOCAL_BINS
from anylens.network.focal import bin_centres, soft_bins
from anylens.training.config import TrainConfig
from anylens.training.losses import total_loss
from anylens.training.population import EDITED, PHOTOGRAPH, RENDERED, add_counts, count_focals, own_prior, shares

CENTRES = bin_centres(torch.zeros(1, dtype=torch.float64))


def labels(focals, kinds, edited=None):
    found = {"log_focal": torch.tensor(focals), "kind": torch.tensor(kinds)}
    return found if edited is None else found | {"edited": torch.tensor(edited)}


def mean_of(counts):
    p = torch.as_tensor(counts, dtype=torch.float64)
    return float(p @ CENTRES / p.sum())


def test_kinds_are_counted_apart_and_counts_add_up():
    counts = count_focals(labels([0.3, 1.5, 0.5, 0.9], [1, 0, 1, 0], [0.0, 0.0, 0.0, 1.0]))
    assert counts.sum(dim=1).tolist() == pytest.approx([1, 2, 1], abs=0.01)
    assert [mean_of(counts[k]) for k in (RENDERED, PHOTOGRAPH, EDITED)] == pytest.approx([1.5, 0.4, 0.9], abs=0.01)
    twice = add_counts(add_counts([], counts), counts)
    assert [sum(row) for row in twice] == pytest.approx([2, 4, 2], rel=1e-3)


def test_the_own_prior_is_half_photographs_whatever_their_share_and_leaves_edited_views_out():
    counts = count_focals(labels([0.2, 1.0, 1.0, 1.0, -1.0], [1, 0, 0, 0, 0], [0.0, 0.0, 0.0, 0.0, 1.0]))
    assert mean_of(own_prior(counts.tolist())) == pytest.approx(0.6, abs=0.02)
    only_edited = count_focals(labels([-1.0], [0], [1.0])).tolist()
    assert mean_of(own_prior(only_edited)) == pytest.approx(-1.0, abs=0.02)
    assert own_prior([]) == []


def test_what_was_shown_long_ago_fades():
    counts = add_counts([], count_focals(labels([0.3] * 8, [1] * 8)))
    new = count_focals(labels([1.0], [1]))
    for _ in range(3000):
        counts = add_counts(counts, new)
    early, late = (sum(counts[PHOTOGRAPH][bin_of(f) - 5 : bin_of(f) + 6]) for f in (0.3, 1.0))
    assert early == pytest.approx(8 * 0.9995**3000, rel=0.05)
    assert late == pytest.approx((1 - 0.9995**3000) / 0.0005, rel=0.05)


def test_no_focal_length_is_impossible_and_a_kind_hardly_seen_is_like_the_others():
    few = count_focals(labels([0.0] * 3, [0] * 3)) + 2000 * count_focals(labels([0.8], [1]))
    each, common = shares(few.tolist())
    assert each.sum(dim=1).tolist() == pytest.approx([1, 1, 1], abs=1e-5)
    assert float(common.sum()) == pytest.approx(1)
    assert torch.isfinite(torch.log(each / common)).all()
    assert abs(torch.log(each[EDITED] / common)).max() < 1e-5  # none seen
    assert abs(torch.log(each[RENDERED] / common)).max() < 0.1  # three seen
    assert mean_of(each[PHOTOGRAPH]) == pytest.approx(0.8, abs=0.05)
    assert torch.equal(shares([])[0], torch.full((3, FOCAL_BINS), 1 / FOCAL_BINS))


@pytest.mark.parametrize("one_prior", [True, False])
def test_a_network_that_sees_only_the_kind_answers_alike_for_both(one_prior):
    """Pictures that tell nothing but their kind: the best answer is the common prior for either, or each kind's own."""
    torch.manual_seed(0)
    focal = {RENDERED: 0.2 + 0.4 * torch.randn(500), PHOTOGRAPH: 0.6 + 0.4 * torch.randn(500)}
    batch = {
        "log_focal": torch.cat(list(focal.values())),
        "kind": torch.arange(2).repeat_interleave(500),
        "field": torch.zeros(1000, 2, 1, 1),
        "valid": torch.ones(1000, 1, 1, dtype=torch.bool),
        "weight": torch.ones(1000),
    }
    population = shares((40 * count_focals(batch)).tolist()) if one_prior else None
    logits = torch.zeros(2, FOCAL_BINS, requires_grad=True)
    optimiser = torch.optim.Adam([logits], lr=0.1)
    config = TrainConfig(focal_weight=1.0, photo_doubt=0.0)
    for _ in range(200):
        optimiser.zero_grad()
        answer = {"field": batch["field"], "focal_logits": logits[batch["kind"]]}
        total_loss(answer, batch, config, population)["loss"].backward()
        optimiser.step()
    found = [mean_of(torch.softmax(row.detach(), dim=0)) for row in logits]
    assert found == pytest.approx([0.4, 0.4] if one_prior else [0.2, 0.6], abs=0.04)


def test_a_doubtful_label_falls_back_on_what_is_usual():
    usual = torch.zeros(1, FOCAL_BINS).index_fill_(1, torch.tensor([5]), 1.0)
    target = soft_bins(torch.tensor([1.0]), torch.tensor([0.05]), torch.tensor([0.25]), usual)
    assert float(target[0, 5]) == pytest.approx(0.25)
    assert float(target.sum()) == pytest.approx(1)


def bin_of(log_focal: float) -> int:
    return int((log_focal + 1.6) / 3.6 * 64)
