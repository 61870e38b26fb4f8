"""Sharpness must not betray the focal length: white noise looks alike through every lens and crop."""

import numpy as np
import pytest

from anylens.camera import Camera
from anylens.data.augment import Augment, augment_output
from anylens.data.builtin import BUILTIN
from anylens.data.compression import compress
from anylens.data.draw import draw_view
from anylens.data.guard import source_pixels
from anylens.data.photo_views import Aim, photo_view
from anylens.data.photos import Photograph
from anylens.data.pyramid import build_pyramid
from anylens.data.raster import shrink_area
from anylens.data.render import render_view
from anylens.data.rotation import rotation_from_angles
from anylens.data.standard import COPY_QUALITY, COPY_SIDE, shrink_copy, standard_form
from anylens.data.synthetic import noise_panorama

JPEG = pytest.mark.parametrize("jpeg", [False, True], ids=["clean", "jpeg60"])


def frequencies(width, height):
    return np.hypot(np.fft.fftfreq(height)[:, None], np.fft.fftfreq(width)[None])


def spectrum(image, bins=12):
    """Share of the energy (bins,) by spatial frequency, mean removed."""
    grey = image.mean(axis=2)
    energy = np.abs(np.fft.fft2(grey - grey.mean())) ** 2
    ring = np.minimum((frequencies(*energy.shape[::-1]) * 2 * bins / np.sqrt(2)).astype(int), bins - 1)
    total = np.bincount(ring.ravel(), energy.ravel(), bins)
    return total / total.sum()


def high_share(image):
    """Share of the energy above a quarter of the sampling frequency."""
    grey = image.mean(axis=2)
    energy = np.abs(np.fft.fft2(grey - grey.mean())) ** 2
    return energy[frequencies(*energy.shape[::-1]) > 0.25].sum() / energy.sum()


def noise_photo(rng, jpeg, width=288, height=288):
    grey = np.clip(rng.normal(128, 40, (height, width, 1)), 0, 255).astype(np.uint8)
    image = np.repeat(grey, 3, axis=2)
    return compress(image, 60) if jpeg else image


def centre(image, width, height):
    y, x = (image.shape[0] - height) // 2, (image.shape[1] - width) // 2
    return image[y : y + height, x : x + width]


@JPEG
def test_views_of_white_noise_look_alike_at_every_field_of_view(jpeg):
    rng = np.random.default_rng(1)
    pyramids = []
    for width in (3072, 4096, 5120):
        panorama = noise_panorama(width, rng)
        pyramids.append(build_pyramid(compress(panorama, 60) if jpeg else panorama))
    fov, share = [], []
    while len(fov) < 320:
        pyramid, density = pyramids[len(fov) % len(pyramids)], rng.uniform(2.02, 2.1)
        drawn = draw_view(BUILTIN["op_g"], rng, 224, 224)
        if source_pixels(drawn.camera, pyramid.pixels_per_radian) >= density:
            fov.append(float(drawn.camera.vfov_deg))
            share.append(high_share(render_view(pyramid, drawn.camera, drawn.rotation, density)))
    assert min(fov) < 45
    assert max(fov) > 165
    assert abs(np.corrcoef(fov, share)[0, 1]) < 0.1
    narrow, wide = (
        np.mean([s for f, s in zip(fov, share) if test(f)]) for test in (lambda f: f < 60, lambda f: f > 100)
    )
    assert narrow == pytest.approx(wide, rel=0.01)


def crop_of_noise(rng, jpeg, size, reduction):
    """A view of size² pixels of a 288-pixel photograph, with `reduction` of its pixels per pixel."""
    photo = Photograph("", 288, 288, 250.0, 250.0, "", 1.0)
    aim = Aim(reduction, rotation_from_angles(*rng.uniform(-3, 3, 3)))
    return photo_view(noise_photo(rng, jpeg), photo, (size, size), aim)


def test_crops_of_white_noise_photographs_look_alike_at_every_crop_factor():
    """Blending halvings of the source gives every crop the softness of one source pixel per pixel, to a few per cent of
    the finest detail; as trained, with blur or sharpening redrawn, nothing of that is left.
    """
    rng = np.random.default_rng(2)
    factor = np.repeat(np.linspace(1, 2.1, 12), 16)
    views = [shrink_area(crop_of_noise(rng, False, 124, m), 112, 112) for m in factor]
    share = np.array([high_share(view) for view in views]).reshape(12, 16).mean(axis=1)
    assert share.max() / share.min() < 1.1
    trained = [high_share(augment_output(view, Augment(erase=0), rng)) for view in views]
    assert abs(np.corrcoef(factor, trained)[0, 1]) < 0.15


def natural_photo(rng, side=288, canvas=500):
    """Amplitudes fall as 1/f, as in photographs: a crop has the spectrum of the whole."""
    radius = frequencies(canvas, canvas)
    radius[0, 0] = 1
    grey = np.real(np.fft.ifft2(np.fft.fft2(rng.normal(size=(canvas, canvas))) / radius))
    grey = ((grey - grey.mean()) / grey.std())[100 : 100 + side, 100 : 100 + side]
    return np.repeat(np.clip(128 + 30 * grey, 0, 255).astype(np.uint8)[..., None], 3, axis=2)


