"""Plots and the page of results: written, or skipped with a notice where matplotlib is missing."""

import sys

import numpy as np
import pytest

from anylens.cli import main
from anylens.evaluation.command import spread_out
from anylens.evaluation.page import fitted_models, write_page
from anylens.evaluation.plots import LEVELS, reliability

from .test_experiments import plan, sample  # noqa: F401
from .written import pinhole_row, write_manifest, write_picture


def test_reliability_of_honest_and_of_too_narrow_intervals():
    z = np.abs(np.random.default_rng(0).standard_normal(20_000))
    assert reliability(z) == pytest.approx(LEVELS, abs=0.02)
    assert (reliability(2 * z) < LEVELS - 0.01).all()


def test_spread_out():
    assert spread_out(range(10), 4) == [0, 3, 6, 9]
    assert spread_out(range(3), 4) == [0, 1, 2]


@pytest.fixture
def photos(tmp_path):
    for i in range(5):
        write_picture(tmp_path / "photos" / f"{i}.png")
    write_manifest(tmp_path / "photos", [pinhole_row(f"{i}.png", 40.0 + 10 * i) for i in range(5)])
    return tmp_path / "photos"


def test_plots(photos, tmp_path):
    pytest.importorskip("matplotlib")
    assert main(["evaluate", str(photos), "--methods", "colmap,constant", "--plots", str(tmp_path / "plots")]) == 0
    assert {p.name for p in (tmp_path / "plots").iterdir()} == {"error_against_fov.png", "cumulative.png"}


def test_no_matplotlib_is_a_notice(photos, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)
    assert main(["evaluate", str(photos), "--methods", "colmap", "--plots", str(tmp_path / "plots")]) == 0
    shown = capsys.readouterr()
    assert "matplotlib" in shown.err
    assert "colmap" in shown.out


def test_no_opencv_is_a_notice(photos, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "cv2", None)
    assert main(["evaluate", str(photos), "--methods", "colmap,vanishing-points"]) == 0
    assert "needs OpenCV" in capsys.readouterr().err


def test_page(plan, tmp_path):  # noqa: F811
    pytest.importorskip("matplotlib")
    broken = sample("broken", 128)
    broken = type(broken)(**{**vars(broken), "source": tmp_path / "gone.png"})
    assert write_page(tmp_path / "page.html", [sample("a", 128), broken], plan, "A <page>") == 2
    text = (tmp_path / "page.html").read_text()
    assert text.count("data:image/png") == 1
    assert "A &lt;page&gt;" in text
    assert "failed:" in text
    result = plan.observer().results(sample("a", 128).picture())["anylens"]
    assert all(abs(float(one.camera.hfov_deg) - 65) < 0.5 for one in fitted_models(result).values())
