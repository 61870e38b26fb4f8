"""Recall areas, medians, bootstrap, risk and coverage."""

import math

import numpy as np
import pytest

from anylens.evaluation.bootstrap import bootstrap, median, upper
from anylens.evaluation.figures import risk_coverage, summarise, summarise_cameras
from anylens.evaluation.metrics import ERRORS, Scores
from anylens.evaluation.recall import auc_exact, auc_published


def scores(errors, **more):
    return [
        Scores(f"{i}.jpg", dict.fromkeys(ERRORS, float(e)), failed=math.isinf(e), signed_deg=float(e), **more)
        for i, e in enumerate(errors)
    ]


def stairs(errors, limit):
    """The recall curve with its steps drawn as vertical pieces, by trapezoids."""
    e = np.sort(errors[errors <= limit])
    x = np.concatenate([[0.0], np.repeat(e, 2), [limit]])
    n = len(errors)
    y = np.concatenate([np.repeat(np.arange(len(e) + 1) / n, 2)])
    return np.trapezoid(y, x) / limit


def published_by_hand(errors, limit):
    e = np.sort(errors)
    recall_at = lambda t: np.mean(errors <= t)  # noqa: E731
    points = [(0.0, recall_at(1)), (1.0, recall_at(1))]
    points += [(v, (i + 1) / len(e)) for i, v in enumerate(e) if 1 < v <= limit]
    points.append((limit, points[-1][1]))
    x, y = np.array(points).T
    return np.trapezoid(y, x) / limit


@pytest.mark.parametrize("limit", [1, 5, 10])
@pytest.mark.parametrize("seed", range(5))
def test_areas_against_trapezoids(limit, seed):
    errors = np.random.default_rng(seed).exponential(4.0, 57)
    errors[:3] = np.inf
    assert auc_exact(errors, limit) == pytest.approx(stairs(errors, limit))
    assert auc_published(errors, limit) == pytest.approx(published_by_hand(errors, limit))


def test_areas_of_the_extremes():
    for area in (auc_exact, auc_published):
        assert area(np.zeros(7), 5) == pytest.approx(1)
        assert area(np.full(7, np.inf), 5) == 0
    errors = np.array([0.2, 0.9, 3.0, 20.0])
    assert auc_published(errors, 1) == pytest.approx(0.5)  # recall at 1°
    assert auc_exact(errors, 1) == pytest.approx((0.8 + 0.1) / 4)
    both = np.stack([errors, errors + 1])
    assert auc_published(both, 5) == pytest.approx([auc_published(errors, 5), auc_published(errors + 1, 5)])


def test_a_perfect_method_and_a_failed_one():
    rng = np.random.default_rng(0)
    perfect, failed = summarise(scores([0.0] * 5), rng), summarise(scores([math.inf] * 5), rng)
    assert perfect.value("hfov_deg") == 0
    assert perfect.value("hfov_auc1") == perfect.value("vfov_auc_exact10") == 100
    assert failed.value("ae_deg") == math.inf
    assert failed.value("hfov_auc10") == 0
    assert failed.failed == 5


def test_a_failure_moves_the_median_and_is_counted():
    rng = np.random.default_rng(0)
    found = summarise(scores([1.0, 2.0, 3.0, math.inf, math.inf]), rng)
    assert found.value("ae_deg") == 3.0
    assert found.count == 5
    assert found.failed == 2
    assert found.figures["ae_deg"].high == math.inf


def test_median_and_upper():
    values = np.array([[4.0, 1.0, 3.0, 2.0], [np.inf, 1.0, np.inf, 0.0]])
    assert median(values).tolist() == [2.5, math.inf]
    assert upper(np.arange(1.0, 11.0)) == 8.0


def test_bootstrap_covers_the_median_about_as_often_as_it_says():
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(200):
        low, high = bootstrap(rng.exponential(1.0, 40), median, rng, draws=200)
        hits += low <= math.log(2) <= high
    assert 175 <= hits <= 200
    assert all(map(math.isnan, bootstrap(np.array([1.0]), median, rng)))


def test_each_camera_counts_once():
    rng = np.random.default_rng(0)
    found = summarise_cameras(scores([1.0, 1.0, 1.0, 5.0, 9.0, 7.0]), ["a", "a", "a", "b", "b", "c"], rng)
    assert found.count == 3
    assert found.value("hfov_deg") == 7.0
    one = summarise_cameras(scores([1.0, math.inf, 2.0]), ["a", "a", "b"], rng)
    assert one.figures["hfov_deg"].value == math.inf


def test_risk_and_coverage():
    errors, doubt = np.array([3.0, 1.0, 2.0]), np.array([30.0, 10.0, 20.0])
    assert risk_coverage(errors, doubt) == pytest.approx((1 + 1.5 + 2) / 3)
    assert risk_coverage(errors, -doubt) == pytest.approx((3 + 2.5 + 2) / 3)
    rng = np.random.default_rng(0)
    rows = scores([1.0, 2.0], covered=True, width_deg=1.0) + scores([9.0, 9.0], covered=False, width_deg=5.0)
    found = summarise(rows, rng)
    assert found.value("coverage68") == 50
    assert found.value("risk_coverage_deg") < found.value("risk_random_deg") == pytest.approx(5.25)
