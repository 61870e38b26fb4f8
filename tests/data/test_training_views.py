"""Batches: contents, purity in (seed, step), workers, ranks, resuming, sharpness-neutral shapes."""

import pickle

import numpy as np
import pytest
from PIL import Image

from anylens.data.batches import BatchMaker, balanced_weights
from anylens.data.config import ViewConfig
from anylens.data.synthetic import box_world
from anylens.errors import FormatError, ImageError

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def config(pano_folder, photo_folder, tmp_path_factory):
    cache = str(tmp_path_factory.mktemp("cache"))
    return ViewConfig(
        panoramas=str(pano_folder),
        photos=str(photo_folder),
        photo_ratio=0.5,
        recipe="op_g",
        batch=6,
        area=56 * 56,
        min_source_pixels=1.5,
        cache=cache,
        seed=3,
    )


def same(a, b):
    return all(np.array_equal(np.asarray(a[k]), np.asarray(b[k])) for k in a)


def test_a_batch_holds_what_is_promised(config):
    from anylens.data.views import TrainingViews

    for stride in (14, 7, 1):
        views = TrainingViews(_with(config, field_stride=stride), prepare=False)
        batch = views.batch(0)
        B, C, H, W = batch["image"].shape
        assert (B, C) == (6, 3)
        assert H % 14 == W % 14 == 0
        assert batch["image"].dtype == torch.uint8
        assert batch["field"].shape == (6, 2, H // stride, W // stride)
        assert batch["field"].dtype == torch.float32
        assert batch["valid"].shape == (6, H // stride, W // stride)
        assert batch["valid"].all()
        assert batch["kind"].sum() == 3
        assert set(batch["weight"].tolist()) <= {0.5, 1.0}
        assert torch.isfinite(batch["log_focal"]).all()


def test_the_log_focal_of_a_photograph_is_that_of_its_crop(config):
    maker = BatchMaker(_with(config, panoramas=None, augment="none"))
    batch = maker.batch(4)
    height, width = batch["image"].shape[2:]
    f = np.exp(batch["log_focal"]) * np.hypot(width, height) / 2
    # the field at the cell next to the centre:  tan θ = offset / f
    grid = (np.arange(width // 14) + 0.5) * 14 - width / 2
    row = batch["field"][:, 0, batch["field"].shape[2] // 2]
    rays = np.tan(np.linalg.norm(batch["field"], axis=1))
    assert np.isfinite(rays).all()
    assert np.allclose(np.sign(row), np.sign(grid)[None], atol=1)
    assert (f > 0.5 * width).all()


def test_batches_depend_on_seed_and_step_only(config):
    first, second = BatchMaker(config), BatchMaker(config)
    late = second.batch(7)
    assert same(first.batch(7), late)
    assert same(second.batch(7), first.batch(7))
    assert not same(first.batch(8), late) or late["image"].shape != first.batch(8)["image"].shape
    other = BatchMaker(_with(config, seed=4)).batch(7)
    assert other["image"].shape != late["image"].shape or not same(other, late)


def test_workers_and_resuming_give_the_same_stream(config):
    from anylens.data.views import TrainingViews

    alone = [b for _, b in zip(range(5), TrainingViews(config, prepare=False))]
    workers = [b for _, b in zip(range(5), TrainingViews(config).loader(num_workers=2))]
    assert all(same(a, b) for a, b in zip(alone, workers))
    resumed = [b for _, b in zip(range(2), TrainingViews(_with(config, start_step=3)).loader(num_workers=1))]
    assert all(same(a, b) for a, b in zip(alone[3:], resumed))


def test_ranks_share_the_stream(config):
    from anylens.data.views import TrainingViews

    alone = [b for _, b in zip(range(4), TrainingViews(config, prepare=False))]
    for rank in range(2):
        mine = [b for _, b in zip(range(2), TrainingViews(_with(config, rank=rank, world_size=2), prepare=False))]
        assert all(same(a, b) for a, b in zip(alone[rank::2], mine))


def test_a_config_pickles_and_refuses_nonsense(config, pano_folder):
    assert pickle.loads(pickle.dumps(config)) == config
    for wrong in (
        {"panoramas": None, "photos": None},
        {"split": "dev"},
        {"field_stride": 5},
        {"min_source_pixels": 0.4},
    ):
        with pytest.raises(FormatError):
            _with(config, **wrong)
    with pytest.raises(FormatError, match="Unknown recipe"):
        BatchMaker(_with(config, recipe="nope"))
    with pytest.raises(ImageError, match="Lower min_source_pixels"):
        BatchMaker(_with(config, photos=None, min_source_pixels=40.0)).batch(0)


def test_fewer_source_pixels_per_pixel_allow_longer_lenses(config):
    def longest(density):
        wanted = {"photos": None, "recipe": "op_p", "area": 168 * 168, "augment": "none"}
        maker = BatchMaker(_with(config, min_source_pixels=density, **wanted))
        batches = [maker.batch(step) for step in range(12)]
        assert all(batch["image"].shape[2] % 14 == 0 for batch in batches)
        return max(batch["log_focal"].max() for batch in batches)

    assert longest(0.55) > longest(1.0) + 0.2


def test_long_lenses_are_as_frequent_as_the_recipe_says_where_one_panorama_can_show_them(config, tmp_path):
    """Nine of ten panoramas have pixels for 60° and more only; lenses are drawn first: the tenth shows the others."""
    rows = ["id,file,place"]
    for i in range(10):
        Image.fromarray(box_world(1024 if i == 9 else 256, i)).save(tmp_path / f"{i}.png", compress_level=1)
        rows.append(f"id{i},{i}.png,here")
    (tmp_path / "manifest.csv").write_text("\n".join(rows))
    wanted = {
        "photos": None,
        "min_source_pixels": 1.0,
        "recipe": "op_p",
        "area": 42 * 42,
        "aspect_range": (1.0, 1.0),
        "size_range": (1.0, 1.0),
    }
    maker = BatchMaker(_with(config, panoramas=str(tmp_path), augment="none", **wanted))
    focals = np.concatenate([maker.batch(step)["log_focal"] for step in range(60)])
    fov = 2 * np.degrees(np.arctan(np.exp(-focals) / np.sqrt(2)))
    assert np.mean(fov < 60) == pytest.approx((60 - 20) / (105 - 20), abs=0.1)


def test_rendered_views_are_stored_as_photographs_were(config):
    """The WebP of collected photographs changes rendered views, and only those; labels stay."""
    plain, stored = (BatchMaker(_with(config, augment="none", quality=0, photo_quality=q)).batch(1) for q in (0, 30))
    photographs = plain["kind"] == 1
    assert 0 < photographs.sum() < len(photographs)
    change = np.abs(plain["image"].astype(int) - stored["image"]).mean(axis=(1, 2, 3))
    assert (change[photographs] == 0).all()
    assert (change[~photographs] > 0.3).all()
    assert np.array_equal(plain["field"], stored["field"])


def test_balance_between_places():
    groups = ["a"] * 9 + ["b"]
    assert balanced_weights(groups, 0)[-1] == pytest.approx(0.5)
    assert balanced_weights(groups, 1)[-1] == pytest.approx(0.1)
    assert balanced_weights(groups, 0.5)[-1] == pytest.approx(0.25)


def test_flipped_views_carry_flipped_labels(config):
    from dataclasses import replace

    from anylens.data.augment.settings import NONE

    plain = BatchMaker(_with(config, recipe="edited", photos=None, augment=NONE)).batch(2)
    mirrored = BatchMaker(_with(config, recipe="edited", photos=None, augment=replace(NONE, flip=1.0))).batch(2)
    assert np.array_equal(plain["image"][..., ::-1], mirrored["image"])
    assert np.allclose(plain["field"][:, 0, :, ::-1], -mirrored["field"][:, 0], atol=1e-6)
    assert np.allclose(plain["field"][:, 1, :, ::-1], mirrored["field"][:, 1], atol=1e-6)


def _with(config, **changes):
    from dataclasses import replace

    return replace(config, **changes)


def test_edited_views_say_so(config):
    mixed = BatchMaker(_with(config, recipe="op_p*0.5+edited*0.5", photo_ratio=0.5)).batch(1)
    edited = np.concatenate([BatchMaker(_with(config, recipe="edited", photos=None)).batch(0)["edited"]])
    plain = BatchMaker(_with(config, recipe="world", photos=None)).batch(0)["edited"]
    assert edited.min() == 1
    assert plain.max() == 0
    assert mixed["edited"][mixed["kind"] == 1].max(initial=0) == 0  # photographs are whole
