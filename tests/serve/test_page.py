"""The page in a real browser shows what the library says: values, models, exports, groups, reasons."""

import base64
import io
import json
import shlex
import subprocess
import sys

import numpy as np
import pytest
from browser import choose, drop, settled
from PIL import Image, ImageOps
from running_service import network_runs

import anylens
from anylens.examples import example_path


def command_line(text):
    """The row that `anylens calibrate --json` prints."""
    words = shlex.split(text)[1:]
    words = words if words[0] == "calibrate" else ["calibrate", *words]
    done = subprocess.run([sys.executable, "-m", "anylens", *words, "--json"], capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def shown(value, digits):
    return f"{value:.{digits}f}".replace("-", "−")


def expected(row):
    """Every number of a row as the page should show it."""
    low, high = row["hfov_interval_deg"]
    texts = {"hfov": f"{shown(row['hfov_deg'], 2)}°", "hfov-interval": f"{shown(low, 1)}° to {shown(high, 1)}°",
             "n-focal-px": f"{shown(row['focal_px'], 1)} px", "n-focal-35": f"{shown(row['focal_35mm'], 2)} mm",
             "n-vfov": f"{shown(row['vfov_deg'], 2)}° ± {shown(row['vfov_std_deg'], 1)}",
             "n-dfov": f"{shown(row['dfov_deg'], 2)}° ± {shown(row['dfov_std_deg'], 1)}",
             "fitted-model": row["camera"]["model"]}  # fmt: skip
    if row["roll_deg"] is not None:
        texts["n-roll"] = f"{shown(row['roll_deg'], 1)}° ± {shown(row['roll_std_deg'], 1)}"
        texts["n-pitch"] = f"{shown(row['pitch_deg'], 1)}° ± {shown(row['pitch_std_deg'], 1)}"
    return texts


def on_page(page, names):
    return {name: page.inner_text(f"#{name}") for name in names}


def parameters(page):
    """Name to (value, deviation) of the table."""
    rows = [row.inner_text().split("\t") for row in page.query_selector_all("#params tbody tr")]
    return {name: (float(value.replace("−", "-")), off) for name, value, off in rows}


def test_a_dropped_photo_shows_what_the_command_line_prints(page, room):
    [row] = command_line("anylens example:room")
    drop(page, ("room.jpg", room))
    assert on_page(page, expected(row)) == expected(row)
    found = parameters(page)
    assert {name: value for name, (value, _) in found.items()} == {
        name: float(f"{value:.6g}") for name, value in row["camera"]["params"].items()
    }
    deviation = anylens.calibrate(room).deviations["f"]
    assert found["f"][1] == f"± {float(f'{deviation:.2g}'):g}"
    assert found["cx"][1] == "held"
    warnings = page.evaluate("[...document.querySelectorAll('#warnings li')].map(li => li.textContent)")
    assert warnings == row["warnings"]


def test_another_model_is_fitted_without_the_network(page, service, room):
    drop(page, ("room.jpg", room))
    before = network_runs(service.client)
    choose(page, "kb:4")
    row = anylens.calibrate(room, "kb:4").to_dict()
    assert on_page(page, expected(row)) == expected(row)
    page.fill("#k-hfov", "70")
    page.fill("[data-std=hfov]", "2")
    page.wait_for_selector("#n-decided:has-text('what you know')")
    settled(page)
    row = anylens.calibrate(room, "kb:4", known={"hfov": (70, 2)}).to_dict()
    assert on_page(page, expected(row)) == expected(row)
    assert network_runs(service.client) == before
    assert len([url for url in page.asked if url.endswith("/v1/calibrate")]) == 1


def test_the_shown_command_gives_the_shown_numbers(page):
    page.wait_for_selector("body[data-ready]")
    page.click("[data-example=street]")
    page.wait_for_selector("#fitted-model")
    choose(page, "division:1")
    page.uncheck("[data-flag=edges]")
    page.wait_for_selector("#command:has-text('--edges off')")
    settled(page)
    [row] = command_line(page.inner_text("#command"))
    assert on_page(page, expected(row)) == expected(row)
    names = {}
    exec(page.inner_text("#python"), names)
    assert names["result"].to_dict()["camera"] == row["camera"]


def test_the_ranking_of_auto_is_shown(page, room):
    drop(page, ("room.jpg", room))
    page.click("#ranking summary")
    page.wait_for_selector("#ranking .chosen")
    assert page.inner_text("#ranking .chosen th") == page.inner_text("#fitted-model")
    assert len(page.query_selector_all("#ranking tbody tr")) == 7


def test_every_format_can_be_downloaded_and_colmap_s_is_read_by_pycolmap(page, room, tmp_path):
    pycolmap = pytest.importorskip("pycolmap")
    files = {}
    for part in (slice(0, 6), slice(6, None)):  # a browser may let one page save no more than ten files
        page.reload()
        drop(page, ("room.jpg", room))
        choose(page, "radial:1")
        for name in page.evaluate("[...document.querySelectorAll('[data-format]')].map(b => b.dataset.format)")[part]:
            with page.expect_download() as download:
                page.click(f"[data-format={name}]")
            files[name] = tmp_path / download.value.suggested_filename
            download.value.save_as(files[name])
    assert len(files) == len(set(files.values())) == 11
    (tmp_path / "cameras.bin").unlink()
    for name in ("images", "points3D"):
        (tmp_path / f"{name}.txt").write_text("")
    [camera] = pycolmap.Reconstruction(str(tmp_path)).cameras.values()
    ours = anylens.calibrate(room, "radial:1").camera
    ray = np.array([[0.2, -0.1, 1.0]])
    assert np.allclose(camera.img_from_cam(ray), ours.project(ray)[0], atol=1e-6)


def varied(room):
    """The same room by the same camera: mirrored, and darker."""
    picture = Image.open(io.BytesIO(room))
    return [_jpeg(ImageOps.mirror(picture)), _jpeg(picture.point(lambda v: 0.7 * v))]


def _jpeg(picture):
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=92)
    return out.getvalue()


