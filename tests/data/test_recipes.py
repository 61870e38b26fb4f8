"""Recipes: distributions as drawn, validity of every camera, determinism, user files."""

import json
import math

import numpy as np
import pytest
from scipy import stats

from anylens.data.builtin import BUILTIN
from anylens.data.draw import draw_view
from anylens.data.labels import field_label
from anylens.data.recipes import load_recipe, read_recipe
from anylens.data.splits import assign_splits
from anylens.errors import FormatError


def draws(name, count=10_000, size=64, seed=0):
    rng = np.random.default_rng(seed)
    return [draw_view(BUILTIN[name], rng, size, size) for _ in range(count)]


@pytest.fixture(scope="module")
def general():
    return draws("op_g")


def matches(values, cdf):
    return stats.kstest(values, cdf).pvalue > 0.005


def test_shares_and_distributions_of_op_g(general, record_property):
    by_model = {m: [d for d in general if d.camera.model == m] for m in ("pinhole", "radial:1", "eucm")}
    for model, share in (("pinhole", 0.34), ("radial:1", 0.33), ("eucm", 0.33)):
        assert len(by_model[model]) / len(general) == pytest.approx(share, abs=0.02)
    narrow, wide = stats.uniform(20, 85).cdf, stats.uniform(50, 130).cdf
    assert matches([d.values["fov_deg"] for d in by_model["pinhole"]], narrow)
    assert matches([d.values["fov_deg"] for d in by_model["radial:1"]], narrow)
    assert matches([d.values["fov_deg"] for d in by_model["eucm"]], wide)
    assert matches(
        [d.values["k1_hat"] for d in by_model["radial:1"]],
        stats.truncnorm(-0.3 / 0.07, 0.3 / 0.07, 0, 0.07).cdf,
    )
    assert matches([d.values["alpha"] for d in by_model["eucm"]], stats.uniform(0.5, 0.3).cdf)
    assert matches([d.values["beta"] for d in by_model["eucm"]], stats.uniform(0.5, 1.5).cdf)
    for angle in ("roll_deg", "pitch_deg"):
        assert matches([d.values[angle] for d in general], stats.uniform(-45, 90).cdf)
    clamped = {m: float(np.mean([d.clamped for d in ds])) for m, ds in by_model.items()}
    record_property("clamped", clamped)
    assert clamped["pinhole"] == 0
    assert clamped["radial:1"] < 0.1
    assert clamped["eucm"] < 0.5


@pytest.mark.parametrize("name", ["op_p", "op_r", "op_d"])
def test_the_other_sets_of_the_paper(name):
    models = {"op_p": {"pinhole"}, "op_r": {"radial:1"}, "op_d": {"radial:1", "eucm"}}[name]
    drawn = draws(name, 400)
    assert {d.camera.model for d in drawn} == models
    if name == "op_d":
        assert np.mean([d.camera.model == "eucm" for d in drawn]) == pytest.approx(0.5, abs=0.08)


def test_the_field_of_view_is_the_one_drawn(general):
    for d in general[:600]:
        if not d.clamped:
            assert float(d.camera.vfov_deg) == pytest.approx(d.values["fov_deg"], abs=1e-6)
        if d.camera.model == "radial:1" and not d.clamped:
            assert d.camera.coefs[0] * 64 / d.camera.full[0] == pytest.approx(d.values["k1_hat"], abs=1e-9)


@pytest.mark.parametrize("name", list(BUILTIN))
def test_no_view_folds_over(name):
    """Every pixel, corners included, has a ray, and the ray leads back to the pixel."""
    rng = np.random.default_rng(3)
    for _ in range(250):
        width, height = (int(s) for s in rng.integers(32, 90, 2))
        camera = draw_view(BUILTIN[name], rng, width, height).camera
        corners = np.array([[0, 0], [width, 0], [0, height], [width, height]], float)
        rays, valid = camera.unproject(corners)
        assert valid.all()
        pixels, seen = camera.project(rays)
        assert seen.all()
        assert np.abs(pixels - corners).max() < 1e-4
        assert field_label(camera, 4)[1].all()