def test_the_standard_form_covers_most_of_the_compression_of_the_source():
    """Logistic regression on the log spectrum, trained on one half: crops of JPEGs against wholes of them.

    Bare views give themselves away; as trained, stored anew and changed in appearance, little is left, and less than
    without being stored.
    """
    rng = np.random.default_rng(3)
    photo, settings = Photograph("", 288, 288, 250.0, 250.0, "", 1.0), Augment(erase=0)
    rows, labels = {"bare": [], "changed": [], "stored and changed": []}, []
    for i in range(600):
        reduction = rng.uniform(1.0, 1.1) if i % 2 else rng.uniform(1.9, 2.1)
        aim = Aim(reduction, rotation_from_angles(*rng.uniform(-3, 3, 3)))
        view = photo_view(compress(natural_photo(rng), 75), photo, (128, 128), aim)
        stored = compress(view, int(rng.integers(40, 81)))
        bare, again = (shrink_area(picture, 116, 116) for picture in (view, stored))
        pictures = (bare, augment_output(bare, settings, rng), augment_output(again, settings, rng))
        for features, picture in zip(rows.values(), pictures):
            features.append(np.log(spectrum(picture) + 1e-9))
        labels.append(i % 2)
    bare, changed, trained = (_accuracy(np.array(features), np.array(labels)) for features in rows.values())
    assert bare > 0.9
    assert trained < 0.67
    assert trained < changed


def test_the_classifier_can_see_a_softer_crop():
    """The same classifier on crops enlarged to one size, as one would do without thinking: it tells them
    apart.
    """
    rng = np.random.default_rng(4)
    rows, labels = [], []
    for i in range(400):
        photo = centre(noise_photo(rng, False), *((288, 288) if i % 2 else (200, 200)))
        rows.append(np.log(spectrum(shrink_area(photo, 120, 120))))
        labels.append(i % 2)
    assert _accuracy(np.array(rows), np.array(labels)) > 0.8


def _accuracy(rows, labels):
    half = len(rows) // 2
    mean, spread = rows[:half].mean(0), rows[:half].std(0)
    rows = (rows - mean) / spread
    weights, offset = np.zeros(rows.shape[1]), 0.0
    for _ in range(500):
        p = 1 / (1 + np.exp(-(rows[:half] @ weights + offset)))
        weights -= 0.5 * (rows[:half].T @ (p - labels[:half]) / half + 1e-3 * weights)
        offset -= 0.5 * (p - labels[:half]).mean()
    return ((rows[half:] @ weights + offset > 0) == labels[half:]).mean()


@pytest.mark.parametrize(("size", "density", "rtol"), [(126, 2.2, 0.08), (182, 0.85, 0.25)])
def test_photographs_and_rendered_views_look_alike(size, density, rtol):
    """Closely where a large working picture is shrunk; where it is enlarged, its own finest detail shows."""
    rng = np.random.default_rng(5)
    pyramid = build_pyramid(noise_panorama(2048, rng))
    focal = pyramid.pixels_per_radian / density / 1.3
    camera = Camera("pinhole", np.array([focal, focal, size / 2, size / 2]), size, size)
    angles = rng.uniform(-1, 1, (40, 3)) * [180, 30, 30]
    rendered = np.mean([spectrum(render_view(pyramid, camera, rotation_from_angles(*a), density)) for a in angles], 0)
    side = round(size * density)
    photos = [standard_form(noise_photo(rng, False, side, side), size, size, density) for _ in angles]
    there = rendered > 0.02  # rings with energy: enlarging leaves the finest ones empty
    assert np.allclose(rendered[there], np.mean([spectrum(photo) for photo in photos], 0)[there], rtol=rtol)
    larger = [high_share(standard_form(noise_photo(rng, False, 1400, 1400), size, size, density)) for _ in range(8)]
    assert np.mean(larger) == pytest.approx(np.mean([high_share(p) for p in photos]), rel=0.12)


def test_redrawn_sharpness_drowns_what_is_left():
    """As trained, with blur or sharpening redrawn on every view, in the size and mix of a training run."""
    rng = np.random.default_rng(6)
    settings = Augment(erase=0)  # a patch over white noise changes its spectrum by chance
    pyramids = [build_pyramid(noise_panorama(width, rng)) for width in (2048, 3072)]
    fov, share = [], []
    while len(fov) < 300:
        pyramid = pyramids[len(fov) % 2]
        drawn = draw_view(BUILTIN["world"], rng, 112, 112)
        if source_pixels(drawn.camera, pyramid.pixels_per_radian) >= 2.2:
            view = render_view(pyramid, drawn.camera, drawn.rotation, 2.2)
            fov.append(float(drawn.camera.vfov_deg))
            share.append(high_share(augment_output(view, settings, rng)))
    assert abs(np.corrcoef(fov, share)[0, 1]) < 0.1


@pytest.mark.parametrize("large", [1400, 600])
def test_a_large_photo_in_use_looks_as_it_would_have_looked_in_training(large):
    """Its own pixels and those of its collected copy give the network the same picture, as they would not without the
    copy on the way; a picture that is small already is left as it is.
    """
    rng = np.random.default_rng(7)
    photo = noise_photo(rng, False, large, large)
    collected = compress(shrink_copy(photo, COPY_SIDE), COPY_QUALITY, webp=True)
    form = {"density": 1.0, "quality": 60, "side": COPY_SIDE, "webp": COPY_QUALITY}
    in_use, in_training = (standard_form(picture, 224, 224, **form).astype(int) for picture in (photo, collected))
    assert np.array_equal(in_use, in_training)
    without = standard_form(photo, 224, 224, density=1.0, quality=60).astype(int)
    assert np.abs(without - in_training).mean() > 2
