"""`anylens render`: shards, labels, determinism, resuming after kills, refusals."""

import io
import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from PIL import Image

from anylens.camera import Camera
from anylens.cli import main
from anylens.data.ondisk.job import RenderJob, Scene
from anylens.data.ondisk.run import run_job
from anylens.data.ondisk.shards import read_shard
from anylens.data.panoramas import PanoramaStore, list_panoramas
from anylens.data.render import render_view
from anylens.errors import AnylensError, FormatError, ImageError


def contents(folder):
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def whole(pano_folder, tmp_path_factory, cache):
    """An unbroken run through the command line."""
    out = tmp_path_factory.mktemp("out") / "set"
    arguments = [
        "render",
        str(pano_folder),
        str(out),
        "--recipe",
        "op_g",
        "--views",
        "4",
        "--size",
        "64",
        "--seed",
        "7",
    ]
    assert main([*arguments, "--per-shard", "5", "--format", "png", "--cache", cache]) == 0
    return out


def test_shards_hold_pictures_and_labels(whole, pano_folder, cache):
    rows = [json.loads(line) for line in (whole / "manifest.jsonl").read_text().splitlines()]
    assert len(rows) == 12 * 4
    assert len({row["key"] for row in rows}) == 48
    shards = sorted(whole.glob("*.tar"))
    assert {row["shard"] for row in rows} == {s.name for s in shards}
    views = {key: (picture, label) for s in shards for key, picture, label in read_shard(s)}
    store, panoramas = PanoramaStore(cache, 8192), {p.id: p for p in list_panoramas(pano_folder)}
    for row in rows[::11]:
        picture, label = views[row["key"]]
        assert label.items() <= row.items()
        camera = Camera.from_dict(label["camera"])
        pyramid = store.pyramid(store.prepare(panoramas[label["panorama"]]))
        expected = render_view(pyramid, camera, np.array(label["rotation"]))
        read = np.asarray(Image.open(io.BytesIO(picture)))
        assert np.abs(read.astype(int) - expected).max() <= 1
        assert label["source_pixels"] >= 0.5
        assert label["split"] == panoramas[label["panorama"]].split
    assert (whole / "contact.jpg").stat().st_size > 1000


def test_yaw_is_spread_evenly(whole):
    rows = [json.loads(line) for line in (whole / "manifest.jsonl").read_text().splitlines()]
    yaw = sorted(row["drawn"]["yaw_deg"] for row in rows if row["panorama"] == "id03")
    assert np.allclose(np.diff(yaw), 90)


def test_workers_and_rerun_change_nothing(whole, pano_folder, tmp_path, cache):
    job = RenderJob(str(pano_folder), "op_g", 4, 64, 7, 2.0, per_shard=5, format="png")
    run_job(job, tmp_path / "two", workers=2, cache=cache, progress=False)
    assert contents(tmp_path / "two") == contents(whole)
    (tmp_path / "two" / "train-00002.tar").unlink()
    run_job(job, tmp_path / "two", cache=cache, progress=False)
    assert contents(tmp_path / "two") == contents(whole)


def test_ten_kills_end_in_the_set_of_an_unbroken_run(whole, pano_folder, tmp_path, cache):
    """SIGKILL at random moments; the last run ends by itself with exactly the same files."""
    out = tmp_path / "killed"
    code = (
        "from anylens.data.ondisk.job import RenderJob\nfrom anylens.data.ondisk.run import run_job\n"
        "import anylens.data.ondisk.shards as s, time\nold = s.render_one\n"
        "s.render_one = lambda *a: (time.sleep(0.12), old(*a))[1]\n"  # slow enough to be hit
        f"job = RenderJob({str(pano_folder)!r}, 'op_g', 4, 64, 7, 2.0, per_shard=5, format='png')\n"
        f"run_job(job, {str(out)!r}, cache={cache!r}, progress=False)\n"
    )
    rng = random.Random(0)
    kills = 0
    for _ in range(10):
        process = subprocess.Popen([sys.executable, "-c", code])
        time.sleep(rng.uniform(0.4, 1.6))
        kills += process.poll() is None
        process.send_signal(signal.SIGKILL) if os.name == "posix" else process.kill()
        process.wait()
    subprocess.run([sys.executable, "-c", code], check=True)
    assert kills >= 3
    assert contents(out) == contents(whole)


def test_a_killed_worker_is_named_and_its_work_done_next_time(pano_folder, tmp_path, cache):
    """Not waited for in vain: the system kills processes when memory runs out."""
    job = RenderJob(str(pano_folder), "op_g", 4, 64, 7, 2.0, per_shard=2, format="png")
    reference = tmp_path / "reference"
    run_job(job, reference, cache=cache, progress=False)

    def kill_one():  # at work: while the executor still starts processes, Python itself may lose track of them
        end = time.monotonic() + 60
        while not any((tmp_path / "set").glob("*.tar")) and time.monotonic() < end:
            time.sleep(0.005)
        os.kill(multiprocessing.active_children()[0].pid, signal.SIGKILL)

    killer = threading.Thread(target=kill_one)
    killer.start()
    with pytest.raises(AnylensError, match="killed"):
        run_job(job, tmp_path / "set", workers=2, cache=cache, progress=False)
    killer.join()
    run_job(job, tmp_path / "set", cache=cache, progress=False)
    assert contents(tmp_path / "set") == contents(reference)


