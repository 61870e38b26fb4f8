"""LensFun: broken entries, undistortion by Newton, EUCM of known lenses, the recipe, the figure."""

import math

import numpy as np
import pytest

from anylens.cli import main
from anylens.data.draw import draw_view
from anylens.data.lensfun.database import Calibration, find_database, read_database
from anylens.data.lensfun.lens import distort, sensor_angles, undistort
from anylens.data.lensfun.mapping import map_lens, map_lenses
from anylens.data.lensfun.recipe import lensfun_recipe
from anylens.errors import FormatError

GOOD = """<lensdatabase version="1">
  <camera><maker>Acme</maker><model>One</model>
    <model lang="en">Uno</model><cropfactor>1.5</cropfactor></camera>
  <camera><maker>Acme</maker><model>Broken</model><cropfactor>wide</cropfactor></camera>
  <lens><maker>Acme</maker><model>Acme Fish 8mm</model><type>equisolid</type><cropfactor>1.5</cropfactor>
    <calibration><distortion model="ptlens" focal="10" a="0" b="0" c="0"/></calibration></lens>
  <lens><maker>Acme</maker><model>Stereo 9mm</model><type>stereographic</type><cropfactor>1.5</cropfactor>
    <calibration><distortion model="poly3" focal="9" k1="-0.01"/></calibration></lens>
  <lens><maker>Acme</maker><model>Zoom</model><cropfactor>1.5</cropfactor><aspect-ratio>4:3</aspect-ratio>
    <calibration><distortion model="ptlens" focal="18" a="0.01" b="-0.03" c="0.01"/>
      <distortion model="poly3" focal="35" k1="-0.01"/>
      <distortion model="poly5" focal="50" k1="0.004" k2="-0.001"/>
      <distortion model="acm" focal="60" k1="0"/><distortion model="poly3" focal="-1" k1="0"/>
      <distortion model="poly3" focal="70" k1="x"/>
      <distortion model="poly3" focal="80" k1="1.5"/></calibration></lens>
</lensdatabase>"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "good.xml").write_text(GOOD)
    (tmp_path / "torn.xml").write_text(GOOD[:400])
    return tmp_path


def test_broken_entries_are_named(folder):
    found = read_database(folder)
    assert found.crop_factor("ACME", "ACME One") == 1.5
    assert found.crop_factor("acme", "uno") == 1.5
    assert found.crop_factor("acme", "two") is None
    assert len(found.calibrations) == 6
    text = "\n".join(found.skipped)
    for word in ("torn.xml", "Broken", "acm", "'-1'", "'x'"):
        assert word in text
    mapped, skipped = map_lenses(found)
    assert len(mapped) == 5
    assert "folds over" in skipped[-1]


def test_an_empty_database_is_refused(tmp_path):
    (tmp_path / "a.xml").write_text("<lensdatabase/>")
    with pytest.raises(FormatError, match="no LensFun lenses"):
        read_database(tmp_path)
    with pytest.raises(FormatError, match="apt install"):
        find_database(str(tmp_path / "missing"))


@pytest.mark.parametrize(
    ("model", "terms"), [("ptlens", (0.02, -0.05, 0.01)), ("poly3", (-0.03,)), ("poly5", (0.02, -0.01))]
)
def test_newton_undoes_the_distortion(model, terms):
    lens = Calibration("A", "B", "rectilinear", 18, model, terms, 1.5, 1.5)
    r = np.linspace(0, 1.8, 50)
    value, slope = distort(lens, r)
    assert np.allclose(undistort(lens, value), r, atol=1e-10)
    assert np.allclose(slope[1:-1], np.gradient(value, r)[1:-1], atol=2e-3)


def test_an_equisolid_lens_maps_to_its_eucm():
    """2 sin(ϑ/2) over the sensor of a 1.5 crop camera, independent of the code under test."""
    lens = Calibration("A", "B", "equisolid", 10, "ptlens", (0.0, 0.0, 0.0), 1.5, 1.5)
    short = 24 / 1.5 / 2 * 43.2666 / math.hypot(36, 24)
    assert sensor_angles(lens, np.array([1.0]))[0] == pytest.approx(2 * math.asin(short / 20), abs=1e-6)
    mapped = map_lens(lens)
    alpha, beta = mapped.coefs
    theta = np.linspace(0.01, 1.2, 50)
    profile = np.sin(theta) / (
        alpha * np.sqrt(beta * np.sin(theta) ** 2 + np.cos(theta) ** 2) + (1 - alpha) * np.cos(theta)
    )
    assert np.allclose(profile / (2 * np.sin(theta / 2)), 1, atol=0.01)
    assert mapped.error_deg < 0.3
    assert mapped.vfov_deg == pytest.approx(math.degrees(4 * math.asin(short / 20)), abs=1e-3)


def test_a_stereographic_lens_is_exactly_a_ucm():
    """2 tan(ϑ/2) = 2 sin ϑ / (1 + cos ϑ): EUCM with α = 1/2 and β = 1."""
    mapped = map_lens(Calibration("A", "B", "stereographic", 9, "poly3", (0.0,), 1.5, 1.5))
    assert mapped.coefs == (pytest.approx(0.5, abs=1e-4), pytest.approx(1, abs=1e-3))
    assert mapped.error_deg < 1e-3


def test_real_lenses_become_a_recipe(folder, tmp_path):
    recipe = lensfun_recipe(str(folder), str(tmp_path / "cache"))
    assert lensfun_recipe(str(folder), str(tmp_path / "cache")) == recipe
    rng = np.random.default_rng(0)
    models = {draw_view(recipe, rng, 90, 60).camera.model for _ in range(40)}
    assert models == {"radial:2", "eucm"}
    known = {round(row[0], 6) for lens in recipe.settings[0].lenses for row in lens.fixed}
    for _ in range(40):
        drawn = draw_view(recipe, rng, 90, 60)
        assert round(drawn.values["fov_deg"], 6) in known
        if not drawn.clamped:
            assert float(drawn.camera.hfov_deg) == pytest.approx(drawn.values["fov_deg"], abs=1e-3)


def test_the_command_line_and_the_figure(folder, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    assert main(["lensfun", str(folder), "--figure", str(tmp_path / "f.png"), "--verbose"]) == 0
    text = capsys.readouterr().out
    assert "2 of 2 fisheyes lie inside" in text
    assert "torn.xml" in text
    assert (tmp_path / "f.png").stat().st_size > 10_000
