"""Log-probabilities over the focal length: sources, sums, and what is read off them."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from anylens import Camera, evidence
from anylens.calibration.knowledge import Knowledge
from anylens.evidence import CENTRES, HALF_DIAGONAL_MM, Evidence, EvidenceError, add, interval, median, normal, std
from anylens.network.config import FOCAL_BINS, FOCAL_RANGE
from anylens.profiles import parse

MODELS = ["pinhole", "simple_radial:2", "kb:4", "ucm", "eucm", "division:1", "ds"]


def example(model):
    params, (width, height) = parse(model).profile.examples[0]
    return Camera(model, params[1:] if parse(model).simple else params, width, height)


def test_bins_are_those_of_the_network():
    assert evidence.BINS == FOCAL_BINS
    assert (evidence.LOW, evidence.HIGH) == FOCAL_RANGE


@settings(max_examples=60, deadline=None)
@given(st.floats(-1.0, 1.4), st.floats(0.05, 0.15))
def test_a_normal_is_read_back(mean, sigma):
    p = normal(mean, sigma)
    assert math.isclose(np.exp(p).sum(), 1, rel_tol=1e-9)
    assert abs(median(p) - mean) < 0.002
    assert abs(std(p) - math.hypot(sigma, evidence.STEP / math.sqrt(6))) < 0.001  # bins are read as even
    low, high = interval(p)
    assert abs((high - low) / 2 - sigma) < 0.15 * sigma + 0.002


def test_the_median_moves_evenly_inside_a_bin():
    means = 0.3 + np.linspace(0, 2 * evidence.STEP, 33)
    medians = np.array([median(normal(m, 0.1)) for m in means])
    assert np.allclose(medians, means, atol=5e-4)


def test_a_35mm_equivalent_is_read_back():
    assert evidence.focal_35mm(median(evidence.from_35mm(28.0))) == pytest.approx(28.0, rel=0.005)
    assert pytest.approx(43.27 / 2, abs=0.002) == evidence.HALF_DIAGONAL_MM


def test_a_wrong_tag_loses_against_clear_evidence_and_wins_against_vague():
    tag = evidence.from_35mm(28.0)
    clear, vague = normal(0.95, 0.04), normal(0.5, 0.3)
    assert median(add(tag, clear)) == pytest.approx(0.95, abs=0.02)
    assert evidence.focal_35mm(median(add(tag, vague))) == pytest.approx(28.0, rel=0.03)
    certain = evidence.from_35mm(28.0, doubt=0.0)
    assert median(add(certain, clear)) < 0.8  # it is the doubt that lets the tag lose


@pytest.mark.parametrize("model", MODELS)
def test_focal_lengths_are_paraxial_and_replaceable(model):
    camera = example(model)
    moved = evidence.with_log_focal(camera, 0.123)
    assert evidence.log_focal(moved) == pytest.approx(0.123, abs=1e-12)
    assert np.allclose(moved.coefs, camera.coefs)
    assert moved.full[0] / moved.full[1] == pytest.approx(camera.full[0] / camera.full[1])
    # Near the axis one radian is f·h'(0) pixels: measured, not computed from the model.
    pixels, _ = moved.project(np.array([[1e-5, 0.0, 1.0], [0.0, 1e-5, 1.0]]))
    per_radian = [(pixels[0, 0] - moved.full[2]) / 1e-5, (pixels[1, 1] - moved.full[3]) / 1e-5]
    half = math.hypot(camera.width, camera.height) / 2
    assert math.log(math.sqrt(per_radian[0] * per_radian[1]) / half) == pytest.approx(0.123, abs=1e-6)
    batch = evidence.with_log_focal(camera, CENTRES)
    assert batch.params.shape == (64, len(camera.params))


@pytest.mark.parametrize("model", ["pinhole", "kb:4", "eucm"])
def test_a_field_of_view_is_read_back_through_the_model(model):
    camera = example(model)
    p = Knowledge.of({"hfov": (70.0, 3.0)}).scale_evidence(camera)
    assert float(evidence.with_log_focal(camera, median(p)).hfov_deg) == pytest.approx(70.0, abs=0.5)


def test_priors_by_name():
    default = evidence.prior()
    photo, ends = evidence.PRIORS["photo"], (evidence.LOW, evidence.HIGH)
    assert sum(share for share, _, _ in photo) == pytest.approx(1)
    # Against a mixture computed by SciPy: the share of lenses between two focal lengths.
    lens = HALF_DIAGONAL_MM * np.exp(CENTRES)
    for low, high in ((10, 20), (24, 30), (30, 50), (60, 150)):
        inside = (low < lens) & (lens < high)
        bins = evidence.EDGES[:-1][inside].min(), evidence.EDGES[1:][inside].max()
        kinds = [(share, scipy.stats.norm(np.log(mm / HALF_DIAGONAL_MM), width)) for share, mm, width in photo]
        expected = sum(share * np.diff(kind.cdf(bins)) / np.diff(kind.cdf(ends)) for share, kind in kinds)
        assert np.exp(default)[inside].sum() == pytest.approx(expected[0], rel=0.01)
    assert evidence.focal_35mm(median(evidence.prior("phone"))) == pytest.approx(27.0, rel=0.01)
    assert np.ptp(evidence.prior("none")) == 0
    assert np.ptp(evidence.prior(None)) == 0
    with pytest.raises(EvidenceError, match="Known: photo"):
        evidence.prior("telescope")


def test_sums_are_products_of_normals_and_tempering_widens():
    both = add(normal(0.2, 0.2), normal(0.4, 0.2))
    assert median(both) == pytest.approx(0.3, abs=0.002)
    assert std(both) == pytest.approx(0.2 / math.sqrt(2), rel=0.03)
    quarter = add(normal(0.2, 0.1), weights=[0.25])
    assert std(quarter) == pytest.approx(0.2, rel=0.03)
    assert np.allclose(add(both, evidence.flat()), both)
    assert np.allclose(add(normal(0.1, 0.2), normal(0.6, 0.3)), add(normal(0.6, 0.3), normal(0.1, 0.2)))


def test_far_and_narrow_sources_stay_finite():
    for p in (normal(5.0, 0.01), normal(-7.0, 0.2), add(normal(1.9, 0.02), normal(-1.5, 0.02))):
        assert np.isfinite(p).all()
        assert evidence.LOW <= median(p) <= evidence.HIGH


@pytest.mark.parametrize("bad", [np.zeros(63), np.full(64, np.nan), np.full(64, -np.inf), np.full(64, np.inf)])
def test_what_cannot_be_read_is_refused(bad):
    with pytest.raises(EvidenceError):
        add(bad)
    with pytest.raises(EvidenceError):
        median(bad)


def test_bad_numbers_are_refused():
    for call in (
        lambda: normal(float("nan"), 0.1),
        lambda: normal(0.0, 0.0),
        lambda: evidence.from_35mm(-28.0),
        lambda: evidence.from_focal(0.0, 640, 480),
        lambda: add(evidence.flat(), weights=[1.0, 2.0]),
    ):
        with pytest.raises(EvidenceError):
            call()


def test_an_impossible_bin_stays_impossible():
    p = np.where(CENTRES < 0, -np.inf, 0.0)
    total = add(p, normal(-0.2, 0.1))
    assert np.isneginf(total[CENTRES < 0]).all()
    assert median(total) > 0


def test_the_source_that_told_most_is_named():
    found = Evidence().plus("prior", evidence.prior()).plus("network", normal(0.5, 0.2)).plus("exif", normal(0.4, 0.05))
    assert found.decided_by == "exif"
    assert found.median == pytest.approx(median(add(*found.terms.values())))
    shares = found.shares()
    assert shares["exif"] > shares["network"] > 0
    silent = found.plus("edges", evidence.flat())
    assert silent.shares()["edges"] == pytest.approx(0, abs=1e-12)
    assert Evidence().decided_by == "nothing"
    assert np.allclose(
        found.plus("exif", normal(0.4, 0.05), weight=0.0).log_prob, add(found.terms["prior"], found.terms["network"])
    )


@pytest.mark.parametrize("value", [-1.6, -1.571, 0.0, 0.31, 0.327, 0.35, 1.9, 2.0])
@pytest.mark.parametrize("std", [1e-4, 0.005, 0.013])
def test_a_sure_value_is_its_own_median(value, std):
    sure = evidence.normal(value, std)
    assert evidence.median(sure) == pytest.approx(value, abs=0.52 * evidence.STEP if value in (-1.6, 2.0) else 0.003)
    # and others hardly move it
    assert evidence.median(evidence.add(sure, evidence.normal(value + 0.3, 0.3))) == pytest.approx(
        evidence.median(sure), abs=0.01
    )
