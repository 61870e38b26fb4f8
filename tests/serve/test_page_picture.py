"""What the page draws is what the library says: rings, angles under the pointer, undistortion."""

import base64
import io

import numpy as np
from browser import drop
from PIL import Image

import anylens
from anylens.undistortion import undistort


def overlay(page):
    return page.evaluate("document.getElementById('overlay').toDataURL()")


def test_layers_can_be_switched_and_the_pointer_reads_angles(page, photos):
    camera = anylens.calibrate(photos["fisheye"]).camera
    drop(page, ("fisheye.jpg", photos["fisheye"]))
    seen = {overlay(page)}
    for layer in ("camera", "field", "horizon"):
        page.click(f"[data-layer={layer}]")
        seen.add(overlay(page))
    assert len(seen) == 4
    box = page.locator("#stage").bounding_box()
    page.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 0.25 * box["height"])
    [ray] = camera.unproject([[0.75 * camera.width, 0.25 * camera.height]])[0]
    told = page.inner_text("#angle")
    assert abs(float(told.partition("°")[0]) - np.degrees(np.arccos(ray[2]))) < 0.4
    assert "right" in told
    assert "up" in told
    page.focus("#stage")
    page.keyboard.press("ArrowLeft")
    assert page.inner_text("#angle") != told


def test_undistortion_is_the_library_s(page, photos):
    photo = photos["fisheye"]
    result, pixels = anylens.calibrate(photo), np.asarray(Image.open(io.BytesIO(photo)).convert("RGB"))
    drop(page, ("fisheye.jpg", photo))
    page.click("#see-straight")
    slide(page, "wipe-at", 0)
    for name, value in (("balance", 0.5), ("fov", 90)):
        slide(page, name, value)
        page.wait_for_timeout(150)
        straight = undistort(pixels, result.camera, **{"fov_deg" if name == "fov" else name: value}).image
        seen = np.asarray(Image.open(io.BytesIO(page_canvas(page, "straight"))).convert("RGB"))
        off = np.abs(seen[20:-20, 20:-20].astype(int) - straight[20:-20, 20:-20])
        assert off.mean() < 2.5
    assert page.inner_text("#fov-value") == "90.0°"
    slide(page, "wipe-at", 100)
    page.wait_for_timeout(150)
    photo_again = np.asarray(Image.open(io.BytesIO(page_canvas(page, "straight"))).convert("RGB"))
    assert np.abs(photo_again[:, :-4].astype(int) - pixels[:, :-4]).mean() < 2.5
    with page.expect_download() as download:
        page.click("#save-straight")
    assert Image.open(download.value.path()).size == (800, 600)
    assert download.value.suggested_filename == "fisheye_undistorted.jpg"


def slide(page, name, value):
    move = f"e => {{ e.value = {value}; e.dispatchEvent(new Event('input')); }}"
    page.evaluate(move, page.query_selector(f"#{name}"))


def page_canvas(page, name):
    return base64.b64decode(page.evaluate(f"document.getElementById('{name}').toDataURL()").partition(",")[2])
