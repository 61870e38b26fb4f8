"""anylens inside the evaluator with a played network: configurations, shared cameras, stability."""

import math

import numpy as np
import pytest

from anylens import Camera, ImageError
from anylens.evaluation.experiments import crops_table, run_crops, run_shared, run_stability, stability_table
from anylens.evaluation.methods.product import Configuration, parse_configuration
from anylens.evaluation.run import estimate, score_all
from anylens.evaluation.sample import Sample
from anylens.evaluation.shared import camera_groups
from anylens.evaluation.stability import CHANGES, EVERY, ROW
from anylens.evaluation.work import Plan
from anylens.evidence import log_focal, normal
from anylens.field import rays_to_field
from anylens.predict import Prediction
from anylens.predict.plan import plan_size

from .written import Held

WIDTH, HEIGHT, HFOV = 320, 240, 65.0


def camera(hfov, width=WIDTH, height=HEIGHT):
    f = width / 2 / math.tan(math.radians(hfov) / 2)
    return Camera("simple_pinhole", [f, width / 2, height / 2], width, height)


class Played:
    """A network whose hFoV is 65° plus 0.1° per level of brightness above 128; wider for small photos."""

    def many(self, pictures):
        return [self.one(rgb) for rgb in pictures]

    def one(self, rgb):
        h, w = rgb.shape[:2]
        seen = camera(HFOV + 0.1 * (float(rgb.mean()) - 128) + (3.0 if w < WIDTH else 0.0), w, h)
        plan = plan_size(w, h)
        pixels = plan.cell_centres(6, 8)
        field = np.asarray(rays_to_field(seen.unproject(pixels)[0]))
        return Prediction(plan, (6, 8), pixels, field, None, normal(log_focal(seen), 0.1))


def sample(name, level, owner="one"):
    rgb = np.full((HEIGHT, WIDTH, 3), level, np.uint8)
    true = camera(HFOV)
    return Sample(name, Held(rgb), WIDTH, HEIGHT, true, HFOV, true.vfov_deg, camera=owner)


@pytest.fixture
def plan():
    base = Configuration()
    return Plan((base, parse_configuration("anylens:network+model=simple_pinhole", base)), predictor=Played())


def test_configurations_share_the_look_but_not_the_conclusion(plan):
    found = estimate([sample("a", 128), sample("b", 178)], plan)
    alone = found["anylens:network+model=simple_pinhole"]
    assert alone["a"].hfov_deg == pytest.approx(65, abs=0.5)
    assert alone["b"].hfov_deg == pytest.approx(70, abs=0.5)
    assert found["anylens"]["b"].hfov_deg != alone["b"].hfov_deg  # the prior has its say
    low, high = alone["a"].interval
    assert low < 65 < high


def test_shared_cameras_beat_single_photos(plan):
    samples = [sample(str(i), level) for i, level in enumerate((88, 108, 148, 168))]
    samples += [sample("lonely", 200, "other")]
    assert [len(g) for g in camera_groups(samples)] == [4]
    alone = score_all(samples, estimate(samples, plan), 16)
    rows = run_shared(samples, plan, alone, grid=16, jobs=1, seed=0, draws=20)["all"]
    name = "anylens:network+model=simple_pinhole"
    assert rows[name].count == rows[f"{name}, shared"].count == 4
    assert rows[f"{name}, shared"].value("hfov_deg") < 0.5 * rows[name].value("hfov_deg")


def test_stability_finds_what_moves_the_answer(plan):
    rows = run_stability([sample(str(i), 120 + i) for i in range(3)], plan, (), jobs=1, seed=0, draws=20)
    [found] = (methods["anylens:network+model=simple_pinhole"] for methods in rows.values())
    assert set(found) == {*CHANGES, EVERY, ROW}
    assert found["shrunk to 288"]["signed_deg"].value == pytest.approx(3, abs=0.3)
    assert abs(found["JPEG 50"]["signed_deg"].value) < 0.3
    assert found[EVERY]["absolute_deg"].value < 0.5
    assert found[ROW]["signed_deg"].value == pytest.approx(3, abs=0.3)
    assert "shrunk to 288" in stability_table(rows)


def test_crops_tell_who_measures_from_who_recites(plan):
    """The played network always sees about 65°, so it hardly follows; one that knows the picture's scale follows."""

    class Measuring(Played):
        """Reads the angle of a pixel off the picture, where brightness falls by one level every four pixels."""

        def one(self, rgb):
            h, w = rgb.shape[:2]
            across = 4 * abs(float(rgb[0, 0, 0]) - float(rgb[0, -1, 0]))
            return super().one(np.full_like(rgb, 128)) if across == 0 else self.seen(across, w, h)

        def seen(self, across, w, h):
            true = camera(2 * math.degrees(math.atan(across / WIDTH * math.tan(math.radians(HFOV) / 2))), w, h)
            plan = plan_size(w, h)
            pixels = plan.cell_centres(6, 8)
            field = np.asarray(rays_to_field(true.unproject(pixels)[0]))
            return Prediction(plan, (6, 8), pixels, field, None, normal(log_focal(true), 0.05))

    ramp = np.repeat(np.repeat((np.arange(WIDTH) // 4 + 40).astype(np.uint8)[None, :, None], HEIGHT, 0), 3, 2)
    true = camera(HFOV)
    samples = [Sample("a", Held(ramp), WIDTH, HEIGHT, true, HFOV, true.vfov_deg)]
    name = "anylens:network+model=simple_pinhole"
    often = {"jobs": 1, "seed": 0, "draws": 20}
    measured = run_crops(samples, Plan(plan.configurations, predictor=Measuring()), (), **often)
    recited = run_crops(samples, plan, (), **often)
    [follows], [stays] = ([methods[name] for methods in rows.values()] for rows in (measured, recited))
    assert follows[0.5].value == pytest.approx(1, abs=0.15)
    assert abs(stays[0.5].value) < 0.3
    assert "50%" in crops_table(measured)


def test_a_crop_that_cannot_be_calibrated_counts_as_not_noticed(plan):
    class Refusing(Played):
        def one(self, rgb):
            if rgb.shape[1] < 0.6 * WIDTH:
                raise ImageError("too small to see anything")
            return super().one(rgb)

    rows = run_crops([sample("a", 128)], Plan(plan.configurations, predictor=Refusing()), (), jobs=1, seed=0, draws=20)
    [found] = (methods["anylens:network+model=simple_pinhole"] for methods in rows.values())
    assert found[0.5].value == 0
    assert found[0.7].value != 0