def test_three_photos_become_one_camera(page, service, room):
    three = [room, *varied(room)]
    drop(page, *[(f"{i}.jpg", photo) for i, photo in enumerate(three)])
    before = network_runs(service.client)
    page.check("#together")
    page.wait_for_selector("#shared-dfov")
    settled(page)
    results = anylens.calibrate(three, shared=True)
    assert page.inner_text("#shared-dfov") == f"{shown(results[0].to_dict()['dfov_deg'], 1)}°"
    assert on_page(page, ["hfov"]) == {"hfov": f"{shown(results[0].hfov_deg, 2)}°"}
    assert page.inner_text("#n-decided") == "the photos together"
    assert [e.inner_text() for e in page.query_selector_all("#agreement em")] == ["agrees"] * 3 + [""]
    assert network_runs(service.client) == before
    assert "0.jpg 1.jpg 2.jpg --shared all" in page.inner_text("#command")


def test_an_outlier_is_marked(page, room):
    """Told by the service; here it is put into its answer, so that any network will do."""

    def with_outlier(route):
        answer = route.fetch()
        results = answer.json()["results"]
        results[1] = {**results[1], "outlier": True, "warnings": ["outlier: by itself this photo looks like 90 mm"]}
        route.fulfill(response=answer, json={"results": results})

    drop(page, *[(f"{i}.jpg", photo) for i, photo in enumerate([room, *varied(room)])])
    page.route("**/v1/refit", with_outlier)
    page.check("#together")
    page.wait_for_selector("#agreement .outlier")
    assert page.inner_text("#agreement .outlier .link") == "1.jpg"
    assert page.inner_text("#agreement .outlier em") == "outlier"
    assert page.inner_text("#group-words") == "1.jpg disagrees with the others and counts little."
    assert page.inner_text(".thumb.outlier i") == "disagrees"
    page.click("#agreement .outlier .link")
    assert "outlier: by itself" in page.inner_text("#warnings")


def test_a_bad_file_has_its_reason_and_stops_no_other(page, room):
    drop(page, ("diary.jpg", b"Dear diary, today I was not a picture."))
    assert page.inner_text("#reason") == "diary.jpg: text, not a picture."
    assert page.is_visible("#another")
    assert not page.is_visible("#viewer")
    drop(page, ("room.jpg", room))
    assert page.inner_text("#hfov").endswith("°")
    page.click(".thumb.failed")
    assert "text, not a picture" in page.inner_text("#reason")
    page.click("#restart")
    assert page.is_visible("#welcome")


def test_a_model_that_cannot_be_fitted_leaves_the_choice(page, room):
    """What is known contradicts itself: the reason is told, the last answer stays, and the choice can be taken back."""
    drop(page, ("room.jpg", room))
    page.fill("#k-hfov", "65 degrees")
    page.wait_for_selector("#known-trouble:has-text('is not a number')")
    page.fill("#k-hfov", "")
    page.wait_for_selector("#known-trouble", state="hidden")
    assert page.is_visible("#hfov")


def test_a_pasted_photo_and_several_picked_ones_are_taken(page, room):
    page.wait_for_selector("body[data-ready]")
    with page.expect_file_chooser() as chooser:
        page.click("#pick")
    assert chooser.value.is_multiple()
    chooser.value.set_files(str(example_path("room")))
    page.wait_for_selector("#hfov")
    paste = """content => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([Uint8Array.from(atob(content), (c) => c.charCodeAt(0))], "pasted.png"));
        dispatchEvent(new ClipboardEvent("paste", { clipboardData: transfer }));
    }"""
    page.evaluate(paste, base64.b64encode(room).decode())
    page.wait_for_selector(".thumb:has-text('pasted.png')")
    settled(page)
    assert len(page.query_selector_all(".thumb.done")) == 2