def test_edited_cameras_are_stretched_and_off_centre():
    drawn = draws("edited", 400)
    aspects = [d.camera.full[1] / d.camera.full[0] for d in drawn]
    assert 0.5 <= min(aspects) < 0.6
    assert 1.8 < max(aspects) <= 2.0
    shift = [abs(d.camera.full[2] / 64 - 0.5) for d in drawn]
    assert max(shift) > 0.3
    assert matches([d.values["aspect"] for d in drawn], stats.uniform(0.5, 1.5).cdf)
    assert matches([d.values["keep_x"] for d in drawn], stats.uniform(0.5, 0.5).cdf)


def test_world_is_mostly_ordinary_lenses():
    drawn = draws("world", 3000)
    f35 = np.array([d.values["f35"] for d in drawn if "f35" in d.values])
    assert 25 < np.median(f35) < 35
    assert f35.max() > 150
    held = [abs(d.values["roll_deg"]) for d in drawn if "f35" in d.values]
    assert np.median(held) < 3


def test_a_recipe_of_ones_own(tmp_path):
    data = {
        "name": "mine",
        "aspect": {"uniform": [0.5, 2]},
        "views": 4,
        "min_source_pixels": 2.0,
        "settings": [
            {
                "lenses": [
                    {
                        "model": "kb:2",
                        "fov_deg": {"uniform": [100, 190]},
                        "coefs": {"k1": {"normal": [0, 0.01]}, "k2": 0},
                    },
                    {"model": "simple_pinhole", "share": 2, "f35": {"lognormal": [35, 0.2]}},
                ],
                "roll_deg": 0,
                "pitch_deg": {"mixture": [[1, {"constant": 5}], [1, {"uniform": [-3, 3]}]]},
                "shift": {"uniform": [-0.2, 0.2]},
            }
        ],
    }
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(data))
    recipe = load_recipe(str(path))
    rng = np.random.default_rng(0)
    drawn = [draw_view(recipe, rng, 80, 60) for _ in range(200)]
    assert {d.camera.model for d in drawn} == {"kb:2", "simple_pinhole"}
    assert all(d.values["roll_deg"] == 0 for d in drawn)
    assert max(abs(d.camera.full[2] / 80 - 0.5) for d in drawn) > 0.1
    assert recipe.min_source_pixels == 2.0


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "{}",
        '{"settings": []}',
        '{"settings": [{"lenses": []}]}',
        '{"settings": [{"lenses": [{"model": "pinhole"}]}]}',
        '{"settings": [{"lenses": [{"model": "pinhole", "fov_deg": {"gauss": 3}}]}]}',
        '{"settings": [{"lenses": [{"model": "pinhole", "fov_deg": 50, "coefs": {"k9": 1}}]}]}',
        '{"settings": [{"lenses": [{"model": "pinhole", "fov_deg": 50}], "tilt": 3}]}',
    ],
)
def test_wrong_recipes_are_refused_in_words(tmp_path, text):
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(FormatError):
        read_recipe(tmp_path / "r.json")


def test_mixes_add_up():
    mix = load_recipe("op_p*3+op_r*1")
    rng = np.random.default_rng(0)
    share = np.mean([draw_view(mix, rng, 32, 32).camera.model == "pinhole" for _ in range(2000)])
    assert share == pytest.approx(0.75, abs=0.04)
    with pytest.raises(FormatError, match="number after"):
        load_recipe("op_p*x+op_r")


def test_focal_of_a_clamped_view_ends_at_the_fold(general):
    clamped = [d for d in general if d.clamped and d.camera.model == "eucm"][:20]
    for d in clamped:
        f, alpha, beta = d.camera.full[0], *d.camera.coefs
        assert f == pytest.approx(math.hypot(32, 32) * math.sqrt(beta * (2 * alpha - 1)) / 0.9995, rel=1e-6)


def test_splits_are_90_5_5():
    names = [f"place {i}" for i in range(200)]
    found = assign_splits(names)
    assert [list(found.values()).count(s) for s in ("train", "val", "test")] == [180, 10, 10]
    assert assign_splits(reversed(names)) == found