def test_other_settings_are_kept_out_of_a_folder(whole, pano_folder, cache, capsys):
    assert main(["render", str(pano_folder), str(whole), "--seed", "8", "--cache", cache]) == 2
    assert "other settings" in capsys.readouterr().err


def test_magnification_is_limited_and_the_count_kept(pano_folder, tmp_path, cache):
    """1024-pixel panoramas and 96-pixel views: narrow ones are drawn again, unless the guard is off."""
    strict = Scene(RenderJob(str(pano_folder), "op_p", size=96, max_magnification=0.5), cache)
    free = Scene(RenderJob(str(pano_folder), "op_p", size=96, max_magnification=None), cache)
    strict.plan(), free.plan()
    narrow = [float(free.draw(f"id{i:02d}", j).camera.vfov_deg) for i in range(12) for j in range(4)]
    guarded = [float(strict.draw(f"id{i:02d}", j).camera.vfov_deg) for i in range(12) for j in range(4)]
    assert min(narrow) < 30
    assert min(guarded) > 50


def test_what_cannot_be_used_is_listed(pano_folder, tmp_path, cache):
    folder = tmp_path / "mixed"
    folder.mkdir()
    Image.new("RGB", (64, 64)).save(folder / "cube.png")
    (folder / "short.hdr").write_bytes(b"#?RADIANCE\n\n-Y 64 +X 128\n\x02\x02")
    Image.new("RGB", (64, 32), "red").save(folder / "tiny.png")
    (folder / "good.png").write_bytes((pano_folder / "p00.png").read_bytes())
    plan = run_job(RenderJob(str(folder), "op_p", 2, 64), tmp_path / "o", cache=cache, progress=False)
    skipped = (tmp_path / "o" / "skipped.txt").read_text()
    assert plan.count == 2
    assert len(plan.refused) == 3
    for name in ("cube.png", "short.hdr", "tiny.png"):
        assert name in skipped
    (folder / "good.png").unlink()
    with pytest.raises(ImageError, match="no panorama can be used"):
        run_job(RenderJob(str(folder), "op_p", 2, 64), tmp_path / "o2", cache=cache, progress=False)


def test_bad_arguments_are_explained(pano_folder, tmp_path, capsys):
    for extra, word in (
        (["--max-magnification", "-1"], "positive number"),
        (["--recipe", "nope"], "Built in"),
        (["--engine", "slurm"], "local or ray"),
        (["--format", "gif"], "jpg"),
        (["--views", "0", "--size", "4"], "16 pixels"),
    ):
        assert main(["render", str(pano_folder), str(tmp_path / word), *extra, "--cache", str(tmp_path / "c")]) == 2
        assert word in capsys.readouterr().err
    with pytest.raises(FormatError):
        run_job(
            RenderJob(str(pano_folder), format="gif"),
            tmp_path / "x",
            cache=str(tmp_path / "c"),
            progress=False,
        )


def test_black_caps_stay_out_of_views(tmp_path, cache):
    image = np.full((256, 512, 3), 150, np.uint8)
    image[-30:] = 0  # 21° around the nadir
    Image.fromarray(image).save(tmp_path / "cap.png")
    scene = Scene(RenderJob(str(tmp_path), "op_p", 16, 64), cache)
    scene.plan()
    for index in range(16):
        drawn = scene.draw("cap.png", index)
        view = render_view(scene.store.pyramid(scene.prepared("cap.png")), drawn.camera, drawn.rotation)
        assert (view.max(axis=2) < 75).mean() < 0.03
    Image.fromarray(np.zeros_like(image)).save(tmp_path / "cap.png")
    with pytest.raises(ImageError, match="no panorama can be used"):
        Scene(RenderJob(str(tmp_path), "op_p", 16, 64), cache).plan()


def test_ray_gives_the_same_set(whole, pano_folder, tmp_path, cache):
    pytest.importorskip("ray")
    job = RenderJob(str(pano_folder), "op_g", 4, 64, 7, 2.0, per_shard=5, format="png")
    run_job(job, tmp_path / "ray", engine="ray", cache=cache, progress=False)
    assert contents(tmp_path / "ray") == contents(whole)


@pytest.mark.parametrize("density", [0.0, -1.0, 0.3, float("nan")])
def test_a_density_that_shows_nothing_is_refused(density):
    with pytest.raises(FormatError, match="must be at least"):
        RenderJob("panoramas", density=density)
