"""The focal lengths that a run has shown: photographs count, rendered views only where there are no photographs."""

import numpy as np
import pytest
import torch

from anylens.network.focal import bin_centres
from anylens.training.population import count_focals


def labels(focals, kinds, edited=None):
    found = {"log_focal": torch.tensor(focals), "kind": torch.tensor(kinds)}
    return found if edited is None else found | {"edited": torch.tensor(edited)}


def mean_of(counts):
    centres = bin_centres(torch.zeros(1, dtype=torch.float64)).numpy()
    return float(np.asarray(counts) @ centres / np.sum(counts))


def test_photographs_are_counted_and_counts_add_up():
    counts = count_focals([], labels([0.3, 1.5, 0.5], [1, 0, 1]))
    assert len(counts) == 64
    assert sum(counts) == pytest.approx(2, abs=0.02)
    assert mean_of(counts) == pytest.approx(0.4, abs=0.02)
    counts = count_focals(counts, labels([1.0, 1.0], [1, 1]))
    assert sum(counts) == pytest.approx(4, abs=0.04)
    assert mean_of(counts) == pytest.approx(0.7, abs=0.02)


def test_without_photographs_rendered_views_count_but_not_edited_ones():
    counts = count_focals([], labels([0.2, 1.2], [0, 0], [0.0, 1.0]))
    assert mean_of(counts) == pytest.approx(0.2, abs=0.02)
    assert sum(count_focals([], labels([0.2, 1.2], [0, 0]))) == pytest.approx(2, abs=0.02)


def test_what_was_shown_long_ago_fades():
    counts = count_focals([], labels([0.3] * 8, [1] * 8))
    for _ in range(3000):
        counts = count_focals(counts, labels([1.0], [1]))
    early, late = (sum(counts[bin_of(f) - 5 : bin_of(f) + 6]) for f in (0.3, 1.0))
    assert early == pytest.approx(8 * 0.9995**3000, rel=0.05)
    assert late == pytest.approx((1 - 0.9995**3000) / 0.0005, rel=0.05)


def bin_of(log_focal: float) -> int:
    return int((log_focal + 1.6) / 3.6 * 64)
